/// Selecting, grouping and searching beside CUB's DeviceSelect, DeviceRunLengthEncode, DeviceReduce and
/// DeviceHistogram: GB/s of what is read, and written where it is known.
#include "generators.hpp"

namespace {

using namespace bench;

/// What a peer writes.
struct Room {
    explicit Room(const gemel::Context& context, std::size_t n)
        : values(context, gemel::Shape(n)),
          sums(context, gemel::Shape(n)),
          lengths(context, gemel::Shape(n)),
          count(context, gemel::Shape{}) {}
    gemel::GPUArray<float> values, sums;
    gemel::GPUArray<std::int64_t> lengths, count;
};

void selections(const gemel::Context& context, std::size_t n, const std::string& size) {
    const Rotation<float> x(context, n);
    const Room room(context, n);
    const double bytes = 1.5 * sizeof(float) * static_cast<double>(n);
    for (const float limit : {0.5f, 0.99f, 0.0f})
        compare(
            context, "copy_if f32 above " + std::to_string(limit).substr(0, 4) + size, (2.0 - limit) / 1.5 * bytes,
            [&](const gemel::Stream& s, int k) { gemel::copy_if(x[k], x[k] > limit, {.stream = s}); },
            [&](void* s, int k) {
                peers::select_above(address(x[k]), limit, address(room.values), address(room.count), n, s);
            },
            1.0);
    compare(
        context, "copy_if f32 by a predicate" + size, bytes,
        [&](const gemel::Stream& s, int k) { gemel::copy_if({.stream = s}, x[k], "x[i] > 0.5f"); },
        [&](void* s, int k) {
            peers::select_above(address(x[k]), 0.5f, address(room.values), address(room.count), n, s);
        },
        1.0);
    compare(
        context, "partition f32 below 0.5" + size, 2.0 / 1.5 * bytes,
        [&](const gemel::Stream& s, int k) { gemel::partition(x[k], x[k] < 0.5f, {.stream = s}); },
        [&](void* s, int k) {
            peers::partition_below(address(x[k]), 0.5f, address(room.values), address(room.count), n, s);
        },
        1.0);
}

void runs(const gemel::Context& context, std::size_t n, const std::string& size) {
    // Ascending numbers, each about `length` times.
    for (const int length : {2, 100}) {
        const gemel::GPUArray<std::int32_t> keys =
            gemel::astype<std::int32_t>(gemel::arange<std::int32_t>(context, static_cast<std::int64_t>(n)) / length);
        const Rotation<float> values(context, n);
        const Room room(context, n);
        const std::string what = " of " + std::to_string(length) + size;
        const double read = sizeof(float) * static_cast<double>(n), written = read / length;
        compare(
            context, "unique_consecutive i32" + what, read + written,
            [&](const gemel::Stream& s, int) { gemel::unique_consecutive(keys, {.stream = s}); },
            [&](void* s, int) { peers::unique(address(keys), address(room.values), address(room.count), n, s); }, 1.0);
        compare(
            context, "run_lengths i32" + what, read + 3 * written,
            [&](const gemel::Stream& s, int) { gemel::run_lengths(keys, {.stream = s}); },
            [&](void* s, int) {
                peers::run_lengths(address(keys), address(room.values), address(room.lengths), address(room.count), n,
                                   s);
            },
            1.0);
        compare(
            context, "reduce_by_key i32 f32" + what, 2 * read + 2 * written,
            [&](const gemel::Stream& s, int k) { gemel::reduce_by_key(keys, values[k], {.stream = s}); },
            [&](void* s, int k) {
                peers::reduce_by_key(address(keys), address(values[k]), address(room.values), address(room.sums),
                                     address(room.count), n, s);
            },
            1.0);
    }
}

void bins(const gemel::Context& context, std::size_t n, const std::string& size) {
    const Rotation<float> x(context, n);
    const gemel::GPUArray<float> same = gemel::full<float>(context, {static_cast<std::int64_t>(n)}, 0.3f);
    const Room room(context, 1 << 21);
    const double bytes = sizeof(float) * static_cast<double>(n);
    for (const int count : {256, 8192, 1 << 20}) {
        const std::string what = " of " + std::to_string(count) + " bins" + size;
        const auto run = [&](const std::string& name, const auto& elements) {
            compare(
                context, name + what, bytes,
                [&](const gemel::Stream& s, int k) { gemel::histogram(elements(k), count, 0.0, 1.0, {.stream = s}); },
                [&](void* s, int k) { peers::histogram(address(elements(k)), address(room.lengths), count, n, s); },
                1.0);
        };
        run("histogram f32", [&](int k) { return x[k]; });
        run("histogram f32, all in one bin,", [&](int) { return same; });
    }
    const Rotation<std::int32_t> numbers(context, n);
    compare(
        context, "bincount i32" + size, bytes,
        [&](const gemel::Stream& s, int k) { gemel::bincount(numbers[k], {.length = 32, .stream = s}); },
        [](void*, int) {}, 1.0, nullptr, 1.05, false);
}

void searches(const gemel::Context& context, std::size_t n, const std::string& size) {
    const gemel::GPUArray<float> sorted =
        gemel::arange<float>(context, static_cast<std::int64_t>(n)) / static_cast<float>(n);
    const std::size_t queries = n / 4;
    const Rotation<float> values(context, queries);
    compare(
        context, "searchsorted f32, a quarter as many in" + size, 12.0 * static_cast<double>(queries),
        [&](const gemel::Stream& s, int k) {
            gemel::searchsorted(sorted, values[k], gemel::Side::left, {.stream = s});
        },
        [](void*, int) {}, 1.0, nullptr, 1.05, false);
    const Rotation<float> x(context, n);
    compare(
        context, "topk f32, the 100 largest of" + size, 8.0 * static_cast<double>(n),
        [&](const gemel::Stream& s, int k) {
            const gemel::StreamScope scope(s);
            gemel::topk(x[k], 100);
        },
        [](void*, int) {}, 1.0, nullptr, 1.05, false);
}

}  // namespace

int main(int argc, char** argv) try {
    only_named() = grid_options(argc, argv).only;
    const gemel::Context context = gemel::default_context();
    const gemel::ContextScope scope(context);
    const std::size_t most = is_gpu(context) ? std::size_t{1} << 28 : std::size_t{1} << 24;
    for (std::size_t n = std::size_t{1} << 16; n <= most; n <<= 4) {
        const std::string size = " 2^" + std::to_string(log2_of(n));
        selections(context, n, size);
        runs(context, n, size);
        bins(context, n, size);
        searches(context, n, size);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
