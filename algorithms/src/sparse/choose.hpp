/// Chooses the format of a matrix.
#pragma once

#include "sparse/state.hpp"

#include <cstdint>
#include <string>

namespace gemel::sparse {

/// The number of rows that sell sorts by length together; limited so that the writes of a block stay close to each
/// other.
inline constexpr std::int64_t sorted_together = 1024;

struct Choice {
    Format format = Format::csr;
    std::string reason;
};
/// Chosen by the lengths of rows and the number of diagonals, which the device computes. @time waits
Choice choose_format(const Entries& entries);
/// The diagonals that have entries.
struct Diagonals {
    AnyArray offsets = {};  ///< column minus row, ascending
    /// The number of each diagonal of the matrix, counted from 1; an empty handle if the matrix has so many more
    /// diagonals than entries that the entries were sorted instead.
    AnyArray ranks = {};
    std::int64_t count() const { return static_cast<std::int64_t>(offsets.size()); }
};
/// @param rows  the row of each entry @time waits
Diagonals diagonals_of(const Entries& entries, const AnyArray& rows);
std::string explain(const MatrixState& matrix);

}  // namespace gemel::sparse
