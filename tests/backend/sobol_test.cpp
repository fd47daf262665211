/// Sobol' sequences on a device: bit for bit those of the host, whatever the launch.
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include "../sobol_programs.hpp"
#include "support.hpp"

#include <cstring>
#include <thread>

using namespace gemel;
using namespace gemel::testing;
using random::HostSobol;
using random::Scramble;
using random::Sobol;

namespace {

const std::optional<Scramble> plain, scrambled = Scramble{.seed = 11};

bool has_double() { return default_context().device().info().has_double; }

template <class T>
bool same_bits(const GPUArray<T>& array, const std::vector<T>& expected) {
    std::vector<T> values(array.size());
    if (!values.empty()) array.buffer().download(values, array.offset_bytes());
    return values.size() == expected.size() &&
           (values.empty() || std::memcmp(values.data(), expected.data(), values.size() * sizeof(T)) == 0);
}

template <class T, class S>
auto draw(S& sobol, std::size_t count) {
    if constexpr (random::PointElement<T>)
        return sobol.template integers<T>(static_cast<std::int64_t>(count));
    else
        return sobol.template uniform<T>(static_cast<std::int64_t>(count));
}

/// Draws of many lengths one after another, so that they begin anywhere.
template <class T>
void compare(std::optional<Scramble> scramble) {
    const std::size_t limit = is_check() ? 200000 : 2000000;
    for (const int dimensions : {1, 2, 3, 4, 7, 16, 33, 100, 1000, 1024}) {
        Sobol sobol(default_context(), dimensions, scramble);
        HostSobol host(dimensions, scramble);
        for (std::size_t n : {1, 0, 2, 3, 64, 1023, 1024, 4099, 100000}) {
            if (n * static_cast<std::size_t>(dimensions) > limit) n = limit / 1000;
            const GPUArray<T> drawn = draw<T>(sobol, n);
            CHECK(drawn.shape() == Shape(n, dimensions));
            CHECK_MESSAGE(same_bits(drawn, draw<T>(host, n)), dtype_of<T>().name(), ", ", n, " points of ", dimensions);
            CHECK(sobol.position() == host.position());
        }
    }
}

/// Runs a kernel of a given tuning, which need not be the one that this device would get.
template <class T>
void check_tuning(const codegen::SobolTuning& tuning) {
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr int bits = 8 * sizeof(Word);
    const Context context = default_context();
    const Kernel kernel =
        context.compile(codegen::SobolFill{.element = dtype_of<T>(), .tuning = tuning}).kernel("sobol");
    std::size_t choice = 0;
    for (const int dimensions : {1, 3, 8, 130}) {
        ++choice;
        const codegen::SobolTable table = codegen::sobol_table(dimensions, 12);
        std::vector<Word> directions, shifts;
        for (const std::uint64_t x : table.directions) directions.push_back(static_cast<Word>(x >> (64 - bits)));
        directions.resize(static_cast<std::size_t>(bits * dimensions));
        directions.resize(static_cast<std::size_t>((bits + 1) * dimensions));
        for (const std::uint64_t x : table.shifts) shifts.push_back(static_cast<Word>(x >> (64 - bits)));
        const GPUArray<Word> vectors = to_gpu(context, directions), moved = to_gpu(context, shifts);
        for (const int k : {5, 7})
            for (const int turns : {1, 3, 16})
                for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{77}, std::uint64_t{1} << 31}) {
                    if (is_left_out(2, choice++)) continue;
                    const std::int64_t points = 1000, count = points * dimensions, tile = dimensions << k;
                    const std::int64_t parts = (count + tile * turns - 1) / (tile * turns);
                    const Buffer buffer = context.allocate(static_cast<std::size_t>(count) * sizeof(T) + 16);
                    buffer.fill(std::uint8_t{0x5a});
                    kernel({.block = {tuning.block}, .threads = {parts * tile / tuning.per_thread}}, buffer,
                           std::int64_t{0}, count, vectors, moved, static_cast<Word>(first), dimensions, k, turns);
                    std::vector<T> expected(static_cast<std::size_t>(count)), got(expected.size());
                    codegen::sobol_fill(dtype_of<T>(), table, first, points, expected.data());
                    buffer.download(got);
                    CHECK(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) == 0);
                    std::vector<std::uint8_t> behind(16);
                    buffer.download(behind, got.size() * sizeof(T));
                    CHECK(behind == std::vector<std::uint8_t>(16, 0x5a));
                }
    }
}

}  // namespace

