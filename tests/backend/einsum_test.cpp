/// Contractions by subscripts, against plain host loops; tests/numpy_grid/numpy_dense.py compares hundreds with NumPy.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"

#include <complex>
#include <functional>
#include <random>
#include <type_traits>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Small whole numbers, of which sums are exact.
template <class T>
GPUArray<T> whole(const Shape& shape, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<HostElement<T>> values(shape.count());
    for (auto& value : values) {
        if constexpr (is_complex<T>) {
            value = T(static_cast<float>(random() % 7) - 3, static_cast<float>(random() % 5) - 2);
        } else {
            value = static_cast<HostElement<T>>(static_cast<float>(random() % 7) - 3);
        }
    }
    GPUArray<T> array(current_context(), shape);
    array.set(values);
    return array;
}

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "nothing was refused";
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("einsum of two matrices is their product") {
    const auto a = whole<float>({40, 50}, 1), b = whole<float>({50, 30}, 2);
    const auto c = einsum("ij,jk->ik", a, b);
    static_assert(std::is_same_v<decltype(c), const GPUArray<float>>);
    CHECK(c.get() == matmul(a, b).get());
    CHECK(einsum("ij,jk", a, b).get() == c.get());
    CHECK(einsum("jk,ij", b, a).get() == c.get());
    CHECK(einsum(" i j , jk -> k i ", a, b).get() == c.transpose().copy(Order::C).get());
    CHECK(einsum("ji,kj->ik", a.transpose(), b.transpose()).get() == c.get());
}

TEST_CASE("einsum of several matrices is their product in every order") {
    const auto a = whole<std::int32_t>({7, 20}, 1), b = whole<std::int32_t>({20, 3}, 2),
               c = whole<std::int32_t>({3, 30}, 3), d = whole<std::int32_t>({30, 4}, 4);
    const auto expected = matmul(matmul(a, b), matmul(c, d)).get();
    for (const EinsumOrder order :
         {EinsumOrder::automatic, EinsumOrder::optimal, EinsumOrder::greedy, EinsumOrder::left_to_right})
        CHECK(einsum("ij,jk,kl,lm->im", {.order = order}, a, b, c, d).get() == expected);
}

TEST_CASE("einsum leaves batches and axes without names in front") {
    const auto a = whole<float>({3, 17, 20}, 1), b = whole<float>({19, 20}, 2), v = whole<float>({3, 20}, 3);
    const auto expected = matmul(a, b.transpose());
    CHECK(einsum("rij,ej->rie", a, b).get() == expected.get());
    CHECK(einsum("rij,ej->rei", a, b).get() == expected.permute({0, 2, 1}).copy(Order::C).get());
    CHECK(einsum("rij,ej->eri", a, b).get() == expected.permute({2, 0, 1}).copy(Order::C).get());
    CHECK(einsum("...ij,ej", a, b).get() == expected.permute({0, 2, 1}).copy(Order::C).get());
    CHECK(einsum("...j,...j", b, v(0)).shape() == Shape{19});
    CHECK(einsum("bij,bj->bi", a, v).get() == sum(a * v(slice(), newaxis), 2).get());
    const auto swapped = einsum("...ij->...ji", a);
    CHECK(swapped.is_view_of(a));
    CHECK(swapped.shape() == Shape{3, 20, 17});
}

