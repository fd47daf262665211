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
    std::string log;                    ///< what the compiler said although it succeeded
    std::span<const std::byte> binary;  ///< the driver's, within the bytes that were unpacked
};

std::vector<std::byte> pack_binary(const std::vector<KernelSignature>& signatures, std::string_view log,
                                   std::span<const std::byte> binary);

/// Nothing if the bytes are none that pack_binary() made. @throws Error if they are, but damaged
std::optional<UnpackedBinary> unpack_binary(std::span<const std::byte> bytes);

}  // namespace gemel
