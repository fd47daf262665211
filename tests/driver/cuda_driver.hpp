/// What the files of the stand-in for NVIDIA's driver share.
#pragma once

#define GEMEL_EMULATION_HOST
#include "emulation_runner.hpp"

#include <cuda.h>

#include <array>
#include <cstddef>

/// Counts a call. @returns what it shall return if it fails, else success
CUresult called(const char* function);
#define GEMEL_CALLED(function) \
    if (const CUresult result = called(function); result != CUDA_SUCCESS) return result

/// Pages of an allocation, without the one behind it that nobody may touch.
struct Pages {
    char* begin = nullptr;
    std::size_t bytes = 0;
    char* memory = nullptr;  ///< where in them the allocation begins
};
Pages find_pages(void* address);
/// Of pages that end; see cuda_interprocess.cpp.
void forget_file(char* pages);

/// A kernel; one for a GPU is taken and not run.
struct Function {
    emulation::Kernel run = nullptr;
    std::size_t (*argument_bytes)(std::size_t index) = nullptr;  ///< 0 behind the last
};
CUresult run_kernel(CUfunction function, void** arguments, std::array<unsigned, 3> grid, std::array<unsigned, 3> block,
                    bool is_cooperative = false);
