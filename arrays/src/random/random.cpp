#include <gemel/arrays/random.hpp>

#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "random/random_draw.hpp"
#include "random/random_fill.hpp"

#include <charconv>
#include <mutex>
#include <optional>
#include <random>

namespace gemel::random {

/// The position of a stream, without the context, so that the context can hold its default generator's.
struct PhiloxState {
    std::uint64_t seed = 0;
    std::uint32_t stream = 0, substream = 0;
    std::mutex mutex;
    std::uint64_t position = 0;
    codegen::RandomCipher cipher = codegen::RandomCipher::philox;

    PhiloxState() = default;
    PhiloxState(std::uint64_t seed, std::uint32_t stream, std::uint32_t substream,
                codegen::RandomCipher cipher = codegen::RandomCipher::philox)
        : seed(seed), stream(stream), substream(substream), cipher(cipher) {}

    codegen::PhiloxPosition reserve(std::uint64_t elements, int words_per_element) {
        std::lock_guard lock(mutex);
        const std::uint64_t word = reserve_words(position, elements, words_per_element);
        return {.key = seed, .stream = stream, .substream = substream, .word = word, .cipher = cipher};
    }
};

namespace {

/// `make` creates the draw for the array's type.
template <class Make>
void draw_into(const AnyArray& out, const Context& context, PhiloxState& state, const Make& make) {
    check_target("Philox", context, out);
    const Draw draw = make(out.dtype());
    const std::uint64_t elements = out.size() * static_cast<std::uint64_t>(draw.lanes);
    const auto position = state.reserve(elements, codegen::philox_words(draw.distribution, draw.element));
    if (out.is_contiguous()) return fill_array(out, draw, elements, position);
    const AnyArray contiguous(context, out.dtype(), out.shape());
    fill_array(contiguous, draw, elements, position);
    out.assign(contiguous);
}

/// The last seed given to seed(), and the number of its calls.
struct CommonSeed {
    std::mutex mutex;
    std::optional<std::uint64_t> value;
    std::uint64_t changes = 0;
};
CommonSeed& common_seed() {
    static CommonSeed& seed = *new CommonSeed;
    return seed;
}

std::uint64_t first_seed() {
    if (const auto given = env::get("GEMEL_SEED")) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), value);
        if (error != std::errc() || end != given->data() + given->size())
            throw ArgumentError(
                text("environment variable GEMEL_SEED is '", *given, "', expected a number from 0 to 2^64 - 1"));
        return value;
    }
    std::random_device entropy;
    return std::uint64_t{entropy()} << 32 | entropy();
}

/// The default generator's position, held by each context.
struct DefaultGenerator {
    std::mutex mutex;
    std::shared_ptr<PhiloxState> state;
    std::uint64_t changes = 0;
};
const char default_generator_key = 0;

}  // namespace

Philox::Philox(const Context& context, IntegerBound seed, IntegerBound stream)
    : context_(context), state_(std::make_shared<PhiloxState>(seed.value, stream_number(stream), 0)) {}
Philox::Philox(IntegerBound seed) : Philox(current_context(), seed) {}

Threefry::Threefry(const Context& context, IntegerBound seed, IntegerBound stream)
    : Philox(context,
             std::make_shared<PhiloxState>(seed.value, stream_number(stream), 0, codegen::RandomCipher::threefry)) {}
Threefry::Threefry(IntegerBound seed) : Threefry(current_context(), seed) {}

Philox Philox::substream(IntegerBound k) const {
    return Philox(context_, std::make_shared<PhiloxState>(state_->seed, state_->stream,
                                                          substream_number(state_->substream, k), state_->cipher));
}

void Philox::skip(std::uint64_t words) const {
    std::lock_guard lock(state_->mutex);
    skip_words(state_->position, words);
}

std::uint64_t Philox::position() const {
    std::lock_guard lock(state_->mutex);
    return state_->position;
}

std::uint64_t Philox::seed() const { return state_->seed; }

