#include <gemel/arrays/dlpack.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"

#include "array/require.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace gemel::dlpack {

namespace {

static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80);

/// The contents of an exported tensor.
struct Given {
    AnyArray array;               ///< keeps device memory alive
    std::vector<std::byte> host;  ///< or is the memory
    std::vector<std::int64_t> shape, strides;
};

DLDataType type_of(DType dtype) {
    using Kind = DType::Kind;
    if (dtype.lanes() != dtype.lane_places())
        throw ArgumentError(text("to_dlpack: DLPack has no padded vectors such as ", dtype.name(), "; pass lanes(x)"));
    const auto make = [&](DLDataTypeCode code) {
        return DLDataType{code, static_cast<std::uint8_t>(8 * dtype.lane().size_bytes()), dtype.lanes()};
    };
    switch (dtype.kind()) {
        case Kind::boolean: return make(kDLBool);
        case Kind::signed_integer: return make(kDLInt);
        case Kind::unsigned_integer: return make(kDLUInt);
        case Kind::floating: return make(kDLFloat);
        case Kind::bfloat: return make(kDLBfloat);
        case Kind::complex: return make(kDLComplex);
        default: throw ArgumentError(text("to_dlpack: DLPack has no type for ", dtype.name()));
    }
}

DType type_of(const DLDataType& type) {
    using Kind = DType::Kind;
    const bool is_number = type.code == kDLInt || type.code == kDLUInt || (type.code == kDLFloat && type.bits >= 32);
    const bool is_vector = is_number && (type.lanes == 2 || type.lanes == 4 || type.lanes == 8 || type.lanes == 16);
    const auto make = [&](Kind kind, std::initializer_list<int> bits) {
        if (std::find(bits.begin(), bits.end(), type.bits) == bits.end() || !(type.lanes == 1 || is_vector))
            throw ArgumentError(text("from_dlpack: gemel has no type for DLPack's (code ", int{type.code}, ", ",
                                     int{type.bits}, " bits, ", type.lanes, " lanes)"));
        return DType(kind, type.bits / 8u * type.lanes, static_cast<std::uint8_t>(type.lanes));
    };
    switch (type.code) {
        case kDLInt: return make(Kind::signed_integer, {8, 16, 32, 64});
        case kDLUInt: return make(Kind::unsigned_integer, {8, 16, 32, 64});
        case kDLFloat: return make(Kind::floating, {16, 32, 64});
        case kDLBfloat: return make(Kind::bfloat, {16});
        case kDLComplex: return make(Kind::complex, {64, 128});
        case kDLBool: return make(Kind::boolean, {8});
        default: return make(Kind::none, {});
    }
}

void describe(DLTensor& tensor, Given& given, const AnyArray& array, void* data, DLDevice device,
              std::uint64_t byte_offset, const Strides& strides) {
    given.shape.assign(array.shape().begin(), array.shape().end());
    given.strides.assign(strides.begin(), strides.end());
    tensor = {.data = array.size() > 0 ? data : nullptr,
              .device = device,
              .ndim = static_cast<std::int32_t>(array.rank()),
              .dtype = type_of(array.dtype()),
              .shape = given.shape.data(),
              .strides = given.strides.data(),
              .byte_offset = byte_offset};
}

/// Either kind of managed tensor; `fill` describes its contents.
template <class Managed, class Fill>
Managed* give(const Fill& fill) {
    auto given = std::make_unique<Given>();
    auto managed = std::make_unique<Managed>();
    fill(managed->dl_tensor, *given);
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) managed->version = {1, 0};
    managed->manager_ctx = given.release();
    managed->deleter = [](Managed* self) {
        delete static_cast<Given*>(self->manager_ctx);
        delete self;
    };
    return managed.release();
}

void describe_device(DLTensor& tensor, Given& given, const AnyArray& array) {
    require_array("to_dlpack", "the array", array);
    (void)type_of(array.dtype());
    const Context context = array.context();
    context.synchronize();
    given.array = array;
    const std::uint64_t offset = array.buffer().offset_bytes() + array.offset_bytes();
    const std::uint64_t handle = array.size() > 0 ? array.buffer().native_handle() : 0;
    const bool linear = context.addresses_are_linear();
    const DLDevice device{linear ? kDLCUDA : kDLOpenCL, context.device().index()};
    describe(tensor, given, array, reinterpret_cast<void*>(linear ? handle + offset : handle), device,
             linear ? 0 : offset, array.strides());
}

