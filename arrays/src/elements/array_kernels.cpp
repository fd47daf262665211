#include "elements/array_kernels.hpp"

#include "generated/kernel_family.hpp"

#include <gemel/codegen/writer.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <utility>

namespace gemel {
namespace {

using Kind = DType::Kind;

/// `x[i]` converted to another type. In a snippet, 16-bit floats are floats.
std::string converted(const DType& from, const DType& to) {
    const bool is_complex = from.kind() == Kind::complex;
    if (to.kind() == Kind::complex) {
        const std::string part = to.size_bytes() == 8 ? "(float)" : "(double)";
        return is_complex ? text(to.name(), "_new(", part, "x[i].re, ", part, "x[i].im)")
                          : text(to.name(), "_new(", part, "x[i], 0)");
    }
    if (to.kind() == Kind::boolean) return is_complex ? "x[i].re != 0 || x[i].im != 0" : "x[i] != 0";
    if (is_complex) throw ArgumentError("there is no conversion kernel from complex to real");
    return text("(", to.is_16_bit_float() ? "float" : to.name(), ")x[i]");
}

using Family = KernelFamily<std::string, ElementwiseKernel>;

}  // namespace

const ElementwiseKernel& copy_kernel() {
    static const auto& kernel = *new ElementwiseKernel("const T *x, T *y", "y[i] = x[i]", "copy_elements");
    return kernel;
}

const ElementwiseKernel& fill_kernel() {
    static const auto& kernel = *new ElementwiseKernel("T value, T *y", "y[i] = value", "fill_elements");
    return kernel;
}

const ElementwiseKernel& conversion_kernel(const DType& from, const DType& to) {
    static auto& family = *new Family;
    const std::string name = text("convert_", from.name(), "_to_", to.name());
    return family.find(name, [&] {
        return ElementwiseKernel({VectorArg(from, "x", true), VectorArg(to, "y")}, text("y[i] = ", converted(from, to)),
                                 name);
    });
}

const ElementwiseKernel& progression_kernel(const DType& dtype, const std::string& number) {
    static auto& family = *new Family;
    const std::string name = text("progression_", number, "_to_", dtype.name());
    return family.find(name, [&] {
        const DType in = parse_type(number);
        const std::string type = dtype.is_16_bit_float() ? "float" : dtype.name();
        // i * step may overflow for elements that are in range.
        const std::string wraps = codegen::wrapping_cast(in);
        const char* value = in.is_floating() && dtype.is_integer() ? "floor(v)" : "v";
        return ElementwiseKernel({ScalarArg(in, "start"), ScalarArg(in, "step"), ScalarArg(in, "last"),
                                  ScalarArg(dtype_of<std::int64_t>(), "last_index"), VectorArg(dtype, "out")},
                                 text(number, " v = i == last_index ? last : (", number, ")(", wraps, "start + ", wraps,
                                      "(", number, ")i * ", wraps, "step); out[i] = (", type, ")", value),
                                 name, {.compile = {.fp_contract = false}});
    });
}

}  // namespace gemel
