#include "expression/any_number.hpp"

#include "expression/expression_kernel.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <cstring>

namespace gemel {
namespace {

/// Calls `f` with a null pointer of the C++ type that a number's dtype describes.
template <class... T, class F>
void with_one_of(const char* who, DType dtype, F&& f) {
    if (!((dtype == dtype_of<T>() && (f(static_cast<T*>(nullptr)), true)) || ...))
        throw ArgumentError(text(who, ": expected numbers, got elements of ", dtype.name(), "; cast them first"));
}
template <class F>
void with_type(const char* who, DType dtype, F&& f) {
    with_one_of<float, double, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                std::uint32_t, std::uint64_t, half, bfloat16, cfloat, cdouble>(who, dtype, f);
}

}  // namespace

std::array<std::byte, 16> detail::element_bytes(const char* who, DType dtype, const AnyNumber& value) {
    std::array<std::byte, 16> bytes{};
    with_type(who, dtype, [&]<class T>(T*) {
        std::visit(
            [&](const auto& number) {
                if constexpr (ValueFor<std::remove_cvref_t<decltype(number)>, T>) {
                    const T element = detail::element_of<T>(number, who);
                    std::memcpy(bytes.data(), &element, sizeof element);
                } else {
                    throw ArgumentError(
                        text(who, ": a complex number is not a value of ", dtype.name(), "; take its real part"));
                }
            },
            value);
    });
    return bytes;
}

AnyNumber number_at(const char* who, DType dtype, const void* element) {
    AnyNumber number;
    with_type(who, dtype, [&]<class T>(T*) {
        HostElement<T> value;
        std::memcpy(&value, element, sizeof value);
        number = detail::widest(static_cast<T>(value));
    });
    return number;
}

}  // namespace gemel
