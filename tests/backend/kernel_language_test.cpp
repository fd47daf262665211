/// Every word of the kernel language but for complex numbers, run on the device and compared with the host.
#include "../kernel_language_programs.hpp"

#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace gemel;

namespace {

Kernel kernel_of(const std::string& text, const std::string& name) {
    return default_context().compile(text).kernel(name);
}

const DeviceInfo& info() {
    static const Device device = default_context().device();
    return device.info();
}

bool lacks(bool capability, const char* what) {
    if (!capability) MESSAGE("not run: the device has no " << what);
    return !capability;
}

template <class T>
std::vector<T> counting(std::size_t n, T first = {}) {
    std::vector<T> values(n);
    std::iota(values.begin(), values.end(), first);
    return values;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("each thread knows where it is on all three axes") {
    const int grid[] = {2, 3, 2}, block[] = {4, 2, 2}, threads = 12 * 16;
    std::vector<std::int32_t> out(20 * threads, -1);
    kernel_of(kernel_language::where, "where")({.grid = {2, 3, 2}, .block = {4, 2, 2}}, InOut(out));
    int wrong = 0;
    for (int t = 0; t < threads; ++t) {
        int rest = t;
        for (int axis = 0; axis < 3; ++axis) {
            const int total = grid[axis] * block[axis], global = rest % total;
            rest /= total;
            const int expected[] = {global % block[axis], block[axis], global / block[axis], grid[axis], global, total};
            for (int word = 0; word < 6; ++word) wrong += out[20 * t + 3 * word + axis] != expected[word];
        }
        wrong += out[20 * t + 18] != 16 || out[20 * t + 19] != 16;
    }
    CHECK(wrong == 0);
}

TEST_CASE("types of fixed width have that width and their sign") {
    std::vector<std::int32_t> out(25);
    kernel_of(kernel_language::types, "types")({.grid = {1}, .block = {1}}, InOut(out));
    const std::vector<std::int32_t> sizes{1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8};
    for (std::size_t i = 0; i < 12; ++i) {
        CHECK(out[i] == sizes[i]);
        CHECK(out[12 + i] == 1);
    }
    CHECK(out[24] == 4);
}

TEST_CASE("functions and memory spaces and barriers and tables work together") {
    std::vector<float> in = counting<float>(192), out(192);
    const Kernel reversed = kernel_of(kernel_language::memory, "reversed");
    reversed({.grid = {3}, .block = {64}}, InOut(out), In(in));
    for (int i = 0; i < 192; ++i) {
        const int within = i % 64;
        CHECK(out[i] == in[i - within + 63 - within] * (1 + within % 4));
    }
    REQUIRE(reversed.signature());
    CHECK(reversed.signature()->required_block == std::array<std::uint32_t, 3>{64, 1, 1});
}

TEST_CASE("infinities and NaN stand in tables") {
    std::vector<float> out(4);
    kernel_of(
        "CONST_STATIC float w[4] = {NAN, INFINITY, -INFINITY, 1.0f};\n"
        "KERNEL void copy(GLOBAL_MEM float *out) { for (int i = 0; i < 4; i++) out[i] = w[i]; }",
        "copy")({.grid = {1}, .block = {1}}, InOut(out));
    CHECK((std::isnan(out[0]) && out[1] == INFINITY && out[2] == -INFINITY && out[3] == 1.0f));
    if (lacks(info().has_double, "double")) return;
    std::vector<double> wide(2);
    kernel_of(
        "CONST_STATIC double w[2] = {NAN, INFINITY};\n"
        "KERNEL void copy(GLOBAL_MEM double *out) { out[0] = w[0]; out[1] = w[1]; }",
        "copy")({.grid = {1}, .block = {1}}, InOut(wide));
    CHECK((std::isnan(wide[0]) && wide[1] == INFINITY));
}

TEST_CASE("the arena of shared memory is cut by the kernel and aligned to 16 bytes") {
    const int n = 32;
    std::vector<float> out(2 * n);
    kernel_of(kernel_language::arena, "totals")(
        {.grid = {2}, .block = {n}, .shared_bytes = n * (sizeof(float) + sizeof(int))}, InOut(out), n);
    for (int i = 0; i < 2 * n; ++i) CHECK(out[i] == (i < n ? 2 * 496 : 496 + 1520));
}

TEST_CASE("a constant buffer is read as a table") {
    std::vector<float> table{5, 7, 11, 13}, out(64);
    std::vector<int> index(64);
    for (int i = 0; i < 64; ++i) index[i] = i * i % 4;
    const ConstantBuffer constant(default_context(), table);
    kernel_of(kernel_language::constant, "looked_up")({.grid = {2}, .block = {32}}, InOut(out), constant, In(index));
    for (int i = 0; i < 64; ++i) CHECK(out[i] == table[index[i]]);
}

TEST_CASE("all values of the sixteen-bit types are loaded exactly") {
    std::vector<half> h(65536);
    std::vector<bfloat16> b(65536);
    for (unsigned i = 0; i < 65536; ++i) h[i].bits = b[i].bits = static_cast<std::uint16_t>(i);
    std::vector<float> from_h(65536), from_b(65536);
    kernel_of(kernel_language::sixteen_bits, "loaded")({.grid = {256}, .block = {256}}, In(h), In(b), InOut(from_h),
                                                       InOut(from_b));
    int wrong = 0;
    const auto differ = [](float a, float b) {
        return std::isnan(a) ? !std::isnan(b) : a != b || std::signbit(a) != std::signbit(b);
    };
    for (std::size_t i = 0; i < 65536; ++i) {
        wrong += differ(static_cast<float>(h[i]), from_h[i]);
        wrong += differ(static_cast<float>(b[i]), from_b[i]);
    }
    CHECK(wrong == 0);
}

TEST_CASE("floats are stored as sixteen bits as the host rounds them") {
    std::vector<float> x;
    const auto add = [&](float value) {
        for (const float near : {std::nextafter(value, -INFINITY), value, std::nextafter(value, INFINITY)})
            x.push_back(near);
    };
    for (unsigned i = 0; i < 65536; i += 3) {  // the values themselves and the middles between neighbours
        const float h = half::value_of(static_cast<std::uint16_t>(i)),
                    b = bfloat16::value_of(static_cast<std::uint16_t>(i));
        add(h);
        add((h + half::value_of(static_cast<std::uint16_t>(i + 1))) / 2);
        if (std::fabs(b) > 1e-37f || b == 0) add(b);  // some devices flush what is smaller
    }
    std::mt19937 random(1);
    std::uniform_real_distribution<float> exponents(-40, 40);
    for (int i = 0; i < 10000; ++i) add(std::exp2(exponents(random)));
    for (const float special : {0.0f, -0.0f, INFINITY, -INFINITY, std::nanf(""), -std::nanf(""), 65520.0f, 1e30f})
        x.push_back(special);
    x.resize((x.size() + 63) / 64 * 64);
    std::vector<half> h(x.size());
    std::vector<bfloat16> b(x.size());
    kernel_of(kernel_language::sixteen_bits, "stored")({.grid = {x.size() / 64}, .block = {64}}, In(x), InOut(h),
                                                       InOut(b));
    int wrong_half = 0, wrong_bfloat = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i])) {
            wrong_half += !std::isnan(static_cast<float>(h[i]));
            wrong_bfloat += !std::isnan(static_cast<float>(b[i]));
        } else {
            wrong_half += h[i].bits != half::bits_of(x[i]);
            // What is too small for a normal float may be flushed to zero.
            const bool is_tiny = std::fabs(x[i]) < std::numeric_limits<float>::min();
            wrong_bfloat += b[i].bits != bfloat16::bits_of(x[i]) && !is_tiny;
        }
    }
    CHECK(wrong_half == 0);
    CHECK(wrong_bfloat == 0);
}

