/// Sparse matrices by windows of columns, with the kernels of GPUs on every device.
#include "sparse_support.hpp"

#include <cmath>
#include <limits>

using namespace gemel;
using namespace gemel::testing;
using sparse::Format;

namespace {

/// Four windows of floats, the last of one column; rows without entries, one that spans tiles, and long neighbours.
template <class T>
HostMatrix<T> windowed() {
    const std::int64_t columns = 3 * codegen::sparse_bin_columns(dtype_of<T>()) + 1;
    HostMatrix<T> host = with_giant_row<T>(4000, columns, 1777, 30);
    std::mt19937 random(31);
    for (const std::int64_t row : {0, 1776, 1778, 3999})
        for (int k = 0; k < 500; ++k) host.add(row, static_cast<std::int64_t>(random() % columns), whole<T>(random));
    return host;
}

template <class T>
void check_windows() {
    const HostMatrix<T> host = windowed<T>();
    const sparse::Matrix<T> a = host.on_device().to(Format::binned);
    CHECK(a.format() == Format::binned);
    CHECK(a.explain().find("4 windows") != std::string::npos);
    for (const int serial : {0, 1}) check_products("windows", host, a, {.serial = serial});
}

/// Twelve entries a row at places drawn on the device.
sparse::Matrix<float> drawn(std::int64_t extent) {
    const GPUArray<std::int32_t> rows = (arange<std::int32_t>(12 * extent) / 12).eval().astype<std::int32_t>();
    const GPUArray<float> places = random::Philox(7).uniform<float>({12 * extent});
    const GPUArray<std::int32_t> columns = (places * static_cast<float>(extent)).eval().astype<std::int32_t>();
    return sparse::coo<float>({extent, extent}, rows, columns, places);
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("products by windows of columns are right over many windows and tiles") {
    check_windows<float>();
    check_windows<cfloat>();
    if (lacks_double()) return;
    check_windows<double>();
    check_windows<cdouble>();
}

TEST_CASE("products by windows of columns are right for every shape") {
    for (const auto& [name, host] : special_matrices<float>())
        check_products(name + " as on GPUs", host, host.on_device().to(Format::binned), {.serial = 0});
    const HostMatrix<float> host = windowed<float>();
    const sparse::Matrix<float> wide = host.on_device({.wide_indices = true}).to(Format::binned);
    check_products("64 bits", host, wide, {.serial = 0});
}

TEST_CASE("products by windows of columns are right over many slabs, one after another") {
    // On the stand-in for a GPU there are five slabs, whose products have room for three.
    const HostMatrix<float> host = scattered<float>(12000, 30000, 240000, 38);
    const sparse::Matrix<float> a = host.on_device().to(Format::binned);
    const GPUArray<float> y = zeros<float>({12000});
    for (int k = 0; k < 2; ++k) {
        const std::vector<float> x = whole_values<float>(30000, 39 + k);
        a.multiply_into(y, to_gpu(x), {.tuning = {.serial = 0}});
        CHECK_SAME(unsigned_zeros(host.times(x)), unsigned_zeros(y.get()), "product");
    }
}

TEST_CASE("windows of columns keep a matrix's entries, and infinities to their rows") {
    HostMatrix<float> host = scattered<float>(300, 26000, 4000, 33);
    for (std::int32_t& column : host.column_numbers) column = std::max(column, std::int32_t{1});
    const sparse::Matrix<float> csr = host.on_device(), a = csr.to(Format::binned);
    CHECK_SAME(csr.values().get(), a.to(Format::csr).values().get(), "the way back");
    CHECK_SAME(csr.to_dense().get(), a.to_dense().get(), "dense");
    const sparse::Matrix<float> twice = 2 * a;
    CHECK(twice.format() == Format::binned);
    std::vector<float> x = whole_values<float>(26000, 34);
    x[0] = std::numeric_limits<float>::infinity();
    const GPUArray<float> y = zeros<float>({300}), from = to_gpu(x);
    a.multiply_into(y, from, {.tuning = {.serial = 0}});
    x[0] = 0;
    CHECK_SAME(unsigned_zeros(host.times(x)), unsigned_zeros(y.get()), "no entry has column 0");
    twice.multiply_into(y, placed<float>(x, 1), {.tuning = {.serial = 0}});
    const std::vector<float> once = host.times(x);
    CHECK_SAME(unsigned_zeros(combined(once, 2.0f, once, 0.0f)), unsigned_zeros(y.get()), "x begins between vectors");
}

TEST_CASE("a dot product with the result of windows of columns is right") {
    const HostMatrix<float> host = scattered<float>(333, 333, 2500, 4);
    const sparse::Matrix<float> a = host.on_device().to(Format::binned);
    const std::vector<float> x = whole_values<float>(333, 35), w = whole_values<float>(333, 36), y = host.times(x);
    const GPUArray<float> into = zeros<float>({333}), dot = zeros<float>({});
    float expected = 0;
    for (std::size_t i = 0; i < y.size(); ++i) expected += w[i] * y[i];
    for (const int serial : {0, 1}) {
        a.multiply_into(into, to_gpu(x), {.dot_with = to_gpu(w), .dot = dot, .tuning = {.serial = serial}});
        CHECK(dot.item() == expected);
    }
    const GPUArray<float> several = to_gpu(whole_values<float>(333 * 3, 37), Shape{333, 3});
    CHECK_SAME(host.times(several.get(), 3), (a * several).get(), "several vectors");
}

TEST_CASE("automatic takes windows of columns where columns are all over a long vector") {
    const bool on_gpu = default_context().device().info().type != DeviceInfo::Type::cpu;
    const std::int64_t extent = 1 << 19;
    const sparse::Matrix<float> csr = drawn(extent), a = csr.to(Format::automatic);
    CHECK(a.format() == (on_gpu ? Format::binned : Format::csr));
    if (on_gpu) CHECK(a.explain().find("other 32 bytes of x") != std::string::npos);
    const GPUArray<float> x = random::Philox(8).uniform<float>({extent});
    const GPUArray<float> expected = csr * x, y = a * x;
    CHECK(max(abs(y - expected)).item() < 1e-4f);
    CHECK(drawn(extent / 8).to(Format::automatic).format() != Format::binned);
}

TEST_SUITE_END();
