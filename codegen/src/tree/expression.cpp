/// Builds expressions.
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "tree/operators.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace gemel::codegen {

namespace {

using Node = ExpressionNode;
using Kind = ExpressionNode::Kind;

/// The value of may_be_row().
bool finds_row(const Node& node) {
    if (node.kind == Kind::binary && (node.text == "+" || node.text == "-") && !node.type.is_pointer)
        return may_be_row(node.operands[0]) || may_be_row(node.operands[1]);
    if (node.kind != Kind::index) return false;
    const Type& base = node.operands[0].type();
    return !base.is_pointer || base.space != Space::global;
}

Expression make(Node node) {
    for (const Expression& operand : node.operands) node.depth = std::max(node.depth, operand.node().depth + 1);
    if (node.kind == Kind::binary && continues_chain(node))
        node.depth = std::max(node.operands[0].node().depth, node.operands[1].node().depth + 1);
    if (node.depth > deepest_tree)
        throw ArgumentError(
            text("Expression: nested deeper than ", deepest_tree, " levels; declare() a variable for a part of it"));
    node.may_be_row = finds_row(node);
    return Expression(std::make_shared<const Node>(std::move(node)));
}

constexpr DType int32{DType::Kind::signed_integer, 4};
constexpr DType int64{DType::Kind::signed_integer, 8};

Expression binary(const char* name, const Expression& a, const Expression& b) {
    return make({.kind = Kind::binary, .text = name, .type = binary_type(name, a, b), .operands = {a, b}});
}

Expression unary(const char* name, const Expression& a) {
    return make({.kind = Kind::unary, .text = name, .type = unary_type(name, a), .operands = {a}});
}

/// "x" to "w" for up to four lanes, "s0" to "sf" for more.
static bool is_lane_name(const std::string& name, std::size_t lanes) {
    const auto at = std::string_view("xyzw").find(name);
    if (lanes <= 4) return name.size() == 1 && at < lanes;
    return name.size() == 2 && name[0] == 's' && std::string_view("0123456789abcdef").find(name[1]) < lanes;
}

Type member_type(const Type& type, const std::string& name) {
    if (type.is_pointer)
        throw ArgumentError(text("member: a pointer has no member '", name, "'; use arrow(\"", name, "\")"));
    const DType& dtype = type.dtype;
    if (dtype.empty()) return {};
    if (const StructLayout* layout = dtype.layout()) {
        std::vector<std::string> known;
        for (const StructField& field : layout->fields) {
            if (field.name == name) return field.count == 1 ? Type(field.dtype) : pointer(field.dtype, Space::thread);
            known.push_back(field.name);
        }
        throw ArgumentError(text("member: struct ", layout->name, " has no member '", name, "'; it has ", join(known)));
    }
    if (dtype.lanes() > 1 && is_lane_name(name, dtype.lanes())) return dtype.lane();
    if (dtype.kind() == DType::Kind::complex && (name == "re" || name == "im"))
        return DType(DType::Kind::floating, dtype.size_bytes() / 2);
    if (dtype.is_16_bit_float() && name == "bits") return dtype_of<std::uint16_t>();
    throw ArgumentError(text("member: ", dtype.name(), " has no member '", name, "'"));
}

Expression position(const char* name, int axis, const Type& type) {
    if (axis < 0 || axis > 2) throw ArgumentError(text(name, ": expected axis 0, 1 or 2, got ", axis));
    return make({.kind = Kind::position, .text = name, .type = type, .axis = axis});
}

Expression atomic(const char* name, const Expression& pointer, std::vector<Expression> operands) {
    if (!pointer.type().is_pointer && !pointer.type().empty() && !may_be_row(pointer))
        throw ArgumentError(text(name, ": expected a pointer; address(x[i]) is one"));
    for (const Expression& value : operands) check_assigned(name, pointee(pointer.type()), value);
    operands.insert(operands.begin(), pointer);
    return call_with(name, std::move(operands), pointee(pointer.type()));
}

[[noreturn]] void refuse(DType dtype, const std::string& value) {
    throw ArgumentError(text("literal: ", dtype.name(), " cannot hold ", value));
}

/// The nearest number of a floating-point type, which may be infinite.
double rounded(DType dtype, double value) {
    const std::uint32_t bytes = dtype.kind() == DType::Kind::complex ? dtype.size_bytes() / 2 : dtype.size_bytes();
    if (dtype.kind() == DType::Kind::bfloat) return static_cast<float>(bfloat16(static_cast<float>(value)));
    if (bytes == 2) return static_cast<float>(half(static_cast<float>(value)));
    return bytes == 4 ? static_cast<float>(value) : value;
}

/// The node of a scalar literal that is not an integer.
Node real_literal(DType dtype, double value) {
    switch (dtype.kind()) {
        case DType::Kind::floating:
        case DType::Kind::bfloat:
        case DType::Kind::complex:
            if (dtype.lanes() == 1 && std::isfinite(value) && !std::isfinite(rounded(dtype, value)))
                refuse(dtype, text(value));
            if (dtype.lanes() == 1) return {.kind = Kind::literal, .type = dtype, .real = value};
            [[fallthrough]];
        default: throw ArgumentError(text("literal: expected a type of numbers, got ", dtype.name()));
    }
}

/// The node of an integer literal in a floating-point type, which must represent it exactly.
template <class T>
Node exact_literal(DType dtype, T value) {
    Node node = real_literal(dtype, static_cast<double>(value));
    const double held = rounded(dtype, static_cast<double>(value));
    if (held >= 0x1p64 || (std::is_signed_v<T> && held >= 0x1p63) || static_cast<T>(held) != value) {
        char digits[48];
        const char* const end = std::to_chars(digits, digits + sizeof digits, held, std::chars_format::fixed, 0).ptr;
        refuse(dtype, text(value, " exactly; the nearest is ",
                           std::string_view(digits, static_cast<std::size_t>(end - digits))));
    }
    return node;
}

}  // namespace

