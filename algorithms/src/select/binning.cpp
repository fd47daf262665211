#include "select/binning.hpp"

#include "rearrange/moving.hpp"
#include "select/selecting.hpp"
#include "select_kernels.hpp"

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/reductions.hpp>

#include <algorithm>
#include <bit>

namespace gemel::selecting {
namespace {

/// Replaces `@` by the index.
std::string at(std::string text, const std::string& index) {
    for (std::size_t k = 0; (k = text.find('@', k)) != std::string::npos;) text.replace(k, 1, index);
    return text;
}

const char* counter_type(const Binning& b) { return b.weighted ? "double" : "uint32_t"; }
const char* result_type(const Binning& b) { return b.weighted ? "double" : "int64_t"; }

/// The summand for an element.
std::string amount(const Binning& b, const char* type, const char* index) {
    return b.weighted ? text("(double)x", b.elements.size() - 1, "[", index, "]") : text("(", type, ")1");
}

std::vector<Parameter> parameters(const Binning& b, DType result) {
    std::vector<Parameter> all;
    for (std::size_t k = 0; k < b.elements.size(); ++k)
        all.push_back(VectorArg(b.elements[k].dtype(), text("x", k), true));
    for (std::size_t k = 0; k < b.more.size(); ++k) all.push_back(VectorArg(b.more[k].dtype(), text("y", k), true));
    for (std::size_t k = 0; k < b.sizes.size(); ++k)
        all.push_back(ScalarArg(dtype_of<std::int32_t>(), text("bins_", k)));
    all.push_back(ScalarArg(dtype_of<std::int32_t>(), "bins"));
    all.push_back(VectorArg(result, "result"));
    return all;
}

/// The arguments for parameters(). They refer to the binning's arrays.
std::vector<CallArgument> arguments_of(const Binning& b, const std::int32_t& bins, const AnyArray& result) {
    std::vector<CallArgument> arguments;
    for (const auto* arrays : {&b.elements, &b.more})
        for (const AnyArray& array : *arrays) arguments.emplace_back(array);
    for (const std::int32_t& size : b.sizes) arguments.emplace_back(size);
    arguments.emplace_back(bins);
    arguments.emplace_back(result);
    return arguments;
}

/// Short, since each call looks for its kernel by it.
std::string key_of(const Binning& b, std::int64_t variant) {
    std::string key = b.who;
    key.append(1, b.weighted ? 'w' : 'c').append(std::to_string(variant)).append(1, '/').append(b.key);
    for (const auto* arrays : {&b.elements, &b.more})
        for (const AnyArray& array : *arrays) key.append(1, '\1').append(array.dtype().name());
    return key;
}

std::int64_t max_shared_bins(const Binning& b, const DeviceInfo& device) {
    const std::size_t bytes = b.weighted ? 8 : 4;
    return static_cast<std::int64_t>(std::min<std::size_t>(device.shared_memory_per_block_bytes, 48 * 1024) / bytes);
}

/// The number of bins of the kernel that counts in shared memory, rounded up to few sizes so that few kernels are
/// compiled; 0 if the bins do not fit.
std::int64_t shared_bins_for(const Binning& b, const DeviceInfo& device) {
    const std::int64_t room = max_shared_bins(b, device);
    for (const std::int64_t size : {std::int64_t{256}, std::int64_t{1024}, std::int64_t{4096}, room})
        if (b.bins <= size && size <= room) return size;
    return 0;
}

/// Slots in which a block counts the first bins that it meets, if shared memory cannot hold all bins.
constexpr std::int64_t hot_slots = 1024;

struct BlockTexts {
    std::string before, add, after;
};

BlockTexts parts_of(const codegen::Template& kernel, codegen::Values values) {
    const auto part = [&](const char* name) {
        values["part"] = name;
        return kernel.render(values);
    };
    return {.before = part("before"), .add = part("add"), .after = part("after")};
}

BlockTexts shared_texts(const Binning& b, std::int64_t size) {
    return parts_of(select_kernels::count_in_shared_memory(), {{"size", size},
                                                               {"counter", counter_type(b)},
                                                               {"result_type", result_type(b)},
                                                               {"amount", amount(b, "uint32_t", "i")}});
}

BlockTexts global_texts(const Binning& b) {
    return parts_of(select_kernels::count_in_slots(), {{"slots", hot_slots},
                                                       {"counter", counter_type(b)},
                                                       {"result_type", result_type(b)},
                                                       {"amount", amount(b, "uint32_t", "i")},
                                                       {"direct_amount", amount(b, "int64_t", "i")}});
}

}  // namespace

BinStrategy bin_strategy(const Binning& b, const DeviceInfo& device, BinStrategy asked) {
    const bool fits = shared_bins_for(b, device) > 0;
    if (asked == BinStrategy::automatic) {
        const bool has_atomics = b.weighted ? device.has_double : device.has_int64_atomics;
        if (device.type == DeviceInfo::Type::cpu || !has_atomics) return BinStrategy::chunks;
        return fits ? BinStrategy::shared : BinStrategy::global;
    }
    if (asked == BinStrategy::shared && !fits)
        throw ArgumentError(text(b.who, ": expected at most ", max_shared_bins(b, device),
                                 " bins in a block's shared memory, got ", b.bins, "; leave the strategy out"));
    return asked;
}

ElementwiseKernel block_kernel(const Binning& b, std::int64_t shared_bins) {
    const BlockTexts texts = shared_bins > 0 ? shared_texts(b, shared_bins) : global_texts(b);
    const BinText own = b.text();
    return ElementwiseKernel(
        parameters(b, b.weighted ? dtype_of<double>() : dtype_of<std::int64_t>()),
        text("int bin = -1;\n", at(own.find, "i"), "\n", texts.add), b.who,
        {.preamble = own.preamble, .loop_prep = texts.before + at(own.prepare, "i"), .after_loop = texts.after});
}

/// Each thread counts a chunk of elements in its own row of `result`.
ElementwiseKernel chunk_kernel(const Binning& b, bool wide) {
    std::vector<Parameter> arguments = parameters(b, b.weighted ? dtype_of<double>()
                                                     : wide     ? dtype_of<std::int64_t>()
                                                                : dtype_of<std::int32_t>());
    for (Parameter& p : parse_declarations("int32_t *chunk, int64_t count, int64_t length")) arguments.push_back(p);
    const BinText own = b.text();
    return ElementwiseKernel(
        std::move(arguments),
        select_kernels::count_in_chunks().render({{"prepare", at(own.prepare, "0")},
                                                  {"find", at(own.find, "j")},
                                                  {"amount", amount(b, wide ? "int64_t" : "int32_t", "j")}}),
        b.who, {.preamble = own.preamble});
}

ElementwiseKernel bin_kernel(const Binning& b) {
    const BinText own = b.text();
    return ElementwiseKernel(parameters(b, dtype_of<std::int32_t>()),
                             text("int bin = -1;\n", at(own.find, "i"), "\nresult[i] = bin"), b.who,
                             {.preamble = own.preamble, .loop_prep = at(own.prepare, "i")});
}

GPUArray<std::int32_t> bins_of(const Binning& b) {
    static auto& kernels = *new KernelsByText<ElementwiseKernel>;
    const GPUArray<std::int32_t> result(b.elements[0].context(), b.elements[0].shape());
    if (result.size() == 0) return result;
    const auto bins = static_cast<std::int32_t>(b.bins);
    kernels.find(key_of(b, 0), [&] { return bin_kernel(b); })->run({}, arguments_of(b, bins, result));
    return result;
}

namespace {

AnyArray count_in_blocks(const Binning& b, BinStrategy strategy, const AnyArray& result) {
    static auto& kernels = *new KernelsByText<ElementwiseKernel>;
    const Device device = result.context().device();
    const std::int64_t shared = strategy == BinStrategy::shared ? shared_bins_for(b, device.info()) : 0;
    const auto kernel = kernels.find(key_of(b, shared), [&] { return block_kernel(b, shared); });
    if (b.zeros.empty()) result.fill(0);
    const auto bins = static_cast<std::int32_t>(b.bins);
    // Each block adds what it counted to the result once: long arrays give it many rounds of accesses, short ones as
    // many blocks as there are units. Measured on an H200, 2^28 floats in 256 and 8192 bins: 1024 threads with 4
    // accesses in flight and 8 rounds 258 and 330 us, 512 threads with 8 and one round 376 and 738.
    const DeviceInfo& info = device.info();
    const auto block = static_cast<std::uint32_t>(std::min<std::size_t>(1024, info.max_threads_per_block));
    const std::size_t accesses = (b.elements[0].size() * b.elements[0].dtype().size_bytes() / 16 + block - 1) / block;
    const std::size_t each = accesses / (4 * std::size_t{std::max(info.compute_units, 1u)});
    const auto unroll = static_cast<std::uint32_t>(std::clamp<std::size_t>(each, 1, 4));
    const auto rounds = static_cast<std::uint32_t>(std::clamp<std::size_t>(std::bit_floor(each / 4), 1, 8));
    kernel->run(
        {.tuning = {.block = block, .access_bytes = 16, .unroll = unroll, .tile_block = block, .rounds = rounds}},
        arguments_of(b, bins, result));
    return result;
}

AnyArray count_in_chunks(const Binning& b) {
    static auto& kernels = *new KernelsByText<ElementwiseKernel>;
    const AnyArray& first = b.elements[0];
    const bool wide = is_long(first);
    const auto count = static_cast<std::int64_t>(first.size());
    const auto units = static_cast<std::int64_t>(first.context().device().info().compute_units);
    // More threads than units if rows are short, to balance the load with other work on the device.
    const std::int64_t wanted = b.bins <= 4096 ? 4 * units : units;
    const std::int64_t length =
        std::max<std::int64_t>((count + wanted - 1) / wanted, std::max<std::int64_t>(b.bins, 4096));
    const std::int64_t chunks = (count + length - 1) / length;
    const DType type = b.weighted ? dtype_of<double>() : wide ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>();
    const AnyArray rows(first.context(), type, Shape{chunks, b.bins});
    const AnyArray done(first.context(), dtype_of<std::int32_t>(), Shape{chunks});
    Binning read = b;
    for (AnyArray& array : read.elements) array = without_gaps(array);
    const auto bins = static_cast<std::int32_t>(b.bins);
    std::vector<CallArgument> arguments = arguments_of(read, bins, rows);
    arguments.emplace_back(done);
    arguments.emplace_back(count);
    arguments.emplace_back(length);
    kernels.find(key_of(b, wide), [&] { return chunk_kernel(b, wide); })->run({.tuning = {.block = 1}}, arguments);
    return sum(rows, 0);  // of int32 in int64
}

}  // namespace

AnyArray count_bins(const Binning& b, BinStrategy asked, const Stream& stream) {
    const OnStream scope(stream);
    const AnyArray& first = b.elements[0];
    const Device device = first.context().device();
    if (b.bins > INT32_MAX)
        throw ArgumentError(text(b.who, ": ", b.bins, " bins are too many, expected at most 2^31 - 1"));
    const BinStrategy strategy = bin_strategy(b, device.info(), asked);
    if (strategy == BinStrategy::chunks && first.size() > 0 && b.bins > 0) return count_in_chunks(b);
    const DType type = b.weighted ? dtype_of<double>() : dtype_of<std::int64_t>();
    const AnyArray result = b.zeros.empty() ? AnyArray(first.context(), type, Shape{b.bins}) : b.zeros;
    if (b.bins == 0) return result;
    if (first.size() > 0) return count_in_blocks(b, strategy, result);
    if (b.zeros.empty()) result.fill(0);
    return result;
}

std::string prepare_even(const std::string& k, const std::string& type) {
    return select_kernels::even_bins().render({{"part", "prepare"},
                                               {"k", k},
                                               {"n", "bins_" + k},
                                               {"type", type},
                                               {"rounding", type == "double" ? "1.2e-16" : "6e-8f"}});
}

bool counts_by_bits(std::string_view type, std::int64_t bins) {
    return type == "float" && bins < std::int64_t{1} << 21;
}

std::string find_even(const std::string& k, const std::string& type, std::int64_t bins) {
    return select_kernels::even_bins().render(
        {{"part", "find"}, {"k", k}, {"n", "bins_" + k}, {"type", type}, {"by_bits", counts_by_bits(type, bins)}});
}

std::string find_between(const std::string& k, const std::string& type) {
    return select_kernels::bins_between().render({{"k", k}, {"n", "bins_" + k}, {"type", type}}) + "\n";
}

}  // namespace gemel::selecting
