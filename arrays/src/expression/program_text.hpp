/// The kernels of a plan's steps, and their arguments.
#pragma once

#include "expression/program_plan.hpp"
#include "generated/row_kernel.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/reduction_kernel.hpp>

#include <variant>
#include <vector>

namespace gemel {

/// A step with its kernel: everything for running it except the program's arrays and numbers.
struct StepKernel {
    struct Array {
        bool is_kept = false;   ///< computed by an earlier step
        std::size_t index = 0;  ///< the number of the kept value, or of the program's array
        DType dtype = {};
    };
    struct Output {
        std::size_t value = 0;
        std::optional<std::size_t> root = {};
        DType dtype = {};
        Shape shape = {};
        bool per_row = false;
    };
    PlanStep::Kind kind = PlanStep::Kind::elements;
    std::uint64_t axes = 0;
    Shape shape = {};
    RowOptions row_options = {};  ///< of a row program
    std::vector<Array> arrays = {};
    std::vector<std::size_t> numbers = {};
    std::vector<Output> outputs = {};
    std::size_t loops = 0, reductions = 0;
    std::string why = {};
    std::variant<std::monostate, RowKernel, ElementwiseKernel, Reduction> kernel = {};
};

/// @throws TooLarge if one kernel cannot take all operands
std::vector<StepKernel> kernels_of(const Program& program, const Plan& plan);

}  // namespace gemel
