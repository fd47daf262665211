/// Counting elements into bins: one kernel for bincount, histogram and histogram2d.
#pragma once

#include <gemel/algorithms/group.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::selecting {

/// Source text that finds the bin of an element. `@` is the element's index.
struct BinText {
    std::string prepare = {};  ///< statements before all elements
    std::string find = {};     ///< statements that set the int `bin`, which is -1 before them, and is so for no bin
    std::string preamble = {};
};

/// What is counted, and how to find the bin of an element.
struct Binning {
    const char* who = "histogram";
    std::vector<AnyArray> elements;        ///< read as x0[@], x1[@], ...; all of one shape
    std::vector<AnyArray> more = {};       ///< read at other indices, as y0[...], y1[...]
    std::function<BinText()> text;         ///< called for kernels that are not known yet
    std::string key = {};                  ///< tells texts of one `who` apart that have the same types of arrays
    std::vector<std::int32_t> sizes = {};  ///< as bins_0, bins_1, ...
    std::int64_t bins = 0;
    bool weighted = false;  ///< the last of `elements` is the weight
    AnyArray zeros = {};    ///< a new array of zeros for the counts, if there is one
};

/// Adds 1, or the weight, to the bin of each element. @returns int64, or double if weighted
AnyArray count_bins(const Binning& binning, BinStrategy strategy, const Stream& stream);

/// The bin of each element, -1 if there is none.
GPUArray<std::int32_t> bins_of(const Binning& binning);
GEMEL_API ElementwiseKernel bin_kernel(const Binning& binning);
/// Sums of weights without atomics: a stable sort by bin, then sums of each bin's weights in order. Numbers outside 0
/// to bins - 1 are ignored.
GPUArray<double> summed_in_order(const AnyArray& numbers, const AnyArray& weights, std::int64_t bins,
                                 const Stream& stream);

/// The sums in C order, over bins between edges of these types: divided by their total and by each bin's widths.
GEMEL_API ElementwiseKernel density_kernel(const std::vector<DType>& edges);

/// The strategy for a device. @throws ArgumentError if `asked` is impossible
BinStrategy bin_strategy(const Binning& binning, const DeviceInfo& device, BinStrategy asked);
/// The kernel for a GPU with `shared_bins` bins in shared memory (0: in global memory), and the kernel with chunks.
GEMEL_API ElementwiseKernel block_kernel(const Binning& binning, std::int64_t shared_bins);
GEMEL_API ElementwiseKernel chunk_kernel(const Binning& binning, bool wide);

/// Source text for histogram(): finds the bin of x<k> between the edges y<k> (`bins` bins), as the int `bin_<k>`.
GEMEL_API std::string prepare_even(const std::string& k, const std::string& type);
GEMEL_API std::string find_even(const std::string& k, const std::string& type, std::int64_t bins);
/// Whether find_even() takes the bin from a float's bits.
bool counts_by_bits(std::string_view type, std::int64_t bins);
GEMEL_API std::string find_between(const std::string& k, const std::string& type);

}  // namespace gemel::selecting
