#include "tune/proposals.hpp"

#include "tune/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace gemel::tune {
namespace {

using Choices = std::vector<std::uint32_t>;

std::size_t draw(std::mt19937_64& random, std::size_t below) { return static_cast<std::size_t>(random() % below); }

double distance(const Space& space, const Choices& a, const Choices& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += space.distance(k, a[k], b[k]);
    return sum;
}

/// Collects points that were not told, without duplicates.
class Candidates {
   public:
    Candidates(const Space& space, const Told& told) : space_(space), told_(told) {}
    void add(std::size_t point) {
        if (!told_.contains(point)) points_.insert(point);
    }
    void add(const Choices& choices) {
        if (const auto point = space_.find(choices)) add(*point);
    }
    /// Adds the points that differ from `choices` in one parameter.
    template <class Use>
    void each_neighbour(const Choices& choices, Use&& use) {
        for (std::size_t k = 0; k < choices.size(); ++k)
            for (std::uint32_t value = 0; value < space_.parameters()[k].values.size(); ++value) {
                if (value == choices[k]) continue;
                Choices other = choices;
                other[k] = value;
                use(other);
            }
    }
    void add_neighbours(const Choices& choices) {
        each_neighbour(choices, [&](const Choices& one) { add(one); });
    }
    void add_second_neighbours(const Choices& choices) {
        each_neighbour(choices, [&](const Choices& one) { add_neighbours(one); });
    }
    void add_anywhere(std::mt19937_64& random) {
        constexpr std::size_t few = 4096, drawn = 2048;
        if (space_.size() <= few) {
            for (std::size_t point = 0; point < space_.size(); ++point) add(point);
        } else {
            for (std::size_t i = 0; i < drawn; ++i) add(draw(random, space_.size()));
        }
    }
    const std::set<std::size_t>& points() const { return points_; }

   private:
    const Space& space_;
    const Told& told_;
    std::set<std::size_t> points_;
};

/// Of many samples, those of least value and some others.
std::vector<Sample> thinned(std::vector<Sample> samples) {
    constexpr std::size_t most = 72;
    if (samples.size() <= most) return samples;
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample& a, const Sample& b) { return a.value < b.value; });
    std::vector<Sample> chosen(samples.begin(), samples.begin() + most / 2);
    const std::size_t rest = samples.size() - most / 2;
    for (std::size_t i = 0; i < most / 2; ++i) chosen.push_back(samples[most / 2 + i * rest / (most / 2)]);
    return chosen;
}

/// The logarithms of times.
std::vector<Sample> times_of(const CoordinateSystem& system, const Told& told) {
    std::vector<Sample> samples;
    for (const auto& [point, milliseconds] : told)
        if (milliseconds) samples.push_back({system.at(point), std::log(*milliseconds)});
    return thinned(std::move(samples));
}

/// 1 for points that ran, -1 for others.
std::vector<Sample> successes_of(const CoordinateSystem& system, const Told& told) {
    std::vector<Sample> samples;
    for (const auto& [point, milliseconds] : told) samples.push_back({system.at(point), milliseconds ? 1.0 : -1.0});
    return thinned(std::move(samples));
}

}  // namespace

std::optional<std::size_t> far_point(const Space& space, const Told& told, std::mt19937_64& random) {
    std::optional<std::size_t> best;
    double best_gap = -1;
    for (int i = 0; i < 128; ++i) {
        const std::size_t point = draw(random, space.size());
        if (told.contains(point)) continue;
        const Choices choices = space.choices(point);
        double gap = std::numeric_limits<double>::infinity();
        for (const auto& [other, milliseconds] : told)
            gap = std::min(gap, distance(space, choices, space.choices(other)));
        if (gap > best_gap) best_gap = gap, best = point;
    }
    return best;
}

std::vector<std::size_t> promising_points(const Space& space, const CoordinateSystem& system, const Told& told,
                                          std::size_t best, std::size_t fruitless, std::size_t count,
                                          std::mt19937_64& random) {
    Candidates candidates(space, told);
    const Choices choices = space.choices(best);
    const std::size_t step = fruitless % 6;
    if (step < 2) candidates.add_neighbours(choices);
    if (step >= 2 && step < 4) candidates.add_second_neighbours(choices);
    if (step >= 4 || candidates.points().empty()) candidates.add_anywhere(random);
    if (candidates.points().empty())
        for (std::size_t point = 0; point < space.size() && candidates.points().size() < count; ++point)
            candidates.add(point);

    const Surrogate times(system.is_word(), times_of(system, told), random);
    std::optional<Surrogate> successes;
    if (std::any_of(told.begin(), told.end(), [](const auto& one) { return !one.second; }))
        successes.emplace(system.is_word(), successes_of(system, told), random);
    const double fastest = std::log(*told.at(best));
    std::vector<std::pair<double, std::size_t>> ranked;
    for (const std::size_t point : candidates.points()) {
        const Coordinates& at = system.at(point);
        const double chance = successes ? successes->chance_of_positive(at) : 1.0;
        ranked.emplace_back(-chance * times.expected_gain(at, fastest), point);
    }
    const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(count, ranked.size()));
    std::partial_sort(ranked.begin(), end, ranked.end());
    std::vector<std::size_t> points;
    for (auto one = ranked.begin(); one != end; ++one) points.push_back(one->second);
    return points;
}

}  // namespace gemel::tune
