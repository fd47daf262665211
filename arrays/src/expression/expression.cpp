#include <gemel/arrays/expression.hpp>

#include "array/integer_range.hpp"
#include "array/layout.hpp"
#include "expression/expression_kernel.hpp"
#include "expression/function_definition.hpp"
#include "expression/split_expression.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <type_traits>

namespace gemel {

namespace {

bool same_elements(const AnyArray& a, const AnyArray& b) {
    return a.buffer().block() == b.buffer().block() && a.offset_bytes() == b.offset_bytes() &&
           a.buffer().offset_bytes() == b.buffer().offset_bytes() && a.dtype() == b.dtype() && a.shape() == b.shape() &&
           a.strides() == b.strides();
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

/// A value of one type as one of another, in C.
std::string converted(const std::string& value, DType from, DType to) {
    if (from == to) return value;
    const std::string type = codegen::value_type(to);
    if (to.kind() == DType::Kind::complex) {
        const std::string part = to.size_bytes() == 8 ? "float" : "double";
        if (from.kind() == DType::Kind::complex)
            return text(type, "_new((", part, ")c_real(", value, "), (", part, ")c_imag(", value, "))");
        return text(type, "_new((", part, ")(", value, "), 0)");
    }
    if (from.kind() == DType::Kind::complex) return text("(c_real(", value, ") != 0 || c_imag(", value, ") != 0)");
    if (to.kind() == DType::Kind::boolean) return text("(", value, " != 0)");
    if (codegen::value_type(from) == type) return value;
    return text("(", type, ")", value);
}

/// Lines that begin with a kind of number ("%real ") are kept for that kind alone.
std::string helper_text(const char* helper, DType dtype) {
    const char* const kind = dtype.kind() == DType::Kind::complex ? "%complex "
                             : dtype.is_floating()                ? "%real "
                                                                  : "%whole ";
    std::string out;
    std::istringstream lines{std::string(helper)};
    for (std::string line; std::getline(lines, line);) {
        if (const std::size_t mark = line.find('%'); mark != std::string::npos && line.find_first_not_of(' ') == mark) {
            if (line.compare(mark, std::string_view(kind).size(), kind) != 0) continue;
            line.erase(mark, std::string_view(kind).size());
        }
        out += line + '\n';
    }
    replace_all(out, "$", codegen::value_type(dtype));
    replace_all(out, "@", codegen::wrapping_cast(dtype));
    return out;
}

/// What stands for part number `place`: no C text has it.
std::string part_name(std::size_t place) { return text('\x01', place, '\x01'); }

/// Calls `f` with the number of each part that is named in a text, and where its name begins and ends.
template <class F>
void for_each_part(std::string_view text, F&& f) {
    for (std::size_t begin = 0; (begin = text.find('\x01', begin)) != std::string_view::npos;) {
        const std::size_t end = text.find('\x01', begin + 1) + 1;
        std::size_t part = 0;
        std::from_chars(text.data() + begin + 1, text.data() + end - 1, part);
        if constexpr (std::is_invocable_v<F, std::size_t>) {
            f(part);
        } else {
            f(part, begin, end);
        }
        begin = end;
    }
}

}  // namespace

std::string combined(DType dtype, bool is_sum) {
    if (dtype.kind() == DType::Kind::complex) return is_sum ? "c_add(a, b)" : "c_mul(a, b)";
    const std::string wraps = codegen::wrapping_cast(dtype), both = text(wraps, "a ", is_sum ? "+ " : "* ", wraps, "b");
    return wraps.empty() ? both : text("(", codegen::value_type(dtype), ")(", both, ")");
}

void ExpressionOperands::add(const AnyArray& array) {
    if (array.empty()) throw ArgumentError("an expression names an empty handle, without an array");
    std::size_t k = 0;
    while (k < array_count && !same_elements(*arrays[k], array)) ++k;
    exceeds |= use_count == max_uses || k == max_arrays || array_count + number_count == max_operands;
    if (exceeds) return;
    if (k == array_count) arrays[array_count++] = &array;
    uses[use_count++] = static_cast<std::uint8_t>(k);
}

void ExpressionOperands::add(const Argument& number) {
    exceeds |= number_count == max_numbers || array_count + number_count == max_operands;
    if (!exceeds) numbers[number_count++] = number;
}

void ExpressionOperands::add(const FunctionDefinition& function) {
    exceeds |= function_count == max_functions;
    if (!exceeds) functions[function_count++] = &function;
    if (function.has_double) with_double = &function;
}

void ExpressionOperands::check_compared(std::int64_t number, DType common) {
    exceeds |= side_of_range(number, common) != 0;
}
void ExpressionOperands::check_compared(std::uint64_t number, DType common) {
    exceeds |= side_of_range(number, common) != 0;
}

std::string ExpressionText::array(DType own, DType as) {
    return converted(text("x", static_cast<int>(operands_.uses[use_++]), "[i]"), own, as);
}

std::string ExpressionText::number(DType as) {
    const std::string name = text("s", numbers.size());
    numbers.push_back(ScalarArg(as, name));
    return name;
}

std::string ExpressionText::apply(const OperationType& type, DType common, DType result, DType as,
                                  std::span<const std::string> operands) {
    const Operation& operation = row_of(type);
    const DType computed = computed_type(operation, common, result);
    const bool is_complex = computed.kind() == DType::Kind::complex;
    std::string value = is_complex ? operation.complex_text : operation.text;
    if (value.empty())
        throw ArgumentError(text("the operation \"", operation.text, "\" is not defined for complex numbers"));
    const bool calls_helper = operation.helper[0] && value.find("_$(") != std::string::npos;
    replace_all(value, "$", codegen::value_type(computed));
    const std::string wrapping = value.find('@') == std::string::npos ? "" : codegen::wrapping_cast(computed);
    replace_all(value, "@", wrapping);
    for (std::size_t k = 0; k < operands.size(); ++k) replace_all(value, text("#", k + 1), operands[k]);
    if (calls_helper) {
        const std::string helper = helper_text(operation.helper, computed);
        if (preamble.find(helper) == std::string::npos) preamble += helper;
    }
    value = text("(", value, ")");
    // C computes small integers in int: NumPy's wrap around.
    const bool is_truth = operation.rule == TypeRule::truth || operation.rule == TypeRule::comparison;
    if (result.kind() == DType::Kind::boolean && !is_truth) {
        value = text("(", value, " != 0)");
    } else if (result.is_integer() && (result.size_bytes() < 4 || !wrapping.empty())) {
        value = text("(", codegen::value_type(result), ")", value);
    } else if (operation.compute == Compute::by_cast && result.is_floating() && result.size_bytes() == 2) {
        value = codegen::load_text(result, codegen::store_text(result, value));  // rounds, though it is a float
    }
    return named(as, converted(value, result, as));
}

/// What stands for a value in the texts of others.
std::string ExpressionText::named(DType as, std::string text) {
    Part part{codegen::value_type(as), std::move(text)};
    const auto known = std::find_if(parts_.begin(), parts_.end(),
                                    [&](const Part& p) { return p.text == part.text && p.type == part.type; });
    const auto place = static_cast<std::size_t>(known - parts_.begin());
    if (known == parts_.end()) parts_.push_back(std::move(part));
    return part_name(place);
}

std::string ExpressionText::whole(const std::string& value) {
    // How often each part is used by what the value needs; users come after what they use.
    std::vector<std::size_t> uses(parts_.size());
    const auto count_in = [&](const std::string& text) {
        for_each_part(text, [&](std::size_t part) { ++uses[part]; });
    };
    count_in(value);
    for (std::size_t k = parts_.size(); k-- > 0;)
        if (uses[k]) count_in(parts_[k].text);

    std::vector<std::string> names(parts_.size());
    std::string body;
    const auto expanded = [&](const std::string& text) {
        std::string out;
        std::size_t from = 0;
        for_each_part(text, [&](std::size_t part, std::size_t begin, std::size_t end) {
            out.append(text, from, begin - from).append(names[part]);
            from = end;
        });
        return out.append(text, from);
    };
    std::size_t shared = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        if (!uses[k]) continue;
        names[k] = expanded(parts_[k].text);
        if (uses[k] == 1) continue;
        const std::string name = text("t", shared++);
        body += text("    const ", parts_[k].type, " ", name, " = ", names[k], ";\n");
        names[k] = name;
    }
    std::string result = expanded(value);
    if (shared == 0) return result;

