/// A strict reader of JSON, for traces.
#pragma once

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::testing {

struct Json {
    enum class Kind { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    double number = 0;
    std::string string;
    std::vector<Json> items;
    std::map<std::string, Json> members;

    bool has(const std::string& name) const { return members.contains(name); }
    const Json& operator[](const std::string& name) const { return members.at(name); }
};

class JsonReader {
   public:
    /// @throws std::runtime_error where the text is not JSON
    static Json read(std::string_view text) {
        JsonReader reader(text);
        Json all = reader.value();
        reader.blanks();
        if (reader.at_ != text.size()) reader.refuse("something behind the end");
        return all;
    }

   private:
    explicit JsonReader(std::string_view text) : text_(text) {}
    [[noreturn]] void refuse(const std::string& why) const {
        throw std::runtime_error(why + " at byte " + std::to_string(at_) + ": " +
                                 std::string(text_.substr(std::min(at_, text_.size()), 40)));
    }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void blanks() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    bool take(char c) {
        blanks();
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) refuse(std::string("expected ") + c);
    }
    Json value() {
        blanks();
        Json v;
        if (peek() == '"') {
            v.kind = Json::Kind::string;
            v.string = string();
        } else if (take('[')) {
            v.kind = Json::Kind::array;
            if (take(']')) return v;
            do v.items.push_back(value());
            while (take(','));
            expect(']');
        } else if (take('{')) {
            v.kind = Json::Kind::object;
            if (take('}')) return v;
            do {
                blanks();
                std::string name = string();
                expect(':');
                if (!v.members.emplace(name, value()).second) refuse("a second member " + name);
            } while (take(','));
            expect('}');
        } else {
            number(v);
        }
        return v;
    }
    void number(Json& v) {
        const std::size_t begin = at_;
        while (std::string_view("+-.eE0123456789").find(peek()) != std::string_view::npos && peek() != '\0') ++at_;
        const std::string digits(text_.substr(begin, at_ - begin));
        char* end = nullptr;
        v.kind = Json::Kind::number;
        v.number = std::strtod(digits.c_str(), &end);
        if (digits.empty() || *end != '\0') refuse("expected a number");
    }
    std::string string() {
        if (peek() != '"') refuse("expected a string");
        std::string out;
        for (++at_; peek() != '"'; ++at_) {
            if (at_ >= text_.size()) refuse("a string without end");
            const char c = peek();
            if (static_cast<unsigned char>(c) < 0x20) refuse("a control character in a string");
            out += c == '\\' ? escaped() : std::string(1, c);
        }
        ++at_;
        return out;
    }
    std::string escaped() {
        ++at_;
        switch (peek()) {
            case '"': return "\"";
            case '\\': return "\\";
            case 'n': return "\n";
            case 't': return "\t";
            case 'u': break;
            default: refuse("an unknown escape");
        }
        const std::string digits(text_.substr(at_ + 1, 4));
        const unsigned long code = std::strtoul(digits.c_str(), nullptr, 16);
        at_ += 4;
        if (code < 0x80) return std::string(1, static_cast<char>(code));
        return code == 0xFFFD ? "\xEF\xBF\xBD" : "?";
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace gemel::testing
