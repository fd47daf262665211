/// Kernels of one kind by what tells them apart; each is made when it is first needed and never destroyed.
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