TEST_CASE("einsum of one operand transposes and sums and takes diagonals") {
    const auto a = whole<std::int32_t>({5, 5}, 1), cube = whole<std::int32_t>({4, 5, 4}, 2);
    CHECK(einsum("ij", a).get() == a.get());
    CHECK(einsum("ji", a).get() == a.transpose().copy(Order::C).get());
    CHECK(einsum("ba", a).get() == a.transpose().copy(Order::C).get());
    CHECK(einsum("ii->i", a).is_view_of(a));
    CHECK(einsum("ii->i", a).get() == a.diagonal().get());
    // What is summed is new, also along an axis of one element.
    const auto column = whole<std::int32_t>({5, 1}, 3), single = whole<std::int32_t>({1, 1}, 4);
    CHECK_FALSE(einsum("ij->i", column).is_view_of(column));
    CHECK(einsum("ij->i", column).get() == column.get());
    CHECK_FALSE(einsum("ii", single).is_view_of(single));
    CHECK(einsum("ij->ji", column).is_view_of(column));
    CHECK(einsum("ii", a).item() == sum(a.diagonal()).item());
    CHECK(einsum("ij->", a).item() == sum(a).item());
    CHECK(einsum("ij->j", a).get() == sum<std::int32_t>(a, 0).get());
    CHECK(einsum("iji->j", cube).get() == sum<std::int32_t>(cube.diagonal(0, 0, 2), 1).get());
}

TEST_CASE("einsum of vectors is an inner or an outer product") {
    const auto x = whole<float>({100}, 1), y = whole<float>({100}, 2), z = whole<float>({7}, 3);
    CHECK(einsum("i,i", x, y).item() == sum(x * y).item());
    CHECK(einsum("i,i->i", x, y).get() == (x * y).get());
    CHECK(einsum("i,j->ji", x, z).get() == (z(slice(), newaxis) * x).get());
    CHECK(einsum("i,i,i,j->ij", x, y, x, z).get() == ((x * y * x).eval()(slice(), newaxis) * z).get());
    CHECK(einsum(",i", full<float>({}, 2.0f), z).get() == (2.0f * z).get());
}

TEST_CASE("einsum repeats extents of 1 and sums nothing to zero") {
    const auto a = whole<double>({6, 1}, 1), b = whole<double>({5, 4}, 2);
    CHECK(einsum("ij,jk->ik", a, b).get() == (a * sum(b, 0)).get());
    CHECK(einsum("ij,jk->ijk", a, b).shape() == Shape{6, 5, 4});
    const auto none = einsum("ij,jk->ik", zeros<double>({3, 0}), zeros<double>({0, 2}));
    CHECK(none.get() == std::vector<double>(6, 0.0));
    CHECK(einsum("ij,jk->ik", zeros<double>({0, 3}), zeros<double>({3, 2})).shape() == Shape{0, 2});
    CHECK(einsum("i->", zeros<bool>({0})).item() == false);
}

TEST_CASE("einsum has the common type of its operands or the chosen one") {
    const auto a = whole<std::int8_t>({30, 40}, 1), b = whole<std::int8_t>({40, 20}, 2);
    static_assert(std::is_same_v<decltype(einsum("ij,jk", a, b)), GPUArray<std::int8_t>>);
    static_assert(std::is_same_v<decltype(einsum("ij,jk", a, zeros<float>({1, 1}))), GPUArray<float>>);
    CHECK(einsum<std::int32_t>("ij,jk", a, b).get() ==
          matmul(a.astype<std::int32_t>(), b.astype<std::int32_t>()).get());
    CHECK(einsum("ij,jk", a, b).get() == matmul(a, b).get());
    const AnyArray any = a;
    CHECK(einsum("ij,jk", any, b).get<std::int8_t>() == matmul(a, b).get());
    CHECK(einsum<float>("ij,jk", any, 2 * b).get() == matmul(a.astype<float>(), 2 * b.astype<float>()).get());
    const GPUArray<bool> p = a > 0, q = b > 0;
    CHECK(einsum("ij,jk", p, q).get() == matmul(p, q).get());
    const auto u = whole<cfloat>({9}, 5), v = whole<cfloat>({9}, 6);
    CHECK(einsum("i,i", u, v).item() == sum(u * v).item());
}

TEST_CASE("einsum's long sums of few results are reductions") {
    const auto a = whole<float>({20000, 3}, 1), b = whole<float>({20000, 2}, 2);
    CHECK(einsum("ki,kj->ij", a, b).get() == matmul(a.transpose(), b).get());
}

