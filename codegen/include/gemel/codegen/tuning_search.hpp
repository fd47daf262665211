/// Searches of a space. A search is independent of devices: it proposes points and receives their times.
#pragma once

#include <gemel/codegen/tuning_space.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace gemel::tune {

enum class Strategy {
    /// Starts with the given points and some that are far from each other (five, without given points eight that run).
    /// Then searches neighbourhoods of the best point: points that differ in one parameter, in two, then all. It takes
    /// the one whose expected improvement times probability to run is the greatest, by Gaussian-process regression of
    /// the logarithms of the times and of which points ran, averaged over models whose hyperparameters are drawn by
    /// Gibbs sampling (Snoek, Larochelle and Adams, "Practical Bayesian Optimization of Machine Learning Algorithms",
    /// 2012; Gelbart, Snoek and Adams, "Bayesian Optimization with Unknown Constraints", 2014). Besides the parameters,
    /// the quantities that the space's constraints compare are inputs of the regression.
    neighbours,
    random,      ///< in a random order that depends on the seed
    exhaustive,  ///< every point, in order
};
/// "neighbours", "random", "exhaustive"
GEMEL_API const char* to_string(Strategy strategy);
/// @throws ArgumentError listing the names
GEMEL_API Strategy parse_strategy(std::string_view name);

/// A search of a space, which must outlive it. Not thread-safe.
class GEMEL_API Search {
   public:
    /// @param starts  points to try first
    explicit Search(const Space& space, Strategy strategy = Strategy::neighbours, std::uint64_t seed = 0,
                    std::vector<std::size_t> starts = {});
    ~Search();
    Search(Search&&) noexcept;
    Search& operator=(Search&&) noexcept;

    /// Up to `count` points to time next, the most promising first, none told before. Returns the same points until
    /// tell() is called; empty if all points were told.
    const std::vector<std::size_t>& next(std::size_t count = 1);
    /// Reports the time of a point, or nothing if it failed.
    void tell(std::size_t point, std::optional<double> milliseconds);

    /// Whether the point was told.
    bool knows(std::size_t point) const;
    /// The number of points told.
    std::size_t told() const;
    std::optional<std::size_t> best() const;
    double best_milliseconds() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gemel::tune
