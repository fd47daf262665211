/// Functions, kernels and whole programs of syntax trees. `context.compile(kernel)` compiles them as they are.
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
    bool is_arena = false;  ///< the kernel's dynamic shared memory: the word SHARED_ARENA
};

/// Pointers to device memory, shared memory, tables, and a thread's own variables.
GEMEL_API FunctionParameter global_pointer(const Type& type, const std::string& name);
GEMEL_API FunctionParameter shared_pointer(const Type& type, const std::string& name);
GEMEL_API FunctionParameter constant_pointer(const Type& type, const std::string& name);
GEMEL_API FunctionParameter thread_pointer(const Type& type, const std::string& name);
/// A parameter by value.
GEMEL_API FunctionParameter value(const Type& type, const std::string& name);
template <ElementType T>
FunctionParameter value(const std::string& name) {
    return value(Type(dtype_of<T>()), name);
}
/// A pointer whose memory no other parameter reaches.
GEMEL_API FunctionParameter restricted(FunctionParameter parameter);
/// Dynamic shared memory, which the body knows as `shared_arena`; the last parameter of a kernel.
GEMEL_API FunctionParameter shared_arena();

/// A kernel, or a function that kernels call.
struct GEMEL_API Function {
    std::string name = {};
    std::vector<FunctionParameter> parameters = {};
    Statements body = {};
    bool is_kernel = false;
    Type result = {};                                                 ///< of a device function; kernels return nothing
    std::optional<std::array<std::uint32_t, 3>> required_block = {};  ///< the only block size that it is launched with

    /// Its text, with the structs that it uses before it; what Context::compile puts the portable words in front of.
    std::string source(const Dialect& dialect) const;
};

/// @throws ArgumentError if a name is not an identifier, a parameter has no type, or the body returns what it must not;
/// for
///                       kernels also if a parameter points to a thread's own memory, a shared array stands inside
///                       another statement, or the required block has no threads
GEMEL_API Function kernel(const std::string& name, std::vector<FunctionParameter> parameters, Statements body,
                          std::optional<std::array<std::uint32_t, 3>> required_block = {});
GEMEL_API Function device_function(const Type& result, const std::string& name,
                                   std::vector<FunctionParameter> parameters, Statements body);

/// A field of a struct that is declared by hand.
struct StructMember {
    Type type = {};
    std::string name = {};
    std::size_t count = 1;  ///< more than 1 for an array
};

/// Everything that is compiled together, in order.
class GEMEL_API Program {
   public:
    Program& add(const Function& function);
    /// A struct by its members; in the tree its type is named_type(name).
    Program& add_struct(const std::string& name, const std::vector<StructMember>& members);
    /// A table at file scope that kernels read. Its values are constants: literals, and what a preamble defines.
    Program& add_table(const Type& type, const std::string& name, const std::vector<Expression>& values);
    /// Text as it stands: a preamble of the user's.
    Program& add_text(const std::string& text);

    std::string source(const Dialect& dialect) const;

   private:
    struct Item;
    std::vector<std::shared_ptr<const Item>> items_;
};

/// A function's text in one dialect: its own words (`__global__`, `__kernel`), as in a program written by hand. Helpers
/// of the prelude (16-bit floats, complex numbers, atomics) keep their names.
GEMEL_API std::string to_source(const Function& function, const Dialect& dialect);
GEMEL_API std::string to_source(const Program& program, const Dialect& dialect);

}  // namespace gemel::codegen
