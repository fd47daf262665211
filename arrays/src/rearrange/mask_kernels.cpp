#include "rearrange/mask_kernels.hpp"

#include "generated/kernel_family.hpp"

#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <string>

namespace gemel {
namespace {

Scan make_scan(bool wide, const char* name, const char* arguments, const char* output) {
    const DType number = wide ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>();
    return Scan(
        parse_declarations(arguments), number,
        {.input_expr = "m[i] != 0", .scan_expr = "a + b", .neutral = "0", .output_statement = output, .name = name});
}

using Scans = KernelFamily<bool, Scan>;

}  // namespace

const Scan& place_scan(bool wide) {
    static auto& scans = *new Scans;
    return scans.find(wide, [&] {
        return make_scan(wide, "place", "const bool *m, T *x, const T *v, int64_t count",
                         "if (m[i]) x[i] = v[(item - 1) % count]");
    });
}

const ElementwiseKernel& put_mask_kernel(ValueForm values) {
    static auto& family = *new KernelFamily<ValueForm, ElementwiseKernel>;
    return family.find(values, [&] {
        switch (values) {
            case ValueForm::one: return ElementwiseKernel("const bool *m, T *x, T v", "if (m[i]) x[i] = v", "put_mask");
            case ValueForm::each:
                return ElementwiseKernel("const bool *m, T *x, const T *v", "if (m[i]) x[i] = v[i]", "put_mask");
            default:
                return ElementwiseKernel("const bool *m, T *x, const T *v, int64_t count",
                                         "if (m[i]) x[i] = v[i % count]", "put_mask");
        }
    });
}

const ElementwiseKernel& unravel_kernel(std::size_t rank, bool wide) {
    static auto& family = *new KernelFamily<std::size_t, ElementwiseKernel>;
    return family.find(rank * 2 + wide, [&] {
        const std::string number = wide ? "int64_t" : "int32_t";
        std::string arguments = "const int64_t *flat", operation = text(number, " rest = (", number, ")flat[i];\n");
        for (std::size_t axis = 1; axis < rank; ++axis) arguments += text(", ", number, " e", axis);
        for (std::size_t axis = 0; axis < rank; ++axis) arguments += text(", int64_t *a", axis);
        for (std::size_t axis = rank - 1; axis > 0; --axis)
            operation += text("a", axis, "[i] = rest % e", axis, ";\nrest /= e", axis, ";\n");
        return ElementwiseKernel(arguments, operation + "a0[i] = rest", "unravel");
    });
}

}  // namespace gemel
