#include "rearrange/pad_kernel.hpp"

#include "generated/kernel_family.hpp"

#include <gemel/core/text.hpp>

#include <string>
#include <tuple>

namespace gemel {
namespace {

/// A statement that maps the index c into [0, n), where n is the extent in x and `t` the index type.
std::string brought_inside(PadMode mode, const std::string& t, const std::string& n) {
    switch (mode) {
        case PadMode::edge: return text("c = c < 0 ? 0 : ", n, " - 1;");
        case PadMode::wrap: return text("c %= ", n, "; if (c < 0) c += ", n, ";");
        case PadMode::reflect:
            return text("const ", t, " period = ", n, " > 1 ? 2 * (", n,
                        " - 1) : 1; c %= period; if (c < 0) c += period; ", "if (c >= ", n, ") c = period - c;");
        case PadMode::symmetric:
            return text("const ", t, " period = 2 * ", n, "; c %= period; if (c < 0) c += period; ", "if (c >= ", n,
                        ") c = period - 1 - c;");
        default: return "inside = 0;";
    }
}

std::string operation(const PadForm& form, const std::string& t) {
    std::string s = text(t, " rest = i, p = 0, c;\n");
    if (form.mode == PadMode::constant) s += "int inside = 1;\n";
    for (std::size_t axis = form.has_border.size(); axis-- > 0;) {
        s += axis > 0 ? text("c = rest % e", axis, ";\nrest /= e", axis, ";\n") : "c = rest;\n";
        if (form.has_border[axis])
            s += text("c -= b", axis, ";\nif (c < 0 || c >= n", axis, ") {\n    ",
                      brought_inside(form.mode, t, text("n", axis)), "\n}\n");
        s += text("p += c * s", axis, ";\n");
    }
    if (form.mode != PadMode::constant) return s + "out[i] = *(x + p)";
    return s + "if (inside) out[i] = *(x + p);\nelse out[i] = value";
}

}  // namespace

const ElementwiseKernel& pad_kernel(const PadForm& form) {
    static auto& family = *new KernelFamily<std::tuple<PadMode, bool, std::vector<bool>>, ElementwiseKernel>;
    return family.find({form.mode, form.wide, form.has_border}, [&] {
        const std::string t = form.wide ? "int64_t" : "int32_t";
        std::string arguments = "T *out, const T *x";
        if (form.mode == PadMode::constant) arguments += ", T value";
        for (std::size_t axis = 0; axis < form.has_border.size(); ++axis) {
            arguments += text(", ", t, " e", axis, ", ", t, " s", axis);
            if (form.has_border[axis]) arguments += text(", ", t, " n", axis, ", ", t, " b", axis);
        }
        return ElementwiseKernel(arguments, operation(form, t), "pad");
    });
}

}  // namespace gemel
