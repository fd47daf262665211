/// `gemel replay`: repeats a captured call and compares the results.
#include "commands.hpp"

#include <gemel/core/capture.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cstdio>

namespace gemel::tools {

int replay(const std::string& folder, const std::string& device) {
    const Context context = device.empty() ? default_context() : Context(find_device(device));
    const Replay result = gemel::replay(context, folder);
    std::printf("%s on %s (captured on %s): %g ms\n", result.kernel.c_str(), context.device().name().c_str(),
                result.captured_on.c_str(), result.milliseconds);
    for (const Replay::Output& output : result.outputs) {
        const std::string what = text("argument ", output.index, output.name.empty() ? "" : " (" + output.name + ")");
        if (output.differing_bytes == 0)
            std::printf("  %s: the same %zu bytes\n", what.c_str(), output.bytes);
        else
            std::printf("  %s: %zu of %zu bytes differ, from byte %zu on\n", what.c_str(), output.differing_bytes,
                        output.bytes, output.first_difference);
    }
    return result.is_same() ? 0 : 1;
}

}  // namespace gemel::tools