Operands::~Operands() {
    static thread_local std::vector<Expression>* waiting = nullptr;
    if (waiting) {
        for (Expression& operand : *this) waiting->push_back(std::move(operand));
        return;
    }
    if (empty()) return;
    std::vector<Expression> all;
    all.swap(*this);
    waiting = &all;
    while (!all.empty()) {
        const Expression last = std::move(all.back());
        all.pop_back();
    }
    waiting = nullptr;
}

std::shared_ptr<const ExpressionNode> Expression::make_literal(DType dtype, const void* value) {
    Node node{.kind = Kind::literal, .type = dtype};
    const auto read = [&](auto number) {
        std::memcpy(&number, value, sizeof number);
        return number;
    };
    switch (dtype.kind()) {
        case DType::Kind::boolean: node.integer = read(bool{}); break;
        case DType::Kind::signed_integer:
            node.integer = dtype.size_bytes() == 1   ? read(std::int8_t{})
                           : dtype.size_bytes() == 2 ? read(std::int16_t{})
                           : dtype.size_bytes() == 4 ? read(std::int32_t{})
                                                     : read(std::int64_t{});
            break;
        case DType::Kind::unsigned_integer:
            node.integer = dtype.size_bytes() == 1   ? read(std::uint8_t{})
                           : dtype.size_bytes() == 2 ? read(std::uint16_t{})
                           : dtype.size_bytes() == 4 ? static_cast<std::int64_t>(read(std::uint32_t{}))
                                                     : static_cast<std::int64_t>(read(std::uint64_t{}));
            break;
        case DType::Kind::floating:
            node.real = dtype.size_bytes() == 2   ? static_cast<float>(read(half{}))
                        : dtype.size_bytes() == 4 ? read(float{})
                                                  : read(double{});
            break;
        case DType::Kind::bfloat: node.real = static_cast<float>(read(bfloat16{})); break;
        default:
            if (dtype.size_bytes() == 8) {
                const auto z = read(std::complex<float>{});
                node.real = z.real();
                node.imaginary = z.imag();
            } else {
                const auto z = read(std::complex<double>{});
                node.real = z.real();
                node.imaginary = z.imag();
            }
    }
    return std::make_shared<const Node>(std::move(node));
}

