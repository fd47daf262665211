#include "peers.hpp"

#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <cub/cub.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace bench::peers {
namespace {

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUB: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

/// CUB's scratch memory, made once per size.
template <class Call>
void with_scratch(Call&& call) {
    static void* scratch = nullptr;
    static std::size_t capacity = 0;
    std::size_t bytes = 0;
    check(call(nullptr, bytes));
    if (bytes > capacity) {
        cudaFree(scratch);
        check(cudaMalloc(&scratch, bytes));
        capacity = bytes;
    }
    check(call(scratch, bytes));
}

template <class T, class Compute>
void axpy_of(double a, const void* x, const void* y, void* z, std::size_t n, cudaStream_t stream) {
    const auto factor = static_cast<Compute>(a);
    check(cub::DeviceTransform::Transform(
        cuda::std::make_tuple(static_cast<const T*>(x), static_cast<const T*>(y)), static_cast<T*>(z),
        static_cast<std::int64_t>(n),
        [factor] __device__(T p, T q) {
            return static_cast<T>(factor * static_cast<Compute>(p) + static_cast<Compute>(q));
        },
        stream));
}

struct Product {
    __device__ float operator()(const thrust::tuple<float, float>& pair) const {
        return thrust::get<0>(pair) * thrust::get<1>(pair);
    }
};
struct Both {
    float low, high;
};
struct Twice {
    __device__ Both operator()(float x) const { return {x, x}; }
};
struct Widest {
    __device__ Both operator()(const Both& a, const Both& b) const {
        return {fminf(a.low, b.low), fmaxf(a.high, b.high)};
    }
};

template <class T>
void scan_of(const void* x, void* out, std::size_t n, cudaStream_t stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, static_cast<const T*>(x), static_cast<T*>(out),
                                             static_cast<std::int64_t>(n), stream);
    });
}

template <class T>
void sum_of(const void* x, void* out, std::size_t n, cudaStream_t stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(scratch, bytes, static_cast<const T*>(x), static_cast<T*>(out),
                                      static_cast<std::int64_t>(n), stream);
    });
}

template <class T>
void sort_of(const void* x, void* out, std::size_t n, cudaStream_t stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, static_cast<const T*>(x), static_cast<T*>(out),
                                              static_cast<std::int64_t>(n), 0, static_cast<int>(8 * sizeof(T)), stream);
    });
}

struct Pairs {
    const void *keys, *values;
    void *sorted_keys, *sorted_values;
    std::size_t n;
    cudaStream_t stream;

    template <class K, class V>
    void sort() const {
        with_scratch([&](void* scratch, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(scratch, bytes, static_cast<const K*>(keys),
                                                   static_cast<K*>(sorted_keys), static_cast<const V*>(values),
                                                   static_cast<V*>(sorted_values), static_cast<std::int64_t>(n), 0,
                                                   static_cast<int>(8 * sizeof(K)), stream);
        });
    }
};

/// Where row `row` begins.
struct RowBegin {
    std::int64_t length;
    __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

cudaStream_t native(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

void axpy(Type type, double a, const void* x, const void* y, void* z, std::size_t n, void* stream) {
    switch (type) {
        case Type::f32: return axpy_of<float, float>(a, x, y, z, n, native(stream));
        case Type::f64: return axpy_of<double, double>(a, x, y, z, n, native(stream));
        case Type::f16: return axpy_of<__half, float>(a, x, y, z, n, native(stream));
        case Type::i8: return axpy_of<signed char, int>(a, x, y, z, n, native(stream));
    }
}

void axpby(double a, const void* x, double b, const void* y, void* z, std::size_t n, void* stream) {
    const auto p = static_cast<float>(a), q = static_cast<float>(b);
    check(cub::DeviceTransform::Transform(
        cuda::std::make_tuple(static_cast<const float*>(x), static_cast<const float*>(y)), static_cast<float*>(z),
        static_cast<std::int64_t>(n), [p, q] __device__(float u, float v) { return p * u + q * v; }, native(stream)));
}

void five(const void* a, const void* b, const void* c, const void* d, const void* e, void* out, std::size_t n,
          void* stream) {
    check(cub::DeviceTransform::Transform(
        cuda::std::make_tuple(static_cast<const float*>(a), static_cast<const float*>(b), static_cast<const float*>(c),
                              static_cast<const float*>(d), static_cast<const float*>(e)),
        static_cast<float*>(out), static_cast<std::int64_t>(n),
        [] __device__(float p, float q, float r, float s, float t) { return (p + q * r - s) * t; }, native(stream)));
}

void sum(Type type, const void* x, void* out, std::size_t n, void* stream) {
    type == Type::f64 ? sum_of<double>(x, out, n, native(stream)) : sum_of<float>(x, out, n, native(stream));
}

void dot(const void* x, const void* y, void* out, std::size_t n, void* stream) {
    const auto products = thrust::make_transform_iterator(
        thrust::make_zip_iterator(thrust::make_tuple(static_cast<const float*>(x), static_cast<const float*>(y))),
        Product{});
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(scratch, bytes, products, static_cast<float*>(out), static_cast<std::int64_t>(n),
                                      native(stream));
    });
}

