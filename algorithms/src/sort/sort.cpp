#include <gemel/algorithms/sort.hpp>

#include "array/require.hpp"
#include "sort/radix_sort.hpp"
#include "sort/sort_checks.hpp"

#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel {

namespace {

using namespace sorting;

/// Rows for the result: the caller's array if kernels can write to it directly, else a new array.
AnyArray rows_for(const AnyArray& out, const AnyArray& from, const SortAxis& axis, DType dtype) {
    const bool is_direct = !out.empty() && axis.is_last && out.is_contiguous() && !out.may_overlap(from);
    if (is_direct && is_aligned(out)) return out;
    return new_rows(from, axis, dtype);
}

AnyArray finished(const AnyArray& rows, const SortAxis& axis, const AnyArray& out) {
    const bool is_direct = !out.empty() && rows.is_view_of(out);
    return is_direct ? out : from_rows(rows, axis, out);
}

/// The arrays of sort_by_key, keys first, and where its results go.
struct Results {
    const AnyArray& keys;
    std::span<const AnyArray> values;
    const std::vector<AnyArray>& outs;

    const AnyArray& input(std::size_t k) const { return k == 0 ? keys : values[k - 1]; }
    AnyArray out(std::size_t k) const { return outs.empty() ? AnyArray() : outs[k]; }

    /// The caller's array only if it is apart from all inputs: kernels write to it while they read those.
    AnyArray rows(std::size_t k, const SortAxis& axis) const {
        const AnyArray own = out(k);
        bool is_apart = !own.empty();
        for (std::size_t other = 0; is_apart && other <= values.size(); ++other)
            is_apart = !own.may_overlap(input(other)) && (other == k || !own.may_overlap(outs[other]));
        return rows_for(is_apart ? own : AnyArray(), input(k), axis, input(k).dtype());
    }
};

void check_key(std::string_view who, const AnyArray& keys) {
    require_array(who, "the array", keys);
    check_order(who, keys.dtype());
}

/// Counts the segments that begin at each element; empty segments make it more than one.
const ElementwiseKernel& begin_segments_kernel() {
    static auto& kernel = *new ElementwiseKernel(
        "const I *starts, uint32_t *marks, int64_t count",
        "if (starts[i] >= 0 && starts[i] < count) atomic_add(&marks[starts[i]], (uint32_t)1)", "begin_segments");
    return kernel;
}

}  // namespace

AnyArray sort(const AnyArray& x, const SortOptions& options) {
    check_key("sort", x);
    check_out("sort", options, x, x.dtype());
    const SortAxis axis = sort_axis("sort", x, options.axis);
    const AnyArray keys = in_rows(x, axis);
    const AnyArray sorted = rows_for(options.out, x, axis, x.dtype());
    radix_sort(plain_sorter(x.dtype()), {.keys = keys,
                                         .sorted_keys = sorted,
                                         .rows = axis.rows,
                                         .row_length = axis.row_length,
                                         .descending = options.descending,
                                         .tuning = options.tuning});
    return finished(sorted, axis, options.out);
}

AnyArray argsort(const AnyArray& x, const SortOptions& options) {
    check_key("argsort", x);
    if (x.rank() == 0) return argsort(x.reshape({1}), options);  // [0], as NumPy
    check_out("argsort", options, x, dtype_of<std::int64_t>());
    const SortAxis axis = sort_axis("argsort", x, options.axis);
    const AnyArray keys = in_rows(x, axis);
    const AnyArray index = rows_for(options.out, x, axis, dtype_of<std::int64_t>());
    radix_sort(plain_sorter(x.dtype()), {.keys = keys,
                                         .index = index,
                                         .rows = axis.rows,
                                         .row_length = axis.row_length,
                                         .descending = options.descending,
                                         .tuning = options.tuning});
    return finished(index, axis, options.out);
}

