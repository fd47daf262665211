/// The pieces of the block layer, each in a small kernel of its own, against loops on the host.
#include "../block_programs.hpp"
#include "../left_out.hpp"

#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

using namespace gemel;
using namespace block_programs;

namespace {

bool lacks_warps() {
    const bool lacks = !default_context().device().info().has_cross_block_visibility;
    if (lacks) MESSAGE("not run: the device's blocks are not made of warps that see each other's writes");
    return lacks;
}

struct Affine8 {
    std::uint8_t factor, more;
    friend bool operator==(const Affine8&, const Affine8&) = default;
};
struct Affine32 {
    std::uint32_t factor, more, count;
    friend bool operator==(const Affine32&, const Affine32&) = default;
};
std::uint32_t scan(std::uint32_t a, std::uint32_t b) { return a + b; }
std::uint64_t scan(std::uint64_t a, std::uint64_t b) { return a + b; }
Affine8 scan(Affine8 a, Affine8 b) {
    return {static_cast<std::uint8_t>(a.factor * b.factor), static_cast<std::uint8_t>(a.more * b.factor + b.more)};
}
Affine32 scan(Affine32 a, Affine32 b) { return {a.factor * b.factor, a.more * b.factor + b.more, a.count + b.count}; }

template <class T>
std::vector<T> random_items(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<T> items(count);
    for (T& item : items) {
        if constexpr (std::is_same_v<T, Affine8>)
            item = {static_cast<std::uint8_t>(random() | 1), static_cast<std::uint8_t>(random())};
        else if constexpr (std::is_same_v<T, Affine32>)
            item = {static_cast<std::uint32_t>(random() | 1), static_cast<std::uint32_t>(random()), 1};
        else
            item = static_cast<T>(random());
    }
    return items;
}

template <class T>
std::vector<T> scanned_on_host(std::vector<T> items, std::size_t stride = 1) {
    for (std::size_t i = stride; i < items.size(); ++i) items[i] = scan(items[i - stride], items[i]);
    return items;
}

template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b, std::size_t count) {
    return static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count), b.begin()).first - a.begin());
}

template <class T>
Buffer device_copy(const std::vector<T>& values) {
    Buffer buffer = default_context().allocate(std::max<std::size_t>(values.size(), 1) * sizeof(T));
    buffer.upload(values);
    return buffer;
}

template <class T>
std::vector<T> host_copy(const Buffer& buffer, std::size_t count) {
    std::vector<T> values(count);
    buffer.download(values);
    return values;
}

/// A block scans tiles of several lengths, the last element's repetitions beyond the end included in no result.
template <class T>
void check_scan_by_shuffles(const Scanned& scanned) {
    const auto check = [&](int threads, int vector_width, int rows) {
        const Kernel run =
            default_context()
                .compile(scan_by_shuffles(default_context().dialect(), scanned, threads, vector_width, rows))
                .kernel("run");
        const int tile = threads * vector_width * rows;
        for (const int n : {1, 31, 33, tile / 2 + 1, tile - 1, tile}) {
            if (n > tile) continue;
            const std::vector<T> items = random_items<T>(static_cast<std::size_t>(n));
            const Buffer x = device_copy(items), out = device_copy(std::vector<T>(items.size() + 1));
            run({.grid = {1}, .block = {threads}}, x, out, n);
            const std::vector<T> expected = scanned_on_host(items), found = host_copy<T>(out, items.size() + 1);
            CHECK_MESSAGE(first_difference(expected, found, items.size()) == items.size(), scanned.item.bytes,
                          " bytes, ", threads, " threads, ", vector_width, " vector_width, ", rows, " rows, n = ", n);
            if (n == tile) CHECK_MESSAGE(found.back() == expected.back(), "total of ", scanned.item.bytes, " bytes");
        }
    };
    check(32, 1, 1);
    check(256, 1, 1);
    check(64, 3, 1);
    check(128, 4, 3);
}

