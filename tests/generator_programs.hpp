/// Requests to the generators, several layouts of each: for golden texts, for compilers, and for a made-up dialect.
#pragma once

#include "any_tuning.hpp"
#include "line_programs.hpp"
#include "turned_programs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace generator_programs {

inline Programs elementwise_programs(const Dialect& dialect) {
    using enum cg::Access;
    Programs all = turned_programs(dialect);
    std::ranges::move(line_programs(dialect), std::back_inserter(all));
    const auto add = [&](const std::string& variant, const cg::ElementwiseRequest& request,
                         const cg::KernelLayout& layout, const gemel::testing::AnyTuning& tuning) {
        all.emplace_back(variant, cg::elementwise_source(request, layout, tuning, dialect));
    };
    const gemel::testing::AnyTuning gpu{.block = 256, .access_bytes = 16, .unroll = 2}, cpu{.block = 64, .unroll = 1};
    const auto axpy = elementwise("axpy", "float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]");
    add("axpy_packed", axpy, layout({as(none), as(packed), as(packed), as(packed)}), gpu);
    add("axpy_misaligned", axpy, layout({as(none), as(linear, true), as(packed), as(packed)}), gpu);
    add("axpy_cpu", axpy, layout({as(none), as(linear), as(linear), as(linear)}), cpu);
    add("axpy_strided", axpy, layout({as(none), as(strided), as(linear), as(strided, true)}, 3, true), gpu);
    auto tiled = layout({as(none), as(strided), as(linear), as(strided, true)}, 3);
    tiled.arguments[1].last_step = cg::LastStep::any;
    tiled.arguments[3].last_step = cg::LastStep::one;
    tiled.tile_width = tiled.tile_rows = 32;
    add("axpy_tiles", axpy, tiled, gpu);
    tiled.wide_index = true;
    tiled.tile_rows = 256;
    tiled.arguments[1].last_step = cg::LastStep::zero;
    add("axpy_tiles_cpu", axpy, tiled, {.block = 1, .unroll = 1});
    add("axpy_sliced", axpy, layout({as(none), as(linear), as(linear), as(linear)}, 0, false, true), cpu);
    auto neighbours =
        elementwise("neighbours", "const float *x, float *z, int *count",
                    "if (i == 0 || i == n - 1) continue;\nz[i] = x[i-1] + x[i+1];\natomic_add(&count[0], 1)");
    neighbours.loop_prep = "int mine = 0;";
    neighbours.after_loop = "if (mine) atomic_add(&count[1], mine);";
    add("neighbours_packed", neighbours, layout({as(pointer), as(packed), as(pointer)}), gpu);
    add("neighbours_strided", neighbours, layout({as(strided), as(strided), as(pointer)}, 2), gpu);
    auto neighbours_tiles = layout({as(strided), as(strided), as(pointer)}, 2);
    neighbours_tiles.tile_width = 64;
    neighbours_tiles.tile_rows = 1;
    neighbours_tiles.rows_on_x = true;
    add("neighbours_tiles", neighbours, neighbours_tiles, {.block = 64, .unroll = 1});
    auto neighbours_checked = layout({as(strided), as(linear), as(pointer)}, 2);
    neighbours_checked.checked = true;
    add("neighbours_checked", neighbours, neighbours_checked, {.block = 64, .unroll = 1});
    // Every element type, with an operation that reads, writes and updates.
    for (const DType& dtype : {dtype_of<std::int8_t>(), dtype_of<std::uint8_t>(), dtype_of<std::int16_t>(),
                               dtype_of<std::uint16_t>(), dtype_of<std::int32_t>(), dtype_of<std::uint32_t>(),
                               dtype_of<std::int64_t>(), dtype_of<std::uint64_t>(), dtype_of<gemel::half>(),
                               dtype_of<gemel::bfloat16>(), dtype_of<float>(), dtype_of<double>(), dtype_of<bool>()}) {
        cg::ElementwiseRequest update{.name = "update",
                                      .arguments = {gemel::VectorArg(dtype, "x", true), gemel::VectorArg(dtype, "y"),
                                                    gemel::ScalarArg(dtype, "a")},
                                      .operation = cg::Snippet("y[i] = y[i] + a * x[i]; if (x[i] > a) y[i] = a")};
        add("update_" + dtype.name(), update, layout({as(packed), as(packed), as(none)}), gpu);
    }
    for (const DType& dtype : {dtype_of<gemel::cfloat>(), dtype_of<gemel::cdouble>()}) {
        cg::ElementwiseRequest turn{.name = "turn_all",
                                    .arguments = {gemel::VectorArg(dtype, "x", true), gemel::VectorArg(dtype, "y"),
                                                  gemel::ScalarArg(dtype, "a")},
                                    .operation = cg::Snippet("y[i] = c_mul(a, x[i])")};
        add("turn_" + dtype.name(), turn, layout({as(packed), as(packed), as(none)}), gpu);
    }
    cg::ElementwiseRequest mixed =
        elementwise("mixed", "const float *x, const double *y, int8_t *z", "z[i] = x[i] < y[i]");
    add("mixed_sizes", mixed, layout({as(packed), as(packed), as(packed)}), gpu);
    cg::ElementwiseRequest spin{.name = "spin",
                                .arguments = {gemel::VectorArg(dtype_of<codegen_programs::science::Spin>(), "p"),
                                              gemel::ScalarArg(dtype_of<float>(), "s")},
                                .operation = cg::Snippet("p[i].angle += s")};
    add("structs", spin, layout({as(linear), as(none)}), gpu);
    return all;
}

