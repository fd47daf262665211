/// Random numbers on the host: the functions of the kernels, compiled as C++.
#include <gemel/codegen/philox.hpp>

#include <gemel/core/half.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gemel::codegen {

namespace {

#define WITHIN_KERNEL [[maybe_unused]] inline
#define GLOBAL_MEM
using std::floor, std::fma, std::sqrt;
inline std::uint32_t as_uint(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float as_float(std::uint32_t x) { return std::bit_cast<float>(x); }
inline std::uint64_t as_ulong(double x) { return std::bit_cast<std::uint64_t>(x); }
inline double as_double(std::uint64_t x) { return std::bit_cast<double>(x); }

using std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;
/// The cipher of the current draw of this thread.
thread_local RandomCipher cipher_in_use = RandomCipher::philox;
inline void gemel_words(uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high,
                        uint32_t* x);
#include "philox_functions.inc"
#include "random_distributions.inc"
inline void gemel_words(uint64_t at, uint32_t substream, uint32_t stream, uint32_t key_low, uint32_t key_high,
                        uint32_t* x) {
    if (cipher_in_use == RandomCipher::philox) return gemel_philox(at, substream, stream, key_low, key_high, x);
    gemel_threefry(at, substream, stream, key_low, key_high, x);
}

template <class T>
constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T, class V>
T stored(V value) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
        return T(static_cast<float>(value));
    else
        return static_cast<T>(value);
}

/// Draws from a stream, counter by counter.
template <class T>
class Filler {
   public:
    Filler(Distribution distribution, const PhiloxConstants& constants, const PhiloxPosition& position,
           std::uint64_t largest)
        : distribution_(distribution),
          constants_(constants),
          position_(position),
          words_(philox_words(distribution, dtype_of<T>())),
          largest_(largest) {}

    void fill(std::uint64_t count, T* out) {
        const std::uint64_t per_counter = 4 / words_;
        std::uint64_t at = position_.word / 4, skipped = position_.word % 4 / words_;
        for (std::uint64_t i = 0; i < count; ++at, skipped = 0) {
            T v[4];
            values(at, static_cast<std::int64_t>(i) - static_cast<std::int64_t>(skipped), count, v);
            for (std::uint64_t e = skipped; e < per_counter && i < count; ++e) out[i++] = v[e];
        }
    }

   private:
    /// `first` is the number of v[0] among `count` elements.
    void values(std::uint64_t at, std::int64_t first, std::uint64_t count, T* v) {
        uint32_t x[4];
        const auto low = static_cast<uint32_t>(position_.key), high = static_cast<uint32_t>(position_.key >> 32);
        gemel_words(at, position_.substream, position_.stream, low, high, x);
        for (int i = 0; i < 4 / words_; ++i) {
            if (distribution_ == Distribution::poisson_means) {
                const std::int64_t at_element = first + i;
                const bool is_wanted = at_element >= 0 && static_cast<std::uint64_t>(at_element) < count;
                v[i] = counted(gemel_poisson(is_wanted ? constants_.means[at_element] : 0.0,
                                             gemel_wide(x[2 * i], x[2 * i + 1]), i, at, position_.substream,
                                             position_.stream, low, high));
            } else if (words_ == 1)
                v[i] = value(x[i], i, at, low, high, v);
            else
                v[i] = value(gemel_wide(x[2 * i], x[2 * i + 1]), i, at, low, high, v);
        }
        if (distribution_ == Distribution::normal || distribution_ == Distribution::log_normal) normals(x, v);
    }

    template <class Word>
    T value(Word word, int part, uint64_t at, uint32_t low, uint32_t high, T*) {
        using R = Real<T>;
        const auto& real = constants_.real;
        switch (distribution_) {
            case Distribution::bits:
                if constexpr (!is_real<T>) return static_cast<T>(word);
                break;
            case Distribution::unit: return stored<T>(unit(word));
            case Distribution::uniform:
                return stored<T>(gemel_at_most(fma(unit(word), R(real[1]), R(real[0])), R(real[2])));
            case Distribution::exponential:
                if constexpr ((sizeof(Word) == 8) == std::is_same_v<T, double>)
                    return stored<T>(R(real[0]) * -gemel_log_unit(word));
                break;
            case Distribution::integers: {
                const Word range = static_cast<Word>(constants_.range),
                           least = static_cast<Word>(Word(0) - range) % range;
                if constexpr (!is_real<T>)
                    return static_cast<T>(static_cast<Word>(constants_.low) + gemel_below(word, part, range, least, at,
                                                                                          position_.substream,
                                                                                          position_.stream, low, high));
                break;
            }
            case Distribution::bernoulli:
                return stored<T>(
                    (sizeof(Word) == 8 ? word >> (8 * sizeof(Word) - 32) : word) < constants_.range ? 1.0f : 0.0f);
            case Distribution::poisson:
                return stored<T>(Poisson(constants_.low + static_cast<uint64_t>(gemel_count_until(
                                                              constants_.table.data(),
                                                              static_cast<int32_t>(constants_.table.size()), word))));
            case Distribution::poisson_means:
            case Distribution::normal:
            case Distribution::log_normal: break;
        }
        return T();
    }

