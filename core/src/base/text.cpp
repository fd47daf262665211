/// Lists and sizes in readable form, and names made of digests.
#include <gemel/core/text.hpp>
#include <gemel/core/uuid_text.hpp>

#include <array>
#include <boost/uuid/detail/sha1.hpp>
#include <cmath>
#include <cstdint>

namespace gemel {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const std::string& part : parts) {
        if (&part != &parts.front()) {
            out += separator;
        }
        out += part;
    }
    return out;
}

std::string readable_bytes(std::size_t bytes) {
    if (bytes == 1) {
        return "1 byte";
    }
    if (bytes < 10 * 1024) {
        return text(bytes, " bytes");
    }
    constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    // 1023.95 would be printed as 1024.
    while (value >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    const long tenths = std::lround(value * 10);
    return tenths % 10 == 0 ? text(tenths / 10, " ", units[unit])
                            : text(tenths / 10, ".", tenths % 10, " ", units[unit]);
}

std::string digest(std::string_view bytes) {
    boost::uuids::detail::sha1 sha1;
    sha1.process_bytes(bytes.data(), bytes.size());
    // Five words up to Boost 1.85; since then twenty bytes, most significant first.
    boost::uuids::detail::sha1::digest_type parts;
    sha1.get_digest(parts);
    constexpr int digits_per_part = 2 * sizeof(parts[0]);
    static_assert(sizeof(parts) == 20);

    std::string out;
    out.reserve(40);
    for (const auto part : parts) {
        for (int digit = digits_per_part - 1; digit >= 0; --digit) {
            out += "0123456789abcdef"[(static_cast<std::uint32_t>(part) >> (4 * digit)) & 15U];
        }
    }
    return out;
}

std::string uuid_text(std::span<const std::byte, 16> uuid) {
    std::string out = "GPU";
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) out += '-';
        const auto byte = std::to_integer<unsigned>(uuid[i]);
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15U];
    }
    return out;
}

}  // namespace gemel
