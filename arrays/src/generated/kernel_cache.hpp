/// The state of generated kernels in a context: compiled variants, recent calls, facts about the device.
#pragma once

#include "generated/hash_fields.hpp"
#include "generated/recent_calls.hpp"
#include "tune/tuning_table.hpp"

#include <gemel/core/context.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/kernel.hpp>

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <variant>

namespace gemel {

/// A compiled variant: what its launches need. Generators with more state derive from it.
struct Variant {
    virtual ~Variant() = default;
    Kernel kernel{nullptr};
    std::uint32_t block = 0;  ///< threads per block
};

/// Identifies the variants of a generated kernel. Layouts are values, compared and hashed field by field.
template <class Layout, class Tuning = std::monostate>
struct VariantKey {
    std::uint64_t generator = 0;  ///< KernelCache::new_generator()
    Layout layout = {};
    Tuning tuning = {};
    boost::container::static_vector<DType, max_call_arguments> types = {};  ///< the types of open parameters
    friend bool operator==(const VariantKey&, const VariantKey&) = default;
};

/// All variants of all generators in one context. Bounded: if there are too many of a kind of key, they are all
/// removed.
class KernelCache {
   public:
    /// The variant for a key, created by `make` if there is none yet. If two threads create one at once, the first is
    /// kept.
    template <class V, class Key, class Make>
    std::shared_ptr<V> find(const Key& key, Make&& make) {
        {
            std::lock_guard lock(mutex_);
            Variants<Key>& known = variants<Key>();
            if (const auto found = known.find(key); found != known.end())
                return std::static_pointer_cast<V>(found->second);
        }
        std::shared_ptr<V> fresh = [&] {
            const RecordingPause pause;  // the variant outlives a graph that is being recorded
            return make();
        }();
        std::lock_guard lock(mutex_);
        Variants<Key>& known = variants<Key>();
        if (known.size() >= max_variants) known.clear();  // recent calls keep theirs
        return std::static_pointer_cast<V>(known.try_emplace(key, std::move(fresh)).first->second);
    }

    /// The context's cache, which lives until the context's end or reset(). @time cached per thread
    static KernelCache& of(const Context& context);
    /// The cache of an array's context.
    static KernelCache& of(const AnyArray& array);
    /// The tunings stored for the context's device.
    const TuningTable& tunings(const Context& context);
    /// TuningTable::version() of that table. May be called after tunings(), on any thread.
    std::uint64_t tunings_version() const { return tunings_->version(); }
    /// GEMEL_TUNE=auto, read when the context ran its first generated kernel.
    bool tunes_online() const { return tunes_online_; }
    RecentCalls& recent() { return recent_; }
    const DeviceInfo& info() const { return *info_; }
    bool addresses_are_linear() const { return linear_; }
    /// GEMEL_CHECK, read when the context ran its first generated kernel.
    bool checks_bounds() const { return checks_bounds_; }
    /// A unique number for a generated kernel.
    static std::uint64_t new_generator();

   private:
    template <class Key>
    using Variants = std::unordered_map<Key, std::shared_ptr<Variant>, FieldsHash>;
    template <class Key>
    Variants<Key>& variants() {
        static const char kind = 0;  // its address identifies the kind of key
        std::shared_ptr<void>& map = variants_[&kind];
        if (!map) map = std::make_shared<Variants<Key>>();
        return *static_cast<Variants<Key>*>(map.get());
    }

    static constexpr std::size_t max_variants = 4096;
    static const char tag_;
    std::optional<Device> device_;
    const DeviceInfo* info_ = nullptr;
    bool linear_ = false, checks_bounds_ = false, tunes_online_ = false;
    std::once_flag has_tunings_, has_facts_;
    std::shared_ptr<TuningTable> tunings_;
    std::mutex mutex_;
    std::unordered_map<const char*, std::shared_ptr<void>> variants_;  ///< by kind of key
    RecentCalls recent_;
};

/// Finished source, in the form that Context::compile() takes.
struct GeneratedText {
    std::string text;
    const std::string& source(const Dialect&) const { return text; }
};

}  // namespace gemel
