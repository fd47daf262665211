/// Element-wise kernels over arrays with gaps, beside the same work on whole arrays (CUB's DeviceTransform where that
/// is there, gemel's own kernel elsewhere): what a layout costs.
#include "generators.hpp"

#include <algorithm>
#include <complex>

namespace {

using namespace bench;

constexpr double promise = 1.3;
using Axpy = gemel::ElementwiseKernel;

void squares(const gemel::Context& context, const Axpy& axpy, std::int64_t side) {
    const auto n = static_cast<std::size_t>(side * side);
    const std::string size = " " + std::to_string(side) + "^2";
    // Rows are a little longer than what is worked on, so that slices of them have gaps.
    const std::int64_t pitch = side + 8;
    Rotation<float> wide_x(context, static_cast<std::size_t>(side * pitch)), x(context, n), y(context, n),
        z(context, n), line(context, static_cast<std::size_t>(side));
    const auto square = [&](const gemel::GPUArray<float>& array) { return array.reshape({side, side}); };
    const auto measure = [&](const std::string& name, double bytes, auto&& operand) {
        compare(
            context, name + size, bytes,
            [&](const gemel::Stream& s, int k) {
                axpy(gemel::CallOptions{.stream = s}, 2, operand(k), square(y[k]), square(z[k]));
            },
            [&](void* s, int k) {
                peers::axpy(peers::Type::f32, 2, address(x[k]), address(y[k]), address(z[k]), n, s);
            },
            promise, [&](const gemel::Stream& s, int k) { axpy(gemel::CallOptions{.stream = s}, 2, x[k], y[k], z[k]); },
            promise);
    };
    const double array = 4.0 * static_cast<double>(n), row = 4.0 * static_cast<double>(side);
    measure("whole", 3 * array, [&](int k) { return square(x[k]); });
    measure("rows cut off", 3 * array,
            [&](int k) { return wide_x[k].reshape({side, pitch})(gemel::slice(), gemel::slice(side)); });
    measure("transposed", 3 * array, [&](int k) { return square(x[k]).transpose(); });
    measure("one row for all", 2 * array + row, [&](int k) { return line[k].broadcast_to({side, side}); });
    measure("one column for all", 2 * array + row,
            [&](int k) { return line[k].reshape({side, 1}).broadcast_to({side, side}); });
}

void four_axes(const gemel::Context& context, const Axpy& axpy, std::int64_t side) {
    const auto n = static_cast<std::size_t>(side * side * side * 8);
    Rotation<float> x(context, n), y(context, n), z(context, n);
    const auto shape = gemel::Shape{side, 8, side, side};
    compare(
        context, "four axes turned round", 12.0 * static_cast<double>(n),
        [&](const gemel::Stream& s, int k) {
            axpy(gemel::CallOptions{.stream = s}, 2, x[k].reshape({side, side, 8, side}).transpose(),
                 y[k].reshape(shape), z[k].reshape(shape));
        },
        [&](void* s, int k) { peers::axpy(peers::Type::f32, 2, address(x[k]), address(y[k]), address(z[k]), n, s); },
        promise, [&](const gemel::Stream& s, int k) { axpy(gemel::CallOptions{.stream = s}, 2, x[k], y[k], z[k]); },
        promise);
}

void three_columns(const gemel::Context& context, const Axpy& axpy, std::size_t n) {
    Rotation<float> x(context, n), y(context, n), z(context, n);
    Rotation<float> wide(context, n / 3 * 4);
    const auto triples = static_cast<std::int64_t>(n / 3);
    compare(
        context, "three of four columns", 12.0 * static_cast<double>(triples * 3),
        [&](const gemel::Stream& s, int k) {
            const auto whole = [&](const gemel::GPUArray<float>& array) {
                return array(gemel::slice(triples * 3)).reshape({triples, 3});
            };
            axpy(gemel::CallOptions{.stream = s}, 2, wide[k].reshape({triples, 4})(gemel::slice(), gemel::slice(3)),
                 whole(y[k]), whole(z[k]));
        },
        [&](void* s, int k) { peers::axpy(peers::Type::f32, 2, address(x[k]), address(y[k]), address(z[k]), n, s); },
        promise, [&](const gemel::Stream& s, int k) { axpy(gemel::CallOptions{.stream = s}, 2, x[k], y[k], z[k]); },
        promise);
}

std::string numbers(const std::vector<std::int64_t>& list) {
    std::string out;
    for (const std::int64_t number : list) out += (out.empty() ? "(" : ", ") + std::to_string(number);
    return out + ")";
}

/// A copy into C order of an array whose axes are permuted, beside the copy of a whole one: `x[k].permute(axes)` of
/// shape `shape`. The peers' script has the same cells.
template <class T>
void transpose(const gemel::Context& context, const gemel::ElementwiseKernel& copy,
               const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& axes) {
    const gemel::Shape from{std::span<const std::int64_t>(shape)};
    const gemel::Axes order{std::span<const std::int64_t>(axes)};
    const gemel::GPUArray<T> x(context, from), y(context, from);
    x.buffer().fill(std::uint8_t{0});
    const auto turned = x.permute(order);
    const auto to = y.reshape(turned.shape());
    compare(
        context, std::string("transpose ") + gemel::dtype_of<T>().name() + " " + numbers(shape) + " " + numbers(axes),
        2.0 * static_cast<double>(x.size_bytes()),
        [&](const gemel::Stream& s, int) { copy(gemel::CallOptions{.stream = s}, turned, to); }, [](void*, int) {}, 0,
        [&](const gemel::Stream& s, int) { copy(gemel::CallOptions{.stream = s}, x, y); }, 1.1, false);
}

/// A row that is combined with each row of an array, beside the copy of the array.
template <class T>
void broadcast_rows(const gemel::Context& context) {
    const gemel::ElementwiseKernel scale("const T *x, const T *row, T *y", "y[i] = x[i] * row[i]", "scale_rows");
    const gemel::ElementwiseKernel copy("const T *x, T *y", "y[i] = x[i]", "copy");
    const std::int64_t elements = std::int64_t{1} << (is_gpu(context) ? 27 : 22);
    for (const std::int64_t length : {7, 50, 257, 4096}) {
        const gemel::Shape shape{elements / length, length};
        const gemel::GPUArray<T> x(context, shape), row(context, gemel::Shape{length}), y(context, shape);
        x.buffer().fill(std::uint8_t{0});
        row.buffer().fill(std::uint8_t{0});
        compare(
            context, std::string("broadcast row ") + gemel::dtype_of<T>().name() + " " + gemel::to_string(shape),
            2.0 * static_cast<double>(x.size_bytes()),
            [&](const gemel::Stream& s, int) { scale(gemel::CallOptions{.stream = s}, x, row.broadcast_to(shape), y); },
            [](void*, int) {}, 0, [&](const gemel::Stream& s, int) { copy(gemel::CallOptions{.stream = s}, x, y); },
            1.25, false);
    }
}

template <class T>
void transposes(const gemel::Context& context) {
    const gemel::ElementwiseKernel copy("const T *x, T *y", "y[i] = x[i]", "transpose");
    const bool gpu = is_gpu(context);
    const std::int64_t side = gpu ? 16384 : 4096, long_side = std::int64_t{1} << (gpu ? 26 : 20);
    transpose<T>(context, copy, {side, side}, {1, 0});
    transpose<T>(context, copy, {long_side, 4}, {1, 0});
    transpose<T>(context, copy, {4, long_side}, {1, 0});
    const std::vector<std::int64_t> odd =
        gpu ? std::vector<std::int64_t>{1000, 1003, 257} : std::vector<std::int64_t>{200, 203, 57};
    for (std::vector<std::int64_t> axes{0, 2, 1}; !axes.empty();) {
        transpose<T>(context, copy, odd, axes);
        if (!std::next_permutation(axes.begin(), axes.end())) axes.clear();
    }
}

}  // namespace

int main() try {
    const gemel::Context context = gemel::default_context();
    const Axpy axpy("float a, const float *x, const float *y, float *z", "z[i] = a * x[i] + y[i]", "axpy");
    for (const std::int64_t side : is_gpu(context) ? std::vector{1024, 4096, 16384} : std::vector{1024, 4096})
        squares(context, axpy, side);
    const std::int64_t side = is_gpu(context) ? 96 : 48;
    four_axes(context, axpy, side);
    three_columns(context, axpy, static_cast<std::size_t>(side * side * side * 8));
    broadcast_rows<float>(context);
    broadcast_rows<gemel::half>(context);
    transposes<std::uint8_t>(context);
    transposes<std::uint16_t>(context);
    transposes<float>(context);
    if (!context.device().info().has_double) return 0;
    transposes<double>(context);
    transposes<std::complex<double>>(context);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
