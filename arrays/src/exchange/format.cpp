#include "exchange/format.hpp"

#include <gemel/core/half.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace gemel {
namespace {

using Kind = DType::Kind;

template <class T>
T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// Floating types as double, which represents all their values.
struct FloatType {
    bool is_bfloat;
    std::size_t bytes;

    double value(const std::byte* at) const {
        if (is_bfloat) return float(read<bfloat16>(at));
        return bytes == 2 ? float(read<half>(at)) : bytes == 4 ? read<float>(at) : read<double>(at);
    }
    bool same(double a, double b) const {
        if (is_bfloat) return bfloat16(float(a)) == bfloat16(float(b));
        return bytes == 2 ? half(float(a)) == half(float(b)) : bytes == 4 ? float(a) == float(b) : a == b;
    }
    /// Above this, all numbers of an array are printed with exponents.
    double scientific_from() const { return bytes == 8 ? 1e8 : bytes == 4 ? 1e6 : is_bfloat ? 1e2 : 1e3; }
};

/// The decimal digits d.ddd and exponent of a finite value, without its sign.
struct Decimal {
    std::string digits;
    int exponent = 0;
};

Decimal parse(const char* begin, const char* end) {
    Decimal result;
    const char* e = std::find(begin, end, 'e');
    for (const char* c = begin; c != e; ++c)
        if (*c != '.') result.digits += *c;
    if (e != end) std::from_chars(e[1] == '+' ? e + 2 : e + 1, end, result.exponent);
    return result;
}

/// The fewest digits that identify this value among all of its type.
Decimal shortest(double value, const FloatType& type) {
    char buffer[64];
    if (type.bytes >= 4) {
        const auto end = type.bytes == 4 ? std::to_chars(buffer, buffer + 64, static_cast<float>(value),
                                                         std::chars_format::scientific)
                                         : std::to_chars(buffer, buffer + 64, value, std::chars_format::scientific);
        return parse(buffer, end.ptr);
    }
    for (int places = 0;; ++places) {
        const auto end = std::to_chars(buffer, buffer + 64, value, std::chars_format::scientific, places);
        double back = 0;
        std::from_chars(buffer, end.ptr, back);
        if (type.same(back, value) || places == 8) return parse(buffer, end.ptr);
    }
}

std::string formatted(double value, std::chars_format format, int places) {
    char buffer[400];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format, places).ptr);
}

void trim_zeros(std::string& number) {
    while (number.back() == '0') number.pop_back();
}

/// "12.5", "3.": at most `places` decimals, without trailing zeros.
std::string positional(double value, const FloatType& type, int places) {
    const Decimal exact = shortest(value, type);
    const int behind = static_cast<int>(exact.digits.size()) - 1 - exact.exponent;
    std::string result;
    if (behind > places) {
        result = formatted(value, std::chars_format::fixed, places);
    } else if (behind <= 0) {
        result = exact.digits + std::string(static_cast<std::size_t>(-behind), '0') + ".";
    } else if (exact.exponent >= 0) {
        result = exact.digits;
        result.insert(static_cast<std::size_t>(exact.exponent) + 1, 1, '.');
    } else {
        result = text("0.", std::string(static_cast<std::size_t>(-exact.exponent - 1), '0'), exact.digits);
    }
    if (result.find('.') == std::string::npos) result += '.';
    trim_zeros(result);
    return result;
}

/// Exactly `places` decimals.
Decimal scientific(double value, int places) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + 64, value, std::chars_format::scientific, places);
    return parse(buffer, end.ptr);
}

std::string exponent_text(int exponent, std::size_t min_digits) {
    std::string digits = std::to_string(std::abs(exponent));
    if (digits.size() < min_digits) digits.insert(0, min_digits - digits.size(), '0');
    return (exponent < 0 ? "e-" : "e+") + digits;
}

std::string padded(std::string number, std::size_t width) {
    if (number.size() < width) number.insert(0, width - number.size(), ' ');
    return number;
}

/// One format for all floating-point elements of an array: with or without exponents, aligned at the decimal point.
class FloatFormat {
   public:
    /// @param always_sign  print a plus sign too, for imaginary parts
    FloatFormat(FloatType type, const std::byte* first, std::size_t count, std::size_t step, bool always_sign)
        : type_(type), always_sign_(always_sign) {
        double largest = 0, smallest = std::numeric_limits<double>::infinity();
        bool has_finite = false, has_nan = false, has_infinity = false, has_negative_infinity = false;
        for (std::size_t i = 0; i < count; ++i) {
            const double value = type.value(first + i * step), size = std::fabs(value);
            has_nan |= std::isnan(value);
            has_infinity |= std::isinf(value);
            has_negative_infinity |= std::isinf(value) && value < 0;
            has_finite |= std::isfinite(value);
            if (!std::isfinite(value) || value == 0) continue;
            largest = std::max(largest, size);
            smallest = std::min(smallest, size);
        }
        is_scientific_ =
            largest != 0 && (largest >= type.scientific_from() || smallest < 0.0001 || is_wide(largest, smallest));
        for (std::size_t i = 0; i < count && has_finite; ++i)
            if (const double value = type.value(first + i * step); std::isfinite(value)) measure(value);
        if (is_scientific_) right_ = exponent_digits_ + 2 + static_cast<std::size_t>(places_);
        if (has_nan || has_infinity) {
            // "nan" occupies the width of a number and its point. NumPy reserves a sign for it as for infinities.
            const std::size_t shown = 3 + (always_sign_ || has_negative_infinity);
            if (shown > right_ + 1) left_ = std::max(left_, shown - right_ - 1);
        }
    }

