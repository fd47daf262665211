#include "random/random_draw.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/half.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace gemel::random {

namespace {

using codegen::Distribution;
constexpr std::uint64_t max_words = std::uint64_t{1} << 58;  // 2^56 counters of four
constexpr std::int64_t max_shuffled = 4096;
constexpr double largest_mean = 1e9;

Draw draw_of(Distribution distribution, DType dtype) {
    Draw draw{.distribution = distribution, .element = codegen::philox_element(dtype)};
    draw.lanes = static_cast<int>(dtype.size_bytes() / std::max<std::uint32_t>(1, draw.element.size_bytes()));
    return draw;
}

Draw real_draw(Distribution distribution, DType dtype, const char* what) {
    const Draw draw = draw_of(distribution, dtype);
    if (!draw.element.is_floating())
        throw ArgumentError(text(what, ": expected an array of float, double or a 16-bit float, got ", dtype.name(),
                                 "; use such an array"));
    return draw;
}

/// The value rounded to the element's type, or to float for 16 bits.
double rounded(DType element, double value) {
    if (element.kind() == DType::Kind::bfloat) return static_cast<float>(bfloat16(static_cast<float>(value)));
    if (element.size_bytes() == 2) return static_cast<float>(half(static_cast<float>(value)));
    return element.size_bytes() == 4 ? static_cast<float>(value) : value;
}

/// The next smaller finite value, in the element's type.
double next_below(DType element, double value) {
    if (element.size_bytes() == 8) return std::nextafter(value, -HUGE_VAL);
    if (element.size_bytes() == 4) return std::nextafter(static_cast<float>(value), -HUGE_VALF);
    const auto step = [&]<class T>(T number) {
        // Numbers of one sign are ordered like their bits, negative ones in reverse.
        number.bits = value == 0 ? 0x8001 : value > 0 ? number.bits - 1 : number.bits + 1;
        return static_cast<double>(static_cast<float>(number));
    };
    return element.kind() == DType::Kind::bfloat ? step(bfloat16(static_cast<float>(value)))
                                                 : step(half(static_cast<float>(value)));
}

/// The smallest and the largest integer of a type.
std::pair<__int128, __int128> limits_of(DType element) {
    const int bits = static_cast<int>(8 * element.size_bytes());
    if (element.kind() == DType::Kind::signed_integer)
        return {-(__int128{1} << (bits - 1)), (__int128{1} << (bits - 1)) - 1};
    return {0, (__int128{1} << bits) - 1};
}

__int128 value_of(IntegerBound bound) {
    return bound.is_negative ? static_cast<__int128>(static_cast<std::int64_t>(bound.value))
                             : static_cast<__int128>(bound.value);
}

std::string digits(__int128 value) {  // at most 65 bits
    return value < 0 ? text("-", static_cast<std::uint64_t>(-value)) : text(static_cast<std::uint64_t>(value));
}

/// The largest number up to which the type represents every integer.
double largest_count(DType element) {
    if (!element.is_floating()) return static_cast<double>(limits_of(element).second);
    if (element.kind() == DType::Kind::bfloat) return 256;
    return element.size_bytes() == 2 ? 2048 : element.size_bytes() == 4 ? 0x1p24 : 0x1p53;
}

/// All digits of a bound.
std::string exact_text(double value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return {digits, end};
}

}  // namespace

Draw uniform_draw(DType dtype, double low, double high) {
    Draw draw = real_draw(Distribution::uniform, dtype, "uniform");
    const double from = rounded(draw.element, low), to = rounded(draw.element, high);
    const double width =
        draw.element.size_bytes() == 8 ? to - from : static_cast<double>(static_cast<float>(to - from));
    if (!(from < to) || !std::isfinite(from) || !std::isfinite(to) || !std::isfinite(width))
        throw ArgumentError(text("uniform: expected a finite range that is not empty in the type ", dtype.name(),
                                 ", got [", exact_text(low), ", ", exact_text(high), "); use other bounds"));
    if (from == 0 && to == 1)
        draw.distribution = Distribution::unit;
    else
        draw.constants.real = {from, width, next_below(draw.element, to)};
    return draw;
}

