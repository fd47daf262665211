/// Sobol' sequences on the host, and the text of their kernels: no device is needed.
#include "../golden.hpp"
#include "../sobol_programs.hpp"

#include <gemel/arrays/sobol.hpp>
#include <gemel/codegen/sobol.hpp>
#include <gemel/core/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace gemel;
using random::HostSobol;
using random::Scramble;

namespace {

/// In which of 2^k intervals the points lie, of one dimension.
std::vector<std::uint64_t> intervals(const std::vector<std::uint32_t>& points, int dimensions, int dimension, int k) {
    std::vector<std::uint64_t> found;
    for (std::size_t at = static_cast<std::size_t>(dimension); at < points.size(); at += dimensions)
        found.push_back(points[at] >> (32 - k));
    return found;
}

bool each_once(std::vector<std::uint64_t> found) {
    std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != i) return false;
    return true;
}

}  // namespace

TEST_SUITE_BEGIN("sobol");

// The answers of scipy.stats.qmc.Sobol(d, scramble=False, bits=32), SciPy 1.17.1.
TEST_CASE("the first points of three dimensions are those of SciPy") {
    const std::vector<double> sixteenths{0,  0, 0,  8, 8,  8, 12, 4,  4,  4,  12, 12, 6,  6, 10, 14,
                                         14, 2, 10, 2, 14, 2, 10, 6,  3,  5,  15, 11, 13, 7, 15, 1,
                                         11, 7, 9,  3, 5,  3, 5,  13, 11, 13, 9,  7,  1,  1, 15, 9};
    std::vector<double> expected(sixteenths);
    for (double& x : expected) x /= 16;
    CHECK(HostSobol(3).uniform<double>(16) == expected);
    for (const int dimensions : {1, 2}) {
        std::vector<float> first;
        for (std::size_t i = 0; i < 16; ++i)
            for (int d = 0; d < dimensions; ++d) first.push_back(static_cast<float>(expected[3 * i + d]));
        CHECK(HostSobol(dimensions).uniform<float>(16) == first);
    }
}

TEST_CASE("points far into the sequence are those of SciPy in the highest dimensions too") {
    HostSobol sobol(1024);
    sobol.skip(123456789);
    const auto points = sobol.integers<std::uint32_t>(3);
    const auto check = [&](int d, const std::array<std::uint32_t, 3>& expected) {
        for (int i = 0; i < 3; ++i) CHECK(points[1024 * i + d] == expected[i]);
    };
    check(0, {0xf9d46f20, 0xb9d46f20, 0x39d46f20});
    check(1, {0xcadcd1a0, 0x0adcd1a0, 0x8adcd1a0});
    check(2, {0x01a3d160, 0xc1a3d160, 0x41a3d160});
    check(9, {0x6767c1a0, 0x2767c1a0, 0xa767c1a0});
    check(99, {0xa04ccea0, 0xe04ccea0, 0x604ccea0});
    check(511, {0xba62fd20, 0xfa62fd20, 0x7a62fd20});
    check(1022, {0xc6204aa0, 0x06204aa0, 0x86204aa0});
    check(1023, {0xab7b28a0, 0xeb7b28a0, 0x6b7b28a0});
}

TEST_CASE("direction vectors of 64 bits are those of SciPy") {
    const codegen::SobolTable table = codegen::sobol_table(1024, std::nullopt);
    const auto of_last = [&](int bit) { return table.directions[1024 * bit + 1023]; };
    CHECK(of_last(13) == 0x6d6c000000000000);
    CHECK(of_last(40) == 0x0ebd51a0e3800000);
    CHECK(of_last(62) == 0xefe133bb0c8a6182);
    CHECK(of_last(63) == 0x7474636b82ff147d);
}

