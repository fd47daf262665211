/// Merges axes of arrays: axes of extent 1 are dropped, neighbours that are contiguous in all arrays are merged.
#pragma once

#include <gemel/arrays/shape.hpp>

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace gemel {

/// The maximum rank of arrays of a generated kernel, NumPy's limit. A nonempty array has at most 62 axes longer than 1.
inline constexpr std::size_t max_axes = 64;

struct MergedAxis {
    std::int64_t extent = 1;
    std::size_t axis = 0;  ///< the fastest of the merged axes; its strides are those of the merged axis
};
using MergedAxes = boost::container::small_vector<MergedAxis, 8>;  // arrays without elements may have any rank

/// Merges neighbours in the given order. @param runs_on  (slow, fast, extent of fast): whether in every array the
/// stride of `slow` is that extent times the stride of `fast`
template <class RunsOn>
MergedAxes merge_axes(const Shape& shape, std::span<const std::size_t> order, RunsOn&& runs_on) {
    MergedAxes merged;
    for (const std::size_t axis : order) {
        const std::int64_t extent = shape[axis];
        if (extent == 1) continue;
        if (!merged.empty() && runs_on(merged.back().axis, axis, extent)) {
            merged.back() = {merged.back().extent * extent, axis};
        } else {
            merged.push_back({extent, axis});
        }
    }
    return merged;
}

}  // namespace gemel
