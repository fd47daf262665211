/// Arguments of generated kernels: how they are declared, and what a call may give for them.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/core/argument.hpp>
#include <gemel/core/signature.hpp>

#include <concepts>
#include <optional>
#include <string>

namespace gemel {

/// Declares an array argument of a generated kernel whose type is known only at run time.
struct VectorArg : Parameter {
    VectorArg(DType dtype, std::string name, bool is_const = false)
        : Parameter{.name = std::move(name),
                    .type = dtype.name(),
                    .dtype = dtype,
                    .space = Space::global,
                    .is_pointer = true,
                    .is_const = is_const} {}
};

/// Declares a value argument.
struct ScalarArg : Parameter {
    ScalarArg(DType dtype, std::string name)
        : Parameter{.name = std::move(name), .type = dtype.name(), .dtype = dtype, .space = Space::value} {}
};

/// One argument of one call of a generated kernel: an array, or a value. Refers to what the caller gave.
struct CallArgument {
    CallArgument(const AnyArray& given) : array(&given) {}
    explicit CallArgument(const Argument& given) : value(given) {}
    template <KernelArgument T>
        requires(!std::derived_from<T, AnyArray>)
    CallArgument(const T& given) : value(as_argument(given)) {
        if constexpr (StructValue<T>) static_assert(ElementType<T>);  // a generated kernel must know its fields
    }

    const AnyArray* array = nullptr;
    Argument value;
    bool rounds = false;  ///< a number in an expression with arrays: it may round to a floating type, as in NumPy
};

/// What a generated kernel can be called with: arrays and values. Host ranges: to_gpu() makes an array of them.
template <class T>
concept GeneratorArgument = std::derived_from<T, AnyArray> || KernelArgument<T>;

}  // namespace gemel
