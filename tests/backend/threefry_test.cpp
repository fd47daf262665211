/// Threefry on a device: bit for bit the host's numbers, in arrays and within kernels.
#include <gemel/arrays/random_host.hpp>
#include <gemel/gemel.hpp>

#include "support.hpp"

#include <cstring>

using namespace gemel;
using random::HostThreefry;
using random::Threefry;

namespace {

template <class T>
void check_same(const GPUArray<T>& drawn, const std::vector<T>& expected, const std::string& what) {
    std::vector<T> values(drawn.size());
    if (!values.empty()) drawn.buffer().download(values, drawn.offset_bytes());
    CHECK_MESSAGE(values.size() == expected.size(), what);
    CHECK_MESSAGE((values.empty() || std::memcmp(values.data(), expected.data(), values.size() * sizeof(T)) == 0),
                  what);
}

}  // namespace

TEST_SUITE_BEGIN("random");

TEST_CASE("draws of Threefry are those of the host wherever they begin") {
    const Threefry rng(default_context(), 0x123456789abcdef0, 3);
    HostThreefry host(0x123456789abcdef0, 3);
    for (const std::size_t n : {1, 0, 3, 4, 5, 127, 128, 130, 1023, 10007}) {
        check_same(rng.uniform<float>(Shape(n)), host.uniform<float>(n), "uniform");
        check_same(rng.normal<float>(Shape(n), 1, 2), host.normal<float>(n, 1, 2), "normal");
        check_same(rng.integers<std::int32_t>(Shape(n), -5, 1000), host.integers<std::int32_t>(n, -5, 1000),
                   "integers");
        check_same(rng.integers<std::uint8_t>(Shape(n)), host.integers<std::uint8_t>(n), "bytes");
        check_same(rng.exponential<half>(Shape(n)), host.exponential<half>(n), "exponential");
    }
    check_same(rng.permutation<std::int32_t>(5000), host.permutation<std::int32_t>(5000), "permutation");
    check_same(rng.substream(2).uniform<float>({1000}), host.substream(2).uniform<float>(1000), "substream");
    CHECK(rng.position() == host.position());
}

TEST_CASE("doubles and counts of Threefry are those of the host") {
    if (!default_context().device().info().has_double) {
        MESSAGE("not run: the device has no double");
        return;
    }
    const Threefry rng(default_context(), 99);
    HostThreefry host(99);
    check_same(rng.normal<double>({10001}), host.normal<double>(10001), "normal");
    check_same(rng.poisson<std::int32_t>({10001}, 40), host.poisson<std::int32_t>(10001, 40), "poisson");
    // Refused words are drawn again from counters of their own, by the same cipher.
    const std::vector<double> means(3000, 123.5);
    check_same(rng.poisson<std::int32_t>(to_gpu(default_context(), means)), host.poisson<std::int32_t>(means), "means");
    check_same(rng.integers<std::uint64_t>({3000}, 0, 0xC000000000000001u),  // a quarter is refused
               host.integers<std::uint64_t>(3000, 0, 0xC000000000000001u), "wide integers");
}

TEST_CASE("words of Threefry within kernels are those of the counter") {
    const Module program = default_context().compile(R"(
KERNEL void bits(GLOBAL_MEM uint32_t *out, GLOBAL_MEM float *units, uint64_t seed, uint64_t substream)
{
    threefry_t r = threefry_init(seed, substream);
    philox_t other = philox_init(seed, substream);
    for (int k = 0; k < 8; ++k) out[k] = threefry_bits(&r);
    for (int k = 8; k < 12; ++k) out[k] = philox_bits(&other);
    threefry_skip(&r, 3);
    out[12] = threefry_bits(&r);
    units[0] = threefry_uniform(&r);
    units[1] = threefry_normal(&r);
})",
                                                     {.fp_contract = false});
    std::vector<std::uint32_t> words(13);
    std::vector<float> units(2);
    const std::uint64_t seed = 0x1234567887654321, substream = 0x0000000900000008;
    program.kernel("bits")({.grid = {1}, .block = {1}}, Out(words), Out(units), seed, substream);
    // The words of kernels have the upper 8 bits of the counter set.
    const auto block = [&](std::uint32_t at) {
        return codegen::threefry_4x32_20({at, 0xFF000000, 8, 9}, {0x87654321, 0x12345678, 0, 0});
    };
    for (std::uint32_t k = 0; k < 8; ++k) CHECK(words[k] == block(k / 4)[k % 4]);
    const auto philox = codegen::philox_4x32_10({0, 0xFF000000, 8, 9}, {0x87654321, 0x12345678});
    for (std::size_t k = 0; k < 4; ++k) CHECK(words[8 + k] == philox[k]);
    CHECK(words[12] == block(2)[3]);
    CHECK(units[0] == static_cast<float>(block(3)[0] >> 8) * 0x1p-24f);
    CHECK(std::isfinite(units[1]));
}

TEST_SUITE_END();
