/// Kernels of sparse products that a device would not choose by itself, those of GPUs on CPU devices above all.
#include "sparse_support.hpp"

using namespace gemel;
using namespace gemel::testing;
using sparse::Format;
using sparse::ProductStrategy;
using sparse::ProductTuning;

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("sparse products are right by every strategy and any number of threads for each row") {
    for (const auto& [name, host] : special_matrices<float>()) {
        // Each number of entries for a thread is a text of its own.
        if (name != "banded" && name != "giant row") continue;
        const sparse::Matrix<float> a = host.on_device();
        for (const int serial : {0, 1})
            check_products(name + " by merging", host, a, {.strategy = ProductStrategy::merge, .serial = serial});
        check_products(name + " as a stream", host, a,
                       {.strategy = ProductStrategy::stream, .serial = 0, .block = name == "banded" ? 32u : 256u});
        for (const std::uint32_t width : {4u, 32u})
            check_products(name + " by threads", host, a,
                           {.strategy = ProductStrategy::rows, .serial = 0, .width = width, .block = 64});
        for (const Format format : {Format::ell, Format::sell, Format::dia})
            check_products(name + " as on GPUs", host, a.to(format), {.serial = 0});
    }
    const auto bands = banded<cfloat>(500, 520, {-30, -1, 0, 1, 25}, 5);
    check_products("bands", bands, bands.on_device(), {.serial = 0});
    check_products("bands", bands, bands.on_device().to(Format::dia), {.serial = 0});
    if (lacks_double()) return;
    const auto host = with_giant_row<cdouble>(2000, 30000, 1234, 9);
    check_products("giant row", host, host.on_device(), {.strategy = ProductStrategy::merge, .serial = 0});
}

TEST_CASE("merged sparse products carry sums over many tiles") {
    // The row spans more than forty tiles of 2048 rows and entries; its neighbours begin and end within them.
    HostMatrix<float> host = with_giant_row<float>(5000, 90000, 2500, 10);
    for (const std::int64_t row : {2499, 2501})
        for (std::int64_t column = 0; column < 3000; ++column) host.add(row, column, 1);
    const sparse::Matrix<float> a = host.on_device();
    for (const int serial : {0, 1})
        check_products("long rows", host, a, {.strategy = ProductStrategy::merge, .serial = serial});
}

TEST_CASE("a dot product with the result is found beside it") {
    const HostMatrix<cfloat> host = scattered<cfloat>(333, 333, 2500, 4);
    const std::vector<cfloat> x = whole_values<cfloat>(333, 51), w = whole_values<cfloat>(333, 52);
    const auto vdot_of = [](const std::vector<cfloat>& a, const std::vector<cfloat>& b) {
        cfloat sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += std::conj(a[i]) * b[i];
        return sum;
    };
    const cfloat expected = vdot_of(w, host.times(x));
    const GPUArray<cfloat> from = to_gpu(x), with = to_gpu(w), y = zeros<cfloat>({333}), dot = zeros<cfloat>({});
    const auto check = [&](const sparse::Matrix<cfloat>& a, const ProductTuning& tuning) {
        dot.fill(NAN), y.fill(NAN);
        a.multiply_into(y, from, {.dot_with = with, .dot = dot, .tuning = tuning});
        CHECK_MESSAGE(dot.item() == expected, sparse::to_string(a.format()));
        CHECK_SAME(unsigned_zeros(host.times(x)), unsigned_zeros(y.get()), sparse::to_string(a.format()));
    };
    const sparse::Matrix<cfloat> a = host.on_device();
    std::size_t turn = 0;
    for (const Format format : {Format::csr, Format::coo, Format::sell, Format::dia, Format::packeted})
        for (const int serial : {0, 1})
            if (!is_left_out(2, turn++)) check(a.to(format), {.serial = serial});
    check(a, {.strategy = ProductStrategy::rows, .serial = 0, .width = 8});
    check(a, {.strategy = ProductStrategy::merge});
    const GPUArray<cfloat> own = to_gpu(x);
    a.multiply_into(own, own, {.dot_with = own, .dot = dot});
    CHECK(dot.item() == vdot_of(host.times(x), host.times(x)));
    CHECK_THROWS_MENTIONING(ArgumentError, a.multiply_into(y, from, {.dot = dot}), "dot_with and dot");
    CHECK_THROWS_MENTIONING(ArgumentError, a.multiply_into(y, from, {.dot_with = zeros<cfloat>({3}), .dot = dot}),
                            "(3,)", "(333,)");
}

TEST_SUITE_END();
