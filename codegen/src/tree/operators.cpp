#include "tree/operators.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel::codegen {

namespace {

using Node = ExpressionNode;

constexpr DType int32{DType::Kind::signed_integer, 4};
constexpr DType int64{DType::Kind::signed_integer, 8};

/// The kinds of types that operators distinguish.
enum class Sort { unknown, integer, real, stored, complex, structure, vector, pointer };

Sort sort_of(const Type& type) {
    if (type.is_pointer) return Sort::pointer;
    const DType& dtype = type.dtype;
    if (dtype.empty()) return Sort::unknown;
    if (dtype.layout()) return Sort::structure;
    if (dtype.lanes() > 1) return Sort::vector;
    if (dtype.kind() == DType::Kind::complex) return Sort::complex;
    if (!dtype.is_floating()) return Sort::integer;
    return dtype.size_bytes() == 2 ? Sort::stored : Sort::real;
}

bool is_number(Sort sort) { return sort == Sort::integer || sort == Sort::real; }
bool is_unknown(Sort sort) { return sort == Sort::unknown; }
bool may_be_integer(Sort sort) { return sort == Sort::integer || sort == Sort::unknown; }
/// Does this kind have operators?
bool has_operators(Sort sort) { return sort == Sort::unknown || sort == Sort::pointer || is_number(sort); }

std::string shown(const Type& type) {
    const std::string name = type.dtype.empty() ? type.name.empty() ? "an unknown type" : type.name : type.dtype.name();
    return type.is_pointer ? name + " *" : name;
}

/// What to write instead for types without operators.
const char* instead(Sort sort) {
    switch (sort) {
        case Sort::stored: return "16-bit floats only hold values: load() converts to float, store() back";
        case Sort::complex: return "complex numbers have functions: call(\"c_add\", a, b), c_mul, c_neg ...";
        case Sort::structure: return "a struct has no operators, only members";
        case Sort::vector: return "only OpenCL C has operators for vectors: use the members";
        default: return "";
    }
}

[[noreturn]] void refuse(const std::string& op, const std::string& types, const std::string& why) {
    throw ArgumentError(text("operator ", op, " of ", types, ": ", why));
}

[[noreturn]] void refuse(const std::string& op, const Type& a, const Type& b, const std::string& why) {
    refuse(op, text(shown(a), " and ", shown(b)), why);
}

/// The type to which C promotes a small integer.
DType promoted(DType dtype) {
    const bool is_small = dtype.kind() == DType::Kind::boolean || (dtype.is_integer() && dtype.size_bytes() < 4);
    return is_small ? int32 : dtype;
}

/// The type of the sum of two numbers.
DType common(DType a, DType b) {
    const DType x = promoted(a), y = promoted(b);
    if (x == y) return x;
    if (x.is_floating() && y.is_floating()) return x.size_bytes() > y.size_bytes() ? x : y;
    if (x.is_floating() || y.is_floating()) return x.is_floating() ? x : y;
    if (x.size_bytes() != y.size_bytes()) return x.size_bytes() > y.size_bytes() ? x : y;
    return x.kind() == DType::Kind::unsigned_integer ? x : y;
}

bool is_null(const Expression& e) {
    return e.node().kind == Node::Kind::literal && e.type().dtype.is_integer() && e.node().integer == 0;
}

bool may_point_alike(const Type& a, const Type& b) {
    if (a.dtype.empty() || b.dtype.empty()) return a.name.empty() || b.name.empty() || a.name == b.name;
    return a.dtype == b.dtype;
}

/// A binary operator with at least one pointer.
Type pointer_type(const std::string& op, const Expression& a, const Expression& b) {
    const Type &x = a.type(), &y = b.type();
    const Sort s = sort_of(x), t = sort_of(y);
    const Node::Precedence level = precedence_of(op);
    if (level == Node::logical_and || level == Node::logical_or) return int32;
    if (op == "+" || op == "-") {
        if (op == "-" && t == Sort::pointer && s == Sort::pointer && may_point_alike(x, y)) return int64;
        if (s == Sort::pointer && (t == Sort::integer || (op == "+" && is_unknown(t)))) return x;
        if (op == "+" && may_be_integer(s)) return y;
        if (op == "-" && (is_unknown(s) || is_unknown(t))) return {};
        refuse(op, x, y,
               op == "+" ? "a pointer takes an integer"
                         : "a pointer takes an integer, or another pointer to the same type");
    }
    if (level == Node::relation || level == Node::equality) {
        const bool is_none = level == Node::equality && (is_null(a) || is_null(b));
        if (is_none || is_unknown(s) || is_unknown(t)) return int32;
        if (s == t && may_point_alike(x, y)) return int32;
        refuse(op, x, y, "a pointer is compared with another to the same type, or is == 0");
    }
    refuse(op, x, y, "this operator does not take pointers");
}

bool assignable(const Type& to, const Expression& value) {
    const Type& from = value.type();
    const Sort s = sort_of(to), t = sort_of(from);
    if (s == Sort::pointer && may_be_row(value)) return may_point_alike(to, from);
    if (t == Sort::pointer && to.dtype.kind() == DType::Kind::boolean) return true;
    if (is_unknown(s) || is_unknown(t) || (is_number(s) && is_number(t))) return true;
    if (s == Sort::pointer && is_null(value)) return true;
    if (s != t) return false;
    return s == Sort::pointer ? may_point_alike(to, from) : to.dtype == from.dtype;
}

/// Checks that the surroundings of a place are not constant: the pointer's elements, the struct around a member, the
/// array around a row.
void check_surroundings(const std::string& what, const Expression& place) {
    const Node& node = place.node();
    const bool is_of_struct = node.kind == Node::Kind::member && node.text.front() == '.';
    const bool is_element = node.kind == Node::Kind::index || (node.kind == Node::Kind::unary && node.text == "*");
    if (!is_element && node.kind != Node::Kind::member) return;
    const Expression& base = node.operands[0];
    const Type& type = base.type();
    if (type.is_pointer && (type.is_const || type.space == Space::constant))
        throw ArgumentError(text(what, ": cannot write through a pointer to const ",
                                 type.dtype.empty() ? type.name : type.dtype.name()));
    if (is_of_struct && base.node().kind == Node::Kind::name && type.is_const)
        throw ArgumentError(text(what, ": '", base.node().text, "' is constant"));
    const bool is_array = base.node().kind == Node::Kind::member && type.is_pointer;
    const bool is_row = base.node().kind == Node::Kind::index && !type.is_pointer && !type.dtype.empty();
    if (is_of_struct || (is_element && (is_array || is_row))) check_surroundings(what, base);
}

}  // namespace

