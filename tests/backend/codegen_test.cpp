/// Templates, syntax trees and reflected structs, run on a device.
#include "../codegen_programs.hpp"

#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

using namespace gemel;
using namespace codegen_programs;

namespace {

bool lacks_double() {
    if (!default_context().device().info().has_double) MESSAGE("not run: the device has no double");
    return !default_context().device().info().has_double;
}

/// Runs a kernel of literals and compares the bits that it wrote.
template <class T>
void check_literals(const std::vector<T>& values) {
    std::vector<T> out(values.size());
    std::memset(static_cast<void*>(out.data()), 0x55, out.size() * sizeof(T));
    default_context().compile(literals("literals", values)).kernel("literals")({.grid = {1}, .block = {1}}, InOut(out));
    for (std::size_t i = 0; i < values.size(); ++i) {
        bool same = std::memcmp(&out[i], &values[i], sizeof(T)) == 0;
        if constexpr (std::is_floating_point_v<T>) same = same || (std::isnan(out[i]) && std::isnan(values[i]));
        CHECK_MESSAGE(same, "literal ", i);
    }
}

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("the vector addition of figure 5 works from a template and from a tree") {
    const int thread_block_size = 64, block_size = 8, n = 10 * thread_block_size * block_size;
    const Context context = default_context();
    const std::string from_template = cg::render(
        add_template, {{"type_name", "float"}, {"block_size", block_size}, {"thread_block_size", thread_block_size}});
    const cg::Function add = unrolled_add(dtype_of<float>(), block_size, thread_block_size);
    std::vector<float> a(n), b(n);
    std::iota(a.begin(), a.end(), 0.0f);
    std::iota(b.begin(), b.end(), 0.5f);
    for (const Module& module : {context.compile(from_template), context.compile(add)}) {
        std::vector<float> c(n);
        module.kernel("add")({.grid = {10}, .block = {thread_block_size}}, InOut(c), In(a), In(b));
        int wrong = 0;
        for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
        CHECK(wrong == 0);
    }
}

TEST_CASE("templates compile with values bound to them") {
    const cg::Template kernel("KERNEL void f(GLOBAL_MEM int *x) { x[LID_0] = {{ values|join(' + ') }}; }", "sum");
    std::vector<std::int32_t> x(4);
    default_context().compile(kernel.with({{"values", {1, 2, 39}}})).kernel("f")({.grid = {1}, .block = {4}}, InOut(x));
    CHECK(x == std::vector<std::int32_t>(4, 42));
}

TEST_CASE("a compiler's complaint names the line of the template") {
    const cg::Template kernel(
        "KERNEL void f(GLOBAL_MEM int *x)\n{\n{% for i in range(20) %}\n    x[{{ i }}] = {{ i }};\n"
        "{% endfor %}\n    x[0] = undeclared_thing;\n}\n",
        "broken template");
    try {
        default_context().compile(kernel);
        FAIL("it compiled");
    } catch (const CompileError& error) {
        const std::string message = error.what();
        CHECK_MESSAGE(message.find("broken template:6") != std::string::npos, message);
        CHECK_MESSAGE(message.find("> 6 |     x[0] = undeclared_thing;") != std::string::npos, message);
    }
}

TEST_CASE("literals arrive bit for bit") {
    check_literals(extreme_integers<std::int8_t>());
    check_literals(extreme_integers<std::int32_t>());
    check_literals(extreme_integers<std::int64_t>());
    check_literals(extreme_integers<std::uint16_t>());
    check_literals(extreme_integers<std::uint64_t>());
    check_literals(extreme_reals<float>());
    check_literals(extreme_halves());
    check_literals(extreme_bfloats());
    check_literals(some_complex());
    if (!lacks_double()) check_literals(extreme_reals<double>());
}

TEST_CASE("shared arrays and barriers and atomics and tables work in a tree") {
    const int n = 1000, blocks = 16;
    std::vector<float> in(n), out(blocks);
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i % 7 - 3);
    std::vector<std::int32_t> counts(3);
    default_context()
        .compile(block_sum())
        .kernel("block_sum")({.grid = {blocks}, .block = {64}}, InOut(out), InOut(counts), In(in), std::int64_t{n});
    const float weights[] = {1.0f, 0.5f, 2.0f, 0.25f};
    std::vector<float> expected(blocks);
    std::vector<std::int32_t> expected_counts(3);
    for (int i = 0; i < blocks * 64; ++i) {
        const float x = i < n ? in[i] * weights[i % 4] : 0.0f;
        expected[i / 64] += x;  // exact: all are multiples of 1/4 and small
        ++expected_counts[x > 0 ? 0 : x < 0 ? 1 : 2];
    }
    CHECK(out == expected);
    CHECK(counts == expected_counts);
}

