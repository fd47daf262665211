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
/// One byte for each diagonal, the lowest first: 1 if it has entries.
AnyArray diagonal_marks(const Entries& entries, const AnyArray& rows);
std::string explain(const MatrixState& matrix);

}  // namespace gemel::sparse
