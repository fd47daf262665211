#include <gemel/codegen/tuning_search.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "tune/proposals.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace gemel::tune {

const char* to_string(Strategy strategy) {
    switch (strategy) {
        case Strategy::random: return "random";
        case Strategy::exhaustive: return "exhaustive";
        default: return "neighbours";
    }
}

Strategy parse_strategy(std::string_view name) {
    for (const Strategy strategy : {Strategy::neighbours, Strategy::random, Strategy::exhaustive})
        if (name == to_string(strategy)) return strategy;
    throw ArgumentError(text("tune: there is no strategy '", name, "'; there are neighbours, random, exhaustive"));
}

struct Search::State {
    const Space& space;
    Strategy strategy;
    std::uint64_t seed;
    std::vector<std::size_t> order;  ///< start points; then all points, unless the strategy is neighbours
    std::size_t started = 0;         ///< the points at the beginning of `order` that were told
    Told told = {};
    std::optional<std::size_t> best = {};
    std::size_t fruitless = 0;
    std::vector<std::size_t> proposals = {};
    std::size_t proposed_count = 0;  ///< the `count` for which `proposals` were computed; 0: out of date

    std::optional<CoordinateSystem> system = {};  ///< made when it is needed

    /// Initial points far from each other show which parameters matter before a model can. Without a start there are
    /// more, because such points are slow.
    std::size_t first_points() const { return std::min<std::size_t>(order.empty() ? 8 : 5, space.size()); }
    /// The points of `points` that count as initial ones: without a start, those that ran or will be tried, unless most
    /// fail.
    std::size_t useful(const Told& points) const {
        if (!order.empty() || points.size() >= 2 * first_points()) return points.size();
        return static_cast<std::size_t>(std::count_if(points.begin(), points.end(), [&](const auto& one) {
            return one.second.has_value() || !told.contains(one.first);
        }));
    }

    void add_proposal(std::size_t point) {
        if (!told.contains(point) && std::find(proposals.begin(), proposals.end(), point) == proposals.end())
            proposals.push_back(point);
    }

    void propose(std::size_t count) {
        proposals.clear();
        while (started < order.size() && told.contains(order[started])) ++started;
        for (std::size_t i = started; i < order.size() && proposals.size() < count; ++i) add_proposal(order[i]);
        if (strategy != Strategy::neighbours || told.size() >= space.size()) return;
        std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + told.size());
        Told assumed = told;
        for (const std::size_t point : proposals) assumed[point] = std::nullopt;
        while (proposals.size() < count && useful(assumed) < first_points()) {
            const auto point = far_point(space, assumed, random);
            if (!point) break;
            proposals.push_back(*point);
            assumed[*point] = std::nullopt;
        }
        if (proposals.size() >= count) return;
        // With one successful point, there is nothing to compare.
        const auto ran =
            std::count_if(told.begin(), told.end(), [](const auto& one) { return one.second.has_value(); });
        if (ran < 2) {
            if (const auto point = far_point(space, assumed, random)) proposals.push_back(*point);
            for (std::size_t point = 0; point < space.size() && proposals.empty(); ++point) add_proposal(point);
            return;
        }
        if (!system) system.emplace(space);
        for (const std::size_t point : promising_points(space, *system, told, *best, fruitless, count, random))
            if (proposals.size() < count) add_proposal(point);
    }
};

Search::Search(const Space& space, Strategy strategy, std::uint64_t seed, std::vector<std::size_t> starts)
    : state_(new State{space, strategy, seed, std::move(starts)}) {
    std::erase_if(state_->order, [&](std::size_t point) { return point >= space.size(); });
    if (strategy == Strategy::neighbours) return;
    std::vector<std::size_t> all(space.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (strategy == Strategy::random) {
        std::mt19937_64 random(seed);
        for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
    }
    state_->order.insert(state_->order.end(), all.begin(), all.end());
}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

const std::vector<std::size_t>& Search::next(std::size_t count) {
    State& s = *state_;
    if (s.proposed_count < count) {
        s.propose(count);
        s.proposed_count = count;
    }
    return s.proposals;
}

void Search::tell(std::size_t point, std::optional<double> milliseconds) {
    State& s = *state_;
    if (point >= s.space.size()) throw ArgumentError(text("tune: there is no point ", point));
    // A coarse clock may measure zero, which would remain the minimum.
    if (milliseconds) milliseconds = std::max(*milliseconds, 1e-9);
    s.told[point] = milliseconds;
    s.proposed_count = 0;
    const bool is_best = milliseconds && (!s.best || (s.best != point && *milliseconds < *s.told[*s.best]));
    s.fruitless = is_best ? 0 : s.fruitless + 1;
    if (is_best) s.best = point;
    if (s.best != point || is_best) return;
    // The best point was told again and may have become slower.
    s.best.reset();
    for (const auto& [other, time] : s.told)
        if (time && (!s.best || *time < *s.told[*s.best])) s.best = other;
}

bool Search::knows(std::size_t point) const { return state_->told.contains(point); }
std::size_t Search::told() const { return state_->told.size(); }
std::optional<std::size_t> Search::best() const { return state_->best; }
double Search::best_milliseconds() const { return state_->best ? *state_->told.at(*state_->best) : 0; }

}  // namespace gemel::tune
