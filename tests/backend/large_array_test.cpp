/// Arrays of more than 2^31 elements in memory: on GPUs with 24 GiB free.
#include "large_support.hpp"

using namespace gemel;
using namespace gemel::testing;

namespace {

constexpr std::int64_t count = (std::int64_t{1} << 31) + 5;
constexpr std::size_t gib = std::size_t{1} << 30;

}  // namespace

TEST_SUITE_BEGIN("large_array");

TEST_CASE("elements behind the first 2^31 are filled and read and summed and moved") {
    if (!has_room(3 * gib, 24 * gib)) return;
    const auto x = full<std::uint8_t>({count}, 1);
    x(slice(-3, {})).fill(9);
    CHECK(sum(x).item() == std::uint64_t{count} + 3 * 8);
    const GPUArray<std::uint8_t> y = x + x;
    CHECK(y(slice(-4, {})).get() == std::vector<std::uint8_t>{2, 18, 18, 18});
    CHECK(std::int64_t(argmax(y).item()) == count - 3);
    const auto where = to_gpu(std::vector<std::int64_t>{0, count - 4, count - 1, -3});
    CHECK(take(y, where).get() == std::vector<std::uint8_t>{2, 2, 18, 18});
    put(y, to_gpu(std::vector<std::int64_t>{count - 2}), 77);
    CHECK(y(slice(-3, {})).get() == std::vector<std::uint8_t>{18, 77, 18});
    y(slice({}, {}, 2)).assign(x(slice({}, {}, 2)));
    CHECK(y(slice(-4, {})).get() == std::vector<std::uint8_t>{2, 9, 77, 9});
    CHECK(diff(y)(slice(-2, {})).get() == std::vector<std::uint8_t>{68, 188});
}

TEST_CASE("a matrix of more than 2^31 elements is reduced along either axis and turned") {
    constexpr std::int64_t columns = 1 << 16, rows = (std::int64_t{1} << 15) + 1;
    if (!has_room(3 * gib, 24 * gib)) return;
    const auto x = full<std::uint8_t>({rows, columns}, 1);
    x(rows - 1, columns - 1).fill(5);
    const auto by_row = sum(x, 1).get();
    CHECK(by_row[0] == columns);
    CHECK(by_row[rows - 1] == columns + 4);
    CHECK(sum(x, 0).get()[columns - 1] == rows + 4);
    const auto turned = x.transpose().copy(Order::C);
    CHECK(turned(columns - 1).get()[rows - 1] == 5);
    CHECK(sum(turned).item() == std::uint64_t{rows * columns} + 4);
}

TEST_SUITE_END();