std::vector<AnyArray> sort_by_key(const AnyArray& keys, std::span<const AnyArray> values, const SortOptions& options) {
    check_key("sort_by_key", keys);
    for (std::size_t k = 0; k < values.size(); ++k)
        check_beside("sort_by_key", text("the array of values ", k + 1), values[k], keys);
    check_outs("sort_by_key", options, keys, values);
    const SortAxis axis = sort_axis("sort_by_key", keys, options.axis);
    const Results results{keys, values, options.outs};
    RadixCall call{.keys = in_rows(keys, axis),
                   .sorted_keys = results.rows(0, axis),
                   .rows = axis.rows,
                   .row_length = axis.row_length,
                   .descending = options.descending,
                   .tuning = options.tuning};
    std::vector<AnyArray> moved{call.sorted_keys};
    for (std::size_t k = 0; k < values.size(); ++k) {
        moved.push_back(results.rows(k + 1, axis));
        if (values[k].dtype().size_bytes() > max_moved_bytes) {
            if (call.index.empty()) call.index = new_rows(keys, axis, dtype_of<std::int64_t>());
        } else {
            call.values.push_back({in_rows(values[k], axis), moved.back()});
        }
    }
    radix_sort(plain_sorter(keys.dtype()), call);
    // All inputs are read before a result may be written to one of them.
    for (std::size_t k = 0; k < values.size(); ++k)
        if (values[k].dtype().size_bytes() > max_moved_bytes)
            gather(in_rows(values[k], axis), call.index, moved[k + 1]);
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = finished(moved[k], axis, results.out(k));
    return moved;
}

AnyArray lexsort(std::span<const AnyArray> keys, int axis) {
    if (keys.empty()) throw ArgumentError("lexsort: there is no key; give at least one array, the primary key last");
    for (std::size_t k = 0; k < keys.size(); ++k) {
        check_beside("lexsort", text("key ", k + 1), keys[k], keys[0]);
        check_order("lexsort", keys[k].dtype());
    }
    if (keys[0].rank() == 0) throw ArgumentError("lexsort: single values have no axis; reshape({1}) gives them one");
    const SortAxis along = sort_axis("lexsort", keys[0], axis);
    AnyArray order = argsort(keys[0], {.axis = axis});
    for (const AnyArray& key : keys.subspan(1)) {
        AnyArray sorted;
        if (key.rank() == 1) {
            sorted = take(key, order, std::nullopt, OutOfBounds::wrap);
        } else {
            const AnyArray rows = new_rows(key, along, key.dtype());
            gather(in_rows(key, along), in_rows(order, along), rows);
            sorted = from_rows(rows, along, {});
        }
        order = sort_by_key(sorted, std::array{order}, {.axis = axis})[1];
    }
    return order;
}

AnyArray sort_segments(const AnyArray& values, const AnyArray& starts, const SortOptions& options) {
    const char* const who = "sort_segments";
    require_array(who, "the array of values", values);
    require_context(who, "the array of starts", starts, values.context(), "the values");
    check_order(who, values.dtype());
    if (values.rank() != 1 || starts.rank() != 1)
        throw ArgumentError(text(who, ": values have the shape ", to_string(values.shape()), ", starts ",
                                 to_string(starts.shape()), "; expected one axis of both"));
    if (!starts.dtype().is_integer() || starts.dtype().lanes() != 1)
        throw ArgumentError(
            text(who, ": expected starts of integers, got ", starts.dtype().name(), "; astype() converts"));
    check_out(who, options, values, values.dtype());
    const SortAxis axis = sort_axis(who, values, options.axis);
    AnyArray marks(values.context(), dtype_of<std::uint32_t>(), values.shape());
    const std::uint32_t none = 0;
    marks.fill_bytes(&none);
    const auto count = static_cast<std::int64_t>(values.size());
    if (starts.size() > 0 && count > 0) begin_segments_kernel()(starts, marks, count);
    const AnyArray keys = in_rows(values, axis), sorted = rows_for(options.out, values, axis, values.dtype());
    radix_sort(plain_sorter(values.dtype()), {.keys = keys,
                                              .sorted_keys = sorted,
                                              .segments = cumsum(marks, std::nullopt, dtype_of<std::uint32_t>()),
                                              .segment_count = starts.size() + 1,
                                              .row_length = axis.row_length,
                                              .descending = options.descending,
                                              .tuning = options.tuning});
    return finished(sorted, axis, options.out);
}

}  // namespace gemel
