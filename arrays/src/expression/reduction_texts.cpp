/// The C text of each kind of reduction, as rows of a table.
#include "expression/reduction_texts.hpp"

#include "expression_kernels.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/codegen/expression.hpp>
#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gemel {
namespace {

/// How an element is converted before it is combined with others.
enum class Map : std::uint8_t {
    converted,   ///< its value in the result's type
    unchanged,   ///< its value
    truth,       ///< whether it is not zero
    with_index,  ///< its value and its index
};

/// The identity.
enum class Identity : std::uint8_t { zero, one, least, greatest };

struct KindText {
    Map map;
    Identity identity;
    const char* reduce;  ///< of `a` and `b`; empty: depends on the type
};

constexpr KindText sum_text{Map::converted, Identity::zero, ""};
constexpr KindText product_text{Map::converted, Identity::one, ""};
constexpr KindText minimum_text{Map::unchanged, Identity::greatest, ""};
constexpr KindText maximum_text{Map::unchanged, Identity::least, ""};
constexpr KindText any_text{Map::truth, Identity::zero, "a || b"};
constexpr KindText all_text{Map::truth, Identity::one, "a && b"};
constexpr KindText argmin_text{Map::with_index, Identity::greatest, "better(a, b)"};
constexpr KindText argmax_text{Map::with_index, Identity::least, "better(a, b)"};

const KindText& text_of(ReductionKind kind) {
    static constexpr const KindText* rows[] = {&sum_text, &product_text, &minimum_text, &maximum_text,
                                               &any_text, &all_text,     &argmin_text,  &argmax_text};
    return *rows[static_cast<std::size_t>(kind)];
}

/// The largest (smallest) value of a real type, in C.
std::string extreme(DType dtype, bool greatest) {
    if (dtype.is_floating()) return greatest ? "INFINITY" : "-INFINITY";
    if (dtype.kind() == DType::Kind::boolean) return greatest ? "1" : "0";
    const int bits = static_cast<int>(dtype.size_bytes()) * 8;
    if (dtype.kind() == DType::Kind::unsigned_integer) return greatest ? text("(", dtype.name(), ")(-1)") : "0";
    const std::int64_t max = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    return greatest ? text("(", dtype.name(), ")", max) : text("((", dtype.name(), ")(-", max, ") - 1)");
}

std::string identity_text(Identity identity, DType dtype) {
    if (identity == Identity::least || identity == Identity::greatest)
        return extreme(dtype, identity == Identity::greatest);
    const char* const number = identity == Identity::zero ? "0" : "1";
    return dtype.kind() == DType::Kind::complex ? text(codegen::value_type(dtype), "_new(", number, ", 0)") : number;
}

/// A value and its index.
DType indexed_type(DType value) {
    const DType index = dtype_of<std::int64_t>();
    const std::size_t offset = std::max<std::size_t>(value.size_bytes(), 8);
    StructLayout layout{
        .name = "gemel_indexed_" + value.name(), .size_bytes = offset + 8, .alignment_bytes = 8, .fields = {}};
    layout.fields.push_back({.name = "value", .dtype = value, .offset_bytes = 0});
    layout.fields.push_back({.name = "index", .dtype = index, .offset_bytes = offset});
    return DType(&codegen::intern_layout(std::move(layout)), static_cast<std::uint32_t>(offset + 8));
}

/// The sums of distances from an element, and of their squares.
DType distances_type() {
    static const DType type = [] {
        StructLayout layout{.name = "gemel_distances", .size_bytes = 32, .alignment_bytes = 8, .fields = {}};
        std::size_t offset = 0;
        for (const char* name : {"shift", "sum", "squares", "count"}) {
            layout.fields.push_back({.name = name, .dtype = dtype_of<double>(), .offset_bytes = offset});
            offset += sizeof(double);
        }
        return DType(&codegen::intern_layout(std::move(layout)), static_cast<std::uint32_t>(offset));
    }();
    return type;
}

/// The type in which values are compared: float for 16-bit floats.
DType compared_type(DType own) {
    if (own.is_16_bit_float()) return dtype_of<float>();
    return own.kind() == DType::Kind::boolean ? dtype_of<std::uint8_t>() : own;
}

/// The reduction of `a` and `b` to the larger or the smaller one; of floats to NaN if one is NaN.
std::string extreme_of_two(bool is_max, DType dtype) {
    if (dtype.is_floating() && dtype.size_bytes() <= 4) return is_max ? "gemel_max_nan(a, b)" : "gemel_min_nan(a, b)";
    const std::string better = is_max ? "a > b ? a : b" : "a < b ? a : b";
    return dtype.is_floating() ? text("a == a ? (", better, ") : a") : better;
}

/// The reduction of elements with their indices that finds the index of an extreme. If no element is better than the
/// identity, all are equal to it, and the first one has index 0.
void add_indices(const KindText& row, DType own, const std::string& at, std::string& preamble, ReductionResult& value) {
    const bool is_max = row.identity == Identity::least;
    const DType compared = compared_type(own);
    value.accumulator = indexed_type(compared);
    value.result_expr = "a.index";
    preamble += expression_kernels::indexed().render({{"indexed", value.accumulator.name()},
                                                      {"at", at},
                                                      {"compared", compared},
                                                      {"is_floating", compared.is_floating()},
                                                      {"order", is_max ? ">" : "<"}}) +
                "\n";
    value.reduce_expr = text("better", at, "(a, b)");
    value.neutral = text("indexed", at, "(", identity_text(row.identity, compared), ", 0)");
    value.map_expr = text("indexed", at, "(", value.map_expr, ", reduced_index)");
    value.replace_if = compared.is_floating()
                           ? text("!(b.value ", is_max ? "<=" : ">=", " a.value) && a.value == a.value")
                           : text("b.value ", is_max ? ">" : "<", " a.value");
    value.extreme = {.dtype = compared,
                     .part = "b.value",
                     .neutral = identity_text(row.identity, compared),
                     .reduce_expr = extreme_of_two(is_max, compared)};
}

}  // namespace

