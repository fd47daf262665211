#include <gemel/codegen/merge_sort.hpp>

#include "sort_kernels.hpp"

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel::codegen {

namespace {

constexpr int serial_run = 16,
              serial_tile = 4096;  // eight merges of runs; the result is in the first buffer again

std::string declared(const DType& dtype, const char* name, const std::string& element) {
    const std::string type = dtype.layout() ? dtype.name() : value_type(dtype);
    return gemel::text("const ", type, " ", name, " = ", load_text(dtype, element), ";");
}

}  // namespace

SortTuning merge_sort_tuning(const DeviceInfo& device, const Workload& work) {
    if (device.type == DeviceInfo::Type::cpu) return {.block = 1, .items_per_thread = 1};
    // Tiles of at most 16 KB; both numbers are powers of 2.
    const std::uint32_t bytes = std::max(work.item_bytes, 4u);
    const std::uint32_t items = std::bit_floor(std::clamp(16384 / (256 * bytes), 1u, 8u));
    std::uint32_t block = 256;
    while (block > 32 && block * items * bytes > 32768) block /= 2;
    return {.block = std::min(block, std::bit_floor(std::max(device.max_threads_per_block, 1u))),
            .items_per_thread = items};
}

std::size_t merge_sort_tile(const MergeSortLayout& layout, const SortTuning& tuning) {
    return layout.serial ? serial_tile : sort_tile(tuning);
}

void check_request(const MergeSortRequest& request) {
    const Snippet less(request.less_expr);
    for (const char* element : {"a", "b"})
        if (!less.uses(element))
            throw ArgumentError(gemel::text("SortKernel '", request.name, "': the comparison \"", request.less_expr,
                                            "\" does not name the element ", element,
                                            "; it says whether a comes before b, as in \"a < b\""));
}

std::string merge_sort_source(const MergeSortRequest& request, const MergeSortLayout& layout, const SortTuning& tuning,
                              const Dialect& dialect) {
    check_request(request);
    if (!layout.serial && (!std::has_single_bit(tuning.block) || !std::has_single_bit(tuning.items_per_thread)))
        throw ArgumentError(gemel::text("SortKernel '", request.name, "': the tuning \"", to_string(tuning),
                                        "\" has a block or items_per_thread that are no powers of 2"));
    KernelText kernel(dialect);
    const std::string moved = storage_type(request.dtype, dialect);
    Values values{
        {"name", request.name},
        {"element", layout.by_place ? (layout.wide_index ? "int64_t" : "int32_t") : moved},
        {"takes_elements", layout.by_place ? "GLOBAL_MEM const " + moved + " *sorted_elements, " : std::string()},
        {"elements", layout.by_place ? "sorted_elements, " : ""},
        {"index", layout.wide_index ? "int64_t" : "int"},
        {"block", layout.serial ? 1 : static_cast<int>(tuning.block)},
        {"items", static_cast<int>(tuning.items_per_thread)},
        {"run", serial_run},
        {"tile_elements", static_cast<int>(merge_sort_tile(layout, tuning))}};
    const auto fill = [&](const Template& text, const Values& more) {
        Values all = values;
        for (const auto& [name, value] : more) all[name] = value;
        return kernel.fill(text, std::move(all));
    };
    const auto compared = [&](const std::string& name) {
        return layout.by_place ? "sorted_elements[" + name + "]" : name;
    };
    const std::string first = compared(layout.descending ? "second_element" : "first_element");
    const std::string second = compared(layout.descending ? "first_element" : "second_element");
    const std::string functions =
        fill(sort_kernels::merge_functions(), {{"declare_a", kernel.verbatim(declared(request.dtype, "a", first))},
                                               {"declare_b", kernel.verbatim(declared(request.dtype, "b", second))},
                                               {"expression", kernel.verbatim(Snippet(request.less_expr).text())}});
    values["split_runs"] = fill(sort_kernels::merge_path(), {{"diagonal", "reached"},
                                                             {"from", "in"},
                                                             {"a_begin", "run_begin"},
                                                             {"a_count", "run_length"},
                                                             {"b_begin", "(run_begin + run_length)"},
                                                             {"b_count", "other_length"}});
    values["split_shared"] = fill(sort_kernels::merge_path(), {{"index", "int"},
                                                               {"diagonal", "diagonal"},
                                                               {"from", "shared"},
                                                               {"a_begin", "a_begin"},
                                                               {"a_count", "(a_end - a_begin)"},
                                                               {"b_begin", "a_end"},
                                                               {"b_count", "(b_end - a_end)"}});
    values["merge_own"] = fill(sort_kernels::merge_own(), {});
    values["store"] = fill(sort_kernels::merge_store(), {});
    std::string declarations = struct_declarations({request.dtype}, dialect) + request.preamble;
    if (!request.preamble.empty()) declarations += "\n";
    return kernel.finish(kernel.verbatim(declarations) + "\n" + functions +
                         fill(layout.serial ? sort_kernels::merge_serial() : sort_kernels::merge_blocks(), {}));
}

}  // namespace gemel::codegen
