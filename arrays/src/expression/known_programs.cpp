#include "expression/known_programs.hpp"

#include "expression/any_number.hpp"
#include "expression/expression_kernel.hpp"
#include "generated/kernel_cache.hpp"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace gemel {
namespace {

using Number = KnownProgram::Number;

/// Numbers of one kind with the same bits: 0.0 and -0.0 differ, and a NaN equals itself.
bool are_same(const AnyNumber& a, const AnyNumber& b) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&]<class V>(const V& value) {
            const V& other = std::get<V>(b);
            if constexpr (std::is_same_v<V, double>) {
                return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other);
            } else if constexpr (std::is_same_v<V, cdouble>) {
                return are_same(value.real(), other.real()) && are_same(value.imag(), other.imag());
            } else {
                return value == other;
            }
        },
        a);
}

/// The numbers of a program: operands of the expressions, or constants that follow from shapes. Empty if some are
/// neither, or if an operand is missing: then they depend on the values of others.
std::optional<std::vector<Number>> numbers_of(const Program& program, const OperandNumbers& operands) {
    std::vector<Number> all(program.numbers().size());
    std::vector<bool> is_used(operands.size());
    for (const Program::Value& value : program.values()) {
        if (value.kind != ExpressionStructure::Kind::number) continue;
        const bool is_exact = !value.dtype.empty();
        const AnyNumber& number = program.numbers()[value.index];
        Number& own = all[value.index];
        own.constant = number;
        for (std::size_t k = 0; k < operands.size() && !own.operand; ++k)
            if (operands.is_exact(k) == is_exact && are_same(operands[k], number)) own.operand = k;
        if (own.operand) {
            is_used[*own.operand] = true;
        } else if (!is_exact) {
            return std::nullopt;
        }
    }
    for (std::size_t k = 0; k < operands.size(); ++k)
        if (operands.first_like(k) == k && !is_used[k]) return std::nullopt;
    return all;
}

/// The arrays are those of the operands, in the same order.
bool has_arrays_of(const Program& program, const detail::ExpressionOperands& operands) {
    return std::ranges::equal(program.arrays(), std::span(operands.arrays).first(operands.array_count),
                              [](const AnyArray& own, const AnyArray* other) { return same_elements(own, *other); });
}

struct KeyHash {
    std::size_t operator()(const ProgramKey& key) const { return boost::hash_range(key.begin(), key.end()); }
};

/// Never destroyed, so that threads may evaluate until the program ends.
struct Table {
    static constexpr std::size_t most = 4096;
    SpinLock lock;
    std::unordered_map<ProgramKey, std::shared_ptr<const KnownProgram>, KeyHash> programs;
};
Table& table() {
    static auto& programs = *new Table;
    return programs;
}

}  // namespace

OperandNumbers::OperandNumbers(const detail::ExpressionOperands& operands) : exact_(operands.exact_numbers) {
    for (std::size_t k = 0; k < operands.number_count; ++k) {
        const Argument& given = operands.numbers[k];
        numbers_.push_back(number_at("expression", given.dtype, given.value));
        std::size_t first = 0;
        while (first < k && !(is_exact(first) == is_exact(k) && are_same(numbers_[first], numbers_[k]))) ++first;
        first_[k] = static_cast<std::uint8_t>(first);
    }
}

ProgramKey program_key(std::span<const detail::ExpressionView> expressions, const detail::ExpressionOperands& operands,
                       const OperandNumbers& numbers, std::span<const AnyArray* const> out) {
    ProgramKey key{expressions.size()};
    key.push_back(reinterpret_cast<std::uintptr_t>(&KernelCache::of(*operands.arrays[0]).info()));
    for (std::size_t k = 0; k < expressions.size(); ++k) {
        key.push_back(expressions[k].type);
        key.push_back(type_code(expressions[k].dtype) | std::uint64_t{out[k] != nullptr} << 63);
        if (out[k]) key.push_back(type_code(out[k]->dtype()));
        key.insert(key.end(), expressions[k].steps.begin(), expressions[k].steps.end());
    }
    key.push_back(operands.use_count | operands.number_count << 8 | operands.function_count << 16 |
                  operands.reduction_words << 24 | operands.array_count << 32);
    for (std::size_t k = 0; k < operands.use_count; ++k) key.push_back(operands.uses[k]);
    for (std::size_t k = 0; k < operands.function_count; ++k)
        key.push_back(reinterpret_cast<std::uintptr_t>(operands.functions[k]));
    key.insert(key.end(), operands.reductions.begin(),
               operands.reductions.begin() + static_cast<std::ptrdiff_t>(operands.reduction_words));
    key.push_back(operands.cheap_powers);
    for (std::size_t k = 0; k < numbers.size(); ++k)
        key.push_back(numbers[k].index() | numbers.first_like(k) << 8 | std::uint64_t{numbers.is_exact(k)} << 16);
    for (std::size_t k = 0; k < operands.array_count; ++k) {
        const Shape& shape = operands.arrays[k]->shape();
        key.push_back(shape.rank());
        for (std::size_t axis = 0; axis < shape.rank(); ++axis) key.push_back(static_cast<std::uint64_t>(shape[axis]));
    }
    return key;
}

std::shared_ptr<const KnownProgram> find_program(const ProgramKey& key) {
    Table& known = table();
    std::lock_guard lock(known.lock);
    const auto found = known.programs.find(key);
    return found == known.programs.end() ? nullptr : found->second;
}

void remember_program(ProgramKey key, const Program& program, std::shared_ptr<const Steps> steps,
                      const detail::ExpressionOperands& operands, const OperandNumbers& numbers) {
    auto own = numbers_of(program, numbers);
    if (!own || !has_arrays_of(program, operands)) return;
    auto made = std::make_shared<KnownProgram>(KnownProgram{.steps = std::move(steps), .numbers = std::move(*own)});
    for (const std::size_t root : program.roots()) made->shapes.push_back(program[root].shape);
    decltype(Table::programs) outlived;  // destroyed after the lock is released
    Table& known = table();
    std::lock_guard lock(known.lock);
    if (known.programs.size() >= Table::most) known.programs.swap(outlived);
    known.programs.insert_or_assign(std::move(key), std::move(made));
}

}  // namespace gemel
