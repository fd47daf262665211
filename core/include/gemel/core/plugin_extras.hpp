/// Optional driver features: a part of the plug-in interface; plugin.hpp has its rules. Each function has a default
/// body, so that a plug-in may leave it out.
#pragma once

#include <gemel/core/device_partition.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/image_shape.hpp>
#include <gemel/core/options.hpp>
#include <gemel/core/plugin_external.hpp>
#include <gemel/core/plugin_gl.hpp>
#include <gemel/core/tensor_map.hpp>

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
class Module;
class Stream;
class Context;
class Device;

/// Memory for another process: the driver's handle of the allocation, and the offset of the memory in it.
struct ExportedMemory {
    std::vector<std::byte> handle;
    std::size_t offset_bytes = 0;
};

/// The allocation that contains an address.
struct AddressRange {
    std::uint64_t base = 0;
    std::size_t bytes = 0;
};

/// Device clock and host clock read at the same moment, in nanoseconds; the driver chooses each origin.
struct ClockReading {
    std::uint64_t device = 0, host = 0;
};

/// The resources of one compute unit that its blocks share, for known hardware.
struct ComputeUnit {
    std::size_t max_threads = 0;
    std::size_t max_blocks = 0;
    std::size_t shared_bytes = 0;           ///< for all blocks together
    std::size_t shared_reserved_bytes = 0;  ///< per block, reserved by the driver
    std::size_t shared_unit_bytes = 1;      ///< allocation granularity per block
    std::size_t registers = 0;              ///< 0 if registers are no limit
    std::size_t register_unit = 1;          ///< allocation granularity per warp
};

class GEMEL_API DeviceExtras {
   public:
    virtual ~DeviceExtras();
    /// The name of the Dialect that its contexts compile, if it differs from the plug-in's. Default: empty.
    virtual std::string dialect() const;
    /// All attributes that the driver reports, with the driver's names and in its order.
    virtual std::vector<std::pair<std::string, std::string>> attributes() const;
    /// The names of the device's extensions.
    virtual std::vector<std::string> extensions() const;
    /// Whether kernels of this device can read the memory of another device of this plug-in. @param other  its native()
    virtual bool can_reach(std::uint64_t other) const;
    /// Divides the device into parts, which live as long as the process. Core has checked the numbers against the
    /// compute units. @throws Error, listing what the driver offers, if it does not support this. Default: throws
    /// Error.
    virtual std::vector<std::shared_ptr<Device>> partition(const DevicePartition& how);
    /// Reads both clocks, if the driver can read them together.
    virtual std::optional<ClockReading> read_clocks() const;
    /// Kernel names for Context::load_built_in(). Default: none.
    virtual std::vector<std::string> built_in_kernels() const;
    /// The resources of a compute unit, for occupancy estimates. Default: unknown.
    virtual std::optional<ComputeUnit> compute_unit() const;
    /// Whether the device drives the OpenGL context that is current on this thread. Default: false.
    virtual bool shares_gl() const;
    /// Creates a context that shares objects with that OpenGL context; called only if shares_gl(). The default throws
    /// Error.
    virtual std::unique_ptr<Context> create_gl_context();
};

class GEMEL_API StreamExtras {
   public:
    virtual ~StreamExtras();
    /// Records an untimed event; a thread that waits for it sleeps. Default: record(false).
    virtual std::unique_ptr<Event> record_blocking();
    /// Moves mapped or managed memory to where it will be used. Default: does nothing.
    virtual void prefetch(const Place& place, std::size_t bytes, bool to_host);
    /// Records an event that other processes can wait for. The default throws Error: not every driver has such events.
    virtual std::unique_ptr<Event> record_interprocess();
    /// Fills a box with one element, given as bytes. Returns false without an effect if the driver has no such call;
    /// core then copies from memory.
    virtual bool fill_image(const ImageRegion& image, const void* element);
};

