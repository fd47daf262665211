/// Copies, conversions, assignment, filling, and overlap.
#include "array_support.hpp"

#include <gemel/core/text.hpp>

#include <bit>
#include <complex>
#include <limits>

using namespace gemel;
using gemel::testing::counted;
using gemel::testing::is_left_out;

namespace {

using Ints = std::vector<std::int32_t>;

template <class Target, class Source>
concept Assignable =
    requires(const GPUArray<Target>& target, const GPUArray<Source>& source) { target.assign(source); };

/// A number for each type: its kind and its size.
template <class T>
std::size_t number_of() {
    constexpr DType type = dtype_of<T>();
    return static_cast<std::size_t>(type.kind()) + static_cast<std::size_t>(std::bit_width(type.size_bytes()));
}

/// Values that every type has, so that any conversion is exact.
template <class From, class To>
void check_conversion() {
    std::vector<HostElement<From>> from;
    std::vector<HostElement<To>> expected;
    for (int i = 0; i < 37; ++i) {
        const int value = std::is_same_v<From, bool> ? i % 2 : i * 3;
        from.push_back(static_cast<HostElement<From>>(detail::element_of<From>(value)));
        expected.push_back(static_cast<HostElement<To>>(detail::element_of<To>(value)));
    }
    GPUArray<From> a(default_context(), Shape{37});
    a.set(from);
    CAPTURE(dtype_of<From>().name());
    CAPTURE(dtype_of<To>().name());
    const std::size_t choice = number_of<From>() + number_of<To>();
    if (!is_left_out(2, choice)) CHECK(a.template astype<To>().get() == expected);
    if (is_left_out(2, choice + 1)) return;
    const GPUArray<To> backwards = a(slice({}, {}, -3)).template astype<To>();
    for (int i = 0; i < 13; ++i) CHECK(backwards.get()[i] == expected[36 - 3 * i]);
}

template <class From, class... To>
void check_conversions() {
    (check_conversion<From, To>(), ...);
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a copy has its own memory and keeps the order of axes") {
    const auto a = counted({3, 4});
    const auto b = a.copy();
    b.fill(0);
    CHECK(a(0, 1).item() == 1);
    CHECK(a.transpose().copy().strides() == Strides{1, 4});
    CHECK(a.transpose().copy().get() == a.transpose().get());
    CHECK(a.transpose().copy(Order::C).strides() == Strides{3, 1});
    CHECK(a.copy(Order::F).strides() == Strides{1, 3});
    CHECK(a.copy(Order::F).get() == a.get());
    CHECK(a(slice({}, {}, -1)).copy().get() == Ints{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3});
    CHECK(a(slice(), slice({}, {}, 2)).copy().is_contiguous());
    CHECK(a(0).broadcast_to({2, 4}).copy().get() == Ints{0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("contiguous copies launch no kernel") {
    const auto a = counted({64, 64});
    const auto launches = default_context().statistics().launches;
    (void)a.copy();
    (void)a.transpose().copy();
    a(slice(0, 32)).assign(a(slice(32, 64)));
    a.transpose().assign(a.copy().transpose());
    a(slice({}, {}, -1)).fill(3);
    CHECK(default_context().statistics().launches == launches);
    CHECK(a.get() == Ints(64 * 64, 3));
}

TEST_CASE("all scalar types convert to all others") {
    const auto from = [&]<class From>(From) {
        check_conversions<From, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                          std::uint32_t, std::int64_t, std::uint64_t, half, bfloat16, float, double, cfloat, cdouble>();
    };
    from(bool{});
    from(std::int8_t{});
    from(std::uint16_t{});
    from(std::int32_t{});
    from(std::uint64_t{});
    from(half{});
    from(bfloat16{});
    from(float{});
    from(double{});
    check_conversions<cfloat, cfloat, cdouble, bool>();
    check_conversions<cdouble, cfloat, cdouble, bool>();
}

TEST_CASE("conversions round and cut off as C does") {
    const auto a = to_gpu(std::vector<double>{1.9, -1.9, 0.1, 65504, 1e-8, 16777217});
    CHECK(a.astype<std::int32_t>().get() == Ints{1, -1, 0, 65504, 0, 16777217});
    CHECK(a.astype<float>().get()[2] == 0.1f);
    CHECK(a.astype<half>().get()[2] == half(0.1f));
    CHECK(a.astype<bool>().get() == std::vector<std::uint8_t>(6, 1));
    const auto wide = to_gpu(std::vector<std::int64_t>{(std::int64_t{1} << 62) + 1, -1});
    CHECK(wide.astype<std::uint64_t>().get()[0] == (std::uint64_t{1} << 62) + 1);
    CHECK(wide.astype<std::int8_t>().get() == std::vector<std::int8_t>{1, -1});
    const auto z = to_gpu(std::vector<cdouble>{{0, 2}, {0, 0}});
    CHECK(z.astype<bool>().get() == std::vector<std::uint8_t>{1, 0});
    const AnyArray any = z;
    CHECK_THROWS_MENTIONING(ArgumentError, any.astype(dtype_of<double>()), "real()");
    CHECK_THROWS_AS(any.astype(dtype_of<float4>()), ArgumentError);
}

TEST_CASE("NaNs keep their bits in copies of one type") {
    std::vector<std::uint16_t> bits(64);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(0x7c01 + i);
    const auto a = to_gpu(bits).view_as<half>();
    CHECK(a(slice({}, {}, -1)).copy().view_as<std::uint16_t>()(slice({}, {}, -1)).get() == bits);
    CHECK(a.astype<half>().view_as<std::uint16_t>().get() == bits);
}

TEST_CASE("assignment broadcasts and converts within the kind") {
    const auto a = zeros<float>({3, 4});
    a.assign(counted<double>({4}));
    a(1).assign(counted<std::int64_t>({1}));
    a(slice(), -1).assign(counted<bool>({3}));
    CHECK(a.get() == std::vector<float>{0, 1, 2, 0, 0, 0, 0, 1, 0, 1, 2, 1});
    static_assert(codegen::is_same_kind(dtype_of<double>(), dtype_of<half>()));
    static_assert(codegen::is_same_kind(dtype_of<std::int64_t>(), dtype_of<std::int8_t>()));
    static_assert(codegen::is_same_kind(dtype_of<std::uint8_t>(), dtype_of<std::int8_t>()));
    static_assert(!codegen::is_same_kind(dtype_of<std::int8_t>(), dtype_of<std::uint64_t>()));
    static_assert(!codegen::is_same_kind(dtype_of<float>(), dtype_of<std::int32_t>()));
    static_assert(!codegen::is_same_kind(dtype_of<cfloat>(), dtype_of<double>()));
    static_assert(!codegen::is_same_kind(dtype_of<std::int8_t>(), dtype_of<bool>()));
    static_assert(!codegen::is_same_kind(dtype_of<float4>(), dtype_of<float>()));
    const AnyArray any = a;
    const auto ints = zeros<std::int32_t>({3, 4});
    CHECK_THROWS_MENTIONING(ArgumentError, ints.assign(any), "float", "int32_t", "astype");
    CHECK_THROWS_MENTIONING(ArgumentError, a.assign(zeros<float>({3})), "(3,)", "(3, 4)");
    CHECK_THROWS_MENTIONING(ArgumentError, a.assign(zeros<float>(Context(default_device()), {3, 4})), "context");
}

TEST_CASE("overlapping assignment gives what separate memory would") {
    for (const std::int64_t shift : {1, 2, 7, 63}) {
        auto a = counted({100});
        a(slice(shift, {})).assign(a(slice({}, -shift)));
        auto b = counted({100});
        b(slice({}, -shift)).assign(b(slice(shift, {})));
        Ints up(100), down(100);
        for (int i = 0; i < 100; ++i) {
            up[i] = i < shift ? i : i - static_cast<int>(shift);
            down[i] = i + shift < 100 ? i + static_cast<int>(shift) : i;
        }
        CHECK(a.get() == up);
        CHECK(b.get() == down);
    }
    const auto a = counted({10});
    a.assign(a(slice({}, {}, -1)));
    CHECK(a.get() == Ints{9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    const auto m = counted({3, 3});
    m.assign(m.transpose());
    CHECK(m.get() == Ints{0, 3, 6, 1, 4, 7, 2, 5, 8});
    m.assign(m(1));
    CHECK(m.get() == Ints{1, 4, 7, 1, 4, 7, 1, 4, 7});
    m.assign(m);
    CHECK(m.get() == Ints{1, 4, 7, 1, 4, 7, 1, 4, 7});
    const auto c = counted({12});
    c(slice({}, {}, 2)).assign(c(slice(1, {}, 2)));
    CHECK(c.get() == Ints{1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11});
    // The same bytes as another type.
    const auto bytes = counted<std::uint8_t>({8});
    bytes.view_as<std::uint16_t>().assign(bytes(slice(0, 4)));
    CHECK(bytes.get() == std::vector<std::uint8_t>{0, 0, 1, 0, 2, 0, 3, 0});
}

TEST_CASE("filling reaches the view and nothing else") {
    for (const std::int64_t step : {1, 2, 3, -1, -2}) {
        const auto a = counted<float>({31});
        a(slice(2, -2)).view_as<float>()(slice({}, {}, step)).fill(-1);
        std::vector<float> expected(31);
        for (int i = 0; i < 31; ++i) expected[i] = static_cast<float>(i);
        const int n = 27;
        for (int k = step > 0 ? 0 : n - 1; k >= 0 && k < n; k += static_cast<int>(step)) expected[2 + k] = -1;
        CHECK(a.get() == expected);
    }
    const auto z = zeros<cfloat>({2, 3});
    z(slice(), 1).fill(cfloat(1, 2));
    CHECK(z.get() == std::vector<cfloat>{0, {1, 2}, 0, 0, {1, 2}, 0});
    const auto b = zeros<bool>({5});
    b(slice({}, {}, 2)).fill(true);
    CHECK(b.get() == std::vector<std::uint8_t>{1, 0, 1, 0, 1});
    const auto h = zeros<half>({4});
    h(slice(1, {}, 2)).fill(0.5);
    CHECK(h.get() == std::vector<half>{half(0.f), half(.5f), half(0.f), half(.5f)});
}

TEST_CASE("large and misaligned strided copies agree with the host") {
    const std::int64_t n = (std::int64_t{1} << 18) + 3;
    const auto a = counted<float>({n});
    const auto host = a.get();
    for (const std::int64_t offset : {0, 1, 2, 3}) {
        const auto part = a(slice(offset, {}));
        CHECK(part.astype<double>().get() == std::vector<double>(host.begin() + offset, host.end()));
        CHECK(part.copy().get() == std::vector<float>(host.begin() + offset, host.end()));
        const auto thirds = part(slice({}, {}, 3)).get();
        bool equal = true;
        for (std::size_t i = 0; i < thirds.size(); ++i)
            equal &= thirds[i] == host[static_cast<std::size_t>(offset) + 3 * i];
        CHECK(equal);
    }
}

TEST_CASE("arrays go between contexts of all devices and backends") {
    std::vector<Context> contexts;
    for (const Device& device : all_devices()) contexts.emplace_back(device);
    contexts.push_back(default_context());
    const auto a = counted({5, 7});
    for (const Context& one : contexts) {
        const auto there = a.copy_to(one);
        CHECK(there.context() == one);
        CHECK(there.get() == a.get());
        for (const Context& other : contexts) {
            const auto view = there.transpose()(slice({}, {}, -2), slice(1, 4));
            const auto back = view.copy_to(other);
            CHECK(back.context() == other);
            CHECK(back.get() == view.get());
            const auto flipped = there(slice({}, {}, -1)).copy_to(other);
            CHECK(flipped.get() == there(slice({}, {}, -1)).get());
        }
    }
    CHECK(!a.copy_to(a.context()).is_view_of(a));
}
