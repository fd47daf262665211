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

/// How exactly products of float are computed. Products of 16-bit floats are exact and summed in float, by tensor cores
/// where there are some; those of double and of integers are what their arithmetic gives.
enum class Precision {
    exact,   ///< fused multiply-adds in float
    split,   ///< as exact, by tensor cores: each number in two parts, three products. Elsewhere as `exact`
    tensor,  ///< one product by tensor cores, of numbers rounded to 11 bits (tf32). Elsewhere as `exact`
};

/// A value, or an array in C order, under the name that an expression in C knows it by. Copies the value, shares the
/// array.
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
    /// What is stored in place of each element of the product: an expression in C of `value`, its `row`, `column` and
    /// `matrix` (int64_t), `before` (with matmul_into: the element of c until then) and the arguments. 16-bit floats
    /// are float in it.
    std::string epilogue = {};
    std::vector<NamedArgument> arguments = {};
    std::string preamble = {};          ///< functions that the epilogue uses
    codegen::MatmulTuning tuning = {};  ///< where the product passes through slots of shared memory
    Stream stream = {};
};

namespace detail {
/// @param dtype  of the result, to which both are converted first; their common type if empty
GEMEL_API AnyArray matmul(const AnyArray& a, const AnyArray& b, DType dtype, const MatmulOptions& options);
GEMEL_API void matmul_into(const AnyArray& c, const AnyArray& a, const AnyArray& b, const MatmulOptions& options);

/// What is multiplied: an array as it is, an expression evaluated.
template <class X>
AnyArray factor_of(const X& x) {
    if constexpr (std::derived_from<X, AnyArray>) {
        return x;
    } else {
        return AnyExpr(x);
    }
}
}  // namespace detail

/// The product of matrices: of shapes (..., n, k) and (..., k, m) one of (..., n, m), where the axes in front are
/// broadcast. An operand with one axis is a row on the left, a column on the right, and has no axis in the result.
/// Elements have the common type of both; sums of 16-bit floats are held in float, those of integers wrap around, those
/// of bools are "or". Operands may have any layout; expressions are evaluated first. The same operands give the same
/// result on the same device.
///
///     matmul(a, b);
///     matmul(a, b, {.precision = Precision::split});
///     matmul(a, b, {.epilogue = "fmax(value + bias[column], 0.0f)", .arguments = {{"bias", bias}}});
///
/// @returns  a new array in C order
/// @throws   ArgumentError if an operand has no axis, the shapes do not fit, or the device cannot run the given tuning;
///           CompileError if the epilogue does not compile
/// @time     enqueued, returns at once: one launch, and one more for each operand that must be converted or copied: one
///           whose neighbours lie along neither of the last two axes
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

/// The same, stored into c, of the product's shape and type and any layout. c may overlap a and b.
///
///     matmul_into(c, a, b, {.epilogue = "0.5f * value + before"});
///
/// @throws ArgumentError as matmul, and if c has another shape or type, or elements that share memory
/// @time   enqueued; through a new array where c overlaps an operand
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