class GEMEL_API ContextExtras {
   public:
    virtual ~ContextExtras();
    /// Creates a stream with a priority. Default: create_stream(), without priorities.
    virtual std::unique_ptr<Stream> create_stream_of(StreamPriority priority);
    /// Creates an event that the host completes; its destructor completes it, too. Null if the driver has none.
    virtual std::unique_ptr<Event> create_user_event();
    /// Whether Stream::wait() takes events of all other contexts of this plug-in without blocking the host.
    virtual bool waits_for_all_events() const;
    /// Lets kernels of this context read and write `other`'s memory from now on. @throws Error if the driver cannot
    virtual void reach(Context& other);
    /// Memory of a reached context as memory of this context (`foreign`); core keeps it alive.
    virtual Memory reached_memory(const Memory& memory);
    /// The value of a limit; empty if the driver has no such limit.
    virtual std::optional<std::size_t> limit(ContextLimit which);
    /// Sets a limit. @returns false if the driver has no such limit
    virtual bool set_limit(ContextLimit which, std::size_t bytes);
    /// Allocates write-combined page-locked memory. Default: allocate_host().
    virtual Memory allocate_write_combined(std::size_t bytes);
    /// Advises the driver about managed memory. Default: does nothing.
    virtual void advise(const Place& place, std::size_t bytes, MemoryAdvice advice);
    /// Export device memory and events of record_interprocess() to other processes on the same device, and import
    /// theirs. The defaults throw Error: not every driver has such handles. Imported memory is `foreign`; release()
    /// closes this process's access.
    virtual ExportedMemory export_memory(const Memory& memory);
    virtual Memory import_memory(const ExportedMemory& from, std::size_t bytes);
    virtual std::vector<std::byte> export_event(const Event& event);
    virtual std::unique_ptr<Event> import_event(std::span<const std::byte> handle);
    /// Allocates memory that contexts of other backends can import, on the device with that DeviceInfo::identity. It
    /// may differ from this context's device if this context's streams can access its memory. Null if the driver has no
    /// such memory. Default: null.
    virtual std::unique_ptr<ExternalMemory> make_external(const std::string& identity, std::size_t bytes);
    /// Imports memory that another backend made on this device. The caller keeps the descriptor. Null if the driver has
    /// no such calls. Default: null. @throws Error if the driver refuses
    virtual std::unique_ptr<ExternalMemory> import_external(int file, std::size_t bytes);
    /// Wraps a foreign event without owning it; core keeps its owner alive. The default throws Error.
    /// @throws ArgumentError if the event belongs to another context
    virtual std::unique_ptr<Event> wrap_event(std::uint64_t handle);
    /// Wraps a loaded foreign program; core keeps its owner alive. The default throws Error.
    /// @throws ArgumentError if it belongs to another context or has not been built
    virtual std::unique_ptr<Module> wrap_module(std::uint64_t handle);
    /// Shape and format of a foreign image. The default throws Error. @throws ArgumentError if it belongs to another
    /// context or there are no images of its kind
    virtual ImageShape shape_of_image(std::uint64_t handle);
    /// Wraps a foreign image; core keeps its owner alive. The default throws Error.
    /// @param shape  that of shape_of_image(), except that its integers may be normalised
    /// @throws ArgumentError if the driver knows better whether they are, or the image cannot be written
    virtual std::unique_ptr<Image> wrap_image(std::uint64_t handle, const ImageShape& shape);
    /// The allocation that contains a device address; empty if there is none or memory has no addresses.
    virtual std::optional<AddressRange> address_range(std::uint64_t address);
    /// An image over plain memory whose rows are `row_pitch_bytes` apart, for textures only. Null if the driver has no
    /// such images, or none for this place and shape. Default: null.
    virtual std::unique_ptr<Image> image_of_memory(const Place& place, const ImageShape& shape,
                                                   std::size_t row_pitch_bytes);
    /// Describes memory for copies of boxes; called only if DeviceInfo::has_tensor_maps. The memory begins at a
    /// multiple of TensorMapShape::alignment. The default throws Error. @throws Error if the driver refuses the shape
    virtual TensorMap tensor_map(const Place& place, const TensorMapShape& shape);
    /// Shares an OpenGL object with kernels. The default throws Error. @throws ArgumentError if there is no such
    /// object; Error if this context does not share objects with the OpenGL context that is current on this thread
    virtual std::unique_ptr<GlObject> share_gl(const GlName& name);
};

}  // namespace gemel::plugin
