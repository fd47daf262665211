/// Runs the steps of a program.
#pragma once

#include "expression/program_steps.hpp"
#include "generated/declared_arguments.hpp"

#include <gemel/arrays/call_argument.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace gemel {

/// One evaluation: the operands in the order of the program, and the caller's arrays for the results (null: new ones).
struct ProgramOperands {
    std::span<const AnyArray* const> arrays;
    std::span<const AnyNumber> numbers;
    std::span<const AnyArray* const> out;
};

class Running {
   public:
    explicit Running(const ProgramOperands& operands) : operands_(operands), results_(operands.out.size()) {}
    Running(const Running&) = delete;  // arguments point to its views

    void run(const StepKernel& step);
    std::vector<AnyArray> results();

    /// For showing kernels: the arguments of run(), with empty arrays for the results of earlier steps.
    RowKernel::Description describe(const StepKernel& step, const Program& program, const Dialect& dialect);
    int launches(const StepKernel& step, const Program& program);

   private:
    /// The step's arrays, with empty ones for the results of earlier steps.
    void add_described(const StepKernel& step, const Program& program);
    bool is_kept(std::size_t value) const;
    bool takes_given(const StepKernel::Output& output) const;
    AnyArray target(const StepKernel& step, const StepKernel::Output& output) const;
    const AnyArray& operand(const StepKernel::Array& array) const;
    /// @param array  outlives the launch
    void add(const AnyArray& array, const Shape& shape);
    void add_numbers(const StepKernel& step);
    void launch(const StepKernel& step, std::span<AnyArray> found, std::span<AnyArray> written);
    Context context() const { return operands_.arrays.front()->context(); }

    ProgramOperands operands_;
    std::vector<AnyArray> results_;
    std::vector<std::pair<std::size_t, AnyArray>> kept_;
    boost::container::small_vector<AnyArray, 4> written_, found_;
    boost::container::static_vector<AnyArray, max_call_arguments> views_;  ///< arguments point to these
    boost::container::small_vector<CallArgument, 12> arguments_;
};

}  // namespace gemel