bool may_be_row(const Expression& e) { return e.node().may_be_row; }

Type pointee(const Type& type) {
    if (!type.is_pointer) return {};
    Type result = type;
    result.is_pointer = result.is_restrict = result.is_const = false;
    result.space = Space::thread;
    return result;
}

Type binary_type(const std::string& op, const Expression& a, const Expression& b) {
    const Type &x = a.type(), &y = b.type();
    const Sort s = sort_of(x), t = sort_of(y);
    if (!has_operators(s) && !may_be_row(a)) refuse(op, x, y, instead(s));
    if (!has_operators(t) && !may_be_row(b)) refuse(op, x, y, instead(t));
    if (!has_operators(s) || !has_operators(t)) return {};
    if (s == Sort::pointer || t == Sort::pointer) return pointer_type(op, a, b);
    const Node::Precedence level = precedence_of(op);
    const bool is_shift = level == Node::shift;
    const bool is_bitwise = op == "&" || op == "|" || op == "^";
    if ((is_shift || is_bitwise || op == "%") && !(may_be_integer(s) && may_be_integer(t)))
        refuse(
            op, x, y,
            op == "%" ? "only integers have a remainder; call(\"fmod\", a, b)" : "only integers have bits; cast one");
    if (!is_shift && !is_bitwise && level < Node::shift) return int32;
    if (is_unknown(s) || (is_unknown(t) && !is_shift)) return {};
    return is_shift ? promoted(x.dtype) : common(x.dtype, y.dtype);
}

Type unary_type(const std::string& op, const Expression& a) {
    const Type& type = a.type();
    const Sort sort = sort_of(type);
    if (op == "*") {
        if (may_be_row(a)) return type;
        if (sort != Sort::pointer && !is_unknown(sort)) refuse(op, shown(type), "expected a pointer");
        return pointee(type);
    }
    if (!has_operators(sort)) refuse(op, shown(type), instead(sort));
    if (op == "!") return int32;
    if (sort == Sort::pointer) refuse(op, shown(type), "this operator does not take pointers");
    if (op == "~" && sort == Sort::real) refuse(op, shown(type), "only integers have bits; cast it");
    return is_unknown(sort) ? Type() : Type(promoted(type.dtype));
}