inline cg::ReductionRequest reduction(const std::string& name, const std::string& arguments,
                                      std::vector<cg::ReducedValue> values) {
    return {.name = name, .arguments = gemel::parse_declarations(arguments), .values = std::move(values)};
}

namespace reductions {

using Mapping = cg::ReductionLayout::Mapping;
using enum cg::Access;

inline constexpr gemel::testing::AnyTuning on_gpu{.block = 256, .access_bytes = 16, .unroll = 2},
    on_cpu{.block = 1, .items_per_thread = 16};

/// Takes one more program: what it is called, what is reduced, and how.
using Add = std::function<void(const std::string& variant, const cg::ReductionRequest&, const cg::ReductionLayout&,
                               const gemel::testing::AnyTuning&)>;

// Layouts of two arrays.
inline cg::KernelLayout packs() { return layout({as(packed), as(packed)}); }
inline cg::KernelLayout plain() { return layout({as(linear), as(linear)}); }
inline cg::KernelLayout steps() { return layout({as(strided), as(strided)}, 2); }
inline cg::KernelLayout beside(int rank, cg::LastStep x, cg::LastStep y) {
    cg::KernelLayout elements = layout({as(strided), as(strided)}, rank);
    elements.arguments[0].last_step = x;
    elements.arguments[1].last_step = y;
    return elements;
}

inline cg::ReductionRequest dot() {
    return reduction("dot", "const float *x, const float *y",
                     {{.dtype = dtype_of<float>(),
                       .accumulator = {},
                       .neutral = "0",
                       .map_expr = cg::Snippet("x[i]*y[i]"),
                       .reduce_expr = "a+b"}});
}

inline void add_dots(const Add& add) {
    const cg::ReductionRequest sum = dot();
    add("dot_one_launch", sum, {.elements = packs(), .split = true, .finish = true, .result_offsets = {}}, on_gpu);
    add("dot_two_launches", sum, {.elements = plain(), .split = true, .result_offsets = {true}}, on_gpu);
    add("dot_cpu", sum, {.elements = plain(), .serial = true, .split = true, .result_offsets = {}}, on_cpu);
    add("dot_strided", sum, {.elements = steps(), .result_offsets = {}}, on_gpu);
}

inline void add_dots_along_axes(const Add& add) {
    using enum cg::LastStep;
    const cg::ReductionRequest sum = dot();
    add("dot_rows", sum,
        {.elements = beside(1, one, zero),
         .kept_rank = 2,
         .mapping = Mapping::rows,
         .tile = {.across = 8, .unroll = 4, .vector_width = 4, .shuffles = true},
         .result_offsets = {}},
        on_gpu);
    add("dot_rows_shifted", sum,
        {.elements = beside(2, one, any),
         .kept_rank = 1,
         .mapping = Mapping::rows,
         .tile = {.across = 1, .unroll = 4, .vector_width = 4, .shifted = true},
         .split = true,
         .finish = true,
         .result_offsets = {}},
        on_gpu);
    add("dot_rows_short", sum,
        {.elements = beside(1, one, one),
         .kept_rank = 1,
         .mapping = Mapping::rows,
         .tile = {.across = 64, .rows = 2, .unroll = 2, .vector_width = 4, .shuffles = true},
         .result_offsets = {}},
        on_gpu);
    add("dot_columns", sum,
        {.elements = beside(2, one, any),
         .kept_rank = 1,
         .mapping = Mapping::columns,
         .tile = {.across = 32, .unroll = 4, .vector_width = 4},
         .split = true,
         .finish = true,
         .result_offsets = {}},
        on_gpu);
    add("dot_rows_cpu", sum,
        {.elements = beside(2, one, zero),
         .kept_rank = 1,
         .mapping = Mapping::rows,
         .tile = {.vector_width = 16},
         .serial = true,
         .result_offsets = {}},
        on_cpu);
    add("dot_columns_cpu", sum,
        {.elements = beside(1, one, one),
         .kept_rank = 2,
         .mapping = Mapping::columns,
         .tile = {.vector_width = 1024},
         .serial = true,
         .split = true,
         .result_offsets = {}},
        on_cpu);
    add("dot_columns_of_a_permuted_array", sum,
        {.elements = beside(1, one, zero),
         .kept_rank = 2,
         .has_result = true,
         .mapping = Mapping::columns,
         .tile = {.across = 32, .unroll = 4, .vector_width = 4},
         .split = true,
         .finish = true,
         .result_offsets = {}},
        on_gpu);
}

/// The first array is copied to shared memory in pieces.
inline void add_staged_dots(const Add& add) {
    using enum cg::LastStep;
    cg::KernelLayout elements = beside(1, one, one);
    elements.arguments[0].staged = true;
    add("dot_rows_staged", dot(),
        {.elements = elements,
         .kept_rank = 1,
         .mapping = Mapping::rows,
         .tile = {.across = 32, .rows = 2, .shuffles = true, .stage = 4096, .stages_async = true},
         .result_offsets = {}},
        on_gpu);
    add("dot_columns_staged", dot(),
        {.elements = elements,
         .kept_rank = 2,
         .mapping = Mapping::columns,
         .tile = {.across = 64, .rows = 3, .stage = 4096},
         .split = true,
         .finish = true,
         .result_offsets = {}},
        on_gpu);
}

inline void add_largest(const Add& add) {
    cg::ReductionRequest largest = dot();
    largest.name = "largest";
    largest.values[0] = {.dtype = dtype_of<float>(),
                         .accumulator = {},
                         .neutral = "-INFINITY",
                         .map_expr = cg::Snippet("x[i]*y[i]"),
                         .reduce_expr = "a > b ? a : b",
                         .replace_if = "b > a"};
    add("largest_one_launch", largest, {.elements = packs(), .split = true, .finish = true, .result_offsets = {}},
        on_gpu);
    add("largest_cpu", largest, {.elements = plain(), .serial = true, .split = true, .result_offsets = {}}, on_cpu);
    const cg::ReductionLayout columns{.elements = beside(1, cg::LastStep::one, cg::LastStep::one),
                                      .kept_rank = 1,
                                      .mapping = Mapping::columns,
                                      .tile = {.across = 32, .unroll = 4, .vector_width = 4},
                                      .split = true,
                                      .finish = true,
                                      .result_offsets = {}};
    add("largest_columns", largest, columns, on_gpu);
    largest.values[0].replace_if.clear();
    largest.values[0].is_exact = true;
    add("largest_columns_exact", largest, columns, on_gpu);
}

/// Divided by the number of elements in the kernel that has the last partial results.
inline void add_mean(const Add& add) {
    cg::ReductionRequest mean = dot();
    mean.name = "mean";
    mean.values[0].result_expr = "a / n";
    add("mean_one_launch", mean, {.elements = packs(), .split = true, .finish = true, .result_offsets = {}}, on_gpu);
    add("mean_cpu", mean, {.elements = plain(), .serial = true, .split = true, .result_offsets = {}}, on_cpu);
}

/// An index found with its value, and stored without it.
inline cg::ReductionRequest largest_index_request() {
    gemel::StructLayout indexed_layout{.name = "indexed_float", .size_bytes = 16, .alignment_bytes = 8, .fields = {}};
    indexed_layout.fields.push_back({.name = "value", .dtype = dtype_of<float>(), .offset_bytes = 0});
    indexed_layout.fields.push_back({.name = "index", .dtype = dtype_of<std::int64_t>(), .offset_bytes = 8});
    cg::ReductionRequest largest_index = dot();
    largest_index.name = "largest_index";
    largest_index.preamble =
        "WITHIN_KERNEL indexed_float new_indexed(float value, int64_t index)\n"
        "{\n    indexed_float p;\n    p.value = value;\n    p.index = index;\n    return p;\n}\n";
    largest_index.values[0] = {.dtype = dtype_of<std::int64_t>(),
                               .accumulator = DType(&cg::intern_layout(std::move(indexed_layout)), 16),
                               .neutral = "new_indexed(-INFINITY, 0)",
                               .map_expr = cg::Snippet("new_indexed(x[i]*y[i], reduced_index)"),
                               .reduce_expr = "a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b",
                               .result_expr = "a.index"};
    return largest_index;
}

inline void add_largest_index(const Add& add) {
    const cg::ReductionRequest largest_index = largest_index_request();
    add("largest_index_one_launch", largest_index,
        {.elements = packs(), .split = true, .finish = true, .result_offsets = {}}, on_gpu);
    add("largest_index_two_launches", largest_index, {.elements = plain(), .split = true, .result_offsets = {true}},
        on_gpu);
    add("largest_index_rows", largest_index,
        {.elements = steps(),
         .kept_rank = 2,
         .mapping = Mapping::rows,
         .tile = {.across = 16, .unroll = 4, .shuffles = true},
         .result_offsets = {}},
        on_gpu);
    add("largest_index_columns", largest_index,
        {.elements = steps(),
         .kept_rank = 1,
         .mapping = Mapping::columns,
         .tile = {.across = 256, .unroll = 4, .loads_first = true},
         .result_offsets = {}},
        on_gpu);
    cg::ReductionRequest searched = largest_index;
    searched.values[0].replace_if = "b.value > a.value";
    searched.values[0].extreme = {
        .dtype = dtype_of<float>(), .part = "b.value", .neutral = "-INFINITY", .reduce_expr = "gemel_max_nan(a, b)"};
    add("largest_index_cpu", searched, {.elements = plain(), .serial = true, .split = true, .result_offsets = {}},
        on_cpu);
}

/// Four results of one pass, of different types.
inline void add_several(const Add& add) {
    cg::ReductionRequest several{
        .name = "several", .arguments = {gemel::VectorArg(dtype_of<gemel::half>(), "x", true)}, .values = {}};
    const auto value = [](DType dtype, DType accumulator, const char* neutral, const char* map, const char* reduce) {
        return cg::ReducedValue{dtype, accumulator, neutral, cg::Snippet(map), reduce};
    };
    several.values = {value(dtype_of<gemel::half>(), {}, "INFINITY", "x[i]", "fmin(a, b)"),
                      value(dtype_of<std::int64_t>(), {}, "0", "reduced_index", "max(a, b)"),
                      value(dtype_of<bool>(), {}, "0", "x[i] > i", "a || b"),
                      value(dtype_of<float>(), dtype_of<double>(), "0", "x[i]", "a+b")};
    add("several_packed", several,
        {.elements = layout({as(packed)}), .split = true, .finish = true, .result_offsets = {}}, on_gpu);
    add("several_axes", several,
        {.elements = layout({as(strided)}, 1),
         .kept_rank = 1,
         .has_index = true,
         .mapping = Mapping::rows,
         .tile = {.across = 8, .unroll = 2, .shuffles = true},
         .result_offsets = {}},
        on_gpu);
    add("several_wide", several, {.elements = layout({as(strided)}, 1, true), .result_offsets = {}}, on_gpu);
}

}  // namespace reductions

