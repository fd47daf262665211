#include "rearrange/pad_kernel.hpp"

#include "generated/kernel_family.hpp"
#include "rearrange_kernels.hpp"

#include <gemel/core/text.hpp>

#include <string>
#include <tuple>

namespace gemel {
namespace {

const char* word_of(PadMode mode) {
    switch (mode) {
        case PadMode::edge: return "edge";
        case PadMode::wrap: return "wrap";
        case PadMode::reflect: return "reflect";
        case PadMode::symmetric: return "symmetric";
        default: return "constant";
    }
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
        return ElementwiseKernel(arguments,
                                 rearrange_kernels::pad().render(
                                     {{"type", t}, {"mode", word_of(form.mode)}, {"has_border", form.has_border}}),
                                 "pad");
    });
}

}  // namespace gemel
