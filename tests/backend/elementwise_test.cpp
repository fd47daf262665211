/// ElementwiseKernel against plain host loops: sizes, offsets, types, layouts, what a snippet may do.
#include "generator_support.hpp"

#include <map>

using namespace gemel;
using namespace gemel::testing;

namespace science {
struct Mote {
    float mass;
    std::int16_t charge;
    double energy;
};
GEMEL_STRUCT(Mote, mass, charge, energy)
struct Force {
    float x, y;
    std::int32_t steps;
};
GEMEL_STRUCT(Force, x, y, steps)
}  // namespace science

namespace {

const std::array<codegen::Tuning, 3> tunings{
    codegen::Tuning{}, gpu_shaped,
    codegen::Tuning{.block = 32, .access_bytes = 8, .unroll = 1, .tile_block = 1, .tile_width = 4, .tile_rows = 2}};

/// y = y + a * x on small whole numbers, exact in every type, so that bits are compared.
template <class T>
void check_type(const char* operation, T (*host)(T a, T x, T y)) {
    const ElementwiseKernel update("T a, const T *x, T *y", operation, "update");
    for (const codegen::Tuning& tuning : tunings)
        for (const auto& [n, x_offset, y_offset] : {std::array<std::size_t, 3>{1001, 0, 0}, {1001, 1, 3}, {7, 2, 1}}) {
            const auto x = small_values<T>(n, 1), y = small_values<T>(n, 2);
            T a{};
            if constexpr (is_complex<T>)
                a = T(2, 1);
            else if constexpr (std::is_arithmetic_v<T> || SixteenBitFloat<T>)
                a = static_cast<T>(3.0f);
            const GPUArray<T> on_x = placed<T>(x, x_offset), on_y = placed<T>(y, y_offset);
            update({.tuning = tuning}, a, on_x, on_y);
            std::vector<HostElement<T>> expected(n);
            for (std::size_t i = 0; i < n; ++i)
                expected[i] = static_cast<HostElement<T>>(host(a, static_cast<T>(x[i]), static_cast<T>(y[i])));
            CHECK_SAME(expected, on_y.get(), dtype_of<T>().name(), " n=", n, " offsets ", x_offset, " ", y_offset, " ",
                       to_string(tuning));
        }
}

template <class T>
T update_integer(T a, T x, T y) {
    return static_cast<T>(static_cast<std::uint64_t>(y) +
                          static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(x));
}
template <class T>
T update_real(T a, T x, T y) {
    return static_cast<T>(static_cast<float>(y) + static_cast<float>(a) * static_cast<float>(x));
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("an element-wise kernel reaches every element and no other at each size and offset") {
    // Whole numbers below 2^24: float is exact.
    const ElementwiseKernel axpy("float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]", "axpy");
    const std::vector<std::array<std::size_t, 3>> offsets{{0, 0, 0}, {1, 1, 1}, {0, 1, 2},
                                                          {3, 2, 1}, {2, 2, 3}, {1, 0, 3}};
    for (const codegen::Tuning& tuning : tunings) {
        const std::size_t block = tuning.block ? tuning.block : 256;
        for (const std::size_t n :
             std::initializer_list<std::size_t>{0, 1, 2, 5, block - 1, block, block + 1, 4 * block + 3, 100003})
            for (const auto& [x_offset, y_offset, z_offset] : offsets) {
                if (n == 100003 && x_offset == 2) continue;
                const auto x = small_values<float>(n, 3), y = small_values<float>(n, 4);
                const auto on_x = placed<float>(x, x_offset), on_y = placed<float>(y, y_offset);
                const GPUArray<float> whole = full<float>(Shape{n + 8}, -1.0f);
                axpy({.tuning = tuning}, 2, on_x, on_y, whole(slice(z_offset, z_offset + n)));
                std::vector<float> expected(n + 8, -1.0f);
                for (std::size_t i = 0; i < n; ++i) expected[z_offset + i] = 2 * x[i] + y[i];
                CHECK_SAME(expected, whole.get(), "n=", n, " offsets ", x_offset, " ", y_offset, " ", z_offset, " ",
                           to_string(tuning));
            }
    }
}

TEST_CASE("element-wise kernels take every number type") {
    check_type<std::int8_t>("y[i] = y[i] + a * x[i]", update_integer);
    check_type<std::uint8_t>("y[i] = y[i] + a * x[i]", update_integer);
    check_type<std::int16_t>("y[i] = y[i] + a * x[i]", update_integer);
    check_type<std::uint16_t>("y[i] = y[i] + a * x[i]", update_integer);
    check_type<std::int32_t>("y[i] += a * x[i]", update_integer);
    check_type<std::uint32_t>("y[i] += a * x[i]", update_integer);
    check_type<std::int64_t>("y[i] += a * x[i]", update_integer);
    check_type<std::uint64_t>("y[i] += a * x[i]", update_integer);
    check_type<half>("y[i] = y[i] + a * x[i]", update_real);
    check_type<bfloat16>("y[i] += a * x[i]", update_real);
    check_type<float>("y[i] += a * x[i]", update_real);
    if (!lacks_double()) check_type<double>("y[i] += a * x[i]", update_real);
    check_type<bool>("y[i] = y[i] != (a && x[i])", [](bool a, bool x, bool y) { return y != (a && x); });
}

TEST_CASE("element-wise kernels take complex numbers and vectors and structs") {
    using cf = std::complex<float>;
    using cd = std::complex<double>;
    check_type<cf>("y[i] = c_add(y[i], c_mul(a, x[i]))", [](cf a, cf x, cf y) { return y + a * x; });
    if (!lacks_double())
        check_type<cd>("y[i] = c_add(y[i], c_mul(a, x[i]))", [](cd a, cd x, cd y) { return y + a * x; });
    const ElementwiseKernel blend("const float4 *x, float4 *y, float *w",
                                  "y[i].x += x[i].y; y[i].w = w[i]; w[i] = x[i].z");
    const ElementwiseKernel spread("const float4 *x, float4 *y", "y[i] = x[i]");
    const ElementwiseKernel heat("Mote *p, const float *by",
                                 "if (p[i].charge > 2) continue; p[i].energy += p[i].mass * by[i]; ++p[i].charge");
    for (const codegen::Tuning& tuning : tunings)
        for (const std::size_t n : {1, 65, 1000}) {
            std::vector<float4> x(n), y(n);
            std::vector<float> w(n);
            std::vector<science::Mote> motes(n);
            for (std::size_t i = 0; i < n; ++i) {
                const float f = static_cast<float>(i);
                x[i] = {f, f + 1, f + 2, f + 3};
                y[i] = {2 * f, -1, -2, -3};
                w[i] = 5 * f;
                motes[i] = {f, static_cast<std::int16_t>(i % 5), 0.5 * f};
            }
            const auto on_x = to_gpu(x), on_y = to_gpu(y);
            const auto on_w = placed<float>(w, 1);
            blend({.tuning = tuning}, on_x, on_y, on_w);
            for (std::size_t i = 0; i < n; ++i) {
                y[i].x += x[i].y;
                y[i].w = w[i];
                w[i] = x[i].z;
            }
            CHECK(on_y.get() == y);
            CHECK(on_w.get() == w);
            spread({.tuning = tuning}, on_x, on_y);
            CHECK(on_y.get() == x);
            if (!default_context().device().info().has_double) continue;
            const auto on_motes = to_gpu(motes);
            heat({.tuning = tuning}, on_motes, on_w);
            const auto heated = on_motes.get();
            int wrong = 0;
            for (std::size_t i = 0; i < n; ++i) {
                science::Mote expected = motes[i];
                if (expected.charge <= 2) expected.energy += expected.mass * w[i], ++expected.charge;
                wrong += expected.mass != heated[i].mass || expected.charge != heated[i].charge ||
                         expected.energy != heated[i].energy;
            }
            CHECK(wrong == 0);
        }
}

TEST_CASE("element-wise kernels take every mixture of layouts up to five axes") {
    // Whole numbers: exact.
    const ElementwiseKernel free("const int *x, const int *y, int *z", "z[i] = 3*x[i] - y[i]", "order_free");
    const ElementwiseKernel counted("const int *x, const int *y, int *z", "z[i] = 3*x[i] - y[i] + 100*i",
                                    "order_bound");
    for (const Shape& shape :
         {Shape{}, Shape{1}, Shape{37}, Shape{5, 7}, Shape{3, 1, 4}, Shape{4, 5, 6}, Shape{2, 3, 4, 5},
          Shape{2, 3, 1, 4, 3}, Shape{3, 0, 2}, Shape{40, 33}, Shape{2, 17, 20}})
        for (std::size_t k = 0; k < 36; ++k) {
            const Form x_form = forms[k % 6], y_form = forms[k / 6], z_form = forms[(k + k / 6) % 5];
            const std::size_t n = shape.count();
            GPUArray<std::int32_t> x, y, z;
            const auto xs = fill_in(x_form, shape, x, small_values<std::int32_t>(n, 1));
            const auto ys = fill_in(y_form, shape, y, small_values<std::int32_t>(n, 2));
            fill_in(z_form, shape, z, std::vector<std::int32_t>(n, -7));
            std::vector<std::int32_t> expected(n);
            const auto& tuning = tunings[k % 3];
            free({.tuning = tuning}, x, y, z);
            for (std::size_t i = 0; i < n; ++i) expected[i] = 3 * xs[i] - ys[i];
            CHECK_SAME(expected, z.get(), to_string(shape), " ", name_of(x_form), " ", name_of(y_form), " ",
                       name_of(z_form));
            counted({.tuning = tuning}, x, y, z);
            for (std::size_t i = 0; i < n; ++i) expected[i] += 100 * static_cast<std::int32_t>(i);
            CHECK_SAME(expected, z.get(), to_string(shape), " ", name_of(x_form), " ", name_of(y_form), " ",
                       name_of(z_form), " with i");
        }
}

TEST_CASE("more rows of tiles than a grid is high go along it") {
    const ElementwiseKernel add("const int *x, int *z", "z[i] = x[i] + i", "add");
    const std::int64_t rows = 140001;
    const auto wide = zeros<std::int32_t>({rows, 4}), z = zeros<std::int32_t>({rows, 3});
    add({.tuning = tunings[2]}, wide(slice(), slice(3)), z);
    CHECK(z.get() == counting<std::int32_t>(static_cast<std::size_t>(3 * rows)));
}

TEST_CASE("arrays of other shapes with as many elements meet in C order if they are contiguous") {
    const ElementwiseKernel add("const int *x, const int *y, int *z", "z[i] = x[i] + y[i]");
    const auto x = to_gpu(counting<std::int32_t>(24), Shape{2, 3, 4});
    const auto y = to_gpu(counting<std::int32_t>(24), Shape{24}), z = zeros<std::int32_t>(Shape{6, 4});
    add(x, y, z);
    std::vector<std::int32_t> expected(24);
    for (int i = 0; i < 24; ++i) expected[static_cast<std::size_t>(i)] = 2 * i;
    CHECK_SAME(expected, z.get(), "three shapes");
}

TEST_CASE("a snippet reads neighbours and gathers and counts by scattering") {
    const std::size_t n = 1003;
    const ElementwiseKernel smooth("const int *x, int *z",
                                   "z[i] = i == 0 || i == n - 1 ? x[i] : x[i-1] + 2*x[i] + x[i+1]", "smooth");
    const ElementwiseKernel gather("const int *x, const int *idx, int *z", "z[i] = x[idx[i]]", "gather");
    const ElementwiseKernel histogram("const int *x, int *bins", "atomic_add(&bins[x[i]], 1)", "histogram");
    const ElementwiseKernel backwards("const int *x, int *z", "z[n - 1 - i] = x[i]", "backwards");
    const auto x = small_values<std::int32_t>(n, 5);
    std::mt19937 random(6);
    std::vector<std::int32_t> where(n), expected(n), bins(8), reversed(x.rbegin(), x.rend());
    for (auto& w : where) w = static_cast<std::int32_t>(random() % n);
    for (const codegen::Tuning& tuning : tunings)
        for (const Form form : {Form::C, Form::reversed, Form::strided}) {
            GPUArray<std::int32_t> on_x, z, on_where;
            fill_in(form, Shape{n}, on_x, x);
            fill_in(form, Shape{n}, on_where, where);
            fill_in(form, Shape{n}, z, x);
            smooth({.tuning = tuning}, on_x, z);
            for (std::size_t i = 0; i < n; ++i)
                expected[i] = i == 0 || i == n - 1 ? x[i] : x[i - 1] + 2 * x[i] + x[i + 1];
            CHECK_SAME(expected, z.get(), "neighbours ", name_of(form), " ", to_string(tuning));
            gather({.tuning = tuning}, on_x, on_where, z);
            for (std::size_t i = 0; i < n; ++i) expected[i] = x[static_cast<std::size_t>(where[i])];
            CHECK_SAME(expected, z.get(), "gather ", name_of(form), " ", to_string(tuning));
            backwards({.tuning = tuning}, on_x, z);
            CHECK_SAME(reversed, z.get(), "backwards ", name_of(form), " ", to_string(tuning));
            const auto on_bins = zeros<std::int32_t>(Shape{8});
            histogram({.tuning = tuning}, on_x, on_bins);
            bins.assign(8, 0);
            for (const auto v : x) ++bins[static_cast<std::size_t>(v)];
            CHECK_SAME(bins, on_bins.get(), "bins ", name_of(form), " ", to_string(tuning));
        }
}

TEST_CASE("small types are scattered as the numbers that they are") {
    const ElementwiseKernel scatter("const int *to, const T *x, T *z", "z[to[i]] = x[i] * 2", "scatter");
    const std::vector<std::int32_t> to{3, 0, 2, 1};
    const auto check = [&]<class T>(T, const std::vector<HostElement<T>>& values,
                                    const std::vector<HostElement<T>>& expected) {
        const auto z = zeros<T>(4);
        scatter(to_gpu(to), to_gpu(values), z);
        CHECK(z.get() == expected);
    };
    const auto halves = [](auto... values) { return std::vector<half>{half(static_cast<float>(values))...}; };
    const auto bfloats = [](auto... values) { return std::vector<bfloat16>{bfloat16(static_cast<float>(values))...}; };
    check(half{}, halves(1, 2.5, -3, 4), halves(5, 8, -6, 2));
    check(bfloat16{}, bfloats(1, 2.5, -3, 4), bfloats(5, 8, -6, 2));
    check(std::int8_t{}, {1, 2, -3, 4}, {4, 8, -6, 2});
    // A bool is 0 or 1 in memory whatever is assigned.
    const auto flags = zeros<bool>(4);
    scatter(to_gpu(to), to_gpu(std::vector<std::uint8_t>{1, 0, 1, 0}).view_as<bool>(), flags);
    CHECK(flags.view_as<std::uint8_t>().get() == std::vector<std::uint8_t>{0, 0, 1, 1});
}

TEST_CASE("neighbours along a strided array of two axes are those of the flat index") {
    const ElementwiseKernel next("const int *x, int *z", "z[i] = i + 1 < n ? x[i + 1] : -1");
    for (const Form form : {Form::C, Form::F, Form::permuted, Form::reversed, Form::strided, Form::broadcast}) {
        GPUArray<std::int32_t> x;
        const auto xs = fill_in(form, Shape{6, 7}, x, counting<std::int32_t>(42));
        const GPUArray<std::int32_t> z(current_context(), Shape{6, 7});
        next(x, z);
        std::vector<std::int32_t> expected(xs.begin() + 1, xs.end());
        expected.push_back(-1);
        CHECK_SAME(expected, z.get(), name_of(form));
    }
}

TEST_CASE("a snippet has several outputs of several sizes") {
    const ElementwiseKernel split(
        "const float *x, int8_t *sign, double *square, float16_t *rough",
        "sign[i] = (x[i] > 0) - (x[i] < 0);\nsquare[i] = (double)x[i] * x[i]; rough[i] = x[i];");
    if (lacks_double()) return;
    for (const codegen::Tuning& tuning : tunings)
        for (const std::size_t offset : {0, 1, 3}) {
            const std::size_t n = 531;
            std::vector<float> x(n);
            for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 17) - 8.0f;
            const auto on_x = placed<float>(x, offset);
            const auto sign = placed<std::int8_t>(std::vector<std::int8_t>(n), offset + 1);
            const auto square = placed<double>(std::vector<double>(n), offset);
            const auto rough = placed<half>(std::vector<half>(n), 2 * offset + 1);
            split({.tuning = tuning}, on_x, sign, square, rough);
            std::vector<std::int8_t> signs(n);
            std::vector<double> squares(n);
            std::vector<half> halves(n);
            for (std::size_t i = 0; i < n; ++i) {
                signs[i] = static_cast<std::int8_t>((x[i] > 0) - (x[i] < 0));
                squares[i] = double(x[i]) * x[i];
                halves[i] = half(x[i]);
            }
            CHECK_SAME(signs, sign.get(), "sign");
            CHECK_SAME(squares, square.get(), "square");
            CHECK_SAME(halves, rough.get(), "rough");
        }
}

TEST_CASE("continue leaves an element as it is and loop hooks run once per thread") {
    const std::size_t n = 4099;
    const ElementwiseKernel odd("int *x, int *counts", "if (x[i] % 2 == 0) continue; x[i] = limit(x[i]); ++mine", "odd",
                                {.preamble = "WITHIN_KERNEL int limit(int v) { return v > 5 ? 5 : -v; }",
                                 .loop_prep = "int mine = 0;",
                                 .after_loop = "if (mine) atomic_add(&counts[0], mine); atomic_add(&counts[1], 1);"});
    for (const codegen::Tuning& tuning : tunings)
        for (const std::size_t offset : {0, 3}) {
            std::vector<std::int32_t> x = small_values<std::int32_t>(n, 8);
            const auto on_x = placed<std::int32_t>(x, offset);
            const auto counts = zeros<std::int32_t>(Shape{2});
            odd({.tuning = tuning}, on_x, counts);
            std::int32_t count = 0;
            for (auto& v : x)
                if (v % 2) v = v > 5 ? 5 : -v, ++count;
            CHECK_SAME(x, on_x.get(), to_string(tuning), " offset ", offset);
            CHECK(counts.get()[0] == count);
            CHECK(counts.get()[1] > 0);
        }
}

TEST_CASE("a range touches the elements that Python's would") {
    const ElementwiseKernel mark("int *x, int by", "x[i] = 10*i + by", "mark");
    struct Range {
        IndexRange range;
        std::vector<int> touched;
    };
    for (const Range& r :
         {Range{{.start = 0}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, Range{{.start = 3}, {3, 4, 5, 6, 7, 8, 9}},
          Range{{.start = 1, .stop = 8, .step = 3}, {1, 4, 7}},
          Range{{.start = 9, .step = -1}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
          Range{{.start = 8, .stop = 1, .step = -3}, {8, 5, 2}}, Range{{.start = 4, .stop = 4}, {}},
          Range{{.start = 5, .stop = 2}, {}}})
        for (const Form form : {Form::C, Form::strided, Form::reversed})
            for (const codegen::Tuning& tuning : tunings) {
                GPUArray<std::int32_t> x;
                std::vector<std::int32_t> expected = fill_in(form, Shape{10}, x, std::vector<std::int32_t>(10, -1));
                mark({.range = r.range, .tuning = tuning}, x, 3);
                for (const int i : r.touched) expected[static_cast<std::size_t>(i)] = 10 * i + 3;
                CHECK_SAME(expected, x.get(), r.range.start, " step ", r.range.step, " ", name_of(form));
            }
    const auto x = zeros<std::int32_t>(Shape{10});
    CHECK_THROWS_MENTIONING(ArgumentError, mark({.range = IndexRange{.start = 0, .stop = 11}}, x, 3), "mark", "10",
                            "range");
    CHECK_THROWS_MENTIONING(ArgumentError, mark({.range = IndexRange{.start = -1}}, x, 3), "-1", "range");
    CHECK_THROWS_MENTIONING(ArgumentError, mark({.range = IndexRange{.step = 0}}, x, 3), "step", "0");
}

TEST_CASE("open types are bound by each call") {
    const ElementwiseKernel convert("const T *x, U *y, T a", "y[i] = x[i] + a", "convert");
    const auto x = to_gpu(std::vector<std::int32_t>{1, 2, 3});
    const GPUArray<double> y(current_context(), Shape{3});
    const GPUArray<std::uint8_t> z(current_context(), Shape{3});
    const GPUArray<half> h(current_context(), Shape{3});
    convert(x, z, 4);
    CHECK(z.get() == std::vector<std::uint8_t>{5, 6, 7});
    convert(x, h, 1);
    CHECK(h.get() == std::vector<half>{half(2.0f), half(3.0f), half(4.0f)});
    convert(h, x, 0.5);  // truncated towards zero, as C does
    CHECK(x.get() == std::vector<std::int32_t>{2, 3, 4});
    if (default_context().device().info().has_double) {
        convert(x, y, 2);
        CHECK(y.get() == std::vector<double>{4, 5, 6});
    }
    const ElementwiseKernel scale("T a, T *x", "x[i] = a * x[i]", "scale_open");
    CHECK_THROWS_MENTIONING(ArgumentError, scale(0.5, x), "argument 1 (a)", "int32_t", "cannot hold");
    scale(2.0, x);  // the array says what T is
    CHECK(x.get() == std::vector<std::int32_t>{4, 6, 8});
    const ElementwiseKernel same("const T *x, T *y", "y[i] = x[i]", "same");
    CHECK_THROWS_MENTIONING(ArgumentError, same(x, z), "same", "argument 2 (y)", "T", "uint8_t", "int32_t");
    const GPUArray<std::int32_t> copy(current_context(), Shape{3});
    same(x, copy);
    CHECK(copy.get() == x.get());
}

TEST_CASE("open types of many arguments are told apart to the last") {
    // Thirty arrays of one type and one of another: the kind of call depends on that last one.
    std::string declarations, sum = "last[i] = first[i]";
    for (int k = 0; k < 30; ++k) declarations += text("const T *x", k, ", "), sum += text(" + x", k, "[i]");
    const ElementwiseKernel kernel(declarations + "const T *first, U *last", sum, "many");
    const auto x = to_gpu(std::vector<std::int32_t>{1, 2, 300});
    const GPUArray<std::int32_t> wide = zeros<std::int32_t>(Shape{3});
    const GPUArray<std::int16_t> narrow = zeros<std::int16_t>(Shape{3});
    const AnyArray on_wide = wide, on_narrow = narrow, on_x = x;
    std::vector<CallArgument> arguments(31, CallArgument(on_x));
    arguments.emplace_back(on_wide);
    kernel.run({}, arguments);
    arguments.back() = CallArgument(on_narrow);
    kernel.run({}, arguments);
    CHECK(wide.get() == std::vector<std::int32_t>{31, 62, 9300});
    CHECK(narrow.get() == std::vector<std::int16_t>{31, 62, 9300});
}

TEST_CASE("structs are passed by value") {
    const ElementwiseKernel push("const Force *f_unused, Force f, float *x, float *y",
                                 "x[i] += f.x * f.steps; y[i] += f.y", "push");
    const auto unused = to_gpu(std::vector<science::Force>{{0, 0, 0}});
    const auto x = to_gpu(std::vector<float>{1, 2, 3}), y = to_gpu(std::vector<float>{4, 5, 6});
    push(unused, science::Force{2, 10, 3}, x, y);
    CHECK(x.get() == std::vector<float>{7, 8, 9});
    CHECK(y.get() == std::vector<float>{14, 15, 16});
    const ElementwiseKernel shove("Force f, float *x", "x[i] = f.steps", "shove");
    shove(science::Force{0, 0, 42}, x);
    CHECK(x.get() == std::vector<float>{42, 42, 42});
}

TEST_CASE("values become their declared type where nothing is lost") {
    const ElementwiseKernel set("int8_t a, uint8_t b, bool c, float16_t d, double e, int64_t *x",
                                "x[i] = a + 1000*b + c + (int64_t)(8*d) + (int64_t)(e)", "set");
    if (lacks_double()) return;
    const auto x = zeros<std::int64_t>(Shape{1});
    set(-5, 255u, 1, 0.5, 1e6f, x);
    CHECK(x.item() == -5 + 255000 + 1 + 4 + 1000000);
    set(127.0, std::int64_t{0}, false, 2, true, x);
    CHECK(x.item() == 127 + 16 + 1);
    CHECK_THROWS_MENTIONING(ArgumentError, set(128, 0, 0, 0, 0, x), "argument 1 (a)", "int8_t", "cannot hold", "128");
    CHECK_THROWS_MENTIONING(ArgumentError, set(0, -1, 0, 0, 0, x), "argument 2 (b)", "uint8_t", "-1");
    CHECK_THROWS_MENTIONING(ArgumentError, set(2.5, 0, 0, 0, 0, x), "argument 1 (a)", "2.5");
    CHECK_THROWS_MENTIONING(ArgumentError, set(0, 0, 2, 0, 0, x), "argument 3 (c)", "bool");
    CHECK_THROWS_MENTIONING(ArgumentError, set(0, 0, 0, 70000, 0, x), "argument 4 (d)", "float16_t");
    CHECK_THROWS_MENTIONING(ArgumentError, set(0, 0, 0, 0, std::complex<float>(1, 2), x), "argument 5 (e)", "double");
    CHECK_THROWS_MENTIONING(ArgumentError, set(0, 0, 0, 0, (std::int64_t{1} << 60) + 1, x), "argument 5 (e)",
                            "cannot hold");
    set(0, 0, 0, 0, 0, x);
    CHECK(x.item() == 0);
}

TEST_CASE("arguments that do not fit are refused by name and the kernel stays usable") {
    const ElementwiseKernel axpy("float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]", "axpy");
    const Context context = current_context();
    const auto x = full<float>(Shape{1000}, 1), y = full<float>(Shape{1000}, 2), z = zeros<float>(Shape{1000});
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, x, y), "ElementwiseKernel 'axpy'", "expected 4 arguments, got 3",
                            "const float *x");
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, x.astype<std::int32_t>(), y, z), "argument 2 (x)", "const float *x",
                            "int32_t", "astype");
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, x, y(slice(999)), z), "argument 3 (y) has 999 elements", "1000");
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(x, x, y, z), "argument 1 (a)", "a value, but got an array");
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, 2, y, z), "argument 2 (x)", "but got a value");
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, x.buffer(), y, z), "argument 2 (x)", "Buffer", "GPUArray");
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, GPUArray<float>(), y, z), "argument 2 (x)", "empty handle");
    const auto square = zeros<float>(Shape{20, 50});
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, x, square.transpose(), z), "argument 3 (y)", "(50, 20)", "(1000,)",
                            "contiguous");
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, x, y, zeros<float>(Shape{1}).broadcast_to({1000})), "argument 4 (z)",
                            "broadcast", "copy()");
    const Context other(context.device());
    const auto foreign = full<float>(other, Shape{1000}, 2);
    CHECK_THROWS_MENTIONING(ArgumentError, axpy(1, x, foreign, z), "axpy", "context", "y");
    axpy(3, x, y, z);
    CHECK(z.get() == std::vector<float>(1000, 5.0f));
}