inline Programs reduction_programs(const Dialect& dialect) {
    Programs all;
    const reductions::Add add = [&](const std::string& variant, const cg::ReductionRequest& request,
                                    cg::ReductionLayout layout, const gemel::testing::AnyTuning& tuning) {
        layout.result_offsets.resize(request.values.size());
        all.emplace_back(variant, cg::reduction_source(request, layout, tuning, dialect));
    };
    reductions::add_dots(add);
    reductions::add_dots_along_axes(add);
    reductions::add_staged_dots(add);
    reductions::add_largest(add);
    reductions::add_mean(add);
    reductions::add_largest_index(add);
    reductions::add_several(add);
    return all;
}

inline Programs scan_programs(const Dialect& dialect) {
    using enum cg::Access;
    using Strategy = cg::ScanStrategy;
    Programs all;
    const auto add = [&](const std::string& variant, const cg::ScanRequest& request, const cg::ScanLayout& layout,
                         const gemel::testing::AnyTuning& tuning) {
        all.emplace_back(variant, cg::scan_source(request, layout, tuning, dialect));
    };
    const gemel::testing::AnyTuning gpu{.block = 256, .access_bytes = 16, .items_per_thread = 16},
        shared{.block = 64, .items_per_thread = 4}, cpu{.block = 1};
    cg::ScanRequest sums{.name = "sums",
                         .arguments = gemel::parse_declarations("const float *x, float *out"),
                         .dtype = dtype_of<float>(),
                         .input = cg::Snippet("x[i]"),
                         .scan_expr = "a+b",
                         .neutral = "0",
                         .output = cg::Snippet("out[i] = item")};
    const cg::KernelLayout packs = layout({as(packed), as(packed)}), plain = layout({as(linear), as(linear)}),
                           steps = layout({as(strided), as(linear, true)}, 2, true);
    add("sums_look_back", sums, {.elements = packs}, gpu);
    add("sums_rows_of_lanes", sums, {.elements = packs, .along = 8}, gpu);
    add("sums_rows_in_tiles", sums, {.elements = packs, .along = 256, .loops = true}, gpu);
    add("sums_rows_shifted", sums, {.elements = packs, .along = 256, .loops = true, .shifted = true}, gpu);
    add("sums_look_back_linear", sums, {.elements = plain}, gpu);
    add("sums_three_passes", sums, {.elements = packs, .strategy = Strategy::three_passes}, gpu);
    add("sums_shared_memory", sums, {.elements = plain, .strategy = Strategy::three_passes, .shuffles = false}, shared);
    add("sums_chunks", sums, {.elements = steps, .strategy = Strategy::chunks}, cpu);
    cg::ScanRequest segments = sums;
    segments.name = "segments";
    segments.arguments =
        gemel::parse_declarations("const double *x, const int8_t *starts, double *out, double *before");
    segments.dtype = dtype_of<double>();
    segments.segment_start = cg::Snippet("starts[i]");
    segments.output = cg::Snippet("if (i == 0) continue; out[i] = item; before[i] = prev_item");
    const cg::KernelLayout four = layout({as(packed), as(packed), as(packed), as(packed)}),
                           four_plain = layout({as(linear), as(linear), as(linear), as(linear)});
    add("segments_look_back", segments, {.elements = four}, gpu);
    add("segments_chunks", segments, {.elements = four_plain, .strategy = Strategy::chunks}, cpu);
    segments.output = cg::Snippet("out[i] = last_item; before[i] = prev_item");
    add("segments_three_passes", segments, {.elements = four, .strategy = Strategy::three_passes}, gpu);
    for (const DType& dtype : {dtype_of<std::int8_t>(), dtype_of<gemel::half>(), dtype_of<std::int64_t>()}) {
        cg::ScanRequest other = sums;
        other.arguments = {gemel::VectorArg(dtype, "x", true), gemel::VectorArg(dtype, "out")};
        other.dtype = dtype;
        other.output = cg::Snippet("out[i] = prev_item");
        add("sums_" + dtype.name(), other, {.elements = packs}, gpu);
    }
    cg::ScanRequest kept = sums;
    kept.name = "kept";
    kept.arguments = gemel::parse_declarations("const float16_t *x, float16_t *out");
    kept.dtype = dtype_of<std::int32_t>();
    kept.input = cg::Snippet("x[i] > 0 ? 1 : 0");
    kept.output = cg::Snippet("if (prev_item != item) out[item - 1] = x[i]; else out[0] = 1;");
    add("kept_half", kept, {.elements = layout({as(packed), as(pointer)})}, gpu);
    cg::ScanRequest peaks{
        .name = "peaks",
        .arguments = gemel::parse_declarations("const double *x, double *out, int64_t *count"),
        .dtype = dtype_of<std::int32_t>(),
        .input = cg::Snippet("x[i] > x[i - 1] && x[i] > x[i + 1]"),
        .scan_expr = "a + b",
        .neutral = "0",
        .output = cg::Snippet("if (item != prev_item) out[item - 1] = x[i]"),
        .counts = true,
        .staged_type = "double",
        .stage = cg::Snippet("if (item != prev_item) staged[item - 1] = x[i]"),
        .tile_output = cg::Snippet("for (int j = LID_0; j < tile_count; j += LDIM_0) out[tile_first + j] "
                                   "= staged[j]; count[0] = tile_first"),
        .selected = "x",
        .warp_output = cg::Snippet("for (int j = LID_0 & 31; j < run_count; j += 32) out[run_first + j] "
                                   "= staged[j]; count[0] = tile_first")};
    add("peaks_copied", peaks, {.elements = layout({as(packed), as(pointer), as(pointer)}), .copies_packs = true}, gpu);
    return all;
}