    std::string operator()(double value) const {
        if (!std::isfinite(value)) {
            const std::string name = std::isnan(value) ? (always_sign_ ? "+nan" : "nan")
                                     : value < 0       ? "-inf"
                                     : always_sign_    ? "+inf"
                                                       : "inf";
            return padded(name, left_ + right_ + 1);
        }
        const std::string sign = std::signbit(value) ? "-" : always_sign_ ? "+" : "";
        if (is_scientific_) {
            Decimal decimal = scientific(std::fabs(value), places_);
            decimal.digits.insert(1, 1, '.');
            return padded(sign, left_ - 1) + decimal.digits + exponent_text(decimal.exponent, exponent_digits_);
        }
        std::string number = sign + positional(std::fabs(value), type_, max_places);
        const std::size_t behind = number.size() - number.find('.') - 1;
        number = padded(number, left_ + 1 + behind);
        return number + std::string(right_ - behind, ' ');
    }

   private:
    static constexpr int max_places = 8;

    /// Divides in the precision of the type, as NumPy does.
    bool is_wide(double largest, double smallest) const {
        if (type_.bytes == 4) return static_cast<float>(largest) / static_cast<float>(smallest) > 1000.0f;
        if (type_.bytes == 2 && !type_.is_bfloat)
            return float(half(static_cast<float>(largest) / static_cast<float>(smallest))) > 1000.0f;
        return largest / smallest > 1000;
    }

    void measure(double value) {
        const std::size_t sign = std::signbit(value) || always_sign_;
        if (is_scientific_) {
            Decimal decimal = shortest(std::fabs(value), type_);
            if (decimal.digits.size() > max_places + 1) decimal = scientific(std::fabs(value), max_places);
            while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
            places_ = std::max(places_, static_cast<int>(decimal.digits.size()) - 1);
            left_ = std::max(left_, sign + 1);
            exponent_digits_ = std::max(exponent_digits_, std::to_string(std::abs(decimal.exponent)).size());
        } else {
            const std::string number = positional(std::fabs(value), type_, max_places);
            const std::size_t point = number.find('.');
            left_ = std::max(left_, sign + point);
            right_ = std::max(right_, number.size() - point - 1);
        }
    }

    FloatType type_;
    bool always_sign_, is_scientific_ = false;
    std::size_t left_ = 0, right_ = 0;  ///< characters before and after the point
    std::size_t exponent_digits_ = 2;
    int places_ = 0;
};

std::string integer_text(const DType& dtype, const std::byte* at) {
    const bool is_signed = dtype.kind() == Kind::signed_integer;
    switch (dtype.size_bytes()) {
        case 1:
            return is_signed ? std::to_string(int(read<std::int8_t>(at))) : std::to_string(int(read<std::uint8_t>(at)));
        case 2:
            return is_signed ? std::to_string(int(read<std::int16_t>(at)))
                             : std::to_string(int(read<std::uint16_t>(at)));
        case 4: return is_signed ? std::to_string(read<std::int32_t>(at)) : std::to_string(read<std::uint32_t>(at));
        default: return is_signed ? std::to_string(read<std::int64_t>(at)) : std::to_string(read<std::uint64_t>(at));
    }
}

Formatter integer_formatter(const DType& dtype, const std::byte* first, std::size_t count, std::size_t step) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < count; ++i) width = std::max(width, integer_text(dtype, first + i * step).size());
    return [=](const std::byte* at) { return padded(integer_text(dtype, at), width); };
}

Formatter complex_formatter(const DType& dtype, const std::byte* first, std::size_t count, std::size_t step) {
    const FloatType part{false, dtype.size_bytes() / 2};
    const FloatFormat real(part, first, count, step, false), imaginary(part, first + part.bytes, count, step, true);
    return [=](const std::byte* at) {
        std::string imaginary_text = imaginary(part.value(at + part.bytes));
        // The j follows the last digit, before the padding.
        imaginary_text.insert(imaginary_text.find_last_not_of(' ') + 1, 1, 'j');
        return real(part.value(at)) + imaginary_text;
    };
}

/// Consecutive members: of a struct, an array in it, a vector.
struct Member {
    Formatter format;
    std::size_t offset;
};

Formatter tuple_formatter(std::vector<Member> members, char open, char close, const char* separator) {
    return [=](const std::byte* at) {
        std::string result(1, open);
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i > 0) result += separator;
            result += members[i].format(at + members[i].offset);
        }
        if (members.size() == 1 && open == '(') result += ',';
        return result += close;
    };
}