ReductionResult reduced_value(ReductionKind kind, DType own, DType result, std::string map, const std::string& at,
                              std::string& preamble) {
    const KindText& row = text_of(kind);
    const bool is_complex = own.kind() == DType::Kind::complex;
    ReductionResult value;
    value.map_expr = std::move(map);
    value.neutral = identity_text(row.identity, result);
    value.reduce_expr = row.reduce;
    switch (row.map) {
        case Map::converted:
            value.reduce_expr = combined(
                result, row.identity == Identity::zero ? detail::Cumulating::sum : detail::Cumulating::product);
            if (result.kind() == DType::Kind::complex) {
                if (!(own == result)) throw ArgumentError("a sum of complex numbers in another type than theirs");
            } else {
                value.map_expr = text("(", codegen::value_type(result), ")", value.map_expr);
            }
            break;
        case Map::unchanged:
            value.reduce_expr = extreme_of_two(row.identity == Identity::least, result);
            value.is_exact = true;
            break;
        case Map::truth:
            value.map_expr = is_complex ? text("c_real(", value.map_expr, ") != 0 || c_imag(", value.map_expr, ") != 0")
                                        : text(value.map_expr, " != 0");
            break;
        case Map::with_index: add_indices(row, own, at, preamble, value); break;
    }
    return value;
}

bool compares_in_32_bits(const detail::ExpressionOperands& operands) {
    return KernelCache::of(*operands.arrays[0]).info().type != DeviceInfo::Type::cpu;
}

