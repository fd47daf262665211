/// Which kernels evaluate a program: as few as its shapes allow.
#pragma once

#include "expression/program.hpp"

#include <gemel/core/device.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gemel {

/// One kernel of a plan (reductions: what Reduction launches).
struct PlanStep {
    enum class Kind : std::uint8_t {
        rows,      ///< a row program: reductions along `axes`, and what follows from them
        reduce,    ///< reductions along `axes` alone, which many blocks share
        elements,  ///< element by element
    };
    Kind kind;
    std::uint64_t axes = 0;
    Shape shape = {};                                  ///< of what is read
    std::vector<std::vector<std::size_t>> loops = {};  ///< reductions found, by pass over a row
    struct Output {
        std::size_t value;
        std::optional<std::size_t> root = {};  ///< none: kept for later steps
    };
    std::vector<Output> outputs = {};
    std::string why = {};  ///< the step is not part of another one
};

struct Plan {
    std::vector<PlanStep> steps;
};

/// @param program  reductions over several groups of axes are split in it
Plan plan_of(Program& program, const DeviceInfo& device);

}  // namespace gemel