void argmax(const void* x, void* value, void* index, std::size_t n, void* stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::ArgMax(scratch, bytes, static_cast<const float*>(x), static_cast<float*>(value),
                                         static_cast<std::int64_t*>(index), static_cast<std::int64_t>(n),
                                         native(stream));
    });
}

void minmax(const void* x, void* out, std::size_t n, void* stream) {
    const auto pairs = thrust::make_transform_iterator(static_cast<const float*>(x), Twice{});
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::Reduce(scratch, bytes, pairs, static_cast<Both*>(out), static_cast<std::int64_t>(n),
                                         Widest{}, Both{INFINITY, -INFINITY}, native(stream));
    });
}

void scan(Type type, const void* x, void* out, std::size_t n, void* stream) {
    type == Type::f64 ? scan_of<double>(x, out, n, native(stream)) : scan_of<float>(x, out, n, native(stream));
}

namespace {

struct Above {
    float limit;
    __device__ bool operator()(float x) const { return x > limit; }
};
struct Below {
    float limit;
    __device__ bool operator()(float x) const { return x < limit; }
};
struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};

}  // namespace

void select_above(const void* x, float limit, void* out, void* count, std::size_t n, void* stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::If(scratch, bytes, static_cast<const float*>(x), static_cast<float*>(out),
                                     static_cast<std::int64_t*>(count), static_cast<std::int64_t>(n), Above{limit},
                                     native(stream));
    });
}

void partition_below(const void* x, float limit, void* out, void* count, std::size_t n, void* stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DevicePartition::If(scratch, bytes, static_cast<const float*>(x), static_cast<float*>(out),
                                        static_cast<std::int64_t*>(count), static_cast<std::int64_t>(n), Below{limit},
                                        native(stream));
    });
}

void unique(const void* x, void* out, void* count, std::size_t n, void* stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::Unique(scratch, bytes, static_cast<const int*>(x), static_cast<int*>(out),
                                         static_cast<std::int64_t*>(count), static_cast<std::int64_t>(n),
                                         native(stream));
    });
}

void run_lengths(const void* x, void* values, void* lengths, void* count, std::size_t n, void* stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRunLengthEncode::Encode(scratch, bytes, static_cast<const int*>(x), static_cast<int*>(values),
                                                  static_cast<std::int64_t*>(lengths), static_cast<std::int64_t*>(count),
                                                  static_cast<std::int64_t>(n), native(stream));
    });
}

void reduce_by_key(const void* keys, const void* values, void* out_keys, void* sums, void* count, std::size_t n,
                   void* stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::ReduceByKey(scratch, bytes, static_cast<const int*>(keys), static_cast<int*>(out_keys),
                                              static_cast<const float*>(values), static_cast<float*>(sums),
                                              static_cast<std::int64_t*>(count), Plus{}, static_cast<std::int64_t>(n),
                                              native(stream));
    });
}

void histogram(const void* x, void* counts, int bins, std::size_t n, void* stream) {
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, static_cast<const float*>(x), static_cast<int*>(counts),
                                                   bins + 1, 0.0f, 1.0f, static_cast<std::int64_t>(n), native(stream));
    });
}

void sort_keys(Key type, const void* x, void* out, std::size_t n, void* stream) {
    switch (type) {
        case Key::u8: return sort_of<std::uint8_t>(x, out, n, native(stream));
        case Key::u16: return sort_of<std::uint16_t>(x, out, n, native(stream));
        case Key::u32: return sort_of<std::uint32_t>(x, out, n, native(stream));
        case Key::u64: return sort_of<std::uint64_t>(x, out, n, native(stream));
        case Key::f32: return sort_of<float>(x, out, n, native(stream));
    }
}

void sort_pairs(Pair type, const void* keys, void* sorted_keys, const void* values, void* sorted_values, std::size_t n,
                void* stream) {
    const Pairs pairs{keys, values, sorted_keys, sorted_values, n, native(stream)};
    switch (type) {
        case Pair::u8_u32: return pairs.sort<std::uint8_t, std::uint32_t>();
        case Pair::u16_u16: return pairs.sort<std::uint16_t, std::uint16_t>();
        case Pair::u32_u8: return pairs.sort<std::uint32_t, std::uint8_t>();
        case Pair::u32_u32: return pairs.sort<std::uint32_t, std::uint32_t>();
        case Pair::u32_u64: return pairs.sort<std::uint32_t, std::uint64_t>();
        case Pair::u64_u32: return pairs.sort<std::uint64_t, std::uint32_t>();
        case Pair::u64_u64: return pairs.sort<std::uint64_t, std::uint64_t>();
    }
}

void sort_rows(const void* x, void* out, std::size_t rows, std::size_t length, void* stream) {
    const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                        RowBegin{static_cast<std::int64_t>(length)});
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, static_cast<const float*>(x),
                                                  static_cast<float*>(out), static_cast<std::int64_t>(rows * length),
                                                  static_cast<std::int64_t>(rows), begins, begins + 1, native(stream));
    });
}

}  // namespace bench::peers
