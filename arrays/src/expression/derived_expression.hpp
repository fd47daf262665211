/// An expression with a few more operations, on the stack. Means, variances and norms use it.
#pragma once

#include <gemel/arrays/expression.hpp>

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <cstdint>

namespace gemel {

/// An operation that can be applied.
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

/// An expression x and operations applied to it in turn: `DerivedExpression(x).then(Step::abs).then(Step::square)` is
/// square(abs(x)). Types follow the rules of AnyExpr. Allocates nothing; refers to the arrays.
class DerivedExpression {
   public:
    /// @param x  must not be the view of a DerivedExpression
    explicit DerivedExpression(const detail::ExpressionView& x) : x_(x) {}
    DerivedExpression& then(Step step) { return add({.step = step}); }
    DerivedExpression& then(Step step, const AnyArray& second) { return add({.step = step, .array = &second}); }
    DerivedExpression& then(Step step, const AnyNumber& second) {
        return add({.step = step, .has_number = true, .number = second});
    }
    /// @throws ArgumentError for complex to real
    DerivedExpression& cast(DType dtype) { return add({.step = Step::cast, .result = dtype}); }

    DType dtype() const { return links_.empty() ? x_.dtype : links_.back().result; }
    detail::ExpressionView view() const;
    /// Whether x is an array and nothing but its type was changed.
    bool is_array() const {
        return x_.is_array &&
               std::all_of(links_.begin(), links_.end(), [](const Link& link) { return link.step == Step::cast; });
    }

   private:
    struct Link {
        Step step;
        const AnyArray* array = nullptr;  ///< the second operand, if it is an array
        bool has_number = false;          ///< the second operand is `number`
        AnyNumber number = {};
        DType common = {}, result = {};
    };
    DerivedExpression& add(Link link);
    void collect(detail::ExpressionOperands& operands) const;
    std::string print(detail::ExpressionText& text, std::size_t count, DType as) const;
    AnyExpr any() const;

    detail::ExpressionView x_;
    boost::container::static_vector<Link, 2 * detail::ExpressionView::max_step_words> links_;
};

}  // namespace gemel