/// Tiles of several lengths, in which about half of the elements count, all of them, or none.
template <class T>
void check_count_by_shuffles(const char* type) {
    const auto check = [&](int threads, int vector_width, int rows) {
        const Kernel run =
            default_context()
                .compile(count_by_shuffles(default_context().dialect(), type, threads, vector_width, rows))
                .kernel("run");
        const int tile = threads * vector_width * rows;
        for (const int n : {1, 33, tile / 2 + 1, tile}) {
            if (n > tile) continue;
            for (const std::uint32_t odd : {0u, 1u, 2u}) {
                std::vector<std::uint32_t> items = random_items<std::uint32_t>(static_cast<std::size_t>(n));
                if (odd < 2)
                    for (std::uint32_t& item : items) item = odd;
                const Buffer x = device_copy(items), out = device_copy(std::vector<T>(items.size() + 1));
                run({.grid = {1}, .block = {threads}}, x, out, n);
                std::vector<T> expected;
                for (const std::uint32_t item : items)
                    expected.push_back((expected.empty() ? T{0} : expected.back()) + static_cast<T>(item & 1));
                expected.push_back(expected.back());
                CHECK_MESSAGE(host_copy<T>(out, expected.size()) == expected, type, ", ", threads, " threads, ",
                              vector_width, " vector_width, ", rows, " rows, n = ", n);
            }
        }
    };
    check(32, 1, 1);
    check(256, 4, 8);
    check(64, 3, 5);
    check(128, 16, 2);
    check(96, 8, 3);
}

template <class T>
void check_scan_in_shared_memory(const Scanned& scanned) {
    const int threads = 64;
    const Kernel run =
        default_context().compile(scan_in_shared_memory(default_context().dialect(), scanned, threads)).kernel("run");
    for (const int n : {1, 2, 31, 63, 64}) {
        const std::vector<T> items = random_items<T>(static_cast<std::size_t>(n));
        const Buffer x = device_copy(items), out = device_copy(std::vector<T>(items.size()));
        run({.grid = {1}, .block = {threads}}, x, out, n);
        CHECK_MESSAGE(
            first_difference(scanned_on_host(items), host_copy<T>(out, items.size()), items.size()) == items.size(),
            scanned.item.bytes, " bytes, n = ", n);
    }
}

/// Several launches with the same states, which nobody clears in between.
template <class T>
void check_look_back(const Scanned& scanned, int columns, bool in_parts = false) {
    const Kernel run =
        default_context().compile(look_back(default_context().dialect(), scanned, columns, in_parts)).kernel("run");
    const std::size_t width = columns ? static_cast<std::size_t>(columns) : 1;
    const std::size_t max_tiles =
        columns && gemel::testing::is_check() ? 85 : 5000;  // the check has shorter chains of columns
    const Buffer states =
        device_copy(std::vector<std::uint64_t>(max_tiles * width * static_cast<std::size_t>(scanned.item.words())));
    const Buffer ticket = device_copy(std::vector<std::uint32_t>(1));
    std::uint32_t dealt = 0, epoch = 0;
    const std::size_t threads = columns ? (width + 31) / 32 * 32 : 64;
    for (const std::size_t tiles : {std::size_t{1}, std::size_t{2}, std::size_t{33}, max_tiles / 5, max_tiles}) {
        const std::vector<T> items = random_items<T>(tiles * width);
        const Buffer x = device_copy(items), out = device_copy(items);
        run({.grid = {tiles}, .block = {threads}}, x, out, states, ticket, dealt, ++epoch);
        dealt += static_cast<std::uint32_t>(tiles);
        const std::vector<T> sums = scanned_on_host(items, width), found = host_copy<T>(out, items.size());
        std::size_t wrong = 0;
        for (std::size_t i = width; i < items.size(); ++i) wrong += !(found[i] == sums[i - width]);
        CHECK_MESSAGE(wrong == 0, scanned.item.bytes, " bytes, ", columns, " columns, ", tiles, " tiles");
    }
}

/// Every thread gets its group's sum.
template <class T>
void check_reduce_for_all(const Scanned& scanned) {
    for (const auto& [threads, group] : {std::pair{32, 32}, {64, 32}, {64, 64}, {192, 96}, {256, 128}, {512, 512}}) {
        const std::vector<T> items = random_items<T>(static_cast<std::size_t>(threads));
        std::vector<T> expected(items.size());
        for (std::size_t k = 0; k < items.size(); ++k) {
            const std::size_t first = k / static_cast<std::size_t>(group) * static_cast<std::size_t>(group);
            for (std::size_t j = first; j < first + static_cast<std::size_t>(group); ++j) expected[k] += items[j];
        }
        const Buffer x = device_copy(items), out = device_copy(std::vector<T>(items.size()));
        default_context()
            .compile(reduce_for_all(default_context().dialect(), scanned, threads, group))
            .kernel("run")({.grid = {1}, .block = {threads}}, x, out);
        CHECK_MESSAGE(host_copy<T>(out, items.size()) == expected, threads, " threads in groups of ", group);
    }
}