void describe_host(DLTensor& tensor, Given& given, const AnyArray& array) {
    require_array("to_dlpack", "the array", array);
    (void)type_of(array.dtype());
    given.host.resize(array.size_bytes());
    if (array.size() > 0) array.get_bytes(given.host.data());
    describe(tensor, given, array, given.host.data(), {kDLCPU, 0}, 0, contiguous_strides(array.shape()));
}

/// Copies a tensor of any strides in host memory to an array.
void upload(const AnyArray& array, const std::byte* first, const Strides& strides) {
    if (array.size() == 0) return;
    const std::size_t item = array.dtype().size_bytes();
    std::vector<std::byte> packed(array.size_bytes());
    Shape at = array.shape();
    std::fill(at.begin(), at.end(), 0);
    for (std::size_t i = 0; i < array.size(); ++i) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < at.rank(); ++axis) offset += at[axis] * strides[axis];
        std::memcpy(&packed[i * item], first + offset * static_cast<std::int64_t>(item), item);
        for (std::size_t axis = at.rank(); axis-- > 0;) {
            if (++at[axis] < array.shape()[axis]) break;
            at[axis] = 0;
        }
    }
    array.set_bytes(packed.data());
}

/// The range of memory of a tensor's elements; strides may be negative.
struct Range {
    std::uint64_t before;  ///< bytes before the first element
    std::uint64_t bytes;   ///< bytes in total
};
/// @throws ArgumentError if the range is invalid
Range range_of(const DLTensor& tensor, const Shape& shape, const Strides& strides, DType dtype) {
    const auto [lowest, highest] = element_bounds(shape, strides);
    const __int128 item = dtype.size_bytes(), before = -lowest * item, bytes = (highest - lowest + 1) * item;
    // The memory of a host or a linear device begins at an address, that of OpenCL at a buffer.
    const bool is_buffer = tensor.device.device_type == kDLOpenCL;
    const __int128 first = (is_buffer ? 0 : static_cast<__int128>(reinterpret_cast<std::uint64_t>(tensor.data))) +
                           static_cast<__int128>(tensor.byte_offset) - before;
    if (bytes > INT64_MAX || first < 0 || first + bytes > static_cast<__int128>(UINT64_MAX))
        throw ArgumentError(text("from_dlpack: a tensor of shape ", to_string(shape), " and strides ",
                                 to_string(strides), " at byte ", tensor.byte_offset,
                                 " has elements before the start of its memory"));
    return {static_cast<std::uint64_t>(before), static_cast<std::uint64_t>(bytes)};
}

