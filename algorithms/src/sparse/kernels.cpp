#include "sparse/kernels.hpp"

#include "generated/kernel_family.hpp"
#include "sparse_kernels.hpp"

#include <gemel/codegen/sparse.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <string>
#include <utility>

namespace gemel::sparse {
namespace {

ReductionKernel<std::int64_t> least(const char* name, const char* arguments, const char* value) {
    return ReductionKernel<std::int64_t>(
        {.arguments = arguments, .neutral = "0", .map_expr = value, .reduce_expr = "a < b ? a : b", .name = name});
}

ReductionKernel<std::int64_t> total(const char* name, const char* arguments, const char* value) {
    return ReductionKernel<std::int64_t>(
        {.arguments = arguments, .neutral = "0", .map_expr = value, .reduce_expr = "a + b", .name = name});
}

bool is_complex_type(DType dtype) { return dtype.kind() == DType::Kind::complex; }

std::string product(DType dtype, const std::string& a, const std::string& b) {
    return is_complex_type(dtype) ? text("c_mul(", a, ", ", b, ")") : text(a, " * ", b);
}

std::string sum(DType dtype, const std::string& a, const std::string& b) {
    return is_complex_type(dtype) ? text("c_add(", a, ", ", b, ")") : text(a, " + ", b);
}

using ByType = KernelFamily<std::pair<int, std::uint32_t>, ElementwiseKernel>;
std::pair<int, std::uint32_t> family_key(DType dtype) { return {static_cast<int>(dtype.kind()), dtype.size_bytes()}; }

}  // namespace

const ReductionKernel<std::int64_t>& outside_kernel() {
    static const auto& kernel = *new ReductionKernel(
        least("sparse_outside", "const R *rows, const C *columns, int64_t row_count, int64_t column_count",
              "(int64_t)rows[i] < 0 || (int64_t)rows[i] >= row_count || (int64_t)columns[i] < 0 || "
              "(int64_t)columns[i] >= column_count ? (int64_t)i - (int64_t)n : (int64_t)0"));
    return kernel;
}

const ReductionKernel<std::int64_t>& outside_extent_kernel() {
    static const auto& kernel = *new ReductionKernel(
        least("sparse_outside_extent", "const C *numbers, int64_t extent",
              "(int64_t)numbers[i] < 0 || (int64_t)numbers[i] >= extent ? (int64_t)i - (int64_t)n : (int64_t)0"));
    return kernel;
}

const ReductionKernel<std::int64_t>& wrong_start_kernel() {
    static const auto& kernel = *new ReductionKernel(least(
        "sparse_wrong_start", "const C *begins, const C *ends, int64_t count",
        "(int64_t)begins[i] < 0 || (int64_t)begins[i] > (int64_t)ends[i] || (int64_t)ends[i] > count || "
        "(i == 0 && (int64_t)begins[i] != 0) || (i == n - 1 && (int64_t)ends[i] != count) ? (int64_t)i - (int64_t)n : "
        "(int64_t)0"));
    return kernel;
}

const ReductionKernel<std::int64_t>& not_above_kernel() {
    static const auto& kernel =
        *new ReductionKernel(total("sparse_not_above", "const K *keys",
                                   "i > 0 && (int64_t)keys[i] <= (int64_t)keys[i - 1] ? (int64_t)1 : (int64_t)0"));
    return kernel;
}

const ReductionKernel<std::int64_t>& drop_kernel() {
    static const auto& kernel = *new ReductionKernel(total(
        "sparse_drop", "const R *begins, const R *ends, const C *numbers",
        "begins[i] > 0 && begins[i] < ends[i] && (int64_t)numbers[begins[i]] <= (int64_t)numbers[begins[i] - 1] ? "
        "(int64_t)1 : (int64_t)0"));
    return kernel;
}

const ReductionKernel<std::int64_t>& longest_kernel() {
    static const auto& kernel = *new ReductionKernel<std::int64_t>({.arguments = "const I *begins, const I *ends",
                                                                    .neutral = "0",
                                                                    .map_expr = "(int64_t)(ends[i] - begins[i])",
                                                                    .reduce_expr = "a > b ? a : b",
                                                                    .name = "sparse_longest"});
    return kernel;
}

const ElementwiseKernel& key_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("const R *rows, const C *columns, K *keys, int64_t column_count",
                               "keys[i] = (K)((int64_t)rows[i] * column_count + (int64_t)columns[i])", "sparse_keys");
    return kernel;
}

const ElementwiseKernel& split_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("const K *keys, I *numbers, int64_t column_count",
                               "numbers[i] = (I)((int64_t)keys[i] % column_count)", "sparse_columns");
    return kernel;
}

