/// Kernel signatures: a parser of parameter lists in kernel text.
///
/// It also parses the argument strings of generators ("float a, float *x"). CUDA drivers report only parameter sizes,
/// and OpenCL drivers nothing for a loaded binary; therefore a signature is parsed once and stored with the binary.
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
        tensor_map,  ///< GEMEL_TENSOR_MAP: of an array that is read
        barrier,     ///< GRID_BARRIER: memory of the library
        offset,      ///< LAUNCH_OFFSET: the start of the launch
        arena,
        texture,      ///< TEXTURE_2D and so on
        image_read,   ///< IMAGE_2D_READ and so on
        image_write,  ///< IMAGE_2D_WRITE and so on
        part          ///< a further driver argument of the texture before it
    };

    std::string name = {};
    std::string type = {};  ///< as written, without qualifiers, '*' and name: "float", "unsigned int", "struct Step"
    DType dtype = {};       ///< empty if gemel does not know the name (a struct, a typedef, a template parameter)
    Space space = Space::value;  ///< `value`: scalar or struct; a memory space: pointer; `arena`: SHARED_ARENA
    bool is_pointer = false;
    bool is_const = false;        ///< a pointer to const, through which the kernel only reads
    std::uint8_t dimensions = 0;  ///< of a texture or image, not counting layers
    bool is_layered = false;

    /// Whether the caller supplies the argument.
    bool is_supplied() const { return space < Space::barrier || (space > Space::arena && space != Space::part); }
    /// The declaration in portable text, e.g. "const float *x".
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
    /// Whether a parameter is a texture or an image.
    GEMEL_API bool uses_images() const;
    /// "scale(float *dest, const float *src, float s)"
    GEMEL_API std::string text() const;
    friend bool operator==(const KernelSignature&, const KernelSignature&) = default;
};

/// Every kernel that is defined in a program's text, portable or native; ignores comments and strings. Leaves out
/// kernels that are defined twice with different parameters (under #if) and kernels that the program's own macros
/// define; their arguments are checked only by the driver's count and sizes.
GEMEL_API std::vector<KernelSignature> parse_kernels(std::string_view program);

/// Parses a generator's argument string: "float a, const float *x, Particle *p". Names must be unique; default values
/// are not allowed. @throws ArgumentError with the position and what was expected there
GEMEL_API std::vector<Parameter> parse_declarations(std::string_view declarations);

/// The DType of a C type name: "float", "unsigned", "long long", "uint8_t", "float4", "cfloat"; empty for other names.
GEMEL_API DType parse_type(std::string_view type);

namespace detail {
/// Convert signatures to a compact text for storage with a binary, and back. @throws Error if the text is damaged
GEMEL_API std::string serialize(const std::vector<KernelSignature>& signatures);
GEMEL_API std::vector<KernelSignature> deserialize_signatures(std::string_view text);
}  // namespace detail

}  // namespace gemel
