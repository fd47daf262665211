/// Converts csr to the other formats.
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/compress.hpp>
#include <gemel/algorithms/search.hpp>
#include <gemel/algorithms/sort.hpp>
#include <gemel/algorithms/unique.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/text.hpp>

#include "sparse/choose.hpp"

#include <array>

namespace gemel::sparse {
namespace {

AnyArray begins(const Entries& entries) { return entries.starts(slice(0, -1)); }
AnyArray ends(const Entries& entries) { return entries.starts(slice(1, {})); }
AnyArray numbered(const Entries& entries, std::int64_t count) {
    return arange(entries.context, entries.index(), std::int64_t{0}, count, std::int64_t{1});
}

Form coo_form(const Entries& entries) { return {.row_numbers = row_numbers_of(entries), .slots = entries.count}; }

Form ell_form(const Entries& entries) {
    require_room(entries, Format::ell, static_cast<double>(entries.rows) * static_cast<double>(entries.longest_row));
    const std::int64_t slots = entries.rows * entries.longest_row;
    // Padding is never read: the length of each row is known.
    Form form{.lengths = AnyArray(entries.context, entries.index(), Shape{entries.rows}),
              .numbers = AnyArray(entries.context, entries.index(), Shape{slots}),
              .values = AnyArray(entries.context, entries.value(), Shape{slots}),
              .slots = slots};
    if (entries.rows > 0) form.lengths.assign(ends(entries) - begins(entries));
    if (entries.count > 0)
        fill_ell_kernel()(row_numbers_of(entries), entries.numbers, entries.values, entries.starts, form.numbers,
                          form.values, entries.rows);
    return form;
}

Form sell_form(const Entries& entries) {
    const Context context = entries.context;
    if (entries.count == 0) return {};
    const AnyArray keys(context, dtype_of<std::int64_t>(), Shape{entries.rows});
    order_key_kernel()(begins(entries), ends(entries), keys, sorted_together, entries.longest_row);
    const std::array moved{numbered(entries, entries.rows)};
    const AnyArray order = sort_by_key(keys, std::span<const AnyArray>(moved))[1];
    AnyArray lengths(context, entries.index(), Shape{entries.rows});
    lengths.assign(ends(entries) - begins(entries));
    lengths = take(lengths, order, 0, OutOfBounds::wrap);
    const std::int64_t slices = (entries.rows + codegen::sparse_slice - 1) / codegen::sparse_slice;
    const AnyArray widths(context, dtype_of<std::int64_t>(), Shape{slices + 1});
    slice_width_kernel()(widths, lengths);
    const AnyArray slice_starts = cumsum(widths, 0, dtype_of<std::int64_t>());
    const std::int64_t slots = slice_starts(slices).item<std::int64_t>();
    require_room(entries, Format::sell, static_cast<double>(slots));
    const AnyArray position_of(context, entries.index(), Shape{entries.rows});
    invert_kernel()(order, position_of);
    Form form{.lengths = lengths,
              .numbers = AnyArray(context, entries.index(), Shape{slots}),
              .values = AnyArray(context, entries.value(), Shape{slots}),
              .slice_starts = slice_starts,
              .order = order,
              .slots = slots};
    fill_sell_kernel()(row_numbers_of(entries), entries.numbers, entries.values, entries.starts, slice_starts,
                       position_of, form.numbers, form.values);
    return form;
}

/// The diagonal of each entry: column minus row.
AnyArray offsets_of(const Entries& entries, const AnyArray& rows) {
    const AnyArray offsets(entries.context, entries.index(), Shape{entries.count});
    offsets.assign(entries.numbers - rows);
    return offsets;
}

Form dia_form(const Entries& entries) {
    if (entries.count == 0) return {};
    const AnyArray rows = row_numbers_of(entries);
    const Diagonals diagonals = diagonals_of(entries, rows);
    require_room(entries, Format::dia, static_cast<double>(diagonals.count()) * static_cast<double>(entries.rows));
    const std::int64_t slots = diagonals.count() * entries.rows;
    Form form{.values = zeros(entries.context, entries.value(), Shape{slots}),
              .offsets = diagonals.offsets,
              .diagonals = diagonals.count(),
              .slots = slots};
    if (diagonals.ranks.empty()) {
        const AnyArray numbers =
            gemel::detail::searchsorted("Matrix::to", diagonals.offsets, offsets_of(entries, rows), Side::left, {});
        put(form.values, (numbers * entries.rows + rows).eval(), entries.values, OutOfBounds::wrap);
    } else {
        fill_diagonals_kernel()(rows, entries.numbers, entries.values, diagonals.ranks, form.values, entries.rows);
    }
    return form;
}

Form packeted_form(const Entries& entries) {
    if (entries.count == 0) return {};
    const Context context = entries.context;
    const AnyArray rows = row_numbers_of(entries);
    const AnyArray nearby(context, dtype_of<std::uint16_t>(), Shape{entries.count});
    const AnyArray is_far(context, dtype_of<std::uint8_t>(), Shape{entries.count});
    window_kernel()(rows, entries.numbers, nearby, is_far, entries.columns);
    const AnyArray far = flatnonzero(is_far);
    if (far.size() == 0) return {.numbers = nearby, .slots = entries.count};
    const AnyArray close = flatnonzero(is_far == std::uint8_t{0});
    const AnyArray keys = keys_of("Matrix::to", entries);
    const auto part = [&](const AnyArray& array, const AnyArray& which) {
        return which.size() == 0 ? AnyArray(context, array.dtype(), Shape{0})
                                 : take(array, which, 0, OutOfBounds::wrap);
    };
    const bool wide = entries.index().size_bytes() == 8;
    const Entries rest = from_keys(context, entries.shape(), part(keys, far), part(entries.values, far), wide);
    const Entries own = from_keys(context, entries.shape(), part(keys, close), part(entries.values, close), wide);
    return {.numbers = part(nearby, close),
            .values = own.values,
            .starts = own.starts,
            .rest = std::make_shared<const MatrixState>(rest, Format::csr, Form{.slots = rest.count}, ""),
            .slots = entries.count};
}

Form form_of(const Entries& entries, Format format) {
    switch (format) {
        case Format::coo: return coo_form(entries);
        case Format::ell: return ell_form(entries);
        case Format::sell: return sell_form(entries);
        case Format::dia: return dia_form(entries);
        case Format::packeted: return packeted_form(entries);
        case Format::binned: return binned_form(entries);
        default: return {.slots = entries.count};
    }
}

}  // namespace

void require_room(const Entries& entries, Format format, double slots) {
    if (slots > 2147483648.0 && slots > 64.0 * static_cast<double>(entries.count))
        throw ArgumentError(text("Matrix::to: in ", to_string(format), " ", entries.count, " entries would take ",
                                 static_cast<std::uint64_t>(slots),
                                 " elements; Format::automatic chooses a format that fits"));
}

std::string to_string(Format format) {
    switch (format) {
        case Format::automatic: return "automatic";
        case Format::csr: return "csr";
        case Format::coo: return "coo";
        case Format::ell: return "ell";
        case Format::sell: return "sell";
        case Format::dia: return "dia";
        case Format::packeted: return "packeted";
        case Format::binned: return "binned";
    }
    return "unknown";
}

Diagonals diagonals_of(const Entries& entries, const AnyArray& rows) {
    const std::int64_t possible = entries.rows + entries.columns - 1;
    if (possible > 16 * (entries.rows + entries.count))
        return {gemel::detail::unique_values("Matrix::to", offsets_of(entries, rows), {}).array()};
    const AnyArray marks = zeros(entries.context, dtype_of<std::uint8_t>(), Shape{possible});
    mark_diagonals_kernel()(rows, entries.numbers, marks, entries.rows);
    const AnyArray at = flatnonzero(marks);
    const AnyArray offsets(entries.context, entries.index(), Shape{static_cast<std::int64_t>(at.size())});
    offsets.assign(at - (entries.rows - 1));
    return {offsets, cumsum(marks, 0, entries.index())};
}

AnyMatrix as_matrix(Entries entries) { return in_format(entries, Format::csr); }

AnyMatrix in_format(const Entries& entries, Format format, std::string reason) {
    if (format == Format::automatic) {
        Choice choice = choose_format(entries);
        return in_format(entries, choice.format, std::move(choice.reason));
    }
    return AnyMatrix(std::make_shared<const MatrixState>(entries, format, form_of(entries, format), std::move(reason)));
}

MergePlan plan_of(const Entries& entries, std::int64_t tile) {
    const std::int64_t tiles = (entries.rows + entries.count + tile - 1) / tile;
    const AnyArray tile_rows(entries.context, entries.index(), Shape{tiles + 1});
    tile_row_kernel()(tile_rows, entries.starts, tile, entries.rows, entries.count);
    return {tile, tiles, tile_rows};
}

MergePlan MatrixState::plan(std::int64_t tile) const {
    const RecordingPause pause;  // the plan stays with the matrix
    const std::lock_guard lock(mutex_);
    for (const MergePlan& known : plans_)
        if (known.tile == tile) return known;
    plans_.push_back(plan_of(entries, tile));
    return plans_.back();
}

}  // namespace gemel::sparse
