/// The context of another backend that stands between two contexts which cannot share memory with each other.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

namespace gemel {

struct DriverContext;

/// Of a context whose backend imports memory but makes none (OpenCL): a context that makes some, on the same device
/// (CUDA's). Contexts of one device share it, and it goes with the last of them. Thread-safe.
class CopyRelay {
   public:
    /// Null where the other backend does not have both devices, where it has failed, and as long as copies of this
    /// context by the host have cost less than making it would.
    /// @param bytes  of the copy that asks
    std::shared_ptr<DriverContext> find(DriverContext& own, DriverContext& other, std::size_t bytes);
    /// From now on copies go through the host.
    void give_up(const std::string& why);
    /// The context that it belongs to dies, after its links.
    void end();

   private:
    std::mutex mutex_;
    std::shared_ptr<DriverContext> context_;
    std::size_t copied_bytes_ = 0;
    bool is_given_up_ = false;
};

}  // namespace gemel
