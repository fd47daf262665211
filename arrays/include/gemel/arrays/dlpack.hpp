/// Exchange with other libraries by DLPack (https://dmlc.github.io/dlpack), without copying where both work on one
/// device.
///
/// The structs are those of dlpack.h 1.0, which includes those of 0.8, laid out alike and named as there; they stand in
/// a namespace of their own, so that dlpack.h may be included too (cast the pointers).
#pragma once

#include <gemel/arrays/gpu_array.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <cstdint>

namespace gemel::dlpack {

enum DLDeviceType : std::int32_t {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLOpenCL = 4,
    kDLCUDAManaged = 13,
};
struct DLDevice {
    DLDeviceType device_type;
    std::int32_t device_id;
};
enum DLDataTypeCode : std::uint8_t {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLOpaqueHandle = 3,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6,
};
struct DLDataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
struct DLTensor {
    void* data;  ///< an address; on OpenCL a cl_mem
    DLDevice device;
    std::int32_t ndim;
    DLDataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  ///< in elements; null for C order without gaps
    std::uint64_t byte_offset;
};
/// Up to version 0.8: Python capsules called "dltensor".
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor* self);
};
struct DLPackVersion {
    std::uint32_t major;
    std::uint32_t minor;
};
inline constexpr std::uint64_t read_only_flag = 1, is_copied_flag = 2;
/// From version 1.0 on: Python capsules called "dltensor_versioned".
struct DLManagedTensorVersioned {
    DLPackVersion version;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned* self);
    std::uint64_t flags;
    DLTensor dl_tensor;
};

/// Exports the array's memory as a tensor. The memory stays alive until the consumer calls the tensor's deleter. Waits
/// until all enqueued work of the context is done, so that the consumer may use any stream. Views keep their strides; a
/// broadcast view is marked read-only, from version 1.0 on. On OpenCL `data` is the cl_mem, to which `byte_offset`
/// belongs.
/// @throws ArgumentError for structs, and for arrays without memory
GEMEL_API DLManagedTensor* to_dlpack(const AnyArray& array);
GEMEL_API DLManagedTensorVersioned* to_dlpack_versioned(const AnyArray& array);
/// Exports a copy in host memory (kDLCPU, C order), for consumers such as NumPy. Blocks.
GEMEL_API DLManagedTensor* to_dlpack_host(const AnyArray& array);
GEMEL_API DLManagedTensorVersioned* to_dlpack_host_versioned(const AnyArray& array);

/// Imports a tensor: an array over its memory, which is released by the tensor's deleter with the last handle to the
/// array or a view of it (synchronise first if work on it may still run). The producer's enqueued work must be done
/// before this call. A tensor in host memory, or a read-only one, is copied and released at once. This takes ownership:
/// if it throws, the deleter is called, too.
/// @throws ArgumentError if the tensor is on another device, of a type that gemel lacks, misaligned there, or without
/// memory
GEMEL_API AnyArray from_dlpack(const Context& context, DLManagedTensor* tensor);
GEMEL_API AnyArray from_dlpack(const Context& context, DLManagedTensorVersioned* tensor);
template <ElementType T>
GPUArray<T> from_dlpack(const Context& context, DLManagedTensor* tensor) {
    return GPUArray<T>(from_dlpack(context, tensor));
}
template <ElementType T>
GPUArray<T> from_dlpack(const Context& context, DLManagedTensorVersioned* tensor) {
    return GPUArray<T>(from_dlpack(context, tensor));
}

}  // namespace gemel::dlpack
