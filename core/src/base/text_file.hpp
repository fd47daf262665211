/// Reads a whole text file. Refuses pipes, devices and files too large to be a program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gemel {

/// No text that is larger is compiled or included.
inline constexpr std::size_t largest_text_bytes = std::size_t{256} << 20;

/// The bytes of a regular file. Nothing where there is none or it cannot be read; errno then says why.
/// @throws Error if it is larger than `largest_text_bytes`, or if no file can be opened at all (too many are open)
std::optional<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace gemel
