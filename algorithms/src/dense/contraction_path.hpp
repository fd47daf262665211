/// The order in which operands are contracted.
#pragma once

#include "dense/subscripts.hpp"

#include <gemel/algorithms/einsum.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gemel::dense {

/// Positions in the list of remaining operands, in descending order: they are removed, and the result is appended.
using Step = std::vector<std::size_t>;

/// Steps of two operands; or one step with all operands if nothing is summed or there is only one operand.
std::vector<Step> contraction_path(const Contraction& contraction, EinsumOrder order);

/// The table that NumPy's einsum_path prints.
std::string path_text(const Contraction& contraction, const std::vector<Step>& path);

}  // namespace gemel::dense