/// @param keep_alive  releases the tensor when it is destroyed
AnyArray take(const Context& context, const DLTensor& tensor, bool read_only, std::shared_ptr<void> keep_alive) {
    const DType dtype = type_of(tensor.dtype);
    if (tensor.ndim < 0)
        throw ArgumentError(text("from_dlpack: expected a tensor of 0 axes or more, got ", tensor.ndim));
    const auto axes = static_cast<std::size_t>(tensor.ndim);
    if (axes > 0 && !tensor.shape)
        throw ArgumentError(text("from_dlpack: the tensor has ", axes, " axes and no shape"));
    const Shape shape(std::span<const std::int64_t>(tensor.shape, axes));
    const Strides strides =
        tensor.strides ? Strides(std::span<const std::int64_t>(tensor.strides, axes)) : contiguous_strides(shape);
    const DLDeviceType type = tensor.device.device_type;
    const bool linear = context.addresses_are_linear();
    if (shape.count() == 0) return AnyArray(context, dtype, shape);
    if (!tensor.data) throw ArgumentError(text("from_dlpack: a tensor of shape ", to_string(shape), " has no memory"));
    const auto [before, bytes] = range_of(tensor, shape, strides, dtype);
    if (type == kDLCPU || (type == kDLCUDAHost && !linear)) {
        const AnyArray array(context, dtype, shape);
        upload(array, static_cast<const std::byte*>(tensor.data) + tensor.byte_offset, strides);
        return array;
    }
    const bool fits = linear ? type == kDLCUDA || type == kDLCUDAManaged || type == kDLCUDAHost : type == kDLOpenCL;
    if (!fits || (type != kDLCUDAHost && tensor.device.device_id != context.device().index()))
        throw ArgumentError(text("from_dlpack: a tensor on DLPack's device (", static_cast<int>(type), ", ",
                                 tensor.device.device_id, ") cannot be shared with ", context.device().name(), " (",
                                 context.device().id(), "), which is (", static_cast<int>(linear ? kDLCUDA : kDLOpenCL),
                                 ", ", context.device().index(), ")"));
    // Devices fault on misaligned elements. A cl_mem itself is aligned.
    const std::uint64_t alignment = dtype.size_bytes() / (dtype.kind() == DType::Kind::complex ? 2 : 1);
    const std::uint64_t address = (linear ? reinterpret_cast<std::uint64_t>(tensor.data) : 0) + tensor.byte_offset;
    if (address % alignment != 0)
        throw ArgumentError(text("from_dlpack: elements of type ", dtype.name(), " must lie at multiples of ",
                                 alignment, " bytes, not at ", linear ? "address " : "byte ", address));
    const auto handle = reinterpret_cast<std::uint64_t>(tensor.data);
    AnyArray array;
    if (linear) {
        const Buffer buffer = context.wrap_buffer(handle + tensor.byte_offset - before, bytes, std::move(keep_alive));
        array = AnyArray(buffer, dtype, shape, strides, before);
    } else {
        const Buffer buffer = context.wrap_buffer(handle, tensor.byte_offset - before + bytes, std::move(keep_alive));
        array = AnyArray(buffer, dtype, shape, strides, tensor.byte_offset);
    }
    if (!read_only) return array;
    AnyArray copy = array.copy();
    context.synchronize();  // the memory is released now
    return copy;
}

template <class Managed>
std::shared_ptr<void> owner_of(Managed* tensor) {
    return std::shared_ptr<void>(tensor, [](void* taken) {
        auto* const managed = static_cast<Managed*>(taken);
        if (managed->deleter) managed->deleter(managed);
    });
}

}  // namespace

DLManagedTensor* to_dlpack(const AnyArray& array) {
    return give<DLManagedTensor>([&](DLTensor& tensor, Given& given) { describe_device(tensor, given, array); });
}
DLManagedTensorVersioned* to_dlpack_versioned(const AnyArray& array) {
    DLManagedTensorVersioned* const tensor =
        give<DLManagedTensorVersioned>([&](DLTensor& tensor, Given& given) { describe_device(tensor, given, array); });
    if (array.repeats()) tensor->flags = read_only_flag;
    return tensor;
}
DLManagedTensor* to_dlpack_host(const AnyArray& array) {
    return give<DLManagedTensor>([&](DLTensor& tensor, Given& given) { describe_host(tensor, given, array); });
}
DLManagedTensorVersioned* to_dlpack_host_versioned(const AnyArray& array) {
    DLManagedTensorVersioned* const tensor =
        give<DLManagedTensorVersioned>([&](DLTensor& tensor, Given& given) { describe_host(tensor, given, array); });
    tensor->flags = is_copied_flag;
    return tensor;
}

AnyArray from_dlpack(const Context& context, DLManagedTensor* tensor) {
    if (!tensor) throw ArgumentError("from_dlpack: the tensor is null");
    return take(context, tensor->dl_tensor, false, owner_of(tensor));
}

AnyArray from_dlpack(const Context& context, DLManagedTensorVersioned* tensor) {
    if (!tensor) throw ArgumentError("from_dlpack: the tensor is null");
    std::shared_ptr<void> owner = owner_of(tensor);
    if (tensor->version.major != 1)
        throw ArgumentError(text("from_dlpack: expected a tensor of DLPack version 1.x, got version ",
                                 tensor->version.major, ".", tensor->version.minor));
    return take(context, tensor->dl_tensor, (tensor->flags & read_only_flag) != 0, std::move(owner));
}

}  // namespace gemel::dlpack
