/// Counts allocations by the place in the program that made them.
#pragma once

#include <gemel/core/statistics.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gemel {

class AllocationLog {
   public:
    void watch(bool on) { on_.store(on, std::memory_order_relaxed); }
    bool watches() const { return on_.load(std::memory_order_relaxed); }
    /// @param where  the place of the call, or null; an AllocationSite of the thread takes precedence
    /// @returns the argument of remove()
    AllocationFigures* add(std::size_t bytes, const CallPlace* where);
    void remove(AllocationFigures& figures, std::size_t bytes) noexcept;
    std::vector<AllocationFigures> figures() const;

   private:
    std::atomic<bool> on_{false};
    mutable std::mutex mutex_;
    std::map<std::string, std::unique_ptr<AllocationFigures>> sites_;  ///< never erased: allocations point to them
};

}  // namespace gemel
