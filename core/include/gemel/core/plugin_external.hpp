/// Device memory that several backends share; a part of plugin.hpp. Core uses it to copy between their contexts.
#pragma once

#include <gemel/core/export.hpp>

namespace gemel::plugin {

struct Memory;
class Stream;

/// One backend's view of shared memory. It may outlive the context that made it, but not the plug-in.
class GEMEL_API ExternalMemory {
   public:
    virtual ~ExternalMemory();
    /// The memory, for Stream's copies while it is acquired. It may be larger than requested.
    virtual const Memory& memory() const = 0;
    /// A new file descriptor for ContextExtras::import_external(); the caller closes it. The default throws Error: only
    /// memory from make_external() has a descriptor.
    virtual int export_file();
    /// Makes writes of finished commands of the other backend visible to later commands of the stream. Default: does
    /// nothing.
    virtual void acquire(Stream& stream);
    /// Makes writes of the stream's earlier commands visible to the other backend once they have finished. Default:
    /// does nothing.
    virtual void release(Stream& stream);
};

}  // namespace gemel::plugin
