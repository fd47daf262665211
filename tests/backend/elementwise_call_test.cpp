/// Calls of ElementwiseKernel: types bound and values converted, what is refused, what is compiled.
#include "generator_support.hpp"

#include <gemel/core/text.hpp>

using namespace gemel;
using namespace gemel::testing;

namespace science {
struct Force {
    float x, y;
    std::int32_t steps;
};
GEMEL_STRUCT(Force, x, y, steps)
}  // namespace science

namespace {

const std::array tunings{AnyTuning{}, gpu_shaped,
                         AnyTuning{.block = 32, .access_bytes = 8, .tile_block = 1, .tile_width = 4, .tile_rows = 2}};

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("16-bit floats are scattered behind conditions and loops") {
    const auto check = [](auto zero) {
        using T = decltype(zero);
        const std::vector<T> values{T(1.0f), T(-2.0f), T(3.0f), T(-4.5f), T(), T(), T(), T()};
        const GPUArray<T> x = to_gpu(values), out = zeros<T>(8);
        const ElementwiseKernel scatter({VectorArg(x.dtype(), "x"), VectorArg(x.dtype(), "o")},
                                        "if (x[i] < 0) o[3 - i] = x[i]; else o[3 - i] = 2 * x[i];\n"
                                        "for (int k = 0; k < 1; ++k) o[7 - i] = o[3 - i] + k;\n"
                                        "switch (i) { case 2: o[7 - i] = 9; }",
                                        "scatter");
        scatter({.range = IndexRange{0, 4, 1}}, x, out);
        CHECK(out.get() == std::vector<T>{T(-4.5f), T(6.0f), T(-2.0f), T(2.0f), T(-4.5f), T(9.0f), T(-2.0f), T(2.0f)});
    };
    check(half{});
    check(bfloat16{});
    CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel("half *o, float *x", "o[n - 1 - i] += x[i]", "add"),
                            "argument 1 (o)", "o[j] = o[j] + value");
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

TEST_CASE("an open type is a type in the snippet too, and two values share it") {
    const auto x = to_gpu(std::vector<float>{1, 2, 3});
    const ElementwiseKernel scale("T a, T *p", "T t = p[i]; p[i] = twice(t * a)", "scale_open",
                                  {.preamble = "WITHIN_KERNEL T twice(T t) { return t + t; }\n"});
    scale(3, x);
    CHECK(x.get() == std::vector<float>{6, 12, 18});
    const auto h = to_gpu(std::vector<half>{half(1.5f)});
    scale(2, h);
    CHECK(h.get() == std::vector<half>{half(6.0f)});
    CHECK(mentions(scale.source(Dialect::cuda(), {{"T", dtype_of<std::int16_t>()}}), {"typedef int16_t T;"}));
    const ReductionKernel<float> total(
        {.arguments = "const T *x, float f", .neutral = "0", .map_expr = "(T)(x[i] * f)", .reduce_expr = "a+b"});
    CHECK(total(to_gpu(std::vector<std::int32_t>{1, 2, 3}), 1.5f).item() == 1 + 3 + 4);
    const ElementwiseKernel put("T a, T b, float *z", "z[i] = a + b", "put_both");
    put(2.5, 1, x);
    CHECK(x.get() == std::vector<float>{3.5f, 3.5f, 3.5f});
    CHECK_THROWS_MENTIONING(ArgumentError, put(1, 2.5, x), "put_both", "argument 2 (b)", "cannot hold", "2.5");
    const ElementwiseKernel wrong("P2 s, float *z", "z[i] = 0", "takes_a_struct");
    CHECK_THROWS_MENTIONING(ArgumentError, wrong(science::Force{0, 0, 1}, x), "argument 1 (s)", "P2");
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
    for (const AnyTuning& tuning : tunings) {
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

TEST_CASE("an array that is written elsewhere than at [i] is no other argument as well") {
    const auto x = arange<float>(1000);
    const ElementwiseKernel reverse("const float *x, float *z", "z[n-1-i] = x[i]", "reversed");
    CHECK_THROWS_MENTIONING(ArgumentError, reverse(x, x), "reversed", "shares memory", "copy()");
    CHECK_THROWS_AS(reverse(x(slice(500)), x(slice(499, 999))), ArgumentError);
    CHECK(x.get()[999] == 999);
    reverse(x(slice(500)), x(slice(500, {})));
    CHECK(x.get()[999] == 0);
}

TEST_CASE("what is written through one argument is what another that is the same array then reads") {
    const ElementwiseKernel steps("float *z, const float *x", "z[i] = x[i] + 1; z[i] = 10 * x[i] + z[i]", "steps");
    const ElementwiseKernel comma("float *z, const float *x", "z[i] = x[i] + 1, z[i] = 10 * x[i]", "comma");
    const ElementwiseKernel loop("float *z, const float *x", "for (int k = 0; k < 3; ++k) z[i] = x[i] + 1", "loop");
    const ElementwiseKernel both("float *z, float *x", "z[i] = 1; x[i] = 2", "both");
    const ElementwiseKernel halves("half *z, const half *x", "z[i] = x[i] + 1; z[i] = 10 * x[i]", "halves");
    const auto values = counting<float>(1001);
    for (const AnyTuning& tuning : tunings) {
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
    CHECK_THROWS_MENTIONING(ArgumentError, unknown.source(Dialect::opencl()), "argument 1 (p)", "'Unheard'",
                            "source(dialect, {{\"Unheard\", dtype_of<Unheard>()}})");
    const E open("const T *x, T2 *z", "z[i] = x[i]", "open");
    CHECK_THROWS_MENTIONING(ArgumentError, open.source(Dialect::opencl(), {{"T", dtype_of<int>()}}), "argument 2 (z)",
                            "open type 'T2'", "source(dialect, {{\"T2\", dtype_of<float>()}})");
    CHECK_NOTHROW(open.source(Dialect::opencl(), {{"T", dtype_of<int>()}, {"T2", dtype_of<float>()}}));
    const auto x = zeros<float>(Shape{3});
    CHECK_THROWS_MENTIONING(ArgumentError, unknown(x, x), "argument 1 (p)", "Unheard", "float");
    const E broken("float *x", "x[i] = no_such_thing", "broken");
    for (int again = 0; again < 2; ++again) CHECK_THROWS_MENTIONING(CompileError, broken(x), "no_such_thing");
    const E fine("float *x", "x[i] = 4", "fine");
    fine(x);
    CHECK(x.get() == std::vector<float>(3, 4.0f));
}

TEST_CASE("types that no call can bring are refused when a kernel is described") {
    using E = ElementwiseKernel;
    CHECK_THROWS_MENTIONING(ArgumentError, E("flaot *x", "x[i] = 1", "f"), "'f'", "argument 1 (x)", "'flaot'",
                            "float is one");
    CHECK_THROWS_MENTIONING(ArgumentError, E("float *x, duoble a", "x[i] = a"), "argument 2 (a)", "double is one");
    CHECK_THROWS_MENTIONING(ArgumentError, E("int32 *x", "x[i] = 1"), "'int32'", "int32_t is one");
    CHECK_THROWS_MENTIONING(ArgumentError, E("float32 *x", "x[i] = 1"), "float is one");
    CHECK_THROWS_MENTIONING(ArgumentError, E("float **x", "x[i] = 0"), "argument 1 (x)", "pointer to a pointer");
    CHECK_THROWS_MENTIONING(ArgumentError, E("float *x, void *y", "x[i] = 0"), "argument 2 (y)", "pointer to void");
    CHECK_THROWS_MENTIONING(ArgumentError, E("struct P *p", "p[i].y = 0"), "'struct P'", "named alone");
    CHECK_THROWS_MENTIONING(ArgumentError, E("science::P *p", "p[i].y = 0"), "'science::P'", "named alone");
    CHECK_THROWS_MENTIONING(ArgumentError, E("long double *x", "x[i] = 0"), "arguments");
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        ReductionKernel<float>(
            {.arguments = "const flaot *x", .neutral = "0", .map_expr = "x[i]", .reduce_expr = "a+b"}),
        "float is one");
    // Structs and open types are known when a call brings them.
    for (const char* fine : {"P *x", "Float *x", "T *x", "T12 *x", "X *x", "unit *x", "flat *x", "size2 *x"})
        CHECK_NOTHROW(E(fine, "x[i] = x[i]"));
}

TEST_CASE("16-bit floats are declared by their names on the host too") {
    const ElementwiseKernel twice("bfloat16 *x, const half *y, half a", "x[i] = a * y[i]", "twice");
    const auto x = zeros<bfloat16>(Shape{5});
    twice(x, to_gpu(std::vector<half>(5, half(1.5f))), half(2.0f));
    CHECK(x.get() == std::vector<bfloat16>(5, bfloat16(3.0f)));
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

TEST_SUITE_END();
