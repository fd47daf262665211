/// Operators of templates.
#include "templates/template_arithmetic.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace gemel::codegen {

namespace {

/// Wide enough for the sum, difference and product of two 64-bit integers.
__extension__ typedef __int128 Wide;

bool is_integral(const Value& value) { return value.is_integer() || value.is_bool(); }

Wide wide(const Value& value) {
    if (value.is_bool()) return value.as_bool();
    return value.is_signed() ? static_cast<Wide>(value.as_signed()) : static_cast<Wide>(value.as_unsigned());
}

Value narrow(const TemplateSite& site, Wide value) {
    if (value < std::numeric_limits<std::int64_t>::min() || value > std::numeric_limits<std::uint64_t>::max())
        site.fail("the result does not fit 64 bits");
    if (value < 0) return static_cast<std::int64_t>(value);
    return static_cast<std::uint64_t>(value);
}

/// Rounds towards minus infinity, as in Python.
Wide floor_divide(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

struct Division {
    double quotient, rest;
};

/// As in Python, the quotient comes from the exact remainder, so that 1 // 0.1 is 9; a zero has the sign of the
/// quotient.
Division floor_divide(double a, double b) {
    double rest = std::fmod(a, b), quotient = (a - rest) / b;
    if (rest == 0) {
        rest = std::copysign(0.0, b);
    } else if ((rest < 0) != (b < 0)) {
        rest += b;
        quotient -= 1;
    }
    if (quotient == 0) return {std::copysign(0.0, a / b), rest};
    const double whole = std::floor(quotient);
    return {quotient - whole > 0.5 ? whole + 1 : whole, rest};
}

Value integer_power(const TemplateSite& site, Wide base, Wide exponent) {
    if (exponent < 0 && base == 0) site.fail("division by zero: 0 has no negative powers");
    if (exponent < 0) return std::pow(static_cast<double>(base), static_cast<double>(exponent));
    if (base == 0 || base == 1) return narrow(site, exponent == 0 ? 1 : base);
    if (base == -1) return narrow(site, exponent % 2 == 0 ? 1 : -1);
    Wide result = 1;
    for (; exponent > 0; --exponent) {
        if (__builtin_mul_overflow(result, base, &result)) site.fail("the result does not fit 64 bits");
        narrow(site, result);
    }
    return narrow(site, result);
}

Value on_integers(const TemplateSite& site, const std::string& name, Wide a, Wide b) {
    if ((name == "/" || name == "//" || name == "%") && b == 0) site.fail("division by zero");
    if (name == "+") return narrow(site, a + b);
    if (name == "-") return narrow(site, a - b);
    if (name == "*") {
        // The product of two unsigned 64-bit integers may need all 128 bits.
        Wide product = 0;
        if (__builtin_mul_overflow(a, b, &product)) site.fail("the result does not fit 64 bits");
        return narrow(site, product);
    }
    if (name == "/") return static_cast<double>(a) / static_cast<double>(b);
    if (name == "//") return narrow(site, floor_divide(a, b));
    if (name == "%") return narrow(site, a - floor_divide(a, b) * b);
    return integer_power(site, a, b);
}

Value on_floats(const TemplateSite& site, const std::string& name, double a, double b) {
    if ((name == "/" || name == "//" || name == "%") && b == 0) site.fail("division by zero");
    if (name == "+") return a + b;
    if (name == "-") return a - b;
    if (name == "*") return a * b;
    if (name == "/") return a / b;
    if (name == "//") return floor_divide(a, b).quotient;
    if (name == "%") return floor_divide(a, b).rest;
    if (a == 0 && b < 0) site.fail("division by zero: 0 has no negative powers");
    const double power = std::pow(a, b);
    if (std::isnan(power) && a < 0 && std::isfinite(b)) site.fail("this power of a negative number is not real");
    if (std::isinf(power) && std::isfinite(a) && std::isfinite(b)) site.fail("the result does not fit a double");
    return power;
}

Value repeated(const TemplateSite& site, const Value& what, Wide count) {
    const Wide size = what.is_string() ? what.as_string().size() : what.as_list().size();
    const Wide most = what.is_string() ? static_cast<Wide>(max_bytes) : static_cast<Wide>(max_elements);
    if (size == 0) return what;
    if (count > most / size) site.fail("the result is too long");
    const auto total = static_cast<std::size_t>(count > 0 ? count * size : 0);
    if (what.is_string()) {
        site.spend_bytes(total);
        std::string result;
        for (Wide i = 0; i < count; ++i) result += what.as_string();
        return result;
    }
    site.spend(total);
    Value::List result;
    for (Wide i = 0; i < count; ++i) result.insert(result.end(), what.as_list().begin(), what.as_list().end());
    return result;
}

int sign_between(const auto& a, const auto& b) { return a < b ? -1 : a > b; }

/// The sign of a - b, without rounding; empty for NaN, which is unordered.
std::optional<int> sign_of_numbers(const Value& a, const Value& b) {
    if (is_integral(a) && is_integral(b)) return sign_between(wide(a), wide(b));
    if (is_integral(a)) {
        const std::optional<int> sign = sign_of_numbers(b, a);
        return sign ? std::optional(-*sign) : sign;
    }
    const double x = a.as_floating();
    if (std::isnan(x)) return std::nullopt;
    if (b.is_floating())
        return std::isnan(b.as_floating()) ? std::nullopt : std::optional(sign_between(x, b.as_floating()));
    if (!(std::fabs(x) < 0x1p65)) return x < 0 ? -1 : 1;
    const double whole = std::trunc(x);
    const int sign = sign_between(static_cast<Wide>(whole), wide(b));
    return sign != 0 ? sign : sign_between(x, whole);
}

int sign_of_difference(const TemplateSite& site, const Value& a, const Value& b) {
    site.spend(1);
    if (is_number(a) && is_number(b)) return sign_of_numbers(a, b).value_or(0);
    if (a.is_string() && b.is_string()) {
        site.spend_bytes(std::min(a.as_string().size(), b.as_string().size()));
        const int sign = a.as_string().compare(b.as_string());
        return sign < 0 ? -1 : sign > 0;
    }
    if (a.is_list() && b.is_list()) {
        const Value::List &x = a.as_list(), &y = b.as_list();
        for (std::size_t i = 0; i < x.size() && i < y.size(); ++i)
            if (!equal(site, x[i], y[i])) return sign_of_difference(site, x[i], y[i]);
        return x.size() < y.size() ? -1 : x.size() > y.size();
    }
    site.fail(text("cannot order ", a.kind(), " and ", b.kind()));
}

bool contains(const TemplateSite& site, const Value& all, const Value& one) {
    if (all.is_string()) {
        if (!one.is_string()) site.fail(text("'in' a string looks for a string, not for ", one.kind()));
        return find_text(site, all.as_string(), one.as_string()) != std::string::npos;
    }
    if (all.is_map()) return one.is_string() && all.as_map().contains(one.as_string());
    if (!all.is_list()) site.fail(text("expected a list, a string or a map after 'in', found ", all.kind()));
    for (const Value& element : all.as_list())
        if (equal(site, element, one)) return true;
    return false;
}

}  // namespace

std::size_t find_text(const TemplateSite& site, const std::string& all, const std::string& one, std::size_t from) {
    site.spend_bytes(one.size());
    // std::string::find can take time proportional to the product of both lengths.
    const char* const begin = all.data() + from;
    const void* const found = ::memmem(begin, all.size() - from, one.data(), one.size());
    const std::size_t looked_at =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - begin) : all.size() - from;
    site.spend_bytes(looked_at + 16);
    return found ? from + looked_at : std::string::npos;
}

