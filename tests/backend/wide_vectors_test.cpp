/// Vectors of 3, 8 and 16 numbers, and of 4 numbers of 64 bits: by value, in memory, in expressions, drawn at random.
#include "array_support.hpp"

#include <gemel/arrays/random_host.hpp>

#include <cstring>

using namespace gemel;
using namespace gemel::testing;

namespace {

static_assert(sizeof(float3) == 16 && alignof(float3) == 16 && sizeof(uchar3) == 4 && sizeof(double3) == 32);
static_assert(sizeof(float8) == 32 && alignof(float8) == 32 && sizeof(short16) == 32 && sizeof(double16) == 128);
static_assert(dtype_of<float3>().lanes() == 3 && dtype_of<float3>().lane() == dtype_of<float>());

template <class V>
std::vector<V> some(std::size_t n, int first) {
    using T = typename LanesOf<V>::type;
    std::vector<V> all(n);
    for (std::size_t k = 0; k < n; ++k) {
        std::array<T, LanesOf<V>::count> values;
        for (std::size_t lane = 0; lane < values.size(); ++lane)
            values[lane] = static_cast<T>(first + static_cast<int>(k * 17 + lane));
        std::memcpy(static_cast<void*>(&all[k]), values.data(), sizeof values);
    }
    return all;
}

const char* const wide_source = R"(
KERNEL void three(GLOBAL_MEM float3 *out, float3 a, GLOBAL_MEM const float3 *in, float s)
{
    float3 v = in[LID_0];
    out[LID_0] = make_float3(a.x + s * v.x, a.y + s * v.y, a.z + s * v.z);
}
KERNEL void eight(GLOBAL_MEM int8 *out, int8 a, uchar3 b)
{
    out[0] = make_int8(a.s7, a.s6, a.s5, a.s4, a.s3, a.s2, a.s1, a.s0 + b.z);
}
KERNEL void sixteen(GLOBAL_MEM short16 *out, short16 a, long4 b, GLOBAL_MEM int *sizes)
{
    short16 v = a;
    v.sf = (short)(a.s0 + b.w);
    v.sa = -1;
    out[LID_0] = v;
    sizes[0] = (int)sizeof(float3);
    sizes[1] = (int)sizeof(long4);
    sizes[2] = (int)sizeof(short16);
    sizes[3] = (int)sizeof(uchar3);
})";

template <class V>
void check_transfer(const std::string& what) {
    const auto values = some<V>(37, 1);
    const auto x = to_gpu(values);
    CHECK_MESSAGE(x.get() == values, what);
    CHECK_MESSAGE(x.copy().get() == values, what);
    const auto every_second = x(slice({}, {}, 2)).copy().get();
    CHECK_MESSAGE(every_second.size() == 19, what);
    CHECK_MESSAGE(every_second[18] == values[36], what);
    const GPUArray<V> y(default_context(), {5});
    y.fill(values[3]);
    CHECK_MESSAGE(y.get() == std::vector<V>(5, values[3]), what);
    CHECK_MESSAGE(zeros<V>({3}).get() == std::vector<V>(3), what);
    const std::vector<V> taken{values[36], values[0], values[5]};
    CHECK_MESSAGE(take(x, to_gpu(std::vector<int>{36, 0, 5})).get() == taken, what);
}

template <class V>
void check_arithmetic(const std::string& what) {
    using T = typename LanesOf<V>::type;
    const auto a = some<V>(9, 1), b = some<V>(9, 5);
    const auto x = to_gpu(a), y = to_gpu(b);
    const auto sum = (2 * x + y).get();
    for (std::size_t k = 0; k < a.size(); ++k) {
        std::array<T, LanesOf<V>::count> u, v, w;
        std::memcpy(u.data(), &a[k], sizeof u);
        std::memcpy(v.data(), &b[k], sizeof v);
        std::memcpy(w.data(), &sum[k], sizeof w);
        for (std::size_t lane = 0; lane < u.size(); ++lane)
            CHECK_MESSAGE(w[lane] == static_cast<T>(2 * u[lane] + v[lane]), what);
    }
    const auto z = x.copy();
    z += y;
    z -= y;
    CHECK_MESSAGE(z.get() == a, what);
    CHECK_MESSAGE((x + a[2]).get()[0] == (x + x(2)).get()[0], what);
    const Shape of_lanes{9, LanesOf<V>::count};
    CHECK_MESSAGE(lanes(x).shape() == of_lanes, what);
    CHECK_MESSAGE(from_lanes<V>(lanes(x) * static_cast<T>(1)).get() == a, what);
    CHECK_MESSAGE(from_lanes<V>(lanes(x)).is_view_of(x), what);
}

}  // namespace

