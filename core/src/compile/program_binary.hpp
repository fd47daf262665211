/// A compiled program as bytes: the driver's binary with the signatures of its kernels and a checksum.
#pragma once

#include <gemel/core/signature.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

struct UnpackedBinary {
    std::vector<KernelSignature> signatures;
    std::string log;                    ///< the compiler's messages, although it succeeded
    std::span<const std::byte> binary;  ///< the driver's binary, inside the unpacked bytes
};

std::vector<std::byte> pack_binary(const std::vector<KernelSignature>& signatures, std::string_view log,
                                   std::span<const std::byte> binary);

/// Empty for bytes that pack_binary() did not write. @throws Error if they are damaged
std::optional<UnpackedBinary> unpack_binary(std::span<const std::byte> bytes);

}  // namespace gemel