bool is_number(const Value& value) { return is_integral(value) || value.is_floating(); }

double floating_of(const TemplateSite& site, const Value& value) {
    if (value.is_floating()) return value.as_floating();
    if (is_integral(value)) return static_cast<double>(wide(value));
    site.fail(text("expected a number, found ", value.kind()));
}

std::int64_t integer_of(const TemplateSite& site, const Value& value, const std::string& what) {
    if (value.is_bool()) return value.as_bool();
    if (value.is_signed()) return value.as_signed();
    if (value.is_unsigned()) site.fail(text(what, " is too large: ", value.text()));
    site.fail(text("expected an integer as ", what, ", found ", value.kind()));
}

Value::List elements_of(const TemplateSite& site, const Value& value, const std::string& what) {
    if (value.is_list()) {
        site.spend(value.as_list().size());
        return value.as_list();
    }
    Value::List list;
    if (value.is_string()) {
        site.spend(value.as_string().size());
        for (const char c : value.as_string()) list.push_back(Value(c));
    } else if (value.is_map()) {
        for (const auto* entry : value.entries()) list.push_back(Value(entry->first));
    } else {
        site.fail(text("expected a list ", what, ", found ", value.kind()));
    }
    return list;
}

bool equal(const TemplateSite& site, const Value& a, const Value& b) {
    site.spend(1);
    if (is_number(a) && is_number(b)) return sign_of_numbers(a, b) == 0;
    if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
    if (a.is_string() && b.is_string()) {
        if (a.as_string().size() != b.as_string().size()) return false;
        site.spend_bytes(a.as_string().size());
        return a.as_string() == b.as_string();
    }
    if (a.is_list() && b.is_list()) {
        if (&a.as_list() == &b.as_list()) return true;
        if (a.as_list().size() != b.as_list().size()) return false;
        for (std::size_t i = 0; i < a.as_list().size(); ++i)
            if (!equal(site, a.as_list()[i], b.as_list()[i])) return false;
        return true;
    }
    if (!a.is_map() || !b.is_map() || a.as_map().size() != b.as_map().size()) return false;
    for (const auto& [name, value] : a.as_map()) {
        const auto other = b.as_map().find(name);
        if (other == b.as_map().end() || !equal(site, value, other->second)) return false;
    }
    return true;
}

