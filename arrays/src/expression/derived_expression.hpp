/// A few operations on an expression, on the stack: what means, variances and norms compute.
#pragma once

#include <gemel/arrays/expression.hpp>

#include <boost/container/static_vector.hpp>

#include <cstdint>

namespace gemel {

/// An operation that may follow.
enum class Step : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    minimum,
    maximum,
    not_equal,
    abs,
    square,
    sqrt,
    cast,
};

/// An expression x, and operations one after the other: `DerivedExpression(x).then(Step::abs).then(Step::square)` is
/// square(abs(x)). Types follow the same rules as AnyExpr's. Nothing is allocated; arrays are referred to.
class DerivedExpression {
   public:
    /// @param x  not itself the view of one of these
    explicit DerivedExpression(const ExpressionView& x) : x_(x) {}
    DerivedExpression& then(Step step) { return add({.step = step}); }
    DerivedExpression& then(Step step, const AnyArray& second) { return add({.step = step, .array = &second}); }
    DerivedExpression& then(Step step, const AnyNumber& second) {
        return add({.step = step, .has_number = true, .number = second});
    }
    /// @throws ArgumentError for complex to real
    DerivedExpression& cast(DType dtype) { return add({.step = Step::cast, .result = dtype}); }

    DType dtype() const { return links_.empty() ? x_.dtype : links_.back().result; }
    ExpressionView view() const;

   private:
    struct Link {
        Step step;
        const AnyArray* array = nullptr;  ///< the second operand, if it is one
        bool has_number = false;          ///< or `number` is
        AnyNumber number = {};
        DType common = {}, result = {};
    };
    DerivedExpression& add(Link link);
    void collect(ExpressionOperands& operands) const;
    std::string print(ExpressionText& text, std::size_t count, DType as) const;
    AnyExpr any() const;

    ExpressionView x_;
    boost::container::static_vector<Link, 2 * ExpressionView::max_step_words> links_;
};

}  // namespace gemel
