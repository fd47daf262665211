/// Matrix products against plain host loops.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"
#include "matmul_support.hpp"

#include <random>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
void check_product(std::int64_t n, std::int64_t k, std::int64_t m) {
    INFO(dtype_of<T>().name(), ": ", n, " x ", k, " x ", m);
    const auto a = whole<T>({n, k}, 1), b = whole<T>({k, m}, 2);
    const auto c = matmul(a, b);
    CHECK(c.shape() == Shape{n, m});
    CHECK(c.get() == expected_product(a, b));
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("products of matrices of every kind of element") {
    check_product<bool>(9, 5, 7);
    check_product<std::int8_t>(33, 200, 17);
    check_product<std::int16_t>(17, 31, 66);
    check_product<std::uint8_t>(40, 33, 9);
    check_product<std::uint16_t>(5, 6, 70);
    check_product<std::int32_t>(64, 64, 64);
    check_product<std::uint32_t>(31, 65, 16);
    check_product<std::int64_t>(34, 20, 63);
    check_product<std::uint64_t>(3, 40, 65);
    check_product<half>(20, 30, 40);
    check_product<bfloat16>(4, 5, 6);
    check_product<float>(129, 70, 131);
    check_product<double>(65, 17, 33);
    check_product<cfloat>(20, 19, 18);
    check_product<cdouble>(34, 9, 35);
}

TEST_CASE("products are the same on every device") {
    const auto a = whole<float>({129, 70}, 1), b = whole<float>({70, 131}, 2);
    GEMEL_CHECK_COMPARISON(
        compare_backends([&](const Context& context) { return matmul(a.copy_to(context), b.copy_to(context)); },
                         {.reference = expected_product(a, b)}));
}

TEST_CASE("products of matrices of every extent") {
    for (const std::int64_t n : {1, 3, 4, 5, 63, 64, 65})
        for (const std::int64_t m : {1, 15, 16, 64, 67}) check_product<float>(n, 1 + n % 20, m);
    check_product<float>(1, 1000, 1);
    check_product<float>(300, 1, 300);
}

TEST_CASE("products of matrices of any layout") {
    const auto a = whole<float>({40, 50}, 3), b = whole<float>({50, 60}, 4);
    const auto expected = expected_product(a, b);
    CHECK(matmul(a.copy(Order::F), b).get() == expected);
    CHECK(matmul(a, b.copy(Order::F)).get() == expected);
    CHECK(matmul(b.transpose(), a.transpose()).transpose().get() == expected);
    const auto odd = slice(1, {}, 3), back = slice({}, {}, -1);
    const auto p = a(odd, back), q = b(back, odd);
    CHECK(matmul(p, q).get() == expected_product(p.copy(Order::C), q.copy(Order::C)));
    const auto repeated = whole<float>({50}, 5).broadcast_to({40, 50});
    CHECK(matmul(repeated, b).get() == expected_product(repeated.copy(Order::C), b));
}

TEST_CASE("vectors are rows on the left and columns on the right") {
    const auto a = whole<std::int32_t>({7, 5}, 6), v = whole<std::int32_t>({5}, 7), w = whole<std::int32_t>({7}, 8);
    CHECK(matmul(a, v).get() == expected_product(a, v.reshape({5, 1})));
    CHECK(matmul(a, v).shape() == Shape{7});
    CHECK(matmul(w, a).get() == expected_product(w.reshape({1, 7}), a));
    CHECK(matmul(w, a).shape() == Shape{5});
    CHECK(matmul(v, v).item() == expected_product(v.reshape({1, 5}), v.reshape({5, 1}))[0]);
    CHECK(matmul(v, v).shape() == Shape{});
    static_assert(std::is_same_v<decltype(matmul(v, v))::value_type, std::int32_t>);
    const auto stack = whole<std::int32_t>({3, 7, 5}, 9);
    CHECK(matmul(stack, v).shape() == Shape{3, 7});
    CHECK(matmul(stack, v)(2).get() == matmul(stack(2), v).get());
    CHECK(matmul(w, stack).shape() == Shape{3, 5});
    CHECK(matmul(w, stack)(1).get() == matmul(w, stack(1)).get());
    const auto bits = to_gpu(std::vector<bool>{true, true});
    CHECK(matmul(bits, bits).item());
    const auto h = full<half>({1000}, 0.1f);
    CHECK(float(matmul(h, h).item()) == doctest::Approx(10).epsilon(1e-3));
}

TEST_CASE("batches of matrices are broadcast") {
    const auto a = whole<double>({2, 3, 4, 5}, 10), b = whole<double>({3, 5, 6}, 11), one = whole<double>({5, 6}, 12);
    const auto c = matmul(a, b);
    CHECK(c.shape() == Shape{2, 3, 4, 6});
    const auto with_one = matmul(a, one), spread = matmul(a(0, slice(), newaxis), b(newaxis));
    CHECK(spread.shape() == Shape{3, 3, 4, 6});
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) {
            CHECK(c(i, j).get() == expected_product(a(i, j), b(j)));
            CHECK(with_one(i, j).get() == expected_product(a(i, j), one));
            CHECK(spread(i, j).get() == expected_product(a(0, i), b(j)));
        }
    const auto turned = a.permute({1, 0, 2, 3});
    CHECK(matmul(turned, b(slice(), newaxis))(2, 1).get() == expected_product(a(1, 2), b(2)));
}

