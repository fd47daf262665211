/// Sparse matrices made, converted, combined, and refused.
#include "sparse_support.hpp"

using namespace gemel;
using namespace gemel::testing;
using sparse::Format;

namespace {

template <class T>
void check_equal(const std::string& what, const std::vector<T>& dense, const sparse::Matrix<T>& matrix) {
    CHECK_SAME(dense, matrix.to_dense().get(), what);
}

std::vector<float> product_of(const std::vector<float>& a, const std::vector<float>& b, std::size_t rows,
                              std::size_t inner, std::size_t columns) {
    std::vector<float> c(rows * columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < inner; ++k)
            for (std::size_t j = 0; j < columns; ++j) c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
    return c;
}

template <class T>
std::vector<T> transposed(const std::vector<T>& a, std::size_t rows, std::size_t columns) {
    std::vector<T> t(a.size());
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) t[j * rows + i] = a[i * columns + j];
    return t;
}

void check_vector(const std::string& what, std::int64_t offset, const std::vector<float>& expected,
                  const std::vector<float>& found) {
    CHECK_SAME(expected, found, what, " diagonal ", offset);
}

std::vector<std::int64_t> longs(const AnyArray& array) {
    return array.astype(dtype_of<std::int64_t>()).get<std::int64_t>();
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("triples become rows in order with duplicates added up") {
    const sparse::Matrix<float> a = sparse::coo<float>(
        {3, 4}, std::vector<int>{2, 0, 2, 0, 2}, std::vector<int>{3, 1, 0, 1, 3}, std::vector<float>{1, 2, 3, 4, 5});
    CHECK(a.nonzeros() == 3);
    CHECK(a.shape() == Shape{3, 4});
    CHECK(a.format() == Format::csr);
    CHECK(longs(a.row_starts()) == std::vector<std::int64_t>{0, 1, 1, 3});
    CHECK(longs(a.column_indices()) == std::vector<std::int64_t>{1, 0, 3});
    CHECK(longs(a.row_indices()) == std::vector<std::int64_t>{0, 2, 2});
    CHECK(a.values().get() == std::vector<float>{6, 3, 6});
}

TEST_CASE("sparse matrices of every shape keep their entries in every format") {
    for (const auto& [name, host] : special_matrices<float>()) {
        const sparse::Matrix<float> a = host.on_device();
        for (const Format format : sparse_formats) {
            const sparse::Matrix<float> b = a.to(format);
            check_equal(name + " in " + sparse::to_string(format), host.dense(), b);
            CHECK(b.nonzeros() == a.nonzeros());
            CHECK(b.format() != Format::automatic);
            check_equal(name + " back", host.dense(), b.to(Format::csr));
        }
        check_equal(name + " from dense", host.dense(), sparse::dense(a.to_dense()));
    }
}

TEST_CASE("sparse matrices come from arrays and ranges of any integers") {
    const HostMatrix<float> host = scattered<float>(60, 50, 300, 31);
    const std::vector<std::int64_t> rows(host.row_numbers.begin(), host.row_numbers.end());
    const std::vector<std::uint16_t> columns(host.column_numbers.begin(), host.column_numbers.end());
    check_equal("mixed ranges", host.dense(), sparse::coo<float>({60, 50}, rows, columns, host.values));
    check_equal("arrays", host.dense(),
                sparse::coo<float>({60, 50}, to_gpu(rows), to_gpu(columns), to_gpu(host.values)));
    check_equal("array and expression", host.dense(),
                sparse::coo<float>({60, 50}, to_gpu(host.row_numbers), to_gpu(host.column_numbers) + 0, host.values));
}

TEST_CASE("compressed rows and columns are taken sorted or not") {
    const HostMatrix<float> host = scattered<float>(80, 70, 500, 32);
    const sparse::Matrix<float> a = host.on_device();
    const GPUArray<float> values = a.values();
    const auto starts = longs(a.row_starts()), columns = longs(a.column_indices());
    check_equal("csr", host.dense(), sparse::csr<float>({80, 70}, starts, columns, values));
    check_equal("csc of the transposed", transposed(host.dense(), 80, 70),
                sparse::csc<float>({70, 80}, starts, columns, values));
    // Columns that descend within rows, and one that is there twice.
    const sparse::Matrix<float> b = sparse::csr<float>(
        {2, 5}, std::vector<int>{0, 3, 6}, std::vector<int>{4, 2, 2, 3, 1, 0}, std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(b.nonzeros() == 5);
    check_equal("unsorted", {0, 0, 5, 0, 1, 6, 5, 0, 4, 0}, b);
    check_equal("no rows", {},
                sparse::csr<float>({0, 3}, std::vector<int>{0}, std::vector<int>{}, std::vector<float>{}));
}

TEST_CASE("a matrix made from arrays does not share their memory") {
    const GPUArray<float> values = to_gpu(std::vector<float>{1, 2});
    const sparse::Matrix<float> a =
        sparse::csr<float>({2, 2}, std::vector<int>{0, 1, 2}, std::vector<int>{0, 1}, values);
    values.fill(9);
    check_equal("its own values", {1, 0, 0, 2}, a);
}

TEST_CASE("sparse matrices are refused before anything is made") {
    const std::vector<float> two{1, 2};
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::coo<float>({3, 4}, std::vector<int>{0, 3}, std::vector<int>{0, 1}, two),
                            "sparse::coo", "entry 1", "row 3", "column 1", "(3, 4)");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::coo<float>({3, 4}, std::vector<int>{-1, 0}, std::vector<int>{0, 1}, two), "entry 0",
                            "row -1");
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        sparse::coo<float>({3, 4}, std::vector<std::uint64_t>{0, ~std::uint64_t{0}}, std::vector<int>{0, 1}, two),
        "entry 1", "row 18446744073709551615");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::coo<float>({3, 4}, std::vector<int>{0, 1, 2}, std::vector<int>{0, 1}, two),
                            "3 rows, 2 columns and 2 values");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::coo<float>({0, 4}, std::vector<int>{0, 0}, std::vector<int>{0, 1}, two),
                            "outside the shape (0, 4)");
    CHECK_THROWS_MENTIONING(ArgumentError, sparse::coo<float>({4}, std::vector<int>{0, 0}, std::vector<int>{0, 1}, two),
                            "expected the shape (rows, columns)");
    CHECK_THROWS_MENTIONING(
        ArgumentError, sparse::coo<float>({3, -4}, std::vector<int>{0, 0}, std::vector<int>{0, 1}, two), "at least 0");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::csr<float>({2, 4}, std::vector<int>{0, 2}, std::vector<int>{0, 1}, two),
                            "sparse::csr", "expected 3 starts for 2 rows", "got 2");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::csr<float>({2, 4}, std::vector<int>{0, 3, 2}, std::vector<int>{0, 1}, two),
                            "starts 0 and 1 are 0 and 3", "ascend from 0 to 2");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::csr<float>({2, 4}, std::vector<int>{1, 1, 2}, std::vector<int>{0, 1}, two),
                            "starts 0 and 1 are 1 and 1");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::csc<float>({4, 2}, std::vector<int>{0, 1, 2}, std::vector<int>{0, 4}, two),
                            "sparse::csc", "entry 1", "number 4", "has 4");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            sparse::coo<float>({std::int64_t{1} << 40, std::int64_t{1} << 40}, std::vector<int>{0, 1},
                                               std::vector<int>{0, 1}, two),
                            "2^63");
    CHECK_THROWS_MENTIONING(ArgumentError, sparse::dense(zeros<float>({3})), "sparse::dense", "(3,)");
    CHECK_THROWS_MENTIONING(ArgumentError, sparse::Matrix<float>().shape(), "empty");
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        sparse::Matrix<double>(
            sparse::coo<float>({3, 4}, std::vector<int>{0, 1}, std::vector<int>{0, 1}, two).untyped()),
        "float", "double");
}

