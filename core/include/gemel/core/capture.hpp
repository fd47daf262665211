/// Replays kernel calls that Kernel::capture() or GEMEL_CAPTURE wrote to a folder.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gemel {

/// The results of a replayed call, compared with the captured ones.
struct Replay {
    struct Output {
        std::size_t index = 0;  ///< of the argument, from 0
        std::string name;       ///< of the parameter, if known
        std::size_t bytes = 0, differing_bytes = 0;
        std::size_t first_difference = 0;  ///< index of the first byte that differs; `bytes` if none does
    };
    std::string kernel;
    std::string captured_on;      ///< device
    double milliseconds = 0;      ///< device time of the second of two launches
    std::vector<Output> outputs;  ///< the arguments that the kernel can write

    bool is_same() const {
        for (const Output& output : outputs)
            if (output.differing_bytes > 0) return false;
        return true;
    }
};

/// Replays a captured call on any device. Source text is compiled again; a program that was loaded as a binary runs
/// only on its own kind of device. Results are compared bit by bit; functions such as sin() differ between devices.
/// @throws Error if the folder holds no call or a damaged one; the errors of compiling and launching
/// @time blocks
GEMEL_API Replay replay(const Context& context, const std::filesystem::path& folder);

}  // namespace gemel
