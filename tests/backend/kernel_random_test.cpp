/// Random numbers within kernels, beside the host's Philox and the lines that arrays draw with.
#include "generator_support.hpp"
#include "support.hpp"

#include <gemel/gemel.hpp>

#include <bit>
#include <cmath>
#include <set>

using namespace gemel;
using gemel::testing::downloaded;

namespace {

namespace lines {
#define WITHIN_KERNEL [[maybe_unused]] inline
#define GLOBAL_MEM
using std::floor, std::fma, std::sqrt, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;
inline std::uint32_t as_uint(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float as_float(std::uint32_t x) { return std::bit_cast<float>(x); }
inline std::uint64_t as_ulong(double x) { return std::bit_cast<std::uint64_t>(x); }
inline double as_double(std::uint64_t x) { return std::bit_cast<double>(x); }
#define gemel_words gemel_philox
#include "../../core/src/language/philox_functions.inc"
#include "../../core/src/language/random_distributions.inc"
#undef gemel_words
#undef WITHIN_KERNEL
#undef GLOBAL_MEM
}  // namespace lines

const char* const source = R"(
KERNEL void bits(GLOBAL_MEM uint32_t *out, uint64_t seed, uint64_t substream, uint64_t skipped, int32_t n)
{
    philox_t r = philox_init(seed, substream);
    philox_skip(&r, skipped);
    for (int32_t k = 0; k < n; ++k) out[k] = philox_bits(&r);
}
KERNEL void mixed(GLOBAL_MEM float *out, uint64_t seed, uint64_t substream)
{
    philox_t r = philox_init(seed, substream);
    out[0] = philox_uniform(&r);
    out[1] = philox_normal(&r);   /* of words 2 and 3: pairs begin at even places */
    out[2] = philox_normal(&r);
    out[3] = philox_uniform(&r);  /* of word 4 */
}
KERNEL void many(GLOBAL_MEM float *uniform, GLOBAL_MEM float *normal, int32_t n, uint64_t seed)
{
    const int32_t i = (int32_t)GLOBAL_ID_0;
    if (i >= n) return;
    philox_t r = philox_init(seed, (uint64_t)i);
    for (int32_t k = 0; k < 8; ++k) {
        uniform[8 * i + k] = philox_uniform(&r);
        normal[8 * i + k] = philox_normal(&r);
    }
})";

Module program() { return default_context().compile(source, {.fp_contract = false}); }

std::vector<std::uint32_t> bits(std::uint64_t seed, std::uint64_t substream, std::uint64_t skipped, int n) {
    const Buffer out = default_context().allocate(static_cast<std::size_t>(n) * 4);
    program().kernel("bits")({.grid = {1}, .block = {1}}, out, seed, substream, skipped, n);
    return downloaded<std::uint32_t>(out);
}

/// The words of a kernel's stream, by the host's Philox.
std::vector<std::uint32_t> expected(std::uint64_t seed, std::uint64_t substream, std::uint64_t skipped, int n) {
    std::vector<std::uint32_t> words;
    for (std::uint64_t at = skipped; words.size() < static_cast<std::size_t>(n); ++at) {
        const std::uint64_t block = at / 4 | std::uint64_t{0xFF} << 56;
        const auto four = codegen::philox_4x32_10(
            {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
             static_cast<std::uint32_t>(substream), static_cast<std::uint32_t>(substream >> 32)},
            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
        words.push_back(four[at % 4]);
    }
    return words;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("words of Philox in a kernel are those that its authors published, and the host's") {
    // The known answer of Random123 for a counter and a key of all bits set: the last block of the last substream.
    constexpr std::uint64_t all = ~std::uint64_t{0};
    CHECK(bits(all, all, 4 * ((std::uint64_t{1} << 56) - 1), 4) ==
          std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    for (const std::uint64_t skipped : {0, 1, 3, 4, 6, 1000001}) {
        INFO(skipped);
        CHECK(bits(0x123456789ABCDEF0u, 77, skipped, 11) == expected(0x123456789ABCDEF0u, 77, skipped, 11));
    }
    CHECK(bits(5, std::uint64_t{1} << 32, 0, 4) == expected(5, std::uint64_t{1} << 32, 0, 4));
    CHECK(bits(5, 0, 0, 4) != bits(5, std::uint64_t{1} << 32, 0, 4));
}

TEST_CASE("uniform and normal numbers in a kernel have the bits of the lines that arrays draw with") {
    const Buffer out = default_context().allocate(4 * sizeof(float));
    program().kernel("mixed")({.grid = {1}, .block = {1}}, out, std::uint64_t{9}, std::uint64_t{3});
    const auto w = expected(9, 3, 0, 5);
    float z[2];
    lines::gemel_normal_pair(w[2], w[3], z);
    const auto drawn = downloaded<float>(out);
    CHECK(drawn[0] == lines::gemel_unit(w[0]));
    // The host may contract what the kernel must not.
    CHECK(std::abs(drawn[1] - z[0]) <= 4e-7f * std::max(1.0f, std::abs(z[0])));
    CHECK(std::abs(drawn[2] - z[1]) <= 4e-7f * std::max(1.0f, std::abs(z[1])));
    CHECK(drawn[3] == lines::gemel_unit(w[4]));
}

TEST_CASE("numbers drawn in kernels have the mean and the variance that they should") {
    constexpr int threads = 20000, n = 8 * threads;
    const GPUArray<float> uniform = zeros<float>({n}), normal = zeros<float>({n});
    program().kernel("many")({.threads = {threads}}, uniform, normal, threads, std::uint64_t{2026});
    const double mean_u = gemel::mean<double>(uniform).item(), mean_z = gemel::mean<double>(normal).item();
    const GPUArray<float> squares(normal * normal), products(uniform * normal);
    CHECK(std::abs(mean_u - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
    CHECK(std::abs(mean_z) < 5 / std::sqrt(double(n)));
    CHECK(std::abs(gemel::mean<double>(squares).item() - 1) < 5 * std::sqrt(2.0 / n));
    CHECK(std::abs(gemel::mean<double>(products).item()) < 5 * std::sqrt(1.0 / 3 / n));
    CHECK(gemel::min(uniform).item() >= 0);
    CHECK(gemel::max(uniform).item() < 1);
    const auto all = uniform.get();
    CHECK(std::set<float>(all.begin(), all.end()).size() > n * 99 / 100);  // no substream repeats another
}

TEST_CASE("random numbers are words of snippets too") {
    const ElementwiseKernel dice("float *x, uint64_t seed",
                                 "philox_t r = philox_init(seed, (uint64_t)i); x[i] = philox_uniform(&r)", "dice");
    const GPUArray<float> x = zeros<float>({1000}), y = zeros<float>({1000});
    dice(x, std::uint64_t{4});
    dice(y, std::uint64_t{4});
    CHECK(x.get() == y.get());
    for (const int i : {0, 1, 999})
        CHECK(x(i).item() == lines::gemel_unit(expected(4, static_cast<std::uint64_t>(i), 0, 1)[0]));
}

TEST_CASE("uniform doubles in a kernel take pairs of words") {
    if (!current_context().device().info().has_double) return;
    const Module module = default_context().compile(R"(
KERNEL void doubles(GLOBAL_MEM double *out)
{
    philox_t r = philox_init(1, 2);
    philox_bits(&r);
    out[0] = philox_uniform_double(&r);
    out[1] = philox_uniform_double(&r);
})");
    const Buffer out = default_context().allocate(2 * sizeof(double));
    module.kernel("doubles")({.grid = {1}, .block = {1}}, out);
    const auto w = expected(1, 2, 0, 6);
    const auto drawn = downloaded<double>(out);
    CHECK(drawn[0] == lines::gemel_unit(lines::gemel_wide(w[2], w[3])));
    CHECK(drawn[1] == lines::gemel_unit(lines::gemel_wide(w[4], w[5])));
}

TEST_SUITE_END();
