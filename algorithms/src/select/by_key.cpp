/// Reductions and scans over runs of equal keys, as segmented scans of the values.
#include "rearrange/moving.hpp"
#include "select/kernels.hpp"
#include "select/selecting.hpp"
#include "select_kernels.hpp"

#include <gemel/algorithms/group.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

namespace gemel {
namespace {

using namespace selecting;

/// Keys and values of a call, each one axis.
struct Pairs {
    AnyArray keys, values;
    bool wide;

    Pairs(const char* who, const AnyArray& given_keys, const AnyArray& given_values) {
        require_array(who, "the array of keys", given_keys);
        require_context(who, "the array of values", given_values, given_keys);
        if (!(given_keys.shape() == given_values.shape()))
            throw ArgumentError(text(who, ": the keys have shape ", to_string(given_keys.shape()), ", the values ",
                                     to_string(given_values.shape()), "; each value needs a key"));
        keys = flat(given_keys);
        values = flat(given_values);
        wide = is_long(keys);
    }
};

/// The user's expression; the default is "a + b".
/// @param option  its name
std::string combining(const char* who, const char* option, const std::string& given, DType dtype) {
    if (!given.empty()) return given;
    if (!codegen::is_number(dtype))
        throw ArgumentError(text(who, ": elements of ", dtype.name(), " have no sum; give an operation, such as {.",
                                 option, " = \"a.x < b.x ? a : b\"}"));
    if (dtype.kind() == DType::Kind::boolean) return "a || b";
    return dtype.kind() == DType::Kind::complex ? "c_add(a, b)" : "a + b";
}

std::string neutral_of(const char* who, const std::string& expression, const std::string& given, DType dtype) {
    if (!given.empty()) return given;
    if (!expression.empty())
        throw ArgumentError(text(who, ": '", expression,
                                 "' needs its identity, such as {.neutral = \"0\"} for a sum or \"1\" for a product"));
    if (dtype.kind() != DType::Kind::complex) return "0";
    return dtype.size_bytes() == 8 ? "cfloat_new(0, 0)" : "cdouble_new(0, 0)";
}

const char* run_word(bool wide) { return wide ? "segment_64" : "segment"; }

std::string type_key(DType dtype) { return text(dtype.name(), '/', static_cast<const void*>(dtype.layout())); }

}  // namespace

Scan selecting::reduce_by_key_scan(bool wide, DType dtype, const std::string& equal, const std::string& combine) {
    std::vector<Parameter> arguments = parse_declarations("const T *keys, T *group_keys, int64_t *group_count");
    arguments.push_back(VectorArg(dtype, "values", true));
    arguments.push_back(VectorArg(dtype, "group_values"));
    return Scan(std::move(arguments), dtype,
                {.input_expr = "values[i]",
                 .scan_expr = combine,
                 .output_statement = select_kernels::reduce_by_key().render({{"run", run_word(wide)}}),
                 .is_segment_start_expr = "i == 0 || !same_key(keys[i - 1], keys[i])",
                 .name = "reduce_by_key",
                 .preamble = equal});
}

Scan selecting::scan_by_key_scan(bool exclusive, DType dtype, const std::string& equal, const std::string& combine,
                                 const std::string& neutral) {
    std::vector<Parameter> arguments = parse_declarations("const T *keys");
    arguments.push_back(VectorArg(dtype, "values", true));
    arguments.push_back(VectorArg(dtype, "results"));
    return Scan(std::move(arguments), dtype,
                {.input_expr = "values[i]",
                 .scan_expr = combine,
                 .neutral = neutral,
                 .output_statement = exclusive ? "results[i] = prev_item" : "results[i] = item",
                 .is_segment_start_expr = "i == 0 || !same_key(keys[i - 1], keys[i])",
                 .name = "scan_by_key",
                 .preamble = equal});
}

ElementwiseKernel selecting::segment_loop(DType dtype, DType index, const std::string& combine,
                                          const std::string& neutral) {
    std::vector<Parameter> arguments{VectorArg(dtype, "values", true), ScalarArg(dtype_of<std::int64_t>(), "count"),
                                     VectorArg(index, "starts", true), VectorArg(index, "ends", true),
                                     VectorArg(dtype, "results")};
    const std::string type = codegen::value_type(dtype);
    return ElementwiseKernel(
        std::move(arguments), select_kernels::segment_loop().render({{"type", type}, {"neutral", neutral}}),
        "segment_reduce",
        {.preamble =
             text("WITHIN_KERNEL ", type, " combine_values(", type, " a, ", type, " b) { return ", combine, "; }\n")});
}

Scan selecting::segment_scan(DType dtype, DType index, const std::string& combine) {
    std::vector<Parameter> arguments{
        VectorArg(dtype, "values", true), VectorArg(dtype_of<std::uint8_t>(), "heads", true),
        VectorArg(index, "starts", true), ScalarArg(dtype_of<std::int64_t>(), "segments"), VectorArg(dtype, "results")};
    return Scan(std::move(arguments), dtype,
                {.input_expr = "values[i]",
                 .scan_expr = combine,
                 .output_statement = select_kernels::segment_total().render(),
                 .is_segment_start_expr = "heads[i]",
                 .name = "segment_reduce"});
}

AnyByKey detail::reduce_by_key(const AnyArray& given_keys, const AnyArray& given_values, const ReduceBy& by) {
    static auto& kernels = *new KernelsByText<Scan>;
    const char* who = "reduce_by_key";
    const Pairs pairs(who, given_keys, given_values);
    const std::string equal = equality(who, pairs.keys.dtype(), by.equal_expr);
    const DType dtype = pairs.values.dtype();
    const std::string combine = combining(who, "reduce_expr", by.reduce_expr, dtype);
    const AnyByKey groups{room_for(pairs.keys), room_for(pairs.values), new_count(pairs.keys, by.stream)};
    const auto scan = kernels.find(text(pairs.wide, type_key(dtype), '\1', equal, '\1', combine),
                                   [&] { return reduce_by_key_scan(pairs.wide, dtype, equal, combine); });
    const codegen::ScanTuning tuning =
        run_tuning(by.tuning, pairs.keys, static_cast<std::uint32_t>(dtype.size_bytes()));
    scan->run({.deterministic = by.deterministic, .stream = by.stream, .tuning = tuning},
              std::array{CallArgument(pairs.keys), CallArgument(groups.all_keys), CallArgument(groups.count),
                         CallArgument(pairs.values), CallArgument(groups.all_values)});
    return groups;
}

AnyArray detail::scan_by_key(const AnyArray& given_keys, const AnyArray& given_values, const ScanBy& by) {
    static auto& kernels = *new KernelsByText<Scan>;
    const char* who = "scan_by_key";
    const Pairs pairs(who, given_keys, given_values);
    const std::string equal = equality(who, pairs.keys.dtype(), by.equal_expr);
    const DType dtype = pairs.values.dtype();
    const std::string combine = combining(who, "scan_expr", by.scan_expr, dtype);
    const std::string neutral = by.exclusive ? neutral_of(who, by.scan_expr, by.neutral, dtype) : std::string();
    const AnyArray results = room_for(pairs.values);
    const auto scan = kernels.find(text(type_key(dtype), '\1', equal, '\1', combine, '\1', neutral, '\1', by.exclusive),
                                   [&] { return scan_by_key_scan(by.exclusive, dtype, equal, combine, neutral); });
    scan->run({.deterministic = by.deterministic, .stream = by.stream, .tuning = by.tuning},
              std::array{CallArgument(pairs.keys), CallArgument(pairs.values), CallArgument(results)});
    return results.reshape(given_values.shape());
}

namespace {

const ElementwiseKernel& head_kernel(bool is_long_index) {
    static const auto& of_ints =
        *new ElementwiseKernel("const int32_t *starts, uint8_t *heads, int64_t count",
                               "if (starts[i] >= 0 && starts[i] < count) heads[starts[i]] = 1", "mark_segments");
    static const auto& of_longs =
        *new ElementwiseKernel("const int64_t *starts, uint8_t *heads, int64_t count",
                               "if (starts[i] >= 0 && starts[i] < count) heads[starts[i]] = 1", "mark_segments");
    return is_long_index ? of_longs : of_ints;
}

AnyArray index_array(const AnyArray& starts) {
    const DType dtype = starts.dtype();
    if (dtype == dtype_of<std::int32_t>() || dtype == dtype_of<std::int64_t>()) return without_gaps(starts);
    return starts.astype(dtype_of<std::int64_t>());
}

}  // namespace

AnyArray detail::segment_reduce(const AnyArray& given, const AnyArray& given_starts, const ReduceBy& by) {
    const char* who = "segment_reduce";
    require_array(who, "the array of values", given);
    require_context(who, "the array of starts", given_starts, given);
    if (given_starts.rank() != 1 || given_starts.size() == 0)
        throw ArgumentError(text(who, ": the starts have shape ", to_string(given_starts.shape()),
                                 ", expected (segments + 1,): the start of each segment and the end of the last"));
    if (!given_starts.dtype().is_integer())
        throw ArgumentError(
            text(who, ": expected starts of integers, got ", given_starts.dtype().name(), "; astype() converts"));
    const OnStream scope(by.stream);
    const AnyArray values = flat(given), starts = index_array(given_starts);
    const DType dtype = values.dtype();
    const std::string combine = combining(who, "reduce_expr", by.reduce_expr, dtype);
    const std::string neutral = neutral_of(who, by.reduce_expr, by.neutral, dtype);
    const std::int64_t segments = static_cast<std::int64_t>(starts.size()) - 1;
    const AnyArray results = room_for(values, dtype, static_cast<std::size_t>(segments));
    if (segments == 0) return results;
    const bool few_cores = given.context().device().info().type == DeviceInfo::Type::cpu &&
                           by.tuning.strategy == codegen::ScanStrategy::automatic;
    if (few_cores && values.size() > 0) {
        const AnyArray run = without_gaps(values), begins = starts(slice(0, segments)), ends = starts(slice(1, {}));
        const auto count = static_cast<std::int64_t>(run.size());
        static auto& loops = *new KernelsByText<ElementwiseKernel>;
        loops
            .find(text(type_key(dtype), starts.dtype().name(), '\1', combine, '\1', neutral),
                  [&] { return segment_loop(dtype, starts.dtype(), combine, neutral); })
            ->run({}, std::array{CallArgument(run), CallArgument(count), CallArgument(begins), CallArgument(ends),
                                 CallArgument(results)});
        return results;
    }
    const std::string fill = text("x[i] = ", neutral);
    static auto& fills = *new KernelsByText<ElementwiseKernel>;
    fills
        .find(text(type_key(dtype), fill),
              [&] { return ElementwiseKernel(std::vector<Parameter>{VectorArg(dtype, "x")}, fill, "fill_neutral"); })
        ->run({}, std::array{CallArgument(results)});
    if (values.size() == 0) return results;
    const AnyArray heads = zeros(values.context(), dtype_of<std::uint8_t>(), values.shape());
    const auto count = static_cast<std::int64_t>(values.size());
    head_kernel(starts.dtype().size_bytes() == 8)(starts, heads, count);
    const Argument segment_count = as_argument(segments);
    static auto& scans = *new KernelsByText<Scan>;
    scans
        .find(text(type_key(dtype), starts.dtype().name(), '\1', combine),
              [&] { return segment_scan(dtype, starts.dtype(), combine); })
        ->run({.deterministic = by.deterministic, .tuning = by.tuning},
              std::array{CallArgument(values), CallArgument(heads), CallArgument(starts), CallArgument(segment_count),
                         CallArgument(results)});
    return results;
}

}  // namespace gemel