TEST_SUITE_BEGIN("sobol");

TEST_CASE("points of 32 bits are those of the host") {
    compare<float>(plain);
    compare<float>(scrambled);
    compare<std::uint32_t>(scrambled);
    compare<half>(plain);
    compare<bfloat16>(scrambled);
}

TEST_CASE("points of 64 bits are those of the host") {
    compare<std::uint64_t>(plain);
    compare<std::uint64_t>(scrambled);
    if (has_double())
        compare<double>(scrambled);
    else
        MESSAGE("doubles were not run: the device has none");
}

TEST_CASE("every way to deal out the points gives the same") {
    for (const auto& tuning : {sobol_programs::narrow, sobol_programs::lanes}) {
        check_tuning<float>(tuning);
        check_tuning<half>(tuning);
        check_tuning<std::uint64_t>(tuning);
    }
    check_tuning<float>(sobol_programs::wide);
    check_tuning<half>(sobol_programs::wide);
    check_tuning<std::uint32_t>({.block = 64, .per_thread = 4});
    check_tuning<std::uint64_t>(sobol_programs::wide_pair);
}

TEST_CASE("sequences go on beyond 32 bits and end") {
    const Sobol sobol(default_context(), 3, scrambled);
    HostSobol host(3, scrambled);
    const std::uint64_t far = (std::uint64_t{1} << 32) - 700;
    sobol.skip(far), host.skip(far);
    CHECK(same_bits(sobol.uniform<float>(700), host.uniform<float>(700)));  // to the last of 32 bits
    CHECK_THROWS_MENTIONING(Error, sobol.uniform<float>(1), "2^32", "4294967296");
    CHECK(same_bits(sobol.integers<std::uint64_t>(5000), host.integers<std::uint64_t>(5000)));
    const std::uint64_t end = (std::uint64_t{1} << 63) - sobol.position() - 900;
    sobol.skip(end), host.skip(end);
    CHECK(same_bits(sobol.integers<std::uint64_t>(900), host.integers<std::uint64_t>(900)));
    CHECK_THROWS_MENTIONING(Error, sobol.integers<std::uint64_t>(1), "2^63");
    CHECK_THROWS_MENTIONING(Error, sobol.skip(1), "2^63");
}

TEST_CASE("a large draw is that of the host") {
    const std::size_t n = (1 << 20) + 5;
    CHECK(
        same_bits(Sobol(default_context(), 5, scrambled).uniform<float>(n), HostSobol(5, scrambled).uniform<float>(n)));
}

TEST_CASE("the mean of a smooth function comes with few points") {
    // The integral of the product of all (pi / 2) sin(pi x) is 1.
    const GPUArray<float> x = Sobol(default_context(), 4).uniform<float>(1 << 14);
    const float half_pi = 1.57079633f;
    double sum = 0;
    const std::vector<float> values = (half_pi * sin(2 * half_pi * x)).get();
    for (std::size_t i = 0; i < values.size(); i += 4)
        sum += double{values[i]} * values[i + 1] * values[i + 2] * values[i + 3];
    CHECK(std::abs(sum / (1 << 14) - 1) < 1e-3);  // random points: 9e-3 typically
}

