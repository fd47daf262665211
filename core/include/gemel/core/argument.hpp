/// Kernel arguments, packed on the stack for a launch.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gemel {

/// One argument of one call. It refers to the caller's objects and is consumed before the call returns.
struct Argument {
    enum class Kind : std::uint8_t {
        scalar,     ///< value in `value`
        structure,  ///< trivially copyable bytes at `data`
        memory,     ///< device memory: `block`
        copy_in,    ///< host range, copied to temporary memory before the launch
        copy_out,   ///< host range, copied back after it
        copy_both,
        shared,      ///< size of shared memory for a native OpenCL `__local` parameter
        texture,     ///< `data` points to the TextureParts of a Texture; `block`: its memory
        image,       ///< `data` points to the ImageShape of an AnyImage; `block`: its memory
        tensor_map,  ///< `data` points to a plugin::TensorMapShape; `block` and `offset_bytes`: its memory
    };
    Kind kind = Kind::scalar;
    DType dtype;  ///< of a scalar or of the elements, where known
    alignas(16) std::byte value[16] = {};
    const void* data = nullptr;
    std::size_t bytes = 0;
    Block* block = nullptr;
    std::size_t offset_bytes = 0;
};

/// Copies a host range to the device before the call: `kernel(config, In(vector))`.
template <class T>
struct In {
    template <HostRange R>
    explicit In(const R& range) : data(std::ranges::data(range)), bytes(std::ranges::size(range) * sizeof(T)) {}
    const T* data;
    std::size_t bytes;
};
template <class R>
In(const R&) -> In<std::remove_const_t<std::ranges::range_value_t<R>>>;

/// Copies from the device to a host range after the call; the call waits for the copy.
template <class T>
struct Out {
    template <HostRange R>
    explicit Out(R& range) : data(std::ranges::data(range)), bytes(std::ranges::size(range) * sizeof(T)) {}
    T* data;
    std::size_t bytes;
};
template <class R>
Out(R&) -> Out<std::remove_const_t<std::ranges::range_value_t<R>>>;

/// Copies to the device before the call and back after it.
template <class T>
struct InOut {
    template <HostRange R>
    explicit InOut(R& range) : data(std::ranges::data(range)), bytes(std::ranges::size(range) * sizeof(T)) {}
    T* data;
    std::size_t bytes;
};
template <class R>
InOut(R&) -> InOut<std::remove_const_t<std::ranges::range_value_t<R>>>;

/// A read-only table in device memory, for a `CONSTANT_MEM const T *` parameter (a `__constant` pointer on OpenCL, a
/// read-only pointer on CUDA).
class ConstantBuffer {
   public:
    ConstantBuffer() = default;
    /// @throws ArgumentError if the values exceed the device's constant memory
    template <HostRange R>
    ConstantBuffer(const Context& context, const R& values)
        : ConstantBuffer(make(context, std::ranges::data(values),
                              std::ranges::size(values) * sizeof(std::ranges::range_value_t<R>))) {}
    /// Writes new values; kernels launched later see them.
    template <HostRange R>
    void upload(const R& values) const {
        buffer_.upload(values);
    }
    const Buffer& buffer() const { return buffer_; }

   private:
    explicit ConstantBuffer(Buffer buffer) : buffer_(std::move(buffer)) {}
    GEMEL_API static ConstantBuffer make(const Context& context, const void* data, std::size_t bytes);
    Buffer buffer_;
};

/// Dynamic shared memory for a `__local` pointer parameter of a native OpenCL kernel. Portable kernels use SHARED_ARENA
/// and LaunchConfig::shared_bytes instead.
struct SharedMemory {
    std::size_t bytes = 0;
};

template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
Argument as_argument(const T& value) {
    Argument argument;
    if constexpr (std::is_enum_v<T>) {
        return as_argument(static_cast<std::underlying_type_t<T>>(value));
    } else {
        static_assert(HasDType<T>, "this arithmetic type (long double?) has no counterpart in kernels");
        argument.dtype = dtype_of<T>();
        argument.data = &value;
        argument.bytes = sizeof(T);
        std::memcpy(argument.value, &value, sizeof(T));
        return argument;
    }
}

namespace detail {
template <class T>
inline constexpr bool names_memory = std::is_same_v<T, SharedMemory>;
template <class T>
inline constexpr bool names_memory<In<T>> = true;
template <class T>
inline constexpr bool names_memory<Out<T>> = true;
template <class T>
inline constexpr bool names_memory<InOut<T>> = true;

/// Passed by value as a struct of as many elements, or as a vector type of the kernel.
template <class T>
inline constexpr bool is_plain_array = false;
template <class T, std::size_t n>
inline constexpr bool is_plain_array<std::array<T, n>> = true;
}  // namespace detail

/// Structs, vector types and std::array, which are passed by value.
template <class T>
concept StructValue =
    std::is_class_v<T> && std::is_trivially_copyable_v<T> && (!HostRange<T> || detail::is_plain_array<T>) &&
    !detail::names_memory<T> && !requires(const T& value) { value.argument(); };

/// The bytes of a struct, including its padding.
template <StructValue T>
Argument as_argument(const T& value) {
    Argument argument;
    argument.kind = Argument::Kind::structure;
    if constexpr (HasDType<T>) argument.dtype = dtype_of<T>();
    argument.data = &value;
    argument.bytes = sizeof(T);
    return argument;
}

inline Argument as_argument(const SharedMemory& memory) {
    Argument argument;
    argument.kind = Argument::Kind::shared;
    argument.bytes = memory.bytes;
    return argument;
}
GEMEL_API Argument as_argument(const Buffer& buffer);
GEMEL_API Argument as_argument(const ConstantBuffer& buffer);

namespace detail {
template <class T>
Argument host_argument(Argument::Kind kind, const T* data, std::size_t bytes) {
    Argument argument;
    argument.kind = kind;
    if constexpr (HasDType<T>) argument.dtype = dtype_of<T>();
    argument.data = data;
    argument.bytes = bytes;
    return argument;
}
}  // namespace detail
template <class T>
Argument as_argument(const In<T>& host) {
    return detail::host_argument(Argument::Kind::copy_in, host.data, host.bytes);
}
template <class T>
Argument as_argument(const Out<T>& host) {
    return detail::host_argument(Argument::Kind::copy_out, host.data, host.bytes);
}
template <class T>
Argument as_argument(const InOut<T>& host) {
    return detail::host_argument(Argument::Kind::copy_both, host.data, host.bytes);
}

/// A type with a member `argument()` supplies its own argument, as GPUArray does.
template <class T>
    requires requires(const T& value) {
        { value.argument() } -> std::same_as<Argument>;
    }
Argument as_argument(const T& value) {
    return value.argument();
}

/// Types that a kernel accepts as arguments. Host ranges other than std::array are not: wrap them in In(), Out() or
/// InOut(), or upload them.
template <class T>
concept KernelArgument = requires(const T& value) {
    { as_argument(value) } -> std::same_as<Argument>;
};

}  // namespace gemel
