#include "random/random_fill.hpp"

#include <gemel/core/argument.hpp>
#include <gemel/core/error.hpp>
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

/// What a context keeps: compiled kernels, and tables of Poisson distributions.
struct Store {
    std::mutex mutex;
    std::vector<std::pair<PhiloxFill, Kernel>> kernels;
    std::vector<std::pair<DType, Kernel>> permutations;
    struct Table {
        std::vector<std::uint64_t> values;
        Buffer buffer;
    };
    std::vector<Table> tables;  ///< newest last
};
constexpr std::size_t tables_most = 16;
const char store_key = 0;

std::shared_ptr<Store> store_of(const Context& context) { return context.attached<Store>(&store_key); }

template <class Key, class Request>
Kernel find(const Context& context, std::vector<std::pair<Key, Kernel>> Store::*list, const Key& key,
            const Request& request, const char* name) {
    const std::shared_ptr<Store> store = store_of(context);
    const auto known = [&]() -> const Kernel* {
        for (const auto& [other, kernel] : (*store).*list)
            if (other == key) return &kernel;
        return nullptr;
    };
    {
        std::lock_guard lock(store->mutex);
        if (const Kernel* kernel = known()) return *kernel;
    }
    // Every operation rounded as IEEE 754 says: what makes the numbers the same everywhere.
    Kernel fresh = context.compile(request, {.fp_contract = false, .name = name}).kernel(name);
    std::lock_guard lock(store->mutex);
    if (const Kernel* kernel = known()) return *kernel;
    ((*store).*list).emplace_back(key, fresh);
    return fresh;
}

Buffer table_buffer(const Context& context, const std::vector<std::uint64_t>& values) {
    const std::shared_ptr<Store> store = store_of(context);
    {
        std::lock_guard lock(store->mutex);
        for (const Store::Table& table : store->tables)
            if (table.values == values) return table.buffer;
    }
    Buffer buffer = context.allocate_attached(std::max<std::size_t>(1, values.size()) * sizeof(std::uint64_t));
    if (!values.empty()) buffer.upload(values);
    std::lock_guard lock(store->mutex);
    if (store->tables.size() == tables_most) store->tables.erase(store->tables.begin());
    store->tables.push_back({values, buffer});
    return buffer;
}

/// Arguments of a launch: buffers and numbers, whose values travel inside.
class Arguments {
   public:
    Arguments() { list_.reserve(16); }
    template <class T>
    void add(const T& value) {
        list_.push_back(as_argument(value));
    }
    /// As float or double, as the kernel says.
    void add_real(double value, bool is_double) { is_double ? add(value) : add(static_cast<float>(value)); }
    void add_word(std::uint64_t value, bool is_wide) { is_wide ? add(value) : add(static_cast<std::uint32_t>(value)); }
    std::span<const Argument> span() const { return list_; }

   private:
    std::vector<Argument> list_;
};

std::int64_t offset_elements(const AnyArray& out, DType element) {
    return static_cast<std::int64_t>(out.offset_bytes() / element.size_bytes());
}

void add_constants(Arguments& arguments, const Draw& draw, const Buffer& table, const AnyArray* means) {
    const bool is_double = draw.element.size_bytes() == 8;
    const auto& constants = draw.constants;
    switch (draw.distribution) {
        case Distribution::bits:
        case Distribution::unit: return;
        case Distribution::uniform:
            for (const double value : constants.real) arguments.add_real(value, is_double);
            return;
        case Distribution::normal:
        case Distribution::log_normal:
            arguments.add_real(constants.real[0], is_double);
            arguments.add_real(constants.real[1], is_double);
            return;
        case Distribution::exponential: arguments.add_real(constants.real[0], is_double); return;
        case Distribution::integers: {
            const std::uint64_t least = is_double ? (0 - constants.range) % constants.range
                                                  : static_cast<std::uint32_t>(0 - constants.range) % constants.range;
            for (const std::uint64_t value : {constants.low, constants.range, least})
                arguments.add_word(value, is_double);
            return;
        }
        case Distribution::bernoulli: arguments.add(constants.range); return;
        case Distribution::poisson:
            arguments.add(table);
            arguments.add(static_cast<std::int32_t>(constants.table.size()));
            arguments.add(constants.low);
            return;
        case Distribution::poisson_means:
            arguments.add(means->buffer());
            arguments.add(offset_elements(*means, means->dtype()));
            return;
    }
}

