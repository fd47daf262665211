/// Objects of OpenGL at the plug-in boundary; a part of plugin.hpp.
#pragma once

#include <gemel/core/export.hpp>
#include <gemel/core/image_shape.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gemel::plugin {

struct Memory;
class Image;
class Stream;

/// What kernels do with an object while they have it.
enum class GlAccess : std::uint8_t { read_write, read, write };

/// An object of the OpenGL context that is current on the thread.
struct GlName {
    unsigned name = 0;
    unsigned target = 0;  ///< GL_TEXTURE_2D and the like; 0 for a buffer
    GlAccess access = GlAccess::read_write;
};

/// A buffer or texture of OpenGL that kernels share. Calls may need its OpenGL context to be current on the thread.
class GEMEL_API GlObject {
   public:
    virtual ~GlObject();
    /// What OpenGL has been told before comes first; what the stream is told from now on may use the object.
    virtual void acquire(Stream& stream) = 0;
    /// What the stream has been told before comes first; what OpenGL is told from now on may use the object.
    virtual void release(Stream& stream) = 0;
    virtual std::size_t size_bytes() = 0;
    /// Of a buffer, while it is acquired; `foreign`.
    virtual Memory memory() = 0;
    /// Of a texture, while it is acquired. OpenGL knows whether integers are normalised; a driver need not tell.
    virtual ImageShape shape() = 0;
    virtual std::unique_ptr<Image> image(const ImageShape& shape) = 0;
};

}  // namespace gemel::plugin
