#include <gemel/arrays/expression.hpp>

#include "array/integer_range.hpp"
#include "array/layout.hpp"
#include "array/require.hpp"
#include "expression/expression_kernel.hpp"
#include "expression/function_definition.hpp"
#include "expression/program_run.hpp"
#include "expression/split_expression.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/codegen/wide_vector.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <bit>
#include <optional>

namespace gemel {

bool same_elements(const AnyArray& a, const AnyArray& b) {
    return a.buffer().block() == b.buffer().block() && a.dtype() == b.dtype() &&
           a.buffer().offset_bytes() + a.offset_bytes() == b.buffer().offset_bytes() + b.offset_bytes() &&
           a.shape() == b.shape() && a.strides() == b.strides();
}

std::string combined(DType dtype, detail::Cumulating how) {
    using detail::Cumulating;
    const char* const nan = dtype.is_floating() ? " || a != a" : "";
    if (how == Cumulating::maximum) return text("a > b", nan, " ? a : b");
    if (how == Cumulating::minimum) return text("a < b", nan, " ? a : b");
    const bool is_sum = how == Cumulating::sum;
    if (dtype.kind() == DType::Kind::complex) return is_sum ? "c_add(a, b)" : "c_mul(a, b)";
    const std::string wraps = codegen::wrapping_cast(dtype), both = text(wraps, "a ", is_sum ? "+ " : "* ", wraps, "b");
    return wraps.empty() ? both : text("(", codegen::value_type(dtype), ")(", both, ")");
}

void detail::ExpressionOperands::add(const AnyArray& array) {
    require_array("expression", "an operand", array);
    std::size_t k = 0;
    while (k < array_count && !same_elements(*arrays[k], array)) ++k;
    exceeds |= use_count == max_uses || k == max_arrays || array_count + number_count == max_operands;
    if (exceeds) return;
    if (k == array_count) arrays[array_count++] = &array;
    uses[use_count++] = static_cast<std::uint8_t>(k);
}

void detail::ExpressionOperands::add(const Argument& number) {
    exceeds |= number_count == max_numbers || array_count + number_count == max_operands;
    if (!exceeds) numbers[number_count++] = number;
}

void detail::ExpressionOperands::add_reduction(std::uint64_t axes, double ddof) {
    has_reduction = true;
    exceeds |= reduction_words == reductions.size();
    if (exceeds) return;
    reductions[reduction_words++] = axes;
    reductions[reduction_words++] = std::bit_cast<std::uint64_t>(ddof);
}

void detail::ExpressionOperands::is_exponent(const AnyNumber& number) {
    if (!exceeds) cheap_powers |= std::uint64_t{codegen::cheap_power(number)} << (4 * (number_count - 1));
}

void detail::ExpressionOperands::add(const FunctionDefinition& function) {
    exceeds |= function_count == max_functions;
    if (!exceeds) functions[function_count++] = &function;
    if (function.has_double) with_double = &function;
}

void detail::ExpressionOperands::check_compared(std::int64_t number, DType common) {
    exceeds |= side_of_range(number, common) != 0;
}
void detail::ExpressionOperands::check_compared(std::uint64_t number, DType common) {
    exceeds |= side_of_range(number, common) != 0;
}

CallKey expression_key(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands) {
    CallKey key;
    key.add(expression.type);
    if (expression.steps[0])  // its highest bit is set, unlike those of the words below
        for (const std::uint64_t step : expression.steps) key.add(step);
    std::uint64_t word = operands.use_count;
    for (std::size_t k = 0; k < operands.use_count; ++k) {
        word = word << 5 | operands.uses[k];
        if (k % 11 == 10) key.add(word), word = 0;
    }
    key.add(word);
    for (std::size_t k = 0; k < operands.function_count; ++k)
        key.add(reinterpret_cast<std::uintptr_t>(operands.functions[k]));
    if (operands.cheap_powers != 0) key.add(operands.cheap_powers);  // an additional word, which identifies it
    return key;
}

ExpressionParts expression_parts(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands,
                                 DType vector) {
    detail::ExpressionText text(operands, vector);
    ExpressionParts parts;
    const std::string value = expression.print(expression.expression, text, expression.dtype);
    parts.vectors_fit = text.vectors_fit();
    if (!vector.empty() && !parts.vectors_fit) return parts;
    parts.value = text.whole(value);
    parts.preamble = std::move(text.preamble);
    for (std::size_t k = 0; k < operands.array_count; ++k)
        parts.arguments.push_back(VectorArg(operands.arrays[k]->dtype(), gemel::text("x", k), true));
    for (Parameter& number : text.numbers) parts.arguments.push_back(std::move(number));
    return parts;
}

namespace {

/// The array without its first axes, which have extent 1.
AnyArray without_leading(const AnyArray& array, std::size_t axes) {
    return array.view(std::vector<Index>(axes, Index(0)));
}

}  // namespace

void refuse_contexts(const AnyArray& a, const AnyArray& b) {
    throw ArgumentError(text("expression: expected arrays of one context, got arrays of two contexts (of ",
                             a.context().device().id(), " and ", b.context().device().id(),
                             "); copy_to(context) copies one to the other, as in x + y.copy_to(x.context())"));
}

void BroadcastOperands::broadcast(detail::ExpressionOperands& operands, const Shape* to, LeadingAxes leading) {
    const AnyArray& leader = *operands.arrays[0];
    const Shape& first = leader.shape();
    bool equal = !to || first == *to;
    for (std::size_t k = 1; k < operands.array_count; ++k) {
        const AnyArray& array = *operands.arrays[k];
        equal &= array.shape() == first;
        if (array.buffer().context_id() != leader.buffer().context_id()) refuse_contexts(leader, array);
    }
    if (equal) {
        shape_ = &first;
        return;
    }
    for (std::size_t k = 0; k < operands.array_count; ++k) {
        const Shape& own = operands.arrays[k]->shape();
        if (!broadcast_with(common_, own))
            throw ArgumentError(text("expression: operands of the shapes ", to_string(first), " and ", to_string(own),
                                     " cannot be broadcast to one", broadcast_rule));
    }
    std::size_t dropped =
        to && leading == LeadingAxes::dropped && common_.rank() > to->rank() ? common_.rank() - to->rank() : 0;
    for (std::size_t axis = 0; axis < dropped; ++axis)
        if (common_[axis] != 1) dropped = 0;
    const std::size_t rank = common_.rank() - dropped;
    if (to) common_ = *to;  // broadcast_to() reports what does not fit
    for (std::size_t k = 0; k < operands.array_count; ++k) {
        const AnyArray& array = *operands.arrays[k];
        if (array.shape() == common_) continue;
        const bool is_longer = dropped > 0 && array.rank() > rank;
        operands.arrays[k] = &views_.emplace_back(
            (is_longer ? without_leading(array, array.rank() - rank) : array).broadcast_to(common_));
    }
    shape_ = &common_;
}

namespace {

ElementwiseKernel make_kernel(const detail::ExpressionView& expression, ExpressionParts parts, std::string operation) {
    std::vector<Parameter> arguments{VectorArg(expression.dtype, "out")};
    for (Parameter& argument : parts.arguments) arguments.push_back(std::move(argument));
    return ElementwiseKernel(std::move(arguments), std::move(operation), "expression",
                             {.preamble = std::move(parts.preamble)});
}
ElementwiseKernel make_kernel(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands) {
    ExpressionParts parts = expression_parts(expression, operands);
    std::string operation = "out[i] = " + parts.value;
    return make_kernel(expression, std::move(parts), std::move(operation));
}

/// The text for one element and, on CPU devices if functions are faster so, for one vector.
struct EvaluatingKernel {
    ElementwiseKernel each;
    std::optional<ElementwiseKernel> vectors = {};
    std::int64_t lanes = 1;

