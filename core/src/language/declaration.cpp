/// Parses declarations of parameters.
#include "language/declaration.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

namespace {

using Space = Parameter::Space;

template <std::size_t N>
bool among(const std::string_view (&words)[N], std::string_view word) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr std::string_view built_in[] = {"void", "bool",   "char",     "short", "int",
                                         "long", "signed", "unsigned", "float", "double"};
/// Words that combine to one type.
constexpr std::string_view combining[] = {"char", "short", "int", "long", "signed", "unsigned"};
constexpr std::string_view elaborating[] = {"struct", "union", "class", "enum", "typename"};
constexpr std::string_view without_meaning[] = {
    "volatile",  "__volatile__", "RESTRICT",    "restrict",   "__restrict",   "__restrict__",     "register",
    "__private", "read_only",    "__read_only", "write_only", "__write_only", "__grid_constant__"};
constexpr std::string_view with_group[] = {"__attribute__", "alignas", "__align__", "_Alignas"};

std::optional<Space> space_of(std::string_view word) {
    if (word == "GLOBAL_MEM" || word == "__global") return Space::global;
    if (word == "LOCAL_MEM_ARG" || word == "LOCAL_MEM" || word == "__local" || word == "__shared__")
        return Space::shared;
    if (word == "CONSTANT_MEM" || word == "__constant") return Space::constant;
    return std::nullopt;
}

/// OpenCL keywords without underscores, which are ordinary names in CUDA.
std::optional<Space> plain_space_of(std::string_view word) {
    if (word == "global") return Space::global;
    if (word == "local") return Space::shared;
    if (word == "constant") return Space::constant;
    if (word == "private") return Space::value;
    return std::nullopt;
}

/// TEXTURE_2D(name), IMAGE_1D_LAYERED_WRITE(name) and similar words.
std::optional<Parameter> read_image(std::string_view word, std::string_view name) {
    Parameter parameter{.name = std::string(name), .type = std::string(word), .is_const = true};
    const auto take = [&](std::string_view part) {
        if (!word.starts_with(part)) return false;
        word.remove_prefix(part.size());
        return true;
    };
    const bool is_texture = take("TEXTURE_");
    if (!is_texture && !take("IMAGE_")) return std::nullopt;
    for (std::uint8_t d = 1; d <= 3; ++d)
        if (word.starts_with(static_cast<char>('0' + d)) && word.substr(1).starts_with('D')) parameter.dimensions = d;
    if (parameter.dimensions == 0) return std::nullopt;
    word.remove_prefix(2);
    parameter.is_layered = parameter.dimensions < 3 && take("_LAYERED");
    parameter.space = is_texture ? Space::texture : take("_READ") ? Space::image_read : Space::image_write;
    if (parameter.space == Space::image_write && !take("_WRITE")) return std::nullopt;
    if (!word.empty()) return std::nullopt;
    parameter.is_const = parameter.space != Space::image_write;
    return parameter;
}

class Reader {
   public:
    Reader(std::span<const Token> tokens, std::size_t end, Unreadable& why) : tokens_(tokens), end_(end), why_(why) {}