/// Every thread gets what its group of tiles gives in their order. Several launches use the same states.
template <class T>
void check_reduce_across_blocks(const Scanned& scanned, int parts, int columns) {
    const int threads = 64;
    const Kernel run = default_context()
                           .compile(reduce_across_blocks(default_context().dialect(), scanned, parts, columns, threads))
                           .kernel("run");
    const auto width = static_cast<std::size_t>(columns ? columns : 1);
    const auto outputs = static_cast<std::size_t>(columns ? columns : threads);
    const auto group = static_cast<std::size_t>(parts);
    const std::size_t max_tiles = 40 * group;
    const Buffer states =
        device_copy(std::vector<std::uint64_t>(max_tiles * width * static_cast<std::size_t>(scanned.item.words())));
    const Buffer ticket = device_copy(std::vector<std::uint32_t>(1));
    std::uint32_t dealt = 0, epoch = 0;
    for (const std::size_t tiles : {group, 7 * group, max_tiles}) {
        const std::vector<T> items = random_items<T>(tiles * width);
        std::vector<T> expected(tiles * outputs);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const std::size_t first = i / outputs / group * group, c = columns ? i % outputs : 0;
            expected[i] = items[first * width + c];
            for (std::size_t t = first + 1; t < first + group; ++t)
                expected[i] = scan(expected[i], items[t * width + c]);
        }
        const Buffer x = device_copy(items), out = device_copy(std::vector<T>(expected.size()));
        run({.grid = {tiles}, .block = {threads}}, x, out, states, ticket, dealt, ++epoch);
        dealt += static_cast<std::uint32_t>(tiles);
        CHECK_MESSAGE(host_copy<T>(out, expected.size()) == expected, scanned.item.bytes, " bytes, ", tiles,
                      " tiles in groups of ", parts, ", ", columns, " columns");
    }
}

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("a block scans a tile in registers") {
    if (lacks_warps()) return;
    check_scan_by_shuffles<std::uint32_t>(one_word());
    check_scan_by_shuffles<std::uint64_t>(two_words());
    check_scan_by_shuffles<Affine8>(half_a_word());
    check_scan_by_shuffles<Affine32>(three_words());
    check_count_by_shuffles<std::int32_t>("int32_t");
    check_count_by_shuffles<std::int64_t>("int64_t");
}

TEST_CASE("a block scans in shared memory") {
    check_scan_in_shared_memory<std::uint32_t>(one_word());
    check_scan_in_shared_memory<std::uint64_t>(two_words());
    check_scan_in_shared_memory<Affine8>(half_a_word());
    check_scan_in_shared_memory<Affine32>(three_words());
}

TEST_CASE("a block combines totals by a tree") {
    for (const int threads : {1, 2, 7, 64, 96, 256}) {  // 7 and 96: steps whose parts differ
        const Kernel run =
            default_context().compile(reduce_in_shared_memory(default_context().dialect(), threads)).kernel("run");
        for (const int n : {1, threads / 2 + 1, threads}) {
            std::vector<std::int32_t> items(static_cast<std::size_t>(n));
            std::mt19937 random(static_cast<unsigned>(n));
            for (auto& item : items) item = static_cast<std::int32_t>(random() >> 1);
            std::vector<std::uint64_t> expected(2);
            for (const auto item : items) expected[0] += static_cast<std::uint64_t>(item) << 20;
            expected[1] = static_cast<std::uint64_t>(*std::max_element(items.begin(), items.end()));
            const Buffer x = device_copy(items), out = device_copy(std::vector<std::uint64_t>(2));
            run({.grid = {1}, .block = {threads}}, x, out, n);
            CHECK_MESSAGE(host_copy<std::uint64_t>(out, 2) == expected, threads, " threads, n = ", n);
        }
    }
}

/// Sums, which do not depend on the order.
template <class T>
void check_side_by_side(const Scanned& scanned, bool shuffles) {
    std::size_t choice = 0;
    for (const int threads : {32, 64, 256})
        for (int width = 1; width <= (shuffles ? 32 : threads); width *= 2)
            for (const bool neighbours : {true, false}) {
                if (shuffles && !neighbours) continue;
                if (gemel::testing::is_left_out(5, choice++)) continue;
                const int groups = threads / width;
                const auto text =
                    reduce_side_by_side(default_context().dialect(), scanned, threads, groups, neighbours, shuffles);
                const std::vector<T> items = random_items<T>(static_cast<std::size_t>(threads));
                std::vector<T> expected(static_cast<std::size_t>(groups));
                for (int k = 0; k < threads; ++k)
                    expected[static_cast<std::size_t>(neighbours ? k / width : k % groups)] +=
                        items[static_cast<std::size_t>(k)];
                const Buffer x = device_copy(items), out = device_copy(std::vector<T>(expected.size()));
                default_context().compile(text).kernel("run")({.grid = {1}, .block = {threads}}, x, out);
                CHECK_MESSAGE(host_copy<T>(out, expected.size()) == expected, threads, " threads, ", groups,
                              " groups, ", neighbours ? "neighbours" : "apart");
            }
}

