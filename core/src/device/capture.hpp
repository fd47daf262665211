/// A call on its way into a folder; see Kernel::capture().
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

/// One argument as the folder has it.
struct CapturedArgument {
    Argument::Kind kind = Argument::Kind::scalar;
    std::string name;  ///< of the parameter; empty if it is not known
    DType dtype;       ///< of the value or of what lies in memory, where known
    std::size_t bytes = 0;
    std::string before, after;           ///< file names; empty if there is none
    std::optional<CapturedImage> image;  ///< of a texture or an image
    bool is_memory() const { return kind >= Argument::Kind::memory && kind <= Argument::Kind::copy_both; }
};

/// All that call.txt says.
struct CapturedCall {
    std::string kernel, device;
    std::string program_file;         ///< "kernel.cl", or "program.bin"
    std::optional<ProgramText> text;  ///< its source is in the file
    std::array<std::uint64_t, 3> grid{}, block{}, offset{};
    std::size_t shared_bytes = 0;
    bool cooperative = false;
    std::vector<CapturedArgument> arguments;
};

/// @throws Error that names the file
void write_call(const std::filesystem::path& folder, const CapturedCall& call);
CapturedCall read_call(const std::filesystem::path& folder);
/// A complete program that repeats the call.
std::string program_of(const CapturedCall& call);

/// A .npy file of one axis (two for vectors), or of bytes where the type is not known. @throws Error that names the
/// file
void write_npy(const std::filesystem::path& file, DType dtype, std::span<const std::byte> bytes);
/// The bytes behind the header of such a file.
std::vector<std::byte> read_npy(const std::filesystem::path& file);
void write_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes);
std::vector<std::byte> read_bytes(const std::filesystem::path& file);

/// Begun before the launch, ended behind it.
class Capture {
   public:
    /// Waits for the stream, and writes everything but the results.
    /// @throws ArgumentError for folders that are there already
    Capture(std::filesystem::path folder, const KernelState& kernel, const plugin::LaunchShape& shape, StreamCore& core,
            std::span<const Argument> arguments);
    /// Waits, and writes the results.
    void end(StreamCore& core);

   private:
    std::filesystem::path folder_;
    CapturedCall call_;
    std::vector<Argument> arguments_;
};

/// For GEMEL_CAPTURE: where the kernel's call shall go; nothing if the variable is unset or a call of it was captured.
std::optional<std::filesystem::path> folder_of_first_call(const KernelState& kernel);
/// The same, but a call that cannot be captured is only a warning.
std::optional<Capture> begin_capture(const std::filesystem::path& folder, const KernelState& kernel,
                                     const plugin::LaunchShape& shape, StreamCore& core,
                                     std::span<const Argument> arguments);

}  // namespace gemel