TEST_CASE("sixteen-bit values and structs are passed by value") {
    std::vector<half> h(64);
    kernel_of(kernel_language::sixteen_bits, "summed")({.grid = {1}, .block = {64}}, InOut(h), half(2.5f),
                                                       bfloat16(0.25f));
    for (const half value : h) CHECK(static_cast<float>(value) == 3.75f);

    struct Step {
        float dt;
        std::complex<float> z;
        std::int32_t n;
    };
    std::vector<Step> steps(64, Step{1, {2, 3}, 4});
    kernel_of(kernel_language::structs, "stepped")({.grid = {2}, .block = {32}}, InOut(steps), Step{0.5f, {1, -1}, 6});
    for (const Step& step : steps) {
        CHECK(step.dt == 1.5f);
        CHECK(step.z == std::complex<float>(3, 2));
        CHECK(step.n == 10 + static_cast<int>(sizeof(Step)));
    }
}

TEST_CASE("popcount and clz count in the width of their type and clz of zero is that width") {
    std::vector<std::int32_t> out(22);
    out[21] = 0x0ff0;
    kernel_of(kernel_language::bits, "counted")({.grid = {1}, .block = {1}}, InOut(out));
    const std::vector<std::int32_t> expected{7, 0, 2, 5, 1, 7, 0, 16, 32, 0, 0, 32, 1, 63, 0, 64, 32, 64, 8, 8};
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK_MESSAGE(out[i] == expected[i], "value ", i);
}

