#include <gemel/arrays/cumulative.hpp>

#include "array/layout.hpp"
#include "expression/cumulate_columns.hpp"
#include "expression/derived_expression.hpp"
#include "expression/expression_kernel.hpp"

#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace gemel {

using detail::Cumulating;

const char* name_of(Cumulating kind) {
    switch (kind) {
        case Cumulating::sum: return "cumsum";
        case Cumulating::product: return "cumprod";
        case Cumulating::minimum: return "cumulative_min";
        case Cumulating::maximum: break;
    }
    return "cumulative_max";
}

namespace {

/// How the beginnings of rows are found: not at all, or by multiplications in 32 or 64 bits.
enum class Rows : std::uint8_t { one, narrow, wide };

/// Tests whether i is a multiple of the length 2^k d with odd d: its product with the inverse of d modulo 2^bits,
/// rotated right by k bits, must be at most (2^bits - 1) / length. A remainder would cost a division per element.
/// @source Granlund and Montgomery, "Division by Invariant Integers using Multiplication"
template <class Bits>
struct Multiples {
    explicit Multiples(Bits length) : turn(std::countr_zero(length)), limit(static_cast<Bits>(-1) / length) {
        const Bits odd = length >> turn;
        inverse = odd;  // correct in 3 bits; each step doubles them
        for (int bits = 3; bits < std::numeric_limits<Bits>::digits; bits *= 2) inverse *= 2 - odd * inverse;
    }
    void add_to(CallArguments& arguments) const {
        arguments.add(CallArgument(inverse));
        arguments.add(CallArgument(static_cast<std::int32_t>(turn)));
        arguments.add(CallArgument(limit));
    }
    int turn;
    Bits limit, inverse = 1;
};
constexpr const char* begins_row_text = R"(WITHIN_KERNEL int begins_row(WORD product, int turn, WORD limit) {
    return (product >> turn | product << (-turn & LAST)) <= limit;
}
)";

std::string begins_row(Rows rows) {
    std::string text = begins_row_text;
    const auto replace = [&](std::string_view word, std::string_view by) {
        for (std::size_t at; (at = text.find(word)) != std::string::npos;) text.replace(at, word.size(), by);
    };
    replace("WORD", rows == Rows::wide ? "uint64_t" : "uint32_t");
    replace("LAST", rows == Rows::wide ? "63" : "31");
    return text;
}

Scan make_scan(Cumulating kind, const detail::ExpressionView& expression, const detail::ExpressionOperands& operands,
               DType result, Rows rows) {
    ExpressionParts parts = expression_parts(expression, operands);
    const bool is_complex = result.kind() == DType::Kind::complex;
    parts.arguments.push_back(VectorArg(result, "out"));
    if (rows != Rows::one) {
        const DType word = rows == Rows::wide ? dtype_of<std::uint64_t>() : dtype_of<std::uint32_t>();
        parts.arguments.push_back(ScalarArg(word, "row_inverse"));
        parts.arguments.push_back(ScalarArg(dtype_of<std::int32_t>(), "row_turn"));
        parts.arguments.push_back(ScalarArg(word, "row_limit"));
        parts.preamble += begins_row(rows);
    }
    ScanSpec spec{.name = name_of(kind), .preamble = std::move(parts.preamble)};
    spec.input_expr = is_complex ? parts.value : text("(", codegen::value_type(result), ")", parts.value);
    spec.scan_expr = combined(result, kind);
    spec.output_statement = "out[i] = item";
    if (rows != Rows::one)
        spec.is_segment_start_expr = text("begins_row((", rows == Rows::wide ? "uint64_t" : "uint32_t",
                                          ")(i) * row_inverse, row_turn, row_limit)");
    return Scan(std::move(parts.arguments), result, spec);
}

AnyArray contiguous(const detail::ExpressionView& whole) {
    const AnyArray x = detail::array_of(whole.any(whole.expression));
    return x.is_contiguous() ? x : x.copy(Order::C);
}

AnyArray scan_of(Cumulating kind, const detail::ExpressionView& whole, DType result, std::optional<Integer> given_axis);

/// Along an axis other than the last.
AnyArray scan_columns(Cumulating kind, const detail::ExpressionView& whole, DType result, std::size_t axis) {
    const AnyArray x = contiguous(whole);
    const std::span<const std::int64_t> all(x.shape().begin(), x.shape().end());
    if (std::ranges::all_of(all.subspan(axis + 1), [](std::int64_t extent) { return extent == 1; })) {
        const AnyArray rows = x.reshape(Shape(all.first(axis + 1)));
        return scan_of(kind, detail::view_of(rows), result, static_cast<std::int64_t>(axis)).reshape(x.shape());
    }
    const AnyArray out(x.context(), result, x.shape());
    cumulate_columns(kind, x, axis, out);
    return out;
}