    std::optional<Parameter> read() {
        if (tokens_.size() == 1 && tokens_[0].is("SHARED_ARENA"))
            return Parameter{.name = "shared_arena",
                             .type = "uint8_t",
                             .dtype = parse_type("uint8_t"),
                             .space = Space::arena,
                             .is_pointer = true};
        if (tokens_.size() == 1 && tokens_[0].is("LAUNCH_OFFSET"))
            return Parameter{.name = "launch_offset", .type = "LAUNCH_OFFSET", .space = Space::offset};
        if (tokens_.size() == 4 && tokens_[0].is("GRID_BARRIER") && tokens_[1].is("(") && tokens_[2].is_word() &&
            tokens_[3].is(")"))
            return Parameter{.name = std::string(tokens_[2].text),
                             .type = "GRID_BARRIER",
                             .space = Space::barrier,
                             .is_pointer = true};
        if (tokens_.size() == 4 && tokens_[0].is("GEMEL_TENSOR_MAP") && tokens_[1].is("(") && tokens_[2].is_word() &&
            tokens_[3].is(")"))
            return Parameter{.name = std::string(tokens_[2].text),
                             .type = "GEMEL_TENSOR_MAP",
                             .space = Space::tensor_map,
                             .is_const = true};
        if (tokens_.size() == 4 && tokens_[0].is_word() && tokens_[1].is("(") && tokens_[2].is_word() &&
            tokens_[3].is(")"))
            if (std::optional<Parameter> image = read_image(tokens_[0].text, tokens_[2].text)) return image;
        while (at_ < tokens_.size() && !tokens_[at_].is("="))
            if (!step()) return std::nullopt;
        return finish();
    }

   private:
    bool step() {
        const Token& token = tokens_[at_];
        if (token.is_word()) return word(token);
        if (token.is("*")) {
            if (type_.empty()) return fail("a type name");
            if (!name_.empty() || has_array_) return fail("',' or the end");
            ++pointers_;
            ++at_;
            return true;
        }
        if (token.is("[")) {
            if (at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("[")) return skip_group();  // an attribute
            if (type_.empty()) return fail("a type name");
            has_array_ = true;
            return skip_group();
        }
        return fail(type_.empty() ? "a type name" : name_.empty() ? "a name" : "',' or the end");
    }

    bool word(const Token& token) {
        if (token.is("const") || token.is("__const__")) {
            if (pointers_ == 0) is_const_ = true;
            ++at_;
            return true;
        }
        if (among(without_meaning, token.text)) {
            ++at_;
            return true;
        }
        if (among(with_group, token.text)) {
            ++at_;
            if (at_ == tokens_.size() || !tokens_[at_].is("(")) return fail("'('");
            return skip_group();
        }
        std::optional<Space> space = space_of(token.text);
        if (!space && word_follows()) space = plain_space_of(token.text);
        if (space) {
            space_ = *space;
            ++at_;
            return true;
        }
        if (type_.empty()) return type_name();
        if (pointers_ == 0 && name_.empty() && may_combine_ && among(combining, token.text)) {
            append(token.text);
            ++at_;
            return true;
        }
        if (pointers_ == 0 && name_.empty() && token.is("double") && type_ == "long") return fail("a type of a device");
        if (!name_.empty() || has_array_) return fail("',' or the end");
        if (among(built_in, token.text) || among(elaborating, token.text)) return fail("a name");
        name_ = token.text;
        ++at_;
        return true;
    }

    bool type_name() {
        if (among(elaborating, tokens_[at_].text)) {
            if (!tokens_[at_].is("typename")) append(tokens_[at_].text);
            ++at_;
            if (at_ == tokens_.size() || !tokens_[at_].is_word()) return fail("a type name");
        }
        const bool is_built_in = among(built_in, tokens_[at_].text);
        may_combine_ = among(combining, tokens_[at_].text);
        append(tokens_[at_++].text);
        if (is_built_in) return true;
        while (at_ < tokens_.size()) {  // std::complex<float>
            if (tokens_[at_].is("::") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is_word()) {
                append("::");
                append(tokens_[at_ + 1].text);
                at_ += 2;
            } else if (tokens_[at_].is("<")) {
                int depth = 0;
                do {
                    if (at_ == tokens_.size()) return fail("'>'");
                    depth += tokens_[at_].is("<") - tokens_[at_].is(">");
                    append(tokens_[at_++].text);
                } while (depth > 0);
            } else {
                break;
            }
        }
        return true;
    }