TEST_CASE("each dimension fills all intervals before it fills one twice") {
    for (const bool is_scrambled : {false, true}) {
        const auto scramble = is_scrambled ? std::optional(Scramble{.seed = 5}) : std::nullopt;
        HostSobol sobol(1024, scramble);
        const auto points = sobol.integers<std::uint32_t>(1024);
        for (int d = 0; d < 1024; ++d)
            for (const int k : {1, 5, 10}) {
                const std::vector<std::uint32_t> first(points.begin(), points.begin() + (1024 << k));
                if (k == 10 || d % 97 == 0)
                    CHECK_MESSAGE(each_once(intervals(k == 10 ? points : first, 1024, d, k)), "dimension ", d, ", 2^",
                                  k);
            }
        // Also from any multiple of 2^k on.
        HostSobol later(3, scramble);
        later.skip(5 * 4096);
        const auto next = later.integers<std::uint32_t>(4096);
        for (int d = 0; d < 3; ++d) CHECK(each_once(intervals(next, 3, d, 12)));
    }
}

TEST_CASE("two dimensions fill all elementary rectangles") {
    for (const auto& scramble : {std::optional<Scramble>(), std::optional(Scramble{.seed = 6})}) {
        const auto points = HostSobol(2, scramble).integers<std::uint32_t>(1024);
        for (int k = 0; k <= 10; ++k) {  // 2^k columns and 2^(10 - k) rows
            std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
            for (std::size_t i = 0; i < points.size(); i += 2)
                seen.emplace(std::uint64_t{points[i]} >> (32 - k), std::uint64_t{points[i + 1]} >> (22 + k));
            CHECK(seen.size() == 1024);
        }
    }
}

TEST_CASE("scrambled points depend on the seed and not on the number of dimensions") {
    const auto wide = HostSobol(5, Scramble{.seed = 7}).integers<std::uint64_t>(100);
    const auto narrow = HostSobol(3, Scramble{.seed = 7}).integers<std::uint64_t>(100);
    for (std::size_t i = 0; i < 100; ++i)
        for (std::size_t d = 0; d < 3; ++d) CHECK(wide[5 * i + d] == narrow[3 * i + d]);
    CHECK(HostSobol(3, Scramble{.seed = 8}).integers<std::uint64_t>(100) != narrow);
    // Neither is any dimension another's copy, nor are the points where they were, nor merely moved.
    CHECK(std::set<std::uint64_t>(wide.begin(), wide.end()).size() == wide.size());
    const auto plain = HostSobol(3).integers<std::uint64_t>(100);
    std::set<std::uint64_t> moved;
    for (std::size_t i = 0; i < 100; ++i) moved.insert(plain[3 * i] ^ narrow[3 * i]);
    CHECK(moved.size() > 90);
}

TEST_CASE("a coordinate is anywhere with equal probability over the seeds") {
    double sum = 0, squares = 0;
    const int seeds = 4000;
    for (int seed = 0; seed < seeds; ++seed) {
        HostSobol sobol(1, Scramble{.seed = static_cast<std::uint64_t>(seed)});
        const double x = sobol.uniform<double>(2)[1] - 0.5;
        sum += x, squares += x * x;
    }
    CHECK(std::abs(sum / seeds) < 4.4 * std::sqrt(1.0 / 12 / seeds));
    CHECK(std::abs(squares / seeds - 1.0 / 12) < 4.4 * std::sqrt(1.0 / 180 / seeds));
}

