/// Any stretch of device memory within the host's reach for a while.
#pragma once

#include <gemel/core/buffer.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/options.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace gemel {

/// Where a mapped stretch lies on the host; its end gives it back to the device.
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

/// A stretch of a buffer as elements of the host's, until the last copy of the handle dies. No kernel may use that
/// memory meanwhile. Where host and device share memory nothing is copied; elsewhere page-locked memory stands in, read
/// when it is made and written back at the end, as the mode says. HostView gives it a shape.
///
///     { const MappedRange<float> part(buffer, 100, 50); part[0] = 1; }
///
/// @time making one waits for the device's work on the memory; the end enqueues, or waits for a copy where it copies
template <class T>
class MappedRange {
    static_assert(std::is_trivially_copyable_v<T>, "MappedRange shows plain bytes: T must be trivially copyable");

   public:
    /// @param first,count  in elements of T, from the buffer's start. @throws ArgumentError if they do not fit
    MappedRange(const Buffer& buffer, std::size_t first, std::size_t count, MapMode mode = MapMode::read_write)
        : mapping_(std::make_shared<HostMapping>(buffer.view(first * sizeof(T), count * sizeof(T)), mode)),
          elements_(reinterpret_cast<T*>(mapping_->data()), count) {}
    explicit MappedRange(const Buffer& buffer, MapMode mode = MapMode::read_write)
        : MappedRange(buffer, 0, buffer.size_bytes() / sizeof(T), mode) {}

    T& operator[](std::size_t i) const { return elements_[i]; }
    T* data() const { return elements_.data(); }
    std::size_t size() const { return elements_.size(); }
    auto begin() const { return elements_.begin(); }
    auto end() const { return elements_.end(); }

   private:
    std::shared_ptr<HostMapping> mapping_;
    std::span<T> elements_;
};

}  // namespace gemel