TEST_CASE("groups of a block's threads combine totals in shared memory, side by side") {
    check_side_by_side<std::uint32_t>(one_word(), false);
    check_side_by_side<std::uint64_t>(two_words(), false);
}

TEST_CASE("groups of a warp's threads combine totals by shuffles") {
    if (lacks_warps()) return;
    check_side_by_side<std::uint32_t>(one_word(), true);
    check_side_by_side<std::uint64_t>(two_words(), true);
}

TEST_CASE("all threads of a group of warps get its total") {
    if (lacks_warps()) return;
    check_reduce_for_all<std::uint32_t>(one_word());
    check_reduce_for_all<std::uint64_t>(two_words());
}

TEST_CASE("all threads of several blocks get the blocks' total") {
    if (lacks_warps()) return;
    check_reduce_across_blocks<std::uint32_t>(one_word(), 2, 0);
    check_reduce_across_blocks<std::uint64_t>(two_words(), 7, 0);
    check_reduce_across_blocks<Affine8>(half_a_word(), 3, 0);
    check_reduce_across_blocks<Affine32>(three_words(), 8, 0);
    check_reduce_across_blocks<std::uint32_t>(one_word(), 2, 1);
    check_reduce_across_blocks<std::uint64_t>(two_words(), 4, 128);
    check_reduce_across_blocks<Affine8>(half_a_word(), 7, 64);
    check_reduce_across_blocks<Affine32>(three_words(), 3, 64);
}

TEST_CASE("a warp looks back over the tiles before") {
    if (lacks_warps()) return;
    check_look_back<std::uint32_t>(one_word(), 0);
    check_look_back<std::uint64_t>(two_words(), 0);
    check_look_back<Affine8>(half_a_word(), 0);
    check_look_back<Affine32>(three_words(), 0);
}

TEST_CASE("threads look back each for a column of their own") {
    if (lacks_warps()) return;
    check_look_back<std::uint32_t>(one_word(), 1);
    check_look_back<std::uint32_t>(one_word(), 256);
    check_look_back<std::uint64_t>(two_words(), 40);
    check_look_back<Affine8>(half_a_word(), 3);
    check_look_back<Affine32>(three_words(), 33);
}

TEST_CASE("threads publish first and look back later") {
    if (lacks_warps()) return;
    check_look_back<std::uint32_t>(one_word(), 256, true);
    check_look_back<std::uint64_t>(two_words(), 40, true);
    check_look_back<Affine8>(half_a_word(), 1, true);
    check_look_back<Affine32>(three_words(), 33, true);
}

TEST_CASE("elements of a tile are ranked by their digits") {
    if (lacks_warps()) return;
    const auto check = [](int threads, int items, unsigned different, bool keeps_digit = false) {
        const Kernel run = default_context()
                               .compile(rank_by_digit(default_context().dialect(), threads, items, keeps_digit))
                               .kernel("run");
        const int tile = threads * items;
        for (const int n : {1, 33, tile / 2 + 1, tile - 1, tile}) {
            std::mt19937 random(static_cast<unsigned>(n));
            std::vector<std::uint8_t> digits(static_cast<std::size_t>(n));
            for (auto& digit : digits) digit = static_cast<std::uint8_t>(255 - random() % different);
            const Buffer x = device_copy(digits), ranks = device_copy(std::vector<int>(digits.size())),
                         totals = device_copy(std::vector<int>(256, -1));
            run({.grid = {1}, .block = {threads}}, x, ranks, totals, n);
            std::vector<int> counts(256), expected(digits.size());
            for (std::size_t i = 0; i < digits.size(); ++i) expected[i] = counts[digits[i]]++;
            CHECK_MESSAGE(host_copy<int>(ranks, digits.size()) == expected, threads, " threads, ", items,
                          " items, n = ", n);
            if (keeps_digit) counts[255] += tile - n;  // what lies behind the end
            CHECK_MESSAGE(host_copy<int>(totals, 256) == counts, threads, " threads, ", items, " items, n = ", n);
        }
    };
    check(256, 1, 256);
    check(256, 7, 256);
    check(512, 4, 3);
    check(256, 16, 1);
    check(256, 7, 256, true);
    check(384, 5, 2, true);
}