ExpressionNode::Precedence precedence_of(std::string_view op) {
    if (op == "*" || op == "/" || op == "%") return Node::product;
    if (op == "+" || op == "-") return Node::sum;
    if (op == "<<" || op == ">>") return Node::shift;
    if (op == "<" || op == ">" || op == "<=" || op == ">=") return Node::relation;
    if (op == "==" || op == "!=") return Node::equality;
    if (op == "&") return Node::bitwise_and;
    if (op == "^") return Node::bitwise_xor;
    if (op == "|") return Node::bitwise_or;
    return op == "&&" ? Node::logical_and : Node::logical_or;
}

const Type& Expression::type() const { return node_->type; }

Expression Expression::operator[](const Expression& index) const {
    return make({.kind = Kind::index, .type = element_type(*this, index), .operands = {*this, index}});
}
Expression Expression::member(const std::string& name) const {
    check_word(name, "a member");
    return make({.kind = Kind::member, .text = "." + name, .type = member_type(type(), name), .operands = {*this}});
}
Expression Expression::arrow(const std::string& name) const {
    check_word(name, "a member");
    if (!type().is_pointer && !type().empty())
        throw ArgumentError(text("arrow(\"", name, "\"): expected a pointer; use member() for a value"));
    return make(
        {.kind = Kind::member, .text = "->" + name, .type = member_type(pointee(type()), name), .operands = {*this}});
}
Expression Expression::operator*() const { return unary("*", *this); }
Expression Expression::operator-() const { return unary("-", *this); }
Expression Expression::operator+() const { return unary("+", *this); }
Expression Expression::operator!() const { return unary("!", *this); }
Expression Expression::operator~() const { return unary("~", *this); }

Expression operator+(const Expression& a, const Expression& b) { return binary("+", a, b); }
Expression operator-(const Expression& a, const Expression& b) { return binary("-", a, b); }
Expression operator*(const Expression& a, const Expression& b) { return binary("*", a, b); }
Expression operator/(const Expression& a, const Expression& b) { return binary("/", a, b); }
Expression operator%(const Expression& a, const Expression& b) { return binary("%", a, b); }
Expression operator<<(const Expression& a, const Expression& b) { return binary("<<", a, b); }
Expression operator>>(const Expression& a, const Expression& b) { return binary(">>", a, b); }
Expression operator&(const Expression& a, const Expression& b) { return binary("&", a, b); }
Expression operator|(const Expression& a, const Expression& b) { return binary("|", a, b); }
Expression operator^(const Expression& a, const Expression& b) { return binary("^", a, b); }
Expression operator&&(const Expression& a, const Expression& b) { return binary("&&", a, b); }
Expression operator||(const Expression& a, const Expression& b) { return binary("||", a, b); }
Expression operator==(const Expression& a, const Expression& b) { return binary("==", a, b); }
Expression operator!=(const Expression& a, const Expression& b) { return binary("!=", a, b); }
Expression operator<(const Expression& a, const Expression& b) { return binary("<", a, b); }
Expression operator>(const Expression& a, const Expression& b) { return binary(">", a, b); }
Expression operator<=(const Expression& a, const Expression& b) { return binary("<=", a, b); }
Expression operator>=(const Expression& a, const Expression& b) { return binary(">=", a, b); }

Expression var(const std::string& name, const Type& type) {
    check_identifier(name, "a variable");
    return make({.kind = Kind::name, .text = name, .type = type});
}

Expression literal(DType dtype, double value) {
    if (!dtype.is_integer() && dtype.kind() != DType::Kind::boolean) return make(real_literal(dtype, value));
    if (!(value >= -0x1p63 && value < 0x1p64) || value != std::trunc(value)) refuse(dtype, text(value));
    if (value < 0) return literal(dtype, static_cast<std::int64_t>(value));
    return literal(dtype, static_cast<std::uint64_t>(value));
}

Expression literal(DType dtype, std::int64_t value) {
    if (value >= 0) return literal(dtype, static_cast<std::uint64_t>(value));
    if (dtype.kind() != DType::Kind::signed_integer || dtype.lanes() != 1) {
        if (dtype.is_integer() || dtype.kind() == DType::Kind::boolean) refuse(dtype, text(value));
        return make(exact_literal(dtype, value));
    }
    if (value < -(std::int64_t{1} << (8 * dtype.size_bytes() - 2)) * 2) refuse(dtype, text(value));
    return make({.kind = Kind::literal, .type = dtype, .integer = value});
}

