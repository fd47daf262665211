/// What the device suites share: kernels that several of them launch, and checks of messages.
#pragma once

#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include "../left_out.hpp"
#include "../null/scratch.hpp"

#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::testing {

/// One text for most launches, so that a suite compiles little.
inline constexpr const char* common_source = R"(
KERNEL void set_all(GLOBAL_MEM int *a, int value, int n)
{
    int64_t i = GLOBAL_ID_0;
    if (i < n) a[i] = value + (int)i;
}
KERNEL void add(GLOBAL_MEM int *out, GLOBAL_MEM const int *in, int value, int n)
{
    int64_t i = GLOBAL_ID_0;
    if (i < n) out[i] = in[i] + value;
}
/* As set_all, but slowly: the loop's result is needed, and never changes the answer. */
KERNEL void set_all_slowly(GLOBAL_MEM int *a, int value, int n, int rounds)
{
    int64_t i = GLOBAL_ID_0;
    uint32_t x = (uint32_t)i | 1;
    for (int k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
    if (i < n) a[i] = value + (int)i + (x == 12345678u && rounds < 0 ? 1 : 0);
})";

inline Kernel common_kernel(const Context& context, const std::string& name) {
    return context.compile(common_source).kernel(name);
}

/// What a call threw, or an empty text if it threw nothing of that type.
template <class Expected, class Function>
std::string message_of(const Function& function) {
    try {
        function();
    } catch (const Expected& error) {
        return std::string(error.what()).empty() ? "(no message)" : error.what();
    }
    return {};
}

inline bool mentions(const std::string& message, std::initializer_list<std::string_view> words) {
    for (const auto word : words)
        if (message.find(word) == std::string::npos) return false;
    return !message.empty();
}

/// Fails unless the call throws that type with all of these words in its message.
#define CHECK_THROWS_MENTIONING(Type, call, ...) \
    do { \
        const std::string message_ = gemel::testing::message_of<Type>([&] { (void)(call); }); \
        INFO(message_); \
        CHECK(gemel::testing::mentions(message_, {__VA_ARGS__})); \
    } while (false)

template <class T>
std::vector<T> counting(std::size_t n, T first = {}) {
    std::vector<T> values(n);
    std::iota(values.begin(), values.end(), first);
    return values;
}

template <class T>
std::vector<T> downloaded(const Buffer& buffer) {
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    buffer.download(values);
    return values;
}

inline Buffer uploaded(const Context& context, const auto& values) {
    Buffer buffer = context.allocate(values.size() * sizeof(values[0]));
    buffer.upload(values);
    return buffer;
}

}  // namespace gemel::testing
