/// New arrays: constants, progressions, host values.
#include "array_support.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <limits>

using namespace gemel;

namespace {

struct Tagged {
    std::int32_t id;
    double mass;
    std::array<float, 3> at;
    friend bool operator==(const Tagged&, const Tagged&) = default;
};
GEMEL_STRUCT(Tagged, id, mass, at)

template <class T>
void check_constants() {
    const Shape shape{3, 5};
    CHECK(zeros<T>(shape).get() == std::vector<HostElement<T>>(15, static_cast<HostElement<T>>(T{})));
    CHECK(ones<T>(shape).get() ==
          std::vector<HostElement<T>>(15, static_cast<HostElement<T>>(detail::element_of<T>(1))));
    CHECK(full<T>(shape, 1).dtype() == dtype_of<T>());
    CHECK(empty<T>(shape, Order::F).strides() == Strides{1, 3});
    CHECK(zeros<T>({0, 4}).get().empty());
    CHECK(ones<T>({}).item() == detail::element_of<T>(1));
    const GPUArray<T> like = ones<T>(shape, Order::F);
    CHECK(zeros_like(like).strides() == like.strides());
    CHECK(ones_like(like).get() == like.get());
    CHECK(empty_like(like(slice(), slice({}, {}, 2))).strides() == Strides{3, 1});
    CHECK(full_like(like, 1).get() == like.get());
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("constants of every type are exact") {
    check_constants<bool>();
    check_constants<std::int8_t>();
    check_constants<std::uint8_t>();
    check_constants<std::int16_t>();
    check_constants<std::uint16_t>();
    check_constants<std::int32_t>();
    check_constants<std::uint32_t>();
    check_constants<std::int64_t>();
    check_constants<std::uint64_t>();
    check_constants<half>();
    check_constants<bfloat16>();
    check_constants<float>();
    check_constants<double>();
    check_constants<cfloat>();
    check_constants<cdouble>();
}

TEST_CASE("vectors and structs are elements as well") {
    const float4 v{1, 2, 3, 4};
    CHECK(full<float4>({7}, v).get() == std::vector<float4>(7, v));
    CHECK(zeros<double2>({2, 2}).get() == std::vector<double2>(4, double2{0, 0}));
    const Tagged t{7, 2.5, {1, 2, 3}};
    CHECK(full<Tagged>({3, 4}, t).get() == std::vector<Tagged>(12, t));
    const auto a = zeros<Tagged>({3, 4});
    a(slice({}, {}, 2), slice({}, {}, -3)).fill(t);
    const auto values = a.get();
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) {
            const Tagged expected = row % 2 == 0 && column % 3 == 0 ? t : Tagged{};
            CHECK(values[row * 4 + column] == expected);
        }
    CHECK(a.transpose().copy(Order::C).get()[0] == t);
}

TEST_CASE("values that the element type has not are refused") {
    CHECK_THROWS_MENTIONING(ArgumentError, full<std::int8_t>({2}, 300), "300", "int8_t");
    CHECK_THROWS_AS(full<std::uint8_t>({2}, -1), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, full<std::int32_t>({2}, 0.5), "0.5");
    CHECK_THROWS_AS(full<std::int64_t>({2}, 0x1p63), ArgumentError);
    CHECK_THROWS_AS(full<std::int32_t>({2}, std::nan("")), ArgumentError);
    CHECK(full<std::uint64_t>({1}, ~std::uint64_t{0}).item() == ~std::uint64_t{0});
    CHECK(full<std::int64_t>({1}, -0x1p63).item() == std::numeric_limits<std::int64_t>::min());
    CHECK(full<std::int8_t>({1}, -128.0f).item() == -128);
    CHECK(full<float>({1}, 0.1).item() == 0.1f);
    CHECK(full<half>({1}, 0.1).item() == half(0.1f));
    CHECK(full<cfloat>({1}, 2).item() == cfloat(2));
    static_assert(!ValueFor<std::complex<float>, float>);
    static_assert(!ValueFor<const char*, bool>);
}

TEST_CASE("arange follows the length rule of NumPy") {
    CHECK(arange<std::int32_t>(5).get() == std::vector<std::int32_t>{0, 1, 2, 3, 4});
    CHECK(arange<std::int32_t>(2, 5).get() == std::vector<std::int32_t>{2, 3, 4});
    CHECK(arange<std::int64_t>(10, 0, -3).get() == std::vector<std::int64_t>{10, 7, 4, 1});
    CHECK(arange<std::uint8_t>(250, 256).get() == std::vector<std::uint8_t>{250, 251, 252, 253, 254, 255});
    CHECK(arange<std::int32_t>(0).size() == 0);
    CHECK(arange<std::int32_t>(-3).size() == 0);
    CHECK(arange<std::int32_t>(5, 2).size() == 0);
    CHECK(arange<std::int32_t>(0, 7, 3).size() == 3);
    CHECK(arange<double>(0, 1, 0.1).size() == 10);
    CHECK(arange<double>(1, 1.3, 0.1).size() == 4);  // 0.3 / 0.1 rounds up, so 1.3 itself is among them, as in NumPy
    CHECK(arange<float>(0.5, 3).get() == std::vector<float>{0.5f, 1.5f, 2.5f});
    CHECK(arange<double>(0, -1, -0.25).get() == std::vector<double>{0, -0.25, -0.5, -0.75});
    CHECK(arange<half>(4).get() == std::vector<half>{half(0.f), half(1.f), half(2.f), half(3.f)});
    const auto steps = arange<double>(0.1, 100, 0.3).get();
    for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i] == 0.1 + static_cast<double>(i) * 0.3);  // bit-equal
    const auto rounded = arange<float>(0.1, 100, 0.3).get();
    for (std::size_t i = 0; i < rounded.size(); ++i)
        CHECK(rounded[i] == static_cast<float>(0.1 + static_cast<double>(i) * 0.3));
    CHECK_THROWS_MENTIONING(ArgumentError, arange<int>(0, 5, 0), "step");
    CHECK_THROWS_AS(arange<double>(0, 5, 0.0), ArgumentError);
    CHECK_THROWS_AS(arange<double>(0, std::nan(""), 1.0), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, arange<std::int8_t>(0, 300), "300", "int8_t");
    CHECK_THROWS_AS(arange<std::uint32_t>(-1, 3), ArgumentError);
}

