/// Which points are worth a trial: the steps of a search by neighbourhoods.
#pragma once

#include <gemel/codegen/tuning_space.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace gemel::tune {

/// Times by point; nothing where a point failed.
using Told = std::map<std::size_t, std::optional<double>>;

/// @returns a point not told that is far from all that were, of some drawn at random
std::optional<std::size_t> far_point(const Space& space, const Told& told, std::mt19937_64& random);

/// @param best     a point told, the fastest
/// @param fruitless  how many trials since the best one was found: the more, the wider the neighbourhood
/// @returns up to `count` points not told, the most promising first
std::vector<std::size_t> promising_points(const Space& space, const Told& told, std::size_t best, std::size_t fruitless,
                                          std::size_t count, std::mt19937_64& random);

}  // namespace gemel::tune