Formatter format_of(const DType& dtype, const std::byte* first, std::size_t count, std::size_t step, bool is_single);

Formatter struct_formatter(const StructLayout& layout, const std::byte* first, std::size_t count, std::size_t step,
                           bool is_single) {
    std::vector<Member> members;
    for (const StructField& field : layout.fields) {
        if (field.count == 1) {
            members.push_back(
                {format_of(field.dtype, first + field.offset_bytes, count, step, is_single), field.offset_bytes});
            continue;
        }
        // The elements of a fixed array share one format over all structs.
        std::vector<std::byte> gathered(count * field.count * field.dtype.size_bytes());
        const std::size_t bytes = field.count * field.dtype.size_bytes();
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(gathered.data() + i * bytes, first + i * step + field.offset_bytes, bytes);
        const Formatter format =
            format_of(field.dtype, gathered.data(), count * field.count, field.dtype.size_bytes(), is_single);
        std::vector<Member> elements;
        for (std::size_t k = 0; k < field.count; ++k) elements.push_back({format, k * field.dtype.size_bytes()});
        members.push_back({tuple_formatter(std::move(elements), '[', ']', ", "), field.offset_bytes});
    }
    return tuple_formatter(std::move(members), '(', ')', ", ");
}

Formatter vector_formatter(const DType& dtype, const std::byte* first, std::size_t count, std::size_t step) {
    const DType lane = dtype.lane();
    std::vector<Member> members;
    for (std::size_t k = 0; k < dtype.lanes(); ++k) {
        const std::size_t offset = k * lane.size_bytes();
        members.push_back({formatter_for(lane, first + offset, count, step), offset});
    }
    return tuple_formatter(std::move(members), '(', ')', ", ");
}

/// "1.5", "1e-05": what NumPy writes for a scalar.
std::string float_text(double value, const FloatType& type) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    const std::string sign = std::signbit(value) ? "-" : "";
    const double size = std::fabs(value);
    // For a scalar, only double uses exponents later than an array does.
    if (size == 0 || (size >= 1e-4 && size < (type.bytes == 8 ? 1e16 : type.scientific_from()))) {
        std::string number = positional(size, type, 400);
        if (number.back() == '.') number += '0';
        return sign + number;
    }
    const Decimal decimal = shortest(size, type);
    std::string number = decimal.digits;
    if (number.size() > 1) number.insert(1, 1, '.');
    return sign + number + exponent_text(decimal.exponent, 2);
}

/// "1", "1.5": the real or imaginary part of a complex scalar.
std::string part_text(double value, const FloatType& type) {
    std::string number = float_text(value, type);
    if (number.ends_with(".0")) number.resize(number.size() - 2);
    return number;
}

/// @param is_single  the struct is a scalar; NumPy then prints its floating-point fields as scalars
Formatter format_of(const DType& dtype, const std::byte* first, std::size_t count, std::size_t step, bool is_single) {
    if (dtype.lanes() > 1) return vector_formatter(dtype, first, count, step);
    switch (dtype.kind()) {
        case Kind::boolean: {
            const std::string yes = is_single && count == 1 ? "True" : " True";
            return [=](const std::byte* at) { return *at != std::byte{0} ? yes : std::string("False"); };
        }
        case Kind::signed_integer:
        case Kind::unsigned_integer: return integer_formatter(dtype, first, count, step);
        case Kind::floating:
        case Kind::bfloat: {
            const FloatType type{dtype.kind() == Kind::bfloat, dtype.size_bytes()};
            if (is_single) return [=](const std::byte* at) { return float_text(type.value(at), type); };
            const FloatFormat format(type, first, count, step, false);
            return [=](const std::byte* at) { return format(type.value(at)); };
        }
        case Kind::complex: return complex_formatter(dtype, first, count, step);
        case Kind::structure:
            if (dtype.layout()) return struct_formatter(*dtype.layout(), first, count, step, is_single);
            break;
        case Kind::none: break;
    }
    return [](const std::byte*) { return std::string("?"); };
}

}  // namespace

Formatter formatter_for(const DType& dtype, const std::byte* first, std::size_t count, std::size_t step) {
    return format_of(dtype, first, count, step, false);
}

std::string scalar_text(const DType& dtype, const std::byte* element) {
    if (dtype.lanes() == 1) {
        if (dtype.kind() == Kind::boolean) return *element != std::byte{0} ? "True" : "False";
        if (dtype.is_floating()) {
            const FloatType type{dtype.kind() == Kind::bfloat, dtype.size_bytes()};
            return float_text(type.value(element), type);
        }
        if (dtype.kind() == Kind::complex) {
            const FloatType part{false, dtype.size_bytes() / 2};
            const double re = part.value(element), im = part.value(element + part.bytes);
            const std::string imaginary = part_text(im, part);
            if (re == 0 && !std::signbit(re)) return imaginary + "j";
            const char* plus = std::signbit(im) && !std::isnan(im) ? "" : "+";
            return text("(", part_text(re, part), plus, imaginary, "j)");
        }
    }
    return format_of(dtype, element, 1, dtype.size_bytes(), true)(element);
}

}  // namespace gemel
