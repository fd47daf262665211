/// Programs of the code generators: golden texts, NVRTC checks and runs on devices share them.
#pragma once

#include <gemel/codegen/codegen.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace codegen_programs {

namespace cg = gemel::codegen;
using gemel::DType;
using gemel::dtype_of;

/// Figure 5 of the paper, as a template.
inline const char* const add_template = R"(
KERNEL void add(GLOBAL_MEM {{ type_name }} *tgt,
                GLOBAL_MEM const {{ type_name }} *op1,
                GLOBAL_MEM const {{ type_name }} *op2)
{
    int idx = LID_0 + {{ thread_block_size }} * {{ block_size }} * GID_0;
    {% for i in range(block_size) %}
        {% set offset = i * thread_block_size %}
        tgt[idx + {{ offset }}] = op1[idx + {{ offset }}] + op2[idx + {{ offset }}];
    {% endfor %}
})";

/// The same as a syntax tree.
inline cg::Function unrolled_add(DType dtype, int block_size, int thread_block_size) {
    std::vector<cg::Statement> body{
        cg::declare<std::int32_t>("idx", cg::thread_id(0) + thread_block_size * block_size * cg::block_id(0))};
    for (int i = 0; i < block_size; ++i) {
        cg::Expression at = cg::var("idx") + i * thread_block_size;
        body.push_back(cg::assign(cg::var("tgt")[at], cg::var("op1")[at] + cg::var("op2")[at]));
    }
    return cg::kernel("add",
                      {cg::global_pointer(dtype, "tgt"), cg::global_pointer(cg::constant(dtype), "op1"),
                       cg::global_pointer(cg::constant(dtype), "op2")},
                      body);
}

/// Writes one literal per element, so that a device can show what it read.
template <class T>
cg::Function literals(const std::string& name, const std::vector<T>& values) {
    cg::Statements body;
    for (std::size_t i = 0; i < values.size(); ++i)
        body.push_back(cg::assign(cg::var("out")[static_cast<int>(i)], values[i]));
    return cg::kernel(name, {cg::global_pointer(dtype_of<T>(), "out")}, body);
}

template <class T>
std::vector<T> extreme_integers() {
    using Limits = std::numeric_limits<T>;
    return {T(0), T(1), T(-1), T(42), Limits::min(), T(Limits::min() + 1), Limits::max(), T(Limits::max() - 1)};
}

template <class T>
std::vector<T> extreme_reals() {
    using Limits = std::numeric_limits<T>;
    return {T(0),
            -T(0),
            T(1),
            T(-1.5),
            T(0.1),
            T(1) / T(3),
            T(100000),
            T(1e10),
            Limits::min(),
            Limits::max(),
            Limits::lowest(),
            Limits::epsilon(),
            Limits::infinity(),
            -Limits::infinity(),
            Limits::quiet_NaN(),
            T(123456789)};
}

