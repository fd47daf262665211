/// Types in syntax trees: values, and pointers with their memory space.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace gemel::codegen {

using gemel::Dialect;

/// The memory space of a pointer.
enum class Space : std::uint8_t {
    thread,    ///< private memory of a thread
    global,    ///< device memory
    shared,    ///< shared memory of a block
    constant,  ///< constant memory
};

/// The type of an expression, variable or parameter. A DType converts to it. Cheap to copy.
struct Type {
    DType dtype = {};       ///< of the value, or of the pointee; empty for a named type
    std::string name = {};  ///< a type that gemel does not know, printed unchanged
    bool is_const = false;  ///< the value, or the pointee
    bool is_pointer = false;
    bool is_restrict = false;
    Space space = Space::thread;  ///< of the pointee

    Type() = default;
    Type(const DType& dtype) : dtype(dtype) {}

    /// Is the type unknown?
    bool empty() const { return dtype.empty() && name.empty(); }

    friend bool operator==(const Type&, const Type&) = default;
};

/// A type known only by name: a typedef of a preamble, "sampler_t".
GEMEL_API Type named_type(const std::string& name);
/// The return type of functions without a result.
GEMEL_API Type void_type();
/// The const type: `const float`; for a pointer, a pointer to const.
GEMEL_API Type constant(Type type);
/// A pointer to `type` in a memory space.
GEMEL_API Type pointer(Type type, Space space);
/// The pointer type with `restrict`: nothing else accesses its memory.
GEMEL_API Type restricted(Type type);

/// A declaration of the type in a dialect, e.g. "__global const float *restrict x". Without a name: as in a cast.
GEMEL_API std::string declaration(const Type& type, const std::string& name, const Dialect& dialect);

}  // namespace gemel::codegen
