/// What some drivers have and others have not: a part of the plug-in boundary, whose rules stand in plugin.hpp. Each
/// function has a body, so that a plug-in need not have it.
#pragma once

#include <gemel/core/device_partition.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/image_shape.hpp>
#include <gemel/core/options.hpp>
#include <gemel/core/plugin_external.hpp>
#include <gemel/core/plugin_gl.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gemel::plugin {

struct Memory;
struct Place;
struct ImageRegion;
class Event;
class Image;
class Stream;
class Context;
class Device;

/// Memory as another process finds it: the driver's handle of an allocation, and where in it the memory begins.
struct ExportedMemory {
    std::vector<std::byte> handle;
    std::size_t offset_bytes = 0;
};

/// The allocation in which an address lies.
struct AddressRange {
    std::uint64_t base = 0;
    std::size_t bytes = 0;
};

/// What the clocks of device and host showed at one moment, in nanoseconds since moments of the driver's choice.
struct ClockReading {
    std::uint64_t device = 0, host = 0;
};

/// What the blocks on one compute unit share, where the hardware is known.
struct ComputeUnit {
    std::size_t max_threads = 0;
    std::size_t max_blocks = 0;
    std::size_t shared_bytes = 0;           ///< of all blocks together
    std::size_t shared_reserved_bytes = 0;  ///< of each block for the driver
    std::size_t shared_unit_bytes = 1;      ///< a block takes multiples of it
    std::size_t registers = 0;              ///< 0 if they do not limit
    std::size_t register_unit = 1;          ///< a warp takes multiples of it
};

class GEMEL_API DeviceExtras {
   public:
    virtual ~DeviceExtras();
    /// Name of the Dialect that its contexts compile, if not the plug-in's: by default empty.
    virtual std::string dialect() const;
    /// Everything that the driver tells about the device, by the driver's names, in the driver's order.
    virtual std::vector<std::pair<std::string, std::string>> attributes() const;
    /// Names of extensions.
    virtual std::vector<std::string> extensions() const;
    /// Whether kernels of this device can read memory of another of this plug-in's. @param other  its native()
    virtual bool can_reach(std::uint64_t other) const;
    /// Parts of the device; they live as long as the process. Numbers have been checked against the compute units.
    /// @throws Error saying what the driver offers, if not this. By default it offers nothing.
    virtual std::vector<std::shared_ptr<Device>> partition(const DevicePartition& how);
    /// Both clocks, where the driver reads them together.
    virtual std::optional<ClockReading> read_clocks() const;
    /// Names of kernels for Context::load_built_in(); by default none.
    virtual std::vector<std::string> built_in_kernels() const;
    /// What a compute unit holds, for estimates. By default nothing is known.
    virtual std::optional<ComputeUnit> compute_unit() const;
    /// Whether the device drives the OpenGL context that is current on this thread. By default false.
    virtual bool shares_gl() const;
    /// A context that shares objects with that OpenGL context; called where shares_gl(). By default an Error.
    virtual std::unique_ptr<Context> create_gl_context();
};

class GEMEL_API StreamExtras {
   public:
    virtual ~StreamExtras();
    /// A point for order alone, for which a waiting thread sleeps. By record(false), unless the plug-in knows better.
    virtual std::unique_ptr<Event> record_blocking();
    /// Moves mapped or managed memory to where it will be used; nothing where that happens by itself.
    virtual void prefetch(const Place& place, std::size_t bytes, bool to_host);
    /// A point that other processes can wait for. By default an Error: not every driver has such events.
    virtual std::unique_ptr<Event> record_interprocess();
    /// Fills a box with one element, given as it lies in memory. Returns false, having done nothing, where the driver
    /// has no call for that; core then copies from memory.
    virtual bool fill_image(const ImageRegion& image, const void* element);
};

class GEMEL_API ContextExtras {
   public:
    virtual ~ContextExtras();
    /// By create_stream(), where there are no priorities.
    virtual std::unique_ptr<Stream> create_stream_of(StreamPriority priority);
    /// An event that the host completes; it completes by itself when it dies. Null where the driver has none.
    virtual std::unique_ptr<Event> create_user_event();
    /// Whether Stream::wait() takes events of all other contexts of this plug-in without blocking the host.
    virtual bool waits_for_all_events() const;
    /// From now on kernels of this context can read and write `other`'s memory. @throws Error where they cannot
    virtual void reach(Context& other);
    /// Memory of a context that is reached, as memory of this one (`foreign`); core keeps it alive.
    virtual Memory reached_memory(const Memory& memory);
    /// Empty where the driver has no such limit.
    virtual std::optional<std::size_t> limit(ContextLimit which);
    /// @returns false where the driver has no such limit
    virtual bool set_limit(ContextLimit which, std::size_t bytes);
    /// By allocate_host(), where there is no such memory.
    virtual Memory allocate_write_combined(std::size_t bytes);
    /// Of managed memory; nothing where the driver takes no advice.
    virtual void advise(const Place& place, std::size_t bytes, MemoryAdvice advice);
    /// Device memory and events of record_interprocess() for other processes on the same device, and what other
    /// processes gave. By default an Error: not every driver has such handles. What is imported is `foreign`, and
    /// release() gives up this process's access to it.
    virtual ExportedMemory export_memory(const Memory& memory);
    virtual Memory import_memory(const ExportedMemory& from, std::size_t bytes);
    virtual std::vector<std::byte> export_event(const Event& event);
    virtual std::unique_ptr<Event> import_event(std::span<const std::byte> handle);
    /// Memory for contexts of other backends to import: on the device of that DeviceInfo::identity, which may be
    /// another than this context's if this one's streams reach its memory. Null where the driver has none. By default
    /// null.
    virtual std::unique_ptr<ExternalMemory> make_external(const std::string& identity, std::size_t bytes);
    /// What another backend made on this device. The descriptor stays the caller's. Null where the driver has no such
    /// calls. By default null. @throws Error where the driver refuses
    virtual std::unique_ptr<ExternalMemory> import_external(int file, std::size_t bytes);
    /// A foreign event, which it does not end; core holds whatever keeps it alive. By default an Error.
    /// @throws ArgumentError if it is not of this context
    virtual std::unique_ptr<Event> wrap_event(std::uint64_t handle);
    /// The allocation in which a device address lies; empty if in none, and where memory has no addresses.
    virtual std::optional<AddressRange> address_range(std::uint64_t address);
    /// Plain memory whose rows lie `row_pitch_bytes` apart as an image that textures are made of, and nothing else.
    /// Null where the driver has no such thing, or not for this place and shape. By default null.
    virtual std::unique_ptr<Image> image_of_memory(const Place& place, const ImageShape& shape,
                                                   std::size_t row_pitch_bytes);
    /// An object of OpenGL for kernels. By default an Error. @throws ArgumentError if there is no such object; Error if
    /// this context does not share with the OpenGL context that is current on this thread
    virtual std::unique_ptr<GlObject> share_gl(const GlName& name);
};

}  // namespace gemel::plugin
