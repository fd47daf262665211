/// What the loops of a row program leave for the code after them.
#pragma once

#include "expression/program_plan.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// The type of a stored reduction: float for 16-bit floats.
inline DType found_dtype(const Program::Value& value) {
    return value.dtype.is_16_bit_float() ? dtype_of<float>() : value.dtype;
}

/// Values of a row program that have names, and those that deserve one.
class RowValues {
   public:
    struct Divisor {
        std::size_t value;
        bool of_short;                                          ///< of 16-bit floats
        std::size_t parts() const { return of_short ? 2 : 3; }  ///< values by which to divide
        auto operator<=>(const Divisor&) const = default;
    };

    /// @param kept  values that earlier steps have stored as arrays
    RowValues(const Program& program, const PlanStep& step, const std::vector<std::size_t>& kept);

    // By value: the numbers of the names row0, fixed0, kept0, ...
    std::map<std::size_t, std::size_t> found;  ///< reductions of this step
    std::map<std::size_t, std::size_t> fixed;  ///< values per row that follow from those
    std::map<Divisor, std::size_t> inverses;   ///< the numbers of the first of their `fixed`
    std::map<std::size_t, std::size_t> held;   ///< values per element from earlier loops

    /// The number of the next `fixed`.
    std::size_t next_fixed() const {
        std::size_t next = fixed.size();
        for (const auto& [divisor, number] : inverses) next += divisor.parts();
        return next;
    }
    /// The name of value v, or empty.
    std::string name_of(std::size_t v) const;

    /// Values per element that are expensive and that both loop l and later code need.
    std::vector<std::size_t> worth_keeping(std::size_t l) const;
    /// Values per row that follow from the results up to loop l: the largest such parts of later code.
    std::vector<std::size_t> worth_fixing(std::size_t l) const;
    /// Values per row, known after loop l, by which later code divides floats or 16-bit floats.
    std::vector<Divisor> worth_inverting(std::size_t l) const;

    /// The divisor of a value that is a quotient of floats or 16-bit floats.
    static std::optional<Divisor> divisor_of(const Program::Value& value) {
        const bool is_short = value.dtype.is_16_bit_float();
        if (!value.operation || std::string_view(value.operation->name) != "operator/") return {};
        if (!is_short && value.dtype != dtype_of<float>()) return {};
        return Divisor{value.operands[1], is_short};
    }

   private:
    /// Calls f for the values that the loops after l and the results per element need directly.
    template <class F>
    void for_each_later(std::size_t l, F&& f) const {
        for (std::size_t k = l + 1; k < step_.loops.size(); ++k)
            for (const std::size_t v : step_.loops[k]) f(program_[v].operands[0]);
        for (const PlanStep::Output& output : step_.outputs)
            if (program_[output.value].shape == step_.shape) f(output.value);
    }
    std::size_t count_up_to(std::size_t l) const;
    bool is_known(std::size_t v) const;

    const Program& program_;
    const PlanStep& step_;
    const std::vector<std::size_t>& kept_;
};

}  // namespace gemel
