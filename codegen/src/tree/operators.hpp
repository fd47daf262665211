/// The operators of types in syntax trees, and their result types: C's rules, as far as all devices follow them.
#pragma once

#include "tree/syntax_nodes.hpp"

namespace gemel::codegen {

/// The type of `a op b`; empty if an operand's type is unknown.
/// @throws ArgumentError naming the operator and both types if it is not defined for them
Type binary_type(const std::string& op, const Expression& a, const Expression& b);
/// The type of `op a` for "-", "+", "!", "~" and "*".
Type unary_type(const std::string& op, const Expression& a);
/// The type of `condition ? a : b`.
Type select_type(const Expression& condition, const Expression& a, const Expression& b);
/// The type of `base[index]`.
Type element_type(const Expression& base, const Expression& index);
/// Elements of an array with several extents are arrays, but tree types do not represent that. Whether this may be such
/// a row, or a pointer into one.
bool may_be_row(const Expression& e);
/// The type that a pointer points to; empty if the type is not a pointer.
Type pointee(const Type& type);

void check_cast(const Type& to, const Expression& value);
/// @param what  the assignment, for the message: "=", "the variable 'x'"
void check_assigned(const std::string& what, const Type& to, const Expression& value);
/// @param op  "+=" and its like
void check_compound(const std::string& op, const Expression& place, const Expression& value);
/// @param op  "++" or "--"
void check_step(const std::string& op, const Expression& place);
/// Throws for expressions that cannot be assigned to: literals, results of operators.
void check_place(const std::string& what, const Expression& place);
/// As above, for places that are modified and so must not be constant.
void check_changed(const std::string& what, const Expression& place);
/// @param what  "if", "while", "select"
void check_condition(const std::string& what, const Expression& condition);

}  // namespace gemel::codegen
