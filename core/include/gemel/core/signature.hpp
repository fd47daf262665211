/// What a kernel expects: the parser that reads parameter lists out of kernel text.
///
/// The same parser reads the argument strings of the generators ("float a, float *x"). Driver queries know only sizes
/// on CUDA and nothing after a reload on OpenCL, so a signature is parsed once and stored with the binary.
#pragma once

#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel {

/// One parameter of a kernel or of a generator.
struct Parameter {
    enum class Space : std::uint8_t {
        value,
        global,
        shared,
        constant,
        barrier,  ///< GRID_BARRIER: memory of the library's
        offset,   ///< LAUNCH_OFFSET: where the launch begins
        arena,
        texture,      ///< TEXTURE_2D and its siblings
        image_read,   ///< IMAGE_2D_READ and its siblings
        image_write,  ///< IMAGE_2D_WRITE and its siblings
        part          ///< what else the driver takes for the texture before it
    };

    std::string name = {};
    std::string type = {};  ///< as written, without qualifiers, '*' and name: "float", "unsigned int", "struct Step"
    DType dtype = {};       ///< empty when the name says nothing to gemel (a struct, a typedef, a template parameter)
    Space space = Space::value;  ///< `value` for scalars, structs; pointers name their memory; `arena`: SHARED_ARENA
    bool is_pointer = false;
    bool is_const = false;        ///< a pointer to const: the kernel only reads through it
    std::uint8_t dimensions = 0;  ///< of a texture or image, layers not counted
    bool is_layered = false;

    /// Whether the caller supplies it.
    bool is_supplied() const { return space < Space::barrier || (space > Space::arena && space != Space::part); }
    /// As it would be written in portable text, e.g. "const float *x".
    GEMEL_API std::string text() const;
    friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// A kernel's name and parameters, in order.
struct KernelSignature {
    std::string name = {};
    std::vector<Parameter> parameters = {};
    std::optional<std::array<std::uint32_t, 3>> required_block = {};  ///< REQD_WG_SIZE or its native spelling

    /// Parameters that the caller supplies: without the arena, the barrier, the offset and the parts of textures.
    GEMEL_API std::size_t argument_count() const;
    GEMEL_API bool uses_arena() const;
    /// Whether a parameter is a texture or an image.
    GEMEL_API bool uses_images() const;
    /// "scale(float *dest, const float *src, float s)"
    GEMEL_API std::string text() const;
    friend bool operator==(const KernelSignature&, const KernelSignature&) = default;
};

/// Every kernel defined in a program's text, portable or native, comments and strings ignored. A kernel that is defined
/// twice with different parameters (under #if) is left out, as are those made by the program's own macros: what is
/// missing here is checked by count and size against the driver alone.
GEMEL_API std::vector<KernelSignature> parse_kernels(std::string_view program);

/// A generator's argument string: "float a, const float *x, Particle *p". Names must be unique; there are no defaults.
/// @throws ArgumentError with the position and what was expected there
GEMEL_API std::vector<Parameter> parse_declarations(std::string_view declarations);

/// The type that a C type name denotes, as far as gemel knows it: "float", "unsigned", "long long", "uint8_t",
/// "float4", "cfloat"; an empty DType for anything else.
GEMEL_API DType parse_type(std::string_view type);

/// A compact text of signatures for storage with a binary, and back. @throws Error if the text is damaged
GEMEL_API std::string serialize(const std::vector<KernelSignature>& signatures);
GEMEL_API std::vector<KernelSignature> deserialize_signatures(std::string_view text);

}  // namespace gemel
