/// Arrays, texture and surface objects of the stand-in for NVIDIA's driver: storage is the host's, copies work, and
/// what an object was made from can be asked for.
#include "cuda_driver.hpp"

#include "stand_in.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace {

struct Array {
    CUDA_ARRAY3D_DESCRIPTOR description{};
    std::vector<char> bytes;

    std::size_t element_bytes() const {
        const auto format = description.Format;
        const std::size_t channel = format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8 ? 1
                                    : format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_UNSIGNED_INT32 ||
                                            format == CU_AD_FORMAT_SIGNED_INT32
                                        ? 4
                                        : 2;
        return channel * description.NumChannels;
    }
    std::size_t rows() const { return std::max<std::size_t>(description.Height, 1); }
    std::size_t slices() const { return std::max<std::size_t>(description.Depth, 1); }
};

std::mutex& mutex = *new std::mutex;
std::map<std::uint64_t, StandInTexture>& textures = *new std::map<std::uint64_t, StandInTexture>;

std::uint64_t next() {
    static std::uint64_t last = 0;
    return last += 1;
}

/// One side of a copy: where it begins, and how far apart rows and slices lie.
struct Side {
    char* begin;
    std::size_t row, slice;
};

/// @returns no memory if the window does not fit the array
Side array_side(CUarray handle, std::size_t x, std::size_t y, std::size_t z, const CUDA_MEMCPY3D& copy) {
    auto& array = *reinterpret_cast<Array*>(handle);
    const std::size_t row = array.description.Width * array.element_bytes(), slice = row * array.rows();
    if (x + copy.WidthInBytes > row || y + copy.Height > array.rows() || z + copy.Depth > array.slices())
        return {nullptr, 0, 0};
    return {array.bytes.data() + z * slice + y * row + x, row, slice};
}

}  // namespace

extern "C" {

int stand_in_texture(unsigned long long object, StandInTexture* made) {
    const std::lock_guard lock(mutex);
    const auto found = textures.find(object);
    if (found == textures.end()) return 0;
    *made = found->second;
    return 1;
}

CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
    GEMEL_CALLED("cuArray3DCreate_v2");
    if (description->Width > 131072 || description->Height > 65536) return CUDA_ERROR_INVALID_VALUE;
    auto* const made = new Array{*description, {}};
    made->bytes.resize(description->Width * made->rows() * made->slices() * made->element_bytes());
    *array = reinterpret_cast<CUarray>(made);
    return CUDA_SUCCESS;
}
CUresult cuArrayDestroy(CUarray array) {
    delete reinterpret_cast<Array*>(array);
    return called("cuArrayDestroy");
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* description, CUarray array) {
    GEMEL_CALLED("cuArray3DGetDescriptor_v2");
    return *description = reinterpret_cast<Array*>(array)->description, CUDA_SUCCESS;
}
CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* description, const CUDA_RESOURCE_VIEW_DESC*) {
    GEMEL_CALLED("cuTexObjectCreate");
    const std::lock_guard lock(mutex);
    *object = next();
    if (resource->resType == CU_RESOURCE_TYPE_PITCH2D) {
        const auto& memory = resource->res.pitch2D;
        CUDA_ARRAY3D_DESCRIPTOR array{};
        array.Width = memory.width;
        array.Height = memory.height;
        array.Format = memory.format;
        array.NumChannels = memory.numChannels;
        textures[*object] = {array, *description, memory.devPtr, memory.pitchInBytes};
    } else {
        textures[*object] = {reinterpret_cast<Array*>(resource->res.array.hArray)->description, *description, 0, 0};
    }
    return CUDA_SUCCESS;
}
CUresult cuTexObjectDestroy(CUtexObject object) {
    const std::lock_guard lock(mutex);
    textures.erase(object);
    return called("cuTexObjectDestroy");
}
CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC*) {
    GEMEL_CALLED("cuSurfObjectCreate");
    const std::lock_guard lock(mutex);
    return *object = next(), CUDA_SUCCESS;
}
CUresult cuSurfObjectDestroy(CUsurfObject) { return called("cuSurfObjectDestroy"); }

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream) {
    GEMEL_CALLED("cuMemcpy3DAsync_v2");
    const auto begin_of = [](CUmemorytype type, const void* host, CUdeviceptr device) {
        return type == CU_MEMORYTYPE_HOST ? static_cast<char*>(const_cast<void*>(host))
                                          : reinterpret_cast<char*>(device);
    };
    const Side from = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY
                          ? array_side(copy->srcArray, copy->srcXInBytes, copy->srcY, copy->srcZ, *copy)
                          : Side{begin_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice), copy->srcPitch,
                                 copy->srcPitch * copy->srcHeight};
    const Side to = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY
                        ? array_side(copy->dstArray, copy->dstXInBytes, copy->dstY, copy->dstZ, *copy)
                        : Side{begin_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice), copy->dstPitch,
                               copy->dstPitch * copy->dstHeight};
    if (!from.begin || !to.begin) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t z = 0; z < copy->Depth; ++z)
        for (std::size_t y = 0; y < copy->Height; ++y)
            std::memmove(to.begin + z * to.slice + y * to.row, from.begin + z * from.slice + y * from.row,
                         copy->WidthInBytes);
    return CUDA_SUCCESS;
}

}  // extern "C"
