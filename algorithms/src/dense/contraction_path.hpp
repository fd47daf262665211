/// In which order operands are contracted.
#pragma once

#include "dense/subscripts.hpp"

#include <gemel/algorithms/einsum.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gemel::dense {

/// Positions in the list of what is left, the last first: they are taken out and the result is put behind the others.
using Step = std::vector<std::size_t>;

/// Steps of two operands; or one step with all of them where nothing is summed, or where there is only one.
std::vector<Step> contraction_path(const Contraction& contraction, EinsumOrder order);

/// The table that NumPy's einsum_path prints.
std::string path_text(const Contraction& contraction, const std::vector<Step>& path);

}  // namespace gemel::dense
