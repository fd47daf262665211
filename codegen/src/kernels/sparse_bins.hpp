/// Accesses to the 16-bit numbers beside 16 bytes of values.
#pragma once

#include <gemel/core/dtype.hpp>

#include <string>
#include <vector>

namespace gemel::codegen {

/// The numbers are shifted out of words: NVIDIA's OpenCL compiler keeps unions of words and short elements in memory.
struct BinAccess {
    std::string type;             ///< of place[u], the numbers of one access
    std::vector<std::string> at;  ///< each number
};
BinAccess bin_access(DType value);

}  // namespace gemel::codegen