TEST_CASE("arrays that share memory are refused only where the order of threads would show") {
    const ElementwiseKernel move("const float *x, float *z", "z[i] = x[i] + 1", "move");
    const ElementwiseKernel shift("const float *x, float *z", "z[i] = i ? x[i - 1] : 0", "shift");
    const auto values = counting<float>(64);
    const auto a = to_gpu(values);
    const auto refused = {"move", "argument 2 (z)", "shares memory", "argument 1 (x)", "copy()"};
    const std::string message = message_of<ArgumentError>([&] { move(a(slice(0, 32)), a(slice(1, 33))); });
    for (const char* word : refused) CHECK_MESSAGE(message.find(word) != std::string::npos, message);
    CHECK_THROWS_MENTIONING(ArgumentError, move(a(slice({}, {}, -1)), a), "shares memory");
    CHECK_THROWS_MENTIONING(ArgumentError, shift(a, a), "shift", "shares memory");
    CHECK_THROWS_MENTIONING(ArgumentError, move(a.reshape({8, 8}).transpose(), a.reshape({8, 8})), "shares memory");
    CHECK(a.get() == values);
    for (const codegen::Tuning& tuning : tunings) {
        a.set(values);
        move({.tuning = tuning}, a, a);  // each thread reads its element before it writes it
        move({.tuning = tuning}, a(slice(0, {}, 2)), a(slice(1, {}, 2)));
        move({.tuning = tuning}, a(slice(0, 16)), a(slice(16, 32)));
        std::vector<float> expected(64);
        for (std::size_t i = 0; i < 64; ++i) expected[i] = values[i] + 1;
        for (std::size_t i = 0; i < 64; i += 2) expected[i + 1] = expected[i] + 1;
        for (std::size_t i = 0; i < 16; ++i) expected[16 + i] = expected[i] + 1;
        CHECK_SAME(expected, a.get(), to_string(tuning));
    }
}

