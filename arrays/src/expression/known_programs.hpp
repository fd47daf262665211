/// Evaluations whose kernels are known: neither an AnyExpr nor a program is made for them.
#pragma once

#include "expression/running.hpp"

#include <gemel/arrays/expression_view.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gemel {

/// The kernels of expressions of one structure, and the numbers that these take.
struct KnownProgram {
    struct Number {
        std::optional<std::size_t> operand;  ///< its place among the expressions' numbers
        AnyNumber constant;                  ///< if it has none
    };
    std::shared_ptr<const Steps> steps = {};
    std::vector<Number> numbers = {};
    std::vector<Shape> shapes = {};  ///< of the results
};

/// The numbers of an evaluation, and which of them are equal.
class OperandNumbers {
   public:
    explicit OperandNumbers(const detail::ExpressionOperands& operands);
    const AnyNumber& operator[](std::size_t k) const { return numbers_[k]; }
    std::size_t size() const { return numbers_.size(); }
    /// The first number that is equal to number k.
    std::size_t first_like(std::size_t k) const { return first_[k]; }
    bool is_exact(std::size_t k) const { return exact_ >> k & 1; }

   private:
    boost::container::static_vector<AnyNumber, detail::ExpressionOperands::max_numbers> numbers_;
    std::array<std::uint8_t, detail::ExpressionOperands::max_numbers> first_{};
    std::uint64_t exact_;
};

/// All on which the kernels depend: operations, which operands are equal, axes, shapes, and the device.
using ProgramKey = boost::container::small_vector<std::uint64_t, 64>;
/// @param operands  of all expressions; they do not exceed one kernel
/// @param out       their types are part of the key
ProgramKey program_key(std::span<const detail::ExpressionView> expressions, const detail::ExpressionOperands& operands,
                       const OperandNumbers& numbers, std::span<const AnyArray* const> out);

std::shared_ptr<const KnownProgram> find_program(const ProgramKey& key);
/// Remembers a program unless its numbers do not follow from the operands alone.
void remember_program(ProgramKey key, const Program& program, std::shared_ptr<const Steps> steps,
                      const detail::ExpressionOperands& operands, const OperandNumbers& numbers);

}  // namespace gemel
