/// Host memory for devices: page-locked for copies, mapped or managed for direct access.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace gemel {

namespace detail {
/// The bytes of `count` elements; on overflow the largest std::size_t, which every allocation refuses.
constexpr std::size_t bytes_of_elements(std::size_t count, std::size_t element_bytes) {
    const std::size_t most = ~std::size_t{0};
    return count > most / element_bytes ? most : count * element_bytes;
}
}  // namespace detail

/// Allocates page-locked host memory; see HostBuffer.
GEMEL_API std::shared_ptr<HostBlock> allocate_host(const Context& context, std::size_t bytes,
                                                   HostMemoryKind kind = HostMemoryKind::ordinary);
namespace detail {
/// See HostBuffer::adopt().
GEMEL_API std::shared_ptr<HostBlock> adopt_host(const Context& context, void* host, std::size_t bytes);
}  // namespace detail
GEMEL_API std::byte* data(const std::shared_ptr<HostBlock>& block);
/// Blocks until no stream uses the memory any more.
GEMEL_API void wait_for_copies(const std::shared_ptr<HostBlock>& block);

/// Page-locked host memory for asynchronous copies: `stream.copy(buffer, host)`. A cheap handle; the memory stays alive
/// until the last copy from or to it is done. Reading it after a download needs `stream.synchronize()` or `wait()`.
template <class T>
class HostBuffer {
    static_assert(std::is_trivially_copyable_v<T>,
                  "HostBuffer holds plain bytes: its element must be trivially copyable");

   public:
    HostBuffer() = default;
    /// @param count  number of elements, uninitialised. @throws OutOfMemory
    HostBuffer(const Context& context, std::size_t count, HostMemoryKind kind = HostMemoryKind::ordinary)
        : block_(allocate_host(context, detail::bytes_of_elements(count, sizeof(T)), kind)), count_(count) {}

    /// Page-locks the caller's memory, for example a vector's. If the driver cannot, copies still work but are slower.
    /// The memory must outlive the handle and its parts; it is released after the last of them is destroyed and all
    /// copies are done. A vector must not grow meanwhile.
    static HostBuffer adopt(const Context& context, std::span<T> memory) {
        HostBuffer result;
        result.block_ = detail::adopt_host(context, memory.data(), memory.size_bytes());
        result.count_ = memory.size();
        return result;
    }

    T* data() const { return reinterpret_cast<T*>(gemel::data(block_)) + first_; }
    std::size_t size() const { return count_; }
    std::size_t size_bytes() const { return count_ * sizeof(T); }
    std::size_t offset_bytes() const { return first_ * sizeof(T); }
    T& operator[](std::size_t i) const { return data()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + count_; }
    operator std::span<T>() const { return {data(), count_}; }

    /// `count` elements starting at `first`; shares the memory.
    HostBuffer part(std::size_t first, std::size_t count) const {
        HostBuffer result = *this;
        result.first_ += std::min(first, count_);
        result.count_ = std::min(count, count_ - std::min(first, count_));
        return result;
    }
    /// Blocks until no stream copies from or to it any more.
    void wait() const { wait_for_copies(block_); }

    const std::shared_ptr<HostBlock>& raw() const { return block_; }

   private:
    std::shared_ptr<HostBlock> block_;
    std::size_t first_ = 0, count_ = 0;
};

/// How host and device share memory.
enum class MappedKind {
    zero_copy,  ///< the memory stays on the host; kernels access it over the bus
    managed,    ///< the memory migrates to its user (CUDA managed memory, OpenCL shared virtual memory)
};

/// @throws Error with the device's name if it has no such memory
GEMEL_API Buffer allocate_mapped(const Context& context, std::size_t bytes, MappedKind kind);
GEMEL_API void* map(const Buffer& buffer);
GEMEL_API void unmap(const Buffer& buffer, void* host) noexcept;

/// Memory that host and device both access without copies. Kernels take `.buffer()`; the host reads and writes through
/// `.map()`, which waits for the device first.
template <class T>
class MappedBuffer {
    static_assert(std::is_trivially_copyable_v<T>,
                  "MappedBuffer holds plain bytes: its element must be trivially copyable");

   public:
    MappedBuffer() = default;
    MappedBuffer(const Context& context, std::size_t count, MappedKind kind = MappedKind::zero_copy)
        : buffer_(allocate_mapped(context, detail::bytes_of_elements(count, sizeof(T)), kind)), count_(count) {}

    /// The host's access to the memory. While a View exists no kernel may use the memory.
    class View {
       public:
        explicit View(const MappedBuffer& owner)
            : buffer_(owner.buffer_), elements_(static_cast<T*>(map(owner.buffer_)), owner.count_) {}
        ~View() {
            if (!buffer_.empty()) unmap(buffer_, elements_.data());
        }
        View(View&& other) noexcept : buffer_(std::exchange(other.buffer_, {})), elements_(other.elements_) {}
        View& operator=(View&&) = delete;

        T& operator[](std::size_t i) const { return elements_[i]; }
        std::size_t size() const { return elements_.size(); }
        T* data() const { return elements_.data(); }
        auto begin() const { return elements_.begin(); }
        auto end() const { return elements_.end(); }

       private:
        Buffer buffer_;
        std::span<T> elements_;
    };

    [[nodiscard]] View map() const { return View(*this); }
    const Buffer& buffer() const { return buffer_; }
    std::size_t size() const { return count_; }

   private:
    static void* map(const Buffer& buffer) { return gemel::map(buffer); }

    Buffer buffer_;
    std::size_t count_ = 0;
};

}  // namespace gemel