    T counted(double k) const {
        if constexpr (std::is_same_v<T, half>)
            return k < 0 ? std::bit_cast<T>(std::uint16_t{0x7E00}) : T(static_cast<float>(k));
        else if constexpr (std::is_same_v<T, bfloat16>)
            return k < 0 ? std::bit_cast<T>(std::uint16_t{0x7FC0}) : T(static_cast<float>(k));
        else if constexpr (is_real<T>)
            return k < 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(k);
        else
            return static_cast<T>(gemel_count(k, largest_));
    }

    using Poisson = std::conditional_t<is_real<T>, Real<T>, uint64_t>;

    template <class Word>
    static Real<T> unit(Word word) {
        if constexpr (std::is_same_v<T, half>)
            return gemel_unit_11(static_cast<uint32_t>(word));
        else if constexpr (std::is_same_v<T, bfloat16>)
            return gemel_unit_8(static_cast<uint32_t>(word));
        else if constexpr (std::is_same_v<T, double>)
            return gemel_unit(static_cast<uint64_t>(word));
        else
            return gemel_unit(static_cast<uint32_t>(word));
    }

    void normals(const uint32_t* x, T* v) {
        if constexpr (is_real<T>) {
            using R = Real<T>;
            R z[4];
            if constexpr (std::is_same_v<T, double>) {
                gemel_normal_pair(gemel_wide(x[0], x[1]), gemel_wide(x[2], x[3]), z);
            } else {
                gemel_normal_pair(x[0], x[1], z);
                gemel_normal_pair(x[2], x[3], z + 2);
            }
            for (int i = 0; i < 4 / words_; ++i) {
                const R y = fma(z[i], R(constants_.real[1]), R(constants_.real[0]));
                v[i] = stored<T>(distribution_ == Distribution::normal ? y : gemel_exp(y));
            }
        }
    }

    Distribution distribution_;
    const PhiloxConstants& constants_;
    PhiloxPosition position_;
    int words_;
    std::uint64_t largest_;  ///< of integers
};

}  // namespace

std::array<std::uint32_t, 4> philox_4x32_10(const std::array<std::uint32_t, 4>& counter,
                                            const std::array<std::uint32_t, 2>& key) {
    std::array<std::uint32_t, 4> x{};
    gemel_philox(gemel_wide(counter[0], counter[1]), counter[2], counter[3], key[0], key[1], x.data());
    return x;
}

std::array<std::uint32_t, 4> threefry_4x32_20(const std::array<std::uint32_t, 4>& counter,
                                              const std::array<std::uint32_t, 4>& key) {
    std::array<std::uint32_t, 4> x = counter;
    gemel_threefry_4x32(x.data(), key[0], key[1], key[2], key[3]);
    return x;
}

void philox_fill(Distribution distribution, DType element, const PhiloxConstants& constants,
                 const PhiloxPosition& position, std::uint64_t count, void* out) {
    cipher_in_use = position.cipher;
    const auto as = [&]<class T>(T*) {
        const bool is_signed = element.kind() == DType::Kind::signed_integer;
        const std::uint64_t largest = (std::uint64_t{1} << std::min(8 * element.size_bytes() - is_signed, 53u)) - 1;
        Filler<T>(distribution, constants, position, largest).fill(count, static_cast<T*>(out));
    };
    using Kind = DType::Kind;
    const auto bytes = element.size_bytes();
    if (element.kind() == Kind::bfloat) return as(static_cast<bfloat16*>(nullptr));
    if (element.kind() == Kind::floating) {
        if (bytes == 2) return as(static_cast<half*>(nullptr));
        if (bytes == 4) return as(static_cast<float*>(nullptr));
        return as(static_cast<double*>(nullptr));
    }
    // Signed integers have the bits of unsigned ones.
    if (bytes == 1) return as(static_cast<std::uint8_t*>(nullptr));
    if (bytes == 2) return as(static_cast<std::uint16_t*>(nullptr));
    if (bytes == 4) return as(static_cast<std::uint32_t*>(nullptr));
    return as(static_cast<std::uint64_t*>(nullptr));
}

std::uint64_t philox_permuted(std::uint64_t index, std::uint64_t count, int left_bits, int right_bits,
                              const PhiloxPermutationKeys& keys) {
    gemel_permutation_keys copy{};
    std::memcpy(&copy, &keys, sizeof copy);
    return gemel_permuted(index, count, left_bits, right_bits, &copy);
}

}  // namespace gemel::codegen
