/// Complex arrays may begin half an element from where their memory is divided into elements: none is read or written
/// beside them. Views of buffers begin where they begin.
#include "sparse_support.hpp"

using namespace gemel;
using namespace gemel::testing;
using sparse::Format;

namespace {

/// Complex numbers 1 + 2i, 3 + 4i ... that begin at byte 4.
GPUArray<cfloat> shifted(std::int64_t count) {
    const GPUArray<float> parts = arange<float>(2 * count + 1);
    return GPUArray<cfloat>(parts(slice(1, {})).view_as<cfloat>());
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("products of complex arrays that begin at half an element") {
    const GPUArray<cfloat> v = shifted(36).reshape({6, 6}), copied = v.copy();
    CHECK(matmul(v, v).get() == matmul(copied, copied).get());
    const GPUArray<cfloat> target = shifted(36).reshape({6, 6});
    matmul_into(target, v, copied);
    CHECK(target.get() == matmul(copied, copied).get());
    CHECK(convolve2d(v, copied(slice(0, 2), slice(0, 2))).get() ==
          convolve2d(copied, copied(slice(0, 2), slice(0, 2))).get());
}

TEST_CASE("sparse products of complex vectors that begin at half an element") {
    const HostMatrix<cfloat> host = banded<cfloat>(50, 50, {-2, 0, 2}, 17);
    const GPUArray<cfloat> x = shifted(50), copied = x.copy();
    for (const Format format : {Format::csr, Format::sell, Format::dia, Format::ell, Format::packeted}) {
        const sparse::Matrix<cfloat> a = host.on_device().to(format);
        CHECK((a * x).get() == (a * copied).get());
        const GPUArray<float> parts = zeros<float>({101});
        const GPUArray<cfloat> y(parts(slice(1, {})).view_as<cfloat>());
        const GPUArray<cfloat> dot = zeros<cfloat>({});
        a.multiply_into(y, x, {.dot_with = x, .dot = dot});
        CHECK(y.get() == (a * copied).get());
        CHECK(parts(0).item() == 0);
        CHECK(std::abs(dot.item() - vdot(copied, a * copied).item()) < 1e-3f * std::abs(dot.item()));
    }
}

TEST_CASE("a dot product of a packeted matrix includes the entries outside the windows") {
    HostMatrix<float> host = banded<float>(2000, 200000, {0, 1, 5000}, 13);
    for (std::int64_t row = 0; row < 2000; row += 3) host.add(row, 199999 - row, 2);
    const sparse::Matrix<float> a = host.on_device().to(Format::packeted);
    const GPUArray<float> x = to_gpu(whole_values<float>(200000, 3)), w = to_gpu(whole_values<float>(2000, 4));
    const GPUArray<float> y = zeros<float>({2000}), dot = zeros<float>({});
    a.multiply_into(y, x, {.dot_with = w, .dot = dot});
    CHECK(dot.item() == sum(w * y).item());
}

TEST_CASE("arrays in views of buffers begin where the views do") {
    const Context context = default_context();
    const std::size_t step = context.addresses_are_linear() ? 4 : 4096;
    const Buffer buffer = context.allocate(step + 4 * 400);
    const GPUArray<float> x(buffer.view(step, 4 * 400), Shape{100, 4}, Strides{4, 1});
    x.assign(arange<float>(400).reshape({100, 4}));
    CHECK(cumsum(x, 0).get() == cumsum(x.copy(), 0).get());
    CHECK(from_lanes<float4>(x).copy().get().size() == 100);
    CHECK(x.transpose().copy().get() == x.copy().transpose().copy().get());
}

TEST_SUITE_END();
