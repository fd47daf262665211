/// Operators on arrays of short vectors, against loops on the host.
#include "array_support.hpp"

using namespace gemel;
using namespace gemel::testing;

namespace {

std::vector<float4> some_vectors(std::size_t n, float first) {
    std::vector<float4> all(n);
    for (std::size_t k = 0; k < n; ++k) {
        const float x = first + static_cast<float>(k);
        all[k] = {x, x + 0.5f, -x, 2 * x};
    }
    return all;
}

template <class F>
std::vector<float4> by_lane(const std::vector<float4>& a, const std::vector<float4>& b, const F& f) {
    return mapped(a, b, [&](const float4& u, const float4& v) {
        return float4{f(u.x, v.x), f(u.y, v.y), f(u.z, v.z), f(u.w, v.w)};
    });
}

}  // namespace

TEST_SUITE_BEGIN("vectors");

TEST_CASE("arrays of vectors are added and multiplied lane by lane") {
    const auto a = some_vectors(7, 1), b = some_vectors(7, 3);
    const auto x = to_gpu(a), y = to_gpu(b);
    CHECK((x + y).get() == by_lane(a, b, [](float u, float v) { return u + v; }));
    CHECK((x * y - 2 * x).get() == by_lane(a, b, [](float u, float v) { return u * v - 2 * u; }));
    CHECK((-x / 2.0f).get() == by_lane(a, a, [](float u, float) { return -u / 2; }));
    CHECK(minimum(x, 4 - y).get() == by_lane(a, b, [](float u, float v) { return std::min(u, 4 - v); }));
    const GPUArray<float4> z = x + y;
    CHECK(z.shape() == Shape{7});
    CHECK(GPUArray<float4>(z + float4{1, 2, 3, 4}).get()[0] ==
          float4{1 + 3 + 1, 1.5f + 3.5f + 2, -1 - 3 + 3, 2 + 6 + 4});
}

TEST_CASE("an array of numbers stands beside vectors and shapes are broadcast") {
    const auto a = some_vectors(3, 1);
    const auto x = to_gpu(a);
    const auto weights = to_gpu(std::vector<float>{2, 3, 4});
    std::vector<float4> scaled = a;
    for (std::size_t k = 0; k < 3; ++k) {
        const float w = static_cast<float>(k) + 2;
        scaled[k] = {w * a[k].x, w * a[k].y, w * a[k].z, w * a[k].w};
    }
    CHECK((weights * x).get() == scaled);
    CHECK(((weights + 0.0f) * x).get() == scaled);
    const GPUArray<float4> table = x.reshape({3, 1}) + x;
    CHECK(table.shape() == Shape{3, 3});
    CHECK(table.get()[1 * 3 + 2] == float4{a[1].x + a[2].x, a[1].y + a[2].y, a[1].z + a[2].z, a[1].w + a[2].w});
}

TEST_CASE("vectors of any layout are written in place") {
    const auto a = some_vectors(6, 1);
    const auto x = to_gpu(a, {2, 3}), turned = x.transpose();
    turned += turned;
    CHECK(x.get() == by_lane(a, a, [](float u, float v) { return u + v; }));
    const auto reversed = x(slice(), slice({}, {}, -1));
    reversed *= 0.5f;
    CHECK(x.get() == a);
    x(0).assign(x(1) + 1);
    CHECK(x(0).get()[2] == float4{a[5].x + 1, a[5].y + 1, a[5].z + 1, a[5].w + 1});
    CHECK(GPUArray<float4>(turned * 1.0f).get() == turned.get());
}

TEST_CASE("types of vectors are promoted as those of their numbers") {
    const auto n = to_gpu(std::vector<int2>{{1, 2}, {3, 4}});
    const GPUArray<double2> halves = n / 2;
    CHECK(halves.get() == std::vector<double2>{{0.5, 1}, {1.5, 2}});
    const GPUArray<int2> odd = n % 2;
    CHECK(odd.get() == std::vector<int2>{{1, 0}, {1, 0}});
}

TEST_CASE("lanes are a view and functions work on them") {
    const auto x = to_gpu(std::vector<float4>{{1, 4, 9, 16}, {25, 36, 49, 64}});
    CHECK(lanes(x).shape() == Shape{2, 4});
    CHECK(from_lanes<float4>(sqrt(lanes(x))).get() == std::vector<float4>{{1, 2, 3, 4}, {5, 6, 7, 8}});
    CHECK(from_lanes<float4>(lanes(x)).is_view_of(x));
    lanes(x)(ellipsis, 1).fill(-1);
    CHECK(x.get()[1] == float4{25, -1, 49, 64});
    CHECK(sum(lanes(x), -1).get() == std::vector<float>{1 - 1 + 9 + 16, 25 - 1 + 49 + 64});
    const auto apart = to_gpu(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}).transpose();
    CHECK(from_lanes<float4>(apart).get() == std::vector<float4>{{1, 3, 5, 7}, {2, 4, 6, 8}});
    const auto every_second = counted<float>({2, 8})(ellipsis, slice({}, {}, 2));
    CHECK(from_lanes<float4>(every_second).get() == std::vector<float4>{{0, 2, 4, 6}, {8, 10, 12, 14}});
    CHECK_THROWS_MENTIONING(ArgumentError, from_lanes<float2>(lanes(x)), "(..., 2)", "(2, 4)");
}

TEST_CASE("sums of arrays without elements are empty") {
    const auto none = zeros<float4>({0});
    CHECK((none + none).eval().size() == 0);
}

TEST_SUITE_END();
