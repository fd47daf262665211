/// Sorts, selections and histograms of more than 2^32 elements, so that positions and counts need more than 32 bits: on
/// GPUs with the memory for them.
#include "generator_support.hpp"
#include "large_support.hpp"

#include <numeric>

using namespace gemel;
using namespace gemel::testing;

namespace {

constexpr std::int64_t count = (std::int64_t{1} << 32) + 5;
constexpr std::size_t gib = std::size_t{1} << 30;

/// Element i is i % period: each number below `period` occurs at equal distances.
template <class T>
GPUArray<T> cycle(std::int64_t period) {
    const GPUArray<T> x(current_context(), Shape{count});
    const ElementwiseKernel fill("T *x, int64_t period", "x[i] = (T)((int64_t)i % period)", "cycle");
    fill(x, period);
    return x;
}

std::vector<std::int64_t> occurrences(std::int64_t period) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(period));
    for (std::int64_t v = 0; v < period; ++v) all[static_cast<std::size_t>(v)] = count / period + (v < count % period);
    return all;
}

/// Ascending, with each number in as many places as cycle() has it: then it is the sorted cycle.
template <class T>
void check_sorted(const GPUArray<T>& sorted, std::int64_t period) {
    CHECK(all(sorted(slice(1, {})) >= sorted(slice(0, -1))).item());
    const std::vector<std::int64_t> counts = occurrences(period);
    std::vector<std::int64_t> ends(counts.size());
    std::partial_sum(counts.begin(), counts.end(), ends.begin());
    for (std::int64_t& end : ends) --end;
    std::vector<T> numbers(counts.size());
    std::iota(numbers.begin(), numbers.end(), T{0});
    CHECK_SAME(numbers, take(sorted, to_gpu(ends)).get(), "the last of each number");
}

}  // namespace

TEST_SUITE_BEGIN("large_algorithms");

TEST_CASE("more than 2^32 keys are sorted in one pass") {
    if (!has_room(5 * gib, 14 * gib)) return;
    check_sorted(sort(cycle<std::uint8_t>(251)), 251);
}

TEST_CASE("more than 2^32 keys are sorted in two passes") {
    if (!has_room(9 * gib, 36 * gib)) return;
    check_sorted(sort(cycle<std::uint16_t>(65521)), 65521);
}

TEST_CASE("values move with more than 2^32 keys and keep their order") {
    if (!has_room(5 * gib, 32 * gib)) return;
    const GPUArray<std::uint8_t> x = cycle<std::uint8_t>(251), part(current_context(), Shape{count});
    const ElementwiseKernel number("uint8_t *part", "part[i] = (uint8_t)((int64_t)i >> 25)", "number_parts");
    number(part);
    const auto [keys, parts] = sort_by_key(x, part);
    check_sorted(keys, 251);
    const auto next = slice(1, {}), here = slice(0, -1);
    CHECK(all((keys(next) != keys(here)) | (parts(next) >= parts(here))).item());
    CHECK(sum(parts).item() == sum(part).item());
}

TEST_CASE("argsort gives places behind the first 2^32") {
    if (!has_room(35 * gib, 50 * gib)) return;
    const GPUArray<std::int64_t> order = argsort(cycle<std::uint8_t>(251));
    const auto next = order(slice(1, {})), here = order(slice(0, -1));
    // From one occurrence of a number to its next, from the last to the first of the next number.
    CHECK(order(0).item() == 0);
    CHECK(all(where(here + 251 < count, next == here + 251, next == here % 251 + 1)).item());
}

TEST_CASE("elements behind the first 2^32 are selected and parted") {
    if (!has_room(5 * gib, 24 * gib)) return;
    const auto x = cycle<std::uint8_t>(251);
    const std::int64_t last = occurrences(251)[250];
    const Selection<std::uint8_t> kept = copy_if(x, x == 250);
    CHECK(kept.count.item() == last);
    CHECK(all(kept.array() == 250).item());
    std::vector<std::uint8_t> tail;
    for (std::int64_t i = count - 7; i < count; ++i) tail.push_back(static_cast<std::uint8_t>(i % 251));
    CHECK(copy_if(x, "i >= n - 7").array().get() == tail);
    CHECK(copy_if(x, Predicate("i >= first", "int64_t first"), count - 7).array().get() == tail);
    CHECK(remove_if(x, x < 255).count.item() == 0);
    const Partition<std::uint8_t> parts = partition(x, x != 250);
    CHECK(parts.count.item() == count - last);
    CHECK(parts.first()(slice(-2, {})).get() == std::vector<std::uint8_t>(tail.end() - 2, tail.end()));
    CHECK(all(parts.second() == 250).item());
}

TEST_CASE("runs of more than 2^32 elements in all are found") {
    if (!has_room(35 * gib, 50 * gib)) return;
    const auto sorted = sort(cycle<std::uint8_t>(251));
    std::vector<std::uint8_t> numbers(251);
    std::iota(numbers.begin(), numbers.end(), std::uint8_t{0});
    CHECK(unique_consecutive(sorted).array().get() == numbers);
    const Runs<std::uint8_t> runs = run_lengths(sorted);
    CHECK(runs.values().get() == numbers);
    CHECK(runs.lengths().get() == occurrences(251));
}

TEST_CASE("places of nonzero elements behind the first 2^32 are found") {
    if (!has_room(35 * gib, 50 * gib)) return;
    const GPUArray<std::int64_t> places = flatnonzero(cycle<std::uint8_t>(251) == 250);
    CHECK(static_cast<std::int64_t>(places.size()) == occurrences(251)[250]);
    CHECK(places(0).item() == 250);
    CHECK(all(places(slice(1, {})) == places(slice(0, -1)) + 251).item());
}

TEST_CASE("histograms count more than 2^32 elements") {
    if (!has_room(5 * gib, 10 * gib)) return;
    const auto x = cycle<std::uint8_t>(251);
    const std::vector<std::int64_t> counts = occurrences(251);
    CHECK(histogram(x, 251, 0.0, 251.0).counts.get() == counts);
    CHECK(bincount(x, {.length = 251}).get() == counts);
    const std::int64_t low = std::accumulate(counts.begin(), counts.begin() + 100, std::int64_t{0});
    const auto edges = to_gpu(std::vector<double>{0, 100, 251});
    CHECK(histogram(x, edges).counts.get() == std::vector<std::int64_t>{low, count - low});
}

TEST_CASE("histograms count more than 2^32 elements in one bin") {
    if (!has_room(5 * gib, 10 * gib)) return;
    const auto x = full<std::uint8_t>({count}, 7);
    CHECK(histogram(x, 10, 0.0, 10.0).counts.get()[7] == count);
    CHECK(bincount(x, {.length = 100000}).get()[7] == count);
}

TEST_CASE("histograms of more bins than shared memory holds count more than 2^32 elements") {
    if (!has_room(9 * gib, 18 * gib)) return;
    CHECK(bincount(cycle<std::uint16_t>(65521), {.length = 65521}).get() == occurrences(65521));
}

TEST_SUITE_END();
