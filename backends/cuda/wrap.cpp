/// Programs and images of others.
#include "objects.hpp"

namespace gemel::plugin::cuda {

// The driver does not tell the context of a module or of an array: all are taken for the primary context's.

std::unique_ptr<Module> CudaContext::wrap_module(std::uint64_t handle) {
    Current current(*shared_);
    return std::make_unique<CudaModule>(shared_, reinterpret_cast<CUmodule>(handle), std::vector<std::byte>(), true);
}

ImageShape CudaContext::shape_of_image(std::uint64_t handle) {
    Current current(*shared_);
    return shape_of_array(reinterpret_cast<CUarray>(handle));
}

std::unique_ptr<Image> CudaContext::wrap_image(std::uint64_t handle, const ImageShape& shape) {
    Current current(*shared_);
    const auto array = reinterpret_cast<CUarray>(handle);
    CUDA_ARRAY3D_DESCRIPTOR description{};
    cu.Array3DGetDescriptor(&description, array);
    if (!(description.Flags & CUDA_ARRAY3D_SURFACE_LDST))
        throw ArgumentError(
            "wrap_image: the CUarray was made without CUDA_ARRAY3D_SURFACE_LDST, so that kernels cannot write it; make "
            "it with that flag");
    return image_over(shared_, shape, array);
}

}  // namespace gemel::plugin::cuda
