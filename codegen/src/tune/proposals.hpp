/// The steps of a neighbourhood search: proposes points for trials.
#pragma once

#include "tune/coordinates.hpp"

#include <gemel/codegen/tuning_space.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace gemel::tune {

/// Times by point; empty for points that failed.
using Told = std::map<std::size_t, std::optional<double>>;

/// @returns the random point, of several drawn, that is farthest from all points told
std::optional<std::size_t> far_point(const Space& space, const Told& told, std::mt19937_64& random);

/// Ranks candidates by expected improvement times the probability that they run.
/// @param told       at least two points ran
/// @param best       the fastest point told
/// @param fruitless  the number of trials since the best point was found; more widen the neighbourhood
/// @returns up to `count` points not told, the most promising first
std::vector<std::size_t> promising_points(const Space& space, const CoordinateSystem& system, const Told& told,
                                          std::size_t best, std::size_t fruitless, std::size_t count,
                                          std::mt19937_64& random);

}  // namespace gemel::tune
