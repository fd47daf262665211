/// What a test may ask of the stand-in for NVIDIA's driver. Found with dlsym() in the library that the plug-in has
/// opened.
#pragma once

#include <cuda.h>

extern "C" {
/// How often a function was called since the last stand_in_reset(); with a null name, all functions together.
using StandInCalls = unsigned long(const char* function);
/// From the `after`-th call on, counted from 1, the function does nothing and returns `result`.
using StandInFail = void(const char* function, CUresult result, unsigned long after);
/// Counts from 0, and no function fails.
using StandInReset = void();
/// What a texture object was made of.
struct StandInTexture {
    CUDA_ARRAY3D_DESCRIPTOR array;
    CUDA_TEXTURE_DESC texture;
    CUdeviceptr memory;  ///< 0 if of an array
    size_t pitch_bytes;
};
/// @returns 0 if there is no such object (any more)
using StandInFindTexture = int(unsigned long long object, StandInTexture* made);
/// Calls the function with the arguments of each launch; null ends that.
using StandInOnLaunch = void(void (*seen)(void** arguments));
}
