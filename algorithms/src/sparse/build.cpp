/// Builds matrices from COO triples, CSR, CSC and dense arrays: entries are sorted by row and column, duplicates added
/// up.
#include "array/require.hpp"
#include "rearrange/moving.hpp"
#include "select/selecting.hpp"
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/compress.hpp>
#include <gemel/algorithms/group.hpp>
#include <gemel/algorithms/search.hpp>
#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <limits>

namespace gemel::sparse {
namespace {

/// Loop indices may exceed the last position by a tile.
constexpr std::int64_t most_in_32_bits = std::numeric_limits<std::int32_t>::max() - (1 << 20);

DType index_type(bool wide, std::int64_t rows, std::int64_t columns, std::int64_t count) {
    const bool is_large = rows >= most_in_32_bits || columns >= most_in_32_bits || count >= most_in_32_bits;
    return wide || is_large ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>();
}

/// A contiguous copy of the given type.
AnyArray own_copy(const AnyArray& array, DType dtype) {
    return array.dtype() == dtype ? array.copy(Order::C) : array.astype(dtype).copy(Order::C);
}

void require_triples(const char* who, const AnyArray& array, const char* what, const AnyArray& like) {
    require_array(who, "the array of values", like);
    require_context(who, text("the array of ", what), array, like.context(), "the values");
    if (array.rank() != 1)
        throw ArgumentError(text(who, ": expected one axis, got an array of ", what, " of shape ",
                                 to_string(array.shape()), "; ravel() gives one axis"));
}

/// As text, for messages.
std::string number_at(const AnyArray& numbers, std::int64_t k) {
    const AnyArray number = numbers(k);
    if (number.dtype().kind() == DType::Kind::unsigned_integer)
        return text(number.astype(dtype_of<std::uint64_t>()).item<std::uint64_t>());
    return text(number.astype(dtype_of<std::int64_t>()).item<std::int64_t>());
}

/// The starts of rows, from sorted keys.
AnyArray starts_of(const AnyArray& keys, const Shape& shape, DType index) {
    const Context context = keys.context();
    const AnyArray bounds(context, keys.dtype(), Shape{shape[0] + 1});
    bound_kernel()(bounds, shape[1]);
    return gemel::detail::searchsorted("sparse", keys, bounds, Side::left, {}).astype(index);
}

bool are_in_order(const AnyArray& keys) { return keys.size() < 2 || not_above_kernel()(keys).item() == 0; }

}  // namespace

void require_shape(const char* who, const Shape& shape) {
    if (shape.rank() != 2 || shape[0] < 0 || shape[1] < 0)
        throw ArgumentError(text(who, ": expected the shape (rows, columns), both at least 0, got ", to_string(shape),
                                 "; give two extents"));
}

DType key_type(const char* who, std::int64_t rows, std::int64_t columns) {
    if (columns > 0 && rows >= std::numeric_limits<std::int64_t>::max() / columns)
        throw ArgumentError(text(who, ": a matrix of ", rows, " rows and ", columns,
                                 " columns has more than 2^63 elements; split it by rows"));
    return rows * columns < (std::int64_t{1} << 32) ? dtype_of<std::uint32_t>() : dtype_of<std::int64_t>();
}

Entries with_starts(const Context& context, const Shape& shape, AnyArray starts, AnyArray numbers, AnyArray values) {
    Entries entries{.context = context,
                    .rows = shape[0],
                    .columns = shape[1],
                    .count = static_cast<std::int64_t>(values.size()),
                    .starts = std::move(starts),
                    .numbers = std::move(numbers),
                    .values = std::move(values)};
    if (entries.rows > 0 && entries.count > 0)
        entries.longest_row = longest_kernel()(entries.starts(slice(0, -1)), entries.starts(slice(1, {}))).item();
    return entries;
}

Entries from_keys(const Context& context, const Shape& shape, const AnyArray& given_keys, const AnyArray& given_values,
                  bool wide) {
    AnyArray keys = given_keys, values = given_values;
    if (!are_in_order(keys)) {
        const std::array moved{values};
        const std::vector<AnyArray> sorted = sort_by_key(keys, std::span<const AnyArray>(moved));
        keys = sorted[0];
        values = sorted[1];
        if (!are_in_order(keys)) {
            const AnyByKey groups = gemel::detail::reduce_by_key(keys, values, {.deterministic = true});
            const std::int64_t count = groups.count.item();
            keys = groups.all_keys(slice(0, count)).copy(Order::C);
            values = groups.all_values(slice(0, count)).copy(Order::C);
        }
    }
    const DType index = index_type(wide, shape[0], shape[1], static_cast<std::int64_t>(values.size()));
    const AnyArray numbers(context, index, Shape{values.size()});
    if (values.size() > 0) split_kernel()(keys, numbers, shape[1]);
    return with_starts(context, shape, starts_of(keys, shape, index), numbers, values);
}

AnyArray keys_of(const char* who, const Entries& entries) {
    const AnyArray keys(entries.context, key_type(who, entries.rows, entries.columns), Shape{entries.count});
    if (entries.count > 0) key_kernel()(row_numbers_of(entries), entries.numbers, keys, entries.columns);
    return keys;
}

AnyMatrix detail::coo(const Shape& shape, const AnyArray& rows, const AnyArray& columns, const AnyArray& values,
                      const MatrixOptions& options) {
    const char* who = "sparse::coo";
    require_shape(who, shape);
    require_triples(who, values, "values", values);
    require_triples(who, rows, "rows", values);
    require_triples(who, columns, "columns", values);
    if (rows.size() != values.size() || columns.size() != values.size())
        throw ArgumentError(text(who, ": expected equal numbers, got ", rows.size(), " rows, ", columns.size(),
                                 " columns and ", values.size(), " values; give one of each per entry"));
    const DType type = key_type(who, shape[0], shape[1]);
    const Context context = values.context();
    const AnyArray keys(context, type, Shape{values.size()});
    if (values.size() > 0) {
        const std::int64_t found = outside_kernel()(rows, columns, shape[0], shape[1]).item();
        if (found != 0) {
            const std::int64_t k = found + static_cast<std::int64_t>(values.size());
            throw ArgumentError(text(who, ": entry ", k, " is at row ", number_at(rows, k), " and column ",
                                     number_at(columns, k), ", outside the shape ", to_string(shape),
                                     "; numbers begin at 0 and are below the extents"));
        }
        key_kernel()(rows, columns, keys, shape[1]);
    }
    return as_matrix(from_keys(context, shape, keys, values.copy(Order::C), options.wide_indices));
}

namespace {

void check_compressed(const char* who, const char* lines, const char* others, const Shape& shape,
                      const AnyArray& starts, const AnyArray& numbers, const AnyArray& values) {
    require_triples(who, values, "values", values);
    require_triples(who, starts, "starts", values);
    require_triples(who, numbers, others, values);
    const auto count = static_cast<std::int64_t>(values.size());
    if (numbers.size() != values.size())
        throw ArgumentError(text(who, ": expected equal numbers, got ", numbers.size(), " ", others, " and ", count,
                                 " values; give one of each per entry"));
    if (static_cast<std::int64_t>(starts.size()) != shape[0] + 1)
        throw ArgumentError(text(who, ": expected ", shape[0] + 1, " starts for ", shape[0], " ", lines, ", got ",
                                 starts.size(), "; give the start of each and the end of the last"));
    if (shape[0] == 0 && count > 0)
        throw ArgumentError(
            text(who, ": expected no values for a shape without ", lines, ", got ", count, "; use a larger shape"));
    if (shape[0] > 0) {
        const AnyArray begins = starts(slice(0, -1)), ends = starts(slice(1, {}));
        if (const std::int64_t found = wrong_start_kernel()(begins, ends, count).item(); found != 0) {
            const std::int64_t k = found + shape[0];
            throw ArgumentError(text(who, ": starts ", k, " and ", k + 1, " are ", number_at(starts, k), " and ",
                                     number_at(starts, k + 1), "; they must ascend from 0 to ", count,
                                     ", the number of values"));
        }
    }
    if (count == 0) return;
    if (const std::int64_t found = outside_extent_kernel()(numbers, shape[1]).item(); found != 0) {
        const std::int64_t k = found + count;
        throw ArgumentError(text(who, ": entry ", k, " is at number ", number_at(numbers, k), " of the ", others,
                                 ", of which the shape has ", shape[1], "; numbers begin at 0"));
    }
}

/// Whether columns ascend within each row: each must exceed the one before, except at the start of a row.
bool are_canonical(const AnyArray& starts, const AnyArray& numbers) {
    if (numbers.size() < 2) return true;
    const std::int64_t drops = not_above_kernel()(numbers).item();
    return drops == 0 || drop_kernel()(starts(slice(0, -1)), starts(slice(1, {})), numbers).item() == drops;
}

}  // namespace

AnyMatrix detail::compressed(bool by_columns, const Shape& given_shape, const AnyArray& starts, const AnyArray& numbers,
                             const AnyArray& values, const MatrixOptions& options) {
    const char* who = by_columns ? "sparse::csc" : "sparse::csr";
    require_shape(who, given_shape);
    const Shape shape = by_columns ? Shape{given_shape[1], given_shape[0]} : given_shape;
    check_compressed(who, by_columns ? "columns" : "rows", by_columns ? "rows" : "columns", shape, starts, numbers,
                     values);
    const Context context = values.context();
    const DType index = index_type(options.wide_indices, shape[0], shape[1], static_cast<std::int64_t>(values.size()));
    Entries entries =
        with_starts(context, shape, own_copy(starts, index), own_copy(numbers, index), values.copy(Order::C));
    if (!are_canonical(entries.starts, entries.numbers))
        entries = from_keys(context, shape, keys_of(who, entries), entries.values, options.wide_indices);
    const AnyMatrix matrix = as_matrix(std::move(entries));
    return by_columns ? matrix.transpose() : matrix;
}

AnyMatrix detail::dense(const AnyArray& array, const MatrixOptions& options) {
    const char* who = "sparse::dense";
    require_array(who, "the array", array);
    if (array.rank() != 2)
        throw ArgumentError(
            text(who, ": expected two axes, got shape ", to_string(array.shape()), "; reshape() changes them"));
    const Context context = array.context();
    const AnyArray keys = flatnonzero(array);
    const AnyArray values =
        keys.size() == 0 ? AnyArray(context, array.dtype(), Shape{0}) : take(array.ravel(), keys, 0, OutOfBounds::wrap);
    return as_matrix(from_keys(context, array.shape(), keys, values, options.wide_indices));
}

}  // namespace gemel::sparse
