#include <gemel/arrays/creation.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"
#include "elements/array_kernels.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace gemel {
namespace {

using Kind = DType::Kind;

template <class N>
void write_progression(const AnyArray& to, N start, N step, N last, bool has_last) {
    if (to.size() == 0) return;
    const std::int64_t last_index = has_last ? static_cast<std::int64_t>(to.size()) - 1 : -1;
    if constexpr (std::is_floating_point_v<N>) {
        if (!to.context().device().info().has_double) {
            progression_kernel(to.dtype(), "float")(static_cast<float>(start), static_cast<float>(step),
                                                    static_cast<float>(last), last_index, to);
            return;
        }
    }
    progression_kernel(to.dtype(), std::is_floating_point_v<N> ? "double" : "int64_t")(start, step, last, last_index,
                                                                                       to);
}

template <class N>
[[noreturn]] void refuse_range(N start, N stop, N step, const char* why) {
    throw ArgumentError(text("arange: from ", start, " to ", stop, " by ", step, ": ", why));
}

/// Does the integer type hold the value?
bool holds(const DType& dtype, __int128 value) {
    const int bits = static_cast<int>(8 * dtype.size_bytes());
    if (dtype.kind() == Kind::unsigned_integer) return value >= 0 && value >> bits == 0;
    return value >= -(__int128{1} << (bits - 1)) && value < __int128{1} << (bits - 1);
}

/// Does the integer type hold the whole part of the value?
bool holds_floor(const DType& dtype, double value) {
    return std::abs(value) < 0x1p65 && holds(dtype, static_cast<__int128>(std::floor(value)));
}

}  // namespace

void detail::refuse_value(const char* who, double value, DType dtype) {
    const bool is_integer = std::isfinite(value) && value == std::trunc(value);
    const bool has_all_digits = is_integer && std::abs(value) < 0x1p53;
    throw ArgumentError(text(who, ": ", has_all_digits ? std::to_string(static_cast<std::int64_t>(value)) : text(value),
                             " is not a value of ", dtype.name(),
                             !is_integer ? "; round it, or use a floating type"
                             : value < 0 && dtype.kind() == Kind::unsigned_integer ? "; use a signed type"
                                                                                   : "; use a wider type"));
}

std::int64_t detail::checked_bound(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw ArgumentError(text("arange: the bound ", value, " needs more than 63 bits"));
    return static_cast<std::int64_t>(value);
}

void detail::require_elements(std::size_t given, const Shape& shape) {
    if (given != shape.count())
        throw ArgumentError(text("to_gpu: the host range has ", counted(given, "element"), ", shape ", to_string(shape),
                                 " needs ", shape.count()));
}

AnyArray zeros(const Context& context, DType dtype, const Shape& shape, Order order) {
    AnyArray result(context, dtype, shape, order);
    if (result.size() != 0) result.buffer().fill(std::uint8_t{0});
    return result;
}

AnyArray empty_like(const Context& context, const AnyArray& like) {
    const AnyArray memory(context, like.dtype(), like.shape());
    return AnyArray(memory.buffer(), like.dtype(), like.shape(), strides_like(like.shape(), like.strides()));
}

AnyArray full_like(const Context& context, const AnyArray& like, const AnyNumber* value) {
    const AnyArray result = empty_like(context, like);
    if (value) {
        result.fill(*value);
    } else if (result.size() != 0) {
        result.buffer().fill(std::uint8_t{0});
    }
    return result;
}

AnyArray arange(const Context& context, DType dtype, std::int64_t start, std::int64_t stop, std::int64_t step) {
    if (step == 0) refuse_range(start, stop, step, "the step is 0");
    const __int128 way = __int128{stop} - start;
    __int128 count = 0;
    if (way != 0 && (way > 0) == (step > 0)) count = (way + (step > 0 ? step - 1 : step + 1)) / step;
    if (count > std::numeric_limits<std::int64_t>::max()) refuse_range(start, stop, step, "too many elements");
    if (count > 0 && dtype.is_integer() &&
        (!holds(dtype, start) || !holds(dtype, start + (count - 1) * __int128{step})))
        refuse_range(start, stop, step, text("not all are values of ", dtype.name()).c_str());
    AnyArray result(context, dtype, Shape{static_cast<std::int64_t>(count)});
    write_progression(result, start, step, std::int64_t{0}, false);
    return result;
}

AnyArray arange(const Context& context, DType dtype, double start, double stop, double step) {
    const double count = std::ceil((stop - start) / step);
    if (step == 0) refuse_range(start, stop, step, "the step is 0");
    if (!std::isfinite(start) || !std::isfinite(step) || std::isnan(count))
        refuse_range(start, stop, step, "bounds and step must be finite");
    if (count >= 0x1p63) refuse_range(start, stop, step, "too many elements");
    AnyArray result(context, dtype, Shape{static_cast<std::int64_t>(std::max(count, 0.0))});
    write_progression(result, start, step, 0.0, false);
    return result;
}

AnyArray linspace(const Context& context, DType dtype, double start, double stop, std::int64_t count, bool endpoint) {
    if (count < 0) throw ArgumentError(text("linspace: expected a count of at least 0, got ", count));
    const std::int64_t parts = endpoint ? count - 1 : count;
    const double step = parts > 0 ? (stop - start) / static_cast<double>(parts) : 0.0;
    const double last = endpoint && count > 1 ? stop : start + step * static_cast<double>(count - 1);
    if (count > 0)
        for (const double bound : {start, last})
            if (dtype.is_integer() && !holds_floor(dtype, bound)) detail::refuse_value("linspace", bound, dtype);
    AnyArray result(context, dtype, Shape{count});
    write_progression(result, start, step, stop, endpoint && count > 1);
    return result;
}

AnyArray eye(const Context& context, DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t offset,
             const void* one) {
    AnyArray result = zeros(context, dtype, Shape{rows, columns});
    result.diagonal(offset).fill_bytes(one);
    return result;
}

}  // namespace gemel
