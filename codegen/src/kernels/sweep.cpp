#include <gemel/codegen/sweep.hpp>

#include "sweep_kernels.hpp"
#include "sweep_text.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/codegen/kernel_text.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cctype>

namespace gemel::codegen {
namespace {

using Access = SweepArray::Access;

/// A tree reduction in shared memory for each sum.
std::string reduce(KernelText& kernel, const std::vector<std::string>& sums, int threads) {
    pieces::ReduceInSharedMemory piece{.values = {}, .block = threads};
    for (const std::string& sum : sums)
        piece.values.push_back({.total = sum, .shared = "shared_" + sum, .reduce = "sweep_add"});
    return sums.empty() ? std::string() : piece.text(kernel);
}

Value::List list_of(const std::vector<std::string>& names) {
    Value::List list;
    for (const std::string& name : names) list.push_back(name);
    return list;
}

/// Whether the statements use this name, not only as a part of another one.
bool names(const std::string& statements, const std::string& name) {
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (auto at = statements.find(name); at != std::string::npos; at = statements.find(name, at + 1)) {
        const auto end = at + name.size();
        if ((at == 0 || !is_part(statements[at - 1])) && (end == statements.size() || !is_part(statements[end])))
            return true;
    }
    return false;
}

Value::List arrays_of(const SweepRequest& request) {
    Value::List arrays;
    for (const SweepArray& array : request.arrays) {
        const bool is_whole = array.access == Access::whole;
        const bool is_written = array.access == Access::write || array.access == Access::update;
        const bool is_own = array.of.empty();
        const std::string parameter = !is_own ? array.of : is_whole ? array.name : array.name + "_elements";
        const bool is_in_loop = !is_whole && names(request.loop.element, array.name);
        arrays.push_back(
            Values{{"name", array.name},
                   {"parameter", parameter},
                   {"pointer", array.begin.empty() ? parameter : gemel::text("(", parameter, " + ", array.begin, ")")},
                   {"type", array.type.empty() ? request.dtype.name() : array.type},
                   {"is_whole", is_whole},
                   {"has_parameter", is_own},
                   {"is_in_loop", is_in_loop},
                   {"is_named", is_written || names(request.element, array.name)},
                   {"is_started", is_in_loop && !array.start.empty()},
                   {"start", array.start},
                   {"is_read", array.access == Access::read || array.access == Access::update},
                   {"is_written", is_written},
                   {"is_const", !is_written && !is_whole},
                   {"has_columns", array.has_columns}});
    }
    return arrays;
}

/// Whether the first kernel reads the column's state.
bool uses_state(const SweepRequest& request, const SweepLayout& layout) {
    const auto names_it = [](const std::string& statements) { return statements.find("state") != std::string::npos; };
    const bool steps = layout.last_block && !request.sums.empty() && names_it(request.finish);
    return steps || names_it(request.skip) || names_it(request.joined) || names_it(request.prepare) ||
           names_it(request.element) || names_it(request.loop.count + request.loop.element);
}

}  // namespace

SweepTuning sweep_tuning(const DeviceInfo& device, const Workload&) {
    if (device.type == DeviceInfo::Type::cpu) return {.block = 1, .blocks_per_unit = 1, .finish = SweepFinish::launch};
    std::uint32_t block = 256;
    while (block > 1 && block > device.max_threads_per_block) block /= 2;
    return {.block = block,
            .blocks_per_unit = 8,
            .finish = device.has_cross_block_visibility ? SweepFinish::last_block : SweepFinish::launch};
}

std::uint32_t sweep_pack(DType dtype, const SweepLayout& layout) {
    return layout.serial ? 16 : std::max(16 / dtype.size_bytes(), 1u);
}

Values sweep_values(const SweepRequest& request, const SweepLayout& layout, const SweepTuning& tuning,
                    KernelText& kernel) {
    if (request.dtype.size_bytes() > 16 || 16 % request.dtype.size_bytes() != 0)
        throw ArgumentError(gemel::text("sweep '", request.name, "': expected elements of 1, 2, 4, 8 or 16 bytes, got ",
                                        request.dtype.name(), " of ", request.dtype.size_bytes()));
    const int block = layout.serial ? 1 : static_cast<int>(tuning.block);
    const int finishers = layout.serial ? 1 : std::min(block, static_cast<int>(sweep_finish_block));
    const bool is_stepped = layout.last_block && !request.sums.empty() && !request.finish.empty();
    Values values{{"name", request.name},
                  {"type", request.dtype.name()},
                  {"index", layout.wide_index ? "int64_t" : "int"},
                  {"block", block},
                  {"finish_block", finishers},
                  {"pack", static_cast<int>(sweep_pack(request.dtype, layout))},
                  {"serial", layout.serial},
                  {"last_block", is_stepped},
                  {"has_elements", request.has_elements()},
                  {"uses_state", uses_state(request, layout)},
                  {"uses_place", request.element.find("place") != std::string::npos},
                  {"arrays", arrays_of(request)},
                  {"sums", list_of(request.sums)},
                  {"joins", list_of(request.joins)},
                  {"numbers", list_of(request.numbers)},
                  {"has_sets", request.has_sets},
                  {"part", request.has_sets ? "column_set" : "column"},
                  {"has_loop", request.has_loop()},
                  {"starts_any", std::ranges::any_of(request.arrays, [](const auto& a) { return !a.start.empty(); })},
                  {"loop_name", request.loop.name},
                  {"loop_of", request.loop.of},
                  {"loop_distance", request.loop.distance},
                  {"loop_count", request.loop.count},
                  {"loop_element", request.loop.element},
                  {"preamble", request.preamble},
                  // PoCL 3.1 executes nothing after a barrier that some blocks skip by returning early.
                  {"returns", layout.serial || layout.last_block || request.sums.empty()},
                  {"has_skip", !request.skip.empty()},
                  {"has_finish", !request.finish.empty()},
                  {"has_halt", !request.halt.empty()},
                  {"skip", request.skip},
                  {"joined", request.joined},
                  {"halt", request.halt},
                  {"prepare", request.prepare},
                  {"element", request.element},
                  {"finish", request.finish}};
    values["reduce"] = layout.serial ? std::string() : reduce(kernel, request.sums, block);
    const auto by_all = [&](const auto& text, const std::vector<std::string>& sums, int threads) {
        Values own = values;
        own["threads"] = threads;
        own["reduce"] = threads > 1 ? reduce(kernel, sums, threads) : std::string();
        return sums.empty() ? std::string() : kernel.fill(text, std::move(own));
    };
    const auto join = [&](int threads) { return by_all(sweep_kernels::join(), request.sums, threads); };
    values["gather"] = by_all(sweep_kernels::gather(), request.joins, block);
    values["gather_again"] = by_all(sweep_kernels::gather(), request.joins, finishers);
    values["elements"] = kernel.fill(layout.serial ? sweep_kernels::serial() : sweep_kernels::parallel(), values);
    values["join"] = is_stepped ? join(block) : std::string();
    values["join_again"] = join(finishers);
    return values;
}

std::string sweep_source(const SweepRequest& request, const SweepLayout& layout, const SweepTuning& tuning,
                         const Dialect& dialect) {
    KernelText kernel(dialect);
    Values values = sweep_values(request, layout, tuning, kernel);
    return kernel.finish(kernel.fill(sweep_kernels::sweep(), std::move(values)));
}

}  // namespace gemel::codegen