inline cg::MatmulLayout slots(cg::MatmulForm form, const cg::MatmulTuning& tile, bool a_by_columns, bool b_by_columns,
                              std::uint32_t access) {
    return {.form = form,
            .a_by_columns = a_by_columns,
            .b_by_columns = b_by_columns,
            .tile = tile,
            .a_access = access,
            .b_access = access};
}

/// Products of warp groups without tensor maps, for sm_90a.
inline Programs grouped_matmul_programs(const Dialect& dialect) {
    Programs all;
    if (std::ranges::none_of(dialect.sections, [](const auto& section) { return section.name == "tiles"; })) return all;
    const auto add = [&](const std::string& variant, const DType& dtype, cg::MatmulLayout layout) {
        layout.declares_all = dialect.name != "cuda";  // CUDA C++ declares at most 48 KiB
        all.emplace_back("matmul_" + variant, cg::matmul_source({.dtype = dtype}, layout, dialect));
    };
    using cg::MatmulForm;
    const cg::MatmulTuning tile{128, 192, 32, 16, 192, 3, 2, 4};
    add("half_grouped", dtype_of<gemel::half>(), slots(MatmulForm::grouped, tile, true, true, 8));
    add("half_grouped_turned", dtype_of<gemel::half>(), slots(MatmulForm::grouped, tile, false, false, 8));
    cg::MatmulLayout parts = slots(MatmulForm::grouped, {128, 256, 32, 16, 256, 5, 1, 4}, true, false, 8);
    parts.in_parts = true;
    add("bfloat16_grouped_parts", dtype_of<gemel::bfloat16>(), parts);
    cg::MatmulLayout packed = slots(MatmulForm::packed, {128, 128, 64, 16, 128, 2}, true, true, 4);
    packed.packed_parts = 2;
    packed.sum_depth = 64;
    add("float_packed", dtype_of<float>(), packed);
    packed.sum_depth = 32;
    add("float_packed_short", dtype_of<float>(), packed);
    packed.tile = {128, 64, 64, 16, 64, 2};
    add("float_packed_narrow", dtype_of<float>(), packed);
    packed.packed_parts = 1;
    packed.tile = {128, 256, 32, 16, 256, 4};
    add("float_packed_tensor", dtype_of<float>(), packed);
    all.emplace_back("matmul_pack", cg::matmul_pack_source({.a = {.wide = true}, .b = {.along = false}}, dialect));
    all.emplace_back("matmul_pack_across",
                     cg::matmul_pack_source({.parts = 1, .a = {.along = false}, .b = {.along = false}}, dialect));
    return all;
}

