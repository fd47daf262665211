/// Eigen's matrices and maps to arrays and back.
#include "array_support.hpp"

#include <gemel/eigen.hpp>

using namespace gemel;
using gemel::testing::counted;

namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class M>
M numbered(Eigen::Index rows, Eigen::Index columns) {
    M m(rows, columns);
    for (Eigen::Index r = 0; r < rows; ++r)
        for (Eigen::Index c = 0; c < columns; ++c)
            m(r, c) = static_cast<typename M::Scalar>(static_cast<float>(r * columns + c));
    return m;
}

const std::vector<float> six{0, 1, 2, 3, 4, 5};

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("matrices become arrays in their own order") {
    const auto columns = to_gpu(numbered<Eigen::MatrixXf>(2, 3));
    CHECK(columns.shape() == Shape{2, 3});
    CHECK(columns.is_contiguous(Order::F));
    CHECK(columns.get() == six);
    const auto rows = to_gpu(numbered<RowMajor>(2, 3));
    CHECK(rows.is_contiguous());
    CHECK(rows.get() == six);
    CHECK(to_gpu(current_context(), numbered<Eigen::ArrayXXf>(2, 3)).get() == six);
    CHECK(to_gpu(numbered<Eigen::MatrixXcf>(2, 1)).get() == std::vector<cfloat>{0, 1});
    CHECK(to_gpu(Eigen::MatrixXf(0, 3)).shape() == Shape{0, 3});
}

TEST_CASE("vectors and blocks and maps and sums become arrays") {
    const Eigen::VectorXf v = Eigen::VectorXf::LinSpaced(6, 0, 5);
    CHECK(to_gpu(v).shape() == Shape{6});
    CHECK(to_gpu(v).get() == six);
    CHECK(to_gpu(v.transpose()).shape() == Shape{6});
    CHECK(to_gpu(v.segment(2, 3)).get() == std::vector<float>{2, 3, 4});
    const Eigen::MatrixXf m = numbered<Eigen::MatrixXf>(4, 5);
    CHECK(to_gpu(m.block(1, 2, 2, 3)).get() == std::vector<float>{7, 8, 9, 12, 13, 14});
    CHECK(to_gpu(m.row(2)).get() == std::vector<float>{10, 11, 12, 13, 14});
    CHECK(to_gpu((m + m).topLeftCorner(1, 3)).get() == std::vector<float>{0, 2, 4});
    CHECK(to_gpu(Eigen::MatrixXf(m.transpose())).get() == to_gpu(m).transpose().get());
    CHECK(to_gpu(m.transpose()).get() == to_gpu(m).transpose().get());
    const Eigen::Map<const RowMajor> map(six.data(), 3, 2);
    CHECK(to_gpu(map).get() == six);
}

TEST_CASE("arrays become matrices of either order") {
    const auto x = counted<float>({2, 3});
    CHECK(to_eigen<Eigen::MatrixXf>(x) == numbered<Eigen::MatrixXf>(2, 3));
    CHECK(to_eigen<RowMajor>(x) == numbered<RowMajor>(2, 3));
    CHECK(to_eigen<RowMajor>(x.transpose()) == numbered<RowMajor>(2, 3).transpose());
    CHECK(to_eigen<Eigen::MatrixXf>(x.copy(Order::F)(slice({}, {}, -1))) ==
          numbered<Eigen::MatrixXf>(2, 3).colwise().reverse());
    CHECK(to_eigen<Eigen::Matrix<float, 2, 3>>(x)(1, 2) == 5);
    CHECK(to_eigen<Eigen::VectorXf>(counted<float>({4}))(3) == 3);
    CHECK(to_eigen<Eigen::RowVectorXf>(counted<float>({4}))(3) == 3);
    CHECK(to_eigen<Eigen::MatrixXf>(counted<float>({4})).cols() == 1);
    CHECK(to_eigen<Eigen::VectorXf>(counted<float>({4, 1})).size() == 4);
    CHECK(to_eigen<Eigen::MatrixXf>(zeros<float>({0, 3})).cols() == 3);
    CHECK_THROWS_MENTIONING(ArgumentError, to_eigen<Eigen::Matrix2f>(x), "(2, 3)", "2 rows");
    CHECK_THROWS_AS(to_eigen<Eigen::VectorXf>(x), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, to_eigen<Eigen::MatrixXf>(counted<float>({2, 2, 2})), "(2, 2, 2)");
}

TEST_CASE("matrices of bools become arrays and come back") {
    using Truth = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;
    const Truth odd = numbered<Eigen::ArrayXXi>(2, 3).unaryExpr([](int k) { return k % 2 == 1; });
    CHECK(to_gpu(odd).get() == std::vector<std::uint8_t>{0, 1, 0, 1, 0, 1});
    CHECK(to_gpu(odd.col(1)).get() == std::vector<std::uint8_t>{1, 0});
    CHECK(to_gpu(odd.block(0, 1, 2, 2)).get() == std::vector<std::uint8_t>{1, 0, 0, 1});
    CHECK(to_gpu(numbered<Eigen::ArrayXXf>(2, 3) > 3.5f).get() == std::vector<std::uint8_t>{0, 0, 0, 0, 1, 1});
    CHECK((to_eigen<Truth>(to_gpu(odd)) == odd).all());
    Truth large = Truth::Constant(4, 4, false);
    to_gpu(odd).get(host_view(large.block(1, 1, 2, 3)));
    CHECK(large.count() == 3);
    CHECK(large(2, 3));
}

TEST_CASE("maps and blocks are read into and set from") {
    const auto x = counted<float>({2, 3});
    std::vector<float> memory(6);
    Eigen::Map<Eigen::MatrixXf> map(memory.data(), 2, 3);
    x.get(host_view(map));
    CHECK(memory == std::vector<float>{0, 3, 1, 4, 2, 5});
    Eigen::MatrixXf large = Eigen::MatrixXf::Zero(4, 4);
    x.get(host_view(large.block(1, 1, 2, 3)));
    CHECK(large(2, 3) == 5);
    CHECK(large.sum() == 15);
    x.set(host_view(large.block(0, 0, 2, 3)));
    CHECK(x.get() == std::vector<float>{0, 0, 0, 0, 0, 1});
    const Eigen::MatrixXf fixed = numbered<Eigen::MatrixXf>(2, 3);
    x.set(host_view(fixed));
    CHECK(x.get() == six);
    CHECK_THROWS_MENTIONING(ArgumentError, x.get(host_view(large)), "(4, 4)", "(2, 3)");
}

TEST_SUITE_END();