TEST_CASE("loops of all kinds end where C's do") {
    std::vector<std::int32_t> out(100);
    default_context().compile(collatz()).kernel("collatz")({.grid = {1}, .block = {8}}, InOut(out), 100);
    for (int i = 0; i < 100; ++i) {
        int steps = 0;
        for (std::uint64_t x = i + 1; x != 1; x = x % 2 == 0 ? x / 2 : 3 * x + 1) ++steps;
        CHECK(out[i] == (steps > 0 ? steps : 1));
    }
}

TEST_CASE("vectors and 16-bit floats work in a tree") {
    std::vector<float> x(32);
    std::iota(x.begin(), x.end(), 1.0f);
    const std::vector<float> before = x;
    const Buffer buffer = default_context().allocate(x.size() * sizeof(float));
    buffer.upload(x);
    default_context().compile(turn_vectors()).kernel("turn")({.grid = {1}, .block = {8}}, buffer);
    buffer.download(x);
    for (int i = 0; i < 8; ++i) {
        CHECK(x[4 * i] == before[4 * i + 3]);
        CHECK(x[4 * i + 1] == 2.0f * before[4 * i + 2]);
        CHECK(x[4 * i + 2] == before[4 * i + 1]);
        CHECK(x[4 * i + 3] == -before[4 * i]);
    }
    std::vector<half> halves(16, half(1.5f));
    default_context().compile(scale_halves()).kernel("scale_halves")({.grid = {1}, .block = {16}}, InOut(halves), 3.0f);
    CHECK(halves == std::vector<half>(16, half(4.5f)));
}

TEST_CASE("structs go to the device and come back member by member") {
    if (lacks_double()) return;
    using science::Particle;
    std::vector<Particle> in(64), out(64);
    for (int i = 0; i < 64; ++i) {
        const float f = static_cast<float>(i);
        in[i] = {f,
                 f + 1,
                 f + 2,
                 0.5 * i,
                 i,
                 {},
                 {f, -f},
                 science::Flavour::down,
                 {{{1, 2}, {3, 4}, {5, f}}},
                 bfloat16(f),
                 0x123456789abcdefull + i,
                 static_cast<std::int8_t>(i)};
        for (int k = 0; k < 3; ++k) in[i].spins[k] = {f + 10.0f * k, half(0.25f * k), k == 1};
    }
    const science::Spin extra{-7.5f, half(3.0f), true};
    default_context()
        .compile(copy_particles())
        .kernel("copy_particles")({.grid = {1}, .block = {64}}, InOut(out), In(in), extra);
    for (int i = 0; i < 64; ++i) {
        const Particle &a = in[i], &b = out[i];
        CHECK(b.x == a.x + 1);
        CHECK(b.y == a.y);
        CHECK(b.z == a.z);
        CHECK(b.mass == 2 * a.mass);
        CHECK(b.id == a.id);
        CHECK(b.spins[0].angle == a.spins[0].angle);
        CHECK(b.spins[1].angle == a.spins[2].angle);
        CHECK(b.spins[1].weight == a.spins[2].weight);
        CHECK(b.spins[2].angle == -7.5f);
        CHECK(b.spins[2].weight == half(3.0f));
        CHECK(b.spins[2].is_up);
        CHECK(b.charge == std::conj(a.charge));
        CHECK(b.flavour == science::Flavour::down);
        CHECK(b.matrix[2][0] == 5);
        CHECK(b.matrix[2][1] == a.matrix[2][1] - 0.5f);
        CHECK(b.rough == a.rough);
        CHECK(b.tag == a.tag + 1);
        CHECK(b.small == -a.small);
    }
}

TEST_CASE("a struct that lies otherwise on the device does not compile") {
    StructLayout layout = *dtype_of<science::Spin>().layout();
    const auto text = [&] {
        return cg::struct_declaration(layout, default_context().dialect()) + "KERNEL void f(GLOBAL_MEM Spin *s) {}";
    };
    CHECK_NOTHROW(default_context().compile(text()));
    layout.fields[1].offset_bytes = 5;  // where no compiler puts two bytes
    layout.fields[2].offset_bytes = 7;
    CHECK_THROWS_AS(default_context().compile(text()), CompileError);
}

TEST_CASE("tables hold 16-bit floats and complex numbers") {
    std::vector<half> h(4);
    std::vector<bfloat16> b(2);
    std::vector<std::complex<float>> c(3);
    default_context()
        .compile(special_tables())
        .kernel("copy_tables")({.grid = {1}, .block = {1}}, InOut(h), InOut(b), InOut(c));
    CHECK((float(h[0]) == 1.5f && float(h[1]) == -2.0f && float(h[2]) == -INFINITY && std::isnan(float(h[3]))));
    CHECK((float(b[0]) == 1.5f && float(b[1]) == -INFINITY));
    CHECK((c[0] == std::complex<float>(1.5f, -2.0f) && c[1].real() == INFINITY && c[1].imag() == -INFINITY));
    CHECK((std::isnan(c[2].real()) && c[2].imag() == 0 && std::signbit(c[2].imag())));
}

TEST_SUITE_END();
