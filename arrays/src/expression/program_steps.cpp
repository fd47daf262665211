#include "expression/program_steps.hpp"

#include "array/require.hpp"
#include "expression/expression_kernel.hpp"
#include "expression/function_definition.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace gemel {
namespace {

struct WordsHash {
    std::size_t operator()(const std::vector<std::uint64_t>& words) const {
        return boost::hash_range(words.begin(), words.end());
    }
};

}  // namespace

void require_target(const AnyArray& array, const AnyArray& leader) {
    require_context("evaluate_into", "the array for a result", array, leader.context(), "the operands");
}

void check(const Program& program, std::span<const AnyArray* const> out) {
    const AnyArray& leader = program.arrays().front();
    for (const AnyArray& array : program.arrays())
        if (array.buffer().context_id() != leader.buffer().context_id()) refuse_contexts(leader, array);
    for (const AnyArray* const array : out)
        if (array) require_target(*array, leader);
    const DeviceInfo& info = KernelCache::of(leader).info();
    for (const Program::Value& value : program.values())
        if (value.function && value.function->has_double && !info.has_double)
            throw ArgumentError(text("function '", value.function->name, "' computes in double, which device ",
                                     info.name, " cannot; give it parameters and a result of float"));
}

bool has_elements(const Program& program) {
    return std::ranges::all_of(program.values(), [](const Program::Value& value) {
        return value.kind == ExpressionStructure::Kind::number || value.shape.count() > 0;
    });
}

std::shared_ptr<const Steps> steps_of(Program& program) {
    static auto& mutex = *new std::mutex;
    static auto& plans = *new std::unordered_map<std::vector<std::uint64_t>, std::shared_ptr<const Steps>, WordsHash>;
    constexpr std::size_t most = 4096;
    const DeviceInfo& info = KernelCache::of(program.arrays().front()).info();
    std::vector<std::uint64_t> key = program.key();
    key.push_back(reinterpret_cast<std::uintptr_t>(&info));
    {
        std::lock_guard lock(mutex);
        if (const auto known = plans.find(key); known != plans.end()) return known->second;
    }
    std::shared_ptr<const Steps> made;
    try {
        const Plan plan = plan_of(program, info);
        made = std::make_shared<const Steps>(kernels_of(program, plan));
    } catch (const TooLarge&) {}
    std::lock_guard lock(mutex);
    if (plans.size() >= most) plans.clear();
    return plans.try_emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace gemel