std::uint64_t ceiling(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

void check_target(const Context& context, const AnyArray& out) {
    if (out.empty()) throw ArgumentError("random numbers cannot go to an array without memory");
    if (!(out.context() == context))
        throw ArgumentError(text("the generator is on ", context.device().name(), " (", context.device().id(),
                                 "), the array of another context (", out.context().device().id(), ")"));
    if (out.repeats())
        throw ArgumentError(text("random numbers into an array of shape ", to_string(out.shape()), " and strides ",
                                 to_string(out.strides()), ", which repeats elements: it can only be read"));
    if (out.offset_bytes() % codegen::philox_element(out.dtype()).size_bytes() != 0)
        throw ArgumentError(
            text("the array begins at byte ", out.offset_bytes(), ", which suits no ", out.dtype().name()));
}

AnyArray readable_means(const Context& context, const AnyArray& means, const AnyArray& out) {
    if (means.empty()) throw ArgumentError("Poisson numbers were asked for with means in an array without memory");
    if (!(means.context() == context))
        throw ArgumentError(text("the generator is on ", context.device().name(), " (", context.device().id(),
                                 "), the means in another context (", means.context().device().id(), ")"));
    const DType type = means.dtype(), real = dtype_of<double>();
    if (!is_same_kind(type, real))
        throw ArgumentError(text("means of Poisson numbers are real: they cannot be of type ", type.name()));
    const AnyArray all = means.broadcast_to(out.shape());
    // A thread reads the mean of an element before it writes that element and no other thread reads it.
    const bool is_in_place = type.size_bytes() == out.dtype().size_bytes() && all.strides() == out.strides() &&
                             all.offset_bytes() == out.offset_bytes();
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
    const Device device = context.device();
    const DeviceInfo& info = device.info();

    PhiloxFill request{.distribution = draw.distribution, .element = draw.element, .tuning = {}, .shift = 0};
    if (means) request.means = means->dtype();
    request.tuning = codegen::philox_tuning(info, draw.distribution, draw.element);
    const std::uint64_t store_bytes = per_counter * draw.element.size_bytes();
    const Buffer& buffer = out.buffer();
    // The handle is an address or a pointer to the driver's object; where it is the latter, allocations are aligned.
    if ((buffer.native_handle() + buffer.offset_bytes() + out.offset_bytes()) % store_bytes != 0)
        request.tuning.wide_stores = false;
    if (request.tuning.wide_stores) request.shift = shift;
    const Kernel kernel = find(context, &Store::kernels, request, request, "philox");

    const bool lanes = request.tuning.lanes;
    const std::uint64_t counters = ceiling(elements + (request.tuning.wide_stores ? 0 : shift), per_counter);
    std::uint64_t run = 1, threads = ceiling(counters, request.tuning.counters_per_thread);
    if (lanes) {  // some runs per core, so that none waits long for another
        run = std::clamp<std::uint64_t>(ceiling(counters, 8 * std::max(1u, info.compute_units)), 32, 4096);
        run = ceiling(run, 32) * 32;
        threads = ceiling(counters, run);
    }
    Buffer table;
    if (draw.distribution == Distribution::poisson) table = table_buffer(context, draw.constants.table);
    Arguments arguments;
    arguments.add(buffer);
    arguments.add(offset_elements(out, draw.element));
    arguments.add(static_cast<std::int64_t>(elements));
    arguments.add(position.word / 4);
    arguments.add(position.substream);
    arguments.add(position.stream);
    arguments.add(static_cast<std::uint32_t>(position.key));
    arguments.add(static_cast<std::uint32_t>(position.key >> 32));
    arguments.add(shift);
    arguments.add(static_cast<std::int32_t>(run));
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
        for (std::size_t i = 0; i < plan.shuffled.size(); ++i)  // the low bytes of a number come first
            std::memcpy(&bytes[i * dtype.size_bytes()], &plan.shuffled[i], dtype.size_bytes());
        out.buffer().upload(bytes, out.offset_bytes());
        return;
    }
    const codegen::PhiloxPermutation request{.element = dtype};
    const Kernel kernel = find(context, &Store::permutations, dtype, request, "philox_permutation");
    const int block = 128;
    kernel({.block = {block}, .threads = {out.size()}}, out.buffer(), offset_elements(out, dtype),
           static_cast<std::int64_t>(out.size()), static_cast<std::int32_t>(plan.left_bits),
           static_cast<std::int32_t>(plan.right_bits), plan.keys);
}

}  // namespace gemel::random
