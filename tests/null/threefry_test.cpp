/// Threefry on the host.
#include <gemel/arrays/random_host.hpp>
#include <gemel/codegen/philox.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace gemel;

namespace {
using Words = std::array<std::uint32_t, 4>;
}

TEST_SUITE_BEGIN("random");

TEST_CASE("Threefry gives the published answers") {
    // Random123's known-answer vectors for threefry4x32-20.
    CHECK(codegen::threefry_4x32_20({0, 0, 0, 0}, {0, 0, 0, 0}) ==
          Words{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8});
    const std::uint32_t f = 0xffffffff;
    CHECK(codegen::threefry_4x32_20({f, f, f, f}, {f, f, f, f}) ==
          Words{0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732});
    CHECK(codegen::threefry_4x32_20({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                    {0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89}) ==
          Words{0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84});
}

TEST_CASE("words of Threefry are those of the counter and stream and substream and seed") {
    const std::uint64_t seed = 0x299f31d0a4093822;
    random::HostThreefry rng(seed, 7);
    rng.skip(4);
    const Words second = codegen::threefry_4x32_20({1, 0, 0, 7}, {0xa4093822, 0x299f31d0, 0, 0});
    CHECK(rng.integers<std::uint32_t>(4) == std::vector<std::uint32_t>(second.begin(), second.end()));
    auto sub = rng.substream(5);
    const Words of_sub = codegen::threefry_4x32_20({0, 0, 6, 7}, {0xa4093822, 0x299f31d0, 0, 0});
    CHECK(sub.integers<std::uint32_t>(4) == std::vector<std::uint32_t>(of_sub.begin(), of_sub.end()));
    // Philox of the same seed goes on giving its own.
    CHECK(random::HostPhilox(seed, 7).integers<std::uint32_t>(4) !=
          random::HostThreefry(seed, 7).integers<std::uint32_t>(4));
}

TEST_CASE("means and deviations of Threefry's numbers are those of their distributions") {
    random::HostThreefry rng(11);
    const std::size_t n = 1 << 18;
    const auto u = rng.uniform<double>(n), z = rng.normal<double>(n);
    double mean = 0, first = 0, second = 0;
    for (std::size_t k = 0; k < n; ++k) mean += u[k], first += z[k], second += z[k] * z[k];
    // Six standard errors.
    const double root = std::sqrt(static_cast<double>(n));
    CHECK(std::abs(mean / static_cast<double>(n) - 0.5) < 6 * 0.2887 / root);
    CHECK(std::abs(first / static_cast<double>(n)) < 6 / root);
    CHECK(std::abs(second / static_cast<double>(n) - 1) < 6 * 1.4143 / root);
}

TEST_SUITE_END();
