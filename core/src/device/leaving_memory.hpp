/// Memory of host and device together, released while streams still use it.
#pragma once

#include "device/pool.hpp"

#include <gemel/core/plugin.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace gemel {

struct DriverContext;

/// The pool does not hold such memory, and its driver may free it at once or wait for the whole device. So it stays
/// here until the streams are done with it; nobody waits. Thread-safe.
class LeavingMemory {
   public:
    /// Gives the memory to the driver, now if nothing uses it any more.
    void add(DriverContext& driver, std::unique_ptr<Allocation> allocation) noexcept;
    /// Gives the driver what nothing uses any more. Costs one load if there is none.
    void sweep(DriverContext& driver) noexcept;
    /// Waits for all of it. @returns whether there was any
    bool drain(DriverContext& driver) noexcept;

   private:
    struct Leaving {
        std::unique_ptr<Allocation> allocation;
        std::vector<std::unique_ptr<plugin::Event>> uses;  ///< behind the last of each stream
        bool is_done() const noexcept;
    };
    std::mutex mutex_;
    std::vector<Leaving> all_;
    std::atomic<bool> any_{false};
};

}  // namespace gemel
