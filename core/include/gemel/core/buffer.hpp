/// Device memory.
#pragma once

#include <gemel/core/export.hpp>
#include <gemel/core/options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>

namespace gemel {

class Context;
class Stream;
struct Block;
struct HostBlock;
struct RectWindow;
struct RectExtent;

/// A contiguous range of trivially copyable elements: std::vector, std::array, std::span, a built-in array.
template <class R>
concept HostRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                    std::is_trivially_copyable_v<std::ranges::range_value_t<R>>;

/// A range of device memory: a cheap handle that shares ownership. Copying the handle copies no memory.
/// upload() and download() run on the thread's current stream and block; Stream::copy() does not.
class GEMEL_API Buffer {
   public:
    Buffer() = default;

    std::size_t size_bytes() const { return bytes_; }
    /// From the start of the allocation.
    std::size_t offset_bytes() const { return offset_; }
    /// True if the handle is default-constructed or released.
    bool empty() const { return !block_; }
    /// @throws ArgumentError if the handle is empty
    Context context() const;
    /// The Context::id() of the buffer's context; 0 for an empty buffer.
    std::uint64_t context_id() const;

    /// Copies a host range to the buffer at `offset_bytes`. @throws ArgumentError if it does not fit
    template <HostRange R>
    void upload(const R& from, std::size_t offset_bytes = 0) const {
        upload_bytes(std::ranges::data(from), std::ranges::size(from) * sizeof(std::ranges::range_value_t<R>),
                     offset_bytes);
    }
    /// Fills a host range from the buffer at `offset_bytes`. @throws ArgumentError if the buffer is too short
    template <HostRange R>
        requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>)
    void download(R&& to, std::size_t offset_bytes = 0) const {
        download_bytes(std::ranges::data(to), std::ranges::size(to) * sizeof(std::ranges::range_value_t<R>),
                       offset_bytes);
    }
    void upload_bytes(const void* from, std::size_t bytes, std::size_t offset_bytes = 0) const;
    void download_bytes(void* to, std::size_t bytes, std::size_t offset_bytes = 0) const;

    /// Copy a window of host memory to a window of the buffer, and back. Both block.
    /// @throws ArgumentError if a window does not fit
    void upload_rectangle(const RectWindow& to_window, std::span<const std::byte> from, const RectWindow& from_window,
                          const RectExtent& extent) const;
    void download_rectangle(std::span<std::byte> to, const RectWindow& to_window, const RectWindow& from_window,
                            const RectExtent& extent) const;

    /// Copies all of `from`, which may belong to another context or backend, to the start of this buffer.
    /// @time enqueued within one context. Between contexts it blocks, and goes through the host unless the contexts
    /// share device memory. Large copies between OpenCL contexts on NVIDIA GPUs create a CUDA context and go through
    /// it; GEMEL_EXTERNAL_MEMORY=off prevents this
    void copy_from(const Buffer& from) const;

    /// Blocks until no stream uses the memory any more.
    void wait() const;
    /// Tells the driver how managed memory will be used. No effect on other memory, or if the driver takes no advice.
    void advise(MemoryAdvice advice) const;

    /// Fills the whole buffer with copies of `value`; enqueued. The size must be a multiple of sizeof(T), at most 16.
    template <class T>
        requires(std::is_trivially_copyable_v<T> && sizeof(T) <= 16)
    void fill(const T& value) const {
        fill_bytes(&value, sizeof(T));
    }
    void fill_bytes(const void* pattern, std::size_t pattern_bytes) const;

    /// A part of this buffer that shares its memory. If a hand-written OpenCL kernel takes it as an argument, its
    /// offset must be a multiple of the device's base alignment. @throws ArgumentError if it does not lie inside
    Buffer view(std::size_t offset_bytes, std::size_t size_bytes) const;

    /// Returns the memory to the pool now. Other handles to it throw from then on.
    void release();

    /// The driver's handle of the allocation (CUdeviceptr, cl_mem); see gemel/interop.
    std::uint64_t native_handle() const;
    /// The same without checks: 0 if the handle is empty or the buffer has been released.
    std::uint64_t handle_if_any() const noexcept;

    Buffer(std::shared_ptr<Block> block, std::size_t offset_bytes, std::size_t size_bytes)
        : block_(std::move(block)), offset_(offset_bytes), bytes_(size_bytes) {}
    const std::shared_ptr<Block>& block() const { return block_; }

   private:
    std::shared_ptr<Block> block_;
    std::size_t offset_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace gemel
