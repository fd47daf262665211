/// What a test may ask of the layer between the OpenCL plug-in and PoCL, which adds the import of memory that NVIDIA's
/// OpenCL has: a device's UUID (with LAYER_UUIDS=each in the environment every device has one of its own),
/// cl_khr_external_memory_opaque_fd, and memory that is the pages of a file.
#pragma once

#include <CL/cl.h>

#include <chrono>

namespace layer {

struct Settings {
    bool has_extension = true;
    unsigned char uuid = 7;  ///< each byte of it, before the first context; the stand-in's devices have 7, 8, ...
    cl_int import_status = CL_SUCCESS;
    bool imports_other_memory = false;  ///< without a word, as a driver with a fault might
    cl_int acquire_status = CL_SUCCESS;
    unsigned acquires_before_status = 0;  ///< so many succeed first
    /// How long commands behind an acquire wait while the host goes on.
    std::chrono::milliseconds delay{0};
};
extern Settings settings;

struct Counts {
    unsigned imports = 0, with_device_list = 0, acquires = 0, releases = 0, freed = 0;
    unsigned repeats = 0;  ///< acquires of the memory that was acquired last
};
/// Since the last call.
Counts take_counts();

}  // namespace layer