TEST_CASE("formats whose padding would be absurd are refused") {
    HostMatrix<float> host{200000, 200000};
    for (std::int64_t k = 0; k < 20000; ++k) host.add(0, k, 1);
    const sparse::Matrix<float> a = host.on_device();
    CHECK_THROWS_MENTIONING(ArgumentError, a.to(Format::ell), "Matrix::to", "ell", "4000000000");
    CHECK_THROWS_MENTIONING(ArgumentError, a.to(Format::dia), "dia");
    CHECK(a.to(Format::automatic).format() == Format::csr);
}

TEST_CASE("automatic takes diagonals where they are fewer bytes and says why") {
    const sparse::Matrix<float> bands =
        banded<float>(1000, 1000, {-10, -1, 0, 1, 10}, 33).on_device().to(Format::automatic);
    CHECK(bands.format() == Format::dia);
    CHECK(bands.explain().find("5 diagonals hold") != std::string::npos);
    const sparse::Matrix<float> random = scattered<float>(1000, 1000, 9000, 34).on_device().to(Format::automatic);
    CHECK(random.format() != Format::dia);
    CHECK(random.explain().find("diagonals would hold more") != std::string::npos);
    CHECK(random.to(Format::coo).explain().find("asked for") != std::string::npos);
}

TEST_CASE("a few entries in very many columns have diagonals too") {
    const auto make = [](std::int64_t columns) {
        return sparse::coo<float>({3, columns}, std::vector<std::int64_t>{0, 1, 1, 2},
                                  std::vector<std::int64_t>{columns - 3, 0, columns - 2, columns - 1},
                                  std::vector<float>{1, 2, 3, 4});
    };
    CHECK(make(1'000'000'000'000).to(Format::dia).explain().find("2 diagonals") != std::string::npos);
    CHECK(make(1'000'000'000'000).to(Format::automatic).nonzeros() == 4);
    const sparse::Matrix<float> bands = make(3'000'000).to(Format::dia);
    CHECK(GPUArray<float>(bands * full<float>({3'000'000}, 2.0f)).get() == std::vector<float>{2, 10, 8});
}

