#include <gemel/algorithms/sort_kernel.hpp>

#include "generated/declared_arguments.hpp"
#include "sort/merge_sort.hpp"
#include "sort/radix_sort.hpp"
#include "sort/sort_checks.hpp"

#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {

struct SortKernelState {
    DType dtype = {};
    sorting::RadixSorter radix = {};
    sorting::MergeSorter merge = {};
    bool by_key = true;
};

namespace {

using namespace sorting;

/// A key that is an element or one of its members: its type is known, and 16-bit floats are converted.
void name_key(codegen::SortRequest& request) {
    DType found;
    const std::string key = codegen::Snippet(request.key_expr).text();
    if (key == "a" && !request.key.layout()) {
        found = request.key;
    } else if (request.key.layout() && key.starts_with("a.")) {
        for (const StructField& field : request.key.layout()->fields)
            if (key.substr(2) == field.name && field.count == 1) found = field.dtype;
    }
    const bool is_number = found.is_integer() || found.is_floating() || found.kind() == DType::Kind::boolean;
    if (!is_number || found.lanes() != 1) return;
    if (found.is_floating() && found.size_bytes() == 2) {
        if (request.key.layout()) request.key_expr = codegen::load_text(found, key);
        found = dtype_of<float>();
    }
    request.key_type = found;
}

const char* const who = "SortKernel";

}  // namespace

ElementSort::ElementSort(DType dtype, const SortSpec& spec) {
    const auto refuse = [&](const std::string& what) { throw ArgumentError(text(who, " '", spec.name, "': ", what)); };
    if (spec.key_expr.empty() == spec.less_expr.empty())
        refuse(text(
            spec.key_expr.empty() ? "neither key_expr nor less_expr is given" : "both key_expr and less_expr are given",
            "; give one of the two"));
    if (dtype.size_bytes() > max_moved_bytes)
        refuse(text("elements have ", dtype.size_bytes(), " bytes, and at most ", max_moved_bytes,
                    " are moved; sort places by argsort() of the keys and take() the elements"));
    auto state = std::make_shared<SortKernelState>();
    state->dtype = dtype;
    state->by_key = !spec.key_expr.empty();
    CompileOptions compile = spec.compile;
    compile.name = spec.name;
    if (state->by_key) {
        state->radix.request = {.name = spec.name,
                                .key = dtype,
                                .key_expr = spec.key_expr,
                                .key_bits = spec.key_bits,
                                .preamble = spec.preamble};
        codegen::check_request(state->radix.request);
        name_key(state->radix.request);
        state->radix.compile = compile;
    } else {
        if (spec.key_bits != 0) refuse("key_bits belong to a key, and there is a comparison; leave them out");
        state->merge.request = {
            .name = spec.name, .dtype = dtype, .less_expr = spec.less_expr, .preamble = spec.preamble};
        codegen::check_request(state->merge.request);
        state->merge.compile = compile;
    }
    state_ = std::move(state);
}

AnyArray ElementSort::run(const AnyArray& x, const SortOptions& options) const {
    const SortKernelState& state = kept_by(who, state_);
    check_array(who, "the array", x);
    check_out(who, options.out, x, x.dtype());
    const SortAxis axis = sort_axis(who, x, options.axis);
    const AnyArray elements = in_rows(x, axis), sorted = new_rows(x, axis, x.dtype());
    if (state.by_key)
        radix_sort(state.radix, {.keys = elements,
                                 .sorted_keys = sorted,
                                 .rows = axis.rows,
                                 .row_length = axis.row_length,
                                 .descending = options.descending,
                                 .tuning = options.tuning});
    else
        merge_sort(state.merge, {.from = elements,
                                 .to = sorted,
                                 .rows = axis.rows,
                                 .row_length = axis.row_length,
                                 .descending = options.descending,
                                 .tuning = options.tuning});
    return from_rows(sorted, axis, options.out);
}

AnyArray ElementSort::places(const AnyArray& x, const SortOptions& options) const {
    const SortKernelState& state = kept_by(who, state_);
    check_array(who, "the array", x);
    if (!state.by_key)
        throw ArgumentError(
            text(who, " '", state.merge.request.name,
                 "': argsort() needs a key; give the elements a member with their place and sort them"));
    check_out(who, options.out, x, dtype_of<std::int64_t>());
    const SortAxis axis = sort_axis(who, x, options.axis);
    const AnyArray index = new_rows(x, axis, dtype_of<std::int64_t>());
    radix_sort(state.radix, {.keys = in_rows(x, axis),
                             .index = index,
                             .rows = axis.rows,
                             .row_length = axis.row_length,
                             .descending = options.descending,
                             .tuning = options.tuning});
    return from_rows(index, axis, options.out);
}

}  // namespace gemel
