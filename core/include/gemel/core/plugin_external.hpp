/// Device memory that several backends see at once; a part of plugin.hpp. Core copies between their contexts through
/// it.
#pragma once

#include <gemel/core/export.hpp>

namespace gemel::plugin {

struct Memory;
class Stream;

/// One backend's view of such memory. May outlive the context that made it, not that context's plug-in.
class GEMEL_API ExternalMemory {
   public:
    virtual ~ExternalMemory();
    /// For Stream's copies while it is acquired. Its size may be larger than what was asked for.
    virtual const Memory& memory() const = 0;
    /// A new file descriptor for ContextExtras::import_external(), which the caller closes. By default an Error: only
    /// what make_external() made has one.
    virtual int export_file();
    /// What the stream is told from now on sees what commands of the other side, if they are done, have written. By
    /// default nothing.
    virtual void acquire(Stream& stream);
    /// What the stream has been told before can be seen by the other side once it is done. By default nothing.
    virtual void release(Stream& stream);
};

}  // namespace gemel::plugin
