/// Sorts by a user's key or comparison, given as a C expression: for structs, and for numbers in an order of your own.
#pragma once

#include <gemel/algorithms/sort.hpp>
#include <gemel/core/source.hpp>

#include <memory>
#include <string>

namespace gemel {

/// What a SortKernel sorts by. Give either key_expr or less_expr.
struct SortSpec {
    /// The key of an element `a`, an integer or a floating-point number: "a.cell", "fabs(a)".
    std::string key_expr = {};
    /// The number of low bits of a non-negative integer key to sort by; fewer bits take fewer passes. 0 sorts by all.
    int key_bits = 0;
    /// Whether element `a` comes before element `b`, a strict weak order: "a.x < b.x".
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
/// @time enqueued, returns at once. By a key: as sort(). If gemel cannot tell the key's type, it launches the passes of
///       an 8-byte key; those over bits that are equal in all keys return at once. By a comparison: one launch, and one
///       more for each doubling of the length beyond a tile of 256 to 4096 elements. Of elements of more than 64 bytes
///       the indices are sorted, then the elements are moved once.
template <ElementType T>
class SortKernel {
   public:
    /// @throws ArgumentError unless exactly one of key_expr and less_expr is given and uses its elements
    explicit SortKernel(const SortSpec& spec) : sort_(dtype_of<T>(), spec) {}

    /// Sorts x along options.axis. @returns a new array in C order, of the shape of x; or options.out
    /// @throws CompileError if the expression does not compile; ArgumentError as sort()
    GPUArray<T> operator()(const GPUArray<T>& x, const SortOptions& options = {}) const {
        return GPUArray<T>(sort_.run(x, options));
    }
    /// The indices that sort x along options.axis, as argsort(). @time by a comparison two launches more than the sort
    GPUArray<std::int64_t> argsort(const GPUArray<T>& x, const SortOptions& options = {}) const {
        return GPUArray<std::int64_t>(sort_.places(x, options));
    }

   private:
    ElementSort sort_;
};

}  // namespace gemel
