/// Requests to the generator of sorts, each strategy with what it carries: for golden texts and for compilers.
#pragma once

#include <gemel/codegen/merge_sort.hpp>
#include <gemel/codegen/sort.hpp>
#include <gemel/codegen/struct.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sort_programs {

namespace cg = gemel::codegen;
using gemel::Dialect;
using gemel::DType;
using gemel::dtype_of;

struct Cell {
    float x, y;
    std::int32_t number;
};
GEMEL_STRUCT(Cell, x, y, number)

inline cg::SortTuning tuning_of(cg::SortStrategy strategy) {
    using enum cg::SortStrategy;
    switch (strategy) {
        case one_launch:
        case one_sweep: return {.block = 384, .items_per_thread = 7, .digit_bits = 8, .resident_blocks = 2};
        case thread_rows: return {.block = 128, .items_per_thread = 7, .digit_bits = 8};
        case block: return {.block = 256, .items_per_thread = 4, .digit_bits = 8};
        case three_passes: return {.block = 256, .items_per_thread = 8, .digit_bits = 4};
        default: return {.block = 1, .items_per_thread = 1, .digit_bits = 8};
    }
}

inline cg::SortRequest numbers() { return {.key = dtype_of<std::uint32_t>()}; }
inline cg::SortRequest floats() { return {.key = dtype_of<float>()}; }
inline cg::SortRequest complex() { return {.key = dtype_of<gemel::cdouble>()}; }
inline cg::SortRequest cells() {
    return {.key = dtype_of<Cell>(), .key_expr = "a.number", .key_type = dtype_of<std::int32_t>()};
}
inline cg::SortRequest radii() { return {.key = dtype_of<Cell>(), .key_expr = "a.x * a.x + a.y * a.y"}; }

/// What has been requested so far.
struct Collection {
    const Dialect& dialect;
    std::vector<std::pair<std::string, std::string>> programs;

    /// @param values  the bytes of what is carried along with each key
    void add(const std::string& name, const cg::SortRequest& request, cg::SortLayout layout,
             const std::vector<std::uint32_t>& values = {}, cg::SortTuning tuning = {}) {
        layout.values.assign(values.begin(), values.end());
        if (tuning == cg::SortTuning{}) tuning = tuning_of(layout.strategy);
        if (cg::looks_back(layout.strategy))
            tuning.items_per_thread =
                std::min(tuning.items_per_thread, cg::max_one_sweep_items(request, layout, tuning.block));
        programs.emplace_back(name, cg::sort_source(request, layout, tuning, dialect));
    }
    void add_merge(const std::string& name, const cg::MergeSortRequest& request, const cg::MergeSortLayout& layout,
                   const cg::SortTuning& tuning) {
        programs.emplace_back(name, cg::merge_sort_source(request, layout, tuning, dialect));
    }
};

inline void add_sweeps(Collection& to) {
    using enum cg::SortStrategy;
    to.add("sort_one_sweep", numbers(), {.strategy = one_sweep});
    to.add("sort_one_sweep_pairs", floats(), {.strategy = one_sweep, .descending = true}, {4});
    to.add("sort_one_sweep_index", floats(), {.strategy = one_sweep, .keeps_keys = false, .has_index = true});
    to.add("sort_one_sweep_wide", {.key = dtype_of<std::int64_t>()},
           {.strategy = one_sweep, .wide_index = true, .has_index = true}, {12, 1});
    to.add("sort_one_sweep_rows", {.key = dtype_of<gemel::half>()},
           {.strategy = one_sweep, .has_index = true, .segments = cg::SortSegments::rows, .segment_bits = 10});
    to.add("sort_one_sweep_segments", complex(),
           {.strategy = one_sweep, .segments = cg::SortSegments::given, .segment_bits = 20});
    to.add("sort_one_sweep_struct", cells(), {.strategy = one_sweep});
    to.add("sort_one_sweep_expression", radii(), {.strategy = one_sweep, .descending = true}, {2});
}