/// Products whose operands one thread copies by tensor maps, for CUDA.
inline Programs piped_matmul_programs(const Dialect& dialect) {
    using cg::MatmulForm;
    Programs all;
    const auto add = [&](const std::string& variant, const DType& dtype, const cg::MatmulLayout& layout) {
        all.emplace_back("matmul_" + variant, cg::matmul_source({.dtype = dtype}, layout, dialect));
    };
    add("half_mapped", dtype_of<gemel::half>(), slots(MatmulForm::mapped, {128, 256, 64, 16, 256, 4}, true, true, 8));
    cg::MatmulLayout mapped = slots(MatmulForm::mapped, {64, 192, 64, 16, 192, 5}, false, false, 8);
    add("bfloat16_mapped", dtype_of<gemel::bfloat16>(), mapped);
    mapped.in_parts = true;
    add("bfloat16_mapped_parts", dtype_of<gemel::bfloat16>(), mapped);
    add("float_mapped", dtype_of<float>(), slots(MatmulForm::mapped, {256, 128, 32, 256, 16, 4}, true, true, 4));
    add("float_mapped_along", dtype_of<float>(), slots(MatmulForm::mapped, {64, 128, 32, 16, 128, 8}, false, false, 4));
    for (const bool a_by_columns : {true, false})
        for (const bool b_by_columns : {true, false})
            add(std::string("double_mapped") + (a_by_columns ? "" : "_a_turned") + (b_by_columns ? "" : "_b_turned"),
                dtype_of<double>(),
                slots(MatmulForm::mapped, {128, 64, 16, 32, 32, 8, 1, 4}, a_by_columns, b_by_columns, 2));
    return all;
}

