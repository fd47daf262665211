/// Sorts by a key or a comparison of your own, both in C: of structs, or of numbers in another order.
#pragma once

#include <gemel/algorithms/sort.hpp>
#include <gemel/core/source.hpp>

#include <memory>
#include <string>

namespace gemel {

/// What a SortKernel sorts by; one of key_expr and less_expr.
struct SortSpec {
    /// Of an element `a`: a number, by which elements are sorted. An integer, signed or not, or a floating-point
    /// number: "a.cell", "fabs(a)".
    std::string key_expr = {};
    /// Of an integer key that is not negative: so many low bits tell keys apart. 0 for all.
    int key_bits = 0;
    /// Of two elements `a` and `b`: whether a comes before b. A strict weak order: "a.x < b.x".
    std::string less_expr = {};
    std::string name = "sort";
    std::string preamble = {};
    CompileOptions compile = {};
};

struct SortKernelState;

/// The body of SortKernel.
class GEMEL_API ElementSort {
   public:
    ElementSort(DType dtype, const SortSpec& spec);
    AnyArray run(const AnyArray& x, const SortOptions& options) const;
    AnyArray places(const AnyArray& x, const SortOptions& options) const;

   private:
    std::shared_ptr<const SortKernelState> state_;
};

/// A stable sort of elements of type T by a key (radix sort) or a comparison (merge sort).
///
///     const SortKernel<Particle> by_cell({.key_expr = "a.cell"});
///     GPUArray<Particle> sorted = by_cell(particles);
///
/// @time enqueued, returns at once. By a key as sort(); a key whose type gemel does not know costs passes for 8 bytes,
///       of which those without effect end at once. By a comparison one launch, and one more for each doubling of the
///       length beyond a tile of 256 to 4096 elements. Elements of more than 64 bytes stay where they are while their
///       places are sorted, and are moved once.
template <ElementType T>
class SortKernel {
   public:
    /// @throws ArgumentError unless one of key_expr and less_expr is given and names its elements
    explicit SortKernel(const SortSpec& spec) : sort_(dtype_of<T>(), spec) {}

    /// Sorted along an axis. @returns a new array in C order, or options.out
    /// @throws CompileError if the expression does not compile; ArgumentError as sort()
    GPUArray<T> operator()(const GPUArray<T>& x, const SortOptions& options = {}) const {
        return GPUArray<T>(sort_.run(x, options));
    }
    /// Where the elements of the sorted array come from. @time by a comparison as the sort, and two launches
    GPUArray<std::int64_t> argsort(const GPUArray<T>& x, const SortOptions& options = {}) const {
        return GPUArray<std::int64_t>(sort_.places(x, options));
    }

   private:
    ElementSort sort_;
};

}  // namespace gemel
