/// The common part of evaluating and reducing expressions.
#pragma once

#include "generated/call_key.hpp"

#include <gemel/arrays/call_argument.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/arrays/expression.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/spin_lock.hpp>
#include <gemel/core/text.hpp>

#include <boost/container/static_vector.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gemel {

/// The part of an expression that one kernel evaluates, with its operands: the expression itself, or what remains after
/// parts that do not fit one kernel have been evaluated.
enum class Reductions : std::uint8_t { done, kept };
class CollectedExpression {
   public:
    /// @param reductions  of the expression: evaluated first by their own launches, or kept for a row program; then
    ///         `operands` are incomplete
    explicit CollectedExpression(const detail::ExpressionView& expression, Reductions reductions = Reductions::done);
    CollectedExpression(const CollectedExpression&) = delete;

    detail::ExpressionView view;
    detail::ExpressionOperands operands;

   private:
    std::optional<AnyExpr> rest_;
};

/// Runs a function; messages of argument errors begin with the name of the caller's function, which replaces
/// "expression".
template <class F>
decltype(auto) with_error_prefix(const char* who, F&& f) {
    try {
        return f();
    } catch (const ArgumentError& error) {
        constexpr std::string_view general = "expression: ";
        std::string_view said = error.what();
        if (said.starts_with(general)) said.remove_prefix(general.size());
        throw ArgumentError(text(who, ": ", said));
    }
}

/// @throws ArgumentError, because operands of one expression are in two contexts
[[noreturn]] void refuse_contexts(const AnyArray& a, const AnyArray& b);

/// Whether two arrays have the same elements in the same order.
bool same_elements(const AnyArray& a, const AnyArray& b);

/// Identifies an expression's text: its type, and which of its operands are the same array.
CallKey expression_key(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands);

/// The text of an expression's value, and its arguments: x0, x1, ... and s0, s1, ...
struct ExpressionParts {
    std::string value, preamble;
    std::vector<Parameter> arguments;
    bool vectors_fit = false;  ///< set if vectors were requested
};
ExpressionParts expression_parts(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands,
                                 DType vector = {});

/// The expression that combines two numbers a and b of a type: "a + b", which wraps around for integers, or the larger
/// one. NaN counts as larger, and as smaller, than all numbers.
std::string combined(DType dtype, detail::Cumulating how);

/// A number in an expression; it takes the type of the arrays with which it is combined.
inline CallArgument weak(const Argument& number) {
    CallArgument argument(number);
    argument.rounds = true;
    return argument;
}

/// The operands broadcast to one shape; views are made only if shapes differ. @throws ArgumentError if shapes or
/// contexts do not fit
class BroadcastOperands {
   public:
    void broadcast(detail::ExpressionOperands& operands, const Shape* to = nullptr,
                   LeadingAxes leading = LeadingAxes::refused);
    const Shape& shape() const { return *shape_; }

   private:
    const Shape* shape_ = nullptr;
    Shape common_;
    boost::container::static_vector<AnyArray, detail::ExpressionOperands::max_arrays>
        views_;  // operands point to these
};

/// Kernels of expressions for all contexts. Compiled variants are stored in the contexts.
template <class K>
class Kernels {
   public:
    template <class Make>
    std::shared_ptr<const K> find(const CallKey& key, Make&& make) {
        {
            std::lock_guard lock(lock_);
            if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second;
        }
        auto made = std::make_shared<const K>(make());
        std::unordered_map<CallKey, std::shared_ptr<const K>, CallKeyHash>
            outlived;  // destroyed after the lock is released
        std::lock_guard lock(lock_);
        if (kernels_.size() >= max_kernels) outlived.swap(kernels_);
        return kernels_.emplace(key, std::move(made)).first->second;
    }

   private:
    static constexpr std::size_t max_kernels = 4096;
    SpinLock lock_;
    std::unordered_map<CallKey, std::shared_ptr<const K>, CallKeyHash> kernels_;
};

/// The arguments of one call, on the stack.
class CallArguments {
   public:
    void add(const CallArgument& argument) {
        if (arguments_.size() == arguments_.capacity())
            throw ArgumentError("expression: too many operands for one kernel; evaluate parts of it with .eval()");
        arguments_.push_back(argument);
    }
    std::span<const CallArgument> span() const { return {arguments_.data(), arguments_.size()}; }

   private:
    boost::container::static_vector<CallArgument, max_call_arguments> arguments_;
};

}  // namespace gemel
