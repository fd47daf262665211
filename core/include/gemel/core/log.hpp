/// Messages for people: levels and subsystems, to standard error or to a function of the user's.
///
/// GEMEL_LOG=info or GEMEL_LOG=warn,cache=debug,pool=trace chooses what is shown; the default is warn.
/// Plug-ins log through these functions too.
#pragma once

#include <gemel/core/export.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace gemel::logging {

enum class Level { trace, debug, info, warn, error, off };

/// Whether a message of that level and subsystem would be shown; cheap, so that building text can be skipped.
GEMEL_API bool enabled(Level level, std::string_view subsystem);
/// Shows a message if its level is enabled. Safe from any thread; never throws.
GEMEL_API void write(Level level, std::string_view subsystem, std::string_view message) noexcept;

/// Where messages go instead of standard error; an empty function restores that. What the function throws is swallowed,
/// and what it logs itself goes to standard error. One thread at a time is in it, so it should not wait for another.
using Sink = std::function<void(Level, std::string_view subsystem, std::string_view message)>;
/// Waits for calls of the previous function that are running. @throws Error when called from inside a sink
GEMEL_API void set_sink(Sink sink);
/// Overrides GEMEL_LOG, in the same syntax. @throws ArgumentError for an unknown level
GEMEL_API void set_levels(std::string_view levels);

}  // namespace gemel::logging