    std::optional<Parameter> finish() {
        if (type_.empty()) return failed("a type name");
        pointers_ += has_array_;
        if (pointers_ == 0 && type_ == "void") return failed("'*', since there are no values of type void");
        if (pointers_ == 0 && space_ && *space_ != Space::value) return failed("'*', since memory was named");
        Parameter parameter{.name = name_, .type = type_};
        parameter.is_pointer = pointers_ > 0;
        if (pointers_ <= 1) {
            parameter.dtype = parse_type(type_);
        } else {
            for (int i = 1; i < pointers_; ++i) parameter.type += i == 1 ? " *" : "*";
        }
        if (parameter.is_pointer) {
            parameter.space = space_.value_or(Space::global);
            parameter.is_const = (is_const_ && pointers_ == 1) || parameter.space == Space::constant;
        }
        return parameter;
    }

    bool word_follows() const {
        for (std::size_t i = at_ + 1; i < tokens_.size() && !tokens_[i].is("=") && !tokens_[i].is("["); ++i)
            if (tokens_[i].is_word()) return true;
        return false;
    }

    bool skip_group() {
        const std::optional<std::size_t> behind = behind_group(tokens_, at_);
        if (!behind) return fail("a bracket that closes");
        at_ = *behind;
        return true;
    }

    /// Blanks separate words only: "unsigned int", "std::complex<float>".
    void append(std::string_view part) {
        const auto is_word = [](char c) { return c != ':' && c != '<' && c != '>' && c != ',' && c != '*'; };
        if (!type_.empty() && is_word(type_.back()) && is_word(part.front())) type_ += ' ';
        type_ += part;
    }

    bool fail(std::string expected) {
        why_ = {at_ < tokens_.size() ? tokens_[at_].position : end_, std::move(expected)};
        return false;
    }
    std::optional<Parameter> failed(std::string expected) {
        fail(std::move(expected));
        return std::nullopt;
    }

    std::span<const Token> tokens_;
    std::size_t end_;
    Unreadable& why_;

    std::size_t at_ = 0;
    std::string type_, name_;
    std::optional<Space> space_;
    int pointers_ = 0;
    bool is_const_ = false, has_array_ = false, may_combine_ = false;
};

}  // namespace

std::optional<Parameter> read_parameter(std::span<const Token> tokens, std::size_t end, Unreadable& why) {
    return Reader(tokens, end, why).read();
}

std::vector<std::span<const Token>> split_at_commas(std::span<const Token> tokens) {
    std::vector<std::span<const Token>> parts;
    if (tokens.empty()) return parts;
    std::size_t begin = 0;
    int depth = 0;
    bool in_default = false;  // in which '<' compares
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.kind != Token::Kind::symbol) continue;
        if (token.is("(") || token.is("[") || token.is("{") || (token.is("<") && !in_default)) {
            ++depth;
        } else if (token.is(")") || token.is("]") || token.is("}") || (token.is(">") && !in_default)) {
            --depth;
        } else if (token.is("=") && depth == 0) {
            in_default = true;
        } else if (token.is(",") && depth == 0) {
            parts.push_back(tokens.subspan(begin, i - begin));
            begin = i + 1;
            in_default = false;
        }
    }
    parts.push_back(tokens.subspan(begin));
    return parts;
}

std::optional<std::size_t> behind_group(std::span<const Token> tokens, std::size_t open) {
    std::vector<char> awaited;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        if (tokens[i].kind != Token::Kind::symbol) continue;
        switch (const char c = tokens[i].text[0]) {
            case '(': awaited.push_back(')'); break;
            case '[': awaited.push_back(']'); break;
            case '{': awaited.push_back('}'); break;
            case ')':
            case ']':
            case '}':
                if (awaited.empty() || awaited.back() != c) return std::nullopt;
                awaited.pop_back();
                break;
            case ';':  // occurs in no parameter list and in no attribute
                return std::nullopt;
            default: break;
        }
        if (awaited.empty()) return i + 1;
    }
    return std::nullopt;
}

}  // namespace gemel