TEST_CASE("what is written through one argument is what another that is the same array then reads") {
    const ElementwiseKernel steps("float *z, const float *x", "z[i] = x[i] + 1; z[i] = 10 * x[i] + z[i]", "steps");
    const ElementwiseKernel comma("float *z, const float *x", "z[i] = x[i] + 1, z[i] = 10 * x[i]", "comma");
    const ElementwiseKernel loop("float *z, const float *x", "for (int k = 0; k < 3; ++k) z[i] = x[i] + 1", "loop");
    const ElementwiseKernel both("float *z, float *x", "z[i] = 1; x[i] = 2", "both");
    const ElementwiseKernel halves("half *z, const half *x", "z[i] = x[i] + 1; z[i] = 10 * x[i]", "halves");
    const auto values = counting<float>(1001);
    for (const codegen::Tuning& tuning : tunings) {
        const auto check = [&](const ElementwiseKernel& kernel, float (*host)(float)) {
            std::vector<float> expected(values.size());
            std::transform(values.begin(), values.end(), expected.begin(), host);
            const auto a = to_gpu(values);
            kernel({.tuning = tuning}, a, a);
            CHECK_SAME(expected, a.get(), kernel.name(), " ", to_string(tuning));
        };
        check(steps, [](float x) { return 11 * (x + 1); });
        check(comma, [](float x) { return 10 * (x + 1); });
        check(loop, [](float x) { return x + 3; });
        check(both, [](float) { return 2.0f; });
    }
    // Halves are computed in registers whatever the layout.
    const auto h = zeros<half>(8);
    CHECK_THROWS_MENTIONING(ArgumentError, halves(h, h), "halves", "argument 1 (z)", "argument 2 (x)", "copy()");
    halves(h, zeros<half>(8));
    CHECK(h.get() == std::vector<half>(8, half(0.0f)));
}

