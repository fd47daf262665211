/// Programs and images of others.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::plugin::opencl {
namespace {

/// @throws ArgumentError unless it is an image of this context
cl_mem_object_type type_of_image(const Shared& shared, cl_mem image) {
    if (query<cl_context>(cl.GetMemObjectInfo, CL_MEM_CONTEXT, image) != shared.context)
        throw ArgumentError("wrap_image: the cl_mem belongs to another cl_context; wrap that context first");
    const auto type = query<cl_mem_object_type>(cl.GetMemObjectInfo, CL_MEM_TYPE, image);
    constexpr cl_mem_object_type known[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                            CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
    if (std::find(std::begin(known), std::end(known), type) == std::end(known))
        throw ArgumentError(
            "wrap_image: expected a cl_mem that is an image of 1, 2 or 3 dimensions, got another kind of memory; a "
            "buffer is wrapped by Context::wrap_buffer()");
    return type;
}

}  // namespace

std::unique_ptr<Module> OpenClContext::wrap_module(std::uint64_t handle) {
    const auto program = reinterpret_cast<cl_program>(handle);
    if (query<cl_context>(cl.GetProgramInfo, CL_PROGRAM_CONTEXT, program) != shared_->context)
        throw ArgumentError("wrap_module: the cl_program belongs to another cl_context; wrap that context first");
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    const Status status =
        cl.GetProgramBuildInfo.status(program, shared_->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, nullptr);
    if (status != success || type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        throw ArgumentError(text("wrap_module: the cl_program has not been built for ", shared_->info->name,
                                 "; call clBuildProgram() first"));
    cl.RetainProgram(program);
    return std::make_unique<OpenClModule>(shared_, program);
}

ImageShape OpenClContext::shape_of_image(std::uint64_t handle) {
    const auto image = reinterpret_cast<cl_mem>(handle);
    return opencl::shape_of_image(image, type_of_image(*shared_, image));
}

std::unique_ptr<Image> OpenClContext::wrap_image(std::uint64_t handle, const ImageShape& shape) {
    if (shape != shape_of_image(handle))
        throw ArgumentError(text("wrap_image: the integers of the cl_mem are ", shape.is_normalised ? "not " : "",
                                 "normalised; leave the format out"));
    return image_over(shared_, shape, reinterpret_cast<cl_mem>(handle));
}

}  // namespace gemel::plugin::opencl
