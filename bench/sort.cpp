/// Sorts beside CUB's DeviceRadixSort: keys of all widths, pairs, places, few distinct keys, rows. GB/s of keys (and
/// values) read once and written once.
#include "generators.hpp"

namespace {

using namespace bench;

/// Keys of all bits, or of few values, and where they go.
template <class T>
struct Keys {
    gemel::GPUArray<T> x, sorted;
    Keys(const gemel::Context& context, std::size_t n, std::uint32_t mask)
        : x(context, gemel::Shape(n)), sorted(context, gemel::Shape(n)) {
        static const gemel::ElementwiseKernel fill(
            "T *x, uint32_t mask",
            "uint64_t h = (uint64_t)(i + 1) * (uint64_t)0x9E3779B97F4A7C15; h ^= h >> 31; h *= "
            "(uint64_t)0xBF58476D1CE4E5B9;"
            "h ^= h >> 27; x[i] = (T)(h & (mask == 0 ? ~(uint64_t)0 : (uint64_t)mask))",
            "fill_keys");
        fill(x, mask);
        context.synchronize();
    }
};

template <class T>
void keys_of(const gemel::Context& context, const std::string& type, peers::Key key, std::size_t n,
             std::uint32_t mask = 0) {
    const Keys<T> keys(context, n, mask);
    const std::string name = type + (mask ? ", few values" : "") + " 2^" + std::to_string(log2_of(n));
    const double bytes = 2.0 * sizeof(T) * static_cast<double>(n);
    compare(
        context, "sort " + name, bytes,
        [&](const gemel::Stream& s, int) {
            const gemel::StreamScope scope(s);
            gemel::sort(keys.x, {.out = keys.sorted});
        },
        [&](void* s, int) { peers::sort_keys(key, address(keys.x), address(keys.sorted), n, s); }, 1.0);
}

template <class K, class V>
void pairs_of(const gemel::Context& context, const std::string& types, peers::Pair pair, std::size_t n) {
    const Keys<K> keys(context, n, 0);
    const Keys<V> values(context, n, 0);
    compare(
        context, "sort " + types + " 2^" + std::to_string(log2_of(n)),
        2.0 * (sizeof(K) + sizeof(V)) * static_cast<double>(n),
        [&](const gemel::Stream& s, int) {
            const gemel::StreamScope scope(s);
            gemel::sort_by_key(keys.x, values.x);
        },
        [&](void* s, int) {
            peers::sort_pairs(pair, address(keys.x), address(keys.sorted), address(values.x), address(values.sorted), n,
                              s);
        },
        1.0);
}

void argsort_of(const gemel::Context& context, std::size_t n) {
    const Keys<std::uint32_t> keys(context, n, 0);
    compare(
        context, "argsort u32 2^" + std::to_string(log2_of(n)), 12.0 * static_cast<double>(n),
        [&](const gemel::Stream& s, int) {
            const gemel::StreamScope scope(s);
            gemel::argsort(keys.x);
        },
        [](void*, int) {}, 0, nullptr, 0, false);
}

void all_pairs_of(const gemel::Context& context, std::size_t n) {
    using peers::Pair;
    using std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;
    pairs_of<uint32_t, uint32_t>(context, "u32 with u32", Pair::u32_u32, n);
    argsort_of(context, n);
    if (n < (std::size_t{1} << 20)) return;
    pairs_of<uint8_t, uint32_t>(context, "u8 with u32", Pair::u8_u32, n);
    pairs_of<uint16_t, uint16_t>(context, "u16 with u16", Pair::u16_u16, n);
    pairs_of<uint32_t, uint8_t>(context, "u32 with u8", Pair::u32_u8, n);
    pairs_of<uint32_t, uint64_t>(context, "u32 with u64", Pair::u32_u64, n);
    pairs_of<uint64_t, uint32_t>(context, "u64 with u32", Pair::u64_u32, n);
    pairs_of<uint64_t, uint64_t>(context, "u64 with u64", Pair::u64_u64, n);
}

void rows_of(const gemel::Context& context, std::size_t rows, std::size_t length) {
    const Keys<float> keys(context, rows * length, 0xffffff);
    const gemel::GPUArray<float> x = keys.x.reshape({rows, length}), sorted = keys.sorted.reshape({rows, length});
    compare(
        context, "sort f32 rows " + std::to_string(rows) + " x " + std::to_string(length),
        8.0 * static_cast<double>(rows * length),
        [&](const gemel::Stream& s, int) {
            const gemel::StreamScope scope(s);
            gemel::sort(x, {.out = sorted});
        },
        [&](void* s, int) { peers::sort_rows(address(keys.x), address(keys.sorted), rows, length, s); }, 1.0);
}

}  // namespace

int main(int argc, char** argv) try {
    only_named() = grid_options(argc, argv).only;
    const gemel::Context context = gemel::default_context();
    const gemel::ContextScope scope(context);
    const std::size_t most = is_gpu(context) ? std::size_t{1} << 28 : std::size_t{1} << 22;
    for (std::size_t n = std::size_t{1} << 12; n <= most; n <<= n < (std::size_t{1} << 20)   ? 4
                                                                : n < (std::size_t{1} << 24) ? 2
                                                                                             : 4) {
        using peers::Key;
        keys_of<std::uint8_t>(context, "u8", Key::u8, n);
        keys_of<std::uint16_t>(context, "u16", Key::u16, n);
        keys_of<std::uint32_t>(context, "u32", Key::u32, n);
        keys_of<std::uint32_t>(context, "u32", Key::u32, n, 0xff);
        keys_of<float>(context, "f32", Key::f32, n, 0xffffff);
        keys_of<std::uint64_t>(context, "u64", Key::u64, n);
        all_pairs_of(context, n);
    }
    for (const std::size_t length : {4u, 32u, 256u, 1024u, 4096u}) rows_of(context, most / 4 / length, length);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