void Philox::fill_uniform(const AnyArray& out, double low, double high) const {
    draw_into(out, context_, *state_, [&](DType dtype) { return uniform_draw(dtype, low, high); });
}
void Philox::fill_normal(const AnyArray& out, double mean, double sigma) const {
    draw_into(out, context_, *state_,
              [&](DType dtype) { return normal_draw(codegen::Distribution::normal, dtype, mean, sigma); });
}
void Philox::fill_log_normal(const AnyArray& out, double mean, double sigma) const {
    draw_into(out, context_, *state_,
              [&](DType dtype) { return normal_draw(codegen::Distribution::log_normal, dtype, mean, sigma); });
}
void Philox::fill_exponential(const AnyArray& out, double scale) const {
    draw_into(out, context_, *state_, [&](DType dtype) { return exponential_draw(dtype, scale); });
}
void Philox::fill_integers(const AnyArray& out, IntegerBound low, IntegerBound high) const {
    draw_into(out, context_, *state_, [&](DType dtype) { return integers_draw(dtype, low, high); });
}
void Philox::fill_bits(const AnyArray& out) const {
    draw_into(out, context_, *state_, [&](DType dtype) { return bits_draw(dtype); });
}
void Philox::fill_bernoulli(const AnyArray& out, double probability) const {
    draw_into(out, context_, *state_, [&](DType dtype) { return bernoulli_draw(dtype, probability); });
}
void Philox::fill_poisson(const AnyArray& out, double mean) const {
    draw_into(out, context_, *state_, [&](DType dtype) { return poisson_draw(dtype, mean); });
}

void Philox::fill_poisson(const AnyArray& out, const AnyArray& means) const {
    check_target("Philox", context_, out);
    const Draw draw = poisson_means_draw(out.dtype());
    const AnyArray read = readable_means(context_, means, out);
    const auto position = state_->reserve(out.size(), codegen::philox_words(draw.distribution, draw.element));
    if (out.is_contiguous()) return fill_array(out, draw, out.size(), position, &read);
    const AnyArray contiguous(context_, out.dtype(), out.shape());
    fill_array(contiguous, draw, out.size(), position, &read);
    out.assign(contiguous);
}

void Philox::fill_permutation(const AnyArray& out) const {
    check_target("Philox", context_, out);
    if (out.rank() != 1)
        throw ArgumentError(
            text("fill_permutation: expected an array of one axis, got shape ", to_string(out.shape())));
    const auto count = static_cast<std::int64_t>(out.size());
    codegen::PhiloxPosition position;
    {
        std::lock_guard lock(state_->mutex);
        position = {.key = state_->seed,
                    .stream = state_->stream,
                    .substream = state_->substream,
                    .word = state_->position,
                    .cipher = state_->cipher};
        check_permutation(out.dtype(), count);  // before words are consumed
        reserve_words(state_->position, permutation_words(count), 1);
    }
    const PermutationPlan plan = plan_permutation(count, position);
    if (out.is_contiguous()) return permute_array(out, plan);
    const AnyArray contiguous(context_, out.dtype(), out.shape());
    permute_array(contiguous, plan);
    out.assign(contiguous);
}

void Philox::fill(const AnyArray& out) const {
    if (out.dtype().kind() == DType::Kind::boolean) return fill_bernoulli(out, 0.5);
    if (codegen::philox_element(out.dtype()).is_integer()) return fill_bits(out);
    fill_uniform(out, 0, 1);
}

Philox default_generator(const Context& context) {
    const std::shared_ptr<DefaultGenerator> own = context.attached<DefaultGenerator>(&default_generator_key);
    std::optional<std::uint64_t> seed;
    std::uint64_t changes = 0;
    {
        CommonSeed& common = common_seed();
        std::lock_guard lock(common.mutex);
        seed = common.value;
        changes = common.changes;
    }
    std::lock_guard lock(own->mutex);
    if (!own->state || own->changes != changes) {
        own->state = std::make_shared<PhiloxState>(seed ? *seed : first_seed(), 0, 0);
        own->changes = changes;
    }
    return Philox(context, own->state);
}

void seed(IntegerBound value) {
    CommonSeed& common = common_seed();
    std::lock_guard lock(common.mutex);
    common.value = value.value;
    ++common.changes;
}

}  // namespace gemel::random