TEST_CASE("what cannot be a kernel is refused when it is described") {
    using E = ElementwiseKernel;
    CHECK_THROWS_MENTIONING(ArgumentError, E("const float *x", "x[i] = 1", "f"), "'f'", "argument 1 (x)", "const");
    CHECK_THROWS_MENTIONING(ArgumentError, E("const float *x, float *z", "z[0] = ++x[i]"), "argument 1 (x)", "const");
    CHECK_THROWS_MENTIONING(ArgumentError, E("float *x", "x[i] = 1", "no name"), "no name", "identifier");
    CHECK_THROWS_MENTIONING(ArgumentError, E("float x", "x = 1"), "array");
    CHECK_THROWS_MENTIONING(ArgumentError, E("float *x, int i", "x[i] = 1"), "'i'", "index");
    CHECK_THROWS_MENTIONING(ArgumentError, E("float *x", "if (x[i] > 1) return; x[i] = 2"), "continue");
    const E unknown("const Unheard *p, float *x", "x[i] = p[i].y", "strange");
    CHECK_THROWS_MENTIONING(ArgumentError, unknown.source(Dialect::opencl()), "argument 1 (p)", "Unheard",
                            "no type of the kernel language");
    const auto x = zeros<float>(Shape{3});
    CHECK_THROWS_MENTIONING(ArgumentError, unknown(x, x), "argument 1 (p)", "Unheard", "float");
    const E broken("float *x", "x[i] = no_such_thing", "broken");
    for (int again = 0; again < 2; ++again) CHECK_THROWS_MENTIONING(CompileError, broken(x), "no_such_thing");
    const E fine("float *x", "x[i] = 4", "fine");
    fine(x);
    CHECK(x.get() == std::vector<float>(3, 4.0f));
}