const ElementwiseKernel& bound_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("K *bounds, int64_t column_count", "bounds[i] = (K)(i * column_count)", "sparse_bounds");
    return kernel;
}

const ElementwiseKernel& spread_rows_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("const I *begins, const I *ends, I *numbers",
                               "for (I k = begins[i]; k < ends[i]; ++k) numbers[k] = i", "sparse_spread_rows");
    return kernel;
}

const ElementwiseKernel& mark_diagonals_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("const I *rows, const I *columns, uint8_t *marks, int64_t row_count",
                               "marks[(int64_t)columns[i] - rows[i] + row_count - 1] = 1", "sparse_mark_diagonals");
    return kernel;
}

const ElementwiseKernel& fill_diagonals_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const I *rows, const I *columns, const T *values, const I *ranks, T *slots, int64_t row_count",
        "slots[((int64_t)ranks[(int64_t)columns[i] - rows[i] + row_count - 1] - 1) * row_count + rows[i]] = values[i]",
        "sparse_fill_diagonals");
    return kernel;
}

const ElementwiseKernel& fill_ell_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const I *rows, const I *columns, const T *values, const I *starts, I *to_columns, T *to_values, int64_t "
        "row_count",
        sparse_kernels::fill_ell().render(), "sparse_fill_ell");
    return kernel;
}

const ElementwiseKernel& fill_sell_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const I *rows, const I *columns, const T *values, const I *starts, const int64_t *slice_starts, const I "
        "*positions, "
        "I *to_columns, T *to_values",
        sparse_kernels::fill_sell().render({{"slice", codegen::sparse_slice}}), "sparse_fill_sell");
    return kernel;
}

const ElementwiseKernel& order_key_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const I *begins, const I *ends, int64_t *keys, int64_t together, int64_t longest",
        "keys[i] = i / together * (longest + 1) + longest - (ends[i] - begins[i])", "sparse_order_keys");
    return kernel;
}

const ElementwiseKernel& slice_width_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("int64_t *widths, const I *lengths",
                               text("widths[i] = i == 0 ? (int64_t)0 : (int64_t)lengths[(i - 1) * ",
                                    codegen::sparse_slice, "] * ", codegen::sparse_slice),
                               "sparse_slice_widths");
    return kernel;
}

const ElementwiseKernel& invert_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("const R *order, I *positions", "positions[order[i]] = (I)i", "sparse_invert");
    return kernel;
}

const ElementwiseKernel& window_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const I *rows, const I *columns, uint16_t *nearby, uint8_t *is_far, int64_t column_count",
        sparse_kernels::windows().render({{"window", codegen::sparse_window}}), "sparse_windows",
        {.preamble = sparse_kernels::window_begin().render(
             {{"packet_rows", codegen::sparse_packet_rows}, {"window", codegen::sparse_window}})});
    return kernel;
}

const ElementwiseKernel& diagonal_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const I *begins, const I *ends, const I *columns, const T *values, T *found, int64_t offset",
        sparse_kernels::find_on_diagonal().render(), "sparse_diagonal");
    return kernel;
}

const ElementwiseKernel& tile_row_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("I *tile_rows, const I *starts, int64_t tile, int64_t rows, int64_t entries",
                               sparse_kernels::tile_rows().render(), "sparse_tile_rows");
    return kernel;
}

const ElementwiseKernel& row_length_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("const R *rows, const I *starts, int64_t *lengths",
                               "lengths[i] = starts[rows[i] + 1] - starts[rows[i]]", "sparse_row_lengths");
    return kernel;
}

const ElementwiseKernel& gather_rows_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const int64_t *owners, const int64_t *ends, const R *rows, const I *starts, const I *columns, const T "
        "*values, "
        "I *to_columns, T *to_values",
        sparse_kernels::gather_rows().render(), "sparse_gather_rows");
    return kernel;
}

const ElementwiseKernel& permuted_key_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "const I *rows, const I *columns, const I *row_positions, const I *column_positions, K *keys, int64_t "
        "column_count",
        "keys[i] = (K)((int64_t)row_positions[rows[i]] * column_count + column_positions[columns[i]])",
        "sparse_permuted_keys");
    return kernel;
}

const ElementwiseKernel& pieces_before_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("I *counts, I *totals, int64_t pieces, int64_t columns",
                               sparse_kernels::pieces_before().render(), "sparse_pieces_before");
    return kernel;
}