/// Tiles larger than the shared memory that a kernel may declare: in parts, or with what the launch gives.
inline void add_sweeps_of_large_tiles(Collection& to) {
    using enum cg::SortStrategy;
    const auto large = [](std::uint32_t block, std::uint32_t items, std::uint32_t resident) {
        return cg::SortTuning{.block = block, .items_per_thread = items, .digit_bits = 8, .resident_blocks = resident};
    };
    to.add("sort_one_sweep_parts", {.key = dtype_of<std::uint64_t>()}, {.strategy = one_sweep}, {}, large(256, 35, 2));
    to.add("sort_one_sweep_parts_segments", numbers(),
           {.strategy = one_sweep, .segments = cg::SortSegments::given, .segment_bits = 20}, {1, 16},
           large(256, 40, 2));
    to.add("sort_one_sweep_parts_pairs", floats(), {.strategy = one_sweep}, {4}, large(512, 32, 1));
    to.add("sort_one_sweep_parts_index", floats(), {.strategy = one_sweep, .keeps_keys = false, .has_index = true}, {},
           large(512, 32, 1));
    to.add("sort_one_sweep_dynamic", floats(), {.strategy = one_sweep, .shared_bytes = 227 << 10}, {4},
           large(512, 32, 1));
}

inline void add_single_launches(Collection& to) {
    using enum cg::SortStrategy;
    to.add("sort_one_launch", numbers(), {.strategy = one_launch});
    to.add("sort_one_launch_index", floats(), {.strategy = one_launch, .keeps_keys = false, .has_index = true}, {4});
    to.add("sort_one_launch_complex", complex(),
           {.strategy = one_launch, .segments = cg::SortSegments::given, .segment_bits = 20}, {8});
    to.add("sort_one_launch_expression", radii(), {.strategy = one_launch, .descending = true}, {2});
}

inline void add_blocks_rows_and_passes(Collection& to) {
    using enum cg::SortStrategy;
    to.add("sort_block", floats(), {.strategy = block});
    to.add("sort_block_pairs", {.key = dtype_of<std::uint8_t>()}, {.strategy = block, .has_index = true}, {8, 24});
    to.add("sort_block_of_one_row", floats(), {.strategy = block, .one_row = true});
    to.add("sort_block_of_one_row_pairs", {.key = dtype_of<std::uint8_t>()},
           {.strategy = block, .has_index = true, .one_row = true}, {8, 24});
    to.add("sort_block_expression", radii(), {.strategy = block});
    to.add("sort_thread_rows", floats(), {.strategy = thread_rows, .has_index = true}, {4});
    to.add("sort_thread_rows_keys", {.key = dtype_of<std::int64_t>()}, {.strategy = thread_rows, .descending = true});
    to.add("sort_three_passes", floats(), {.strategy = three_passes, .has_index = true}, {4});
    to.add("sort_three_passes_rows", complex(),
           {.strategy = three_passes, .segments = cg::SortSegments::rows, .segment_bits = 3});
    to.add("sort_chunks", floats(), {.strategy = chunks}, {4});
    to.add("sort_serial_rows", floats(), {.strategy = serial_rows}, {4});
}

inline void add_merges(Collection& to) {
    const cg::MergeSortRequest by_radius{.dtype = dtype_of<Cell>(),
                                         .less_expr = "a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y"},
        halves{.dtype = dtype_of<gemel::half>(), .less_expr = "a < b"};
    to.add_merge("sort_merge", by_radius, {}, {.block = 128, .items_per_thread = 4});
    to.add_merge("sort_merge_wide", halves, {.wide_index = true, .descending = true},
                 {.block = 256, .items_per_thread = 8});
    to.add_merge("sort_merge_serial", by_radius, {.serial = true}, {.block = 1, .items_per_thread = 1});
    to.add_merge("sort_merge_places", by_radius, {.by_place = true}, {.block = 256, .items_per_thread = 8});
    to.add_merge("sort_merge_places_wide", halves, {.wide_index = true, .descending = true, .by_place = true},
                 {.block = 128, .items_per_thread = 4});
    to.add_merge("sort_merge_places_serial", by_radius, {.serial = true, .by_place = true},
                 {.block = 1, .items_per_thread = 1});
}

inline std::vector<std::pair<std::string, std::string>> all(const Dialect& dialect) {
    Collection to{.dialect = dialect, .programs = {}};
    add_sweeps(to);
    add_sweeps_of_large_tiles(to);
    add_single_launches(to);
    add_blocks_rows_and_passes(to);
    add_merges(to);
    to.programs.emplace_back("sort_keys", cg::sort_keys_source(cells(), false, true, 256, to.dialect));
    to.programs.emplace_back("sort_keys_expression", cg::sort_keys_source(radii(), true, true, 256, to.dialect));
    return to.programs;
}

}  // namespace sort_programs
