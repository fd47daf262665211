/// What the tests of copies between devices and backends share.
#pragma once

#include <gemel/core/core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace gemel::testing {

using Bytes = std::vector<std::uint8_t>;

/// Whether a run tests this pair: all of them, or where the environment names a device or a backend, those of the
/// default device.
inline bool is_of_this_run(const Device& one, const Device& other) {
    if (!std::getenv("GEMEL_BACKEND") && !std::getenv("GEMEL_DEVICE")) return true;
    return one == default_device() || other == default_device();
}

/// Repeats itself after a prime number of bytes, so that no two pieces of a copy are alike. A loop over all of them
/// takes seconds in a test that is not optimised.
inline Bytes pattern_of(std::size_t n) {
    constexpr std::size_t period = 65521;
    Bytes bytes(n);
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < std::min(n, period); ++i)
        bytes[i] = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
    for (std::size_t at = period; at < n; at += period)
        std::copy_n(bytes.data(), std::min(period, n - at), bytes.data() + at);
    return bytes;
}

/// Copies `n` bytes between odd offsets. @returns whether they, and nothing else, have arrived
inline bool arrives(const Context& source, const Context& target, std::size_t n) {
    const Bytes all = pattern_of(n + 7);
    const Buffer from = source.allocate(n + 7), to = target.allocate(n + 9);
    from.upload(all);
    to.fill(std::uint8_t{0xAB});
    to.view(3, n).copy_from(from.view(5, n));
    Bytes expected(n + 9, 0xAB), found(n + 9);
    std::copy_n(all.begin() + 5, n, expected.begin() + 3);
    to.download(found);
    return found == expected;
}

/// Copies `n` bytes there and back, eight times. @returns whether each copy came after what both streams were told
/// before it
inline bool copies_keep_order(const Context& here, const Context& there, std::size_t n) {
    const Buffer a = here.allocate(n), b = there.allocate(n), back = here.allocate(n);
    bool is_right = true;
    for (std::uint8_t round = 1; round <= 8; ++round) {
        const Stream stream = here.create_stream(), other_stream = there.create_stream();
        const StreamScope scope(stream), other_scope(other_stream);
        const auto last = static_cast<std::uint8_t>(round + 100);
        stream.fill(a, round);
        stream.copy(back, a);
        stream.fill(a, last);
        b.copy_from(a);
        stream.fill(a, std::uint8_t{0});
        a.copy_from(b);
        Bytes found(n);
        a.download(found);
        is_right = is_right && found == Bytes(n, last);
    }
    return is_right;
}

}  // namespace gemel::testing