Type select_type(const Expression& condition, const Expression& a, const Expression& b) {
    check_condition("select", condition);
    const Type &x = a.type(), &y = b.type();
    const Sort s = sort_of(x), t = sort_of(y);
    if (is_number(s) && is_number(t)) return common(x.dtype, y.dtype);
    if (s == Sort::pointer && (assignable(x, b) || is_unknown(t))) return x;
    if (t == Sort::pointer && (assignable(y, a) || is_unknown(s))) return y;
    if (is_unknown(s) || is_unknown(t)) return {};
    if (s != t || !(x.dtype == y.dtype)) refuse("?:", x, y, "expected two values of the same type, or two numbers");
    return x;
}

Type element_type(const Expression& base, const Expression& index) {
    const Sort sort = sort_of(base.type());
    if (sort != Sort::pointer && !is_unknown(sort) && !may_be_row(base))
        refuse("[]", shown(base.type()), "it has no elements; an array is a pointer(type, space)");
    if (!may_be_integer(sort_of(index.type()))) refuse("[]", base.type(), index.type(), "an index is an integer");
    return pointee(base.type());
}

void check_cast(const Type& to, const Expression& value) {
    const Type& from = value.type();
    const Sort s = sort_of(to), t = sort_of(from);
    const bool keeps_pointer = to.dtype.size_bytes() == 8 || to.dtype.kind() == DType::Kind::boolean;
    if (t == Sort::pointer && (s == Sort::pointer || (s == Sort::integer && keeps_pointer))) return;
    if ((s == Sort::pointer && t == Sort::integer) || assignable(to, value)) return;
    throw ArgumentError(text("cast of ", shown(from), " to ", shown(to), ": ",
                             !has_operators(t)   ? instead(t)
                             : !has_operators(s) ? instead(s)
                                                 : "a pointer fits only into an integer of 64 bits"));
}

void check_assigned(const std::string& what, const Type& to, const Expression& value) {
    if (assignable(to, value)) return;
    const Sort s = sort_of(to), t = sort_of(value.type());
    const char* const why = s == Sort::stored || t == Sort::stored     ? instead(Sort::stored)
                            : s == Sort::complex || t == Sort::complex ? "only the same type of complex numbers fits; "
                                                                         "call(\"cfloat_new\", re, im)"
                                                                       : "expected a value of the same type";
    throw ArgumentError(text(what, ": ", shown(value.type()), " cannot become ", shown(to), "; ", why));
}

void check_compound(const std::string& op, const Expression& place, const Expression& value) {
    const Type& to = place.type();
    const Type result = binary_type(op.substr(0, op.size() - 1), place, value);
    if (is_unknown(sort_of(result)) || to.is_pointer == result.is_pointer) return;
    if (!is_unknown(sort_of(to))) refuse(op, to, value.type(), text("the result is ", shown(result)));
}

void check_step(const std::string& op, const Expression& place) {
    const Sort sort = sort_of(place.type());
    if (!has_operators(sort)) refuse(op, shown(place.type()), instead(sort));
    if (place.type().dtype.kind() == DType::Kind::boolean && sort != Sort::pointer)
        refuse(op, shown(place.type()), "expected a number, found a truth value");
}

void check_place(const std::string& what, const Expression& place) {
    const Node& node = place.node();
    switch (node.kind) {
        case Node::Kind::literal:
            throw ArgumentError(text(what, ": a literal cannot be assigned to and has no address"));
        case Node::Kind::unary:
            if (node.text == "*") return;
            [[fallthrough]];
        case Node::Kind::binary:
        case Node::Kind::conditional:
            throw ArgumentError(text(
                what, ": the result of an operator cannot be assigned to and has no address; declare() a variable"));
        case Node::Kind::cast:
        case Node::Kind::vector:
        case Node::Kind::position:
            throw ArgumentError(text(what, ": a value cannot be assigned to and has no address; declare() a variable"));
        case Node::Kind::member:
            if (node.text.front() == '.') check_place(what, node.operands[0]);
            return;
        default: return;  // names, elements, and calls and text that may be macros
    }
}

void check_changed(const std::string& what, const Expression& place) {
    check_place(what, place);
    const Node& node = place.node();
    const bool is_member = node.kind == Node::Kind::member;
    if (node.kind == Node::Kind::name && node.type.is_const && !node.type.is_pointer)
        throw ArgumentError(text(what, ": '", node.text, "' is constant"));
    if (is_member && node.type.is_pointer)
        throw ArgumentError(text(what, ": the member '", node.text.substr(1 + (node.text.front() == '-')),
                                 "' is an array; assign to its elements"));
    check_surroundings(what, place);
}

void check_condition(const std::string& what, const Expression& condition) {
    const Sort sort = sort_of(condition.type());
    if (!has_operators(sort))
        throw ArgumentError(text(what, ": the condition is ", shown(condition.type()), "; ", instead(sort)));
}

}  // namespace gemel::codegen