TEST_CASE("elements of a tile find their places by their digits") {
    if (lacks_warps()) return;
    for (const auto& [threads, items, different] :
         {std::tuple{256, 1, 256u}, {256, 7, 256u}, {512, 4, 3u}, {256, 36, 1u}, {384, 5, 2u}}) {
        const Kernel run =
            default_context().compile(place_by_digit(default_context().dialect(), threads, items)).kernel("run");
        const int tile = threads * items;
        for (const int n : {1, 33, tile / 2 + 1, tile - 1, tile}) {
            std::mt19937 random(static_cast<unsigned>(n));
            std::vector<std::uint8_t> digits(static_cast<std::size_t>(n));
            for (auto& digit : digits) digit = static_cast<std::uint8_t>(255 - random() % different);
            const Buffer x = device_copy(digits),
                         places = device_copy(std::vector<int>(static_cast<std::size_t>(tile))),
                         totals = device_copy(std::vector<int>(256, -1));
            run({.grid = {1}, .block = {threads}}, x, places, totals, n);
            std::vector<int> counts(256), next(256), expected(digits.size());
            for (const std::uint8_t digit : digits) ++counts[digit];
            std::exclusive_scan(counts.begin(), counts.end(), next.begin(), 0);
            for (std::size_t i = 0; i < digits.size(); ++i) expected[i] = next[digits[i]]++;
            for (int behind = n; behind < tile; ++behind) expected.push_back(behind);
            CHECK_MESSAGE(host_copy<int>(places, expected.size()) == expected, threads, " threads, ", items,
                          " items, n = ", n);
            counts[255] += tile - n;  // what lies behind the end
            CHECK_MESSAGE(host_copy<int>(totals, 256) == counts, threads, " threads, ", items, " items, n = ", n);
        }
    }
}

TEST_CASE("elements of a tile change their places within it") {
    for (const auto& one : {std::pair{32, 1}, {128, 5}, {256, 8}}) {
        const int threads = one.first, items = one.second;
        const Kernel run =
            default_context().compile(reorder(default_context().dialect(), threads, items)).kernel("run");
        const int tile = threads * items;
        for (const int n : {1, 31, tile / 2 + 1, tile - 1, tile}) {
            std::vector<int> values(static_cast<std::size_t>(n)), places(values.size()), expected(values.size());
            std::mt19937 random(static_cast<unsigned>(n));
            for (int& value : values) value = static_cast<int>(random() % 100000);
            std::iota(places.begin(), places.end(), 0);
            std::shuffle(places.begin(), places.end(), random);
            for (std::size_t i = 0; i < values.size(); ++i)
                expected[static_cast<std::size_t>(places[i])] = values[i] * 4096 + static_cast<int>(i);
            const Buffer x = device_copy(values), to = device_copy(places), out = device_copy(values);
            run({.grid = {1}, .block = {threads}}, x, to, out, n);
            CHECK_MESSAGE(host_copy<int>(out, values.size()) == expected, threads, " threads, ", items,
                          " items, n = ", n);
        }
    }
}

TEST_CASE("elements are scattered through shared memory") {
    const int threads = 64, items = 3;
    const Kernel run =
        default_context().compile(scatter(default_context().dialect(), "uint64_t", threads, items)).kernel("run");
    for (const int n : {1, 64, 65, 191, 192}) {
        const std::vector<std::uint64_t> values = random_items<std::uint64_t>(static_cast<std::size_t>(n));
        std::vector<int> places(values.size());
        std::iota(places.begin(), places.end(), 0);
        std::shuffle(places.begin(), places.end(), std::mt19937(1));
        const Buffer x = device_copy(values), to = device_copy(places),
                     out = device_copy(std::vector<std::uint64_t>(values.size()));
        run({.grid = {1}, .block = {threads}}, x, to, out, n);
        std::vector<std::uint64_t> expected(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) expected[static_cast<std::size_t>(places[i])] = values[i];
        CHECK_MESSAGE(host_copy<std::uint64_t>(out, values.size()) == expected, "n = ", n);
    }
}

TEST_SUITE_END();