Reduction make_reduction(ReductionKind kind, const detail::ExpressionView& expression,
                         const detail::ExpressionOperands& operands, DType result) {
    ExpressionParts parts = expression_parts(expression, operands);
    ReductionResult value = reduced_value(kind, expression.dtype, result, parts.value, "", parts.preamble);
    if (text_of(kind).map == Map::unchanged && result.is_integer() && result.size_bytes() < 4 &&
        compares_in_32_bits(operands))
        value.accumulator = dtype_of<std::int32_t>();
    // max(abs(x - 3 * y)) tests whether two computations agree; a fused x - 3 * y, rounded once, would make them
    // differ.
    const bool is_sum = kind == ReductionKind::sum || kind == ReductionKind::product;
    return Reduction(std::move(parts.arguments), {value}, {result}, "reduction", std::move(parts.preamble),
                     {.fp_contract = is_sum});
}

namespace {

/// The number of elements less ddof, at least 0. @param type  of a ddof that is not whole
std::string divisor_text(double ddof, DType type, const Dialect& dialect) {
    if (ddof == 0) return "n";
    constexpr double most = 1 << 30;
    const bool is_whole = ddof == std::floor(ddof) && std::abs(ddof) <= most;
    const std::string less = is_whole ? text("(", static_cast<std::int64_t>(ddof), ")")
                                      : text("(", to_source(codegen::literal(type, ddof), dialect), ")");
    return text("(n <= ", less, " ? 0 : n - ", less, ")");
}

/// The stored value, computed from the total, which has the text `sum`.
std::string stored_text(const FromSum& from, DType total, const std::string& sum, const Dialect& dialect) {
    std::string value = sum;
    if (from.average) {
        const std::string divisor = divisor_text(from.ddof, total, dialect);
        value = total.kind() == DType::Kind::complex ? text(codegen::value_type(total), "_new(c_real(", sum, ") / ",
                                                            divisor, ", c_imag(", sum, ") / ", divisor, ")")
                                                     : text(sum, " / ", divisor);
    }
    return from.root ? text("sqrt(", value, ")") : value;
}

}  // namespace

Reduction make_from_sum(const FromSum& from, const detail::ExpressionView& expression,
                        const detail::ExpressionOperands& operands, DType computed) {
    ExpressionParts parts = expression_parts(expression, operands);
    ReductionResult value =
        reduced_value(ReductionKind::sum, expression.dtype, computed, parts.value, "", parts.preamble);
    value.accumulator = computed;
    value.result_expr = stored_text(from, computed, "a", operands.arrays[0]->context().dialect());
    return Reduction(std::move(parts.arguments), {value}, {from.result}, "reduction", std::move(parts.preamble),
                     {.fp_contract = true});
}

Reduction make_moments(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands) {
    ExpressionParts parts = expression_parts(expression, operands);
    const auto sum_of = [](const std::string& term) {
        ReductionResult value;
        value.map_expr = term;
        value.neutral = "0";
        value.reduce_expr = "a+b";
        return value;
    };
    const std::string value = text("(double)", parts.value);
    return Reduction(std::move(parts.arguments), {sum_of(value), sum_of(text(value, " * ", value))},
                     {dtype_of<double>(), dtype_of<double>()}, "moments", std::move(parts.preamble), {});
}

Reduction make_squared_distances(const FromSum& from, const detail::ExpressionView& expression,
                                 const detail::ExpressionOperands& operands) {
    ExpressionParts parts = expression_parts(expression, operands);
    const DType distances = distances_type();
    ReductionResult value;
    value.accumulator = distances;
    value.map_expr = text("gemel_distances_of(", parts.value, ", 1)");
    value.neutral = "gemel_distances_of(0, 0)";
    value.reduce_expr = "gemel_gathered(a, b)";
    value.result_expr =
        stored_text(from, dtype_of<double>(), "gemel_squared_distances(a)", operands.arrays[0]->context().dialect());
    parts.preamble += expression_kernels::distances().render({{"distances", distances.name()}}) + "\n";
    return Reduction(std::move(parts.arguments), {value}, {from.result}, "variance", std::move(parts.preamble), {});
}

}  // namespace gemel
