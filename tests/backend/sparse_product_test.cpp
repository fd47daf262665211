/// Products of sparse matrices in every format, type and shape beside a plain host loop. Values are whole: no bit may
/// differ.
#include "sparse_support.hpp"

using namespace gemel;
using namespace gemel::testing;
using sparse::Format;
using sparse::ProductStrategy;
using sparse::ProductTuning;

namespace {

template <class T>
std::vector<T> combined(const std::vector<T>& product, T alpha, const std::vector<T>& y, T beta) {
    std::vector<T> out;
    for (std::size_t i = 0; i < product.size(); ++i) out.push_back(alpha * product[i] + beta * y[i]);
    return out;
}

/// Without the signs of zeros, which depend on the order of sums.
template <class T>
std::vector<T> unsigned_zeros(std::vector<T> values) {
    for (T& value : values) value += T(0);
    return values;
}

/// A x, and y = 2 A x - 3 y, of one matrix in its format.
template <class T>
void check_products(const std::string& name, const HostMatrix<T>& host, const sparse::Matrix<T>& a,
                    const ProductTuning& tuning = {}) {
    const std::vector<T> x = whole_values<T>(static_cast<std::size_t>(host.columns), 21),
                         y = whole_values<T>(static_cast<std::size_t>(host.rows), 22), product = host.times(x);
    const GPUArray<T> on_device = to_gpu(x), into = to_gpu(y);
    into.fill(NAN);
    a.multiply_into(into, on_device, {.tuning = tuning});
    CHECK_SAME(unsigned_zeros(product), unsigned_zeros(into.get()), name, " in ", sparse::to_string(a.format()), " of ",
               dtype_of<T>().name());
    into.set(y);
    a.multiply_into(into, on_device, {.alpha = T(2), .beta = T(-3), .tuning = tuning});
    CHECK_SAME(unsigned_zeros(combined(product, T(2), y, T(-3))), unsigned_zeros(into.get()), name, " in ",
               sparse::to_string(a.format()), " with alpha and beta");
}

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

TEST_CASE("sparse products are right by every strategy and any number of threads for each row") {
    for (const auto& [name, host] : special_matrices<float>()) {
        // Each number of entries for a thread is a text of its own.
        if (name != "square" && name != "banded" && name != "giant row") continue;
        const sparse::Matrix<float> a = host.on_device();
        for (const int serial : {0, 1})
            check_products(name + " by merging", host, a, {.strategy = ProductStrategy::merge, .serial = serial});
        check_products(name + " as a stream", host, a,
                       {.strategy = ProductStrategy::stream, .serial = 0, .block = name == "square" ? 32u : 256u});
        for (const std::uint32_t width : {1u, 4u, 32u})
            check_products(name + " by threads", host, a,
                           {.strategy = ProductStrategy::rows, .serial = 0, .width = width, .block = 64});
        for (const Format format : {Format::ell, Format::sell, Format::dia})
            check_products(name + " as on GPUs", host, a.to(format), {.serial = 0});
    }
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
                            "as many columns");
    CHECK_THROWS_MENTIONING(ArgumentError, a.multiply_into(zeros<float>({1}).broadcast_to({4}), zeros<float>({6})),
                            "repeats");
    CHECK_THROWS_MENTIONING(
        ArgumentError, a.multiply_into(zeros<float>({4}), zeros<float>({6}), {.tuning = {.width = 5}}), "width is 5");
    CHECK_THROWS_MENTIONING(ArgumentError, sparse::Matrix<float>() * zeros<float>({1}), "empty");
    CHECK((a * ones<float>({6})).size() == 4);
}

TEST_SUITE_END();
