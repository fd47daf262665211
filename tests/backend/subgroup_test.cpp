/// Words of sub-groups beside sums on the host, blocks that the library chooses, and memory of the user's.
#include "support.hpp"

#include <gemel/gemel.hpp>

#include <algorithm>

using namespace gemel;
using gemel::testing::downloaded;

namespace {

/// T: the type; each thread leaves its size, lane, id and what the words give.
std::string source(const std::string& type) {
    return "typedef " + type + R"( T;
KERNEL void words(GLOBAL_MEM T *x, GLOBAL_MEM T *out, GLOBAL_MEM int32_t *places, GLOBAL_MEM uint64_t *votes)
{
    const int32_t n = LDIM_0 * LDIM_1 * LDIM_2, t = LID_0 + LDIM_0 * (LID_1 + LDIM_1 * LID_2), i = GID_0 * n + t;
    const T v = x[i];
    places[3 * i] = subgroup_size();
    places[3 * i + 1] = subgroup_lane();
    places[3 * i + 2] = subgroup_id();
    out[6 * i] = subgroup_add(v);
    out[6 * i + 1] = subgroup_min(v);
    out[6 * i + 2] = subgroup_max(v);
    out[6 * i + 3] = subgroup_scan_add(v);
    out[6 * i + 4] = subgroup_broadcast(v, subgroup_size() - 1);
    out[6 * i + 5] = subgroup_shuffle(v, subgroup_size() - 1 - subgroup_lane());
    votes[3 * i] = subgroup_ballot(v > (T)3);
    votes[3 * i + 1] = (uint64_t)subgroup_any(v > (T)9);
    votes[3 * i + 2] = (uint64_t)subgroup_all(v > (T)0);
})";
}