Draw normal_draw(Distribution distribution, DType dtype, double mean, double sigma) {
    Draw draw = real_draw(distribution, dtype, distribution == Distribution::normal ? "normal" : "log_normal");
    if (!std::isfinite(mean) || !std::isfinite(sigma) || sigma < 0)
        throw ArgumentError(text(distribution == Distribution::normal ? "normal" : "log_normal",
                                 ": expected a finite mean and a finite standard deviation of at least 0, got ", mean,
                                 " and ", sigma, "; use other parameters"));
    draw.constants.real = {mean, sigma, 0};
    return draw;
}

Draw exponential_draw(DType dtype, double scale) {
    Draw draw = real_draw(Distribution::exponential, dtype, "exponential");
    if (!std::isfinite(scale) || scale < 0)
        throw ArgumentError(
            text("exponential: expected a finite scale of at least 0, got ", scale, "; use another scale"));
    draw.constants.real = {scale, 0, 0};
    return draw;
}

Draw bits_draw(DType dtype) {
    const Draw draw = draw_of(Distribution::bits, dtype);
    if (!draw.element.is_integer())
        throw ArgumentError(text("integers: an array of ", dtype.name(), " cannot hold integers; use an integer type"));
    return draw;
}

Draw integers_draw(DType dtype, IntegerBound low, IntegerBound high) {
    Draw draw = bits_draw(dtype);
    const auto [least, most] = limits_of(draw.element);
    const __int128 from = value_of(low), to = value_of(high);
    if (from >= to || from < least || to > most + 1)
        throw ArgumentError(text(
            "integers: the range [", digits(from), ", ", digits(to), ") ",
            from >= to ? "is empty"
                       : text("does not fit ", dtype.name(), ", which holds ", digits(least), " to ", digits(most))));
    const int words = codegen::philox_words(Distribution::integers, draw.element);
    const __int128 range = to - from;
    // All values of a word: no rejection, only the offset is added, which wraps around within the same set.
    if (range == __int128{1} << (32 * words)) return draw;
    draw.distribution = Distribution::integers;
    draw.constants.low = static_cast<std::uint64_t>(from);
    draw.constants.range = static_cast<std::uint64_t>(range);
    return draw;
}

Draw bernoulli_draw(DType dtype, double probability) {
    Draw draw = draw_of(Distribution::bernoulli, dtype);
    if (draw.lanes > 1 || dtype.kind() == DType::Kind::structure)
        throw ArgumentError(text("bernoulli: an array of ", dtype.name(), " cannot hold 0 and 1; use a scalar type"));
    if (!(probability >= 0 && probability <= 1))
        throw ArgumentError(text("bernoulli: expected a probability from 0 to 1, got ", probability));
    draw.constants.range = static_cast<std::uint64_t>(std::nearbyint(probability * 0x1p32));
    return draw;
}

Draw poisson_means_draw(DType dtype) {
    const Draw draw = draw_of(Distribution::poisson_means, dtype);
    if (draw.lanes > 1 || !(draw.element.is_integer() || draw.element.is_floating()))
        throw ArgumentError(
            text("poisson: an array of ", dtype.name(), " cannot hold counts; use an integer or floating type"));
    return draw;
}

Draw poisson_draw(DType dtype, double mean) {
    Draw draw = poisson_means_draw(dtype);
    draw.distribution = Distribution::poisson;
    if (!(mean >= 0 && mean <= largest_mean))
        throw ArgumentError(text("poisson: expected a mean from 0 to ", largest_mean, ", got ", mean));
    // From the mode outwards by products and quotients, then divided by the sum. No library function is used, so that
    // all hosts compute the same table.
    constexpr double negligible = 0x1p-75;
    const auto mode = static_cast<std::int64_t>(std::floor(mean));
    std::vector<double> below, above{1.0};
    for (std::int64_t k = mode; k > 0; --k) {
        const double p = (below.empty() ? 1.0 : below.back()) * (static_cast<double>(k) / mean);
        if (p < negligible) break;
        below.push_back(p);
    }
    for (std::int64_t k = mode + 1;; ++k) {
        const double p = above.back() * (mean / static_cast<double>(k));
        if (p < negligible) break;
        above.push_back(p);
    }
    std::vector<double> weights(below.rbegin(), below.rend());
    weights.insert(weights.end(), above.begin(), above.end());
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::int64_t first = mode - static_cast<std::int64_t>(below.size());
    draw.constants.low = static_cast<std::uint64_t>(first);
    double sum = 0;
    for (const double weight : weights) {
        sum += weight;
        const double scaled = sum / total * 0x1p64;
        if (scaled >= 0x1p64) break;
        draw.constants.table.push_back(static_cast<std::uint64_t>(scaled));
    }
    const double most = static_cast<double>(first) + static_cast<double>(draw.constants.table.size());
    if (most > largest_count(draw.element))
        throw ArgumentError(text("poisson: numbers of mean ", mean, " reach ", most, ", but ", dtype.name(),
                                 " holds integers up to ", largest_count(draw.element), "; use a wider type"));
    return draw;
}

