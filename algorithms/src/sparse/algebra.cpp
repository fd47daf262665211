/// Operations on matrices: sums, products, scaling, selection of rows, permutations.
#include "array/require.hpp"
#include "select/selecting.hpp"
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/compress.hpp>
#include <gemel/algorithms/search.hpp>
#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/arrays/join.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <array>

namespace gemel::sparse {
namespace {

void require_same_kind(const char* who, const Entries& a, const Entries& b) {
    if (!(a.value() == b.value()))
        throw ArgumentError(text(who, ": expected matrices of one element type, got ", a.value().name(), " and ",
                                 b.value().name(), "; make one again from converted values"));
    if (!(a.context == b.context))
        throw ArgumentError(text(who, ": the matrices are in different contexts; make both in one context"));
}

bool is_wide(const Entries& entries) { return entries.index().size_bytes() == 8; }

/// As 64-bit indices if the other matrix has them.
AnyArray widened(const AnyArray& numbers, bool wide) {
    return wide && numbers.dtype().size_bytes() == 4 ? numbers.astype(dtype_of<std::int64_t>()) : numbers;
}

Entries with_width(Entries entries, bool wide) {
    entries.starts = widened(entries.starts, wide);
    entries.numbers = widened(entries.numbers, wide);
    return entries;
}

/// For each of the `ends.back()` results, the index of its list; `ends` has the ends of the lists.
GPUArray<std::int64_t> owners_of(const AnyArray& ends, std::int64_t count) {
    const AnyArray positions =
        arange(ends.context(), dtype_of<std::int64_t>(), std::int64_t{0}, count, std::int64_t{1});
    return gemel::detail::searchsorted("sparse", ends, positions, Side::right, {});
}

AnyArray ends_of(const AnyArray& lengths) { return cumsum(lengths, 0, dtype_of<std::int64_t>()); }

/// The position of each number in an order. @throws ArgumentError unless it is a permutation
AnyArray inverse(const char* who, const char* what, const AnyArray& order, std::int64_t extent, const Entries& a) {
    if (order.empty() || order.rank() != 1 || static_cast<std::int64_t>(order.size()) != extent)
        throw ArgumentError(text(who, ": the order of ", what, " has shape ", to_string(order.shape()), ", expected (",
                                 extent, ",); give each index once"));
    if (!order.dtype().is_integer())
        throw ArgumentError(text(who, ": the order of ", what, " has elements of ", order.dtype().name(),
                                 ", expected integers; astype() converts"));
    require_context(who, text("the order of ", what), order, a.context, "the matrix");
    const AnyArray positions(order.context(), a.index(), Shape{extent});
    if (extent == 0) return positions;
    bool is_permutation = outside_extent_kernel()(order, extent).item() == 0;
    if (is_permutation) {
        positions.fill(-1);
        invert_kernel()(order, positions);
        is_permutation = outside_extent_kernel()(positions, extent).item() == 0;
    }
    if (!is_permutation)
        throw ArgumentError(text(who, ": the order of ", what, " is not a permutation of 0 to ", extent - 1,
                                 "; rows() selects rows, also repeated ones"));
    return positions;
}

}  // namespace

Entries multiply_by_sorting(const Entries& a, const Entries& b) {
    const char* who = "Matrix: matrix * matrix";
    const DType type = key_type(who, a.rows, b.columns);
    std::int64_t total = 0;
    AnyArray ends;
    if (a.count > 0) {
        const AnyArray lengths(a.context, dtype_of<std::int64_t>(), Shape{a.count});
        product_length_kernel()(a.numbers, b.starts, lengths);
        ends = ends_of(lengths);
        total = ends(a.count - 1).item<std::int64_t>();
    }
    const AnyArray keys(a.context, type, Shape{total}), products(a.context, a.value(), Shape{total});
    if (total > 0)
        expand_kernel(a.value())(owners_of(ends, total), ends, row_numbers_of(a), a.numbers, b.starts, b.numbers, keys,
                                 b.columns, a.values, b.values, products);
    return from_keys(a.context, {a.rows, b.columns}, keys, products, is_wide(a));
}

AnyMatrix AnyMatrix::rows(const AnyArray& numbers) const {
    const char* who = "Matrix::rows";
    const Entries& a = state(who).entries;
    if (numbers.empty() || numbers.rank() != 1 || !numbers.dtype().is_integer())
        throw ArgumentError(text(who, ": the row indices have the shape ", to_string(numbers.shape()),
                                 " and elements of ", numbers.dtype().name(),
                                 ", expected one axis of integers; astype() converts"));
    if (!(numbers.context() == a.context))
        throw ArgumentError(
            text(who, ": the row indices are in another context than the matrix; copy_to(context) copies them there"));
    const auto count = static_cast<std::int64_t>(numbers.size());
    if (count > 0)
        if (const std::int64_t found = outside_extent_kernel()(numbers, a.rows).item(); found != 0) {
            const AnyArray wrong = numbers(found + count);
            throw ArgumentError(text(who, ": row ", wrong.astype(dtype_of<std::int64_t>()).item<std::int64_t>(),
                                     ", at ", found + count, " of the indices, is out of range for ", a.rows,
                                     a.rows == 1 ? " row" : " rows", "; expected indices from 0 to ", a.rows - 1));
        }
    const AnyArray starts = zeros(a.context, dtype_of<std::int64_t>(), Shape{count + 1});
    std::int64_t total = 0;
    const AnyArray ends = starts(slice(1, {}));
    if (count > 0) {
        const AnyArray lengths(a.context, dtype_of<std::int64_t>(), Shape{count});
        row_length_kernel()(numbers, a.starts, lengths);
        ends.assign(ends_of(lengths));
        total = starts(count).item<std::int64_t>();
    }
    const bool wide = is_wide(a) || total > INT32_MAX - (1 << 20) || count > INT32_MAX - (1 << 20);
    const DType index = wide ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>();
    const AnyArray columns(a.context, a.index(), Shape{total}), values(a.context, a.value(), Shape{total});
    if (total > 0)
        gather_rows_kernel()(owners_of(ends, total), ends.copy(Order::C), numbers, a.starts, a.numbers, a.values,
                             columns, values);
    return as_matrix(with_starts(a.context, {count, a.columns}, starts.astype(index), widened(columns, wide), values));
}

AnyMatrix AnyMatrix::rows(const Slice& part) const {
    const Entries& a = state("Matrix::rows").entries;
    const SliceRange range = resolve(part, a.rows);
    const AnyArray all = arange(a.context, dtype_of<std::int64_t>(), std::int64_t{0}, a.rows, std::int64_t{1});
    if (range.count == 0) return rows(AnyArray(a.context, dtype_of<std::int64_t>(), Shape{0}));
    return rows(all(part).copy(Order::C));
}

AnyMatrix AnyMatrix::permute(const AnyArray& row_order, const AnyArray& column_order) const {
    const char* who = "Matrix::permute";
    const Entries& a = state(who).entries;
    const AnyArray row_positions = inverse(who, "rows", row_order, a.rows, a);
    const AnyArray column_positions = inverse(who, "columns", column_order, a.columns, a);
    const AnyArray keys(a.context, key_type(who, a.rows, a.columns), Shape{a.count});
    if (a.count > 0)
        permuted_key_kernel()(row_numbers_of(a), a.numbers, row_positions, column_positions, keys, a.columns);
    return as_matrix(from_keys(a.context, a.shape(), keys, a.values, is_wide(a)));
}

AnyMatrix AnyMatrix::scaled(const AnyNumber& factor) const {
    const MatrixState& matrix = state("Matrix: number * matrix");
    Entries scaled = matrix.entries;
    scaled.values = scaled.values.copy(Order::C);
    if (scaled.count > 0) {
        Argument number;
        number.dtype = scaled.value();
        const auto bytes = gemel::detail::element_bytes("Matrix: number * matrix", scaled.value(), factor);
        std::copy(bytes.begin(), bytes.end(), number.value);
        number.bytes = scaled.value().size_bytes();
        number.data = number.value;
        beta_kernel(scaled.value()).run({}, std::array{CallArgument(scaled.values), CallArgument(number)});
    }
    return in_format(scaled, matrix.format, matrix.reason);
}

namespace {

AnyMatrix scaled_by(const char* who, const MatrixState& matrix, const AnyArray& factors, bool by_rows) {
    const Entries& a = matrix.entries;
    const std::int64_t extent = by_rows ? a.rows : a.columns;
    if (factors.empty() || !(factors.shape() == Shape{extent}) || !(factors.dtype() == a.value()))
        throw ArgumentError(text(who, ": the factors have the shape ", to_string(factors.shape()), " and elements of ",
                                 factors.dtype().name(), ", expected (", extent, ",) of ", a.value().name(),
                                 "; reshape() and astype() convert"));
    if (!(factors.context() == a.context))
        throw ArgumentError(
            text(who, ": the factors are in another context than the matrix; copy_to(context) copies them there"));
    Entries scaled = a;
    scaled.values = AnyArray(a.context, a.value(), Shape{a.count});
    if (a.count > 0)
        scale_kernel(a.value())(by_rows ? row_numbers_of(a) : a.numbers, a.values,
                                factors.is_contiguous() ? factors : factors.copy(Order::C), scaled.values);
    return in_format(scaled, matrix.format, matrix.reason);
}

}  // namespace

AnyMatrix AnyMatrix::scale_rows(const AnyArray& factors) const {
    return scaled_by("Matrix::scale_rows", state("Matrix::scale_rows"), factors, true);
}

AnyMatrix AnyMatrix::scale_columns(const AnyArray& factors) const {
    return scaled_by("Matrix::scale_columns", state("Matrix::scale_columns"), factors, false);
}

AnyMatrix AnyMatrix::plus(const AnyMatrix& other, const AnyNumber& factor) const {
    const char* who = "Matrix: matrix + matrix";
    const Entries &a = state(who).entries, &b = other.state(who).entries;
    require_same_kind(who, a, b);
    if (!(a.shape() == b.shape()))
        throw ArgumentError(text(who, ": expected matrices of one shape, got ", to_string(a.shape()), " and ",
                                 to_string(b.shape()), "; build both with one shape"));
    const bool is_plain = std::holds_alternative<std::int64_t>(factor) && std::get<std::int64_t>(factor) == 1;
    const AnyArray right = is_plain ? b.values : other.to(Format::csr).scaled(factor).values();
    const AnyArray keys = concatenate({keys_of(who, a), keys_of(who, b)});
    return as_matrix(from_keys(a.context, a.shape(), keys, concatenate({a.values, right}), is_wide(a) || is_wide(b)));
}

AnyMatrix AnyMatrix::times(const AnyMatrix& other) const {
    const char* who = "Matrix: matrix * matrix";
    const Entries &a = state(who).entries, &b = other.state(who).entries;
    require_same_kind(who, a, b);
    if (a.columns != b.rows)
        throw ArgumentError(
            text(who, ": shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
                 ": expected as many columns of the first as rows of the second; transpose() may fit one"));
    if (const std::optional<Entries> product = multiply_by_rows(a, b)) return as_matrix(*product);
    const bool wide = is_wide(a) || is_wide(b);
    const Entries left = with_width(a, wide), right = with_width(b, wide);
    if (const std::optional<Entries> product = multiply_by_tiles(left, right)) return as_matrix(*product);
    return as_matrix(multiply_by_sorting(left, right));
}

AnyArray AnyMatrix::diagonal(Integer offset) const {
    const Entries& a = state("Matrix::diagonal").entries;
    const std::int64_t first_row = offset < 0 ? -offset : 0, first_column = offset > 0 ? std::int64_t{offset} : 0;
    const std::int64_t count = std::max<std::int64_t>(std::min(a.rows - first_row, a.columns - first_column), 0);
    const AnyArray found = zeros(a.context, a.value(), Shape{count});
    if (count > 0 && a.count > 0)
        diagonal_kernel()(a.starts(slice(first_row, first_row + count)),
                          a.starts(slice(first_row + 1, first_row + count + 1)), a.numbers, a.values, found,
                          first_column);
    return found;
}

AnyArray AnyMatrix::to_dense() const {
    const Entries& a = state("Matrix::to_dense").entries;
    const AnyArray array = zeros(a.context, a.value(), a.shape());
    if (a.count > 0)
        put(array.ravel(), keys_of("Matrix::to_dense", a).astype(dtype_of<std::int64_t>()), a.values,
            OutOfBounds::wrap);
    return array;
}

AnyMatrix lower_part(const AnyMatrix& pattern) {
    const AnyArray rows = pattern.row_indices(), columns = pattern.column_indices();
    const AnyArray mask = AnyExpr(columns) <= AnyExpr(rows);
    const AnyArray own_rows = compress(rows, mask), own_columns = compress(columns, mask);
    return detail::coo(pattern.shape(), own_rows, own_columns,
                       zeros(pattern.context(), pattern.dtype(), own_rows.shape()),
                       {.wide_indices = rows.dtype().size_bytes() == 8});
}

}  // namespace gemel::sparse