    std::vector<std::string> parameters, given;
    for (std::size_t k = 0; k < operands_.array_count; ++k) {
        const std::string name = text("x", k), element = name + "[i]";
        parameters.push_back(codegen::value_type(operands_.arrays[k]->dtype()) + " " + name);
        given.push_back(element);
        replace_all(body, element, name);
        replace_all(result, element, name);
    }
    for (const Parameter& number : numbers) {
        parameters.push_back(codegen::value_type(number.dtype) + " " + number.name);
        given.push_back(number.name);
    }
    std::string type;
    for_each_part(value, [&](std::size_t part) { type = parts_[part].type; });
    preamble += text("WITHIN_KERNEL ", type, " expression_value(", join(parameters), ")\n{\n", body, "    return ",
                     result, ";\n}\n");
    return text("expression_value(", join(given), ")");
}

std::string ExpressionText::call(const FunctionDefinition& function, DType as, std::span<const std::string> operands) {
    // A name that neither the text around it nor another function of that name has.
    std::size_t k = 0;
    while (k < called_.size() && called_[k] != &function) ++k;
    const std::string name = text(function.name, "_function", k == 0 ? "" : text("_", k + 1));
    if (k == called_.size()) {
        called_.push_back(&function);
        if (preamble.find(function.preamble) == std::string::npos) preamble += function.preamble;
        preamble += function.text(name);
    }
    const auto rounded = [](DType type, const std::string& value) {
        const bool is_short = type.is_floating() && type.size_bytes() == 2;
        return is_short ? codegen::load_text(type, codegen::store_text(type, value)) : value;
    };
    std::vector<std::string> values;
    for (std::size_t i = 0; i < operands.size(); ++i) values.push_back(rounded(function.types[i], operands[i]));
    return named(as, converted(rounded(function.result, text(name, "(", join(values), ")")), function.result, as));
}

CallKey expression_key(const ExpressionView& expression, const ExpressionOperands& operands) {
    CallKey key;
    key.add(expression.type);
    if (expression.steps[0])  // its highest bit is set, unlike that of the words below
        for (const std::uint64_t step : expression.steps) key.add(step);
    std::uint64_t word = operands.use_count;
    for (std::size_t k = 0; k < operands.use_count; ++k) {
        word = word << 5 | operands.uses[k];
        if (k % 11 == 10) key.add(word), word = 0;
    }
    key.add(word);
    for (std::size_t k = 0; k < operands.function_count; ++k)
        key.add(reinterpret_cast<std::uintptr_t>(operands.functions[k]));
    return key;
}

ExpressionParts expression_parts(const ExpressionView& expression, const ExpressionOperands& operands) {
    ExpressionText text(operands);
    ExpressionParts parts;
    parts.value = text.whole(expression.print(expression.expression, text, expression.dtype));
    parts.preamble = std::move(text.preamble);
    for (std::size_t k = 0; k < operands.array_count; ++k)
        parts.arguments.push_back(VectorArg(operands.arrays[k]->dtype(), gemel::text("x", k), true));
    for (Parameter& number : text.numbers) parts.arguments.push_back(std::move(number));
    return parts;
}

namespace {

/// Without so many axes in front, which have the extent 1.
AnyArray without_leading(const AnyArray& array, std::size_t axes) {
    return array.view(std::vector<Index>(axes, Index(0)));
}

[[noreturn]] void refuse_contexts(const AnyArray& a, const AnyArray& b) {
    throw ArgumentError(text("an expression has arrays of two contexts (of ", a.context().device().id(), " and ",
                             b.context().device().id(),
                             "); copy_to(context) brings one to the other, as in x + y.copy_to(x.context())"));
}

}  // namespace

void BroadcastOperands::broadcast(ExpressionOperands& operands, const Shape* to, LeadingAxes leading) {
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
            throw ArgumentError(text("an expression has operands of the shapes ", to_string(first), " and ",
                                     to_string(own), ", which cannot be broadcast to one"));
    }
    std::size_t dropped =
        to && leading == LeadingAxes::dropped && common_.rank() > to->rank() ? common_.rank() - to->rank() : 0;
    for (std::size_t axis = 0; axis < dropped; ++axis)
        if (common_[axis] != 1) dropped = 0;
    const std::size_t rank = common_.rank() - dropped;
    if (to) common_ = *to;  // broadcast_to() says what does not fit
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

ElementwiseKernel make_kernel(const ExpressionView& expression, const ExpressionOperands& operands) {
    ExpressionParts parts = expression_parts(expression, operands);
    std::vector<Parameter> arguments{VectorArg(expression.dtype, "out")};
    for (Parameter& argument : parts.arguments) arguments.push_back(std::move(argument));
    return ElementwiseKernel(std::move(arguments), "out[i] = " + parts.value, "expression",
                             {.preamble = std::move(parts.preamble)});
}

}  // namespace

