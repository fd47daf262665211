/// Matrix products, as NumPy's matmul.
#pragma once

#include <gemel/arrays/call_argument.hpp>
#include <gemel/arrays/expression.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace gemel {

/// The precision of products of float. Products of 16-bit floats are exact and accumulated in float, on tensor cores if
/// the device has them. Products of double and of integers are computed in their own arithmetic.
enum class Precision {
    exact,   ///< fused multiply-adds in float
    split,   ///< accuracy of `exact` on tensor cores: each number in parts. Elsewhere as `exact`
    tensor,  ///< tf32 on tensor cores: operands of 11 significant bits, off by 2^-10 at most. Else as `exact`
};

/// A named argument of an expression in C: a value, which is copied, or an array in C order, which is shared.
class NamedArgument {
   public:
    NamedArgument(std::string name, const AnyArray& array) : name_(std::move(name)), array_(array) {}
    template <class T>
        requires(HasDType<T> && !std::derived_from<T, AnyArray>)
    NamedArgument(std::string name, const T& value) : name_(std::move(name)), is_value_(true) {
        static_assert(sizeof(T) <= sizeof value_, "values of more than 16 bytes go into an array");
        // As an expression in C computes with them.
        if constexpr (SixteenBitFloat<T>)
            keep(static_cast<float>(value));
        else if constexpr (std::same_as<T, bool>)
            keep(static_cast<std::int32_t>(value));
        else
            keep(value);
    }
    const std::string& name() const { return name_; }
    bool is_value() const { return is_value_; }
    const AnyArray& array() const { return array_; }
    DType dtype() const { return is_value_ ? dtype_ : array_.dtype(); }
    const std::byte* value() const { return value_.data(); }

   private:
    template <class T>
    void keep(const T& value) {
        dtype_ = dtype_of<T>();
        std::memcpy(value_.data(), &value, sizeof(T));
    }

    std::string name_;
    bool is_value_ = false;
    AnyArray array_;
    DType dtype_;
    alignas(16) std::array<std::byte, 16> value_{};
};

struct MatmulOptions {
    Precision precision = Precision::exact;
    /// An expression in C that is stored instead of each element of the product. It may use `value` (the element), its
    /// `row`, `column` and `matrix` (int64_t), `before` (matmul_into: the previous element of c) and the arguments.
    /// 16-bit floats are float in it.
    std::string epilogue = {};
    std::vector<NamedArgument> arguments = {};
    std::string preamble = {};          ///< functions that the epilogue uses
    codegen::MatmulTuning tuning = {};  ///< members given here override the library's choice
    Stream stream = {};
};

namespace detail {
/// @param dtype  of the result, to which both are converted first; their common type if empty
GEMEL_API AnyArray matmul(const AnyArray& a, const AnyArray& b, DType dtype, const MatmulOptions& options);
GEMEL_API void matmul_into(const AnyArray& c, const AnyArray& a, const AnyArray& b, const MatmulOptions& options);

/// An operand as an array; an expression is evaluated.
template <class X>
AnyArray factor_of(const X& x) {
    if constexpr (std::derived_from<X, AnyArray>) {
        return x;
    } else {
        return AnyExpr(x);
    }
}
}  // namespace detail

/// The matrix product: shapes (..., n, k) and (..., k, m) give (..., n, m), with the batch axes broadcast. An operand
/// of one axis is a row vector on the left, a column vector on the right, and contributes no axis to the result.
/// Elements have the common type of both; 16-bit floats are accumulated in float, sums of integers wrap around, sums of
/// bools are "or". Operands may have any strides; expressions are evaluated first. Equal operands give the same bits on
/// the same device.
///
///     matmul(a, b);
///     matmul(a, b, {.precision = Precision::split});
///     matmul(a, b, {.epilogue = "fmax(value + bias[column], 0.0f)", .arguments = {{"bias", bias}}});
///
/// @returns  a new array in C order
/// @throws   ArgumentError if an operand has rank 0, the shapes do not match, or the device cannot run the given
///           tuning; CompileError if the epilogue does not compile
/// @time     enqueued, returns at once: one launch, and one more for each operand that must be converted or copied (no
///           stride 1 along its last two axes). A product with one row or column, without an epilogue or a tuning, is a
///           sum() along an axis
template <ArrayOperand A, ArrayOperand B>
auto matmul(const A& a, const B& b, const MatmulOptions& options = {}) {
    using L = typename OperandElement<A>::type;
    using R = typename OperandElement<B>::type;
    const GPUArray<L> left = a;
    const GPUArray<R> right = b;
    return GPUArray<Promote<L, R>>(detail::matmul(left, right, dtype_of<Promote<L, R>>(), options));
}
/// The same for operands whose type is known at run time only.
template <class A, class B>
    requires UntypedCombinable<A, B>
AnyArray matmul(const A& a, const B& b, const MatmulOptions& options = {}) {
    return detail::matmul(detail::factor_of(a), detail::factor_of(b), {}, options);
}

/// The same, written into c, which has the product's shape and type and any strides. c may overlap a and b.
///
///     matmul_into(c, a, b, {.epilogue = "0.5f * value + before"});
///
/// @throws ArgumentError as matmul(), and if c has another shape, type or context, or is a broadcast view
/// @time   enqueued; as matmul(), and a copy if c overlaps an operand
template <ArrayOperand A, ArrayOperand B>
void matmul_into(const AnyArray& c, const A& a, const B& b, const MatmulOptions& options = {}) {
    const GPUArray<typename OperandElement<A>::type> left = a;
    const GPUArray<typename OperandElement<B>::type> right = b;
    detail::matmul_into(c, left, right, options);
}
template <class A, class B>
    requires UntypedCombinable<A, B>
void matmul_into(const AnyArray& c, const A& a, const B& b, const MatmulOptions& options = {}) {
    detail::matmul_into(c, detail::factor_of(a), detail::factor_of(b), options);
}

}  // namespace gemel
