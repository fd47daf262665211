/// What an AnyExpr is made of.
#pragma once

#include <gemel/arrays/any_expr.hpp>
#include <gemel/arrays/reductions.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gemel {

/// Tells numeric types apart, in keys.
inline std::uint64_t type_code(DType dtype) {
    return static_cast<std::uint64_t>(dtype.kind()) << 32 | dtype.size_bytes();
}

/// What the text of an expression depends on, without its arrays and numbers. Equal ones are one object, mostly.
struct ExpressionStructure {
    enum class Kind : std::uint8_t { array, number, operation, call, reduction };

    Kind kind;
    std::uint64_t id;  ///< never used again, and no address
    DType dtype = {};  ///< of the result; of numbers empty, or float for exact_number()
    DType common = {};
    const Operation* operation = nullptr;
    const FunctionDefinition* function = nullptr;  ///< a call's
    ReductionKind reduction = ReductionKind::sum;
    std::uint64_t axes = 0;  ///< of a reduction: a bit each, the last axis' the lowest
    std::vector<std::shared_ptr<const ExpressionStructure>> operands = {};
};

struct ExpressionNode {
    std::shared_ptr<const ExpressionStructure> structure;
    Shape shape = {};
    AnyArray array = {};
    AnyExpr::Number number = {};
    DType number_type = {};  ///< what the number is by itself
    std::vector<AnyExpr> operands = {};
    std::size_t depth = 0;   ///< of operations
    std::size_t leaves = 1;  ///< arrays and numbers, as often as they are named

    bool is_number() const { return structure->kind == ExpressionStructure::Kind::number; }
};

/// A reduction that stays in the expression, of extent 1 along `axes`. @param axes  as in ExpressionStructure, none of
/// them of extent 1
AnyExpr reduction_of(ReductionKind kind, const AnyExpr& x, DType result, std::uint64_t axes);

/// A number that counts as one beside arrays, but is a float where these are of 16 bits: 3001 is no bfloat16.
AnyExpr exact_number(double number);

/// In the place of an array of that type and shape, where nothing is evaluated and there need be no device.
AnyExpr placeholder(DType dtype, const Shape& shape);

}  // namespace gemel
