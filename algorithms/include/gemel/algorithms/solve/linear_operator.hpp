/// LinearOperator<T>: the operator type of the solvers. It holds a matrix, a function on arrays or a preconditioner.
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/export.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace gemel::sparse {
struct MatrixState;
}

namespace gemel::solve {

/// Element types of solvers: float, double, and complex numbers of either.
template <class T>
concept SolverElement = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::complex<float>> ||
                        std::same_as<T, std::complex<double>>;

/// How an operator's function receives several vectors.
enum class Columns : std::uint8_t {
    one_by_one,  ///< one call per vector: contiguous arrays of shape (n,)
    together,    ///< one call: arrays of shape (n, k) whose columns are contiguous, (n, 1) for one vector.
                 ///< Each column may have its own matrix: a batch of k systems is such an operator
};

/// A matrix or a type that multiplies like one: `a.multiply_into(y, x)` writes a times x into y.
template <class A, class T>
concept MultipliesInto = requires(const A& a, const GPUArray<T>& out, const GPUArray<T>& u) {
    { a.shape()[0] } -> std::convertible_to<std::int64_t>;
    { a.shape()[1] } -> std::convertible_to<std::int64_t>;
    a.multiply_into(out, u);
};

/// The untyped base of LinearOperator.
class GEMEL_API AnyOperator {
   public:
    using Function = std::function<void(const AnyArray& u, const AnyArray& out)>;

    AnyOperator() = default;
    AnyOperator(DType dtype, Shape shape, Function function, Columns columns);
    /// An operator that multiplies element by element. @param diagonal  an array of one axis
    explicit AnyOperator(const AnyArray& diagonal);

    bool empty() const { return !function_; }
    DType dtype() const { return dtype_; }
    const Shape& shape() const { return shape_; }
    Columns columns() const { return columns_; }
    /// The diagonal; an empty handle if the operator is not known to be diagonal.
    const AnyArray& diagonal() const { return diagonal_; }
    const Function& function() const { return function_; }
    /// The sparse matrix, whose products can compute a solver's sums in the same pass; null for other operators.
    const std::shared_ptr<const sparse::MatrixState>& matrix() const { return matrix_; }
    /// Writes this times u into out. @throws ArgumentError if shapes, types or contexts do not fit
    void multiply_into(const AnyArray& out, const AnyArray& u) const;

   protected:
    std::shared_ptr<const sparse::MatrixState> matrix_;

   private:
    DType dtype_;
    Shape shape_;
    Function function_;
    Columns columns_ = Columns::one_by_one;
    AnyArray diagonal_;
};

/// A linear map from vectors of `shape()[1]` elements to vectors of `shape()[0]`. A cheap handle.
///
///     LinearOperator<double> laplace({n, n}, [](const GPUArray<double>& u, const GPUArray<double>& out) {
///         out.assign(2 * u);
///         out(slice(1, {})) -= u(slice(0, -1)), out(slice(0, -1)) -= u(slice(1, {}));
///     });
template <class T>
class LinearOperator : public AnyOperator {
   public:
    using value_type = T;

    /// An empty operator; as a preconditioner it means none.
    LinearOperator() = default;
    /// @param shape     (rows, columns), both at least 0
    /// @param function  writes the product with u into out by launches on the thread's current stream. If it waits for
    ///                  the device, the solver waits in every iteration. u and out do not overlap
    /// @throws ArgumentError if the shape does not have two extents or the function is empty
    LinearOperator(Shape shape, std::function<void(const GPUArray<T>& u, const GPUArray<T>& out)> function,
                   Columns columns = Columns::one_by_one)
        : AnyOperator(dtype_of<T>(), std::move(shape), untyped(std::move(function)), columns) {}
    /// A function that returns an expression of u or an array: `[](const GPUArray<T>& u) { return 2 * u - roll(u, 1);
    /// }`.
    /// @throws ArgumentError as above
    template <class F>
        requires std::invocable<const F&, const GPUArray<T>&> &&
                 (!std::invocable<const F&, const GPUArray<T>&, const GPUArray<T>&>)
    LinearOperator(Shape shape, F expression, Columns columns = Columns::one_by_one)
        : LinearOperator(
              std::move(shape),
              [expression = std::move(expression)](const GPUArray<T>& u, const GPUArray<T>& out) {
                  out.assign(expression(u));
              },
              columns) {}
    /// A matrix. The operator keeps a copy of the handle.
    /// @param columns  `together` if its multiply_into() takes arrays of shape (n, k), too
    template <MultipliesInto<T> A>
        requires(!std::derived_from<A, AnyOperator>)
    LinearOperator(const A& a, Columns columns = Columns::one_by_one)
        : LinearOperator(
              Shape{static_cast<std::int64_t>(a.shape()[0]), static_cast<std::int64_t>(a.shape()[1])},
              [a](const GPUArray<T>& u, const GPUArray<T>& out) { a.multiply_into(out, u); }, columns) {
        if constexpr (requires { this->matrix_ = a.untyped().shared_state(); }) matrix_ = a.untyped().shared_state();
    }
    explicit LinearOperator(AnyOperator any) : AnyOperator(std::move(any)) {}

    /// Writes this times u into out. Shapes (columns,) and (rows,), or (columns, k) and (rows, k).
    /// @throws ArgumentError if shapes or contexts do not fit @time as the operator's function; enqueued
    void multiply_into(const GPUArray<T>& out, const GPUArray<T>& u) const { AnyOperator::multiply_into(out, u); }
    GPUArray<T> operator*(const GPUArray<T>& u) const {
        Shape rows = u.shape();
        if (rows.rank() > 0 && shape().rank() > 0) rows[0] = shape()[0];
        const GPUArray<T> out(u.context(), rows);
        multiply_into(out, u);
        return out;
    }

   private:
    static Function untyped(std::function<void(const GPUArray<T>&, const GPUArray<T>&)> function) {
        if (!function) return {};
        return [function = std::move(function)](const AnyArray& u, const AnyArray& out) {
            function(GPUArray<T>(u), GPUArray<T>(out));
        };
    }
};

}  // namespace gemel::solve
