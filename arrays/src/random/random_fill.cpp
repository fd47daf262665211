#include "random/random_fill.hpp"

#include "array/require.hpp"
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/core/argument.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/kernel.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace gemel::random {

namespace {

using codegen::Distribution;
using codegen::PhiloxFill;

/// The tables of Poisson distributions in a context.
struct Tables {
    struct Table {
        std::vector<std::uint64_t> values;
        Buffer buffer;
    };
    std::mutex mutex;
    std::vector<Table> list;  ///< newest last
};
constexpr std::size_t max_tables = 16;
const char tables_key = 0;

/// The compiled kernel of a request.
template <class Request>
Kernel find_kernel(const Context& context, const Request& request, const char* name) {
    static const std::uint64_t id = KernelCache::new_generator();
    const auto variant = KernelCache::of(context).find<Variant>(VariantKey<Request>{id, request}, [&] {
        auto fresh = std::make_shared<Variant>();
        // Every operation is rounded as in IEEE 754, so that all devices draw the same numbers.
        fresh->kernel = context.compile(request, {.fp_contract = false, .name = name}).kernel(name);
        return fresh;
    });
    return variant->kernel;
}

Buffer table_buffer(const Context& context, const std::vector<std::uint64_t>& values) {
    const RecordingPause pause;  // a table outlives the graph that is being recorded
    const std::shared_ptr<Tables> tables = context.attached<Tables>(&tables_key);
    {
        std::lock_guard lock(tables->mutex);
        for (const Tables::Table& table : tables->list)
            if (table.values == values) return table.buffer;
    }
    Buffer buffer = context.allocate_attached(std::max<std::size_t>(1, values.size()) * sizeof(std::uint64_t));
    if (!values.empty()) buffer.upload(values);
    std::lock_guard lock(tables->mutex);
    if (tables->list.size() == max_tables) tables->list.erase(tables->list.begin());
    tables->list.push_back({values, buffer});
    return buffer;
}

/// As float or double, the type in the kernel.
Argument real_argument(double value, bool is_double) {
    return is_double ? as_argument(value) : as_argument(static_cast<float>(value));
}
Argument word_argument(std::uint64_t value, bool is_wide) {
    return is_wide ? as_argument(value) : as_argument(static_cast<std::uint32_t>(value));
}

std::int64_t offset_elements(const AnyArray& out, DType element) {
    return static_cast<std::int64_t>(out.offset_bytes() / element.size_bytes());
}

void add_constants(ArgumentList& arguments, const Draw& draw, const Buffer& table, const AnyArray* means) {
    const bool is_double = draw.element.size_bytes() == 8;
    const auto& constants = draw.constants;
    switch (draw.distribution) {
        case Distribution::bits:
        case Distribution::unit: return;
        case Distribution::uniform:
            for (const double value : constants.real) arguments.add(real_argument(value, is_double));
            return;
        case Distribution::normal:
        case Distribution::log_normal:
            arguments.add(real_argument(constants.real[0], is_double));
            arguments.add(real_argument(constants.real[1], is_double));
            return;
        case Distribution::exponential: arguments.add(real_argument(constants.real[0], is_double)); return;
        case Distribution::integers: {
            const std::uint64_t least = is_double ? (0 - constants.range) % constants.range
                                                  : static_cast<std::uint32_t>(0 - constants.range) % constants.range;
            for (const std::uint64_t value : {constants.low, constants.range, least})
                arguments.add(word_argument(value, is_double));
            return;
        }
        case Distribution::bernoulli: arguments.add(as_argument(constants.range)); return;
        case Distribution::poisson:
            arguments.add(as_argument(table));
            arguments.add(as_argument(static_cast<std::int32_t>(constants.table.size())));
            arguments.add(as_argument(constants.low));
            return;
        case Distribution::poisson_means:
            arguments.add(as_argument(means->buffer()));
            arguments.add(as_argument(offset_elements(*means, means->dtype())));
            return;
    }
}

std::uint64_t ceiling(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

void check_target(const char* who, const Context& context, const AnyArray& out) {
    require_array(who, "the array", out);
    if (!(out.context() == context))
        throw ArgumentError(text(who, ": the generator is on ", context.device().name(), " (", context.device().id(),
                                 "), the array in another context (", out.context().device().id(),
                                 "); make both in one context"));
    if (out.repeats())
        throw ArgumentError(text(who, ": an array of shape ", to_string(out.shape()), " and strides ",
                                 to_string(out.strides()),
                                 " repeats its elements and can only be read; copy() gives each its own"));
    if (out.offset_bytes() % codegen::philox_element(out.dtype()).size_bytes() != 0)
        throw ArgumentError(text(who, ": elements of ", out.dtype().name(), " must lie at multiples of ",
                                 codegen::philox_element(out.dtype()).size_bytes(), " bytes, not at byte ",
                                 out.offset_bytes()));
}

AnyArray readable_means(const Context& context, const AnyArray& means, const AnyArray& out) {
    require_array("poisson", "the array of means", means);
    if (!(means.context() == context))
        throw ArgumentError(text("poisson: the generator is on ", context.device().name(), " (", context.device().id(),
                                 "), the means in another context (", means.context().device().id(),
                                 "); make both in one context"));
    const DType type = means.dtype(), real = dtype_of<double>();
    if (!codegen::is_same_kind(type, real))
        throw ArgumentError(text("poisson: expected real means, got elements of ", type.name()));
    const AnyArray all = means.broadcast_to(out.shape());
    // Only the thread that writes an element reads its mean, before it writes.
    const bool is_in_place =
        type.size_bytes() == out.dtype().size_bytes() && all.strides() == out.strides() &&
        all.buffer().offset_bytes() + all.offset_bytes() == out.buffer().offset_bytes() + out.offset_bytes();
    if (all.is_contiguous() && type.kind() == DType::Kind::floating && type.size_bytes() >= 4 &&
        all.offset_bytes() % type.size_bytes() == 0 && (is_in_place || !all.may_overlap(out)))
        return all;
    const AnyArray converted(context, real, out.shape());
    converted.assign(all);
    return converted;
}

void fill_array(const AnyArray& out, const Draw& draw, std::uint64_t elements, const codegen::PhiloxPosition& position,
                const AnyArray* means) {
    if (elements == 0) return;
    const Context context = out.context();
    const int words = codegen::philox_words(draw.distribution, draw.element);
    const std::uint64_t per_counter = 4 / words;
    const auto shift = static_cast<std::int32_t>(position.word % 4 / words);
    const DeviceInfo& info = KernelCache::of(context).info();

    PhiloxFill request{.distribution = draw.distribution, .element = draw.element, .tuning = {}, .shift = 0};
    request.cipher = position.cipher;
    if (means) request.means = means->dtype();
    request.tuning = codegen::philox_tuning(info, draw.distribution, draw.element);
    const std::uint64_t store_bytes = per_counter * draw.element.size_bytes();
    const Buffer& buffer = out.buffer();
    // The handle is an address, or a pointer to a driver object; in the second case, allocations are aligned.
    if ((buffer.native_handle() + buffer.offset_bytes() + out.offset_bytes()) % store_bytes != 0)
        request.tuning.wide_stores = false;
    if (request.tuning.wide_stores) request.shift = shift;
    const Kernel kernel =
        find_kernel(context, request, position.cipher == codegen::RandomCipher::philox ? "philox" : "threefry");

    const bool lanes = request.tuning.lanes;
    const std::uint64_t counters = ceiling(elements + (request.tuning.wide_stores ? 0 : shift), per_counter);
    std::uint64_t run = 1, threads = ceiling(counters, request.tuning.counters_per_thread);
    if (lanes) {  // several runs per core, for load balancing
        run = std::clamp<std::uint64_t>(ceiling(counters, 8 * std::max(1u, info.compute_units)), 32, 4096);
        run = ceiling(run, 32) * 32;
        threads = ceiling(counters, run);
    }
    Buffer table;
    if (draw.distribution == Distribution::poisson) table = table_buffer(context, draw.constants.table);
    ArgumentList arguments;
    arguments.add(as_argument(buffer));
    arguments.add(as_argument(offset_elements(out, draw.element)));
    arguments.add(as_argument(static_cast<std::int64_t>(elements)));
    arguments.add(as_argument(position.word / 4));
    arguments.add(as_argument(position.substream));
    arguments.add(as_argument(position.stream));
    arguments.add(as_argument(static_cast<std::uint32_t>(position.key)));
    arguments.add(as_argument(static_cast<std::uint32_t>(position.key >> 32)));
    arguments.add(as_argument(shift));
    arguments.add(as_argument(static_cast<std::int32_t>(run)));
    add_constants(arguments, draw, table, means);
    kernel.launch({.grid = {ceiling(threads, request.tuning.block)}, .block = {request.tuning.block}},
                  arguments.span());
}

void permute_array(const AnyArray& out, const PermutationPlan& plan) {
    if (out.size() == 0) return;
    const DType dtype = out.dtype();
    const Context context = out.context();
    if (plan.left_bits == 0) {
        std::vector<std::byte> bytes(out.size_bytes());
        for (std::size_t i = 0; i < plan.shuffled.size(); ++i)  // low bytes first
            std::memcpy(&bytes[i * dtype.size_bytes()], &plan.shuffled[i], dtype.size_bytes());
        out.buffer().upload(bytes, out.offset_bytes());
        return;
    }
    const codegen::PhiloxPermutation request{.element = dtype};
    const Kernel kernel = find_kernel(context, request, "philox_permutation");
    const int block = 128;
    kernel({.block = {block}, .threads = {out.size()}}, out.buffer(), offset_elements(out, dtype),
           static_cast<std::int64_t>(out.size()), static_cast<std::int32_t>(plan.left_bits),
           static_cast<std::int32_t>(plan.right_bits), plan.keys);
}

}  // namespace gemel::random
