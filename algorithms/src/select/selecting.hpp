/// Helpers of selecting, grouping and searching.
#pragma once

#include <gemel/algorithms/select.hpp>
#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace gemel::selecting {

/// Kernels by a key text. It contains users' snippets, so the number of stored kernels is limited.
template <class Kernel>
class KernelsByText {
   public:
    template <class Make>
    std::shared_ptr<const Kernel> find(const std::string& key, const Make& make) {
        const std::lock_guard lock(mutex_);
        if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second;
        if (kernels_.size() >= 1024) kernels_.clear();
        return kernels_.emplace(key, std::make_shared<const Kernel>(make())).first->second;
    }

   private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const Kernel>> kernels_;
};

/// Whether positions need 64 bits.
inline bool is_long(const AnyArray& x) { return x.size() > std::size_t{INT32_MAX}; }
inline DType number_type(bool wide) { return wide ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>(); }

/// For a scan's tile_statement: the last tile writes the number of results.
inline std::string store_count(std::string_view count) {
    return text("if (LID_0 == 0 && tile_begin + tile_length == n) ", count, "[0] = tile_first + tile_count");
}

/// Makes a stream, if one is given, the thread's current one during its lifetime.
class OnStream {
   public:
    explicit OnStream(const Stream& stream) {
        if (!stream.empty()) scope_.emplace(stream);
    }

   private:
    std::optional<StreamScope> scope_;
};

/// A new, uninitialised array of one axis.
AnyArray room_for(const AnyArray& x, DType dtype, std::size_t count);
inline AnyArray room_for(const AnyArray& x) { return room_for(x, x.dtype(), x.size()); }
/// A count on the device, rank 0; set to zero if no launch will write it.
GPUArray<std::int64_t> new_count(const AnyArray& x, const Stream& stream);
/// The first elements: a view, or a copy if they are less than half of the array.
AnyArray first_of(const AnyArray& values, std::int64_t count);
/// Weights are summed in double. @throws ArgumentError if the array's device does not have it
void require_double(const char* who, const AnyArray& x);

/// `same_key(a, b)` for elements of the open type T, as a function for a preamble.
/// @throws ArgumentError if the elements are structs and there is no expression
GEMEL_API std::string equality(const char* who, DType dtype, const std::string& equal_expr);
/// The same, but NaN equals NaN, as in NumPy's unique().
GEMEL_API std::string equality_with_nan(DType dtype);

/// Whether the array fills a GPU whose blocks can wait for each other.
bool is_long_on_gpu(const AnyArray& x);

/// The tiles of a scan that combines values over runs of keys, unless some are given.
/// @param value_bytes  of a value
codegen::ScanTuning run_tuning(const codegen::ScanTuning& given, const AnyArray& keys, std::uint32_t value_bytes);

/// x as one axis in C order; no copy if it is contiguous.
AnyArray flat(const AnyArray& x);

}  // namespace gemel::selecting
