/// OpenGL buffers and textures in kernels, without a copy through the host.
///
///     const Context context = gl::create_context(device);    // the OpenGL context is current on this thread
///     gl::SharedBuffer vertices(context, vertex_buffer);     // made by glGenBuffers and glBufferData
///     ...
///     Buffer points = vertices.acquire();                    // from here on kernels may use it
///     kernel({.threads = {n}}, points, n);
///     points.release();                                      // from here on OpenGL may draw it
///
/// Every function here needs that OpenGL context to be current on the calling thread. gemel links neither libEGL nor
/// libGL: a process with an OpenGL context has loaded one of them.
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

/// How kernels use an acquired object; a hint with which the driver avoids copies.
enum class Access : std::uint8_t {
    read_write,
    read,   ///< kernels do not write it
    write,  ///< kernels overwrite all of it and read nothing
};

/// Whether kernels of the device can use objects of the OpenGL context that is current on this thread. False if none is
/// current.
GEMEL_API bool shares(const Device& device);

/// Creates a context that shares objects with the OpenGL context that is current on this thread. On CUDA every context
/// of such a device does.
/// @throws Error if no OpenGL context is current or another device drives it
GEMEL_API Context create_context(const Device& device);

struct SharedState;

/// An OpenGL buffer that OpenGL and kernels use in turns. Copies of the handle share it.
class GEMEL_API SharedBuffer {
   public:
    SharedBuffer() = default;
    /// @param name  of the buffer. Call glBufferData() before; after another glBufferData() make a new SharedBuffer
    /// @throws ArgumentError if there is no such buffer; Error if the context does not share with OpenGL
    SharedBuffer(const Context& context, unsigned name, Access access = Access::read_write);
    std::size_t size_bytes() const;
    /// Acquires the memory for kernels. It returns to OpenGL when the last copy of the returned handle is destroyed or
    /// one is released, after all commands that streams were given before.
    /// @param stream  the stream in whose order the buffer is acquired and returned; the thread's current one if empty
    /// @throws ArgumentError if the buffer is acquired already
    /// @time on CUDA enqueued, without a wait; on OpenCL the host waits for OpenGL here, and for the stream at the
    /// return
    Buffer acquire(const Stream& stream = {}) const;

   private:
    std::shared_ptr<SharedState> state_;
};

/// An OpenGL texture that kernels use as an image.
class GEMEL_API SharedImage {
   public:
    SharedImage() = default;
    /// @param target  GL_TEXTURE_2D (0x0DE1), GL_TEXTURE_3D (0x806F) or GL_TEXTURE_2D_ARRAY (0x8C1A); level 0 is used
    /// @param format  of its elements: {dtype_of<uchar4>(), true} for GL_RGBA8, {dtype_of<float>()} for GL_R32F
    /// @throws ArgumentError if there is no such texture or its elements have another type
    SharedImage(const Context& context, unsigned name, unsigned target, const ImageFormat& format,
                Access access = Access::read_write);
    /// Like SharedBuffer::acquire().
    AnyImage acquire(const Stream& stream = {}) const;

   private:
    std::shared_ptr<SharedState> state_;
    ImageFormat format_;
};

}  // namespace gemel::gl
