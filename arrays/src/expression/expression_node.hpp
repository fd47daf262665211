/// The nodes of an AnyExpr.
#pragma once

#include <gemel/arrays/any_expr.hpp>
#include <gemel/arrays/reductions.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gemel {

/// A code for a numeric type, for keys.
inline std::uint64_t type_code(DType dtype) {
    return static_cast<std::uint64_t>(dtype.kind()) << 32 | dtype.size_bytes();
}

/// The part of an expression on which its text depends, without arrays and numbers. Equal structures are usually one
/// object.
struct ExpressionStructure {
    enum class Kind : std::uint8_t { array, number, operation, call, reduction };

    Kind kind;
    std::uint64_t id;  ///< never reused, and distinct from addresses
    DType dtype = {};  ///< of the result; of numbers: empty, or float for exact_number()
    DType common = {};
    const codegen::Operation* operation = nullptr;
    const FunctionDefinition* function = nullptr;  ///< of a call
    ReductionKind reduction = ReductionKind::sum;
    std::uint64_t axes = 0;  ///< of a reduction: a bit per axis, the lowest for the last axis
    std::vector<std::shared_ptr<const ExpressionStructure>> operands = {};
    bool has_reduction = false;  ///< it is one, or has one among its operands
};

namespace detail {
struct ExpressionNode {
    std::shared_ptr<const ExpressionStructure> structure;
    Shape shape = {};
    AnyArray array = {};
    AnyExpr::Number number = {};
    DType number_type = {};  ///< the number's own type
    std::vector<AnyExpr> operands = {};
    std::size_t depth = 0;   ///< operations on the longest path
    std::size_t leaves = 1;  ///< arrays and numbers, counted at each use

    bool is_number() const { return structure->kind == ExpressionStructure::Kind::number; }
};
}  // namespace detail

/// A reduction that stays in the expression, with extent 1 along `axes`. @param axes  as in ExpressionStructure; none
/// has extent 1
AnyExpr reduction_of(ReductionKind kind, const AnyExpr& x, DType result, std::uint64_t axes);

/// A number that is combined with arrays like any other, but is computed in float with arrays of 16-bit floats: 3001 is
/// not a bfloat16.
AnyExpr exact_number(double number);

/// A placeholder for an array of this type and shape, for expressions that are not evaluated. Needs no device.
AnyExpr placeholder(DType dtype, const Shape& shape);

}  // namespace gemel