TEST_CASE("sparse matrices are transposed and give their diagonals") {
    for (const auto& [name, host] : special_matrices<float>()) {
        const sparse::Matrix<float> a = host.on_device(), t = a.transpose();
        CHECK(t.shape() == Shape{host.columns, host.rows});
        check_equal(
            name + " transposed",
            transposed(host.dense(), static_cast<std::size_t>(host.rows), static_cast<std::size_t>(host.columns)), t);
        const std::vector<float> dense = host.dense();
        for (const std::int64_t offset : {0, 1, -2, 5000}) {
            std::vector<float> expected;
            for (std::int64_t row = 0; row < host.rows; ++row)
                if (row + offset >= 0 && row + offset < host.columns)
                    expected.push_back(dense[static_cast<std::size_t>(row * host.columns + row + offset)]);
            check_vector(name, offset, expected, a.diagonal(offset).get());
        }
    }
}

TEST_CASE("sparse matrices are added and multiplied") {
    const HostMatrix<float> a = scattered<float>(90, 70, 400, 35), b = scattered<float>(90, 70, 300, 36),
                            c = scattered<float>(70, 110, 350, 37);
    const std::vector<float> left = a.dense(), right = b.dense();
    const sparse::Matrix<float> x = a.on_device(), y = b.on_device(), z = c.on_device();
    const auto sum = [](float p, float q) { return p + q; };
    const auto difference = [](float p, float q) { return p - q; };
    check_equal("sum", mapped(left, right, sum), x + y);
    check_equal("difference", mapped(left, right, difference), x - y);
    check_equal("product", product_of(left, c.dense(), 90, 70, 110), x * z);
    check_equal("in other formats", product_of(left, c.dense(), 90, 70, 110), x.to(Format::sell) * z.to(Format::dia));
    const sparse::Matrix<float> none = HostMatrix<float>{90, 70}.on_device();
    check_equal("sum with nothing", left, x + none);
    CHECK((none * z).nonzeros() == 0);
    CHECK((x + x).nonzeros() == x.nonzeros());
    CHECK_THROWS_MENTIONING(ArgumentError, x + z, "matrix + matrix", "(90, 70)", "(70, 110)");
    CHECK_THROWS_MENTIONING(ArgumentError, x * y, "matrix * matrix", "(90, 70)");
}

TEST_CASE("sparse matrices are scaled and keep their format") {
    const HostMatrix<float> host = banded<float>(60, 60, {-1, 0, 3}, 38);
    const std::vector<float> dense = host.dense(), factors = whole_values<float>(60, 39);
    const sparse::Matrix<float> a = host.on_device().to(Format::dia);
    check_equal("by a number", mapped(dense, [](float v) { return 3 * v; }), 3 * a);
    CHECK((a * 3.0f).format() == Format::dia);
    CHECK_SAME(mapped(host.times(factors), [](float v) { return -v; }), (-a * to_gpu(factors)).get(), "negated");
    std::vector<float> by_rows = dense, by_columns = dense;
    for (std::size_t k = 0; k < dense.size(); ++k) by_rows[k] *= factors[k / 60], by_columns[k] *= factors[k % 60];
    check_equal("by rows", by_rows, a.scale_rows(to_gpu(factors)));
    check_equal("by columns", by_columns, a.scale_columns(to_gpu(factors)));
    CHECK_THROWS_MENTIONING(ArgumentError, a.scale_rows(zeros<float>({3})), "scale_rows", "(60,)", "(3,)");
}

TEST_CASE("rows of sparse matrices are taken by slices and numbers") {
    const HostMatrix<float> host = scattered<float>(50, 40, 300, 40);
    const std::vector<float> dense = host.dense();
    const sparse::Matrix<float> a = host.on_device();
    const auto taken = [&](const std::vector<int>& rows) {
        std::vector<float> out;
        for (const int row : rows) out.insert(out.end(), dense.begin() + row * 40, dense.begin() + (row + 1) * 40);
        return out;
    };
    const std::vector<int> numbers{7, 49, 5, 7, 0};
    check_equal("numbers", taken(numbers), a.rows(to_gpu(numbers)));
    check_equal("slice", taken({10, 11, 12}), a.rows(slice(10, 13)));
    check_equal("backwards", taken({49, 39, 29, 19, 9}), a.rows(slice({}, {}, -10)));
    CHECK(a.rows(slice(3, 3)).shape() == Shape{0, 40});
    CHECK_THROWS_MENTIONING(ArgumentError, a.rows(to_gpu(std::vector<int>{3, 50})), "Matrix::rows", "row 50", "at 1",
                            "50");
}