TEST_CASE("a kind of call is compiled once") {
    const ElementwiseKernel scale("float a, float *x", text("x[i] = a * x[i] + ", 17), "scale_once");
    const Context context = current_context();
    const auto x = zeros<float>(Shape{100}), y = zeros<float>(Shape{77}),
               z = zeros<float>(Shape{100, 100})(slice(), slice(3, 9));
    const auto built = [&] {
        const Statistics s = context.statistics();
        return s.compilations + s.disk_hits + s.memory_hits;
    };
    const auto before = built();
    scale(1, x);
    CHECK(built() == before + 1);
    scale(2, x);
    scale(3.5, y);
    const ElementwiseKernel same_handle = scale;
    same_handle(1, y(slice(0, 50)));
    CHECK(built() == before + 1);
    scale(1, z);
    CHECK(built() == before + 2);
    scale(2, z);
    CHECK(built() == before + 2);
}

TEST_CASE("a call without elements launches nothing") {
    const ElementwiseKernel scale("float a, float *x", "x[i] *= a", "scale_none");
    const Context context = current_context();
    const auto before = context.statistics().launches;
    scale(2, GPUArray<float>(context, Shape{0}));
    scale(2, GPUArray<float>(context, Shape{4, 0, 3}));
    scale({.range = IndexRange{.start = 2, .stop = 2}}, 2, full<float>(Shape{3}, 1));
    CHECK(context.statistics().launches <= before + 1);  // that of the fill
}

