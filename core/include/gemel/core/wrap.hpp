/// Wraps programs and images that were created through the driver API by other code. Buffers, streams and events are
/// wrapped by Context; gemel/interop/*.hpp take the driver's types.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/image.hpp>
#include <gemel/core/module.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace gemel {

/// Wraps a loaded program of this context: a CUmodule, or a cl_program that was built for the context's device. A
/// cl_program is retained. gemel never unloads a CUmodule; keep it loaded while its kernels may run. Argument types are
/// checked only as far as the driver knows them. Pass an AnyImage for image2d_t and the other image types of OpenCL C,
/// and for a cudaSurfaceObject_t in CUDA C++.
/// @param keep_alive  held for as long as gemel needs the program
/// @throws ArgumentError if it belongs to another context, or was not built
GEMEL_API Module wrap_module(const Context& context, std::uint64_t handle, std::shared_ptr<void> keep_alive = nullptr);

/// Wraps an image of this context: a CUarray (created with CUDA_ARRAY3D_SURFACE_LDST), or a cl_mem that is an image.
/// Shape and format are the driver's. A cl_mem is retained; gemel never destroys a CUarray.
/// @param format  for elements that use several channels (complex and 64-bit numbers), and for integers of a CUarray
///                that are read as normalised. Default: the driver's format
/// @param keep_alive  held for as long as gemel needs the image
/// @throws ArgumentError if it belongs to another context, `format` does not match the image, or the image kind is
/// unsupported
GEMEL_API AnyImage wrap_image(const Context& context, std::uint64_t handle,
                              const std::optional<ImageFormat>& format = std::nullopt,
                              std::shared_ptr<void> keep_alive = nullptr);

}  // namespace gemel
