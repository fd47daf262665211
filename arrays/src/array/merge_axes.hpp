/// Axes of arrays seen as few: those of extent 1 go, neighbours that run on in all arrays are joined.
#pragma once

#include <gemel/arrays/shape.hpp>

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace gemel {

/// Of the arrays of a generated kernel, as NumPy's limit. An array with elements has at most 62 axes that are longer
/// than 1.
inline constexpr std::size_t max_axes = 64;

struct MergedAxis {
    std::int64_t extent = 1;
    std::size_t axis = 0;  ///< of the axes that were joined the fastest: its steps are those of the joined one
};
using MergedAxes = boost::container::small_vector<MergedAxis, 8>;  // arrays without elements may have any rank

/// Joins neighbours in the order given. @param runs_on  (slow, fast, extent of fast): whether in every array a step
/// along `slow` is that many steps along `fast`
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
