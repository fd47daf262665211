/// Buffers and textures of OpenGL in kernels, without a copy through the host.
///
///     const Context context = gl::create_context(device);    // the OpenGL context is current on this thread
///     gl::SharedBuffer vertices(context, vertex_buffer);     // made by glGenBuffers and glBufferData
///     ...
///     Buffer points = vertices.acquire();                    // from here on kernels may use it
///     kernel({.threads = {n}}, points, n);
///     points.release();                                      // from here on OpenGL may draw it
///
/// Every function here needs that OpenGL context to be current on the calling thread. Neither libEGL nor libGL is
/// linked: the process has one of them, or there is no OpenGL context.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/image.hpp>
#include <gemel/core/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gemel::gl {

/// What kernels do with an object while they have it; a hint to the driver that avoids copies.
enum class Access : std::uint8_t {
    read_write,
    read,   ///< it stays as it is
    write,  ///< all of it is written, and nothing is read
};

/// Whether kernels of the device can use objects of the OpenGL context that is current on this thread. False where none
/// is current.
GEMEL_API bool shares(const Device& device);

/// A context on the device that shares objects with the OpenGL context which is current on this thread. On CUDA every
/// context of such a device does.
/// @throws Error if no OpenGL context is current, or if another device drives it
GEMEL_API Context create_context(const Device& device);

struct SharedState;

/// A buffer of OpenGL that kernels use in turns with it. Copies of the handle share it.
class GEMEL_API SharedBuffer {
   public:
    SharedBuffer() = default;
    /// @param name  of the buffer, whose storage has been given a size: glBufferData() comes first, and a later one
    /// needs a new SharedBuffer
    /// @throws ArgumentError if there is no such buffer; Error if the context does not share with OpenGL
    SharedBuffer(const Context& context, unsigned name, Access access = Access::read_write);
    std::size_t size_bytes() const;
    /// The memory, until the last copy of the returned handle dies or one is released: then OpenGL has it again, after
    /// all that streams have been told to do with it.
    /// @param stream  in whose order the buffer changes hands; the thread's current one if empty
    /// @throws ArgumentError if the buffer is acquired already
    /// @time on CUDA neither waits for the other; OpenCL waits for OpenGL here, and for the stream at the end
    Buffer acquire(const Stream& stream = {}) const;

   private:
    std::shared_ptr<SharedState> state_;
};

/// A texture of OpenGL that kernels use as an image.
class GEMEL_API SharedImage {
   public:
    SharedImage() = default;
    /// @param target  GL_TEXTURE_2D (0x0DE1), GL_TEXTURE_3D (0x806F) or GL_TEXTURE_2D_ARRAY (0x8C1A); level 0 is used
    /// @param format  of its elements: {dtype_of<uchar4>(), true} for GL_RGBA8, {dtype_of<float>()} for GL_R32F
    /// @throws ArgumentError if there is no such texture, or if its elements are of another type
    SharedImage(const Context& context, unsigned name, unsigned target, const ImageFormat& format,
                Access access = Access::read_write);
    /// As SharedBuffer::acquire().
    AnyImage acquire(const Stream& stream = {}) const;

   private:
    std::shared_ptr<SharedState> state_;
    ImageFormat format_;
};

}  // namespace gemel::gl