TEST_CASE("linspace ends exactly where it should") {
    const auto values = linspace<double>(0.1, 0.7, 7).get();
    const double step = (0.7 - 0.1) / 6;
    for (std::size_t i = 0; i < 6; ++i) CHECK(values[i] == 0.1 + static_cast<double>(i) * step);
    CHECK(values[6] == 0.7);
    CHECK(linspace<double>(0, 1, 5, false).get() == std::vector<double>{0, 0.2, 0.4, 3 * 0.2, 0.8});
    CHECK(linspace<float>(3, 9, 1).get() == std::vector<float>{3});
    CHECK(linspace<float>(3, 9, 0).size() == 0);
    CHECK(linspace<float>(0, 1).size() == 50);
    CHECK(linspace<std::int32_t>(0, 10, 4).get() == std::vector<std::int32_t>{0, 3, 6, 10});  // downwards, as NumPy
    CHECK(linspace<std::int32_t>(-5, 0, 3).get() == std::vector<std::int32_t>{-5, -3, 0});
    CHECK_THROWS_MENTIONING(ArgumentError, linspace<float>(0, 1, -1), "-1");
}

TEST_CASE("eye has ones on one diagonal") {
    CHECK(eye<std::int32_t>(2).get() == std::vector<std::int32_t>{1, 0, 0, 1});
    CHECK(eye<float>(2, 3, 1).get() == std::vector<float>{0, 1, 0, 0, 0, 1});
    CHECK(eye<float>(2, 3, -1).get() == std::vector<float>{0, 0, 0, 1, 0, 0});
    CHECK(eye<cdouble>(2, 2, 5).get() == std::vector<cdouble>(4));
    CHECK(eye<float>(0).size() == 0);
}

