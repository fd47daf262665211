/// Names of element types: DType::name and parse_type.
#include <gemel/core/dtype.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <utility>

namespace gemel {

namespace {

using Kind = DType::Kind;

struct Named {
    std::string_view name;
    DType dtype;
};

/// Scalar types with names of one word. `long` has 64 bits on all devices, and on supported hosts.
constexpr Named scalars[] = {
    {"bool", {Kind::boolean, 1}},
    {"char", {Kind::signed_integer, 1}},
    {"uchar", {Kind::unsigned_integer, 1}},
    {"short", {Kind::signed_integer, 2}},
    {"ushort", {Kind::unsigned_integer, 2}},
    {"int", {Kind::signed_integer, 4}},
    {"uint", {Kind::unsigned_integer, 4}},
    {"long", {Kind::signed_integer, 8}},
    {"ulong", {Kind::unsigned_integer, 8}},
    {"longlong", {Kind::signed_integer, 8}},
    {"ulonglong", {Kind::unsigned_integer, 8}},
    {"float", {Kind::floating, 4}},
    {"double", {Kind::floating, 8}},
    // The types before this one may be followed by a number of lanes.
    {"half", {Kind::floating, 2}},
    {"__half", {Kind::floating, 2}},
    {"float16_t", {Kind::floating, 2}},
    {"bfloat16_t", {Kind::bfloat, 2}},
    {"bfloat16", {Kind::bfloat, 2}},
    {"__nv_bfloat16", {Kind::bfloat, 2}},
    {"nv_bfloat16", {Kind::bfloat, 2}},
    {"int8_t", {Kind::signed_integer, 1}},
    {"uint8_t", {Kind::unsigned_integer, 1}},
    {"int16_t", {Kind::signed_integer, 2}},
    {"uint16_t", {Kind::unsigned_integer, 2}},
    {"int32_t", {Kind::signed_integer, 4}},
    {"uint32_t", {Kind::unsigned_integer, 4}},
    {"int64_t", {Kind::signed_integer, 8}},
    {"uint64_t", {Kind::unsigned_integer, 8}},
    {"size_t", {Kind::unsigned_integer, 8}},
    {"ptrdiff_t", {Kind::signed_integer, 8}},
    {"intptr_t", {Kind::signed_integer, 8}},
    {"uintptr_t", {Kind::unsigned_integer, 8}},
    {"cfloat", {Kind::complex, 8}},
    {"cdouble", {Kind::complex, 16}},
    {"cuComplex", {Kind::complex, 8}},
    {"cuFloatComplex", {Kind::complex, 8}},
    {"cuDoubleComplex", {Kind::complex, 16}},
    {"complex<float>", {Kind::complex, 8}},
    {"complex<double>", {Kind::complex, 16}},
};
constexpr std::size_t vector_bases = 13;

DType scalar(std::string_view name, std::size_t count = std::size(scalars)) {
    for (std::size_t i = 0; i < count; ++i)
        if (scalars[i].name == name) return scalars[i].dtype;
    return {};
}

DType one_word(std::string_view name) {
    if (const DType found = scalar(name); !found.empty()) return found;
    const std::size_t digits = name.ends_with("16") ? 2 : 1;
    if (name.size() <= digits) return {};
    const std::string_view base = name.substr(0, name.size() - digits), count = name.substr(name.size() - digits);
    const std::uint8_t lanes = count == "16"  ? 16
                               : count == "2" ? 2
                               : count == "3" ? 3
                               : count == "4" ? 4
                               : count == "8" ? 8
                                              : 0;
    if (lanes == 0) return {};
    const DType element = scalar(base, vector_bases);
    if (element.empty() || element.kind() == Kind::boolean) return {};
    return {element.kind(), element.size_bytes() * (lanes == 3 ? 4u : lanes), lanes};
}

std::vector<std::string_view> split_words(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t begin = text.find_first_not_of(blanks);
        if (begin == std::string_view::npos) return words;
        const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        text.remove_prefix(end);
    }
}

/// "unsigned long long int" with its words in any order.
DType several_words(const std::vector<std::string_view>& words) {
    int is_unsigned = 0, is_signed = 0, longs = 0, shorts = 0, ints = 0, chars = 0;
    for (const std::string_view word : words) {
        if (word == "unsigned") {
            ++is_unsigned;
        } else if (word == "signed") {
            ++is_signed;
        } else if (word == "long") {
            ++longs;
        } else if (word == "short") {
            ++shorts;
        } else if (word == "int") {
            ++ints;
        } else if (word == "char") {
            ++chars;
        } else {
            return {};
        }
    }
    const bool contradictory = is_unsigned + is_signed > 1 || longs > 2 || shorts > 1 || ints > 1 || chars > 1 ||
                               (longs > 0) + (shorts > 0) + (chars > 0) > 1 || (chars > 0 && ints > 0);
    if (contradictory) return {};
    return {is_unsigned ? Kind::unsigned_integer : Kind::signed_integer, chars ? 1u : shorts ? 2u : longs ? 8u : 4u};
}

/// "float", "uchar": the base names of vector types, and the names of floating scalars.
std::string vector_base(Kind kind, std::uint32_t size_bytes) {
    for (std::size_t i = 0; i < vector_bases; ++i)
        if (scalars[i].dtype == DType(kind, size_bytes)) return std::string(scalars[i].name);
    return {};
}

}  // namespace

std::string DType::name() const {
    if (lanes_ > 1) {
        const std::string base = vector_base(kind_, lane().size_bytes());
        return base.empty() ? text("(", int(lanes_), " lanes in ", size_bytes_, " bytes)")
                            : base + std::to_string(int(lanes_));
    }
    const std::string bits = std::to_string(8 * size_bytes_);
    switch (kind_) {
        case Kind::none: return "(no type)";
        case Kind::boolean: return "bool";
        case Kind::signed_integer: return "int" + bits + "_t";
        case Kind::unsigned_integer: return "uint" + bits + "_t";
        case Kind::floating: return size_bytes_ == 2 ? "float16_t" : size_bytes_ == 4 ? "float" : "double";
        case Kind::bfloat: return "bfloat16_t";
        case Kind::complex: return size_bytes_ == 8 ? "cfloat" : "cdouble";
        case Kind::structure: return layout_ ? layout_->name : text("(a struct of ", size_bytes_, " bytes)");
    }
    return "(no type)";
}

DType parse_type(std::string_view type) {
    std::vector<std::string_view> words = split_words(type);
    std::erase_if(words, [](std::string_view word) { return word == "const" || word == "volatile"; });
    if (words.size() != 1) return words.empty() ? DType() : several_words(words);
    std::string_view word = words.front();
    for (const std::string_view scope : {"::", "cuda::", "std::", "thrust::"})
        if (word.starts_with(scope)) word.remove_prefix(scope.size());
    if (const DType found = one_word(word); !found.empty()) return found;
    return several_words(words);
}

}  // namespace gemel
