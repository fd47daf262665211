/// Reads a whole text file. Refuses pipes, devices and files too large to be a program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gemel {

/// The maximum size of a text that is compiled or included.
inline constexpr std::size_t largest_text_bytes = std::size_t{256} << 20;

/// The contents of a regular file. Empty if there is none or it cannot be read; errno then has the reason.
/// @throws Error if it is larger than `largest_text_bytes`, or if the process has too many open files
std::optional<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace gemel
