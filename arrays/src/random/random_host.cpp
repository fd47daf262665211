#include <gemel/arrays/random_host.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "random/random_draw.hpp"

namespace gemel::random {

namespace {

codegen::RandomCipher cipher_of(bool is_threefry) {
    return is_threefry ? codegen::RandomCipher::threefry : codegen::RandomCipher::philox;
}

void draw_to(void* out, const Draw& draw, std::size_t count, std::uint64_t seed, std::uint32_t stream,
             std::uint32_t substream, std::uint64_t& position, codegen::RandomCipher cipher) {
    const std::uint64_t elements = count * static_cast<std::uint64_t>(draw.lanes);
    const std::uint64_t word =
        reserve_words(position, elements, codegen::philox_words(draw.distribution, draw.element));
    codegen::philox_fill(draw.distribution, draw.element, draw.constants,
                         {.key = seed, .stream = stream, .substream = substream, .word = word, .cipher = cipher},
                         elements, out);
}

}  // namespace

std::size_t checked_count(Integer count) {
    if (count < 0) throw ArgumentError(text("HostPhilox: expected a count of at least 0, got ", std::int64_t{count}));
    return static_cast<std::size_t>(std::int64_t{count});
}

HostPhilox::HostPhilox(IntegerBound seed, IntegerBound stream, bool is_threefry) : HostPhilox(seed, stream) {
    is_threefry_ = is_threefry;
}
HostThreefry::HostThreefry(IntegerBound seed, IntegerBound stream) : HostPhilox(seed, stream, true) {}

HostPhilox::HostPhilox(IntegerBound seed, IntegerBound stream) : seed_(seed.value), stream_(stream_number(stream)) {}

HostPhilox HostPhilox::substream(IntegerBound k) const {
    HostPhilox other(seed_, stream_, is_threefry_);
    other.substream_ = substream_number(substream_, k);
    return other;
}

void HostPhilox::skip(std::uint64_t words) { skip_words(position_, words); }

void HostPhilox::fill_uniform(void* out, DType dtype, std::size_t count, double low, double high) {
    draw_to(out, uniform_draw(dtype, low, high), count, seed_, stream_, substream_, position_, cipher_of(is_threefry_));
}
void HostPhilox::fill_normal(void* out, DType dtype, std::size_t count, double mean, double sigma) {
    draw_to(out, normal_draw(codegen::Distribution::normal, dtype, mean, sigma), count, seed_, stream_, substream_,
            position_, cipher_of(is_threefry_));
}
void HostPhilox::fill_log_normal(void* out, DType dtype, std::size_t count, double mean, double sigma) {
    draw_to(out, normal_draw(codegen::Distribution::log_normal, dtype, mean, sigma), count, seed_, stream_, substream_,
            position_, cipher_of(is_threefry_));
}
void HostPhilox::fill_exponential(void* out, DType dtype, std::size_t count, double scale) {
    draw_to(out, exponential_draw(dtype, scale), count, seed_, stream_, substream_, position_, cipher_of(is_threefry_));
}
void HostPhilox::fill_integers(void* out, DType dtype, std::size_t count, IntegerBound low, IntegerBound high) {
    draw_to(out, integers_draw(dtype, low, high), count, seed_, stream_, substream_, position_,
            cipher_of(is_threefry_));
}
void HostPhilox::fill_bits(void* out, DType dtype, std::size_t count) {
    draw_to(out, bits_draw(dtype), count, seed_, stream_, substream_, position_, cipher_of(is_threefry_));
}
void HostPhilox::fill_bernoulli(void* out, DType dtype, std::size_t count, double probability) {
    draw_to(out, bernoulli_draw(dtype, probability), count, seed_, stream_, substream_, position_,
            cipher_of(is_threefry_));
}
void HostPhilox::fill_poisson(void* out, DType dtype, std::size_t count, double mean) {
    draw_to(out, poisson_draw(dtype, mean), count, seed_, stream_, substream_, position_, cipher_of(is_threefry_));
}
void HostPhilox::fill_poisson(void* out, DType dtype, std::span<const double> means) {
    Draw draw = poisson_means_draw(dtype);
    draw.constants.means = means.data();
    draw_to(out, draw, means.size(), seed_, stream_, substream_, position_, cipher_of(is_threefry_));
}

std::vector<std::int64_t> HostPhilox::permutation_of(std::int64_t count, DType dtype) {
    codegen::PhiloxPosition position{
        .key = seed_, .stream = stream_, .substream = substream_, .word = position_, .cipher = cipher_of(is_threefry_)};
    check_permutation(dtype, count);
    PermutationPlan plan = plan_permutation(count, position);
    reserve_words(position_, permutation_words(count), 1);
    if (plan.left_bits == 0) return std::move(plan.shuffled);
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<std::int64_t>(
            codegen::philox_permuted(i, static_cast<std::uint64_t>(count), plan.left_bits, plan.right_bits, plan.keys));
    return order;
}

}  // namespace gemel::random
