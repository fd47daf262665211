/// Keeps launches of one kernel from overlapping, for drivers that fail on it.
#pragma once

#include "api.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace gemel::plugin::opencl {

/// PoCL (3.1 to 5.0 at least) loads a kernel again for each grid that is wider than those before, and counts the users
/// of each loaded copy. When a launch ends, it decrements the count of the newest copy: if the launch began with an
/// older copy, a count becomes wrong, and PoCL aborts the process. PoCL identifies kernels by their text, across
/// contexts too. So launches of kernels with one name run one after the other in the whole process. One launch fills
/// all cores of a CPU anyway; launches of different kernels may overlap.
class LaunchOrder {
   public:
    static std::shared_ptr<LaunchOrder> of(const std::string& kernel_name);
    LaunchOrder() = default;
    LaunchOrder(const LaunchOrder&) = delete;
    ~LaunchOrder();
    /// Enqueues a launch after the last one.
    void enqueue(cl_context context, cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t* offset,
                 const size_t* global, const size_t* local, cl_event* timed);
    /// Whether the last launch is running or complete. Before that, PoCL compiles the kernel for its block size.
    bool has_begun();

   private:
    std::mutex mutex_;
    cl_event last_ = nullptr;
    cl_command_queue queue_ = nullptr;  ///< queue of the last launch; only compared
    cl_context context_ = nullptr;
};

}  // namespace gemel::plugin::opencl
