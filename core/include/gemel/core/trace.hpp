/// GEMEL_TRACE=1: every driver call with its arguments and result, in order, on standard error.
#pragma once

#include <gemel/core/export.hpp>

#include <atomic>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

namespace gemel::trace {

/// Whether GEMEL_TRACE is on: one relaxed load.
GEMEL_API extern std::atomic<bool> enabled;

/// Writes one line: "cuMemAlloc_v2(&0x7f0000000, 64) = CUDA_SUCCESS". Lines are in the order of the calls.
GEMEL_API void write(std::string_view call, std::string_view arguments, std::string_view result) noexcept;
/// Sends lines to a function instead of standard error, for tests; null restores standard error.
GEMEL_API void set_sink(void (*sink)(const std::string& line));

/// Integers except character types, which are bytes of other data.
template <class T>
inline constexpr bool is_number = std::is_integral_v<T> && !std::is_same_v<T, char> &&
                                  !std::is_same_v<T, unsigned char> && !std::is_same_v<T, signed char>;

/// One argument as text: numbers in decimal, handles and pointers in hexadecimal, outputs as & and their value.
template <class T>
void print(std::ostream& out, const T& value, bool outputs_are_set) {
    if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char*>) {
        if (value) {
            const std::string_view text(value), shown = text.substr(0, 60);
            out << '"';
            for (const char c : shown) out << (c == '\n' ? ' ' : c);  // one call, one line
            out << (text.size() > shown.size() ? "...\"" : "\"");
        } else {
            out << "null";
        }
    } else if constexpr (std::is_function_v<std::remove_pointer_t<T>> && std::is_pointer_v<T>) {
        out << (value ? "function" : "null");
    } else if constexpr (std::is_pointer_v<T>) {
        using Pointee = std::remove_pointer_t<T>;
        if (!value) {
            out << "null";
        } else if constexpr (!std::is_const_v<Pointee> && (std::is_pointer_v<Pointee> || is_number<Pointee>)) {
            out << '&';
            if (outputs_are_set) {
                print(out, *value, false);
            } else {
                out << static_cast<const void*>(value);
            }
        } else {
            out << reinterpret_cast<const void*>(value);
        }
    } else if constexpr (std::is_enum_v<T>) {
        out << static_cast<long long>(value);
    } else if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T>) {
        if constexpr (std::is_same_v<T, unsigned long long>) {  // device addresses
            out << "0x" << std::hex << value << std::dec;
        } else {
            out << +value;
        }
    } else {
        out << "{...}";
    }
}

template <class... A>
std::string arguments([[maybe_unused]] bool outputs_are_set, const A&... values) {
    std::ostringstream out;
    [[maybe_unused]] const char* separator = "";
    ((out << separator, print(out, values, outputs_are_set), separator = ", "), ...);
    return std::move(out).str();
}

}  // namespace gemel::trace
