#include "exchange/npy_format.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <string_view>

namespace gemel::npy {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_header = std::size_t{1} << 26;

/// A Python value: text, integer, bool, or a tuple, list or dictionary (alternating keys and values).
struct Literal {
    enum class Kind { text, number, truth, tuple, list, dictionary } kind;
    std::string text;
    std::int64_t number = 0;  ///< also for bools
    std::vector<Literal> items;
};

void append_utf8(std::string& to, std::uint32_t code) {
    const auto rest = [&](int shift) { to += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        to += static_cast<char>(code);
    } else if (code < 0x800) {
        to += static_cast<char>(0xc0 | code >> 6), rest(0);
    } else if (code < 0x10000) {
        to += static_cast<char>(0xe0 | code >> 12), rest(6), rest(0);
    } else {
        to += static_cast<char>(0xf0 | (code >> 18 & 7)), rest(12), rest(6), rest(0);
    }
}

std::string utf8_of_latin1(std::string_view latin1) {
    std::string out;
    for (const char c : latin1) append_utf8(out, static_cast<unsigned char>(c));
    return out;
}

/// Parses the Python literals of headers.
class LiteralParser {
   public:
    explicit LiteralParser(std::string_view text) : text_(text) {}

    Literal parse() {
        Literal value = parse_value(0);
        skip_spaces();
        if (at_ != text_.size() && text_[at_] != '\0') fail("expected nothing after the dictionary");
        return value;
    }

