#include "generated/kernel_cache.hpp"

#include <gemel/arrays/any_array.hpp>
#include <gemel/core/environment.hpp>

#include <atomic>

namespace gemel {

const char KernelCache::tag_ = 0;

std::uint64_t KernelCache::new_generator() {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
}

namespace {

// The context is alive, since the caller holds it, and so are its attachments; ids are never reused.
thread_local std::uint64_t last_id = 0;
thread_local KernelCache* last = nullptr;

}  // namespace

KernelCache& KernelCache::of(const AnyArray& array) {
    return array.buffer().context_id() == last_id ? *last : of(array.context());
}

KernelCache& KernelCache::of(const Context& context) {
    if (const std::uint64_t id = context.id(); id != last_id) {
        KernelCache* const cache = context.attached<KernelCache>(&tag_).get();
        std::call_once(cache->has_facts_, [&] {
            cache->device_ = context.device();
            cache->info_ = &cache->device_->info();
            cache->linear_ = context.addresses_are_linear();
            cache->checks_bounds_ = env::flag("GEMEL_CHECK");
            cache->tunes_online_ = env::get("GEMEL_TUNE").value_or("use") == "auto";
        });
        // Sets both, or neither if an exception is thrown.
        last = cache;
        last_id = id;
    }
    return *last;
}

const TuningTable& KernelCache::tunings(const Context& context) {
    std::call_once(has_tunings_, [&] { tunings_ = TuningTable::of(context); });
    return *tunings_;
}

}  // namespace gemel
