/// Products of sparse matrices in every format, type and shape beside a plain host loop. Values are whole: no bit may
/// differ.
#include "sparse_support.hpp"

using namespace gemel;
using namespace gemel::testing;
using sparse::Format;

namespace {

template <class T>
void check_formats(const std::vector<Format>& formats) {
    for (const auto& [name, host] : special_matrices<T>()) {
        const sparse::Matrix<T> a = host.on_device();
        CHECK(a.nonzeros() == static_cast<std::int64_t>(host.entries().size()));
        std::size_t turn = 0;
        for (const Format format : formats)
            if (std::is_same_v<T, float> || !is_left_out(2, turn++)) check_products(name, host, a.to(format));
    }
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("sparse products of floats are right in every format and shape") {
    check_formats<float>({sparse_formats.begin(), sparse_formats.end()});
}

TEST_CASE("sparse products of complex doubles are right in every format and shape") {
    if (lacks_double()) return;
    check_formats<cdouble>({sparse_formats.begin(), sparse_formats.end()});
}

TEST_CASE("sparse products of doubles and complex floats are right") {
    check_formats<cfloat>({Format::csr});
    if (lacks_double()) return;
    check_formats<double>({Format::csr, Format::sell});
}

TEST_CASE("sparse products take several vectors at once") {
    for (const std::int64_t vectors : {1, 3, 8, 19}) {
        const HostMatrix<float> host = scattered<float>(200, 150, 1200, 11);
        const auto x = whole_values<float>(static_cast<std::size_t>(150 * vectors), 12);
        const GPUArray<float> block = to_gpu(x, Shape{150, vectors});
        for (const Format format : {Format::csr, Format::dia, Format::coo}) {
            const GPUArray<float> y = host.on_device().to(format) * block;
            CHECK(y.shape() == Shape{200, vectors});
            CHECK_SAME(host.times(x, vectors), y.get(), vectors, " vectors");
        }
        const GPUArray<float> y = zeros<float>({200, vectors});
        host.on_device().multiply_into(y, block, {.alpha = 2, .tuning = {.serial = 0}});
        CHECK_SAME(mapped(host.times(x, vectors), [](float v) { return 2 * v; }), y.get(), vectors, " as on GPUs");
    }
    const auto none = scattered<float>(20, 15, 40, 1).on_device() * zeros<float>({15, 0});
    CHECK(none.shape() == Shape{20, 0});
}

TEST_CASE("sparse products with 64-bit indices are right") {
    for (const auto& [name, host] : special_matrices<float>()) {
        const sparse::Matrix<float> a = host.on_device({.wide_indices = true});
        CHECK(a.row_starts().dtype() == dtype_of<std::int64_t>());
        std::size_t turn = 0;
        for (const Format format : {Format::csr, Format::sell, Format::dia})
            if (!is_left_out(2, turn++)) check_products(name + " in 64 bits", host, a.to(format));
    }
}

TEST_CASE("packets keep entries outside their windows apart") {
    HostMatrix<float> host = banded<float>(2000, 200000, {0, 1, 5000}, 13);
    for (std::int64_t row = 0; row < 2000; row += 3) host.add(row, 199999 - row, 2);
    const sparse::Matrix<float> a = host.on_device().to(Format::packeted);
    CHECK(a.explain().find("667 entries outside the windows") != std::string::npos);
    check_products("far entries", host, a);
    check_products("far entries", host, a, {.serial = 0});
    HostMatrix<float> far{100, 200000};
    for (std::int64_t row = 0; row < 100; ++row) far.add(row, 199000, 1);
    check_products("far entries alone", far, far.on_device().to(Format::packeted));
}

TEST_CASE("sparse products take operands of any layout and results that are operands") {
    const HostMatrix<float> host = scattered<float>(120, 120, 700, 14);
    const std::vector<float> x = whole_values<float>(120, 15);
    const sparse::Matrix<float> a = host.on_device();
    const GPUArray<float> table = zeros<float>({120, 3}), line = table(slice(), 1);
    line.set(x);
    CHECK_SAME(host.times(x), (a * line).get(), "a strided operand");
    CHECK_SAME(host.times(x), (a * (line + 0.0f)).get(), "an expression");
    const GPUArray<float> shifted = placed<float>(x, 1);
    CHECK_SAME(host.times(x), (a * shifted).get(), "an operand that begins between vectors");
    const GPUArray<float> out = table(slice(), 2);
    a.multiply_into(out, line);
    CHECK_SAME(host.times(x), out.get(), "a strided result");
    a.multiply_into(shifted, shifted, {.alpha = 1, .beta = 1});
    CHECK_SAME(combined(host.times(x), 1.0f, x, 1.0f), shifted.get(), "a result that is the operand");
    const GPUArray<float> columns = to_gpu(x).reshape({2, 60}).transpose();
    const HostMatrix<float> narrow = scattered<float>(50, 60, 200, 16);
    CHECK_SAME(narrow.times(columns.copy(Order::C).get(), 2), (narrow.on_device() * columns).get(),
               "columns in F order");
}

TEST_CASE("sparse products do not spread NaN to rows without an entry for it") {
    const HostMatrix<float> host = banded<float>(300, 300, {-2, 0, 2}, 17);
    std::vector<float> x = whole_values<float>(300, 18);
    x[100] = NAN;
    std::vector<float> expected = host.times(x);
    for (const Format format : sparse_formats) {
        const std::vector<float> y = (host.on_device().to(format) * to_gpu(x)).get();
        for (std::size_t row = 0; row < 300; ++row)
            CHECK_MESSAGE(std::isnan(y[row]) <= (row == 98 || row == 100 || row == 102), "row ", row, " in ",
                          sparse::to_string(format));
    }
}

TEST_CASE("sparse products refuse operands that do not fit") {
    const sparse::Matrix<float> a = scattered<float>(4, 6, 5, 19).on_device();
    CHECK_THROWS_MENTIONING(ArgumentError, a * zeros<float>({4}), "multiply_into", "x has shape (4,)", "(6,)");
    CHECK_THROWS_MENTIONING(ArgumentError, a * zeros<float>({6, 2, 2}), "x has shape (6, 2, 2)");
    CHECK_THROWS_MENTIONING(ArgumentError, a.multiply_into(zeros<float>({5}), zeros<float>({6})), "y has shape (5,)");
    CHECK_THROWS_MENTIONING(ArgumentError, a.multiply_into(zeros<float>({4, 2}), zeros<float>({6, 3})),
                            "y needs the shape (4, 3)");
    CHECK_THROWS_MENTIONING(ArgumentError, a.multiply_into(zeros<float>({1}).broadcast_to({4}), zeros<float>({6})),
                            "repeats");
    CHECK_THROWS_MENTIONING(
        ArgumentError, a.multiply_into(zeros<float>({4}), zeros<float>({6}), {.tuning = {.width = 5}}), "width is 5");
    CHECK_THROWS_MENTIONING(ArgumentError, sparse::Matrix<float>() * zeros<float>({1}), "empty");
    CHECK((a * ones<float>({6})).size() == 4);
}

TEST_SUITE_END();