   private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(gemel::text("invalid header: ", what, " at character ", at_));
    }
    void skip_spaces() {
        while (at_ < text_.size() && std::strchr(" \n\t\r\f", text_[at_]) && text_[at_] != '\0') ++at_;
    }
    char peek() {
        skip_spaces();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    Literal parse_value(int depth) {
        if (depth > 32) fail("too deeply nested");
        const char c = peek();
        if (c == '(' || c == '[' || c == '{') return parse_group(c, depth);
        if (c == '\'' || c == '"') return parse_text(c);
        // Python 2 prefixes its strings: u'descr', b'descr'.
        if ((c == 'u' || c == 'b') && at_ + 1 < text_.size() && (text_[at_ + 1] == '\'' || text_[at_ + 1] == '"'))
            return parse_text(text_[++at_]);
        if (take_word("True")) return {Literal::Kind::truth, {}, 1, {}};
        if (take_word("False")) return {Literal::Kind::truth, {}, 0, {}};
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
        if (error != std::errc()) fail("expected a value");
        at_ = static_cast<std::size_t>(end - text_.data());
        if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // long integers of Python 2
        return {Literal::Kind::number, {}, number, {}};
    }

    Literal parse_group(char opening, int depth) {
        const char closing = opening == '(' ? ')' : opening == '[' ? ']' : '}';
        Literal group{opening == '('   ? Literal::Kind::tuple
                      : opening == '[' ? Literal::Kind::list
                                       : Literal::Kind::dictionary,
                      {},
                      0,
                      {}};
        ++at_;
        while (!take(closing)) {
            group.items.push_back(parse_value(depth + 1));
            if (opening == '{') {
                if (!take(':')) fail("expected ':' after a key");
                group.items.push_back(parse_value(depth + 1));
            }
            if (!take(',')) {
                if (!take(closing)) fail(gemel::text("expected '", closing, "'"));
                break;
            }
        }
        return group;
    }

    Literal parse_text(char quote) {
        Literal value{Literal::Kind::text, {}, 0, {}};
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] == '\\')
                parse_escape(value.text);
            else
                value.text += text_[at_];
        }
        if (at_ >= text_.size()) fail("a string does not end");
        ++at_;
        return value;
    }

    /// The character after a backslash; leaves the position at the last character of the sequence.
    void parse_escape(std::string& to) {
        if (++at_ >= text_.size()) fail("a string does not end");
        const char c = text_[at_];
        const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (digits == 0) {
            const char* const known = "\\\\''\"\"n\nr\rt\t";  // pairs of a letter and the character that it denotes
            const char* found = known;
            while (*found && *found != c) found += 2;
            if (!*found) fail("unknown escape sequence");
            to += found[1];
            return;
        }
        std::uint32_t code = 0;
        const char* const first = text_.data() + at_ + 1;
        if (text_.size() - at_ <= digits || std::from_chars(first, first + digits, code, 16).ptr != first + digits)
            fail("an escape sequence is cut off");
        append_utf8(to, code);
        at_ += digits;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::size_t checked_extent(const Literal& value) {
    if (value.kind != Literal::Kind::number || value.number < 0)
        throw Error("invalid 'shape' in the header: expected a tuple of at most 64 integers from 0 up");
    return static_cast<std::size_t>(value.number);
}

Element parse_number(const std::string& descr) {
    const auto refuse = [&](const std::string& why) -> Element {
        throw Error(text("its elements are of NumPy's type '", descr, "', ", why));
    };
    std::size_t at = 0;
    Element element;
    if (!descr.empty() && std::strchr("<>|=", descr[0])) {
        element.swapped = descr[0] == '>';
        at = 1;
    }
    if (at >= descr.size()) return refuse("which gemel does not know");
    const char kind = descr[at];
    std::uint32_t bytes = 0;
    const auto [end, error] = std::from_chars(descr.data() + at + 1, descr.data() + descr.size(), bytes);
    const bool is_whole = error == std::errc() && end == descr.data() + descr.size();
    if (kind == 'O') return refuse("Python objects, which only Python can read; store numbers");
    if (!is_whole) return refuse("for which gemel has no type");
    const auto is = [&](std::initializer_list<std::uint32_t> sizes) {
        return std::find(sizes.begin(), sizes.end(), bytes) != sizes.end();
    };
    element.size_bytes = bytes;
    using Kind = DType::Kind;
    if (kind == 'b' && is({1}))
        element.dtype = DType(Kind::boolean, bytes);
    else if (kind == 'i' && is({1, 2, 4, 8}))
        element.dtype = DType(Kind::signed_integer, bytes);
    else if (kind == 'u' && is({1, 2, 4, 8}))
        element.dtype = DType(Kind::unsigned_integer, bytes);
    else if (kind == 'f' && is({2, 4, 8}))
        element.dtype = DType(Kind::floating, bytes);
    else if (kind == 'c' && is({8, 16}))
        element.dtype = DType(Kind::complex, bytes);
    else if (kind == 'V')
        element.is_padding = true;
    else
        return refuse("for which gemel has no type");
    if (bytes == 1) element.swapped = false;
    return element;
}

Element parse_element(const Literal& descr) {
    if (descr.kind == Literal::Kind::text) return parse_number(descr.text);
    if (descr.kind != Literal::Kind::list)
        throw Error("invalid 'descr' in the header: expected a text or a list of fields");
    Element element;
    element.is_structure = true;
    for (const Literal& item : descr.items) {
        if (item.kind != Literal::Kind::tuple || item.items.size() < 2 || item.items.size() > 3)
            throw Error("invalid 'descr' in the header: a field is a tuple of name, type and possibly shape");
        const Literal& name = item.items[0];
        Element::Field field;
        if (name.kind == Literal::Kind::tuple && name.items.size() == 2)
            field.name = name.items[1].text;  // (title, name)
        else
            field.name = name.text;
        field.element = parse_element(item.items[1]);
        if (item.items.size() == 3) {
            const Literal& shape = item.items[2];
            if (shape.kind == Literal::Kind::tuple) {
                for (const Literal& extent : shape.items)
                    if (__builtin_mul_overflow(field.count, checked_extent(extent), &field.count))
                        throw Error("invalid 'descr' in the header: the shape of a field is too large");
            } else {
                field.count = checked_extent(shape);
            }
        }
        field.offset_bytes = element.size_bytes;
        std::size_t bytes = 0;
        if (__builtin_mul_overflow(field.element.size_bytes, field.count, &bytes) ||
            __builtin_add_overflow(element.size_bytes, bytes, &element.size_bytes) || element.size_bytes > UINT32_MAX)
            throw Error("invalid 'descr' in the header: the struct is too large");
        const bool is_padding = field.element.is_padding && field.name.empty();
        if (!is_padding) element.fields.push_back(std::move(field));
    }
    return element;
}

std::string describe_number(DType dtype) {
    const char kind = dtype.kind() == DType::Kind::boolean            ? 'b'
                      : dtype.kind() == DType::Kind::signed_integer   ? 'i'
                      : dtype.kind() == DType::Kind::unsigned_integer ? 'u'
                      : dtype.kind() == DType::Kind::floating         ? 'f'
                                                                      : 'c';
    return text("'", dtype.size_bytes() == 1 ? '|' : '<', kind, dtype.size_bytes(), "'");
}

}  // namespace

std::size_t header_bytes(std::span<const std::byte> prologue) {
    const std::size_t compared = std::min(prologue.size(), magic.size());
    if (compared == 0 || std::memcmp(prologue.data(), magic.data(), compared) != 0)
        throw Error("it is not an .npy file: it does not begin with \\x93NUMPY");
    if (prologue.size() < prologue_bytes) throw Error("it is cut off within its header");
    const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(prologue[i]); };
    const std::size_t major = byte(6);
    if (major < 1 || major > 3)
        throw Error(text("it is of format version ", major, ".", byte(7), "; expected 1.0 to 3.0"));
    const std::size_t length =
        major == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
    if (length > max_header) throw Error(text("its header claims ", length, " bytes, expected at most ", max_header));
    return (major == 1 ? 10 : 12) + length;
}

