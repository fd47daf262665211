/// Random numbers on the host, and the text of their kernels: no device is needed.
#include "../golden.hpp"
#include "../philox_programs.hpp"
#include "../statistics.hpp"

#include <gemel/arrays/random_host.hpp>
#include <gemel/codegen/philox.hpp>
#include <gemel/core/error.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace gemel;
using namespace statistics;
using random::HostPhilox;

namespace {

using Words = std::array<std::uint32_t, 4>;

/// What two draws give, one after the other.
template <class Draw>
auto in_turn(const Draw& draw, std::size_t first, std::size_t second) {
    auto all = draw(first);
    const auto more = draw(second);
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// In units of the last place of the float or double nearest to the exact value.
template <class T>
double ulps(T value, long double exact) {
    const T nearest = static_cast<T>(exact);
    const T step = std::nextafter(std::abs(nearest), std::numeric_limits<T>::infinity()) - std::abs(nearest);
    return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / step);
}

constexpr long double pi = 3.14159265358979323846264338327950288L;

}  // namespace

TEST_SUITE_BEGIN("random");

TEST_CASE("Philox gives the published answers") {
    // Random123's known-answer vectors for philox4x32-10.
    CHECK(codegen::philox_4x32_10({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    const std::uint32_t f = 0xffffffff;
    CHECK(codegen::philox_4x32_10({f, f, f, f}, {f, f}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(codegen::philox_4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("words are those of the counter and stream and substream and seed") {
    const std::uint64_t seed = 0x299f31d0a4093822;
    HostPhilox rng(seed, 0x03707344);
    rng.skip(4 * 7);
    const Words expected = codegen::philox_4x32_10({7, 0, 0, 0x03707344}, {0xa4093822, 0x299f31d0});
    CHECK(rng.integers<std::uint32_t>(4) == std::vector<std::uint32_t>(expected.begin(), expected.end()));
    HostPhilox substream = rng.substream(8);
    const Words other = codegen::philox_4x32_10({0, 0, 9, 0x03707344}, {0xa4093822, 0x299f31d0});
    CHECK(substream.integers<std::uint32_t>(4) == std::vector<std::uint32_t>(other.begin(), other.end()));
}

TEST_CASE("two draws are the draw of both lengths together") {
    for (const std::size_t first : {0, 1, 2, 3, 4, 5, 6, 7, 63, 300, 301, 302, 303}) {
        const auto check = [&](const auto& draw) {
            HostPhilox cut(1), whole(1);
            CHECK(in_turn([&](std::size_t n) { return draw(cut, n); }, first, 21) == draw(whole, first + 21));
            CHECK(cut.position() == whole.position());
        };
        check([](HostPhilox& rng, std::size_t n) { return rng.uniform<float>(n); });
        check([](HostPhilox& rng, std::size_t n) { return rng.uniform<half>(n); });
        check([](HostPhilox& rng, std::size_t n) { return rng.normal<float>(n); });
        check([](HostPhilox& rng, std::size_t n) { return rng.normal<double>(n); });
        check([](HostPhilox& rng, std::size_t n) { return rng.uniform<cfloat>(n); });
        check([](HostPhilox& rng, std::size_t n) { return rng.integers<std::uint64_t>(n, 3, 10); });
        check([](HostPhilox& rng, std::size_t n) { return rng.poisson(n, 9); });
        check([](HostPhilox& rng, std::size_t n) { return rng.poisson(std::vector<double>(n, 12.5)); });
    }
}

TEST_CASE("lanes of vectors are drawn one after another") {
    HostPhilox vectors(7), numbers(7);
    const std::vector<float4> drawn = vectors.uniform<float4>(10);
    const std::vector<float> expected = numbers.uniform<float>(40);
    for (std::size_t i = 0; i < drawn.size(); ++i)
        CHECK(drawn[i] == float4{expected[4 * i], expected[4 * i + 1], expected[4 * i + 2], expected[4 * i + 3]});
    CHECK(vectors.position() == numbers.position());
}

TEST_CASE("skipping is drawing without looking") {
    HostPhilox drawn(5), skipped(5);
    drawn.normal<float>(1001);
    skipped.skip(1001);
    CHECK(drawn.uniform<float>(50) == skipped.uniform<float>(50));
    drawn.uniform<double>(7);  // begins at the next pair of words: 1051 -> 1052
    CHECK(drawn.position() == 1052 + 14);
    drawn.uniform<double>(0);
    CHECK(drawn.position() == 1052 + 14);
    skipped.skip(std::uint64_t{1} << 57);
    CHECK(skipped.position() == (std::uint64_t{1} << 57) + 1051);
    CHECK_THROWS_AS(skipped.skip(std::uint64_t{1} << 58), Error);
}

TEST_CASE("what cannot be drawn is refused") {
    HostPhilox rng(6);
    CHECK_THROWS_AS(rng.uniform<float>(1, 1, 1), ArgumentError);
    CHECK_THROWS_AS(rng.uniform<float>(1, 0, 1e39), ArgumentError);
    CHECK_THROWS_AS(rng.uniform<float>(1, -3e38, 3e38), ArgumentError);
    CHECK_THROWS_AS(rng.uniform<float>(1, 1, 1 + 1e-9), ArgumentError);
    CHECK_THROWS_AS(rng.uniform<double>(1, NAN, 1), ArgumentError);
    CHECK_THROWS_AS(rng.uniform<half>(1, 0, 1e6), ArgumentError);
    CHECK_THROWS_AS(rng.normal<float>(1, 0, -1), ArgumentError);
    CHECK_THROWS_AS(rng.exponential<float>(1, -1), ArgumentError);
    CHECK_THROWS_AS(rng.integers<int>(1, 5, 5), ArgumentError);
    CHECK_THROWS_AS(rng.integers<std::uint8_t>(1, 0, 257), ArgumentError);
    CHECK_THROWS_AS(rng.integers<std::uint8_t>(1, -1, 3), ArgumentError);
    CHECK_THROWS_AS(rng.bernoulli(1, 1.5), ArgumentError);
    CHECK_THROWS_AS(rng.bernoulli(1, NAN), ArgumentError);
    CHECK_THROWS_AS(rng.poisson(1, -1), ArgumentError);
    CHECK_THROWS_AS(rng.poisson<std::uint8_t>(1, 250), ArgumentError);
    CHECK_THROWS_AS(rng.poisson<half>(1, 3000), ArgumentError);
    CHECK_THROWS_AS(rng.permutation<std::uint8_t>(257), ArgumentError);
    CHECK_THROWS_AS(rng.substream(1).substream(1), ArgumentError);
    CHECK_THROWS_AS(rng.substream(UINT32_MAX), ArgumentError);
    CHECK_THROWS_AS(rng.substream((std::uint64_t{1} << 32) + 5), ArgumentError);  // which is no substream 5
    CHECK_THROWS_AS(rng.substream(-1), ArgumentError);
    CHECK_THROWS_AS(HostPhilox(1, std::uint64_t{1} << 32), ArgumentError);
    CHECK_THROWS_AS(HostPhilox(1, -1), ArgumentError);
    CHECK(HostPhilox(1, UINT32_MAX).substream(UINT32_MAX - 1).uniform<float>(3).size() == 3);
    CHECK_THROWS_AS(rng.uniform<float>(-1), ArgumentError);
    CHECK_THROWS_AS(rng.permutation(-1), ArgumentError);
    CHECK(rng.position() == 0);
    try {
        rng.integers<std::uint64_t>(1, -5, UINT64_MAX);
        FAIL("it was drawn");
    } catch (const ArgumentError& error) {
        CHECK(std::string(error.what()) ==
              "integers: the range [-5, 18446744073709551615) does not fit uint64_t, which holds 0 to "
              "18446744073709551615");
    }
}

TEST_CASE("uniform numbers stay in their range and reach its ends") {
    HostPhilox rng(7);
    const auto inside = [](const auto& values, double low, double high) {
        return std::all_of(values.begin(), values.end(), [&](auto x) { return float(x) >= low && float(x) < high; });
    };
    CHECK(inside(rng.uniform<float>(1000000), 0, 1));
    CHECK(inside(rng.uniform<half>(1000000), 0, 1));
    CHECK(inside(rng.uniform<half>(1000000, 1, 1.01), 1, 1.01));
    CHECK(inside(rng.uniform<bfloat16>(1000000, -1, 1), -1, 1));
    CHECK(inside(rng.uniform<float>(1000000, 1e8, 1e8 + 64), 1e8, 1e8 + 64));
    const auto coarse = rng.uniform<float>(10000, 1e8, 1e8 + 64);  // steps of 8
    CHECK(std::set<float>(coarse.begin(), coarse.end()).size() == 8);
    const auto halves = rng.uniform<half>(100000);
    std::set<float> seen;
    for (const half x : halves) seen.insert(float(x));
    CHECK(seen.size() == 2048);
    CHECK(*seen.rbegin() == 1 - 0x1p-11f);
}

TEST_CASE("uniform numbers have the moments and the distribution") {
    HostPhilox rng(8);
    const int n = 1000000;
    for (const auto& sample : {rng.uniform<float>(n), rng.substream(0).uniform<float>(n)}) {
        CHECK(normal_tail(mean(sample) - 0.5, std::sqrt(1.0 / 12 / n)) > unlikely);
        CHECK(normal_tail(moment(sample, 0.5, 2) - 1.0 / 12, std::sqrt(1.0 / 180 / n)) > unlikely);
        CHECK(kolmogorov_smirnov(sample, [](double x) { return x; }) > unlikely);
    }
    CHECK(kolmogorov_smirnov(rng.uniform<double>(n, -3, 5), [](double x) { return (x + 3) / 8; }) > unlikely);
}

TEST_CASE("normal numbers have the moments and the distribution") {
    HostPhilox rng(9);
    const int n = 1000000;
    const auto check = [&](const auto& sample) {
        CHECK(normal_tail(mean(sample), std::sqrt(1.0 / n)) > unlikely);
        CHECK(normal_tail(moment(sample, 0, 2) - 1, std::sqrt(2.0 / n)) > unlikely);
        CHECK(normal_tail(moment(sample, 0, 3), std::sqrt(15.0 / n)) > unlikely);
        CHECK(normal_tail(moment(sample, 0, 4) - 3, std::sqrt(96.0 / n)) > unlikely);
        CHECK(kolmogorov_smirnov(sample, normal_cumulative) > unlikely);
    };
    check(rng.normal<float>(n));
    check(rng.normal<double>(n));
    check(rng.normal<float>(n + 1));  // an odd number begins and ends within pairs
    CHECK(kolmogorov_smirnov(rng.normal<float>(n, 3, 0.5), [](double x) { return normal_cumulative((x - 3) / 0.5); }) >
          unlikely);
    CHECK(kolmogorov_smirnov(rng.log_normal<float>(n, 0.5, 0.25),
                             [](double x) { return normal_cumulative((std::log(x) - 0.5) / 0.25); }) > unlikely);
    const std::vector<cfloat> complex = rng.normal<cfloat>(n);
    std::vector<float> re(n), im(n);
    for (int i = 0; i < n; ++i) re[i] = complex[i].real(), im[i] = complex[i].imag();
    check(re);
    CHECK(normal_tail(correlation(re, im), 1) > unlikely);
}

TEST_CASE("exponential numbers have the moments and the distribution") {
    HostPhilox rng(10);
    const int n = 1000000;
    const auto sample = rng.exponential<float>(n, 2);
    CHECK(normal_tail(mean(sample) - 2, 2 / std::sqrt(n)) > unlikely);
    CHECK(kolmogorov_smirnov(sample, [](double x) { return 1 - std::exp(-x / 2); }) > unlikely);
    CHECK(kolmogorov_smirnov(rng.exponential<double>(n), [](double x) { return 1 - std::exp(-x); }) > unlikely);
}

TEST_CASE("normal and exponential numbers are within their ULPs of the exact formulas") {
    const std::size_t n = 200000;
    const auto words = HostPhilox(11).integers<std::uint32_t>(2 * n);
    const auto exponential = HostPhilox(11).exponential<float>(2 * n);
    const auto normal = HostPhilox(11).normal<float>(2 * n), log_normal = HostPhilox(11).log_normal<float>(2 * n, 1, 3);
    double worst_exponential = 0, worst_normal = 0, worst_log_normal = 0;
    for (std::size_t i = 0; i < 2 * n; ++i) {
        // The float next to the word decides what the logarithm is of.
        const float u = std::fma(static_cast<float>(words[i]), 0x1p-32f, 0x1p-33f);
        worst_exponential = std::max(worst_exponential, ulps(exponential[i], -std::log(static_cast<long double>(u))));
    }
    for (std::size_t i = 0; i < 2 * n; i += 2) {
        const long double u = std::fma(static_cast<float>(words[i]), 0x1p-32f, 0x1p-33f);
        const long double radius = std::sqrt(-2 * std::log(u)), angle = 2 * pi * words[i + 1] / 0x1p32L;
        worst_normal = std::max(
            {worst_normal, ulps(normal[i], radius * std::cos(angle)), ulps(normal[i + 1], radius * std::sin(angle))});
    }
    for (std::size_t i = 0; i < 2 * n; ++i) {
        const float y = std::fma(normal[i], 3.0f, 1.0f);
        worst_log_normal = std::max(worst_log_normal, ulps(log_normal[i], std::exp(static_cast<long double>(y))));
    }
    MESSAGE("float: exponential " << worst_exponential << " ulp, normal " << worst_normal << ", exp "
                                  << worst_log_normal);
    CHECK(worst_exponential <= 2);
    CHECK(worst_normal <= 4);
    CHECK(worst_log_normal <= 2);
}

TEST_CASE("normal and exponential doubles are within their ULPs of the exact formulas") {
    const std::size_t n = 100000;
    const auto words = HostPhilox(12).integers<std::uint64_t>(2 * n);
    const auto exponential = HostPhilox(12).exponential<double>(2 * n);
    const auto normal = HostPhilox(12).normal<double>(2 * n),
               log_normal = HostPhilox(12).log_normal<double>(2 * n, 1, 3);
    double worst_exponential = 0, worst_normal = 0, worst_log_normal = 0;
    const auto unit = [](std::uint64_t word) { return std::fma(static_cast<double>(word >> 11), 0x1p-53, 0x1p-54); };
    for (std::size_t i = 0; i < 2 * n; ++i)
        worst_exponential =
            std::max(worst_exponential, ulps(exponential[i], -std::log(static_cast<long double>(unit(words[i])))));
    for (std::size_t i = 0; i < 2 * n; i += 2) {
        const long double radius = std::sqrt(-2 * std::log(static_cast<long double>(unit(words[i]))));
        // Reduced as the kernels do, so that near zeros the reference is exact too.
        const std::uint64_t quadrant = (words[i + 1] + (std::uint64_t{1} << 61)) >> 62;
        const long double rest =
            static_cast<long double>(static_cast<std::int64_t>(words[i + 1] - (quadrant << 62))) / 0x1p62L * (pi / 2);
        const long double c = std::cos(rest), s = std::sin(rest);
        const long double cosine[] = {c, -s, -c, s}, sine[] = {s, c, -s, -c};
        worst_normal = std::max({worst_normal, ulps(normal[i], radius * cosine[quadrant % 4]),
                                 ulps(normal[i + 1], radius * sine[quadrant % 4])});
    }
    for (std::size_t i = 0; i < 2 * n; ++i) {
        const double y = std::fma(normal[i], 3.0, 1.0);
        worst_log_normal = std::max(worst_log_normal, ulps(log_normal[i], std::exp(static_cast<long double>(y))));
    }
    MESSAGE("double: exponential " << worst_exponential << " ulp, normal " << worst_normal << ", exp "
                                   << worst_log_normal);
    CHECK(worst_exponential <= 2);
    CHECK(worst_normal <= 4);
    CHECK(worst_log_normal <= 2);
}

TEST_CASE("log-normal numbers overflow and underflow as exp does") {
    CHECK(HostPhilox(1).log_normal<float>(1, 100, 0)[0] == std::numeric_limits<float>::infinity());
    CHECK(HostPhilox(1).log_normal<float>(1, -200, 0)[0] == 0);
    CHECK(HostPhilox(1).log_normal<double>(1, 1000, 0)[0] == std::numeric_limits<double>::infinity());
    CHECK(HostPhilox(1).log_normal<double>(1, -1000, 0)[0] == 0);
    CHECK(HostPhilox(1).log_normal<double>(1, 709.5, 0)[0] == doctest::Approx(std::exp(709.5)).epsilon(1e-12));
    CHECK(HostPhilox(1).log_normal<float>(1, 88.5, 0)[0] == doctest::Approx(std::exp(88.5f)).epsilon(1e-6));
    CHECK(HostPhilox(1).log_normal<float>(1, 0, 0)[0] == 1);
}

TEST_CASE("integers are equally likely") {
    HostPhilox rng(13);
    const int n = 1000000;
    for (const int range : {2, 6, 10, 100, 1000}) {
        std::vector<double> counts(range);
        for (const int x : rng.integers<int>(n, -3, range - 3)) counts.at(x + 3) += 1;
        if (range > 10) CHECK(chi_square(counts, std::vector<double>(range, double(n) / range)) > unlikely);
        for (const double count : counts)
            CHECK(normal_tail(count - double(n) / range, std::sqrt(double(n) / range)) > unlikely / range);
    }
    // Three quarters of 2^32: without refusals every third value would be twice as likely.
    std::vector<double> thirds(3);
    for (const std::uint32_t x : rng.integers<std::uint32_t>(n, 0, std::uint32_t{3} << 30)) thirds[x % 3] += 1;
    for (const double count : thirds) CHECK(normal_tail(count - n / 3.0, std::sqrt(n * 2.0 / 9)) > unlikely);
    std::vector<double> wide(3);
    for (const std::uint64_t x : rng.integers<std::uint64_t>(n, 0, std::uint64_t{3} << 62)) wide[x % 3] += 1;
    for (const double count : wide) CHECK(normal_tail(count - n / 3.0, std::sqrt(n * 2.0 / 9)) > unlikely);
    // All of a small type, and of a large one.
    std::vector<double> bytes(256);
    for (const std::int8_t x : rng.integers<std::int8_t>(n, -128, 128)) bytes[x + 128] += 1;
    CHECK(chi_square(bytes, std::vector<double>(256, n / 256.0)) > unlikely);
    HostPhilox a(14), b(14);
    CHECK(a.integers<std::int32_t>(100, INT32_MIN, std::int64_t{INT32_MAX} + 1) == b.integers<std::int32_t>(100));
    // The test of PyOpenCL's suite: 10 000 007 of [200, 300).
    const auto many = rng.integers<std::int32_t>(10000007, 200, 300);
    CHECK(*std::min_element(many.begin(), many.end()) == 200);
    CHECK(*std::max_element(many.begin(), many.end()) == 299);
}

TEST_CASE("zeros and ones come with their probability") {
    HostPhilox rng(15);
    const int n = 1000000;
    for (const double p : {0.0, 0.001, 0.3, 0.5, 1.0}) {
        const auto sample = rng.bernoulli(n, p);
        CHECK(std::abs(mean(sample) - p) <= 4.5 * std::sqrt(p * (1 - p) / n));
        const auto doubles = rng.bernoulli<double>(n, p);
        CHECK(std::abs(mean(doubles) - p) <= 4.5 * std::sqrt(p * (1 - p) / n));
    }
}

TEST_CASE("Poisson numbers have the probabilities") {
    HostPhilox rng(16);
    const int n = 1000000;
    for (const double lambda : {0.1, 1.0, 9.0, 50.0, 1000.0}) {
        const auto sample = rng.poisson<std::uint32_t>(n, lambda);
        CHECK(normal_tail(mean(sample) - lambda, std::sqrt(lambda / n)) > unlikely);
        const std::uint32_t most = *std::max_element(sample.begin(), sample.end()) + 2;
        std::vector<double> counts(most), expected(most);
        for (const std::uint32_t k : sample) counts[k] += 1;
        for (std::uint32_t k = 0; k < most; ++k)
            expected[k] = n * std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
        if (lambda >= 9) CHECK(chi_square(counts, expected) > unlikely);
        for (std::uint32_t k = 0; k < most; ++k)
            if (expected[k] > 25) CHECK(std::abs(counts[k] - expected[k]) <= 5 * std::sqrt(expected[k]));
    }
    CHECK(rng.poisson(3, 0) == std::vector<std::int32_t>{0, 0, 0});
    const auto large = rng.poisson<std::int64_t>(10000, 1e9);
    CHECK(normal_tail(mean(large) - 1e9, std::sqrt(1e9 / 10000)) > unlikely);
    CHECK(normal_tail(moment(large, 1e9, 2) / 1e9 - 1, std::sqrt(2.0 / 10000)) > unlikely);
}

TEST_CASE("Poisson numbers with a mean each have the probabilities of their means") {
    const std::vector<double> of{0, 0.1, 1, 5, 9.999, 10, 12, 50, 1000};
    const std::size_t n = 400000;
    std::vector<double> means(of.size() * n);
    for (std::size_t i = 0; i < means.size(); ++i) means[i] = of[i % of.size()];
    const auto drawn = HostPhilox(36).poisson<std::uint32_t>(means);
    for (std::size_t j = 0; j < of.size(); ++j) {
        std::vector<std::uint32_t> sample(n);
        for (std::size_t i = 0; i < n; ++i) sample[i] = drawn[i * of.size() + j];
        const double lambda = of[j];
        if (lambda == 0) {
            CHECK(std::count(sample.begin(), sample.end(), 0u) == static_cast<std::ptrdiff_t>(n));
            continue;
        }
        INFO("mean " << lambda);
        CHECK(normal_tail(mean(sample) - lambda, std::sqrt(lambda / n)) > unlikely);
        const double fourth = lambda * (1 + 3 * lambda);  // central moment
        CHECK(normal_tail(moment(sample, lambda, 2) - lambda, std::sqrt((fourth - lambda * lambda) / n)) > unlikely);
        const std::uint32_t most = *std::max_element(sample.begin(), sample.end()) + 2;
        std::vector<double> counts(most), expected(most);
        for (const std::uint32_t k : sample) counts[k] += 1;
        for (std::uint32_t k = 0; k < most; ++k)
            expected[k] = n * std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
        if (lambda >= 9) CHECK(chi_square(counts, expected) > unlikely);
        for (std::uint32_t k = 0; k < most; ++k)
            if (expected[k] > 25) CHECK(std::abs(counts[k] - expected[k]) <= 5 * std::sqrt(expected[k]));
    }
    // Enough of some to see what the rejection does to a few in a thousand.
    for (const double lambda : {10.0, 40.0}) {
        const int many = 8000000;
        std::vector<double> counts(200), expected(200);
        for (const std::uint8_t k : HostPhilox(38).poisson<std::uint8_t>(std::vector<double>(many, lambda)))
            counts.at(k) += 1;
        for (int k = 0; k < 200; ++k)
            expected[k] = many * std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
        CHECK(chi_square(counts, expected) > unlikely);
    }
    for (const double large : {1e5, 1e9}) {
        const auto sample = HostPhilox(37).poisson<std::int64_t>(std::vector<double>(n, large));
        CHECK(normal_tail(mean(sample) - large, std::sqrt(large / n)) > unlikely);
        CHECK(normal_tail(moment(sample, large, 2) / large - 1, std::sqrt(2.0 / n)) > unlikely);
        CHECK(kolmogorov_smirnov(sample, [&](double k) {
                  // With the first terms of Edgeworth's series, and half a step to either side.
                  const double z = (k - large) / std::sqrt(large);
                  return normal_cumulative(z) - (z * z - 1) / 6 / std::sqrt(large) * std::exp(-z * z / 2) /
                                                    std::sqrt(2 * static_cast<double>(pi));
              }) > unlikely);
    }
}

TEST_CASE("means that are none give what no count is and counts that do not fit the largest number") {
    const std::vector<double> bad{-1, -1e-300, NAN, INFINITY, 1.0001e9}, large{1e4, 1e9};
    for (const double x : HostPhilox(1).poisson<double>(bad)) CHECK(std::isnan(x));
    for (const float x : HostPhilox(1).poisson<float>(bad)) CHECK(std::isnan(x));
    for (const half x : HostPhilox(1).poisson<half>(bad)) CHECK(x.bits == 0x7E00);
    for (const bfloat16 x : HostPhilox(1).poisson<bfloat16>(bad)) CHECK(x.bits == 0x7FC0);
    for (const int x : HostPhilox(1).poisson(bad)) CHECK(x == -1);
    for (const std::int64_t x : HostPhilox(1).poisson<std::int64_t>(bad)) CHECK(x == -1);
    for (const std::uint16_t x : HostPhilox(1).poisson<std::uint16_t>(bad)) CHECK(x == 65535);
    CHECK(HostPhilox(1).poisson<std::int8_t>(large) == std::vector<std::int8_t>{127, 127});
    CHECK(HostPhilox(1).poisson<std::uint8_t>(large) == std::vector<std::uint8_t>{255, 255});
    CHECK(HostPhilox(1).poisson<std::int16_t>(large)[1] == 32767);
    CHECK(float(HostPhilox(1).poisson<half>(large)[1]) == INFINITY);
    CHECK(HostPhilox(1).poisson<int>(std::vector{0.0, -0.0, 1e-310}) == std::vector{0, 0, 0});
    CHECK(HostPhilox(1).poisson(std::vector<double>{}).empty());
}

TEST_CASE("streams and substreams and seeds and neighbours do not know of each other") {
    const std::size_t n = 100000;
    const HostPhilox rng(17);
    std::vector<std::vector<double>> samples;
    for (int k = 0; k < 6; ++k) samples.push_back(rng.substream(k).uniform<double>(n));
    for (int k = 0; k < 4; ++k) samples.push_back(HostPhilox(17, k).uniform<double>(n));
    for (int k = 18; k < 22; ++k) samples.push_back(HostPhilox(k).uniform<double>(n));
    HostPhilox later(17);
    later.skip(2);
    samples.push_back(later.uniform<double>(n));
    for (std::size_t a = 0; a < samples.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) CHECK(normal_tail(correlation(samples[a], samples[b]), 1) > 1e-6);
    std::vector<double> all;
    for (std::size_t k = 0; k + 1 < samples.size(); ++k) all.insert(all.end(), samples[k].begin(), samples[k].end());
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());  // 53 bits: no two are expected to be equal
}

TEST_CASE("permutations hold every number once") {
    HostPhilox rng(18);
    for (const std::int64_t n : {0, 1, 2, 3, 100, 4096, 4097, 5000, 8191, 8192, 8193, 100000}) {
        std::vector<std::int64_t> order = rng.permutation(n);
        std::vector<std::int64_t> sorted = order;
        std::sort(sorted.begin(), sorted.end());
        bool whole = static_cast<std::int64_t>(order.size()) == n;
        for (std::int64_t i = 0; i < n; ++i) whole = whole && sorted[i] == i;
        CHECK_MESSAGE(whole, n, " numbers");
    }
    CHECK(rng.permutation<std::int32_t>(5000) != rng.permutation<std::int32_t>(5000));
}

TEST_CASE("permutations are equally likely and unrelated to the order before") {
    HostPhilox rng(19);
    std::map<std::vector<std::int64_t>, double> seen;
    const int tries = 24000;
    for (int i = 0; i < tries; ++i) seen[rng.permutation(4)] += 1;
    CHECK(seen.size() == 24);
    std::vector<double> counts;
    for (const auto& [order, count] : seen) counts.push_back(count);
    CHECK(chi_square(counts, std::vector<double>(24, tries / 24.0)) > unlikely);
    // By bijection: where numbers land, how neighbours lie to each other, fixed points, displaced order.
    const std::int64_t n = 5000;
    std::vector<double> first(50), step(50);
    double fixed = 0, inversions = 0;
    const int rounds = 200;
    for (int i = 0; i < rounds; ++i) {
        const auto order = rng.permutation(n);
        for (std::int64_t k = 0; k + 1 < n; k += 7) {
            step[((order[k + 1] - order[k] + n) % n) / 100] += 1;
            inversions += order[k] > order[k + 1];
        }
        for (std::int64_t k = 0; k < n; ++k) fixed += order[k] == k;
        first[order[0] / 100] += 1;
    }
    const double pairs = rounds * 715.0;
    CHECK(chi_square(step, std::vector<double>(50, pairs / 50)) > unlikely);
    CHECK(normal_tail(inversions - pairs / 2, std::sqrt(pairs / 4)) > unlikely);
    CHECK(normal_tail(fixed - rounds, std::sqrt(rounds)) > unlikely);  // one fixed point is expected in each
    CHECK(chi_square(first, std::vector<double>(50, rounds / 50.0)) > unlikely);
}

TEST_CASE("the kernels' texts are as they were") {
    using namespace philox_programs;
    for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()}) {
        const auto check = [&](const char* name, const PhiloxFill& fill) {
            golden::check(name + dialect->file_extension, fill.source(*dialect));
        };
        check("philox_unit_float",
              {.distribution = Distribution::unit, .element = dtype_of<float>(), .tuning = {}, .shift = 0});
        check("philox_normal_double_shifted",
              {.distribution = Distribution::normal, .element = dtype_of<double>(), .tuning = {}, .shift = 1});
        check(
            "philox_integers_int32_lanes",
            {.distribution = Distribution::integers, .element = dtype_of<std::int32_t>(), .tuning = lanes, .shift = 0});
        check("philox_bernoulli_bool_narrow",
              {.distribution = Distribution::bernoulli, .element = dtype_of<bool>(), .tuning = narrow, .shift = 0});
        check("philox_poisson_means_int32_lanes", {.distribution = Distribution::poisson_means,
                                                   .element = dtype_of<std::int32_t>(),
                                                   .tuning = lanes,
                                                   .shift = 0,
                                                   .means = dtype_of<float>()});
        golden::check("philox_permutation" + dialect->file_extension,
                      codegen::PhiloxPermutation{.element = dtype_of<std::int64_t>()}.source(*dialect));
    }
}

TEST_SUITE_END();