inline Programs matmul_programs(const Dialect& dialect) {
    Programs all;
    const auto add = [&](const std::string& variant, const DType& dtype, const cg::MatmulLayout& layout) {
        all.emplace_back("matmul_" + variant, cg::matmul_source({.dtype = dtype}, layout, dialect));
    };
    add("float", dtype_of<float>(), {});
    add("float_transposed", dtype_of<float>(), {.edge = 8, .a_by_columns = false, .b_by_columns = false});
    add("float_serial", dtype_of<float>(), {.form = cg::MatmulForm::serial});
    add("half_serial", dtype_of<gemel::half>(), {.form = cg::MatmulForm::serial});
    for (const DType& dtype : {dtype_of<bool>(), dtype_of<std::int8_t>(), dtype_of<std::uint64_t>(),
                               dtype_of<gemel::half>(), dtype_of<gemel::cdouble>()})
        add(dtype.name(), dtype, {});
    using cg::MatmulForm;
    add("float_threads", dtype_of<float>(), slots(MatmulForm::threads, {64, 128, 16, 8, 8, 3, 3}, true, true, 4));
    add("float_split", dtype_of<float>(), slots(MatmulForm::split, {64, 64, 32, 32, 32, 2, 3}, true, false, 4));
    add("float_split_across", dtype_of<float>(), slots(MatmulForm::split, {64, 64, 32, 32, 32, 2, 3}, true, true, 4));
    add("float_halves", dtype_of<float>(), slots(MatmulForm::halves, {128, 128, 16, 64, 32, 2, 1}, true, false, 4));
    all.emplace_back("matmul_range", cg::matmul_range_source({.a = {.wide = true}, .b = {.along = false}}, dialect));
    all.emplace_back("matmul_range_across",
                     cg::matmul_range_source({.depth = 64, .a = {.along = false}, .b = {.along = false}}, dialect));
    all.emplace_back("matmul_pack_halves",
                     cg::matmul_pack_halves_source({.a = {.wide = true}, .b = {.along = false}}, dialect));
    all.emplace_back(
        "matmul_pack_halves_across",
        cg::matmul_pack_halves_source({.depth = 32, .a = {.along = false}, .b = {.along = false}}, dialect));
    add("float_tensor", dtype_of<float>(), slots(MatmulForm::tensor, {128, 128, 16, 64, 64, 2, 2}, true, true, 4));
    add("float_slices", dtype_of<float>(),
        slots(MatmulForm::threads, {64, 64, 32, 8, 8, 2, 2, 0, 0, 0, 4}, true, true, 4));
    add("half_slices", dtype_of<gemel::half>(),
        slots(MatmulForm::tensor, {64, 64, 64, 32, 32, 2, 2, 0, 0, 0, 2}, true, true, 8));
    add("half_tensor", dtype_of<gemel::half>(), slots(MatmulForm::tensor, {128, 128, 64, 64, 64, 3, 2}, true, true, 8));
    add("bfloat16_turned", dtype_of<gemel::bfloat16>(),
        slots(MatmulForm::tensor, {64, 64, 32, 32, 32, 3}, false, false, 1));
    add("double_tensor", dtype_of<double>(), slots(MatmulForm::tensor, {64, 64, 16, 32, 32, 3, 4}, false, true, 2));
    if (&dialect == &Dialect::cuda()) std::ranges::move(piped_matmul_programs(dialect), std::back_inserter(all));
    std::ranges::move(grouped_matmul_programs(dialect), std::back_inserter(all));
    cg::MatmulRequest epilogue{.dtype = dtype_of<float>(),
                               .epilogue = "fmax(value + bias[column], least) + before",
                               .arguments = gemel::parse_declarations("const float *bias, float least")};
    all.emplace_back(
        "matmul_float_epilogue",
        cg::matmul_source(epilogue, slots(MatmulForm::tensor, {32, 32, 32, 16, 16, 3}, true, true, 1), dialect));
    return all;
}