Header parse_header(std::span<const std::byte> bytes) {
    Header header;
    header.data_offset = header_bytes(bytes);
    if (header.data_offset > bytes.size()) throw Error(text("its header is cut off after ", bytes.size(), " bytes"));
    const std::size_t begin = std::to_integer<int>(bytes[6]) == 1 ? 10 : 12;
    const std::string_view written(reinterpret_cast<const char*>(bytes.data()) + begin, header.data_offset - begin);
    // Versions 1 and 2 are written in Latin-1, version 3 in UTF-8, as the names of fields are in C++.
    const bool is_latin1 = std::to_integer<int>(bytes[6]) < 3;
    const std::string as_utf8 = is_latin1 ? utf8_of_latin1(written) : std::string(written);
    const Literal dictionary = LiteralParser(as_utf8).parse();
    if (dictionary.kind != Literal::Kind::dictionary) throw Error("invalid header: expected a dictionary");
    std::map<std::string, const Literal*> values;
    for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2)
        values[dictionary.items[i].text] = &dictionary.items[i + 1];
    for (const char* key : {"descr", "fortran_order", "shape"})
        if (!values.count(key)) throw Error(text("invalid header: it lacks '", key, "'"));
    header.element = parse_element(*values["descr"]);
    if (values["fortran_order"]->kind != Literal::Kind::truth)
        throw Error("invalid 'fortran_order' in the header: expected True or False");
    header.fortran_order = values["fortran_order"]->number != 0;
    const Literal& shape = *values["shape"];
    if (shape.kind != Literal::Kind::tuple || shape.items.size() > max_axes)
        throw Error("invalid 'shape' in the header: expected a tuple of at most 64 integers from 0 up");
    for (const Literal& extent : shape.items) header.shape.push_back(static_cast<std::int64_t>(checked_extent(extent)));
    std::size_t total = 0;
    try {
        const bool overflows = __builtin_mul_overflow(header.shape.count(), header.element.size_bytes, &total);
        if (overflows || total > static_cast<std::size_t>(INT64_MAX)) throw ArgumentError("too large");
    } catch (const ArgumentError&) {
        throw Error(text("its header claims the shape ", to_string(header.shape), ", more than 64 bits can count"));
    }
    return header;
}

std::string describe(const Element& element) {
    if (!element.is_structure) {
        if (element.is_padding) return text("'|V", element.size_bytes, "'");
        std::string number = describe_number(element.dtype);
        if (element.swapped) number[1] = '>';
        return number;
    }
    std::vector<std::string> parts;
    for (const Element::Field& field : element.fields)
        parts.push_back(text("('", field.name, "', ", describe(field.element),
                             field.count > 1 ? text(", (", field.count, ",)") : std::string(), ")"));
    return "[" + join(parts) + "]";
}

std::string describe(DType dtype) {
    if (dtype.kind() == DType::Kind::bfloat || dtype.lanes() != 1 || dtype.empty())
        throw ArgumentError(text("save_npy: NumPy has no type for ", dtype.name(),
                                 dtype.kind() == DType::Kind::bfloat ? ": save astype<float>()" : ""));
    const StructLayout* layout = dtype.layout();
    if (!layout) return describe_number(dtype);
    std::vector<std::string> parts;
    std::size_t end = 0;
    const auto pad_to = [&](std::size_t offset) {
        if (offset > end) parts.push_back(text("('', '|V", offset - end, "')"));
    };
    for (const StructField& field : layout->fields) {
        pad_to(field.offset_bytes);
        parts.push_back(text("('", field.name, "', ", describe(field.dtype),
                             field.count > 1 ? text(", (", field.count, ",)") : std::string(), ")"));
        end = field.offset_bytes + field.dtype.size_bytes() * field.count;
    }
    pad_to(layout->size_bytes);
    return "[" + join(parts) + "]";
}

std::string make_header(DType dtype, const Shape& shape, bool fortran_order) {
    return make_header(describe(dtype), shape, fortran_order);
}

std::string make_header(const std::string& described, const Shape& shape, bool fortran_order) {
    std::string dictionary = text("{'descr': ", described, ", 'fortran_order': ", fortran_order ? "True" : "False",
                                  ", 'shape': ", to_string(shape), ", }");
    // Padded with spaces, so that the elements begin at a multiple of 64 bytes.
    // Names beyond ASCII need version 3, which is in UTF-8.
    const bool is_ascii = std::all_of(dictionary.begin(), dictionary.end(), [](char c) { return c >= 0; });
    const bool is_short = is_ascii && dictionary.size() + 75 < 65536;
    const std::size_t begin = is_short ? 10 : 12;
    const std::size_t whole = (begin + dictionary.size() + 1 + 63) / 64 * 64;
    dictionary.resize(whole - begin - 1, ' ');
    dictionary += '\n';
    std::string header(magic);
    header += is_short ? '\x01' : is_ascii ? '\x02' : '\x03';
    header += '\0';
    for (std::size_t i = 0; i < begin - 8; ++i) header += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
    return header + dictionary;
}

}  // namespace gemel::npy
