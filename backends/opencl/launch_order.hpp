/// Keeps launches of one kernel from overlapping, where the driver cannot bear that.
#pragma once

#include "api.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace gemel::plugin::opencl {

/// PoCL (3.1 to 5.0 at least) loads a kernel once for each grid that is wider than those before, counts the users of
/// each, and when a launch ends takes one off the newest: a launch that began with an older one leaves a count wrong,
/// and PoCL aborts the process. It tells kernels apart by their text, across contexts too: here launches of one name,
/// in the whole process, follow each other. A launch fills all cores of a CPU anyway; those of different kernels may
/// overlap.
class LaunchOrder {
   public:
    static std::shared_ptr<LaunchOrder> of(const std::string& kernel_name);
    LaunchOrder() = default;
    LaunchOrder(const LaunchOrder&) = delete;
    ~LaunchOrder();
    /// Enqueues a launch behind the last one.
    void enqueue(cl_context context, cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t* offset,
                 const size_t* global, const size_t* local, cl_event* timed);
    /// Whether the last launch runs or has ended. PoCL compiles a kernel for its block before that, when its turn
    /// comes.
    bool has_begun();

   private:
    std::mutex mutex_;
    cl_event last_ = nullptr;
    cl_command_queue queue_ = nullptr;  ///< of the last one; compared, never used
    cl_context context_ = nullptr;
};

}  // namespace gemel::plugin::opencl
