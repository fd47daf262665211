#include "rearrange/index_kernels.hpp"

#include "generated/kernel_family.hpp"
#include "rearrange_kernels.hpp"

#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <string>

namespace gemel {
namespace {

using Family = KernelFamily<std::uint64_t, ElementwiseKernel>;

bool is_signed(DType index) { return index.kind() == DType::Kind::signed_integer; }

/// The type in which indices are compared; unsigned indices are never negative.
std::string number_type(DType index, bool wide) {
    return text(is_signed(index) ? "" : "u", wide || index.size_bytes() == 8 ? "int64_t" : "int32_t");
}

const char* position_type(const IndexForm& form) { return form.wide_position ? "int64_t" : "int32_t"; }

/// Statements that compute `k`, an index in bounds, and `p`, the element's distance from the first one.
std::string position(const IndexForm& form) {
    return rearrange_kernels::position().render({{"number", number_type(form.index, form.wide_index)},
                                                 {"type", position_type(form)},
                                                 {"clips", form.clips},
                                                 {"is_signed", is_signed(form.index)},
                                                 {"rank", form.rank}});
}

/// The element at that distance.
std::string element(const IndexForm& form, const std::string& array) {
    return form.rank == 0 ? text(array, "[p]") : text("*(", array, " + p)");
}

/// The arguments of position(), and `count` if there is one.
std::string position_arguments(const IndexForm& form, bool has_count) {
    std::string s = text(", const ", form.index.name(), " *idx, ", has_count ? "int64_t count, " : "",
                         number_type(form.index, form.wide_index), " extent");
    for (std::size_t axis = 1; axis < form.rank; ++axis) s += text(", ", position_type(form), " e", axis);
    for (std::size_t axis = 0; axis < form.rank; ++axis) s += text(", ", position_type(form), " s", axis);
    return s;
}

std::uint64_t key_of(const IndexForm& form, std::size_t arrays, std::uint64_t variant) {
    const std::uint64_t flags = (is_signed(form.index) ? 1u : 0u) | (form.clips ? 2u : 0u) |
                                (form.wide_index ? 4u : 0u) | (form.wide_position ? 8u : 0u);
    return flags | variant << 4 | std::uint64_t{form.index.size_bytes()} << 8 | std::uint64_t{arrays} << 16 |
           std::uint64_t{form.rank} << 32;
}

}  // namespace

const ElementwiseKernel& take_kernel(const IndexForm& form, std::size_t arrays, bool from_element) {
    static auto& family = *new Family;
    return family.find(key_of(form, arrays, from_element), [&] {
        std::string arguments, operation = position(form);
        for (std::size_t a = 0; a < arrays; ++a) {
            arguments += text(a ? ", " : "", "T", a, " *y", a, ", const T", a, " *x", a);
            operation +=
                text("y", a, "[i] = ", from_element ? text("(&x", a, "[i])[p]") : element(form, text("x", a)), ";\n");
        }
        return ElementwiseKernel(arguments + position_arguments(form, false), operation, "take_elements");
    });
}

const ElementwiseKernel& put_kernel(const IndexForm& form, std::size_t arrays, ValueForm values) {
    static auto& family = *new Family;
    return family.find(key_of(form, arrays, static_cast<std::uint64_t>(values)), [&] {
        std::string arguments, operation = position(form);
        const char* subscript = values == ValueForm::one ? "" : values == ValueForm::each ? "[i]" : "[i % count]";
        for (std::size_t a = 0; a < arrays; ++a) {
            arguments += text(a ? ", " : "", "T", a, " *x", a, ", ", values == ValueForm::one ? "" : "const ", "T", a,
                              values == ValueForm::one ? " v" : " *v", a);
            operation += text(element(form, text("x", a)), " = v", a, subscript, ";\n");
        }
        return ElementwiseKernel(arguments + position_arguments(form, values == ValueForm::repeated), operation,
                                 "put_elements");
    });
}

const ElementwiseKernel& index_check_kernel(DType index, bool wide) {
    static auto& family = *new Family;
    return family.find(key_of({.index = index, .wide_index = wide}, 1, 0), [&] {
        const std::string number = number_type(index, wide);
        return ElementwiseKernel(
            text("const ", index.name(), " *idx, ", number, " extent, int32_t *found"),
            text(number, " k = idx[i];\nif (", is_signed(index) ? "k < -extent || " : "", "k >= extent) found[0] = 1;"),
            "check_indices");
    });
}

const Scan& repeat_ends_scan() {
    static const auto& scan = *new Scan(
        parse_declarations("const int64_t *times, int64_t *ends, int64_t *negative"), dtype_of<std::int64_t>(),
        {.input_expr = "times[i]",
         .scan_expr = "a + b",
         .neutral = "0",
         .output_statement = "ends[i] = item; if (times[i] < 0) negative[0] = 1; if (item < 0) negative[1] = 1",
         .name = "repeat_ends"});
    return scan;
}

const ElementwiseKernel& repeat_sources_kernel() {
    static const auto& kernel = *new ElementwiseKernel("int64_t *sources, const int64_t *ends, int64_t count",
                                                       rearrange_kernels::repeat_sources().render(), "repeat_sources");
    return kernel;
}

}  // namespace gemel
