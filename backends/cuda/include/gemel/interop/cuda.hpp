/// Native CUDA handles: use gemel's in your own calls, and yours in gemel.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/wrap.hpp>

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gemel::cuda {

/// @throws ArgumentError if the device is of another backend
inline void require(const Device& device) {
    if (device.backend() != "cuda")
        throw ArgumentError("gemel::cuda: this belongs to the backend '" + device.backend() + "'");
}
/// @throws ArgumentError if the context is of another backend
inline void require(const Context& context) { require(context.device()); }

/// gemel owns the handles. The context is the device's primary context, which the CUDA run-time library shares.
inline CUcontext native(const Context& context) {
    require(context);
    return reinterpret_cast<CUcontext>(context.native_handle());
}
inline CUstream native(const Stream& stream) {
    require(stream.context());
    return reinterpret_cast<CUstream>(stream.native_handle());
}
/// The address of the buffer's first byte; it includes the offset of a view.
inline CUdeviceptr native(const Buffer& buffer) {
    require(buffer.context());
    return static_cast<CUdeviceptr>(buffer.native_handle() + buffer.offset_bytes());
}

/// gemel owns the event: it lives as long as the handle.
inline CUevent native(const Event& event) {
    require(event.device());
    return reinterpret_cast<CUevent>(event.native_handle());
}

inline CUarray native(const AnyImage& image) {
    require(image.context());
    return reinterpret_cast<CUarray>(image.native_handle());
}
inline CUmodule native(const Module& module) {
    require(module.context());
    return reinterpret_cast<CUmodule>(module.native_handle());
}

/// Wraps your memory (cuMemAlloc, cudaMalloc) in the primary context; gemel never frees it.
/// @param keep_alive  held for as long as any handle to it lives
inline Buffer wrap(const Context& context, CUdeviceptr address, std::size_t bytes,
                   std::shared_ptr<void> keep_alive = nullptr) {
    require(context);
    return context.wrap_buffer(static_cast<std::uint64_t>(address), bytes, std::move(keep_alive));
}
/// Wraps your event (CUevent, cudaEvent_t), to wait for it; gemel never destroys it. It cannot measure times.
inline Event wrap(const Context& context, CUevent event, std::shared_ptr<void> keep_alive = nullptr) {
    require(context);
    return context.wrap_event(reinterpret_cast<std::uint64_t>(event), std::move(keep_alive));
}
/// Wraps your stream (CUstream, cudaStream_t); gemel never destroys it.
inline Stream wrap(const Context& context, CUstream stream, std::shared_ptr<void> keep_alive = nullptr) {
    require(context);
    return context.wrap_stream(reinterpret_cast<std::uint64_t>(stream), std::move(keep_alive));
}

/// Wraps your loaded module, and with it its kernels; gemel never unloads it.
inline Module wrap(const Context& context, CUmodule module, std::shared_ptr<void> keep_alive = nullptr) {
    require(context);
    return wrap_module(context, reinterpret_cast<std::uint64_t>(module), std::move(keep_alive));
}
/// Wraps your array, made with CUDA_ARRAY3D_SURFACE_LDST; gemel never destroys it. See wrap_image().
inline AnyImage wrap(const Context& context, CUarray array, const std::optional<ImageFormat>& format = std::nullopt,
                     std::shared_ptr<void> keep_alive = nullptr) {
    require(context);
    return wrap_image(context, reinterpret_cast<std::uint64_t>(array), format, std::move(keep_alive));
}

}  // namespace gemel::cuda
