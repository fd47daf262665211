/// Element-wise kernels over arrays with gaps, beside the same work on whole arrays (CUB's DeviceTransform where that
/// is there, gemel's own kernel elsewhere): what a layout costs.
#include "generators.hpp"

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

}  // namespace

int main() try {
    const gemel::Context context = gemel::default_context();
    const Axpy axpy("float a, const float *x, const float *y, float *z", "z[i] = a * x[i] + y[i]", "axpy");
    for (const std::int64_t side : is_gpu(context) ? std::vector{1024, 4096, 16384} : std::vector{1024, 4096})
        squares(context, axpy, side);
    const std::int64_t side = is_gpu(context) ? 96 : 48;
    four_axes(context, axpy, side);
    three_columns(context, axpy, static_cast<std::size_t>(side * side * side * 8));
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
