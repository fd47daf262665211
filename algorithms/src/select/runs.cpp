/// Runs of equal elements, found by scans whose segments are the runs.
#include <gemel/algorithms/select.hpp>
#include <gemel/core/text.hpp>

#include "rearrange/moving.hpp"
#include "select/kernels.hpp"
#include "select/selecting.hpp"
#include "select_kernels.hpp"

#include <algorithm>

namespace gemel {

using namespace selecting;

Scan selecting::unique_consecutive_scan(bool wide, bool staged, const std::string& equal) {
    return Scan(parse_declarations("const T *x, T *values, int64_t *count"), number_type(wide),
                {.input_expr = "i == 0 || !same_key(x[i - 1], x[i])",
                 .counts = true,
                 .scan_expr = "a + b",
                 .neutral = "0",
                 .output_statement = "if (item != prev_item) values[item - 1] = x[i];\n"
                                     "if (i == n - 1) count[0] = item",
                 .name = "unique_consecutive",
                 .preamble = equal,
                 .staged_type = staged ? "T" : "",
                 .tile_statement = store_count("count"),
                 .selected = "x",
                 .selected_to = "values"});
}

Scan selecting::run_lengths_scan(bool wide, const std::string& equal) {
    return Scan(parse_declarations("const T *x, T *values, int64_t *lengths, int64_t *count"), number_type(wide),
                {.input_expr = "1",
                 .scan_expr = "a + b",
                 .neutral = "0",
                 .output_statement = select_kernels::run_lengths().render({{"run", wide ? "segment_64" : "segment"}}),
                 .is_segment_start_expr = "i == 0 || !same_key(x[i - 1], x[i])",
                 .name = "run_lengths",
                 .preamble = equal});
}

Scan selecting::run_positions_scan(bool wide, const std::string& equal) {
    return Scan(
        parse_declarations("const T *x, T *values, int64_t *lengths, int64_t *last, int64_t *begin, int64_t *count"),
        number_type(wide),
        {.input_expr = "i == 0 || !same_key(x[i - 1], x[i])",
         .counts = true,
         .scan_expr = "a + b",
         .neutral = "0",
         // Never runs: run_lengths asks for a strategy with tiles, without which there are no positions in them.
         .output_statement = "if (item != prev_item) values[item - 1] = x[i]",
         .name = "run_positions",
         .preamble = equal,
         .staged_type = "uint16_t",
         .staged_bytes = 2,
         .stage_statement = "if (item != prev_item) staged[item - 1] = (uint16_t)(i - tile_begin)",
         .tile_statement = select_kernels::run_positions().render({{"store_count", store_count("count")}})});
}

ElementwiseKernel selecting::complete_runs_kernel() {
    return ElementwiseKernel(
        "const int64_t *last, const int64_t *begin, int64_t *lengths, const int64_t *count, int64_t length",
        select_kernels::complete_runs().render(), "complete_runs");
}

ElementwiseKernel selecting::count_runs_kernel(const std::string& equal) {
    return ElementwiseKernel("const T *x, int32_t *totals, int64_t count, int64_t length",
                             select_kernels::count_runs().render(), "count_runs", {.preamble = equal});
}

ElementwiseKernel selecting::first_of_runs_kernel(const std::string& equal) {
    return ElementwiseKernel(
        "const T *x, const int32_t *totals, T *values, int64_t *number, int32_t *done, int64_t count, int64_t length",
        select_kernels::first_of_runs().render(), "first_of_runs", {.preamble = equal});
}

namespace {

/// On CPU devices: one thread per chunk counts the runs, then writes them.
AnySelection unique_in_chunks(const AnyArray& given, const std::string& equal) {
    static auto& counting = *new KernelsByText<ElementwiseKernel>;
    static auto& writing = *new KernelsByText<ElementwiseKernel>;
    const AnyArray x = without_gaps(given), values = room_for(x);
    const GPUArray<std::int64_t> number(x.context(), Shape{});
    const auto count = static_cast<std::int64_t>(x.size());
    const auto units = static_cast<std::int64_t>(x.context().device().info().compute_units);
    const std::int64_t length =
        std::clamp<std::int64_t>((count + 4 * units - 1) / (4 * units), 4096, std::int64_t{1} << 30);
    const std::int64_t chunks = (count + length - 1) / length;
    const AnyArray totals(x.context(), dtype_of<std::int32_t>(), Shape{chunks}),
        done(x.context(), dtype_of<std::int32_t>(), Shape{chunks});
    counting.find(equal, [&] { return count_runs_kernel(equal); })
        ->run({.tuning = {.block = 1}},
              std::array{CallArgument(x), CallArgument(totals), CallArgument(count), CallArgument(length)});
    writing.find(equal, [&] { return first_of_runs_kernel(equal); })
        ->run({.tuning = {.block = 1}},
              std::array{CallArgument(x), CallArgument(totals), CallArgument(values), CallArgument(number),
                         CallArgument(done), CallArgument(count), CallArgument(length)});
    return {values, number};
}

/// On GPUs, for long arrays. A run's length is the distance of two positions, so a tile scans bits instead of pairs of
/// flags and lengths. It writes the lengths of its runs except the last one, which a second launch completes.
AnyRuns run_lengths_by_positions(const AnyArray& x, const std::string& equal, const Stream& stream) {
    static auto& kernels = *new KernelsByText<Scan>;
    static const auto& completing = *new ElementwiseKernel(complete_runs_kernel());
    // Of 2^28 elements in runs of 100 and of 2 on an H200, us: CUDA 415 and 885, OpenCL 420 and 891; by 256 threads 398
    // and 1000, 390 and 995; with 16 elements per thread 464 and 915, 470 and 930; by a scan of pairs 710 and 1262, 782
    // and 1318.
    constexpr codegen::ScanTuning tuning{
        .block = 512, .items_per_thread = 32, .strategy = codegen::ScanStrategy::look_back};
    constexpr std::size_t tile = std::size_t{tuning.block} * tuning.items_per_thread;
    static_assert(tile * sizeof(std::uint16_t) <= 32 << 10,
                  "Scan would take shorter tiles, and the tables would be short");
    const std::size_t tiles = (x.size() + tile - 1) / tile;
    const AnyArray values = room_for(x);
    const GPUArray<std::int64_t> lengths(room_for(x, dtype_of<std::int64_t>(), x.size())),
        last(room_for(x, dtype_of<std::int64_t>(), tiles)), begin(room_for(x, dtype_of<std::int64_t>(), tiles)),
        count(x.context(), Shape{});
    const auto scan = kernels.find(text(is_long(x), equal), [&] { return run_positions_scan(is_long(x), equal); });
    scan->run({.stream = stream, .tuning = tuning},
              std::array{CallArgument(x), CallArgument(values), CallArgument(lengths), CallArgument(last),
                         CallArgument(begin), CallArgument(count)});
    const auto length = static_cast<std::int64_t>(x.size());
    completing.run({.stream = stream}, std::array{CallArgument(last), CallArgument(begin), CallArgument(lengths),
                                                  CallArgument(count), CallArgument(length)});
    return {values, lengths, count};
}

}  // namespace

AnySelection detail::unique_consecutive(const AnyArray& given, const EqualOptions& options) {
    static auto& kernels = *new KernelsByText<Scan>;
    require_array("unique_consecutive", "the array", given);
    const std::string equal = equality("unique_consecutive", given.dtype(), options.equal_expr);
    const AnyArray x = flat(given);
    const Device device = x.context().device();
    if (device.info().type == DeviceInfo::Type::cpu && x.size() > 0 &&
        options.tuning.strategy == codegen::ScanStrategy::automatic) {
        const OnStream scope(options.stream);
        return unique_in_chunks(x, equal);
    }
    const AnyArray values = room_for(x);
    const GPUArray<std::int64_t> count = new_count(x, options.stream);
    const bool staged = x.dtype().size_bytes() <= max_staged_bytes;
    const auto scan = kernels.find(text(is_long(x), staged, equal),
                                   [&] { return unique_consecutive_scan(is_long(x), staged, equal); });
    scan->run({.stream = options.stream, .tuning = options.tuning},
              std::array{CallArgument(x), CallArgument(values), CallArgument(count)});
    return {values, count};
}

AnyRuns detail::run_lengths(const AnyArray& given, const EqualOptions& options) {
    static auto& kernels = *new KernelsByText<Scan>;
    require_array("run_lengths", "the array", given);
    const std::string equal = equality("run_lengths", given.dtype(), options.equal_expr);
    const AnyArray x = flat(given);
    if (is_long_on_gpu(x) && options.tuning == codegen::ScanTuning{})
        return run_lengths_by_positions(x, equal, options.stream);
    const AnyArray values = room_for(x);
    const GPUArray<std::int64_t> lengths(room_for(x, dtype_of<std::int64_t>(), x.size()));
    const GPUArray<std::int64_t> count = new_count(x, options.stream);
    const auto scan = kernels.find(text(is_long(x), equal), [&] { return run_lengths_scan(is_long(x), equal); });
    scan->run({.stream = options.stream, .tuning = options.tuning},
              std::array{CallArgument(x), CallArgument(values), CallArgument(lengths), CallArgument(count)});
    return {values, lengths, count};
}

}  // namespace gemel