TEST_CASE("host ranges of any kind become arrays") {
    const std::array<double, 3> fixed{1, 2, 3};
    CHECK(to_gpu(fixed).get() == std::vector<double>{1, 2, 3});
    const std::int16_t plain[] = {4, 5};
    CHECK(to_gpu(plain).shape() == Shape{2});
    CHECK(to_gpu(std::span<const double>(fixed), {3, 1}).shape() == Shape{3, 1});
    CHECK(to_gpu(std::vector<float>{}).shape() == Shape{0});
    CHECK(to_gpu(std::vector<float>{}, {3, 0}).shape() == Shape{3, 0});
    CHECK(to_gpu(std::vector<float>{5}, Shape{}).item() == 5);
    CHECK(to_gpu(std::vector<bool>{true, false, true}).get() == std::vector<std::uint8_t>{1, 0, 1});
    CHECK(to_gpu(std::array{true, false}).get() == std::vector<std::uint8_t>{1, 0});
    const auto f = to_gpu(std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}, Order::F);
    CHECK(f.get() == std::vector<int>{1, 3, 5, 2, 4, 6});
    CHECK_THROWS_MENTIONING(ArgumentError, to_gpu(std::vector<float>(10), {3, 4}), "10", "12");
    CHECK_THROWS_AS(to_gpu(std::vector<float>(10), {-1}), ArgumentError);
}

TEST_CASE("arrays are made in the context that is named or current") {
    const Context other(default_device());
    CHECK(zeros<float>(other, {3}).context() == other);
    CHECK(to_gpu(other, std::vector<float>(3)).context() == other);
    CHECK(arange<int>(other, 3).context() == other);
    CHECK(ones_like(other, zeros<float>({3})).context() == other);
    const ContextScope scope(other);
    CHECK(full<float>({3}, 2).context() == other);
    CHECK(eye<float>(3).context() == other);
    CHECK(linspace<float>(0, 1, 3).context() == other);
    CHECK(empty<float>({3}).context() == other);
}

TEST_CASE("sizes beyond 64 bits and beyond the device are refused") {
    CHECK_THROWS_AS(empty<double>({std::int64_t{1} << 61}), OutOfMemory);
    CHECK_THROWS_AS(empty<double>({std::int64_t{1} << 40, std::int64_t{1} << 40}), ArgumentError);
    CHECK_THROWS_AS(zeros<float>({std::int64_t{1} << 50}), OutOfMemory);
    CHECK_THROWS_AS(arange<float>(1e18), OutOfMemory);
}

TEST_CASE("arrays of a type known at run time are made in the current context") {
    const Context other(default_device());
    const ContextScope scope(other);
    for (const DType dtype : {dtype_of<half>(), dtype_of<std::int8_t>(), dtype_of<cfloat>()}) {
        for (const AnyArray& a : {zeros({2, 3}, dtype), ones({2, 3}, dtype), full({2, 3}, 5, dtype),
                                  empty({2, 3}, dtype), ones({2, 3}, dtype, Order::F)}) {
            CHECK(a.dtype() == dtype);
            CHECK(a.shape() == Shape{2, 3});
            CHECK(a.context() == other);
        }
        const auto values = [](const AnyArray& a) { return a.astype(dtype_of<cfloat>()).get<cfloat>(); };
        CHECK(values(zeros({2}, dtype)) == std::vector<cfloat>{0, 0});
        CHECK(values(ones({2}, dtype)) == std::vector<cfloat>{1, 1});
        CHECK(values(full({2}, 5, dtype)) == std::vector<cfloat>{5, 5});
    }
    CHECK(ones({3, 2}, dtype_of<float>(), Order::F).is_contiguous(Order::F));
    CHECK(zeros(default_context(), {3}, dtype_of<float>()).context() == default_context());
    CHECK_THROWS_MENTIONING(ArgumentError, full({2}, 300, dtype_of<std::int8_t>()), "300", "int8_t");
    CHECK_THROWS_MENTIONING(ArgumentError, full({2}, cfloat(0, 1), dtype_of<float>()), "complex", "float");
    CHECK_THROWS_MENTIONING(ArgumentError, ones({2}, dtype_of<float4>()), "float4", "expected numbers");
}