/// @param result  the type of the result and of the computation
AnyArray scan_of(Cumulating kind, const detail::ExpressionView& whole, DType result,
                 std::optional<Integer> given_axis) {
    static auto& kernels = *new Kernels<Scan>;
    CollectedExpression collected(whole);
    const detail::ExpressionView& expression = collected.view;
    detail::ExpressionOperands& operands = collected.operands;
    CallKey key = expression_key(expression, operands);
    if (operands.array_count == 0)
        throw ArgumentError(text(name_of(kind), ": expected at least one array, got numbers only; pass an array"));
    BroadcastOperands broadcast;
    with_error_prefix(name_of(kind), [&] { broadcast.broadcast(operands); });
    const Shape& shape = broadcast.shape();
    const auto rank = static_cast<std::int64_t>(shape.rank());
    std::optional<std::int64_t> axis = given_axis;
    if (rank == 0 && (axis == 0 || axis == -1)) axis.reset();  // as NumPy
    const std::int64_t along =
        axis ? static_cast<std::int64_t>(checked_axis(*axis, shape.rank(), name_of(kind))) : rank - 1;
    if (axis && along != rank - 1) return scan_columns(kind, whole, result, static_cast<std::size_t>(along));
    // Elements that are far apart are first copied to be contiguous, in tiles.
    const auto is_far = [&](const AnyArray* array) {
        return rank > 0 && shape.back() > 1 && std::abs(array->strides().back()) > 1;
    };
    if (std::any_of(operands.arrays.begin(),
                    operands.arrays.begin() + static_cast<std::ptrdiff_t>(operands.array_count), is_far)) {
        const AnyArray x = contiguous(whole);
        return scan_of(kind, detail::view_of(x), result, given_axis);
    }
    const AnyArray out(operands.arrays[0]->context(), result, shape);
    const std::int64_t count = static_cast<std::int64_t>(out.size());
    const std::int64_t row_length = axis ? shape[static_cast<std::size_t>(along)] : count;
    const Rows rows = row_length == count ? Rows::one : count < (std::int64_t{1} << 32) ? Rows::narrow : Rows::wide;
    key.add(static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(rows) << 8 |
            std::uint64_t{result.size_bytes()} << 16 | static_cast<std::uint64_t>(result.kind()) << 24);
    const auto scan = kernels.find(key, [&] { return make_scan(kind, expression, operands, result, rows); });
    CallArguments arguments;
    for (std::size_t k = 0; k < operands.array_count; ++k) arguments.add(CallArgument(*operands.arrays[k]));
    for (std::size_t k = 0; k < operands.number_count; ++k) arguments.add(weak(operands.numbers[k]));
    arguments.add(CallArgument(out));
    if (rows == Rows::narrow) Multiples(static_cast<std::uint32_t>(row_length)).add_to(arguments);
    if (rows == Rows::wide) Multiples(static_cast<std::uint64_t>(row_length)).add_to(arguments);
    if (rows == Rows::one) {
        scan->run({}, arguments.span());
    } else {
        scan->run_rows(static_cast<std::size_t>(row_length), {}, arguments.span());
    }
    return axis ? out : out.reshape({count});
}

}  // namespace

AnyArray detail::cumulate(Cumulating kind, const detail::ExpressionView& x, std::optional<Integer> axis, DType dtype) {
    if (!x.dtype.empty() && !codegen::is_number(x.dtype))
        throw ArgumentError(text(name_of(kind), ": got elements of ", x.dtype.name(), ", expected numbers"));
    const bool is_extreme = kind == Cumulating::minimum || kind == Cumulating::maximum;
    if (is_extreme && x.dtype.kind() == DType::Kind::complex)
        throw ArgumentError(text(name_of(kind), ": complex numbers have no order; take abs() or real() of them"));
    DerivedExpression elements(x);
    if (!dtype.empty()) with_error_prefix(name_of(kind), [&] { elements.cast(dtype); });
    const DType usual = is_extreme ? x.dtype : codegen::result_type(codegen::TypeRule::sum, x.dtype);
    return scan_of(kind, elements.view(), dtype.empty() ? usual : dtype, axis);
}

}  // namespace gemel