    EvaluatingKernel(const detail::ExpressionView& expression, const detail::ExpressionOperands& operands)
        : each(make_kernel(expression, operands)) {
        const DType own = expression.dtype;
        if (own != dtype_of<float>() && own != dtype_of<double>()) return;
        lanes = 64 / own.size_bytes();
        const DType vector(own.kind(), 64, static_cast<std::uint8_t>(lanes));
        ExpressionParts parts = expression_parts(expression, operands, vector);
        if (!parts.vectors_fit) return;
        parts.arguments.push_back(ScalarArg(dtype_of<std::int64_t>(), "elements"));
        // The last vector ends with the last element and recomputes some elements of the previous one.
        std::string operation = text("const int64_t behind = elements - ", lanes, ", first = (int64_t)i * ", lanes,
                                     " < behind ? (int64_t)i * ", lanes, " : behind; ",
                                     codegen::store_wide(vector, parts.value, "out + first"));
        vectors = make_kernel(expression, std::move(parts), std::move(operation));
    }
    void run(const AnyArray& out, const detail::ExpressionOperands& operands, CallArguments& arguments) const {
        if (!vectors || !takes_vectors(out, operands)) return each.run({}, arguments.span());
        const auto size = static_cast<std::int64_t>(out.size());
        arguments.add(CallArgument(as_argument(size)));
        vectors->run({.range = IndexRange{0, (size + lanes - 1) / lanes}}, arguments.span());
    }

