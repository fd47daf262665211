/// Types of syntax trees, and how declarations spell them.
#include <gemel/codegen/type.hpp>
#include <gemel/codegen/writer.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

#include "syntax_nodes.hpp"

namespace gemel::codegen {

namespace {

/// A value's type in the words of C, so that the text needs no prelude to be read.
std::string value_name(const Type& type, const Dialect& dialect) {
    if (type.dtype.empty()) return type.name;
    const DType& dtype = type.dtype;
    if (dtype.kind() == DType::Kind::boolean) return type.is_pointer ? dialect.bool_storage : "bool";
    if (!dtype.is_integer() || dtype.lanes() > 1) return dtype.name();
    const bool is_signed = dtype.kind() == DType::Kind::signed_integer;
    switch (dtype.size_bytes()) {
        case 1: return is_signed ? "signed char" : "unsigned char";
        case 2: return is_signed ? "short" : "unsigned short";
        case 4: return is_signed ? "int" : "unsigned int";
        default: return is_signed ? dialect.int64_type : dialect.uint64_type;
    }
}

const std::string& space_word(Space space, const Dialect& dialect) {
    static const std::string none;
    switch (space) {
        case Space::global: return dialect.global_space;
        case Space::shared: return dialect.shared_pointer;
        case Space::constant: return dialect.constant_pointer;
        case Space::thread: return none;
    }
    return none;
}

}  // namespace

void check_word(const std::string& name, const std::string& what) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto is_fine = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
    if (name.empty() || !is_letter(name.front()) || !std::all_of(name.begin(), name.end(), is_fine))
        throw ArgumentError(text("'", name, "' cannot be the name of ", what, ": letters, digits and '_' can"));
}

const char* keyword_language(std::string_view word) {
    static constexpr std::string_view c[] = {
        "auto",  "bool",     "break",  "case",    "char",     "const",  "continue", "default", "do",     "double",
        "else",  "enum",     "extern", "false",   "float",    "for",    "goto",     "if",      "inline", "int",
        "long",  "register", "return", "short",   "signed",   "sizeof", "static",   "struct",  "switch", "true",
        "union", "unsigned", "void",   "typedef", "volatile", "while",  "restrict", "_Bool"};
    static constexpr std::string_view opencl[] = {
        "kernel",       "global",        "local",     "constant",   "private",    "generic",
        "half",         "__kernel",      "__global",  "__local",    "__constant", "__private",
        "__generic",    "__attribute__", "read_only", "write_only", "read_write", "__read_only",
        "__write_only", "__read_write",  "vec_step",  "uniform",    "pipe"};
    static constexpr std::string_view cuda[] = {"alignas",      "alignof",
                                                "and",          "and_eq",
                                                "asm",          "bitand",
                                                "bitor",        "catch",
                                                "class",        "compl",
                                                "concept",      "const_cast",
                                                "consteval",    "constexpr",
                                                "constinit",    "decltype",
                                                "delete",       "dynamic_cast",
                                                "explicit",     "export",
                                                "friend",       "mutable",
                                                "namespace",    "new",
                                                "noexcept",     "not",
                                                "not_eq",       "nullptr",
                                                "operator",     "or",
                                                "or_eq",        "protected",
                                                "public",       "reinterpret_cast",
                                                "requires",     "static_assert",
                                                "static_cast",  "template",
                                                "this",         "thread_local",
                                                "throw",        "try",
                                                "typeid",       "typename",
                                                "using",        "virtual",
                                                "wchar_t",      "char8_t",
                                                "char16_t",     "char32_t",
                                                "xor",          "xor_eq",
                                                "__global__",   "__device__",
                                                "__host__",     "__shared__",
                                                "__constant__", "__managed__",
                                                "__restrict__", "__launch_bounds__"};
    const auto has = [&](const auto& words) {
        return std::find(std::begin(words), std::end(words), word) != std::end(words);
    };
    return has(c) ? "C" : has(opencl) ? "OpenCL C" : has(cuda) ? "CUDA C++" : nullptr;
}

void check_identifier(const std::string& name, const std::string& what) {
    check_word(name, what);
    const char* language = keyword_language(name);
    if (language)
        throw ArgumentError(text("'", name, "' cannot be the name of ", what, ": it is a keyword of ", language));
}

std::string fill_pattern(const std::string& pattern, const std::string& at, const std::string& hash) {
    std::string out;
    for (const char c : pattern) {
        if (c == '@') {
            out += at;
        } else if (c == '#') {
            out += hash;
        } else {
            out += c;
        }
    }
    return out;
}

Type named_type(const std::string& name) {
    if (name.empty()) throw ArgumentError("named_type: a type needs a name");
    Type type;
    type.name = name;
    return type;
}

Type void_type() { return named_type("void"); }

Type constant(Type type) {
    type.is_const = true;
    return type;
}

Type pointer(Type type, Space space) {
    if (type.empty()) throw ArgumentError("a pointer needs to know what it points to");
    if (type.is_pointer) throw ArgumentError("pointers to pointers have no counterpart on all devices");
    type.is_pointer = true;
    type.space = space;
    return type;
}

Type restricted(Type type) {
    if (!type.is_pointer) throw ArgumentError("restricted: only a pointer can be");
    type.is_restrict = true;
    return type;
}

std::string declaration(const Type& type, const std::string& name, const Dialect& dialect) {
    if (type.empty()) throw ArgumentError(text("the type of '", name, "' is not known"));
    std::string out;
    const auto add = [&](const std::string& word) {
        if (!word.empty()) out += (out.empty() || out.ends_with('*') ? "" : " ") + word;
    };
    if (type.is_pointer) add(space_word(type.space, dialect));
    if (type.is_const) add("const");
    add(value_name(type, dialect));
    if (type.is_pointer) {
        add("*");
        if (type.is_restrict) add(dialect.restrict_word);
    }
    if (!name.empty()) out += (out.ends_with('*') ? "" : " ") + name;
    return out;
}

}  // namespace gemel::codegen
