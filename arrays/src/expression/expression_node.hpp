/// What an AnyExpr is made of.
#pragma once

#include <gemel/arrays/any_expr.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gemel {

/// What the text of an expression depends on, without its arrays and numbers. Equal ones are one object, mostly.
struct ExpressionStructure {
    enum class Kind : std::uint8_t { array, number, operation, call };

    Kind kind;
    std::uint64_t id;  ///< never used again, and no address
    DType dtype = {};  ///< of the result; empty for numbers
    DType common = {};
    const Operation* operation = nullptr;
    const FunctionDefinition* function = nullptr;  ///< a call's
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

/// In the place of an array of that type and shape, where nothing is evaluated and there need be no device.
AnyExpr placeholder(DType dtype, const Shape& shape);

}  // namespace gemel
