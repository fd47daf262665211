/// Device declarations of structs, with a check that they lie in memory as on the host.
#pragma once

#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <string>
#include <vector>

namespace gemel::codegen {

using gemel::Dialect;

/// The struct and those inside it, nested ones first. Padding is explicit, so that every compiler agrees on offsets; a
/// check behind each struct does not compile where size or offsets differ from the host's.
/// @throws ArgumentError if two different structs have one name
GEMEL_API std::string struct_declaration(const StructLayout& layout, const Dialect& dialect);

/// All structs among some types, each once. @throws ArgumentError if two different structs have one name
GEMEL_API std::string struct_declarations(const std::vector<DType>& dtypes, const Dialect& dialect);

/// The one layout that equals this one, kept for the life of the process: what makes DTypes of one struct equal.
/// @throws ArgumentError if names are not identifiers, or fields overlap or leave the struct
GEMEL_API const StructLayout& intern_layout(StructLayout layout);

}  // namespace gemel::codegen
