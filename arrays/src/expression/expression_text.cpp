/// The text of an expression: a C value of one element, or of a vector of elements.
#include "expression/expression_kernel.hpp"
#include "expression/function_definition.hpp"

#include <gemel/codegen/wide_vector.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <type_traits>

namespace gemel {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

/// A C expression that converts a value from one type to another.
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

/// Keeps lines that begin with a kind of number ("%real ") for that kind only.
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

/// The placeholder for part number `index`; no C text contains it.
std::string part_name(std::size_t index) { return text('\x01', index, '\x01'); }

/// Calls `f` for each placeholder in a text with the number of the part, and the begin and end of the placeholder.
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

// For vectors of float or double, OpenCL has these operations as for scalars. CPU compilers do not vectorise the first
// ones themselves, because the scalar versions branch or are too long for inlining.
constexpr std::string_view gaining[] = {"sin",   "cos",   "tan",   "sinh", "cosh", "asin",  "acos",  "atan",
                                        "asinh", "acosh", "atanh", "log",  "log2", "log10", "log1p", "exp2",
                                        "exp10", "expm1", "cbrt",  "erf",  "erfc", "pow",   "atan2", "hypot"};
// For float vectors, PoCL's versions lose all digits of small elements next to a large one; for double vectors they are
// correct.
constexpr std::string_view through_double[] = {"sin", "cos", "tan"};
constexpr std::string_view alike[] = {"operator+", "operator-", "operator*", "operator/", "exp",    "sqrt",
                                      "tanh",      "square",    "abs",       "minimum",   "maximum"};
/// More deeply nested parts become constants: compilers limit the nesting of parentheses.
constexpr std::size_t deepest_nesting = 48;

bool is_among(std::string_view name, std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string detail::ExpressionText::array(DType own, DType as) {
    vectors_fit_ &= vector_.empty() || (own == as && is_lane(as));
    return converted(element(operands_.uses[use_++]), own, as);
}

std::string detail::ExpressionText::number(DType as) {
    const std::string name = text("s", numbers.size());
    numbers.push_back(ScalarArg(as, name));
    vectors_fit_ &= vector_.empty() || is_lane(as);
    return vector_.empty() ? name : text("((", codegen::value_type(vector_), ")", name, ")");
}

bool detail::ExpressionText::is_lane(DType dtype) const { return dtype == vector_.lane(); }

/// The text of array number k.
std::string detail::ExpressionText::element(std::size_t k) const {
    return vector_.empty() ? text("x", k, "[i]") : codegen::load_wide(vector_, text("x", k, " + first"));
}

/// Whether the text is the name of number k.
bool detail::ExpressionText::is_number(const std::string& operand, std::size_t k) const {
    return operand == numbers[k].name || (!vector_.empty() && operand.ends_with(text(")", numbers[k].name, ")")));
}

/// The text of the operation for these operands.
const codegen::Operation& detail::ExpressionText::row_for(const codegen::OperationType& type, DType computed,
                                                          std::span<const std::string> operands) const {
    if (type.rule == codegen::TypeRule::power && computed.kind() != DType::Kind::complex)
        for (std::size_t k = 0; k < numbers.size(); ++k)
            if (const std::uint8_t which = operands_.cheap_power_of(k); which != 0 && is_number(operands[1], k))
                return codegen::cheap_power_row(which);
    return codegen::row_of(type);
}

std::string detail::ExpressionText::apply(const codegen::OperationType& type, DType common, DType result, DType as,
                                          std::span<const std::string> operands) {
    DType computed = codegen::computed_type(type, common, result);
    const codegen::Operation& operation = row_for(type, computed, operands);
    if (!vector_.empty()) {
        const bool gains = is_among(type.name, gaining) && operation.helper == codegen::row_of(type).helper;
        vectors_gain_ |= gains;
        vectors_fit_ &= (gains || is_among(type.name, alike) || type.rule == codegen::TypeRule::power) &&
                        is_lane(computed) && is_lane(common) && is_lane(result) && is_lane(as);
        // PoCL's pow() of double vectors is wrong if another element is zero or infinite.
        if (gains && type.rule == codegen::TypeRule::power && result == dtype_of<double>()) vectors_fit_ = false;
        if (!vectors_fit_) return "0";
        if (is_among(type.name, through_double) && result == dtype_of<float>())
            return named(as, codegen::call_in_wide_double(vector_, type.name, operands[0]));
        computed = vector_;
    }
    const bool is_complex = computed.kind() == DType::Kind::complex;
    std::string value = is_complex ? operation.complex_text : operation.text;
    if (value.empty())
        throw ArgumentError(text("the operation \"", operation.text, "\" is not defined for complex numbers"));
    if (value == "exp(#1)" && computed.is_floating() && computed.lane().size_bytes() <= 4)
        value = computed.is_16_bit_float() ? "gemel_short_exp(#1)" : "gemel_element_exp(#1)";
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
    // C computes small integers in int, but NumPy's wrap around.
    const bool is_truth = operation.rule == codegen::TypeRule::truth || operation.rule == codegen::TypeRule::comparison;
    if (result.kind() == DType::Kind::boolean && !is_truth) {
        value = text("(", value, " != 0)");
    } else if (result.is_integer() && (result.size_bytes() < 4 || !wrapping.empty())) {
        value = text("(", codegen::value_type(result), ")", value);
    } else if (operation.compute == codegen::Compute::by_cast && result.is_16_bit_float()) {
        value = codegen::load_text(result, codegen::store_text(result, value));  // rounds; the value stays a float
    }
    return named(as, converted(value, result, as));
}

/// The name of a value in the texts of others.
std::string detail::ExpressionText::named(DType as, std::string text) {
    Part part{codegen::value_type(vector_.empty() ? as : vector_), std::move(text)};
    const auto known = std::find_if(parts_.begin(), parts_.end(),
                                    [&](const Part& p) { return p.text == part.text && p.type == part.type; });
    const auto index = static_cast<std::size_t>(known - parts_.begin());
    if (known == parts_.end()) parts_.push_back(std::move(part));
    return part_name(index);
}

std::string detail::ExpressionText::value(const std::string& text, DType own, DType as) const {
    return converted(text, own, as);
}

detail::ExpressionText::Statements detail::ExpressionText::statements(std::span<const std::string> values) const {
    // Counts the uses of each part; users come after the parts that they use.
    std::vector<std::size_t> uses(parts_.size()), depth(parts_.size());
    const auto count_in = [&](const std::string& text) {
        for_each_part(text, [&](std::size_t part) { ++uses[part]; });
    };
    for (const std::string& value : values) count_in(value);
    for (std::size_t k = parts_.size(); k-- > 0;)
        if (uses[k]) count_in(parts_[k].text);

    std::vector<std::string> names(parts_.size());
    const auto expanded = [&](const std::string& text) {
        std::string out;
        std::size_t from = 0;
        for_each_part(text, [&](std::size_t part, std::size_t begin, std::size_t end) {
            out.append(text, from, begin - from).append(names[part]);
            from = end;
        });
        return out.append(text, from);
    };
    Statements all;
    std::size_t named = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        if (!uses[k]) continue;
        names[k] = expanded(parts_[k].text);
        for_each_part(parts_[k].text, [&](std::size_t part) { depth[k] = std::max(depth[k], depth[part] + 1); });
        if (uses[k] == 1 && depth[k] < deepest_nesting) continue;
        const std::string name = text("t", named++);
        all.text += text("const ", parts_[k].type, " ", name, " = ", names[k], ";\n");
        names[k] = name;
        depth[k] = 0;
    }
    for (const std::string& value : values) all.values.push_back(expanded(value));
    return all;
}

std::string detail::ExpressionText::whole(const std::string& value) {
    auto [statements, values] = this->statements({&value, 1});
    std::string result = std::move(values[0]);
    if (statements.empty()) return result;
    std::string body;
    std::istringstream lines(statements);
    for (std::string line; std::getline(lines, line);) body += "    " + line + '\n';

    std::vector<std::string> parameters, given;
    for (std::size_t k = 0; k < operands_.array_count; ++k) {
        const std::string name = text("x", k), own = element(k);
        const DType dtype = vector_.empty() ? operands_.arrays[k]->dtype() : vector_;
        parameters.push_back(codegen::value_type(dtype) + " " + name);
        given.push_back(own);
        replace_all(body, own, name);
        replace_all(result, own, name);
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

std::string detail::ExpressionText::call(const FunctionDefinition& function, DType as,
                                         std::span<const std::string> operands) {
    vectors_fit_ &= vector_.empty();
    // A name that is used neither in the surrounding text nor by another function.
    std::size_t k = 0;
    while (k < called_.size() && called_[k] != &function) ++k;
    const std::string name = text(function.name, "_function", k == 0 ? "" : text("_", k + 1));
    if (k == called_.size()) {
        called_.push_back(&function);
        if (preamble.find(function.preamble) == std::string::npos) preamble += function.preamble;
        preamble += function.text(name);
    }
    const auto rounded = [](DType type, const std::string& value) {
        const bool is_short = type.is_16_bit_float();
        return is_short ? codegen::load_text(type, codegen::store_text(type, value)) : value;
    };
    std::vector<std::string> values;
    for (std::size_t i = 0; i < operands.size(); ++i) values.push_back(rounded(function.types[i], operands[i]));
    return named(as, converted(rounded(function.result, text(name, "(", join(values), ")")), function.result, as));
}

}  // namespace gemel
