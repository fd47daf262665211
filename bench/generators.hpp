/// For benchmarks of generated kernels: arrays larger than the caches, device time by events, CUB in turns where it is
/// there.
#pragma once

#include "harness.hpp"
#include "peers.hpp"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace bench {

inline bool is_gpu(const gemel::Context& context) {
    return context.device().info().type == gemel::DeviceInfo::Type::gpu;
}
inline int log2_of(std::size_t n) { return std::bit_width(n) - 1; }

/// So many equal arrays of random numbers that going through them in turn finds none of them in a cache: fractions
/// below 1, whole numbers below 32, so that three of them fit an int8_t.
template <class T>
class Rotation {
   public:
    Rotation(const gemel::Context& context, std::size_t n) {
        const std::size_t cache = context.device().info().l2_cache_bytes.value_or(32 << 20);
        const std::size_t count = std::clamp<std::size_t>(2 * cache / (n * sizeof(T)), 1, 64);
        const gemel::ContextScope scope(context);
        static const gemel::ElementwiseKernel fill(
            "T *x, uint32_t seed",
            "uint32_t h = (uint32_t)i * 2654435761u + seed; h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;"
            "x[i] = SCALE(h)",
            "fill", {.preamble = "#define SCALE(h) ((h) >> 27)"});
        static const gemel::ElementwiseKernel fill_real(
            "T *x, uint32_t seed",
            "uint32_t h = (uint32_t)i * 2654435761u + seed; h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;"
            "x[i] = (float)(h >> 8) * 0x1p-24f",
            "fill_real");
        for (std::size_t k = 0; k < count; ++k) {
            arrays_.emplace_back(context, gemel::Shape(n));
            (std::is_integral_v<T> ? fill : fill_real)(arrays_.back(), static_cast<std::uint32_t>(17 * k + 1));
        }
        context.synchronize();
    }
    const gemel::GPUArray<T>& operator[](int k) const { return arrays_[static_cast<std::size_t>(k) % arrays_.size()]; }

   private:
    std::vector<gemel::GPUArray<T>> arrays_;
};

inline void* address(const gemel::AnyArray& array) {
    return reinterpret_cast<void*>(array.buffer().native_handle() + array.offset_bytes());
}

#ifdef GEMEL_BENCH_CUB
constexpr bool has_peers = true;
#else
constexpr bool has_peers = false;
#endif

/// compare() skips benchmarks whose names do not hold this text: `--only` of the benchmarks.
inline std::string& only_named() {
    static std::string text;
    return text;
}

/// Device time of one call in microseconds: medians over rounds of several calls each, gemel and the peer in turns.
/// `peer` is run where CUB is there and the device is CUDA's; without it gemel's figure stands alone.
///
/// `raw`, if given, is a kernel written by hand: the other contestant where CUB is not there, or not wanted.
template <class Ours, class Peer>
void compare(const gemel::Context& context, const std::string& name, double bytes, Ours&& ours, Peer&& peer,
             double promise = 1 / 0.98, const std::function<void(const gemel::Stream&, int)>& raw = nullptr,
             double raw_promise = 1.05, bool want_peer = true) {
    if (name.find(only_named()) == std::string::npos) return;
    const gemel::Stream stream = context.create_stream();
    const bool with_peer = want_peer && has_peers && context.device().backend() == "cuda";
    int next = 0;
    const auto time = [&](auto&& call, int calls) {
        const gemel::Event start = stream.record();
        for (int i = 0; i < calls; ++i) call(next++);
        const gemel::Event stop = stream.record();
        return 1e3 * gemel::elapsed_milliseconds(start, stop) / calls;
    };
    const auto run_ours = [&](int k) { ours(stream, k); };
    const auto run_peer = [&](int k) {
        if constexpr (has_peers) peer(reinterpret_cast<void*>(stream.native_handle()), k);
    };
    const auto run_raw = [&](int k) { raw(stream, k); };
    time(run_ours, 3);
    if (with_peer) time(run_peer, 3);
    if (!with_peer && raw) time(run_raw, 3);
    const double once = std::max(time(run_ours, 5), 0.5);
    const int calls = static_cast<int>(std::clamp(2000.0 / once, 2.0, 200.0)), rounds = 21;
    std::vector<double> our_times, peer_times;
    for (int round = 0; round < rounds; ++round) {
        our_times.push_back(time(run_ours, calls));
        if (with_peer) peer_times.push_back(time(run_peer, calls));
        if (!with_peer && raw) peer_times.push_back(time(run_raw, calls));
    }
    const auto median = [](std::vector<double> times) {
        std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
        return times[times.size() / 2];
    };
    const double our = median(our_times);
    const double other = peer_times.empty() ? our : median(peer_times);
    report(context.device(), name, our, other,
           peer_times.empty() ? 0
           : with_peer        ? promise
                              : raw_promise,
           "ratio", bytes);
}

}  // namespace bench
