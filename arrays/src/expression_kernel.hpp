/// What evaluating and reducing expressions have in common.
#pragma once

#include "call.hpp"

#include <gemel/arrays/expression.hpp>
#include <gemel/codegen/writer.hpp>

#include <new>
#include <string>
#include <vector>

namespace gemel {

/// Identifies an expression's text: its type and which of its operands are the same array.
CallKey expression_key(const ExpressionView& expression, const ExpressionOperands& operands);

/// The text of an expression's value, and what it takes: x0, x1, ... and s0, s1, ...
struct ExpressionParts {
    std::string value, preamble;
    std::vector<Parameter> arguments;
};
ExpressionParts expression_parts(const ExpressionView& expression, const ExpressionOperands& operands);

/// Operands under one shape; views are made only where shapes differ.
class BroadcastOperands {
   public:
    void broadcast(ExpressionOperands& operands, const Shape* to = nullptr);
    const Shape& shape() const { return *shape_; }

   private:
    const Shape* shape_ = nullptr;
    Shape common_;
    std::vector<AnyArray> arrays_;
};

/// Arguments of one call, on the stack.
class CallArguments {
   public:
    void add(const CallArgument& argument) {
        if (count_ == most_call_arguments)
            throw ArgumentError(
                "an expression has too many operands for one kernel; evaluate parts of it with .eval()");
        new (memory_.data() + count_++ * sizeof(CallArgument)) CallArgument(argument);
    }
    std::span<const CallArgument> span() const {
        return {std::launder(reinterpret_cast<const CallArgument*>(memory_.data())), count_};
    }

   private:
    alignas(CallArgument) std::array<std::byte, most_call_arguments * sizeof(CallArgument)> memory_;
    std::size_t count_ = 0;
};

}  // namespace gemel