TEST_CASE("mathematical functions and constants mean the same") {
    std::vector<float> out(21);
    const float x = 4, y = 7.5f;
    kernel_of(kernel_language::functions, "applied")({.grid = {1}, .block = {1}}, InOut(out), x, y, 3, -5);
    const float near = 4 * std::numeric_limits<float>::epsilon();  // OpenCL allows rsqrt 2 ulp and exp, log, sin 3 to 4
    CHECK(out[0] == 31);
    CHECK(out[1] == doctest::Approx(0.5).epsilon(near));
    CHECK((out[2] == x && out[3] == y && out[4] == -5 && out[5] == 3 && out[6] == 5 && out[7] == x));
    CHECK((out[8] == INFINITY && out[9] == -INFINITY && std::isnan(out[10])));
    CHECK(out[11] == static_cast<float>(M_PI));
    CHECK(out[12] == doctest::Approx(2).epsilon(near));
    CHECK(out[13] == doctest::Approx(16).epsilon(8 * near));
    CHECK((out[14] == -8 && out[15] == 3.5f && out[17] == -x && out[18] == 1));
    CHECK(out[16] == doctest::Approx(5).epsilon(near));
    CHECK(out[19] == doctest::Approx(2 + x + y).epsilon(near));
    CHECK(out[20] == x + y);
}

TEST_CASE("double precision has functions and constants of its own") {
    if (lacks(info().has_double, "double precision")) return;
    std::vector<double> out(7);
    const double x = 4, y = 7.5, near = 4 * std::numeric_limits<double>::epsilon();
    kernel_of(kernel_language::double_functions, "applied")({.grid = {1}, .block = {1}}, InOut(out), x, y);
    CHECK(out[0] == M_PI);
    CHECK(out[1] == doctest::Approx(0.5).epsilon(near));
    CHECK((out[2] == 31 && out[4] == x + y && out[5] == x && out[6] == x));
    CHECK(out[3] == doctest::Approx(M_SQRT2 * M_E * M_LN2).epsilon(near));
}

TEST_CASE("vector types are made from their lanes and lie in memory as on the host") {
    if (lacks(info().has_double, "double precision")) return;
    std::vector<float> out(3), quads{1, 2, 3, 4};
    std::vector<double> pairs{1, 2};
    std::vector<std::array<float, 4>> quad_vectors{{1, 2, 3, 4}};
    std::vector<std::array<double, 2>> pair_vectors{{1, 2}};
    kernel_of(kernel_language::vectors, "made")({.grid = {1}, .block = {1}}, InOut(out), InOut(quad_vectors),
                                                InOut(pair_vectors));
    CHECK(out == std::vector<float>{6 * 21, 4321 + 5 * 4, 21 + 4 + 21 + 21});
    CHECK(quad_vectors[0] == std::array<float, 4>{4, 3, 2, 1});
    CHECK(pair_vectors[0] == std::array<double, 2>{2, 1});
}

TEST_CASE("a kernel can print") {
    std::vector<int> out(2);
    kernel_of(kernel_language::printing, "printed")({.grid = {1}, .block = {2}}, InOut(out));
    CHECK(out == std::vector<int>{1, 1});
}

