/// Selection by masks and predicates: a scan of the flags, whose output statement writes the selected elements.
#include <gemel/algorithms/select.hpp>
#include <gemel/core/text.hpp>

#include "expression/expression_kernel.hpp"
#include "rearrange/moving.hpp"
#include "select/kernels.hpp"
#include "select/selecting.hpp"
#include "select_kernels.hpp"

namespace gemel {
namespace {

using namespace selecting;

constexpr const char* name_of(Form form) {
    return form == Form::keep ? "copy_if" : form == Form::remove ? "remove_if" : "partition";
}

/// Whether indices need 64 bits, including those of the scrap elements.
bool has_far_indices(const AnyArray& x) { return is_long(x) || x.size() > std::size_t{1} << 30; }
bool is_staged(const AnyArray& x) { return x.dtype().size_bytes() <= max_staged_bytes; }
bool is_cpu(const AnyArray& x) { return x.context().device().info().type == DeviceInfo::Type::cpu; }

struct Results {
    AnyArray held, others;
    GPUArray<std::int64_t> count;
};

Results results_for(Form form, const AnyArray& x, const Stream& stream) {
    return {.held = room_for(x, x.dtype(), x.size() + (has_scrap(form, is_cpu(x)) ? scrap_size(x.size()) : 0)),
            .others = form == Form::split ? room_for(x) : AnyArray(),
            .count = new_count(x, stream)};
}

void add_results(CallArguments& arguments, const AnyArray& held, const AnyArray& others, const Results& results) {
    arguments.add(CallArgument(held));
    if (!others.empty()) arguments.add(CallArgument(others));
    arguments.add(CallArgument(results.count));
}

/// By a mask, which the same kernel evaluates.
Results by_mask(Form form, const AnyArray& x, const detail::ExpressionView& whole, const SelectOptions& options) {
    static auto& kernels = *new Kernels<Scan>;
    const char* who = name_of(form);
    require_array(who, "the array", x);
    if (whole.dtype.kind() != DType::Kind::boolean)
        throw ArgumentError(text(who, ": the mask has elements of ", whole.dtype.name(),
                                 ", expected bool; `mask != 0` is such a mask"));
    CollectedExpression collected(whole);
    detail::ExpressionOperands& operands = collected.operands;
    if (operands.array_count == 0)
        throw ArgumentError(text(who, ": the mask has no array operand; at least one operand must be an array"));
    const std::size_t named = operands.array_count;
    operands.add(x);
    if (operands.exceeds) {
        const AnyArray mask = evaluate(whole);
        return by_mask(form, x, detail::view_of(mask), options);
    }
    const std::size_t k = operands.uses[operands.use_count - 1];
    const bool is_operand = k < named;  // the mask reads x too: x is an operand already
    CallKey key = expression_key(collected.view, operands);
    key.add(static_cast<std::uint64_t>(form) | std::uint64_t{has_far_indices(x)} << 8 |
            std::uint64_t{is_operand} << 16 | std::uint64_t{is_cpu(x)} << 17 | std::uint64_t{is_staged(x)} << 18);
    BroadcastOperands broadcast;
    with_error_prefix(who, [&] { broadcast.broadcast(operands, &x.shape()); });
    const auto scan = kernels.find(key, [&] {
        ExpressionParts parts = expression_parts(collected.view, operands);
        if (!is_operand) parts.arguments[k] = parse_declarations(text("const T *x", k)).front();
        return select_scan(form, has_far_indices(x), is_cpu(x), is_staged(x), std::move(parts.arguments), parts.value,
                           text("x", k), std::move(parts.preamble));
    });
    const Results results = results_for(form, x, options.stream);
    // The bits are copied, not the values, unless the mask computes with them.
    const auto moved = [&](const AnyArray& array) { return is_operand || array.empty() ? array : as_moved(array); };
    const AnyArray source = moved(x), held = moved(results.held), others = moved(results.others);
    CallArguments arguments;
    for (std::size_t j = 0; j < operands.array_count; ++j)
        arguments.add(CallArgument(j == k && !is_operand ? source : *operands.arrays[j]));
    for (std::size_t j = 0; j < operands.number_count; ++j) arguments.add(weak(operands.numbers[j]));
    add_results(arguments, held, others, results);
    scan->run({.stream = options.stream, .tuning = options.tuning}, arguments.span());
    return results;
}

/// The user's arguments of a predicate. The kernel's own names are refused: with another meaning of `n`, say, it would
/// compute wrong results.
std::vector<Parameter> predicate_arguments(const char* who, const Predicate& predicate) {
    std::vector<Parameter> declared = parse_declarations(predicate.arguments);
    for (const Parameter& p : declared)
        for (const char* own :
             {"x", "i", "n", "item", "prev_item", "selected_out", "selected_others", "selected_count", "staged",
              "tile_first", "tile_count", "tile_begin", "tile_length", "tile_room", "run_first", "run_count"})
            if (p.name == own)
                throw ArgumentError(text(who, ": the predicate's argument '", p.name,
                                         "' has a name that the kernel uses itself; rename it"));
    return declared;
}

void require_arguments(const char* who, const Predicate& predicate, std::size_t declared, std::size_t given) {
    if (declared == given) return;
    const std::string list = predicate.arguments.empty() ? "" : text(" (", predicate.arguments, ")");
    throw ArgumentError(text(who, ": expected ", counted(declared, "argument"), list, " after the predicate, got ",
                             given, "; give a value for each declared one"));
}

/// A scan, and the number of the predicate's arguments.
struct PredicateScan {
    Scan scan;
    std::size_t arguments;
};

/// By a predicate in C.
Results by_text(Form form, const AnyArray& x, const Predicate& predicate, std::span<const CallArgument> more,
                const SelectOptions& options) {
    static auto& kernels = *new KernelsByText<PredicateScan>;
    const char* who = name_of(form);
    require_array(who, "the array", x);
    if (codegen::Snippet(predicate.expr).empty())
        throw ArgumentError(text(who, ": the predicate is empty; give a condition such as \"x[i] > 0\""));
    const auto scan = kernels.find(
        text(static_cast<int>(form), has_far_indices(x), is_cpu(x), is_staged(x), '\1', predicate.expr, '\1',
             predicate.arguments, '\1', predicate.preamble),
        [&] {
            std::vector<Parameter> arguments = predicate_arguments(who, predicate);
            const std::size_t own = arguments.size();
            arguments.insert(arguments.begin(), parse_declarations("const T *x").front());
            return PredicateScan{select_scan(form, has_far_indices(x), is_cpu(x), is_staged(x), std::move(arguments),
                                             codegen::Snippet(predicate.expr).text(), "x", predicate.preamble),
                                 own};
        });
    require_arguments(who, predicate, scan->arguments, more.size());
    const Results results = results_for(form, x, options.stream);
    CallArguments arguments;
    arguments.add(CallArgument(x));
    for (const CallArgument& argument : more) arguments.add(argument);
    add_results(arguments, results.held, results.others, results);
    scan->scan.run({.stream = options.stream, .tuning = options.tuning}, arguments.span());
    return results;
}

Form form_of(bool keep) { return keep ? Form::keep : Form::remove; }

}  // namespace

Scan selecting::select_scan(Form form, bool wide, bool is_cpu, bool staged, std::vector<Parameter> arguments,
                            const std::string& holds, const std::string& source, std::string preamble) {
    std::string results = "T *selected_out";
    if (form == Form::split) results += ", T *selected_others";
    for (Parameter& result : parse_declarations(results + ", int64_t *selected_count"))
        arguments.push_back(std::move(result));
    codegen::Values values{{"splits", form == Form::split},
                           {"has_scrap", has_scrap(form, is_cpu)},
                           {"cast", wide ? "(int64_t)" : ""},
                           {"source", source},
                           {"store_count", store_count("selected_count")}};
    const auto part = [&](const char* name) {
        values["part"] = name;
        return select_kernels::select().render(values);
    };
    ScanSpec spec{.input_expr = form == Form::remove ? text("!(", holds, ")") : text("(", holds, ") != 0"),
                  .counts = true,
                  .scan_expr = "a + b",
                  .neutral = "0",
                  .output_statement = part("output"),
                  .name = name_of(form),
                  .preamble = std::move(preamble),
                  .staged_type = staged ? "T" : "",
                  .tile_statement = store_count("selected_count")};
    if (form == Form::split) {
        spec.stage_statement = part("stage");
        spec.tile_statement = part("tile");
    } else {
        spec.selected = source;
        spec.selected_to = "selected_out";
    }
    return Scan(std::move(arguments), number_type(wide), spec);
}

AnySelection detail::select(bool keep, const AnyArray& x, const detail::ExpressionView& mask,
                            const SelectOptions& options) {
    const Results results = by_mask(form_of(keep), x, mask, options);
    return {results.held(slice(0, x.size())), results.count};
}

AnySelection detail::select(bool keep, const AnyArray& x, const Predicate& predicate,
                            std::span<const CallArgument> more, const SelectOptions& options) {
    const Results results = by_text(form_of(keep), x, predicate, more, options);
    return {results.held(slice(0, x.size())), results.count};
}

AnyPartition detail::partition(const AnyArray& x, const detail::ExpressionView& mask, const SelectOptions& options) {
    const Results results = by_mask(Form::split, x, mask, options);
    return {results.held, results.others, results.count};
}

AnyPartition detail::partition(const AnyArray& x, const Predicate& predicate, std::span<const CallArgument> more,
                               const SelectOptions& options) {
    const Results results = by_text(Form::split, x, predicate, more, options);
    return {results.held, results.others, results.count};
}

}  // namespace gemel
