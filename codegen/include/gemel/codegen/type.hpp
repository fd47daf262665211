/// Types in syntax trees: values, and pointers that carry their memory space.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace gemel::codegen {

using gemel::Dialect;

/// Which memory a pointer points to.
enum class Space : std::uint8_t {
    thread,    ///< a thread's own variables
    global,    ///< device memory
    shared,    ///< a block's shared memory
    constant,  ///< tables that kernels only read
};

/// The type of an expression, a variable or a parameter. A DType is one by itself. Cheap to copy.
struct Type {
    DType dtype = {};       ///< of the value, or of what the pointer points to; empty if only its name is known
    std::string name = {};  ///< for a type that gemel does not know: printed as it stands
    bool is_const = false;  ///< the value, or what the pointer points to
    bool is_pointer = false;
    bool is_restrict = false;
    Space space = Space::thread;  ///< of what the pointer points to

    Type() = default;
    Type(const DType& dtype) : dtype(dtype) {}

    /// Is anything known about it?
    bool empty() const { return dtype.empty() && name.empty(); }
    /// A value of a known scalar type.
    bool is_scalar() const { return !is_pointer && !dtype.empty() && dtype.lanes() == 1 && !dtype.layout(); }

    friend bool operator==(const Type&, const Type&) = default;
};

/// A type known by its name alone: a typedef of a preamble, "sampler_t".
GEMEL_API Type named_type(const std::string& name);
/// What functions without a result return.
GEMEL_API Type void_type();
/// The same type, only to be read: `const float`; of a pointer, what it points to.
GEMEL_API Type constant(Type type);
/// A pointer to `type` in a memory space.
GEMEL_API Type pointer(Type type, Space space);
/// A pointer whose memory nothing else reaches.
GEMEL_API Type restricted(Type type);

/// The type as a declaration in one dialect, e.g. "__global const float *restrict x". Without a name as in a cast.
GEMEL_API std::string declaration(const Type& type, const std::string& name, const Dialect& dialect);

}  // namespace gemel::codegen
