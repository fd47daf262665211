/// Calls that were written to a folder, by Kernel::capture() or GEMEL_CAPTURE, and their repetition.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gemel {

/// What a repeated call gave, beside what was captured.
struct Replay {
    struct Output {
        std::size_t index = 0;  ///< of the argument, from 0
        std::string name;       ///< of the parameter, if it is known
        std::size_t bytes = 0, differing_bytes = 0;
        std::size_t first_difference = 0;  ///< byte; `bytes` if there is none
    };
    std::string kernel;
    std::string captured_on;      ///< device
    double milliseconds = 0;      ///< of the device, second launch of two
    std::vector<Output> outputs;  ///< memory that the kernel can write

    bool is_same() const {
        for (const Output& output : outputs)
            if (output.differing_bytes > 0) return false;
        return true;
    }
};

/// Repeats a captured call on any device: text is compiled anew, a program that was loaded as a binary fits its own
/// kind of device only. Results compare bit by bit, which is not to be expected of another device's sines.
/// @throws Error if the folder holds no call, or a damaged one; what compiling and launching throws
/// @time blocks
GEMEL_API Replay replay(const Context& context, const std::filesystem::path& folder);

}  // namespace gemel
