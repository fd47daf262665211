/// Temporary host access to a range of device memory.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/options.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>

namespace gemel {

/// The host address of a mapped range; the destructor returns the range to the device.
class GEMEL_API HostMapping {
   public:
    HostMapping(const Buffer& buffer, MapMode mode);
    ~HostMapping();
    HostMapping(const HostMapping&) = delete;
    HostMapping& operator=(const HostMapping&) = delete;
    std::byte* data() const { return host_; }

   private:
    Buffer buffer_;
    MapMode mode_;
    std::byte* host_ = nullptr;
    std::shared_ptr<HostBlock> staging_;
};

/// A range of a buffer that the host accesses as elements until the last copy of the handle is destroyed. No kernel may
/// use the memory meanwhile. If host and device share memory, nothing is copied. Otherwise page-locked memory is
/// filled at construction and written back at destruction, as the mode says. HostView adds a shape.
///
///     { const MappedRange<float> part(buffer, 100, 50); part[0] = 1; }
///
/// @time construction waits for the device's use of the memory; destruction enqueues, or waits for the copy if it makes
///       one
template <class T>
class MappedRange {
    static_assert(std::is_trivially_copyable_v<T>, "MappedRange shows plain bytes: T must be trivially copyable");

   public:
    /// @param first,count  in elements of T from the buffer's start. @throws ArgumentError if they exceed the buffer
    MappedRange(const Buffer& buffer, std::size_t first, std::size_t count, MapMode mode = MapMode::read_write)
        : mapping_(std::make_shared<HostMapping>(buffer.view(bytes_of(first), bytes_of(count)), mode)),
          elements_(reinterpret_cast<T*>(mapping_->data()), count) {}
    explicit MappedRange(const Buffer& buffer, MapMode mode = MapMode::read_write)
        : MappedRange(buffer, 0, buffer.size_bytes() / sizeof(T), mode) {}

    T& operator[](std::size_t i) const { return elements_[i]; }
    T* data() const { return elements_.data(); }
    std::size_t size() const { return elements_.size(); }
    auto begin() const { return elements_.begin(); }
    auto end() const { return elements_.end(); }

   private:
    /// At most what no buffer has.
    static std::size_t bytes_of(std::size_t count) {
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
        return count > most / sizeof(T) ? most : count * sizeof(T);
    }
    std::shared_ptr<HostMapping> mapping_;
    std::span<T> elements_;
};

}  // namespace gemel