inline std::vector<gemel::half> extreme_halves() {
    std::vector<gemel::half> values;
    for (const float x : {0.0f, -0.0f, 1.0f, -2.5f, 65504.0f, 6.1035156e-05f, 5.9604645e-08f, 0.33325195f,
                          std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
        values.push_back(gemel::half(x));
    return values;
}

inline std::vector<gemel::bfloat16> extreme_bfloats() {
    std::vector<gemel::bfloat16> values;
    for (const float x : {0.0f, -0.0f, 1.0f, -2.5f, 3.3895314e38f, 1.1754944e-38f, 0.33398438f,
                          std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
        values.push_back(gemel::bfloat16(x));
    return values;
}

inline std::vector<std::complex<float>> some_complex() {
    return {{1.0f, -2.0f}, {-0.0f, std::numeric_limits<float>::infinity()}, {0.1f, 3e30f}};
}

/// One block sums 64 numbers of `in` into out[block] by a tree in shared memory, and counts the positive ones: most
/// statements that there are.
inline cg::Program block_sum() {
    const cg::Type real = dtype_of<float>(), integer = dtype_of<std::int32_t>(), wide = dtype_of<std::int64_t>();
    const cg::Expression x = cg::var("x", real), n = cg::var("n", wide), i = cg::var("i", wide);
    const cg::Expression in = cg::var("in", cg::pointer(cg::constant(real), cg::Space::global));
    const cg::Expression out = cg::var("out", cg::pointer(real, cg::Space::global));
    const cg::Expression counts = cg::var("counts", cg::pointer(integer, cg::Space::global));
    const cg::Expression tile = cg::var("tile", cg::pointer(real, cg::Space::shared));
    const cg::Expression lane = cg::var("lane", integer), width = cg::var("width", integer);
    const cg::Expression weights = cg::var("weights", cg::pointer(cg::constant(real), cg::Space::constant));

    cg::Program program;
    program.add_table(real, "weights", {1.0f, 0.5f, 2.0f, 0.25f});
    program.add(cg::device_function(
        real, "weighted", {cg::shared_pointer(cg::constant(real), "tile"), cg::value<std::int32_t>("lane")},
        {cg::comment("Every fourth element has the same weight."), cg::return_value(tile[lane] * weights[lane & 3])}));
    program.add(cg::kernel(
        "block_sum",
        {cg::restricted(cg::global_pointer(real, "out")), cg::global_pointer(integer, "counts"),
         cg::restricted(cg::global_pointer(cg::constant(real), "in")), cg::value<std::int64_t>("n")},
        {cg::declare_shared(real, "tile", {64}), cg::declare("lane", cg::thread_id(0)),
         cg::declare_constant(wide, "i", cg::global_id(0)), cg::assign(tile[lane], cg::select(i < n, in[i], 0.0f)),
         cg::barrier(), cg::declare("x", cg::call_with("weighted", {tile, lane}, real)), cg::barrier(),
         cg::assign(tile[lane], x),
         cg::for_loop(cg::declare(integer, "width", 32), width > 0, width >>= 1,
                      {cg::barrier(), cg::if_then(lane < width, {tile[lane] += tile[lane + width]})}),
         cg::if_then(x > 0.0f, {cg::atomic_add(cg::address(counts[0]), 1)},
                     {cg::if_then(x < 0.0f, {cg::atomic_add(counts + 1, 1)},
                                  {cg::comment("Neither: zero or no number."), cg::atomic_add(counts + 2, 1)})}),
         cg::if_then(lane == 0, {cg::assign(out[cg::block_id(0)], tile[0])})},
        {{64, 1, 1}}));
    return program;
}

/// Loops of all kinds: the number of steps of the Collatz sequence of each element.
inline cg::Function collatz() {
    const cg::Type integer = dtype_of<std::int32_t>(), wide = dtype_of<std::uint64_t>();
    const cg::Expression x = cg::var("x", wide), steps = cg::var("steps", integer), k = cg::var("k", integer);
    const cg::Expression out = cg::var("out", cg::pointer(integer, cg::Space::global));
    const cg::Expression i = cg::var("i", integer);
    return cg::kernel(
        "collatz", {cg::global_pointer(integer, "out"), cg::value<std::int32_t>("n")},
        {cg::for_range(
            "i", cg::thread_id(0), cg::var("n", integer), cg::block_size(0),
            {cg::declare(wide, "x", i + 1), cg::declare(integer, "steps", 0),
             cg::while_loop(cg::Expression(true),
                            {cg::if_then(x == 1, {cg::break_loop()}), cg::increment(steps),
                             cg::if_then(x % 2 == 0, {x /= 2, cg::continue_loop()}), cg::assign(x, x * 3 + 1)}),
             cg::declare(integer, "k", 0), cg::do_while_loop({cg::block({k += 2}), cg::decrement(k)}, k < steps),
             cg::assign(out[i], k)})});
}

/// Vectors: each float4 of `x` is turned round and scaled.
inline cg::Function turn_vectors() {
    const DType float4(DType::Kind::floating, 16, 4);
    const cg::Expression v = cg::var("v", float4), i = cg::var("i", dtype_of<std::int32_t>());
    const cg::Expression x = cg::var("x", cg::pointer(float4, cg::Space::global));
    return cg::kernel(
        "turn", {cg::global_pointer(float4, "x")},
        {cg::declare("i", cg::thread_id(0)), cg::declare("v", x[i]),
         cg::assign(x[i], cg::vector(float4, {v.member("w"), v.member("z") * 2.0f, v.member("y"), -v.member("x")}))});
}

/// 16-bit floats in memory, computed with as float.
inline cg::Function scale_halves() {
    const cg::Expression x = cg::var("x", cg::pointer(dtype_of<gemel::half>(), cg::Space::global));
    const cg::Expression i = cg::var("i", dtype_of<std::int32_t>());
    return cg::kernel("scale_halves", {cg::global_pointer(dtype_of<gemel::half>(), "x"), cg::value<float>("a")},
                      {cg::declare("i", cg::thread_id(0)),
                       cg::assign(x[i], cg::store(dtype_of<gemel::half>(), cg::load(dtype_of<gemel::half>(), x[i]) *
                                                                               cg::var("a", dtype_of<float>())))});
}

/// Structs within structs, with padding and arrays.
namespace science {

enum class Flavour : std::int16_t { up = 1, down = 2 };

struct Spin {
    float angle;
    gemel::half weight;
    bool is_up;
};
GEMEL_STRUCT(Spin, angle, weight, is_up)

struct Particle {
    float x, y, z;
    double mass;
    std::int32_t id;
    std::array<Spin, 3> spins;
    std::complex<float> charge;
    Flavour flavour;
    std::array<std::array<float, 2>, 3> matrix;
    gemel::bfloat16 rough;
    std::uint64_t tag;
    std::int8_t small;
};
GEMEL_STRUCT(Particle, x, y, z, mass, id, spins, charge, flavour, matrix, rough, tag, small)

}  // namespace science

/// Copies structs member by member, changing each a little.
inline cg::Function copy_particles() {
    const DType particle = dtype_of<science::Particle>(), spin = dtype_of<science::Spin>();
    const cg::Expression i = cg::var("i", dtype_of<std::int32_t>());
    const cg::Expression p = cg::var("p", particle), s = cg::var("s", spin);
    const cg::Expression out = cg::var("out", cg::pointer(particle, cg::Space::global));
    const cg::Expression in = cg::var("in", cg::pointer(cg::constant(particle), cg::Space::global));
    return cg::kernel(
        "copy_particles",
        {cg::global_pointer(particle, "out"), cg::global_pointer(cg::constant(particle), "in"),
         cg::value(spin, "extra")},
        {cg::declare("i", cg::thread_id(0)), cg::declare("p", in[i]), p.member("x") += 1.0f, p.member("mass") *= 2.0,
         cg::assign(p.member("spins")[1], p.member("spins")[2]),
         cg::assign(p.member("spins")[2], cg::var("extra", spin)),
         cg::assign(p.member("charge"), cg::call("c_conj", p.member("charge"))), p.member("matrix")[5] -= 0.5f,
         p.member("tag") += 1, cg::assign(p.member("small"), -p.member("small")), cg::assign(out[i], p)});
}

/// Everything above that is one text, for tests that look at texts only.
inline std::vector<std::pair<std::string, std::string>> all(const gemel::Dialect& dialect) {
    return {{"add", unrolled_add(dtype_of<float>(), 4, 64).source(dialect)},
            {"block_sum", block_sum().source(dialect)},
            {"collatz", collatz().source(dialect)},
            {"turn", turn_vectors().source(dialect)},
            {"scale_halves", scale_halves().source(dialect)},
            {"copy_particles", copy_particles().source(dialect)},
            {"literals_int8", literals("literals", extreme_integers<std::int8_t>()).source(dialect)},
            {"literals_int32", literals("literals", extreme_integers<std::int32_t>()).source(dialect)},
            {"literals_int64", literals("literals", extreme_integers<std::int64_t>()).source(dialect)},
            {"literals_uint16", literals("literals", extreme_integers<std::uint16_t>()).source(dialect)},
            {"literals_uint64", literals("literals", extreme_integers<std::uint64_t>()).source(dialect)},
            {"literals_float", literals("literals", extreme_reals<float>()).source(dialect)},
            {"literals_double", literals("literals", extreme_reals<double>()).source(dialect)},
            {"literals_half", literals("literals", extreme_halves()).source(dialect)},
            {"literals_bfloat16", literals("literals", extreme_bfloats()).source(dialect)},
            {"literals_complex", literals("literals", some_complex()).source(dialect)}};
}

/// Tables of what has no literal in C, and a kernel that copies them.
inline cg::Program special_tables() {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const cg::Type h = dtype_of<gemel::half>(), b = dtype_of<gemel::bfloat16>(), c = dtype_of<std::complex<float>>();
    cg::Program program;
    program.add_table(h, "halves", {gemel::half(1.5f), gemel::half(-2.0f), gemel::half(-inf), gemel::half(nan)});
    program.add_table(b, "bfloats", {gemel::bfloat16(1.5f), gemel::bfloat16(-inf)});
    program.add_table(
        c, "numbers",
        {std::complex<float>(1.5f, -2.0f), std::complex<float>(inf, -inf), std::complex<float>(nan, -0.0f)});
    std::vector<cg::Statement> body;
    for (const auto& [to, from, count] : {std::tuple{"h", "halves", 4}, {"b", "bfloats", 2}, {"c", "numbers", 3}})
        for (int i = 0; i < count; ++i) body.push_back(cg::assign(cg::var(to)[i], cg::var(from)[i]));
    program.add(cg::kernel("copy_tables",
                           {cg::global_pointer(h, "h"), cg::global_pointer(b, "b"), cg::global_pointer(c, "c")}, body));
    return program;
}

}  // namespace codegen_programs
