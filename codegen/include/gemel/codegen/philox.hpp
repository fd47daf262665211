/// Random numbers: the text of the kernels, and the same numbers on the host.
///
/// A stream is a sequence of 32-bit words, four to a counter of Philox 4x32-10. An element of up to 32 bits takes one
/// word, one of 64 bits takes two (a whole pair), a complex number or vector what its parts take. So an element depends
/// on seed, stream and its place in the stream only, and what is drawn in two calls is what one call would have drawn.
/// Text and host run the same functions, in which every operation is rounded as IEEE 754 says: all bits agree, provided
/// that the text is compiled with `fp_contract = false`.
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
    bits,     ///< integers: all values alike
    unit,     ///< reals in [0, 1)
    uniform,  ///< reals in [low, high)
    normal,
    log_normal,
    exponential,
    integers,   ///< integers in [low, high)
    bernoulli,  ///< 0 or 1
    poisson,
    poisson_means,  ///< a mean for each element
};

/// What makes words of counters.
enum class RandomCipher : std::uint8_t {
    philox,    ///< Philox 4x32-10
    threefry,  ///< Threefry 4x32-20, whose key is the seed and two words of 0
};

/// Where in which stream. `word` counts 32-bit words.
struct PhiloxPosition {
    std::uint64_t key = 0;
    std::uint32_t stream = 0, substream = 0;
    std::uint64_t word = 0;
    RandomCipher cipher = RandomCipher::philox;
};

/// The numbers that a distribution needs. Which, stands behind each.
struct PhiloxConstants {
    std::array<double, 3>
        real{};               ///< uniform: low, width, largest; normal, log_normal: mean, sigma; exponential: scale
    std::uint64_t low = 0;    ///< integers, poisson: added to the result
    std::uint64_t range = 0;  ///< integers: how many values; bernoulli: 2^32 times the probability
    std::vector<std::uint64_t> table = {};  ///< poisson: 2^64 times the cumulative distribution
    const double* means = nullptr;          ///< poisson_means on the host: as many as elements
};

/// The host's own Philox 4x32-10: ten rounds on a counter with a key.
GEMEL_API std::array<std::uint32_t, 4> philox_4x32_10(const std::array<std::uint32_t, 4>& counter,
                                                      const std::array<std::uint32_t, 2>& key);

/// The host's own Threefry 4x32-20: twenty rounds on a counter with a key.
GEMEL_API std::array<std::uint32_t, 4> threefry_4x32_20(const std::array<std::uint32_t, 4>& counter,
                                                        const std::array<std::uint32_t, 4>& key);

/// One element of a number of lanes: float of cfloat and float4. bool counts as uint8_t.
GEMEL_API DType philox_element(DType dtype);
/// 32-bit words that an element takes: 1 or 2.
GEMEL_API int philox_words(Distribution distribution, DType element);

/// How the counters are dealt out to threads.
struct PhiloxTuning {
    int block = 256;              ///< threads
    int counters_per_thread = 2;  ///< one next to another's
    bool wide_stores = true;      ///< 4 to 16 bytes at a time, where addresses allow
    bool lanes = false;           ///< a thread takes a run of counters, 32 at a time, as suits CPUs
    friend bool operator==(const PhiloxTuning&, const PhiloxTuning&) = default;
};
GEMEL_API PhiloxTuning philox_tuning(const DeviceInfo& info, Distribution distribution, DType element);

/// A kernel `philox` that fills an array. Its parameters: out, offset and count (elements), first counter, substream,
/// stream, the two halves of the key, the number of elements of the first counter that are left out, the number of
/// counters that a thread takes (of tunings with lanes), and the constants of the distribution. `poisson_means` needs
/// double, whatever the element: its constants are the array of means and the offset of the first, in elements.
struct GEMEL_API PhiloxFill {
    Distribution distribution = Distribution::unit;
    DType element = {};
    PhiloxTuning tuning = {};
    /// With wide stores: elements of the first counter that are left out, known in the text.
    int shift = 0;
    DType means = {};                            ///< poisson_means: float or double
    RandomCipher cipher = RandomCipher::philox;  ///< the kernel of Threefry is called `threefry`

    std::string source(const Dialect& dialect) const;
    friend bool operator==(const PhiloxFill&, const PhiloxFill&) = default;
};

/// A kernel `philox_permutation`: out, count, left and right bits, 24 keys.
struct GEMEL_API PhiloxPermutation {
    DType element = {};
    std::string source(const Dialect& dialect) const;
    friend bool operator==(const PhiloxPermutation&, const PhiloxPermutation&) = default;
};
struct PhiloxPermutationKeys {
    std::array<std::uint32_t, 24> step{};
};

/// What the kernels compute, on the host. `out` points to `count` elements.
GEMEL_API void philox_fill(Distribution distribution, DType element, const PhiloxConstants& constants,
                           const PhiloxPosition& position, std::uint64_t count, void* out);
GEMEL_API std::uint64_t philox_permuted(std::uint64_t index, std::uint64_t count, int left_bits, int right_bits,
                                        const PhiloxPermutationKeys& keys);

}  // namespace gemel::codegen