TEST_CASE("einsum_path prints the order and its cost") {
    const std::string path = einsum_path("ea,fb,abcd,gc,hd->efgh", Shape{10, 10}, Shape{10, 10}, Shape{10, 10, 10, 10},
                                         Shape{10, 10}, Shape{10, 10});
    CHECK(path.find("Complete contraction:  ea,fb,abcd,gc,hd->efgh\n") != std::string::npos);
    CHECK(path.find("Naive scaling:  8\n") != std::string::npos);
    CHECK(path.find("Optimized scaling:  5\n") != std::string::npos);
    CHECK(path.find("Naive FLOP count:  5.000e+08\n") != std::string::npos);
    CHECK(path.find("Optimized FLOP count:  8.000e+05\n") != std::string::npos);
    CHECK(path.find("Largest intermediate:  1.000e+04 elements\n") != std::string::npos);
    CHECK(path.find("\n   5               abcd,ea->bcde                      fb,gc,hd,bcde->efgh\n") !=
          std::string::npos);
    CHECK(path.ends_with("\n   5               defg,hd->efgh                               efgh->efgh"));
    CHECK(einsum_path("ij,jk", zeros<float>({2, 3}), zeros<float>({3, 2})).find("ij,jk->ik") != std::string::npos);
}

TEST_CASE("einsum refuses subscripts that do not fit") {
    const auto a = zeros<float>({2, 3}), b = zeros<float>({4, 5});
    CHECK(refusal([&] { einsum("ij,jk", a, b); }) ==
          "einsum: subscripts \"ij,jk\" give label 'j' the extent 3 in operand 1 and 4 in operand 2 of shape (4, 5); "
          "extents are equal, or one is 1");
    CHECK(refusal([&] { einsum("ij", a, b); }) ==
          "einsum: subscripts \"ij\" describe 1 operand, got 2; subscripts of operands have a ',' between them");
    CHECK(refusal([&] { einsum("ij,kl,m", a, b); }).find("describe 3 operands, got 2") != std::string::npos);
    CHECK(refusal([&] { einsum("i1", a); }) ==
          "einsum: subscripts \"i1\" have '1' at position 2; expected letters, ',', '...' and "
          "one '->'");
    CHECK(refusal([&] { einsum("i", a); }) ==
          "einsum: subscripts \"i\" name 1 axis of operand 1 of shape (2, 3); '...' stands for axes without a name");
    CHECK(refusal([&] { einsum("ijk", a); }).find("it has fewer") != std::string::npos);
    CHECK(refusal([&] { einsum("ij->ik", a); }).find("label 'k' after '->', which no operand has") !=
          std::string::npos);
    CHECK(refusal([&] { einsum("ij->ii", a); }).find("label 'i' twice after '->'") != std::string::npos);
    CHECK(refusal([&] { einsum("ii", a); }).find("label 'i' twice in operand 1 of shape (2, 3), of extents 2 and 3") !=
          std::string::npos);
    CHECK(refusal([&] { einsum("i...->i", a); }).find("no '...' after '->', although operands have 1 axis") !=
          std::string::npos);
    CHECK(refusal([&] { einsum("i...->i->", a); }).find("have '-'") != std::string::npos);
    CHECK(refusal([&] { einsum("...i...", a); }).find("second '...'") != std::string::npos);
    CHECK(refusal([&] { einsum("\u00e9", a); }).find("have the byte 195 at position 1") != std::string::npos);
    CHECK(refusal([&] { einsum("i.j", a); }).find("have '.' at position 2") != std::string::npos);
    CHECK(refusal([&] { einsum("ij", GPUArray<float>()); }) ==
          "einsum: operand 1 is an empty handle; assign an array to it first");
    CHECK(refusal([&] {
              einsum("i,i,i,i,i,i,i,i,i", a, a, a, a, a, a, a, a, a);
          }).find("expected 1 to 8 operands, got 9") != std::string::npos);
    CHECK(refusal([&] { einsum_path("ij,jk", a, b); }).starts_with("einsum_path: "));
    CHECK(einsum("ij->", a).item() == 0);
}

TEST_SUITE_END();
