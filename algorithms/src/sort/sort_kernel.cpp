#include <gemel/algorithms/sort_kernel.hpp>

#include "array/require.hpp"
#include "generated/declared_arguments.hpp"
#include "generated/spine.hpp"
#include "sort/merge_sort.hpp"
#include "sort/radix_sort.hpp"
#include "sort/sort_checks.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/codegen/identifier.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace gemel {

struct SortKernelState {
    DType dtype = {};
    sorting::RadixSorter radix = {};
    sorting::MergeSorter merge = {};
    bool by_key = true;
    std::uint64_t keys_id = KernelCache::new_generator();  ///< of the kernel of keys
};

namespace {

using namespace sorting;

/// If key_expr is an element or one of its members, its type is known; 16-bit floats are converted.
/// @returns the type, if it is that of a number
DType name_key(codegen::SortRequest& request) {
    DType found;
    const std::string key = codegen::Snippet(request.key_expr).text();
    if (key == "a" && !request.key.layout()) {
        found = request.key;
    } else if (request.key.layout() && key.starts_with("a.")) {
        for (const StructField& field : request.key.layout()->fields)
            if (key.substr(2) == field.name && field.count == 1) found = field.dtype;
    }
    const bool is_number = found.is_integer() || found.is_floating() || found.kind() == DType::Kind::boolean;
    if (!is_number || found.lanes() != 1) return {};
    const DType declared = found;
    if (found.is_16_bit_float()) {
        if (request.key.layout()) request.key_expr = codegen::load_text(found, key);
        found = dtype_of<float>();
    }
    request.key_type = found;
    return declared;
}

const char* const who = "SortKernel";

}  // namespace

ElementSort::ElementSort(DType dtype, const SortSpec& spec) {
    const auto refuse = [&](const std::string& what) { throw ArgumentError(text(who, " '", spec.name, "': ", what)); };
    if (spec.key_expr.empty() == spec.less_expr.empty())
        refuse(text(
            spec.key_expr.empty() ? "neither key_expr nor less_expr is given" : "both key_expr and less_expr are given",
            "; give one of the two"));
    if (const std::string why = codegen::why_no_name(spec.name); !why.empty())
        refuse(text("the name ", why, "; choose another"));
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
        const DType key = name_key(state->radix.request);
        if (spec.key_bits != 0 && key.is_floating())
            refuse(text("key_bits is ", spec.key_bits, ", but the key \"", spec.key_expr, "\" is of ", key.name(),
                        "; only integers are sorted by their low bits: leave key_bits out"));
        state->radix.compile = compile;
    } else {
        if (spec.key_bits != 0) refuse("key_bits needs key_expr, but less_expr is given; leave key_bits out");
        state->merge.request = {
            .name = spec.name, .dtype = dtype, .less_expr = spec.less_expr, .preamble = spec.preamble};
        codegen::check_request(state->merge.request);
        state->merge.compile = compile;
    }
    state_ = std::move(state);
}

namespace {

struct KeysVariant : Variant {};

/// The keys of elements that are too large to move.
AnyArray keys_of(const SortKernelState& state, const AnyArray& elements) {
    const Context context = elements.context();
    KernelCache& cache = KernelCache::of(context);
    const auto count = static_cast<std::int64_t>(elements.size());
    const AnyArray keys(context, dtype_of<std::uint64_t>(), elements.shape());
    const codegen::SortLayout layout{.wide_index = has_wide_indices(count), .has_double = cache.info().has_double};
    const std::uint32_t block = std::min(256u, cache.info().max_threads_per_block);
    const VariantKey<codegen::SortLayout, codegen::SortTuning> key{state.keys_id, layout, {.block = block}, {}};
    const auto variant = cache.find<KeysVariant>(key, [&] {
        const GeneratedText text{codegen::sort_keys_source(state.radix.request, layout.wide_index, layout.has_double,
                                                           block, context.dialect())};
        auto made = std::make_shared<KeysVariant>();
        made->kernel = context.compile(text, state.radix.compile).kernel(state.radix.request.name + "_keys");
        made->block = block;
        return made;
    });
    ArgumentList none;
    const Stream current;
    const std::int64_t blocks = std::min<std::int64_t>((count + block - 1) / block, 4096);
    Argument from = elements.argument();
    from.dtype = {};
    Launcher(none, layout.wide_index, current)
        .alone(variant->kernel, {blocks}, block, std::vector<Argument>{from, keys.argument()}, std::array{count});
    return keys;
}

/// The index within its row of each element of the sorted rows.
void write_indices(const SortKernelState& state, const AnyArray& elements, const AnyArray& index, const SortAxis& axis,
                   const SortOptions& options) {
    if (elements.size() == 0) return;
    if (state.by_key) {
        const bool is_large = state.dtype.size_bytes() > max_moved_bytes;
        radix_sort(is_large ? plain_sorter(dtype_of<std::uint64_t>()) : state.radix,
                   {.keys = is_large ? keys_of(state, elements) : elements,
                    .index = index,
                    .rows = axis.rows,
                    .row_length = axis.row_length,
                    .descending = options.descending,
                    .tuning = options.tuning});
        return;
    }
    static const auto& number = *new ElementwiseKernel("I *indices", "indices[i] = i", "number_indices");
    static const auto& within_rows =
        *new ElementwiseKernel("const I *indices, int64_t *index, int64_t length",
                               "index[i] = indices[i] - (int64_t)i / length * length", "indices_within_rows");
    const bool wide = has_wide_indices(static_cast<std::int64_t>(elements.size()));
    const DType type = wide ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>();
    const AnyArray from(elements.context(), type, elements.shape()), to(elements.context(), type, elements.shape());
    number(from);
    merge_sort(state.merge, {.from = from,
                             .to = to,
                             .elements = elements,
                             .rows = axis.rows,
                             .row_length = axis.row_length,
                             .descending = options.descending,
                             .tuning = options.tuning});
    within_rows(to, index, axis.row_length);
}

}  // namespace

AnyArray ElementSort::run(const AnyArray& x, const SortOptions& options) const {
    const SortKernelState& state = state_of(who, state_);
    require_array(who, "the array", x);
    check_out(who, options, x, x.dtype());
    const SortAxis axis = sort_axis(who, x, options.axis);
    const AnyArray elements = in_rows(x, axis), sorted = new_rows(x, axis, x.dtype());
    if (state.dtype.size_bytes() > max_moved_bytes) {
        const AnyArray index = new_rows(x, axis, dtype_of<std::int64_t>());
        write_indices(state, elements, index, axis, options);
        gather(elements, index, sorted);
    } else if (state.by_key) {
        radix_sort(state.radix, {.keys = elements,
                                 .sorted_keys = sorted,
                                 .rows = axis.rows,
                                 .row_length = axis.row_length,
                                 .descending = options.descending,
                                 .tuning = options.tuning});
    } else {
        merge_sort(state.merge, {.from = elements,
                                 .to = sorted,
                                 .rows = axis.rows,
                                 .row_length = axis.row_length,
                                 .descending = options.descending,
                                 .tuning = options.tuning});
    }
    return from_rows(sorted, axis, options.out);
}

AnyArray ElementSort::places(const AnyArray& x, const SortOptions& options) const {
    const SortKernelState& state = state_of(who, state_);
    require_array(who, "the array", x);
    check_out(who, options, x, dtype_of<std::int64_t>());
    const SortAxis axis = sort_axis(who, x, options.axis);
    const AnyArray index = new_rows(x, axis, dtype_of<std::int64_t>());
    write_indices(state, in_rows(x, axis), index, axis, options);
    return from_rows(index, axis, options.out);
}

}  // namespace gemel
