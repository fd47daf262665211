/// Plans the kernels of a program: as few as its shapes allow.
#pragma once

#include "expression/program.hpp"

#include <gemel/core/device.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gemel {

/// One kernel of a plan (reductions: one or more launches of Reduction).
struct PlanStep {
    enum class Kind : std::uint8_t {
        rows,      ///< a row program: reductions along `axes`, and what is computed from them
        reduce,    ///< only reductions along `axes`, which many blocks share
        elements,  ///< element by element
    };
    Kind kind;
    std::uint64_t axes = 0;
    Shape shape = {};                                  ///< of the elements that are read
    std::vector<std::vector<std::size_t>> loops = {};  ///< the reductions of each pass over a row
    struct Output {
        std::size_t value;
        std::optional<std::size_t> root = {};  ///< empty: kept for later steps
    };
    std::vector<Output> outputs = {};
    std::string why = {};  ///< why the step is not merged with another one
};

struct Plan {
    std::vector<PlanStep> steps;
};

/// @param program  reductions over several groups of axes are split in it
Plan plan_of(Program& program, const DeviceInfo& device);

}  // namespace gemel