TEST_CASE("operands of a product are promoted and may be expressions") {
    const auto i = whole<std::int32_t>({4, 5}, 13);
    const auto f = whole<float>({5, 3}, 14);
    static_assert(std::is_same_v<decltype(matmul(i, f))::value_type, double>);
    CHECK(matmul(i, f).get() == expected_product(i.astype<double>(), f.astype<double>()));
    CHECK(matmul(2 * f.transpose(), f + 1).get() == expected_product((2 * f.transpose()).eval(), (f + 1).eval()));
    const AnyArray any_i = i, any_f = f;
    CHECK(GPUArray<double>(matmul(any_i, any_f)).get() == matmul(i, f).get());
    CHECK(GPUArray<double>(matmul(any_i * 1, f)).get() == matmul(i, f).get());
}

TEST_CASE("products of nothing") {
    CHECK(matmul(empty<float>({3, 0}), empty<float>({0, 2})).get() == Values<float>(6, 0));
    CHECK(matmul(empty<float>({0, 3}), whole<float>({3, 2}, 1)).shape() == Shape{0, 2});
    CHECK(matmul(empty<float>({0, 2, 3}), whole<float>({3, 2}, 1)).shape() == Shape{0, 2, 2});
    CHECK(matmul(empty<float>({0}), empty<float>({0})).item() == 0);
}

TEST_CASE("matrices that do not fit are refused") {
    const auto a = counted<float>({2, 3}), one = counted<float>({1});
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, a), "(2, 3)", "last extent");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, one), "(1,)");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, one(0)), "at least one axis", "*");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(counted<float>({2, 2, 3}), counted<float>({4, 3, 3})), "broadcast");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(counted<float>({2, 2, 3}), counted<float>({4, 3, 1})), "matmul",
                            "(2, 2, 3)", "(4, 3, 1)", "batch axes");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(counted<float>({2, 1, 3}), counted<float>({4, 3, 2})), "matmul",
                            "(2, 1, 3)", "(4, 3, 2)", "batch axes");
    CHECK_THROWS_AS(matmul(a, GPUArray<float>()), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a, a.transpose(), {.epilogue = "value + before"}), "`before`",
                            "matmul_into");
}

TEST_CASE("one launch for a product and no compilation for other extents") {
    const Context context = current_context();
    const auto a = whole<float>({50, 60}, 1), b = whole<float>({60, 70}, 2);
    matmul(a, b);
    const Statistics before = context.statistics();
    matmul(a(slice(20)), b(slice(), slice(33)));
    const Statistics after = context.statistics();
    CHECK(after.launches - before.launches == 1);
    CHECK(after.compilations == before.compilations);
    // Operands whose type is known at run time only are not copied either.
    const AnyArray any_a = a, any_b = b, c = matmul(any_a, any_b);
    matmul_into(c, any_a, any_b);
    CHECK(context.statistics().launches - after.launches == 2);
}

