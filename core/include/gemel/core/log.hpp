/// Log messages with levels and subsystems, written to standard error or passed to a function of the user.
///
/// GEMEL_LOG=info or GEMEL_LOG=warn,cache=debug,pool=trace sets the levels; the default is warn.
/// Plug-ins log through these functions too.
#pragma once

#include <gemel/core/export.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace gemel::logging {

enum class Level { trace, debug, info, warn, error, off };

/// Whether a message of that level and subsystem is shown. Cheap: test it before building an expensive message.
GEMEL_API bool enabled(Level level, std::string_view subsystem);
/// Shows a message if its level is enabled. Safe from any thread; never throws.
GEMEL_API void write(Level level, std::string_view subsystem, std::string_view message) noexcept;

/// Receives messages instead of standard error; an empty function restores standard error. Exceptions from the function
/// are swallowed; messages that it logs itself go to standard error. Only one thread at a time calls it, so it should
/// not wait for another thread.
using Sink = std::function<void(Level, std::string_view subsystem, std::string_view message)>;
/// Sets the sink, after waiting for running calls of the previous one. @throws Error if called inside a sink
GEMEL_API void set_sink(Sink sink);
/// Overrides GEMEL_LOG, in the same syntax. @throws ArgumentError for an unknown level
GEMEL_API void set_levels(std::string_view levels);

}  // namespace gemel::logging