/// Blocks of 2 x `rows` x 1 ... with `threads` in all; values are small, so that sums are exact in any order.
template <class T>
void check_words(const std::string& type, const Dim3& block) {
    const Context context = default_context();
    const auto threads = static_cast<std::size_t>(block.count());
    constexpr std::size_t blocks = 3;
    std::vector<T> x(blocks * threads);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 7919 % 11);
    const Buffer in = gemel::testing::uploaded(context, x), out = context.allocate(6 * x.size() * sizeof(T)),
                 places = context.allocate(12 * x.size()), votes = context.allocate(24 * x.size());
    context.compile(source(type)).kernel("words")({.grid = {blocks}, .block = block}, in, out, places, votes);
    const auto got = downloaded<T>(out);
    const auto where = downloaded<std::int32_t>(places);
    const auto voted = downloaded<std::uint64_t>(votes);
    std::size_t wrong = 0;
    for (std::size_t begin = 0; begin < x.size();) {
        const auto size = static_cast<std::size_t>(where[3 * begin]);
        REQUIRE(size >= 1);
        REQUIRE(begin / threads == (begin + size - 1) / threads);  // no sub-group leaves its block
        T sum{}, running{};
        std::uint64_t ballot = 0;
        const auto first = x.begin() + static_cast<std::ptrdiff_t>(begin),
                   last = first + static_cast<std::ptrdiff_t>(size);
        for (std::size_t k = 0; k < size; ++k) sum += x[begin + k], ballot |= std::uint64_t{x[begin + k] > 3} << k;
        for (std::size_t k = 0; k < size; ++k) {
            const std::size_t i = begin + k;
            running += x[i];
            wrong += where[3 * i] != static_cast<int>(size) || where[3 * i + 1] != static_cast<int>(k) ||
                     where[3 * i + 2] != where[3 * begin + 2];
            wrong += got[6 * i] != sum || got[6 * i + 1] != *std::min_element(first, last) ||
                     got[6 * i + 2] != *std::max_element(first, last) || got[6 * i + 3] != running ||
                     got[6 * i + 4] != x[begin + size - 1] || got[6 * i + 5] != x[begin + size - 1 - k];
            wrong += voted[3 * i] != ballot ||
                     voted[3 * i + 1] != std::any_of(first, last, [](T v) { return v > 9; }) ||
                     voted[3 * i + 2] != std::all_of(first, last, [](T v) { return v > 0; });
        }
        begin += size;
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("words of sub-groups, also in blocks of odd sizes and of several axes") {
    check_words<float>("float", {128});
    check_words<std::int32_t>("int32_t", {45});
    check_words<std::int64_t>("int64_t", {7, 3, 2});
    check_words<std::uint32_t>("uint32_t", {1});
    check_words<std::uint64_t>("uint64_t", {64});
    if (default_device().info().has_double) check_words<double>("double", {33});
}

TEST_CASE("a launch of threads without a block gets one that fits") {
    const Context context = default_context();
    const Module module = context.compile(R"(
KERNEL void mark(GLOBAL_MEM int32_t *a, GLOBAL_MEM int32_t *sizes, int32_t nx, int32_t ny, int32_t nz)
{
    const int32_t x = (int32_t)GLOBAL_ID_0, y = (int32_t)GLOBAL_ID_1, z = (int32_t)GLOBAL_ID_2;
    if (x == 0 && y == 0 && z == 0) { sizes[0] = LDIM_0; sizes[1] = LDIM_1; sizes[2] = LDIM_2; }
    if (x < nx && y < ny && z < nz) a[(z * ny + y) * nx + x] += 1;
}
KERNEL REQD_WG_SIZE(8, 2, 1) void fixed(GLOBAL_MEM int32_t *a) { a[0] = LDIM_0 * 100 + LDIM_1; })");
    const Kernel mark = module.kernel("mark");
    const Buffer sizes = context.allocate(12);
    for (const auto& [nx, ny, nz] : {std::array{1000, 1, 1}, {1, 1, 1}, {5, 300, 1}, {3, 5, 7}, {1000, 3, 2}}) {
        const auto n = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny * nz);
        const Buffer a = context.allocate(4 * n);
        a.fill(0);
        mark({.threads = {nx, ny, nz}}, a, sizes, nx, ny, nz);
        CHECK(downloaded<std::int32_t>(a) == std::vector<std::int32_t>(n, 1));
        const auto block = downloaded<std::int32_t>(sizes);
        const auto threads = static_cast<std::size_t>(block[0] * block[1] * block[2]);
        CHECK(threads >= 1);
        CHECK(threads <= mark.attributes().max_threads_per_block);
    }
    const Buffer a = context.allocate(4);
    module.kernel("fixed")({.threads = {8, 2}}, a);
    CHECK(downloaded<std::int32_t>(a)[0] == 802);
    CHECK_THROWS_MENTIONING(ArgumentError, mark({.grid = {4}}, a, sizes, 1, 1, 1), "no block size", ".block");
    mark({.threads = {0}}, a, sizes, 1, 1, 1);  // nothing to do
}

TEST_CASE("memory of the user's is a host buffer while it is adopted, and its own again") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    std::vector<float> mine(100000, 1.0f);
    const Buffer device = context.allocate(mine.size() * sizeof(float));
    for (int turn = 0; turn < 2; ++turn) {  // given back and taken again
        const HostBuffer<float> adopted = HostBuffer<float>::adopt(context, mine);
        CHECK(adopted.data() == mine.data());
        CHECK(adopted.size() == mine.size());
        const HostBuffer<float> again = HostBuffer<float>::adopt(context, mine);  // page-locked already
        stream.copy(device, adopted);
        stream.fill(device, 2.0f + static_cast<float>(turn));
        stream.copy(adopted.part(0, 50000), device.view(0, 200000));
        stream.copy(again.part(50000, 50000), device.view(200000, 200000));
    }  // copies are done when the handles have died
    CHECK(mine == std::vector<float>(mine.size(), 3.0f));
    std::vector<float> none;
    CHECK(HostBuffer<float>::adopt(context, none).size() == 0);
}

TEST_SUITE_END();
