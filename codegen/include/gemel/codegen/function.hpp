/// Functions, kernels and programs of syntax trees. `context.compile(kernel)` compiles them.
#pragma once

#include <gemel/codegen/statement.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gemel::codegen {

struct FunctionParameter {
    Type type = {};
    std::string name = {};
    bool is_arena = false;  ///< dynamic shared memory: printed as SHARED_ARENA
};

/// Pointers to device memory, shared memory, constant tables, and a thread's private variables.
GEMEL_API FunctionParameter global_pointer(const Type& type, const std::string& name);
GEMEL_API FunctionParameter shared_pointer(const Type& type, const std::string& name);
GEMEL_API FunctionParameter constant_pointer(const Type& type, const std::string& name);
GEMEL_API FunctionParameter thread_pointer(const Type& type, const std::string& name);
/// A parameter passed by value.
GEMEL_API FunctionParameter value(const Type& type, const std::string& name);
template <ElementType T>
FunctionParameter value(const std::string& name) {
    return value(Type(dtype_of<T>()), name);
}
/// The same pointer with `restrict`: no other parameter accesses its memory.
GEMEL_API FunctionParameter restricted(FunctionParameter parameter);
/// Dynamic shared memory, named `shared_arena` in the body. Must be the kernel's last parameter.
GEMEL_API FunctionParameter shared_arena();

/// A kernel, or a device function.
struct GEMEL_API Function {
    std::string name = {};
    std::vector<FunctionParameter> parameters = {};
    Statements body = {};
    bool is_kernel = false;
    Type result = {};                                                 ///< of a device function; kernels return nothing
    std::optional<std::array<std::uint32_t, 3>> required_block = {};  ///< the only block size of a launch

    /// The source, preceded by the structs that it uses. Context::compile() adds the portable words.
    std::string source(const Dialect& dialect) const;
};

/// @throws ArgumentError if a name is not an identifier, a parameter has no type, or a returned value does not fit the
///         return type; for kernels also if a parameter points to private memory, a shared array is declared inside
///         another statement, or the required block has no threads
GEMEL_API Function kernel(const std::string& name, std::vector<FunctionParameter> parameters, Statements body,
                          std::optional<std::array<std::uint32_t, 3>> required_block = {});
GEMEL_API Function device_function(const Type& result, const std::string& name,
                                   std::vector<FunctionParameter> parameters, Statements body);

/// A field of a struct that Program::add_struct() declares.
struct StructMember {
    Type type = {};
    std::string name = {};
    std::size_t count = 1;  ///< elements; above 1 the field is an array
};

/// Everything that is compiled together, in the order in which it was added.
class GEMEL_API Program {
   public:
    Program& add(const Function& function);
    /// Declares a struct. Expressions refer to its type by named_type(name).
    Program& add_struct(const std::string& name, const std::vector<StructMember>& members);
    /// A constant table at file scope. Its values must be constant expressions: literals, and names from a preamble.
    Program& add_table(const Type& type, const std::string& name, const std::vector<Expression>& values);
    /// Adds text unchanged, such as a preamble.
    Program& add_text(const std::string& text);

    std::string source(const Dialect& dialect) const;

   private:
    struct Item;
    std::vector<std::shared_ptr<const Item>> items_;
};

/// The source in the dialect's own keywords (`__global__`, `__kernel`), like a program written by hand. Helpers of the
/// prelude (16-bit floats, complex numbers, atomics) keep their names.
GEMEL_API std::string to_source(const Function& function, const Dialect& dialect);
GEMEL_API std::string to_source(const Program& program, const Dialect& dialect);

}  // namespace gemel::codegen