CollectedExpression::CollectedExpression(const ExpressionView& expression) : view(expression) {
    expression.collect(expression.expression, operands);
    if (operands.with_double && operands.array_count > 0) {
        const Device& device = operands.arrays[0]->context().device();
        if (!device.info().has_double)
            throw ArgumentError(text("function '", operands.with_double->name, "' computes in double, which device ",
                                     device.info().name, " cannot; give it parameters and a result of float"));
    }
    if (!operands.exceeds) return;
    rest_.emplace(split(expression.any(expression.expression)));
    view = rest_->view();
    operands = ExpressionOperands();
    view.collect(view.expression, operands);
}

AnyArray evaluate(const ExpressionView& whole, const AnyArray* out, LeadingAxes leading) {
    static auto& kernels = *new Kernels<ElementwiseKernel>;
    CollectedExpression collected(whole);
    const ExpressionView& expression = collected.view;
    ExpressionOperands& operands = collected.operands;
    if (operands.array_count == 0)
        throw ArgumentError("an expression of numbers alone has no array to be evaluated for");
    const CallKey key = expression_key(expression, operands);
    BroadcastOperands broadcast;
    broadcast.broadcast(operands, out ? &out->shape() : nullptr, leading);
    if (out && out->buffer().context_id() != operands.arrays[0]->buffer().context_id() && !out->empty())
        throw ArgumentError(
            "an expression is assigned to an array of another context than its own; copy_to(context) brings its value "
            "there");
    if (out)
        for (std::size_t k = 0; k < operands.array_count; ++k)
            if (out->may_overlap(*operands.arrays[k]) && !same_elements(*out, *operands.arrays[k])) {
                const AnyArray value = evaluate(expression);
                out->assign(value);
                return *out;
            }
    const AnyArray result = out ? *out : AnyArray(operands.arrays[0]->context(), expression.dtype, broadcast.shape());
    const auto kernel = kernels.find(key, [&] { return make_kernel(expression, operands); });
    CallArguments arguments;
    arguments.add(CallArgument(result));
    for (std::size_t k = 0; k < operands.array_count; ++k) arguments.add(CallArgument(*operands.arrays[k]));
    for (std::size_t k = 0; k < operands.number_count; ++k) arguments.add(weak(operands.numbers[k]));
    kernel->run({}, arguments.span());
    return result;
}

std::string source(const ExpressionView& expression, const Dialect& dialect) {
    const CollectedExpression collected(expression);
    return make_kernel(collected.view, collected.operands).source(dialect);
}

}  // namespace gemel