   private:
    /// Contiguous arrays on a CPU, large enough for a second kernel to pay. If the result overlaps an operand, the
    /// kernel that reads each element once is used.
    static bool takes_vectors(const AnyArray& out, const detail::ExpressionOperands& operands) {
        constexpr std::size_t least = 1024;
        if (out.size() < least || !out.is_contiguous()) return false;
        for (std::size_t k = 0; k < operands.array_count; ++k) {
            const AnyArray& array = *operands.arrays[k];
            if (array.shape() != out.shape() || !array.is_contiguous() || out.may_overlap(array)) return false;
        }
        return out.context().device().info().type == DeviceInfo::Type::cpu;
    }
};

}  // namespace

CollectedExpression::CollectedExpression(const detail::ExpressionView& expression, Reductions reductions)
    : view(expression) {
    expression.collect(expression.expression, operands);
    if (operands.with_double && operands.array_count > 0) {
        const Device& device = operands.arrays[0]->context().device();
        if (!device.info().has_double)
            throw ArgumentError(text("function '", operands.with_double->name,
                                     "': it computes in double, which device ", device.info().name,
                                     " cannot; give it parameters and a result of float"));
    }
    if (operands.fits_elements() || (operands.has_reduction && reductions == Reductions::kept)) return;
    const AnyExpr whole = expression.any(expression.expression);
    // Their text is not that of one pass over the elements.
    rest_.emplace(split(operands.has_reduction ? with_reductions_done(whole) : whole));
    view = rest_->view();
    operands = detail::ExpressionOperands();
    view.collect(view.expression, operands);
}

AnyArray detail::evaluate(const detail::ExpressionView& whole, const AnyArray* out, LeadingAxes leading) {
    static auto& kernels = *new Kernels<EvaluatingKernel>;
    CollectedExpression collected(whole, Reductions::kept);
    if (collected.operands.has_reduction) return evaluate_with_reductions(whole, collected.operands, out, leading);
    const detail::ExpressionView& expression = collected.view;
    detail::ExpressionOperands& operands = collected.operands;
    if (operands.array_count == 0)
        throw ArgumentError("expression: expected at least one array, got numbers only; pass an array");
    const CallKey key = expression_key(expression, operands);
    BroadcastOperands broadcast;
    broadcast.broadcast(operands, out ? &out->shape() : nullptr, leading);
    if (out && out->buffer().context_id() != operands.arrays[0]->buffer().context_id() && !out->empty())
        throw ArgumentError(
            "expression: the target is in another context than the operands; copy_to(context) copies the value there");
    if (out)
        for (std::size_t k = 0; k < operands.array_count; ++k)
            if (out->may_overlap(*operands.arrays[k]) && !same_elements(*out, *operands.arrays[k])) {
                const AnyArray value = evaluate(expression);
                out->assign(value);
                return *out;
            }
    AnyArray result = out ? *out : AnyArray(operands.arrays[0]->context(), expression.dtype, broadcast.shape());
    const auto kernel = kernels.find(key, [&] { return EvaluatingKernel(expression, operands); });
    CallArguments arguments;
    arguments.add(CallArgument(result));
    for (std::size_t k = 0; k < operands.array_count; ++k) arguments.add(CallArgument(*operands.arrays[k]));
    for (std::size_t k = 0; k < operands.number_count; ++k) arguments.add(weak(operands.numbers[k]));
    kernel->run(result, operands, arguments);
    return result;
}

std::string detail::source(const detail::ExpressionView& expression, const Dialect& dialect) {
    const CollectedExpression collected(expression);
    return make_kernel(collected.view, collected.operands).source(dialect);
}

}  // namespace gemel