TEST_CASE("texts with 64-bit indices give the same results") {
    const Context context = current_context();
    using enum codegen::Access;
    const codegen::ElementwiseRequest request{.name = "wide",
                                              .arguments = parse_declarations("float a, const float *x, float *z"),
                                              .operation = codegen::Snippet("z[i] = a*x[i] + i")};
    const std::int64_t n = 1001;
    const auto xs = small_values<float>(static_cast<std::size_t>(n), 9);
    std::vector<float> expected(xs.size());
    for (std::size_t i = 0; i < xs.size(); ++i) expected[i] = 2 * xs[i] + static_cast<float>(i);
    const auto launch = [&](const codegen::KernelLayout& layout, std::size_t per_thread, const GPUArray<float>& x,
                            const GPUArray<float>& z, auto... sizes) {
        const Kernel kernel =
            context.compile(PlainText{codegen::elementwise_source(request, layout, gpu_shaped, context.dialect())})
                .kernel("wide");
        const std::size_t per_block = 64 * 2 * per_thread;
        const std::array arguments{as_argument(2.0f), as_argument(x.buffer()), as_argument(z.buffer()),
                                   as_argument(sizes)...};
        kernel.launch({.grid = {(xs.size() + per_block - 1) / per_block}, .block = {64}}, arguments);
    };
    const auto x = to_gpu(xs), z = zeros<float>(x.shape());
    launch({.arguments = {{none}, {packed}, {packed}}, .wide_index = true}, 4, x, z, n, std::int64_t{0});
    CHECK_SAME(expected, z.get(), "packed");
    z.fill(0);
    launch({.arguments = {{none}, {linear}, {linear}}, .wide_index = true}, 1, x, z, n);
    CHECK_SAME(expected, z.get(), "linear");
    z.fill(0);
    launch({.arguments = {{none}, {linear}, {linear}}, .wide_index = true, .sliced = true}, 1, x, z, n, n, n - 1,
           std::int64_t{-1});
    CHECK_SAME(expected, z.get(), "sliced");
    // x transposed: a (143, 7) array seen as (7, 143).
    const std::array<std::int64_t, 6> steps{7, 143, 1, 7, 143, 1};
    Argument layout;
    layout.kind = Argument::Kind::structure;
    layout.data = steps.data();
    layout.bytes = sizeof steps;
    const Kernel kernel = context
                              .compile(PlainText{codegen::elementwise_source(
                                  request, {.arguments = {{none}, {strided}, {strided}}, .rank = 2, .wide_index = true},
                                  gpu_shaped, context.dialect())})
                              .kernel("wide");
    const std::array arguments{as_argument(2.0f), as_argument(x.buffer()), as_argument(z.buffer()), layout,
                               as_argument(n)};
    kernel.launch({.grid = {8}, .block = {64}}, arguments);
    for (std::size_t i = 0; i < xs.size(); ++i) expected[i] = 2 * xs[i / 143 + i % 143 * 7] + static_cast<float>(i);
    CHECK_SAME(expected, z.get(), "strided");
}

TEST_SUITE_END();
