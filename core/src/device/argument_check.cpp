#include "device/argument_check.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/image.hpp>
#include <gemel/core/text.hpp>

namespace gemel {
namespace {

std::string declared(const Parameter& parameter) { return text("'", parameter.text(), "'"); }

std::string dimensions_text(unsigned dimensions, bool is_layered) {
    return text(dimensions, is_layered ? "-D, with layers" : "-D");
}

std::string describe(const Argument& argument) {
    switch (argument.kind) {
        case Argument::Kind::texture: {
            const auto& parts = *static_cast<const TextureParts*>(argument.data);
            return text("a texture (", dimensions_text(parts.dimensions, parts.is_layered), ")");
        }
        case Argument::Kind::image: {
            const auto& shape = *static_cast<const plugin::ImageShape*>(argument.data);
            return text("an image (", dimensions_text(shape.dimensions, shape.is_layered), ")");
        }
        case Argument::Kind::scalar: return argument.dtype.name();
        case Argument::Kind::structure:
            return argument.dtype.empty() ? text("a struct of ", argument.bytes, " bytes") : argument.dtype.name();
        case Argument::Kind::memory:
            return argument.dtype.empty() ? "a buffer" : text("an array of ", argument.dtype.name());
        case Argument::Kind::shared: return "shared memory";
        case Argument::Kind::tensor_map: return "a tensor map";
        default: return argument.dtype.empty() ? "a host range" : text("a host range of ", argument.dtype.name());
    }
}

/// Types that are interchangeable as values: bool is stored as a byte.
bool same_scalar(const DType& declared, const DType& given) {
    if (declared == given) return true;
    const auto byte = [](const DType& d) { return d.size_bytes() == 1 && d.lanes() == 1; };
    return byte(declared) && byte(given) &&
           (declared.kind() == DType::Kind::boolean || given.kind() == DType::Kind::boolean);
}

/// Elements of host ranges: signedness may differ, size and kind must not.
bool same_elements(const DType& declared, const DType& given) {
    if (declared.empty() || given.empty() || declared == given) return true;
    const auto integral = [](const DType& d) { return d.is_integer() || d.kind() == DType::Kind::boolean; };
    return declared.size_bytes() == given.size_bytes() && integral(declared) && integral(given);
}

/// The C++ type for a type of the kernel language.
std::string cpp_name(DType dtype) {
    if (dtype == dtype_of<half>()) return "gemel::half";
    return dtype == dtype_of<bfloat16>() ? "gemel::bfloat16" : dtype.name();
}

/// The next step for a wrong element type.
std::string next_step(const Parameter& parameter, const Argument& argument) {
    if (argument.kind == Argument::Kind::memory)
        return text("; pass its astype<", cpp_name(parameter.dtype),
                    ">(), or its buffer() to read the same bytes anew");
    return text("; convert the elements to ", cpp_name(parameter.dtype), ", or declare the parameter as ",
                argument.dtype.name(), " *");
}

}  // namespace

void refuse(const KernelState& kernel, const std::string& what) {
    throw ArgumentError(text("kernel '", kernel.name, "': ", what));
}
void refuse(const KernelState& kernel, std::size_t index, const Parameter* parameter, const std::string& what) {
    refuse(kernel, text("argument ", index + 1, parameter ? " (" + parameter->name + ")" : "", " ", what));
}

/// Textures and images, as parameters and as arguments.
static void check_image(const KernelState& kernel, std::size_t index, const Parameter& parameter,
                        const Argument& argument) {
    using Space = Parameter::Space;
    const auto refuse_it = [&](const char* next) {
        refuse(kernel, index, &parameter,
               text("is declared ", declared(parameter), ", but got ", describe(argument), "; ", next));
    };
    const bool takes_texture = parameter.space == Space::texture;
    const bool takes_image = parameter.space == Space::image_read || parameter.space == Space::image_write;
    if (takes_texture && argument.kind == Argument::Kind::texture) {
        const auto& parts = *static_cast<const TextureParts*>(argument.data);
        if (parts.dimensions != parameter.dimensions || parts.is_layered != parameter.is_layered)
            refuse_it(
                "declare the parameter with as many dimensions as the texture has, or reshape what it is made of");
    } else if (takes_image && argument.kind == Argument::Kind::image) {
        const auto& shape = *static_cast<const plugin::ImageShape*>(argument.data);
        if (shape.dimensions != parameter.dimensions || shape.is_layered != parameter.is_layered)
            refuse_it("declare the parameter with as many dimensions as the image has");
    } else if (takes_texture) {
        refuse_it("pass gemel::Texture(image, sampler), or gemel::Texture(array, sampler)");
    } else if (takes_image) {
        refuse_it("pass a gemel::Image");
    } else {
        refuse_it(argument.kind == Argument::Kind::texture ? "declare the parameter TEXTURE_2D(name) or a sibling"
                                                           : "declare the parameter IMAGE_2D_READ(name), "
                                                             "IMAGE_2D_WRITE(name) or a sibling, or pass its array()");
    }
}

void check_kind(const KernelState& kernel, std::size_t index, const Parameter& parameter, const Argument& argument) {
    if (parameter.space > Parameter::Space::arena || argument.kind == Argument::Kind::texture ||
        argument.kind == Argument::Kind::image)
        return check_image(kernel, index, parameter, argument);
    const bool is_map = argument.kind == Argument::Kind::tensor_map;
    if (is_map != (parameter.space == Parameter::Space::tensor_map))
        refuse(kernel, index, &parameter, text("is declared ", declared(parameter), ", but got ", describe(argument)));
    if (is_map) return;
    if (is_memory(argument.kind)) {
        if (!parameter.is_pointer)
            refuse(kernel, index, &parameter,
                   text("is declared ", declared(parameter), ", a value, but got ", describe(argument),
                        "; pass a number of that type, or declare a pointer"));
        if (parameter.space == Parameter::Space::shared)
            refuse(kernel, index, &parameter,
                   text("is shared memory, ", declared(parameter), ", but got ", describe(argument),
                        "; pass gemel::SharedMemory{bytes}"));
        if (!same_elements(parameter.dtype, argument.dtype))
            refuse(kernel, index, &parameter,
                   text("is declared ", declared(parameter), ", but got ", describe(argument),
                        next_step(parameter, argument)));
        return;
    }
    if (argument.kind == Argument::Kind::shared) {
        if (!parameter.is_pointer || parameter.space != Parameter::Space::shared)
            refuse(kernel, index, &parameter,
                   text("is declared ", declared(parameter), ", which is not a pointer to shared memory"));
        return;
    }
    if (parameter.is_pointer)
        refuse(kernel, index, &parameter,
               text("is a pointer, ", declared(parameter), ", but got ", describe(argument),
                    "; pass a Buffer, or wrap a host range in In(), Out() or InOut()"));
    if (parameter.dtype.empty()) return;
    if (argument.kind == Argument::Kind::scalar) {
        if (!same_scalar(parameter.dtype, argument.dtype))
            refuse(kernel, index, &parameter,
                   text("is declared ", declared(parameter), ", but got ", describe(argument),
                        "; hand-written kernels take exact types: convert it first"));
    } else if (argument.bytes != parameter.dtype.size_bytes() ||
               (!argument.dtype.empty() && argument.dtype.lanes() == 1 &&
                !same_scalar(parameter.dtype, argument.dtype))) {
        refuse(kernel, index, &parameter,
               text("is declared ", declared(parameter), " of ", counted(parameter.dtype.size_bytes(), "byte"),
                    ", but got ", describe(argument), "; pass a value of that type"));
    }
}

void check_size(const KernelState& kernel, std::size_t index, const Parameter* parameter, std::size_t slot,
                const Argument& argument) {
    const auto& sizes = kernel.kernel->facts().parameter_bytes;
    if (!sizes || slot >= sizes->size() || (*sizes)[slot] == 0) return;
    // Which a kernel of others takes as the driver's object.
    if (argument.kind == Argument::Kind::image && !parameter && (*sizes)[slot] == sizeof(void*)) return;
    const std::size_t given = is_memory(argument.kind) ? sizeof(void*) : argument.bytes;
    if (given != (*sizes)[slot])
        refuse(
            kernel, index, parameter,
            text("has ", (*sizes)[slot], " bytes in the kernel, but got ", describe(argument),
                 argument.kind == Argument::Kind::structure && argument.dtype.empty() ? ""
                                                                                      : text(" of ", given, " bytes")));
}

}  // namespace gemel
