/// Kernels of Sobol' sequences that the suites print and compile.
#pragma once

#include <gemel/codegen/sobol.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sobol_programs {

using gemel::dtype_of;
using gemel::codegen::SobolFill;
using gemel::codegen::SobolTuning;

inline constexpr SobolTuning wide{}, wide_pair{.per_thread = 2}, narrow{.wide_stores = false},
    lanes{.block = 1, .per_thread = 32, .wide_stores = false};

/// Every type of element with every way to store it, by name.
inline std::vector<std::pair<std::string, SobolFill>> all() {
    std::vector<std::pair<std::string, SobolFill>> list;
    for (const gemel::DType element : {dtype_of<gemel::half>(), dtype_of<gemel::bfloat16>(), dtype_of<float>(),
                                       dtype_of<std::uint32_t>(), dtype_of<double>(), dtype_of<std::uint64_t>()})
        for (const auto& [word, tuning] :
             {std::pair{"wide", element.size_bytes() == 8 ? wide_pair : wide}, {"narrow", narrow}, {"lanes", lanes}})
            list.emplace_back(std::string("sobol ") + element.name() + " " + word,
                              SobolFill{.element = element, .tuning = tuning});
    return list;
}

}  // namespace sobol_programs