TEST_SUITE_BEGIN("vectors");

TEST_CASE("vectors of three and eight and sixteen are passed by value and made within kernels") {
    const Context context = default_context();
    const Module module = context.compile(wide_source);
    const auto in = some<float3>(4, 0);
    const auto x = to_gpu(in), out = GPUArray<float3>(context, {4});
    module.kernel("three")({.grid = {1}, .block = {4}}, out, float3{1, 2, 3}, x, 2.0f);
    const auto got = out.get();
    for (std::size_t k = 0; k < 4; ++k) CHECK(got[k] == float3{1 + 2 * in[k].x, 2 + 2 * in[k].y, 3 + 2 * in[k].z});
    const GPUArray<int8> turned(context, {1});
    module.kernel("eight")({.grid = {1}, .block = {1}}, turned, int8{1, 2, 3, 4, 5, 6, 7, 8}, uchar3{1, 2, 200});
    CHECK(turned.get()[0] == int8{8, 7, 6, 5, 4, 3, 2, 201});
    const GPUArray<short16> wide(context, {1});
    std::vector<int> sizes(4);
    short16 a = some<short16>(1, 10)[0];
    module.kernel("sixteen")({.grid = {1}, .block = {1}}, wide, a, long4{1, 2, 3, 4}, Out(sizes));
    a.sf = 14, a.sa = -1;
    CHECK(wide.get()[0] == a);
    CHECK(sizes == std::vector<int>{16, 32, 32, 4});
    CHECK_THROWS_MENTIONING(ArgumentError,
                            module.kernel("three")({.grid = {1}, .block = {4}}, out, std::array<float, 3>{}, x, 2.0f),
                            "float3", "16 bytes", "12");
    CHECK_THROWS_MENTIONING(
        ArgumentError, module.kernel("three")({.grid = {1}, .block = {4}}, out, float3{}, zeros<float4>({4}), 2.0f),
        "float3", "float4");
}

TEST_CASE("arrays of wide vectors are copied and filled and taken from") {
    check_transfer<float3>("float3");
    check_transfer<uchar3>("uchar3");
    check_transfer<short3>("short3");
    check_transfer<long3>("long3");
    check_transfer<char8>("char8");
    check_transfer<float8>("float8");
    check_transfer<ulong4>("ulong4");
    check_transfer<ushort16>("ushort16");
    check_transfer<int16>("int16");
    if (default_context().device().info().has_double) check_transfer<double16>("double16");
}

TEST_CASE("arrays of wide vectors are added and multiplied lane by lane") {
    check_arithmetic<float3>("float3");
    check_arithmetic<int3>("int3");
    check_arithmetic<float8>("float8");
    check_arithmetic<uint16>("uint16");
    check_arithmetic<long4>("long4");
    if (default_context().device().info().has_double) check_arithmetic<double3>("double3");
    // Numbers that lie as three without padding are no vectors yet.
    const auto rows = to_gpu(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
    const auto vectors = from_lanes<float3>(rows);
    CHECK(vectors.get() == std::vector<float3>{{1, 2, 3}, {4, 5, 6}});
    CHECK(!vectors.is_view_of(rows));
}

TEST_CASE("wide vectors are drawn lane by lane and the padding of three takes a number") {
    const random::Philox rng(default_context(), 5);
    random::HostPhilox host(5);
    CHECK(rng.uniform<float3>({100}).get() == host.uniform<float3>(100));
    CHECK(rng.normal<float8>({33}).get() == host.normal<float8>(33));
    CHECK(rng.integers<int16>({7}, -3, 9).get() == host.integers<int16>(7, -3, 9));
    CHECK(rng.position() == host.position());
    const auto of_three = random::Philox(default_context(), 6).uniform<float3>({10}).get();
    const auto of_four = random::Philox(default_context(), 6).uniform<float4>({10}).get();
    for (std::size_t k = 0; k < 10; ++k) CHECK(of_three[k] == float3{of_four[k].x, of_four[k].y, of_four[k].z});
}

TEST_CASE("wide vectors are printed and named") {
    CHECK(dtype_of<float3>().name() == "float3");
    CHECK(dtype_of<uchar16>().name() == "uchar16");
    CHECK(parse_type("double8") == dtype_of<double8>());
    CHECK(parse_type("long3") == dtype_of<long3>());
    CHECK(parse_type("float6").empty());
    CHECK(to_string(to_gpu(std::vector<int3>{{1, 2, 3}, {4, 5, 6}})) == "[(1, 2, 3) (4, 5, 6)]");
}

TEST_SUITE_END();
