/// Device declarations of structs, with a check that their memory layout is the host's.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <string>
#include <vector>

namespace gemel::codegen {

using gemel::Dialect;

/// Declares the struct, preceded by the structs inside it. Padding is explicit, so that all compilers agree on offsets.
/// A check after each struct fails to compile if size or offsets differ from the host's.
/// @throws ArgumentError if two different structs have one name
GEMEL_API std::string struct_declaration(const StructLayout& layout, const Dialect& dialect);

/// Declares all structs among the types, each once. @throws ArgumentError if two different structs have one name
GEMEL_API std::string struct_declarations(const std::vector<DType>& dtypes, const Dialect& dialect);

/// Returns the unique layout equal to this one, which lives as long as the process. So DTypes of one struct are equal.
/// @throws ArgumentError if names are not identifiers, or fields overlap or exceed the struct
GEMEL_API const StructLayout& intern_layout(StructLayout layout);

}  // namespace gemel::codegen