TEST_CASE("the texts for every kind of device give the same") {
    const Context context = current_context();
    const std::int64_t n = 70, k = 37, m = 81;
    const auto check = [&]<class T>(T, const codegen::MatmulLayout& layout) {
        const auto a = whole<T>({2, n, k}, 1), b = whole<T>({2, k, m}, 2), c = empty<T>({2, n, m});
        const auto turned = a.copy(Order::F);
        const Kernel kernel =
            context.compile(codegen::matmul_source({.dtype = dtype_of<T>()}, layout, context.dialect()))
                .kernel("matmul");
        const auto tile = codegen::matmul_tile(dtype_of<T>(), layout);
        const std::int64_t across = (m + tile.columns - 1) / tile.columns, down = (n + tile.rows - 1) / tile.rows;
        const std::int64_t block = codegen::matmul_block(layout), none = 0, one = 1;
        kernel({.grid = {2 * across * down}, .block = {block}}, turned.buffer(), b.buffer(), c.buffer(), none,
               turned.strides()[0], turned.strides()[1], turned.strides()[2], none, b.strides()[0], b.strides()[1],
               b.strides()[2], none, n * m, m, one, n, m, k, across, down);
        INFO(dtype_of<T>().name(), layout.form == codegen::MatmulForm::serial ? " serial" : "", ", edge ", layout.edge);
        for (int i = 0; i < 2; ++i) CHECK(c(i).get() == expected_product(a(i).copy(Order::C), b(i)));
    };
    const std::uint32_t most = context.device().info().max_threads_per_block;
    for (const std::uint32_t edge : {4u, 8u, 16u}) {
        if (edge * edge > most) continue;
        for (const bool by_columns : {true, false}) {
            const codegen::MatmulLayout layout{.edge = edge, .a_by_columns = by_columns, .b_by_columns = by_columns};
            check(float(), layout);
            check(cdouble(), layout);
            check(std::int8_t(), layout);
            check(half(), layout);
            check(bool(), layout);
        }
    }
    check(double(), {.form = codegen::MatmulForm::serial});
    check(half(), {.form = codegen::MatmulForm::serial});
}

TEST_CASE("products with one row or column are those of matrices with more") {
    const auto check = [](const auto& a, const auto& b) {
        const AnyArray whole = matmul(AnyArray(a), AnyArray(b));
        const AnyArray column = matmul(AnyArray(a), AnyArray(b(ellipsis, slice(), slice(2, 3)))),
                       row = matmul(AnyArray(a(ellipsis, slice(1, 2), slice())), AnyArray(b)),
                       one = matmul(AnyArray(a(ellipsis, slice(1, 2), slice())),
                                    AnyArray(b(ellipsis, slice(), slice(2, 3))));
        CHECK(column.dtype() == whole.dtype());
        const auto same = [](const AnyArray& found, const AnyArray& expected) {
            CAPTURE(found.dtype().name());
            REQUIRE(found.shape() == expected.shape());
            CHECK(AnyArray(all(AnyExpr(found) == AnyExpr(expected))).item<bool>());
        };
        same(column, whole(ellipsis, slice(2, 3)));
        same(row, whole(ellipsis, slice(1, 2), slice()));
        same(one, whole(ellipsis, slice(1, 2), slice(2, 3)));
    };
    const GPUArray<std::int32_t> a = arange<std::int32_t>(2 * 5 * 7).reshape({2, 5, 7}) % 9 - 3,
                                 b = arange<std::int32_t>(7 * 4).reshape({7, 4}) % 5 - 2;
    const auto both = [&]<class T>() { check(GPUArray<T>(astype<T>(a)), GPUArray<T>(astype<T>(b))); };
    both.operator()<float>();
    both.operator()<half>();
    both.operator()<std::int8_t>();
    both.operator()<std::uint64_t>();
    both.operator()<cfloat>();
    if (default_device().info().has_double) both.operator()<double>();
    check(GPUArray<bool>(a > 2), GPUArray<bool>(b == 1));
    check(GPUArray<float>(astype<float>(a)), GPUArray<half>(astype<half>(b.copy(Order::F))));
    const GPUArray<float> none = matmul(zeros<float>({3, 0}), zeros<float>({0, 1}));
    CHECK(none.get() == std::vector<float>(3, 0));
}

TEST_SUITE_END();