TEST_CASE("parts of a buffer and arrays with gaps are filled and nothing else") {
    const Context context = default_context();
    for (const std::size_t offset : {1, 2, 3, 4, 5}) {
        const std::size_t n = 501;
        const Buffer buffer = context.allocate((3 * n + 20) * sizeof(float));
        buffer.fill(-1.0f);
        Sobol(context, 3).fill(GPUArray<float>(buffer, Shape(n, 3), Strides(3, 1), offset * sizeof(float)));
        std::vector<float> expected(3 * n + 20, -1.0f);
        const std::vector<float> drawn = HostSobol(3).uniform<float>(n);
        std::copy(drawn.begin(), drawn.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
        CHECK(downloaded<float>(buffer) == expected);
    }
    const GPUArray<std::uint32_t> whole(context, {10, 20});
    whole.fill(7);
    const auto columns = whole(slice(), slice(1, {}, 3)), turned = whole.transpose();
    Sobol(context, 7, scrambled).fill(columns);
    CHECK(columns.get() == HostSobol(7, scrambled).integers<std::uint32_t>(10));
    CHECK(whole(3, 0).item() == 7);
    Sobol(context, 10).fill(turned);
    CHECK(turned.get() == HostSobol(10).integers<std::uint32_t>(20));
}

TEST_CASE("what cannot be filled is refused and takes no point") {
    const Context context = default_context(), other(context.device());
    const Sobol sobol(context, 3);
    CHECK_THROWS_MENTIONING(ArgumentError, Sobol(context, 1025), "1025", "1 to 1024");
    CHECK_THROWS_MENTIONING(ArgumentError, Sobol(context, 0), "1 to 1024");
    CHECK_THROWS_MENTIONING(ArgumentError, sobol.fill(GPUArray<float>(context, {4, 2})), "(n, 3)", "(4, 2)");
    CHECK_THROWS_MENTIONING(ArgumentError, sobol.fill(GPUArray<float>(context, {3})), "(n, 3)", "(3,)");
    CHECK_THROWS_MENTIONING(ArgumentError, sobol.fill(GPUArray<int>(context, {4, 3})), "int32_t", "uint32_t");
    CHECK_THROWS_MENTIONING(ArgumentError, sobol.fill(GPUArray<cfloat>(context, {4, 3})), "cfloat");
    CHECK_THROWS_MENTIONING(ArgumentError, sobol.fill(GPUArray<float>()), "empty handle");
    CHECK_THROWS_MENTIONING(ArgumentError, sobol.fill(GPUArray<float>(context, {1, 3}).broadcast_to({4, 3})),
                            "repeats");
    CHECK_THROWS_MENTIONING(ArgumentError, sobol.fill(GPUArray<float>(other, {4, 3})), "another context");
    CHECK_THROWS_AS(sobol.uniform<float>(-1), ArgumentError);
    CHECK(sobol.position() == 0);
    CHECK(sobol.uniform<float>(0).shape() == Shape(0, 3));
    CHECK(sobol.position() == 0);
}

TEST_CASE("copies share a sequence and threads draw disjoint parts of it") {
    const Sobol sobol(default_context(), 2);
    std::vector<std::vector<std::uint32_t>> drawn(4);
    std::vector<std::thread> threads;
    for (auto& own : drawn)
        threads.emplace_back([&own, copy = sobol] {
            for (int i = 0; i < 20; ++i) {
                const auto part = copy.integers<std::uint32_t>(101).get();
                own.insert(own.end(), part.begin(), part.end());
            }
        });
    for (std::thread& thread : threads) thread.join();
    std::vector<std::uint32_t> all, expected = HostSobol(2).integers<std::uint32_t>(4 * 20 * 101);
    for (const auto& own : drawn) all.insert(all.end(), own.begin(), own.end());
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    CHECK(all == expected);
    CHECK(sobol.position() == 4 * 20 * 101);
}

TEST_CASE("a sequence does not keep its context alive once it is gone") {
    const Device device = default_context().device();
    std::weak_ptr<ContextState> state;
    {
        const Context context(device);
        state = context.state();
        Sobol(context, 3).uniform<float>(1000);
    }
    CHECK(state.expired());
}

TEST_SUITE_END();
