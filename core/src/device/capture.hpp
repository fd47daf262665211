/// Writes one call to a folder; see Kernel::capture().
#pragma once

#include "device/capture_image.hpp"
#include "device/state.hpp"

#include <gemel/core/argument.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gemel {

/// One argument in the folder.
struct CapturedArgument {
    Argument::Kind kind = Argument::Kind::scalar;
    std::string name;  ///< of the parameter; empty if unknown
    DType dtype;       ///< of the value, or of the elements in memory; may be unknown
    std::size_t bytes = 0;
    std::string before, after;           ///< file names; empty if there is none
    std::optional<CapturedImage> image;  ///< of a texture or an image
    bool is_memory() const { return kind >= Argument::Kind::memory && kind <= Argument::Kind::copy_both; }
};

/// The contents of call.txt.
struct CapturedCall {
    std::string kernel, device;
    std::string program_file;         ///< "kernel.cl", or "program.bin"
    std::optional<ProgramText> text;  ///< its source is in the file
    std::array<std::uint64_t, 3> grid{}, block{}, offset{};
    std::size_t shared_bytes = 0;
    bool cooperative = false;
    bool overlap = true;
    std::vector<CapturedArgument> arguments;
};

/// @throws Error that names the file
void write_call(const std::filesystem::path& folder, const CapturedCall& call);
CapturedCall read_call(const std::filesystem::path& folder);
/// A complete program that repeats the call.
std::string program_of(const CapturedCall& call);

/// A .npy file with one axis (two for vectors), or of bytes if the type is unknown. @throws Error that names the file
void write_npy(const std::filesystem::path& file, DType dtype, std::span<const std::byte> bytes);
/// The bytes after the header of such a file.
std::vector<std::byte> read_npy(const std::filesystem::path& file);
void write_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes);
std::vector<std::byte> read_bytes(const std::filesystem::path& file);

/// Constructed before the launch; end() is called after it.
class Capture {
   public:
    /// Waits for the stream, and writes everything except the results.
    /// @throws ArgumentError for existing folders
    Capture(std::filesystem::path folder, const KernelState& kernel, const plugin::LaunchShape& shape, StreamCore& core,
            std::span<const Argument> arguments);
    /// Waits, and writes the results.
    void end(StreamCore& core);

   private:
    std::filesystem::path folder_;
    CapturedCall call_;
    std::vector<Argument> arguments_;
};

/// For GEMEL_CAPTURE: the folder for a call of the kernel; empty if the variable is unset or a call was captured
/// already.
std::optional<std::filesystem::path> folder_of_first_call(const KernelState& kernel);
/// The same; a call that cannot be captured only causes a warning.
std::optional<Capture> begin_capture(const std::filesystem::path& folder, const KernelState& kernel,
                                     const plugin::LaunchShape& shape, StreamCore& core,
                                     std::span<const Argument> arguments);

}  // namespace gemel