std::uint64_t reserve_words(std::uint64_t& position, std::uint64_t elements, int words_per_element) {
    const std::uint64_t words = static_cast<std::uint64_t>(words_per_element);
    const std::uint64_t begin = (position + words - 1) / words * words;
    if (elements > max_words / words || begin > max_words - elements * words)
        throw Error(text("Philox: a stream has 2^58 words, and ", elements,
                         " more elements do not fit after position  ", position, "; use another stream or substream"));
    if (elements > 0) position = begin + elements * words;
    return begin;
}

void skip_words(std::uint64_t& position, std::uint64_t words) { reserve_words(position, words, 1); }

std::uint32_t substream_number(std::uint32_t own, IntegerBound k) {
    if (own != 0)
        throw ArgumentError(
            text("substream: substream ", own - 1, " has no substreams, only a stream has; use another stream number"));
    if (k.is_negative || k.value >= UINT32_MAX)
        throw ArgumentError(text("substream: expected a number from 0 to 2^32 - 2, got ", digits(value_of(k)),
                                 "; other streams have substreams of their own"));
    return static_cast<std::uint32_t>(k.value) + 1;
}

std::uint32_t stream_number(IntegerBound stream) {
    if (stream.is_negative || stream.value > UINT32_MAX)
        throw ArgumentError(text("Philox: expected a stream from 0 to 2^32 - 1, got ", digits(value_of(stream)),
                                 "; other seeds have streams of their own"));
    return static_cast<std::uint32_t>(stream.value);
}

std::uint64_t permutation_words(std::int64_t count) {
    return count <= max_shuffled ? 2 * static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)) : 24;
}

void check_permutation(DType dtype, std::int64_t count) {
    if (count < 0) throw ArgumentError(text("permutation: expected a count of at least 0, got ", count));
    if (!dtype.is_integer() || dtype.lanes() > 1)
        throw ArgumentError(text("permutation: expected a type of integers, got ", dtype.name()));
    if (static_cast<__int128>(count) - 1 > limits_of(dtype).second)
        throw ArgumentError(text("permutation: ", count, " numbers do not fit ", dtype.name(), ", which holds up to ",
                                 digits(limits_of(dtype).second), "; use a wider type"));
}

PermutationPlan plan_permutation(std::int64_t count, const codegen::PhiloxPosition& position) {
    PermutationPlan plan;
    if (count <= max_shuffled) {
        // The Fisher-Yates shuffle in Durstenfeld's form (CACM 7, 1964, algorithm 235).
        plan.shuffled.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
        std::iota(plan.shuffled.begin(), plan.shuffled.end(), std::int64_t{0});
        codegen::PhiloxPosition at = position;
        for (std::size_t left = plan.shuffled.size(); left > 1; --left, at.word += 2) {
            codegen::PhiloxConstants constants;
            constants.range = left;
            std::uint64_t chosen = 0;
            codegen::philox_fill(Distribution::integers, dtype_of<std::uint64_t>(), constants, at, 1, &chosen);
            std::swap(plan.shuffled[left - 1], plan.shuffled[chosen]);
        }
        return plan;
    }
    const int bits = std::bit_width(static_cast<std::uint64_t>(count) - 1);
    plan.left_bits = bits / 2;
    plan.right_bits = bits - plan.left_bits;
    codegen::philox_fill(Distribution::bits, dtype_of<std::uint32_t>(), {}, position, plan.keys.step.size(),
                         plan.keys.step.data());
    return plan;
}

}  // namespace gemel::random