TEST_CASE("matrices with 64-bit indices are combined as others are") {
    const HostMatrix<float> host = scattered<float>(50, 50, 300, 43);
    const std::vector<float> dense = host.dense();
    const sparse::Matrix<float> a = host.on_device({.wide_indices = true}), narrow = host.on_device();
    check_equal("transposed", transposed(dense, 50, 50), a.transpose());
    check_equal("sum of both widths", mapped(dense, [](float v) { return 2 * v; }), a + narrow);
    check_equal("product of both widths", product_of(dense, dense, 50, 50, 50), narrow * a);
    check_equal("rows", {dense.begin() + 500, dense.begin() + 600}, a.rows(slice(10, 12)));
    const GPUArray<int> order = arange<int>(49, -1, -1);
    check_equal("permuted", {dense.rbegin(), dense.rend()}, a.permute(order, order));
    CHECK(a.transpose().row_starts().dtype() == dtype_of<std::int64_t>());
    CHECK((a + narrow).column_indices().dtype() == dtype_of<std::int64_t>());
    CHECK(narrow.column_indices().dtype() == dtype_of<std::int32_t>());
}

TEST_CASE("products of matrices have rows of any number of products") {
    // On GPUs rows with few products are merged in shared memory; the giant row's are too many for it.
    const auto check = [](const char* name, const auto& left, const auto& right, bool wide) {
        const auto a = left.on_device({.wide_indices = wide}), b = right.on_device();
        check_equal(name, product_of(left.dense(), right.dense(), left.rows, left.columns, right.columns), a * b);
    };
    check("few", scattered<float>(300, 200, 900, 61), scattered<float>(200, 250, 700, 62), false);
    check("hundreds", scattered<float>(60, 300, 1200, 63), scattered<float>(300, 400, 6000, 64), false);
    check("wide indices", scattered<float>(60, 300, 1200, 65), scattered<float>(300, 400, 3000, 66), true);
    check("one giant", with_giant_row<float>(200, 2000, 77, 67), scattered<float>(2000, 300, 6000, 68), false);
    check("only a giant", with_giant_row<float>(1, 3000, 0, 69), scattered<float>(3000, 300, 9000, 70), false);
    check("none", scattered<float>(30, 20, 60, 71), HostMatrix<float>{20, 10}, false);
}

TEST_CASE("rows of entries are right in every tile") {
    const auto check = [](const char* name, const HostMatrix<float>& host, bool wide) {
        std::vector<std::int64_t> expected;
        for (const auto& [place, value] : host.entries()) expected.push_back(place.first);
        const AnyArray rows = host.on_device({.wide_indices = wide}).row_indices();
        CHECK_SAME(expected, rows.astype(dtype_of<std::int64_t>()).get<std::int64_t>(), name);
    };
    for (const bool wide : {false, true}) {
        check("short rows", scattered<float>(3000, 500, 9000, 81), wide);
        check("long rows", scattered<float>(30, 9000, 30 * 700, 85), wide);
        check("rows of several pieces", scattered<float>(5, 90000, 5 * 5000, 86), wide);
        check("a giant row", with_giant_row<float>(5000, 9000, 2500, 82), wide);
        check("many empty rows", scattered<float>(4000, 100, 700, 83), wide);
        check("more rows than entries", scattered<float>(4000, 100, 30, 84), wide);
    }
}

TEST_CASE("sparse matrices are permuted") {
    const HostMatrix<float> host = scattered<float>(30, 20, 150, 41);
    const std::vector<float> dense = host.dense();
    std::vector<int> rows = counting<int>(30), columns = counting<int>(20);
    std::mt19937 random(42);
    std::shuffle(rows.begin(), rows.end(), random);
    std::shuffle(columns.begin(), columns.end(), random);
    std::vector<float> expected;
    for (const int row : rows)
        for (const int column : columns) expected.push_back(dense[static_cast<std::size_t>(row * 20 + column)]);
    const sparse::Matrix<float> a = host.on_device();
    check_equal("permuted", expected, a.permute(to_gpu(rows), to_gpu(columns)));
    rows[0] = rows[1];
    CHECK_THROWS_MENTIONING(ArgumentError, a.permute(to_gpu(rows), to_gpu(columns)), "Matrix::permute", "rows",
                            "permutation");
    CHECK_THROWS_MENTIONING(ArgumentError, a.permute(to_gpu(columns), to_gpu(columns)), "(30,)");
}

TEST_SUITE_END();
