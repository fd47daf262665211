/// Random numbers: the source of the kernels, and the same numbers on the host.
///
/// A stream is a sequence of 32-bit words; each counter of Philox 4x32-10 gives four. An element of up to 32 bits
/// consumes one word, a 64-bit element an aligned pair, a complex number or vector what its parts consume. So an
/// element depends only on seed, stream and position in the stream, and two calls draw the same numbers as one call.
/// Kernels and host run the same functions with IEEE 754 rounding: results agree in all bits if the kernel is compiled
/// with `fp_contract = false`.
#pragma once

#include <gemel/core/device.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gemel::codegen {

enum class Distribution : std::uint8_t {
    bits,     ///< integers: all bit patterns equally likely
    unit,     ///< reals in [0, 1)
    uniform,  ///< reals in [low, high)
    normal,
    log_normal,
    exponential,
    integers,   ///< integers in [low, high)
    bernoulli,  ///< 0 or 1
    poisson,
    poisson_means,  ///< Poisson, with a mean for each element
};

/// The function from counters to words.
enum class RandomCipher : std::uint8_t {
    philox,    ///< Philox 4x32-10
    threefry,  ///< Threefry 4x32-20; its key is the seed followed by two zero words
};

/// A position in a stream. `word` counts 32-bit words.
struct PhiloxPosition {
    std::uint64_t key = 0;
    std::uint32_t stream = 0, substream = 0;
    std::uint64_t word = 0;
    RandomCipher cipher = RandomCipher::philox;
};

/// The parameters of the distributions.
struct PhiloxConstants {
    std::array<double, 3>
        real{};               ///< uniform: low, width, largest; normal, log_normal: mean, sigma; exponential: scale
    std::uint64_t low = 0;    ///< integers, poisson: added to the result
    std::uint64_t range = 0;  ///< integers: number of values; bernoulli: 2^32 times the probability
    std::vector<std::uint64_t> table = {};  ///< poisson: 2^64 times the cumulative distribution
    const double* means = nullptr;          ///< poisson_means on the host: one per element
};

/// Philox 4x32-10 on the host: ten rounds on a counter with a key.
GEMEL_API std::array<std::uint32_t, 4> philox_4x32_10(const std::array<std::uint32_t, 4>& counter,
                                                      const std::array<std::uint32_t, 2>& key);

/// Threefry 4x32-20 on the host: twenty rounds on a counter with a key.
GEMEL_API std::array<std::uint32_t, 4> threefry_4x32_20(const std::array<std::uint32_t, 4>& counter,
                                                        const std::array<std::uint32_t, 4>& key);

/// The type of the parts of a type: float for cfloat and float4, uint8_t for bool.
GEMEL_API DType philox_element(DType dtype);
/// 32-bit words per element: 1 or 2.
GEMEL_API int philox_words(Distribution distribution, DType element);

/// The distribution of counters over threads.
struct PhiloxTuning {
    int block = 256;              ///< threads
    int counters_per_thread = 2;  ///< neighbouring threads have neighbouring counters
    bool wide_stores = true;      ///< stores of 4 to 16 bytes, if the addresses allow
    bool lanes = false;           ///< for CPUs: a thread processes consecutive counters, 32 at a time
    friend bool operator==(const PhiloxTuning&, const PhiloxTuning&) = default;
};
GEMEL_API PhiloxTuning philox_tuning(const DeviceInfo& info, Distribution distribution, DType element);

/// The kernel `philox` (or `threefry`), which fills an array. Parameters: out, offset and count (elements), first
/// counter, substream, stream, the two halves of the key, the number of elements of the first counter to skip, with
/// tuning.lanes the counters per thread, and the constants of the distribution. `poisson_means` needs double for every
/// element type; its constants are the array of means and the offset of the first, in elements.
struct GEMEL_API PhiloxFill {
    Distribution distribution = Distribution::unit;
    DType element = {};
    PhiloxTuning tuning = {};
    /// With wide stores: the number of elements of the first counter to skip, a constant in the source.
    int shift = 0;
    DType means = {};                            ///< poisson_means: float or double
    RandomCipher cipher = RandomCipher::philox;  ///< the kernel with Threefry is named `threefry`

    std::string source(const Dialect& dialect) const;
    friend bool operator==(const PhiloxFill&, const PhiloxFill&) = default;
};

/// The kernel `philox_permutation`. Parameters: out, count, left bits, right bits, 24 keys.
struct GEMEL_API PhiloxPermutation {
    DType element = {};
    std::string source(const Dialect& dialect) const;
    friend bool operator==(const PhiloxPermutation&, const PhiloxPermutation&) = default;
};
struct PhiloxPermutationKeys {
    std::array<std::uint32_t, 24> step{};
};

/// Compute on the host what the kernels compute. `out` points to `count` elements.
GEMEL_API void philox_fill(Distribution distribution, DType element, const PhiloxConstants& constants,
                           const PhiloxPosition& position, std::uint64_t count, void* out);
GEMEL_API std::uint64_t philox_permuted(std::uint64_t index, std::uint64_t count, int left_bits, int right_bits,
                                        const PhiloxPermutationKeys& keys);

}  // namespace gemel::codegen
