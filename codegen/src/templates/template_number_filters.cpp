/// The filters `abs`, `float`, `int` and `round`.
#include "templates/template_filters.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gemel::codegen {

namespace {

/// Without surrounding whitespace and a leading '+'.
std::string digits_of(const std::string& text) {
    const char* const blanks = " \t\r\n\f\v";
    const std::size_t from = text.find_first_not_of(blanks);
    if (from == std::string::npos) return {};
    std::string digits = text.substr(from, text.find_last_not_of(blanks) - from + 1);
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.erase(0, 1);
    return digits;
}

std::optional<double> read_float(const std::string& digits) {
    double value = 0;
    const char* const end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
}

/// Rounds towards 0; empty if it does not fit 64 bits.
std::optional<Value> whole_part(double value) {
    value = std::trunc(value);
    if (value >= -0x1p63 && value < 0x1p63) return Value(static_cast<std::int64_t>(value));
    if (value > 0 && value < 0x1p64) return Value(static_cast<std::uint64_t>(value));
    return std::nullopt;
}

std::optional<Value> read_integer(const TemplateSite& site, std::string digits, std::int64_t base) {
    const bool is_negative = digits.starts_with('-');
    if (is_negative) digits.erase(0, 1);
    const char letter = digits.size() > 1 && digits[0] == '0' ? static_cast<char>(digits[1] | 0x20) : ' ';
    const int prefix = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
    if (prefix != 0 && (base == 0 || base == prefix)) digits.erase(0, 2);
    const int real_base = base != 0 ? static_cast<int>(base) : prefix != 0 ? prefix : 10;
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value, real_base);
    if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
    return is_negative ? apply_unary(site, "-", value) : Value(value);
}

std::string shown(const Value& input) { return input.is_string() ? text("'", input.as_string(), "'") : input.kind(); }

/// Rounds to a multiple of `step`, ties to even.
double round_to(double value, double step) {
    const double rest = std::fmod(std::fabs(value), step), below = std::fabs(value) - rest;
    const bool goes_up = rest > step - rest || (rest == step - rest && std::fmod(below, 2 * step) != 0);
    return std::copysign(goes_up ? below + step : below, value);
}

/// The same for integers, which stay exact. @param step  a power of ten
Value round_to(const TemplateSite& site, const Value& value, const Value& step) {
    const Value rest = apply_binary(site, "%", value, step), missing = apply_binary(site, "-", step, rest);
    const Value below = apply_binary(site, "-", value, rest);
    const bool is_odd = apply_binary(site, "%", apply_binary(site, "//", below, step), 2).truth();
    const bool goes_up = less(site, missing, rest) || (is_odd && equal(site, missing, rest));
    return goes_up ? apply_binary(site, "+", below, step) : below;
}

}  // namespace

Value int_filter(const Value& input, TemplateArguments& arguments) {
    const std::optional<Value> otherwise = arguments.take("default");
    const std::int64_t base = arguments.take_integer("base", 10);
    if (base != 0 && (base < 2 || base > 36)) arguments.fail("takes a base from 2 to 36, or 0");
    if (input.is_integer()) return input;
    if (input.is_bool()) return static_cast<int>(input.as_bool());
    std::optional<double> number;
    if (input.is_floating()) number = input.as_floating();
    if (input.is_string()) {
        const std::string digits = digits_of(input.as_string());
        if (const std::optional<Value> whole = read_integer(arguments.site(), digits, base)) return *whole;
        number = read_float(digits);
    }
    if (number)
        if (const std::optional<Value> whole = whole_part(*number)) return *whole;
    if (otherwise) return *otherwise;
    arguments.fail("cannot make an integer of " + shown(input));
}

Value float_filter(const Value& input, TemplateArguments& arguments) {
    const std::optional<Value> otherwise = arguments.take("default");
    if (is_number(input)) return floating_of(arguments.site(), input);
    if (input.is_string())
        if (const std::optional<double> value = read_float(digits_of(input.as_string()))) return *value;
    if (otherwise) return *otherwise;
    arguments.fail("cannot make a float of " + shown(input));
}

Value round_filter(const Value& input, TemplateArguments& arguments) {
    const std::int64_t precision = arguments.take_integer("precision", 0);
    const std::optional<Value> method = arguments.take("method");
    const std::string how = method ? method->text() : "common";
    const double value = floating_of(arguments.site(), input);
    if (how != "common" && how != "ceil" && how != "floor")
        arguments.fail("takes 'common', 'ceil' or 'floor' as 'method', not '" + how + "'");
    if (precision < -300 || precision > 300) arguments.fail("takes a precision from -300 to 300");
    if (!std::isfinite(value)) return value;
    const double scale = std::pow(10.0, static_cast<double>(precision));
    if (how != "common") return (how == "ceil" ? std::ceil(value * scale) : std::floor(value * scale)) / scale;
    if (!input.is_floating() && precision >= 0) return input;
    if (precision < 0 && input.is_floating()) return round_to(value, std::pow(10.0, static_cast<double>(-precision)));
    if (precision < -19) return 0;  // no 64-bit integer is half as large
    if (precision < 0) return round_to(arguments.site(), input, apply_binary(arguments.site(), "**", 10, -precision));
    char buffer[700];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, static_cast<int>(precision)).ptr;
    double result = 0;
    std::from_chars(buffer, end, result);
    return result;
}

Value abs_filter(const Value& input, TemplateArguments& arguments) {
    if (input.is_floating()) return std::fabs(input.as_floating());
    if (!is_number(input)) arguments.fail("takes a number, not " + input.kind());
    return less(arguments.site(), input, 0) ? apply_unary(arguments.site(), "-", input) : input;
}

}  // namespace gemel::codegen