TEST_CASE("arrays like one of unknown type") {
    const AnyArray like = testing::counted<std::int16_t>({2, 3}, Order::F);
    for (const AnyArray& a : {zeros_like(like), ones_like(like), full_like(like, -7), empty_like(like)}) {
        CHECK(a.dtype() == like.dtype());
        CHECK(a.strides() == like.strides());
    }
    CHECK(zeros_like(like).get<std::int16_t>() == std::vector<std::int16_t>(6, 0));
    CHECK(ones_like(like).get<std::int16_t>() == std::vector<std::int16_t>(6, 1));
    CHECK(full_like(like, -7).get<std::int16_t>() == std::vector<std::int16_t>(6, -7));
    CHECK(zeros_like(AnyArray(zeros<Tagged>({2}))).size() == 2);
    const Context other(default_device());
    CHECK(ones_like(other, like).context() == other);
    CHECK(zeros_like(other, like).get<std::int16_t>()[5] == 0);
    CHECK_THROWS_MENTIONING(ArgumentError, full_like(like, 1e6), "1000000", "int16_t");
}

TEST_CASE("arrays of unknown type are filled with numbers") {
    const auto x = zeros<half>({2, 3});
    const AnyArray unknown = x;
    unknown(slice(), slice({}, {}, 2)).fill(1.5);
    const half a(1.5f), z(0);
    CHECK(x.get() == std::vector<half>{a, z, a, a, z, a});
    const AnyArray n = zeros<std::uint64_t>({1}), b = zeros<bool>({1}), c = zeros<cfloat>({1});
    n.fill(~std::uint64_t{0});
    CHECK(n.item<std::uint64_t>() == ~std::uint64_t{0});
    b.fill(3);
    CHECK(b.item<bool>());
    c.fill(cdouble(1, 2));
    CHECK(c.item<cfloat>() == cfloat(1, 2));
    c.fill(n.item());
    CHECK_THROWS_MENTIONING(ArgumentError, n.fill(-1), "-1", "uint64_t");
    CHECK_THROWS_MENTIONING(ArgumentError, n.fill(0.5), "0.5", "uint64_t");
    CHECK_THROWS_MENTIONING(ArgumentError, unknown.fill(cfloat(1, 0)), "fill", "complex", "float16_t");
    CHECK_THROWS_MENTIONING(ArgumentError, AnyArray(zeros<Tagged>({2})).fill(1), "fill", "Tagged", "expected numbers");
}

TEST_CASE("fills of more than 2 GiB reach the end") {
    const Context context = default_context();
    const Device device = context.device();
    const DeviceInfo& info = device.info();
    constexpr std::int64_t count = (std::int64_t{1} << 31) + 5;
    if (info.type != DeviceInfo::Type::gpu || info.max_allocation_bytes < 2 * std::size_t{count}) {
        MESSAGE("SKIPPED: this device is no GPU with some gigabytes");
        return;
    }
    GPUArray<std::uint8_t> x(context, Shape{count});
    x.fill(7);
    CHECK(count_nonzero(x != 7).item() == 0);
    x.fill(8);
    CHECK(count_nonzero(x == 8).item() == count);
}

TEST_CASE("linspace refuses bounds that integers do not hold") {
    CHECK_THROWS_MENTIONING(ArgumentError, linspace<std::uint8_t>(0, 300, 3), "linspace", "300");
    CHECK_THROWS_MENTIONING(ArgumentError, linspace<std::int8_t>(-200, 100, 3), "linspace", "-200");
    CHECK_THROWS_AS(linspace<std::uint32_t>(-5, 5, 3), ArgumentError);
    CHECK_THROWS_AS(linspace<std::int32_t>(0, 1e10, 3), ArgumentError);
    CHECK_THROWS_AS(linspace<std::int32_t>(0, NAN, 3), ArgumentError);
    CHECK(linspace<std::uint8_t>(0, 255, 2).get() == std::vector<std::uint8_t>{0, 255});
    CHECK(linspace<std::uint8_t>(0, 256, 2, false).get() == std::vector<std::uint8_t>{0, 128});
    CHECK(linspace<std::int32_t>(0, 1e10, 0).size() == 0);
}
