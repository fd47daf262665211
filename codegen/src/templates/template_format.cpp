/// The filter `format`: '%08x'|format(n).
#include "templates/template_filters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace gemel::codegen {

namespace {

using Arguments = TemplateArguments;

/// One conversion of `format`, such as "%-08.3f", split into its parts.
struct Conversion {
    bool left = false, zeros = false, plus = false, prefix = false;
    std::size_t width = 0;
    int precision = -1;
    char letter = 0;
};

std::string converted(const Conversion& c, const Value& value, Arguments& arguments) {
    char buffer[800];
    std::string digits, sign;
    if (c.letter == 's') {
        digits = value.text();
        if (c.precision >= 0) digits.resize(std::min(digits.size(), static_cast<std::size_t>(c.precision)));
    } else if (c.letter == 'd' || c.letter == 'i' || c.letter == 'x' || c.letter == 'X' || c.letter == 'o') {
        Arguments none(arguments.site(), "format", {}, {});
        const Value number = apply_filter("int", value, none);
        const bool is_negative = less(arguments.site(), number, 0);
        const Value size = is_negative && number.as_signed() != std::numeric_limits<std::int64_t>::min()
                               ? Value(-number.as_signed())
                               : number;
        const std::uint64_t bits =
            size.is_unsigned() ? size.as_unsigned() : static_cast<std::uint64_t>(size.as_signed());
        const int base = c.letter == 'o' ? 8 : c.letter == 'x' || c.letter == 'X' ? 16 : 10;
        digits.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, bits, base).ptr);
        if (c.letter == 'X')
            for (char& d : digits) d = d >= 'a' && d <= 'f' ? static_cast<char>(d - 'a' + 'A') : d;
        if (c.precision > 0 && digits.size() < static_cast<std::size_t>(c.precision))
            digits.insert(0, static_cast<std::size_t>(c.precision) - digits.size(), '0');
        sign = is_negative ? "-" : c.plus ? "+" : "";
        if (c.prefix && base == 16) sign += c.letter == 'X' ? "0X" : "0x";
    } else {
        const double number = floating_of(arguments.site(), value);
        const auto format = c.letter == 'f'   ? std::chars_format::fixed
                            : c.letter == 'e' ? std::chars_format::scientific
                                              : std::chars_format::general;
        digits.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, std::fabs(number), format,
                                            c.precision < 0 ? 6 : c.precision)
                                  .ptr);
        sign = std::signbit(number) ? "-" : c.plus ? "+" : "";
    }
    const std::size_t size = sign.size() + digits.size();
    if (size >= c.width) return sign + digits;
    if (c.left) return sign + digits + std::string(c.width - size, ' ');
    if (c.zeros && c.letter != 's') return sign + std::string(c.width - size, '0') + digits;
    return std::string(c.width - size, ' ') + sign + digits;
}

}  // namespace

Value format_filter(const Value& input, Arguments& arguments) {
    const std::string pattern = input.text();
    std::string result;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            result += pattern[i];
            continue;
        }
        Conversion c;
        for (++i; i < pattern.size(); ++i) {
            if (pattern[i] == '-')
                c.left = true;
            else if (pattern[i] == '0')
                c.zeros = true;
            else if (pattern[i] == '+')
                c.plus = true;
            else if (pattern[i] == '#')
                c.prefix = true;
            else
                break;
        }
        const auto number = [&](std::size_t most) {
            std::size_t value = 0;
            for (; i < pattern.size() && pattern[i] >= '0' && pattern[i] <= '9'; ++i)
                value = std::min(most, value * 10 + static_cast<std::size_t>(pattern[i] - '0'));
            return value;
        };
        c.width = number(1000);
        if (i < pattern.size() && pattern[i] == '.') {
            ++i;
            c.precision = static_cast<int>(number(300));
        }
        c.letter = i < pattern.size() ? pattern[i] : '\0';
        if (c.letter == '%') {
            result += '%';
            continue;
        }
        if (c.letter == '\0' || std::string("sdixXoefg").find(c.letter) == std::string::npos)
            arguments.fail("knows %s %d %x %X %o %e %f %g and %%");
        result += converted(c, arguments.need("value"), arguments);
    }
    return result;
}

}  // namespace gemel::codegen
