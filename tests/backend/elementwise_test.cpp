/// ElementwiseKernel against plain host loops: sizes, offsets, types, layouts, what a snippet may do.
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

using namespace gemel;
using namespace gemel::testing;

namespace science {
struct Mote {
    float mass;
    std::int16_t charge;
    double energy;
};
GEMEL_STRUCT(Mote, mass, charge, energy)
}  // namespace science

namespace {

const std::array<AnyTuning, 3> tunings{
    AnyTuning{}, gpu_shaped,
    AnyTuning{.block = 32, .access_bytes = 8, .unroll = 1, .tile_block = 1, .tile_width = 4, .tile_rows = 2}};

/// Another number for each type.
std::size_t next_turn() {
    static std::size_t turn = 0;
    return turn++;
}

/// y = y + a * x on small whole numbers, exact in every type, so that bits are compared.
template <class T>
void check_type(const char* operation, T (*host)(T a, T x, T y)) {
    std::size_t choice = next_turn();
    const ElementwiseKernel update("T a, const T *x, T *y", operation, "update");
    for (const AnyTuning& tuning : tunings) {
        ++choice;
        for (const auto& [n, x_offset, y_offset] : {std::array<std::size_t, 3>{1001, 0, 0}, {1001, 1, 3}, {7, 2, 1}}) {
            if (is_left_out(3, choice++)) continue;
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
    for (const AnyTuning& tuning : tunings) {
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
    for (const AnyTuning& tuning : tunings)
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
    std::size_t shapes = 0;
    for (const Shape& shape :
         {Shape{}, Shape{1}, Shape{37}, Shape{5, 7}, Shape{3, 1, 4}, Shape{4, 5, 6}, Shape{2, 3, 4, 5},
          Shape{2, 3, 1, 4, 3}, Shape{3, 0, 2}, Shape{40, 33}, Shape{2, 17, 20}}) {
        ++shapes;
        for (std::size_t k = 0; k < 36; ++k) {
            if (is_left_out(6, shapes + k % 6 + k / 6)) continue;
            const Form x_form = forms[k % 6], y_form = forms[k / 6], z_form = forms[(k + k / 6) % 5];
            const std::size_t n = shape.count();
            GPUArray<std::int32_t> x, y, z;
            const auto xs = fill_in(x_form, shape, x, small_values<std::int32_t>(n, 1));
            const auto ys = fill_in(y_form, shape, y, small_values<std::int32_t>(n, 2));
            fill_in(z_form, shape, z, std::vector<std::int32_t>(n, -7));
            std::vector<std::int32_t> expected(n);
            const auto& tuning = tunings[k % 3];
            for (std::size_t i = 0; i < n; ++i) expected[i] = 3 * xs[i] - ys[i];
            if (!is_left_out(2, shapes + k)) {
                free({.tuning = tuning}, x, y, z);
                CHECK_SAME(expected, z.get(), to_string(shape), " ", name_of(x_form), " ", name_of(y_form), " ",
                           name_of(z_form));
            }
            if (is_left_out(2, shapes + k + 1)) continue;
            counted({.tuning = tuning}, x, y, z);
            for (std::size_t i = 0; i < n; ++i) expected[i] += 100 * static_cast<std::int32_t>(i);
            CHECK_SAME(expected, z.get(), to_string(shape), " ", name_of(x_form), " ", name_of(y_form), " ",
                       name_of(z_form), " with i");
        }
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
    for (const AnyTuning& tuning : tunings)
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
    for (const AnyTuning& tuning : tunings)
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
    for (const AnyTuning& tuning : tunings)
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

TEST_CASE("loop hooks touch elements of views and of short types as the snippet does") {
    const auto x = to_gpu(std::vector<float>{1, 2, 3, 4, 5, 6});
    const ElementwiseKernel ahead("const float *x, float *z", "z[i] = x[i] + s", "ahead",
                                  {.loop_prep = "float s = x[1];"});
    const auto z = zeros<float>(3);
    ahead(x(slice({}, {}, 2)), z);
    CHECK(z.get() == std::vector<float>{4, 6, 8});
    // Elements keep their order where a hook names one of them: x[1] is that of a transposed array.
    const ElementwiseKernel second("const float *x, float *z", "z[i] = s", "second", {.loop_prep = "float s = x[1]"});
    const auto columns = zeros<float>({3, 2}).transpose();
    second(x.reshape({3, 2}).transpose(), columns);
    CHECK(columns.get() == std::vector<float>(6, 3));

    const auto flags = zeros<bool>(6);
    const ElementwiseKernel after("bool *b", "b[i] = 1", "after", {.after_loop = "b[1] = 0;"});
    after(flags(slice({}, {}, 2)));
    CHECK(flags.get() == std::vector<std::uint8_t>{1, 0, 0, 0, 1, 0});
    const auto halves = to_gpu(std::vector<half>{half(1), half(2.5f)});
    const auto truth = zeros<bool>(2);
    const ElementwiseKernel shorts("const half *h, bool *b, float *z", "z[i] = s", "shorts",
                                   {.loop_prep = "float s = h[1]; b[1] = 2;"});
    shorts(halves, truth, z);
    CHECK(z.get() == std::vector<float>(3, 2.5f));
    CHECK(truth.get() == std::vector<std::uint8_t>{0, 1});

    CHECK_THROWS_MENTIONING(ArgumentError,
                            ElementwiseKernel("const float *x, float *z", "z[i] = 1", "k", {.after_loop = "x[0] = 1"}),
                            "'k'", "argument 1 (x)", "const");
    CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel("float *z", "z[i] = 1", "k", {.loop_prep = "z[i] = 1"}),
                            "'k'", "loop_prep uses i");
    const ElementwiseKernel shared("float *x, float *z", "z[i] = 1", "shared", {.after_loop = "x[0] = 1"});
    CHECK_THROWS_MENTIONING(ArgumentError, shared(x(slice(0, 4)), x(slice(2, 6))), "'shared'", "shares memory");
}

TEST_CASE("an element whose address is cast is updated in memory") {
    const ElementwiseKernel most("const int *v, float *z", "atomic_max((GLOBAL_MEM int *)&z[i], v[i])", "most");
    const auto v = to_gpu(std::vector<std::int32_t>(531, 0x40400000));
    for (const AnyTuning& tuning : tunings) {
        const auto z = zeros<float>(531);
        most({.tuning = tuning}, v, z);
        CHECK_SAME(std::vector<float>(531, 3), z.get(), to_string(tuning));
    }
    CHECK_THROWS_MENTIONING(ArgumentError, most(v, zeros<float>(1).broadcast_to({531})), "argument 2 (z)", "broadcast");
}

TEST_CASE("an element that only a loop's increment writes keeps its value where the loop does not run") {
    const ElementwiseKernel steps("const int *c, half *z", "for (int k = 0; k < c[i]; z[i] = k, ++k) ;", "steps");
    const auto c = to_gpu(std::vector<std::int32_t>{0, 1, 2, 0, 3});
    for (const AnyTuning& tuning : tunings) {
        const auto z = full<half>(5, half(7));
        steps({.tuning = tuning}, c, z);
        CHECK(z.get() == std::vector<half>{half(7), half(0), half(1), half(7), half(2)});
    }
}

TEST_CASE("a snippet that declares i is refused by each generator") {
    const char* const sum = "float s = 0; for (int i = 0; i < 3; ++i) s += x[i]; z[i] = s;";
    CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel("const float *x, float *z", sum, "sum"), "'sum'",
                            "declares a variable 'i'", "the element's index");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            ElementwiseKernel("float *z", "z[i] = s", "k", {.loop_prep = "float s = 0, i = 1;"}), "'k'",
                            "'i'");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            GenericScanKernel<float>({.arguments = "const float *x, float *z",
                                                      .input_expr = "x[i]",
                                                      .scan_expr = "a+b",
                                                      .output_statement = "for (int i = 0; i < 3; ++i) z[i] = item"}),
                            "ScanKernel", "'i'");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            ReductionKernel<float>({.arguments = "const float *x",
                                                    .neutral = "0",
                                                    .map_expr = "({ int i = 0; x[i]; })",
                                                    .reduce_expr = "a+b"}),
                            "ReductionKernel", "'i'");
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
            for (const AnyTuning& tuning : tunings) {
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

TEST_CASE("initialisers without names reach the fields behind padding") {
    const GPUArray<float> x = arange<float>(5);
    const GPUArray<science::Mote> motes = GPUArray<science::Mote>(x.context(), {5});
    const auto check_motes = [&](const char* text) {
        CAPTURE(text);
        motes.fill(science::Mote{});
        ElementwiseKernel("Mote *m, const float *x", text)(motes, x);
        const std::vector<science::Mote> found = motes.get();
        CHECK(found[3].mass == 3);
        CHECK(found[3].charge == 103);
        CHECK(found[3].energy == 6.5);
    };
    check_motes("Mote v = {x[i], (int16_t)(i + 100), 2 * x[i] + 0.5f}; m[i] = v");
    // C's compound literals end a statement with a bracket; CUDA C++ has none.
    if (default_device().backend() == "opencl") check_motes("m[i] = (Mote){x[i], (int16_t)(i + 100), 2 * x[i] + 0.5f}");
}

TEST_SUITE_END();
