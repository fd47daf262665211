#include "compile/program_binary.hpp"

#include <gemel/core/disk_cache.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace gemel {
namespace {

constexpr std::string_view container_magic = "gemel program 2\n";

}  // namespace

std::vector<std::byte> pack_binary(const std::vector<KernelSignature>& signatures, std::string_view log,
                                   std::span<const std::byte> binary) {
    const std::string described = detail::serialize(signatures);
    std::string body = text(described.size(), "\n", log.size(), "\n", described, log);
    body.append(reinterpret_cast<const char*>(binary.data()), binary.size());
    const std::string all = text(container_magic, digest(body), "\n", body);
    const auto* bytes = reinterpret_cast<const std::byte*>(all.data());
    return {bytes, bytes + all.size()};
}

std::optional<UnpackedBinary> unpack_binary(std::span<const std::byte> bytes) {
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!all.starts_with(container_magic)) return std::nullopt;
    std::string_view rest = all.substr(container_magic.size());
    const auto damaged = [] { return Error("the binary is damaged or cut short; build it again"); };
    const auto line = [&] {
        const auto end = rest.find('\n');
        if (end == std::string_view::npos) throw damaged();
        const auto found = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        return found;
    };
    const std::string checksum(line());
    if (digest(rest) != checksum) throw damaged();
    const auto number = [&] {
        const std::string_view digits = line();
        std::size_t value = 0;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (failure != std::errc() || end != digits.data() + digits.size()) throw damaged();
        return value;
    };
    const std::size_t length = number(), log_bytes = number();
    if (length > rest.size() || log_bytes > rest.size() - length) throw damaged();
    return UnpackedBinary{detail::deserialize_signatures(rest.substr(0, length)), std::string(rest.substr(length, log_bytes)),
                          bytes.subspan(bytes.size() - rest.size() + length + log_bytes)};
}

}  // namespace gemel
