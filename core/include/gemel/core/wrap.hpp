/// Programs and images that others have made with the driver's own calls, for use in gemel. Buffers, streams and events
/// are wrapped by Context; gemel/interop/*.hpp take the driver's types.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/image.hpp>
#include <gemel/core/module.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace gemel {

/// A loaded program of this context: a CUmodule, or a cl_program that has been built for the context's device. A
/// cl_program is retained; a CUmodule is never unloaded, and stays loaded for as long as kernels of it may run. The
/// types of arguments are checked only as far as the driver knows them. An AnyImage is an argument for image2d_t and
/// its siblings in OpenCL C, and for a cudaSurfaceObject_t in CUDA C++.
/// @param keep_alive  held for as long as gemel needs the program
/// @throws ArgumentError if it belongs to another context, or has not been built
GEMEL_API Module wrap_module(const Context& context, std::uint64_t handle, std::shared_ptr<void> keep_alive = nullptr);

/// An image of this context: a CUarray (made with CUDA_ARRAY3D_SURFACE_LDST), or a cl_mem that is an image. Shape and
/// format are the driver's. A cl_mem is retained; a CUarray is never destroyed.
/// @param format  for elements that take several channels (complex and 64-bit numbers), and for integers of a CUarray
///                that are read as normalised; the driver's if left out
/// @param keep_alive  held for as long as gemel needs the image
/// @throws ArgumentError if it belongs to another context, or `format` is not that of the image, or gemel has no such
///         images
GEMEL_API AnyImage wrap_image(const Context& context, std::uint64_t handle,
                              const std::optional<ImageFormat>& format = std::nullopt,
                              std::shared_ptr<void> keep_alive = nullptr);

}  // namespace gemel