TEST_CASE("every type holds the leading bits of the same points and never 1") {
    for (const auto& scramble : {std::optional<Scramble>(), std::optional(Scramble{.seed = 9})}) {
        const auto draw = [&](auto call) {
            HostSobol sobol(4, scramble);
            sobol.skip((std::uint64_t{1} << 32) - 1000);  // the points with most bits
            return call(sobol);
        };
        const auto bits = draw([](HostSobol& sobol) { return sobol.integers<std::uint64_t>(1000); });
        const auto upper = draw([](HostSobol& sobol) { return sobol.integers<std::uint32_t>(1000); });
        const auto doubles = draw([](HostSobol& sobol) { return sobol.uniform<double>(1000); });
        const auto floats = draw([](HostSobol& sobol) { return sobol.uniform<float>(1000); });
        const auto halves = draw([](HostSobol& sobol) { return sobol.uniform<half>(1000); });
        const auto bfloats = draw([](HostSobol& sobol) { return sobol.uniform<bfloat16>(1000); });
        bool is_same = true, is_below = true;
        for (std::size_t i = 0; i < bits.size(); ++i) {
            is_same = is_same && upper[i] == bits[i] >> 32 && doubles[i] == std::ldexp(double(bits[i] >> 11), -53) &&
                      floats[i] == std::ldexp(float(bits[i] >> 40), -24) &&
                      float(halves[i]) == std::ldexp(float(bits[i] >> 53), -11) &&
                      float(bfloats[i]) == std::ldexp(float(bits[i] >> 56), -8);
            is_below = is_below && doubles[i] < 1 && floats[i] < 1 && float(halves[i]) < 1 && float(bfloats[i]) < 1;
        }
        CHECK(is_same);
        CHECK(is_below);
    }
    // 1 - 2^-32, which rounds to 1 as a float, is among the first 2^32 points: it is cut instead.
    HostSobol sobol(1);
    sobol.skip(0xAAAAAAAA);  // its Gray code has all bits
    CHECK(sobol.integers<std::uint32_t>(1)[0] == 0xFFFFFFFF);
    HostSobol again(1);
    again.skip(0xAAAAAAAA);
    CHECK(again.uniform<float>(1)[0] == 1 - 0x1p-24f);
}

TEST_CASE("skipping is drawing without looking and draws continue") {
    for (const std::size_t first : {0, 1, 2, 3, 7, 64, 1000, 1023, 1024}) {
        HostSobol whole(6, Scramble{}), cut(6, Scramble{}), skipped(6, Scramble{});
        const auto all = whole.uniform<double>(first + 50);
        cut.uniform<float>(first);
        skipped.skip(first);
        const std::vector<double> expected(all.begin() + static_cast<std::ptrdiff_t>(6 * first), all.end());
        CHECK(cut.uniform<double>(50) == expected);
        CHECK(skipped.uniform<double>(50) == expected);
        CHECK(skipped.position() == first + 50);
    }
}

TEST_CASE("what is not there is refused") {
    CHECK_THROWS_AS(HostSobol(0), ArgumentError);
    CHECK_THROWS_AS(HostSobol(-1), ArgumentError);
    try {
        HostSobol sobol(1025);
        FAIL("there are no such direction numbers");
    } catch (const ArgumentError& error) {
        CHECK(std::string(error.what()).find("1025") != std::string::npos);
        CHECK(std::string(error.what()).find("1 to 1024") != std::string::npos);
    }
    HostSobol sobol(2);
    sobol.skip((std::uint64_t{1} << 32) - 1);
    CHECK_THROWS_AS(sobol.uniform<float>(2), Error);
    CHECK(sobol.position() == (std::uint64_t{1} << 32) - 1);
    CHECK(sobol.uniform<float>(1).size() == 2);
    CHECK_THROWS_AS(sobol.integers<std::uint32_t>(1), Error);
    CHECK(sobol.uniform<double>(1).size() == 2);
    CHECK_THROWS_AS(sobol.skip(std::uint64_t{1} << 63), Error);
    sobol.skip((std::uint64_t{1} << 63) - sobol.position());
    CHECK_THROWS_AS(sobol.uniform<double>(1), Error);
    CHECK(sobol.uniform<double>(0).empty());
}

TEST_CASE("the kernels' texts are as they were") {
    using namespace sobol_programs;
    for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()}) {
        const auto check = [&](const char* name, const SobolFill& fill) {
            golden::check(name + dialect->file_extension, fill.source(*dialect));
        };
        check("sobol_float", {.element = dtype_of<float>(), .tuning = wide});
        check("sobol_half_narrow", {.element = dtype_of<half>(), .tuning = narrow});
        check("sobol_double_lanes", {.element = dtype_of<double>(), .tuning = lanes});
    }
}

TEST_SUITE_END();
