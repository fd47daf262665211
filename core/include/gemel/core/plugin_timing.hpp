/// Device times of commands, for profiles: a part of the plug-in interface; plugin.hpp has its rules.
#pragma once

#include <gemel/core/export.hpp>

namespace gemel::plugin {

/// The device time of the commands that a thread enqueued between Stream::start_timing() and stop_timing().
class GEMEL_API Timing {
   public:
    virtual ~Timing();
    /// Blocks until the commands have finished.
    virtual void wait() = 0;
    /// Whether the commands have finished; does not block.
    virtual bool done() = 0;
    /// The time from the start of the first command to the end of the last. Called after they have finished.
    /// @throws Error if nothing was timed
    virtual double milliseconds() const = 0;
    /// The time from the start of `other` to the start of this; may be negative. `other` belongs to this context and
    /// has finished, too.
    virtual double milliseconds_since(const Timing& other) const = 0;
};

}  // namespace gemel::plugin