Expression literal(DType dtype, std::uint64_t value) {
    if (!dtype.is_integer() && dtype.kind() != DType::Kind::boolean) return make(exact_literal(dtype, value));
    if (dtype.lanes() != 1) throw ArgumentError(text("literal: expected a type of numbers, got ", dtype.name()));
    const std::uint32_t bits = dtype.kind() == DType::Kind::boolean
                                   ? 1
                                   : 8 * dtype.size_bytes() - (dtype.kind() == DType::Kind::signed_integer ? 1 : 0);
    if (bits < 64 && value >> bits != 0) refuse(dtype, text(value));
    return make({.kind = Kind::literal, .type = dtype, .integer = static_cast<std::int64_t>(value)});
}

Expression thread_id(int axis) { return position("thread_id", axis, int32); }
Expression block_id(int axis) { return position("block_id", axis, int32); }
Expression block_size(int axis) { return position("block_size", axis, int32); }
Expression grid_size(int axis) { return position("grid_size", axis, int32); }
Expression global_id(int axis) { return position("global_id", axis, int64); }
Expression global_size(int axis) { return position("global_size", axis, int64); }

Expression call_with(const std::string& function, std::vector<Expression> arguments, const Type& result) {
    check_word(function, "a function");  // sizeof is allowed
    return make({.kind = Kind::call, .text = function, .type = result, .operands = std::move(arguments)});
}

Expression cast(const Type& type, const Expression& value) {
    if (type.empty()) throw ArgumentError("cast: expected a type, got none; named_type(name) makes one from its name");
    check_cast(type, value);
    return make({.kind = Kind::cast, .type = type, .operands = {value}});
}

Expression select(const Expression& condition, const Expression& a, const Expression& b) {
    return make({.kind = Kind::conditional, .type = select_type(condition, a, b), .operands = {condition, a, b}});
}

Expression address(const Expression& place) {
    check_place("address", place);
    Type type;
    const ExpressionNode& node = place.node();
    if (node.kind == Kind::index && node.operands[0].type().is_pointer) type = node.operands[0].type();
    return make({.kind = Kind::unary, .text = "&", .type = type, .operands = {place}});
}

Expression vector(DType dtype, std::vector<Expression> elements) {
    if (dtype.lanes() < 2 || elements.size() != dtype.lanes())
        throw ArgumentError(
            text("vector: ", dtype.name(), " has ", int(dtype.lanes()), " lanes, got ", elements.size(), " elements"));
    return make({.kind = Kind::vector, .type = dtype, .operands = std::move(elements)});
}

Expression raw_expression(const std::string& text) { return make({.kind = Kind::raw, .text = text}); }

Expression load(DType dtype, const Expression& stored) {
    constexpr DType float32{DType::Kind::floating, 4};
    if (dtype == dtype_of<half>()) return call_with("load_float16", {stored}, float32);
    if (dtype == dtype_of<bfloat16>()) return call_with("load_bfloat16", {stored}, float32);
    return stored;
}

Expression store(DType dtype, const Expression& value) {
    if (dtype == dtype_of<half>()) return call_with("store_float16", {value}, dtype);
    if (dtype == dtype_of<bfloat16>()) return call_with("store_bfloat16", {value}, dtype);
    return value;
}

Expression atomic_add(const Expression& pointer, const Expression& value) {
    return atomic("atomic_add", pointer, {value});
}
Expression atomic_min(const Expression& pointer, const Expression& value) {
    return atomic("atomic_min", pointer, {value});
}
Expression atomic_max(const Expression& pointer, const Expression& value) {
    return atomic("atomic_max", pointer, {value});
}
Expression atomic_exchange(const Expression& pointer, const Expression& value) {
    return atomic("atomic_exchange", pointer, {value});
}
Expression atomic_cas(const Expression& pointer, const Expression& expected, const Expression& desired) {
    return atomic("atomic_cas", pointer, {expected, desired});
}

}  // namespace gemel::codegen
