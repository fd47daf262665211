/// A checked draw of random numbers, independent of device and host.
#pragma once

#include <gemel/arrays/random.hpp>
#include <gemel/codegen/philox.hpp>

#include <cstdint>
#include <vector>

namespace gemel::random {

struct Draw {
    codegen::Distribution distribution;
    DType element;  ///< float for cfloat
    int lanes = 1;  ///< elements per value
    codegen::PhiloxConstants constants = {};
};

// Each throws ArgumentError for an unsuitable type or parameters.
Draw uniform_draw(DType dtype, double low, double high);
Draw normal_draw(codegen::Distribution distribution, DType dtype, double mean, double sigma);
Draw exponential_draw(DType dtype, double scale);
Draw integers_draw(DType dtype, IntegerBound low, IntegerBound high);
Draw bits_draw(DType dtype);
Draw bernoulli_draw(DType dtype, double probability);
Draw poisson_draw(DType dtype, double mean);
Draw poisson_means_draw(DType dtype);

/// Reserves the words of a draw: returns the position in words, and advances it past the draw.
std::uint64_t reserve_words(std::uint64_t& position, std::uint64_t elements, int words_per_element);
void skip_words(std::uint64_t& position, std::uint64_t words);
/// The number of a substream in the counter. @throws ArgumentError
std::uint32_t substream_number(std::uint32_t own, IntegerBound k);
std::uint32_t stream_number(IntegerBound stream);

/// How a permutation is computed: by shuffling on the host, or by a bijection on the device.
struct PermutationPlan {
    std::vector<std::int64_t> shuffled;  ///< for short permutations
    int left_bits = 0, right_bits = 0;
    codegen::PhiloxPermutationKeys keys;
};
/// @throws ArgumentError if the type cannot hold count - 1
void check_permutation(DType dtype, std::int64_t count);
/// Draws the keys, or the shuffled numbers, from a stream.
PermutationPlan plan_permutation(std::int64_t count, const codegen::PhiloxPosition& position);
std::uint64_t permutation_words(std::int64_t count);

}  // namespace gemel::random