namespace {

/// Every thread of 64 blocks of 64 works on the same cells; see the program.
template <class T>
void check_atomics(const char* type) {
    const int blocks = 64, threads = 64, n = blocks * threads;
    const T offset = std::is_unsigned_v<T> ? 5000 : 0;
    std::vector<T> values(n), old(4 * n);
    for (int i = 0; i < n; ++i) values[i] = static_cast<T>(offset + (i * 37 % n) - n / 2);
    const T middle = offset;
    std::vector<T> cells{0, middle, middle, 0, 0, 0, middle, middle, 0, 0};
    cells.resize(10 + 5 * blocks);
    kernel_of(kernel_language::atomics(type), "contended")({.grid = {blocks}, .block = {threads}}, InOut(cells),
                                                           InOut(old), In(values), n);

    const auto sorted = [](auto begin, auto end) {
        std::vector<T> copy(begin, end);
        std::sort(copy.begin(), copy.end());
        return copy;
    };
    CHECK(cells[0] == static_cast<T>(n));
    CHECK(sorted(old.begin(), old.begin() + n) == counting<T>(n));
    CHECK(cells[1] == *std::min_element(values.begin(), values.end()));
    CHECK(cells[2] == *std::max_element(values.begin(), values.end()));
    std::vector<T> exchanged(old.begin() + n, old.begin() + 2 * n);
    exchanged.push_back(cells[3]);
    CHECK(sorted(exchanged.begin(), exchanged.end()) == counting<T>(n + 1));
    CHECK(cells[4] == static_cast<T>(2 * n));
    for (int block = 0; block < blocks; ++block) {
        const T* const shared = &cells[10 + 5 * block];
        const auto begin = values.begin() + block * threads, end = begin + threads;
        CHECK(shared[0] == static_cast<T>(threads));
        const auto added = old.begin() + 2 * n + block * threads;
        CHECK(sorted(added, added + threads) == counting<T>(threads));
        CHECK(shared[1] == std::min(middle, *std::min_element(begin, end)));
        CHECK(shared[2] == std::max(middle, *std::max_element(begin, end)));
        const auto swapped = old.begin() + 3 * n + block * threads;
        std::vector<T> all(swapped, swapped + threads);
        all.push_back(shared[3]);
        CHECK(sorted(all.begin(), all.end()) == counting<T>(threads + 1));
        CHECK(shared[4] == static_cast<T>(2 * threads));
    }
}

}  // namespace

TEST_CASE("atomics of 32 bits lose nothing and return what was there before") {
    check_atomics<std::int32_t>("int32_t");
    check_atomics<std::uint32_t>("uint32_t");
    check_atomics<float>("float");
}

TEST_CASE("NAN equals nothing whether the compiler or the device compares") {
    const Context context = default_context();
    const Kernel kernel = kernel_of(
        "CONST_STATIC float table[2] = {NAN, 1.0f};\n"
        "KERNEL void compare(GLOBAL_MEM int *out, float x)\n{\n"
        "    float n = NAN;\n"
        "    out[0] = NAN == NAN;\n    out[1] = NAN != NAN;\n    out[2] = n == n;\n    out[3] = n != n;\n"
        "    out[4] = NAN < NAN || NAN >= NAN;\n    out[5] = x == NAN;\n    out[6] = NAN <= x;\n"
        "    out[7] = table[0] == table[0];\n    out[8] = table[0] != NAN;\n"
        "    out[9] = x + NAN == x + NAN;\n    out[10] = isnan(NAN) != 0;\n}\n",
        "compare");
    const std::vector<std::int32_t> expected{0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1};
    const Buffer out = context.allocate(expected.size() * sizeof(std::int32_t));
    std::vector<std::int32_t> found(expected.size());
    for (const float x : {1.0f, std::numeric_limits<float>::quiet_NaN()}) {
        kernel({.grid = {1}, .block = {1}}, out, x);
        out.download(found);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CAPTURE(i);
            CHECK(found[i] == expected[i]);
        }
    }
}

TEST_CASE("atomics of 64 bits lose nothing and return what was there before") {
    if (lacks(info().has_int64_atomics, "64-bit atomics")) return;
    check_atomics<std::int64_t>("int64_t");
    check_atomics<std::uint64_t>("uint64_t");
    if (lacks(info().has_double, "double precision")) return;
    check_atomics<double>("double");
}

TEST_SUITE_END();
