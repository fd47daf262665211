/// Valid names in kernel source; most checks also work at compile time.
#pragma once

#include <gemel/core/export.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace gemel::codegen {

/// Is the word an identifier of C: letters, digits and '_', not beginning with a digit?
constexpr bool is_identifier(std::string_view word) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto is_fine = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
    return !word.empty() && is_letter(word.front()) && std::all_of(word.begin(), word.end(), is_fine);
}

/// The language in which the word is a keyword ("C", "OpenCL C", "CUDA C++"), or null.
constexpr const char* keyword_language(std::string_view word) {
    constexpr std::string_view c =
        " auto bool break case char const continue default do double else enum extern false float for goto if inline "
        "int long register restrict return short signed sizeof static struct switch true typedef union unsigned void "
        "volatile while _Bool ";
    constexpr std::string_view opencl =
        " kernel global local constant private generic half read_only write_only read_write vec_step uniform pipe "
        "__kernel __global __local __constant __private __generic __read_only __write_only __read_write "
        "__attribute__ ";
    constexpr std::string_view cuda =
        " alignas alignof and and_eq asm bitand bitor catch class compl concept const_cast consteval constexpr "
        "constinit decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq "
        "nullptr operator or or_eq protected public reinterpret_cast requires static_assert static_cast template this "
        "thread_local throw try typeid typename using virtual wchar_t char8_t char16_t char32_t xor xor_eq "
        "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ ";
    const auto stands_in = [&](std::string_view words) {
        for (std::size_t at = 0; (at = words.find(word, at)) != std::string_view::npos; ++at)
            if (at > 0 && words[at - 1] == ' ' && words[at + word.size()] == ' ') return true;
        return false;
    };
    if (!is_identifier(word)) return nullptr;
    return stands_in(c) ? "C" : stands_in(opencl) ? "OpenCL C" : stands_in(cuda) ? "CUDA C++" : nullptr;
}

/// Why a word cannot name a parameter, variable or function in kernel source of any dialect: "is a keyword of OpenCL
/// C". Empty if it can.
GEMEL_API std::string why_no_name(std::string_view word);

}  // namespace gemel::codegen
