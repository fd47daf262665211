/// Neighbours that are equal: scans whose segments are the runs.
#include <gemel/algorithms/select.hpp>

#include "rearrange/moving.hpp"
#include "select/kernels.hpp"
#include "select/selecting.hpp"

namespace gemel {

using namespace selecting;

Scan selecting::unique_consecutive_scan(bool wide, bool staged, const std::string& equal) {
    return Scan(
        parse_declarations("const T *x, T *values, int64_t *count"), number_type(wide),
        {.input_expr = "i == 0 || !same_key(x[i - 1], x[i])",
         .scan_expr = "a + b",
         .neutral = "0",
         .output_statement = "if (item != prev_item) values[item - 1] = x[i];\n"
                             "if (i == n - 1) count[0] = item",
         .name = "unique_consecutive",
         .preamble = equal,
         .staged_type = staged ? "T" : "",
         .stage_statement = "if (item != prev_item) staged[item - 1 - tile_first] = x[i];\n"
                            "if (i == n - 1) count[0] = item",
         .tile_statement = "for (int j = LID_0; j < tile_count; j += LDIM_0) values[tile_first + j] = staged[j]"});
}

Scan selecting::run_lengths_scan(bool wide, const std::string& equal) {
    const std::string run = wide ? "segment_64" : "segment";
    return Scan(parse_declarations("const T *x, T *values, int64_t *lengths, int64_t *count"), number_type(wide),
                {.input_expr = "1",
                 .scan_expr = "a + b",
                 .neutral = "0",
                 .output_statement =
                     text("if (i == n - 1 || !same_key(x[i], x[i + 1])) {\n    values[", run,
                          " - 1] = x[i];\n    lengths[", run, " - 1] = item;\n}\nif (i == n - 1) count[0] = ", run),
                 .is_segment_start_expr = "i == 0 || !same_key(x[i - 1], x[i])",
                 .name = "run_lengths",
                 .preamble = equal});
}

AnySelection detail::unique_consecutive(const AnyArray& given, const EqualOptions& options) {
    static auto& kernels = *new KernelsByText<Scan>;
    require_array("unique_consecutive", "the array", given);
    const std::string equal = equality("unique_consecutive", given.dtype(), options.equal_expr);
    const AnyArray x = flat(given), values = room_for(x);
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
    const AnyArray x = flat(given), values = room_for(x);
    const GPUArray<std::int64_t> lengths(room_for(x, dtype_of<std::int64_t>(), x.size()));
    const GPUArray<std::int64_t> count = new_count(x, options.stream);
    const auto scan = kernels.find(text(is_long(x), equal), [&] { return run_lengths_scan(is_long(x), equal); });
    scan->run({.stream = options.stream, .tuning = options.tuning},
              std::array{CallArgument(x), CallArgument(values), CallArgument(lengths), CallArgument(count)});
    return {values, lengths, count};
}

}  // namespace gemel
