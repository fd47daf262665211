/// Device times of commands, for profiles: a part of the plug-in boundary, whose rules stand in plugin.hpp.
#pragma once

#include <gemel/core/export.hpp>

namespace gemel::plugin {

/// When the commands ran that a thread enqueued between Stream::start_timing() and stop_timing().
class GEMEL_API Timing {
   public:
    virtual ~Timing();
    /// Blocks until the commands have finished.
    virtual void wait() = 0;
    /// Whether they have; does not block.
    virtual bool done() = 0;
    /// From the start of the first to the end of the last. They have finished. @throws Error if nothing was timed
    virtual double milliseconds() const = 0;
    /// From the start of `other`, which is of this context and has finished too, to the start of this; may be negative.
    virtual double milliseconds_since(const Timing& other) const = 0;
};

}  // namespace gemel::plugin
