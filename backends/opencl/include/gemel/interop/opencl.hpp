/// Native OpenCL handles: use gemel's in your own calls, and yours in gemel.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/wrap.hpp>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include <cstdint>
#include <optional>
#include <string>

namespace gemel::opencl {

/// @throws ArgumentError if the device is of another backend
inline void require(const Device& device) {
    if (device.backend() != "opencl")
        throw ArgumentError("gemel::opencl: this belongs to the backend '" + device.backend() + "'");
}
/// @throws ArgumentError if the context is of another backend
inline void require(const Context& context) { require(context.device()); }

/// gemel owns the handles: retain them to keep them longer. A buffer that is a view begins at `buffer.offset_bytes()`.
inline cl_context native(const Context& context) {
    require(context);
    return reinterpret_cast<cl_context>(context.native_handle());
}
inline cl_command_queue native(const Stream& stream) {
    require(stream.context());
    return reinterpret_cast<cl_command_queue>(stream.native_handle());
}
inline cl_mem native(const Buffer& buffer) {
    require(buffer.context());
    return reinterpret_cast<cl_mem>(buffer.native_handle());
}

/// gemel owns the event: it lives as long as the handle.
inline cl_event native(const Event& event) {
    require(event.device());
    return reinterpret_cast<cl_event>(event.native_handle());
}

inline cl_mem native(const AnyImage& image) {
    require(image.context());
    return reinterpret_cast<cl_mem>(image.native_handle());
}
inline cl_program native(const Module& module) {
    require(module.context());
    return reinterpret_cast<cl_program>(module.native_handle());
}

/// Wraps your context; it must contain `device`. Retained as long as gemel needs it.
inline Context wrap(const Device& device, cl_context context) {
    return Context::wrap(device, reinterpret_cast<std::uint64_t>(context));
}
/// Wraps a buffer of `context`; retained.
inline Buffer wrap(const Context& context, cl_mem memory, std::size_t bytes) {
    require(context);
    return context.wrap_buffer(reinterpret_cast<std::uint64_t>(memory), bytes);
}
/// Wraps an event of `context`, a command's or a user event, to wait for it; retained. It cannot measure times.
inline Event wrap(const Context& context, cl_event event) {
    require(context);
    return context.wrap_event(reinterpret_cast<std::uint64_t>(event));
}
/// Wraps a queue of `context`; retained. In an out-of-order queue gemel enqueues a barrier before each of its commands,
/// so that they wait for everything enqueued before. Order your own later commands by a barrier or by the event of
/// `stream.record()`.
inline Stream wrap(const Context& context, cl_command_queue queue) {
    require(context);
    return context.wrap_stream(reinterpret_cast<std::uint64_t>(queue));
}

/// Wraps a program of `context` that has been built for its device; retained.
inline Module wrap(const Context& context, cl_program program) {
    require(context);
    return wrap_module(context, reinterpret_cast<std::uint64_t>(program));
}
/// A kernel of gemel's own of the same program and name. The arguments of yours stay yours.
inline Kernel wrap(const Context& context, cl_kernel kernel) {
    cl_program program = nullptr;
    std::size_t bytes = 0;
    if (clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, static_cast<void*>(&program), nullptr) !=
            CL_SUCCESS ||
        clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &bytes) != CL_SUCCESS)
        throw ArgumentError("gemel::opencl: expected a cl_kernel, got something else");
    std::string name(bytes, '\0');
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, bytes, name.data(), nullptr);
    return wrap(context, program).kernel(name.c_str());
}
/// Wraps an image of `context`; retained. See wrap_image().
inline AnyImage wrap_image(const Context& context, cl_mem image,
                           const std::optional<ImageFormat>& format = std::nullopt) {
    require(context);
    return gemel::wrap_image(context, reinterpret_cast<std::uint64_t>(image), format);
}
/// The settings of a sampler, for Texture(image, sampler): gemel makes the same.
/// @throws ArgumentError if its addresses are undefined outside the image, which gemel does not have
inline Sampler sampler(cl_sampler native) {
    cl_filter_mode filter = 0;
    cl_addressing_mode address = 0;
    cl_bool is_normalised = CL_FALSE;
    if (clGetSamplerInfo(native, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, nullptr) != CL_SUCCESS ||
        clGetSamplerInfo(native, CL_SAMPLER_ADDRESSING_MODE, sizeof address, &address, nullptr) != CL_SUCCESS ||
        clGetSamplerInfo(native, CL_SAMPLER_NORMALIZED_COORDS, sizeof is_normalised, &is_normalised, nullptr) !=
            CL_SUCCESS)
        throw ArgumentError("gemel::opencl: expected a cl_sampler, got something else");
    Sampler settings{.filter = filter == CL_FILTER_LINEAR ? Filter::linear : Filter::nearest,
                     .normalised = is_normalised != CL_FALSE};
    switch (address) {
        case CL_ADDRESS_CLAMP_TO_EDGE: settings.address = Address::clamp; break;
        case CL_ADDRESS_CLAMP: settings.address = Address::border; break;
        case CL_ADDRESS_REPEAT: settings.address = Address::wrap; break;
        case CL_ADDRESS_MIRRORED_REPEAT: settings.address = Address::mirror; break;
        default:
            throw ArgumentError(
                "gemel::opencl: the cl_sampler leaves what is outside the image undefined (CL_ADDRESS_NONE); use "
                "CL_ADDRESS_CLAMP_TO_EDGE");
    }
    return settings;
}

}  // namespace gemel::opencl
