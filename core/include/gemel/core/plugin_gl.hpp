/// OpenGL objects in the plug-in interface; a part of plugin.hpp.
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

/// How kernels use an acquired object.
enum class GlAccess : std::uint8_t { read_write, read, write };

/// Identifies an object of the OpenGL context that is current on the thread.
struct GlName {
    unsigned name = 0;
    unsigned target = 0;  ///< GL_TEXTURE_2D and the like; 0 for a buffer
    GlAccess access = GlAccess::read_write;
};

/// An OpenGL buffer or texture that kernels share. Calls may need its OpenGL context to be current on the thread.
class GEMEL_API GlObject {
   public:
    virtual ~GlObject();
    /// Gives the object to the stream: its later commands run after OpenGL's earlier commands.
    virtual void acquire(Stream& stream) = 0;
    /// Gives the object back to OpenGL, whose later commands run after the stream's earlier commands.
    virtual void release(Stream& stream) = 0;
    virtual std::size_t size_bytes() = 0;
    /// The memory of an acquired buffer; `foreign`.
    virtual Memory memory() = 0;
    /// The shape of an acquired texture. `is_normalised` may be unset: OpenGL knows it, but not every driver reports
    /// it.
    virtual ImageShape shape() = 0;
    virtual std::unique_ptr<Image> image(const ImageShape& shape) = 0;
};

}  // namespace gemel::plugin
