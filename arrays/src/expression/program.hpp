/// Expressions with reductions as a list of values: equal values once, operands before their users.
#pragma once

#include "expression/expression_node.hpp"

#include <gemel/core/error.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace gemel {

/// The program does not fit one kernel; parts are evaluated first.
struct TooLarge : ArgumentError {
    using ArgumentError::ArgumentError;
};

class Program {
   public:
    struct Value {
        ExpressionStructure::Kind kind = ExpressionStructure::Kind::array;
        DType dtype = {}, common = {};
        const codegen::Operation* operation = nullptr;
        const FunctionDefinition* function = nullptr;
        ReductionKind reduction = ReductionKind::sum;
        std::uint64_t axes = 0;  ///< a bit per axis, the lowest for the last axis
        std::vector<std::size_t> operands = {};
        std::size_t index = 0;  ///< the index of an array or a number
        Shape shape = {};
    };

    /// @throws ArgumentError for expressions of numbers only
    explicit Program(std::span<const AnyExpr> roots);

    const std::vector<Value>& values() const { return values_; }
    const Value& operator[](std::size_t v) const { return values_[v]; }
    const std::vector<std::size_t>& roots() const { return roots_; }
    const std::vector<AnyArray>& arrays() const { return arrays_; }
    const std::vector<AnyNumber>& numbers() const { return numbers_; }
    bool is_reduction(std::size_t v) const { return values_[v].kind == ExpressionStructure::Kind::reduction; }
    /// What the kernels depend on; equal keys have equal plans.
    std::vector<std::uint64_t> key() const;

    /// Turns `v` into a reduction of a new value, which reduces the operand over the axes `first`. @returns the new
    /// value
    std::size_t split_reduction(std::size_t v, std::uint64_t first);

   private:
    std::size_t add(const AnyExpr& expression);
    std::size_t add(Value value, const std::vector<std::uint64_t>& key);

    std::vector<Value> values_;
    std::vector<std::size_t> roots_;
    std::vector<AnyArray> arrays_;
    std::vector<AnyNumber> numbers_;
    std::unordered_map<const detail::ExpressionNode*, std::size_t> met_;
    std::map<std::vector<std::uint64_t>, std::size_t> known_;
};

/// The bit of an axis; the shape with extent 1 along the given axes.
inline bool has_axis(std::uint64_t axes, std::size_t axis, std::size_t rank) { return axes >> (rank - 1 - axis) & 1; }
Shape without_axes(const Shape& shape, std::uint64_t axes);
std::size_t count_along(const Shape& shape, std::uint64_t axes);

}  // namespace gemel
