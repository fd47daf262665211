#include "sparse/choose.hpp"

#include "sparse/kernels.hpp"

#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gemel::sparse {
namespace {

std::string decimal(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.3g", value);
    return digits;
}

/// The bytes of the matrix that a product reads.
struct Weights {
    explicit Weights(const Entries& entries)
        : value(entries.value().size_bytes()), index(entries.index().size_bytes()) {}
    double csr(const Entries& a) const {
        return static_cast<double>(a.count) * (value + index) + static_cast<double>(a.rows) * index;
    }
    double padded(double slots) const { return slots * (value + index); }
    double value, index;
};

std::string lengths(const Entries& a) {
    return text("rows have ", decimal(a.mean_row()), " entries on average and ", a.longest_row, " at most");
}

/// Whether windows of columns may be faster than rows: only for floats, with x far larger than a first-level cache,
/// enough entries for two launches, few ends of rows among them, and runs that are long beside their padding.
bool is_binnable(const Entries& a) {
    const double windows = static_cast<double>(a.columns) / static_cast<double>(codegen::sparse_bin_columns(a.value())),
                 tiles =
                     static_cast<double>(a.rows + a.count) / static_cast<double>(codegen::sparse_bin_tile(a.value()));
    return a.value() == dtype_of<float>() && can_multiply_bins(a.context.device().info(), a.value()) &&
           a.columns >= (1 << 19) && a.count >= (1 << 22) && a.mean_row() >= 8 &&
           static_cast<double>(a.count) >= 24 * windows * tiles;
}

}  // namespace

Choice choose_format(const Entries& a) {
    if (a.count == 0) return {Format::csr, "there are no entries"};
    const Weights weights(a);
    const double by_rows = weights.csr(a);
    // There are at least as many diagonals as entries in the longest row.
    const double least = static_cast<double>(a.longest_row) * static_cast<double>(a.rows) * weights.value;
    std::string diagonals = text("at least ", a.longest_row);
    if (least < 0.9 * by_rows) {
        const std::int64_t count = diagonals_of(a, row_numbers_of(a)).count();
        diagonals = text(count);
        const double bytes = static_cast<double>(count) * static_cast<double>(a.rows) * weights.value;
        if (bytes < 0.9 * by_rows)
            return {Format::dia, text(count, " diagonals hold the ", a.count, " entries in ", decimal(bytes),
                                      " bytes; by rows they take ", decimal(by_rows))};
    }
    const std::string without = text(diagonals, " diagonals would hold more than rows do");
    if (a.context.device().info().type == DeviceInfo::Type::cpu)
        return {Format::csr, text(lengths(a), "; ", without, "; a CPU reads rows as they are")};
    if (const double scatter = is_binnable(a) ? scatter_of(a) : 0; scatter >= 0.75)
        return {Format::binned, text(lengths(a), "; ", decimal(100 * scatter),
                                     " % of the entries read other 32 bytes of x than the entry before; ", without)};
    const double slots = static_cast<double>(a.longest_row) * static_cast<double>(a.rows);
    if (a.longest_row <= 64 && slots <= 1.1 * static_cast<double>(a.count))
        return {Format::ell, text(lengths(a), ": padding adds less than a tenth; ", without)};
    if (a.longest_row <= 512 && static_cast<double>(a.longest_row) <= 8 * a.mean_row())
        return {Format::sell, text(lengths(a), ": sorted by length, slices need little padding; ", without)};
    return {Format::csr, text(lengths(a), ": too uneven for padding; ", without)};
}

std::string explain(const MatrixState& matrix) {
    const Entries& a = matrix.entries;
    const double stored = static_cast<double>(matrix.format == Format::csr ? a.count : matrix.form.slots);
    std::string page = text(to_string(matrix.format), " of shape ", to_string(a.shape()), ", ", a.count, " entries of ",
                            a.value().name(), ", ", a.index().name(), " indices; ", lengths(a));
    if (matrix.format == Format::dia) page += text("; ", matrix.form.diagonals, " diagonals");
    if (a.count > 0 && stored != static_cast<double>(a.count))
        page += text("; ", decimal(stored / static_cast<double>(a.count)), " places for each entry");
    if (matrix.form.bins)
        page += text("; ", matrix.form.bins->windows, " windows of ", codegen::sparse_bin_columns(a.value()),
                     " columns, ", matrix.form.bins->plan.tiles, " tiles of rows and entries");
    if (matrix.form.rest)
        page += text("; ", matrix.form.rest->entries.count, " entries outside the windows are kept as csr");
    page +=
        matrix.reason.empty() ? std::string("\nthe format was asked for") : text("\nchosen because ", matrix.reason);
    return page;
}

}  // namespace gemel::sparse