const ElementwiseKernel& diagonal_position_kernel() {
    static const auto& kernel = *new ElementwiseKernel(
        "int64_t *rows, int64_t *columns, uint8_t *is_entry, const int64_t *offsets, int64_t length, int64_t "
        "row_count, "
        "int64_t column_count",
        sparse_kernels::diagonal_positions().render(), "sparse_diagonal_positions");
    return kernel;
}

const ElementwiseKernel& shift_diagonals_kernel() {
    static const auto& kernel =
        *new ElementwiseKernel("T *data, const T *values, const I *offsets, int64_t row_count, int64_t column_count",
                               "const int64_t row = i % column_count - offsets[i / column_count];\n"
                               "if (row >= 0 && row < row_count) data[i] = values[i / column_count * row_count + row]",
                               "sparse_shift_diagonals");
    return kernel;
}

const ElementwiseKernel& beta_kernel(DType value) {
    static auto& family = *new ByType;
    return family.find(family_key(value), [&] {
        return ElementwiseKernel(std::vector<Parameter>{VectorArg(value, "y"), ScalarArg(value, "beta")},
                                 "y[i] = " + product(value, "beta", "y[i]"), "sparse_beta");
    });
}

const ElementwiseKernel& expand_kernel(DType value) {
    static auto& family = *new ByType;
    return family.find(family_key(value), [&] {
        std::vector<Parameter> arguments = parse_declarations(
            "const int64_t *owners, const int64_t *ends, const I *rows, const I *columns, const I *starts, const I "
            "*right_columns, K *keys, int64_t column_count");
        arguments.push_back(VectorArg(value, "values", true));
        arguments.push_back(VectorArg(value, "right_values", true));
        arguments.push_back(VectorArg(value, "products"));
        return ElementwiseKernel(
            std::move(arguments),
            sparse_kernels::expand().render({{"product", product(value, "values[k]", "right_values[from]")}}),
            "sparse_expand");
    });
}

const ElementwiseKernel& scale_kernel(DType value) {
    static auto& family = *new ByType;
    return family.find(family_key(value), [&] {
        std::vector<Parameter> arguments = parse_declarations("const I *numbers");
        arguments.push_back(VectorArg(value, "values", true));
        arguments.push_back(VectorArg(value, "factors", true));
        arguments.push_back(VectorArg(value, "results"));
        return ElementwiseKernel(std::move(arguments),
                                 "results[i] = " + product(value, "values[i]", "factors[numbers[i]]"), "sparse_scale");
    });
}

namespace {

using Reductions = KernelFamily<std::pair<int, std::uint32_t>, Reduction>;

Reduction sum_of(DType value, const char* name, std::vector<Parameter> arguments, const std::string& item) {
    const std::string zero = is_complex_type(value) ? value.name() + "_new(0, 0)" : "0";
    return Reduction(std::move(arguments), {{zero, item, sum(value, "a", "b")}}, {value}, name, {}, {});
}

}  // namespace

const Reduction& dot_kernel(DType value) {
    static auto& family = *new Reductions;
    return family.find(family_key(value), [&] {
        const char* left = is_complex_type(value) ? "c_conj(u[i])" : "u[i]";
        return sum_of(value, "sparse_dot", {VectorArg(value, "u", true), VectorArg(value, "v", true)},
                      product(value, left, "v[i]"));
    });
}

const Reduction& parts_kernel(DType value) {
    static auto& family = *new Reductions;
    return family.find(family_key(value),
                       [&] { return sum_of(value, "sparse_dots", {VectorArg(value, "parts", true)}, "parts[i]"); });
}

const Scan& coo_scan(DType value, DType index) {
    static auto& family = *new KernelFamily<std::pair<std::pair<int, std::uint32_t>, std::uint32_t>, Scan>;
    return family.find({family_key(value), index.size_bytes()}, [&] {
        std::vector<Parameter> arguments{VectorArg(index, "rows", true),
                                         VectorArg(index, "columns", true),
                                         VectorArg(value, "values", true),
                                         VectorArg(value, "x", true),
                                         VectorArg(value, "y"),
                                         ScalarArg(value, "alpha")};
        return Scan(std::move(arguments), value,
                    {.input_expr = product(value, "values[i]", "x[columns[i]]"),
                     .scan_expr = sum(value, "a", "b"),
                     .output_statement = text("if (i == n - 1 || rows[i + 1] != rows[i]) y[rows[i]] = ",
                                              sum(value, "y[rows[i]]", product(value, "alpha", "item"))),
                     .is_segment_start_expr = "i == 0 || rows[i - 1] != rows[i]",
                     .name = "sparse_coo"});
    });
}

}  // namespace gemel::sparse
