/// Types of syntax trees, and their declarations.
#include <gemel/codegen/type.hpp>

#include <gemel/codegen/identifier.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "tree/syntax_nodes.hpp"

namespace gemel::codegen {

namespace {

/// The name of a value's type in C, so that the text needs no prelude.
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
    if (!is_identifier(name))
        throw ArgumentError(text("'", name, "' cannot be the name of ", what, "; expected letters, digits and '_'"));
}

void check_identifier(const std::string& name, const std::string& what) {
    check_word(name, what);
    if (const std::string why = why_no_name(name); !why.empty())
        throw ArgumentError(text("'", name, "' cannot be the name of ", what, ": it ", why));
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
    if (name.empty()) throw ArgumentError("named_type: expected a name, got an empty string");
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
    if (type.empty()) throw ArgumentError("pointer: expected a type to point to, got none");
    if (type.is_pointer)
        throw ArgumentError("pointer: not all devices have pointers to pointers; use an index into an array");
    type.is_pointer = true;
    type.space = space;
    return type;
}

Type restricted(Type type) {
    if (!type.is_pointer) throw ArgumentError("restricted: expected a pointer; pointer(type, space) makes one");
    type.is_restrict = true;
    return type;
}

std::string declaration(const Type& type, const std::string& name, const Dialect& dialect) {
    if (type.empty()) throw ArgumentError(text("declaration: the type of '", name, "' is unknown; give one"));
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