/// Softmax of rows, as expressions print it, with the elements' mean index beside.
inline cg::RowRequest softmax_request(DType dtype) {
    cg::RowRequest request{.name = "softmax", .arguments = {}};
    request.arguments = gemel::parse_declarations("const T *x, T *y");
    for (gemel::Parameter& p : request.arguments) p.dtype = dtype, p.type = dtype.name();
    const auto value = [](const char* neutral, const char* map, const char* reduce) {
        return cg::ReducedValue{
            .dtype = dtype_of<float>(), .neutral = neutral, .map_expr = cg::Snippet(map), .reduce_expr = reduce};
    };
    request.loops.push_back(
        {.values = {value("-INFINITY", "x[i]", "a > b || a != a ? a : b"), value("0", "(float)reduced_index", "a+b")}});
    request.loops[0].values[1].result_expr = "a / n";
    request.loops.push_back({.values = {value("0", "t0 * t0", "a+b")},
                             .statements = cg::Snippet("const float t0 = exp(x[i] - row0);\n"),
                             .fixed = {{.dtype = dtype_of<float>(), .value = cg::Snippet("1 / row2")}}});
    request.body = cg::Snippet("y[i] = exp(x[i] - row0) * fixed0;\n");
    request.results.push_back({.dtype = dtype_of<float>(), .value = cg::Snippet("row2 + row1")});
    return request;
}