bool less(const TemplateSite& site, const Value& a, const Value& b) { return sign_of_difference(site, a, b) < 0; }

Value apply_binary(const TemplateSite& site, const std::string& name, const Value& a, const Value& b) {
    if (name == "~" || (name == "+" && a.is_string() && b.is_string())) {
        std::string result = a.text() + b.text();
        if (result.size() > max_bytes) site.fail("the result is too long");
        site.spend_bytes(result.size());
        return result;
    }
    if (is_integral(a) && is_integral(b)) return on_integers(site, name, wide(a), wide(b));
    if (is_number(a) && is_number(b)) return on_floats(site, name, floating_of(site, a), floating_of(site, b));
    if (name == "+" && a.is_list() && b.is_list()) {
        Value::List result = a.as_list();
        if (result.size() + b.as_list().size() > static_cast<std::size_t>(max_elements))
            site.fail("the result is too long");
        site.spend(result.size() + b.as_list().size());
        result.insert(result.end(), b.as_list().begin(), b.as_list().end());
        return result;
    }
    const auto is_sequence = [](const Value& v) { return v.is_string() || v.is_list(); };
    if (name == "*" && is_sequence(a) && is_integral(b)) return repeated(site, a, wide(b));
    if (name == "*" && is_integral(a) && is_sequence(b)) return repeated(site, b, wide(a));
    const bool wants_tilde = name == "+" && (a.is_string() || b.is_string());
    site.fail(text("'", name, "' does not take ", a.kind(), " and ", b.kind(),
                   wants_tilde ? "; '~' puts values of any kind together as text" : ""));
}

Value apply_unary(const TemplateSite& site, const std::string& name, const Value& a) {
    if (name == "not") return !a.truth();
    if (a.is_floating()) return name == "-" ? -a.as_floating() : a.as_floating();
    if (!is_integral(a)) site.fail(text("'", name, "' takes a number, not ", a.kind()));
    return narrow(site, name == "-" ? -wide(a) : wide(a));
}

bool apply_comparison(const TemplateSite& site, const std::string& name, const Value& a, const Value& b) {
    if (name == "==") return equal(site, a, b);
    if (name == "!=") return !equal(site, a, b);
    if (name == "in") return contains(site, b, a);
    if (name == "not in") return !contains(site, b, a);
    const bool is_nan =
        (a.is_floating() && std::isnan(a.as_floating())) || (b.is_floating() && std::isnan(b.as_floating()));
    const int sign = sign_of_difference(site, a, b);
    if (is_nan) return false;
    return name == "<" ? sign < 0 : name == ">" ? sign > 0 : name == "<=" ? sign <= 0 : sign >= 0;
}

}  // namespace gemel::codegen
