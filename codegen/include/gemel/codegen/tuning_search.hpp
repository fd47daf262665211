/// Which points of a space are tried next. Knows no device: it proposes points and is told their times.
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
    /// Starts at given points and some that are far from each other, then goes by neighbourhoods of the best: points
    /// that differ in one parameter, in two, then anywhere. A model of the times so far chooses among them.
    neighbours,
    random,      ///< in an order that the seed decides
    exhaustive,  ///< every point, in order
};
/// "neighbours", "random", "exhaustive"
GEMEL_API const char* to_string(Strategy strategy);
/// @throws ArgumentError listing the names
GEMEL_API Strategy parse_strategy(std::string_view name);

/// A search over a space, which must live longer. Not for use by several threads at once.
class GEMEL_API Search {
   public:
    /// @param starts  points to try first
    explicit Search(const Space& space, Strategy strategy = Strategy::neighbours, std::uint64_t seed = 0,
                    std::vector<std::size_t> starts = {});
    ~Search();
    Search(Search&&) noexcept;
    Search& operator=(Search&&) noexcept;

    /// Up to `count` points to time next, the most promising first, none of them told before. The same until something
    /// is told; empty when every point was.
    const std::vector<std::size_t>& next(std::size_t count = 1);
    /// The time of a point; nothing if it failed.
    void tell(std::size_t point, std::optional<double> milliseconds);

    bool knows(std::size_t point) const;
    /// How many points were told.
    std::size_t told() const;
    std::optional<std::size_t> best() const;
    double best_milliseconds() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gemel::tune