inline Programs row_programs(const Dialect& dialect) {
    using enum cg::Access;
    using enum cg::LastStep;
    using Mapping = cg::ReductionLayout::Mapping;
    Programs all;
    const auto add = [&](const char* name, DType dtype, int rank, cg::RowLayout row) {
        row.elements = layout({as(strided), as(strided)}, rank);
        row.elements.arguments[0].last_step = row.elements.arguments[1].last_step = one;
        for (cg::ArgumentLayout& argument : row.elements.arguments) argument.staged = row.tile.stage > 0;
        row.result_offsets.assign(1, rank > 1);
        all.emplace_back(name, cg::row_source(softmax_request(dtype), row, dialect));
    };
    const DType single = dtype_of<float>();
    add("softmax_rows_of_a_warp", single, 1,
        {.tile = {.across = 8, .unroll = 4, .vector_width = 4, .shuffles = true}, .slots = 4});
    add("softmax_rows_of_a_block", dtype_of<gemel::half>(), 1,
        {.tile = {.across = 1, .unroll = 2, .vector_width = 8, .shifted = true}, .slots = 2, .warps = true});
    add("softmax_rows_of_several_blocks", single, 1,
        {.tile = {.across = 1, .unroll = 2, .vector_width = 4}, .slots = 2, .parts = 3, .warps = true});
    add("softmax_rows_of_blocks_with_shared_memory", dtype_of<gemel::half>(), 1,
        {.tile = {.across = 1, .unroll = 2, .vector_width = 8, .shifted = true},
         .slots = 2,
         .shared_slots = 3,
         .copies_async = true,
         .parts = 3,
         .warps = true});
    if (dialect.name == "cuda")
        add("softmax_rows_of_a_cluster", single, 1,
            {.tile = {.across = 1, .unroll = 2, .vector_width = 4},
             .slots = 2,
             .shared_slots = 3,
             .copies_async = true,
             .parts = 3,
             .clusters = true,
             .warps = true});
    add("softmax_rows_of_blocks_that_stay", dtype_of<gemel::half>(), 1,
        {.tile = {.across = 1, .unroll = 2, .vector_width = 8, .shifted = true},
         .slots = 2,
         .shared_slots = 3,
         .copies_async = true,
         .parts = 3,
         .stays = true,
         .warps = true});
    add("softmax_rows_staged", dtype_of<gemel::half>(), 1,
        {.tile = {.across = 16, .unroll = 3, .shuffles = true, .stage = 4096, .stages_async = true}, .slots = 3});
    // What needs no comparison: all accesses of a row, all but the last, and those that are no row's first or last.
    add("softmax_rows_of_a_warp_whole", single, 1,
        {.tile = {.across = 8, .unroll = 4, .vector_width = 4, .shuffles = true}, .slots = 4, .whole_slots = 4});
    add("softmax_rows_of_a_block_whole", dtype_of<gemel::half>(), 1,
        {.tile = {.across = 1, .unroll = 2, .vector_width = 8, .shifted = true},
         .slots = 2,
         .shared_slots = 3,
         .whole_slots = 4,
         .copies_async = true,
         .warps = true});
    add("softmax_rows_staged_in_turns", single, 1,
        {.tile = {.across = 64, .rows = 3, .unroll = 2, .shuffles = true, .stage = 2048, .stages_async = true},
         .slots = 2,
         .whole_slots = 1,
         .rows_apart = true});
    add("softmax_rows_in_shared_memory", single, 2,
        {.tile = {.across = 2, .unroll = 4, .vector_width = 4}, .slots = 0, .block = 64});
    add("softmax_columns", single, 1,
        {.kept_rank = 2,
         .has_result = true,
         .mapping = Mapping::columns,
         .tile = {.across = 8, .unroll = 4, .vector_width = 4},
         .slots = 4});
    if (dialect.name == "cuda")
        add("softmax_columns_of_a_cluster", dtype_of<gemel::half>(), 1,
            {.mapping = Mapping::columns,
             .tile = {.across = 4, .unroll = 2, .vector_width = 8},
             .slots = 2,
             .shared_slots = 3,
             .copies_async = true,
             .parts = 3,
             .clusters = true,
             .resident_blocks = 4});
    cg::RowLayout shared_columns{.kept_rank = 2,
                                 .has_result = true,
                                 .mapping = Mapping::columns,
                                 .tile = {.across = 8, .unroll = 2, .vector_width = 4},
                                 .slots = 2,
                                 .parts = 3};
    add("softmax_columns_of_several_blocks", single, 1, shared_columns);
    shared_columns.stays = true;
    add("softmax_columns_of_blocks_that_stay", single, 1, shared_columns);
    shared_columns.stays = false;
    shared_columns.shared_slots = 2;
    add("softmax_columns_of_blocks_with_shared_memory", single, 1, shared_columns);
    add("softmax_rows_cpu", single, 2, {.tile = {.vector_width = 16}, .serial = true, .block = 1});
    add("softmax_short_rows_cpu", single, 2,
        {.tile = {.vector_width = 8}, .slots = 32, .serial = true, .one_run = true, .block = 1});
    add("softmax_columns_cpu", single, 1,
        {.mapping = Mapping::columns, .tile = {.vector_width = 64}, .serial = true, .block = 1});
    return all;
}

inline Programs all(const Dialect& dialect) {
    Programs programs = elementwise_programs(dialect);
    for (auto more : {reduction_programs, row_programs, scan_programs, matmul_programs})
        for (auto& program : more(dialect)) programs.push_back(std::move(program));
    return programs;
}

}  // namespace generator_programs
