/// Kernels of one kind by key; each is created on first use and never destroyed.
#pragma once

#include <map>
#include <mutex>

namespace gemel {

template <class Key, class Kernel>
class KernelFamily {
   public:
    template <class Make>
    const Kernel& find(const Key& key, const Make& make) {
        const std::lock_guard lock(mutex_);
        auto found = kernels_.find(key);
        if (found == kernels_.end()) found = kernels_.emplace(key, make()).first;
        return found->second;
    }

   private:
    std::mutex mutex_;
    std::map<Key, Kernel> kernels_;
};

}  // namespace gemel
