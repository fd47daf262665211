/// Between host and device: ranges, strided host memory, single values, streams.
#include "array_support.hpp"

#include <gemel/core/text.hpp>

#include <array>

using namespace gemel;
using gemel::testing::counted;

namespace {
using Ints = std::vector<std::int32_t>;
}

TEST_SUITE_BEGIN("arrays");

TEST_CASE("elements come in C order of the indices whatever the layout") {
    const auto a = counted({2, 3});
    CHECK(a.transpose().get() == Ints{0, 3, 1, 4, 2, 5});
    CHECK(counted({2, 3}, Order::F).get() == Ints{0, 1, 2, 3, 4, 5});
    std::array<std::int32_t, 6> into{};
    a(slice({}, {}, -1)).get(into);
    CHECK(into == std::array<std::int32_t, 6>{3, 4, 5, 0, 1, 2});
    Ints part(3);
    a(1).get(std::span(part));
    CHECK(part == Ints{3, 4, 5});
    a.transpose().set(Ints{10, 11, 12, 13, 14, 15});
    CHECK(a.get() == Ints{10, 12, 14, 11, 13, 15});
}

TEST_CASE("host ranges of another length are refused with both counts") {
    const auto a = counted({2, 3});
    Ints five(5);
    CHECK_THROWS_MENTIONING(ArgumentError, a.get(five), "5", "6");
    CHECK_THROWS_MENTIONING(ArgumentError, a.set(five), "5", "6");
    CHECK_THROWS_MENTIONING(ArgumentError, a.item(), "6", "1");
    CHECK_THROWS_AS(zeros<float>({0}).item(), ArgumentError);
    CHECK(a(slice(1, {}), slice(2, {})).item() == 5);
}

TEST_CASE("host memory with gaps is read and written in place") {
    const auto a = counted({2, 3});
    Ints host(20, -1);
    a.get(HostView<std::int32_t>(host.data() + 1, Shape{2, 3}, Strides{10, 2}));
    CHECK(host == Ints{-1, 0, -1, 1, -1, 2, -1, -1, -1, -1, -1, 3, -1, 4, -1, 5, -1, -1, -1, -1});
    Ints columns(6);
    a.get(HostView(columns.data(), Shape{2, 3}, Order::F));
    CHECK(columns == Ints{0, 3, 1, 4, 2, 5});
    const Ints source{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    a.set(HostView<const std::int32_t>(source.data() + 11, Shape{2, 3}, Strides{-6, -2}));
    CHECK(a.get() == Ints{11, 9, 7, 5, 3, 1});
    const auto f = to_gpu(HostView<const std::int32_t>(source.data(), Shape{3, 4}, Order::F));
    CHECK(f.strides() == Strides{1, 3});
    CHECK(f(1, 2).item() == 7);
    CHECK(to_gpu(HostView<const std::int32_t>(source.data(), Shape{2, 2}, Strides{6, 3})).get() == Ints{0, 3, 6, 9});
    CHECK_THROWS_MENTIONING(ArgumentError, a.get(HostView(columns.data(), Shape{3, 2})), "(3, 2)", "(2, 3)");
}

TEST_CASE("bools are bytes on the host") {
    const auto b = to_gpu(std::vector<bool>{true, false, true, true}, {2, 2});
    static_assert(std::is_same_v<decltype(b.get()), std::vector<std::uint8_t>>);
    CHECK(b.transpose().get() == std::vector<std::uint8_t>{1, 1, 0, 1});
    CHECK(b(0, 0).item());
    CHECK(!b(0, 1).item());
    b.set(std::vector<std::uint8_t>{0, 1, 0, 1});
    std::array<bool, 4> flags{};
    b.get(flags);
    CHECK(flags == std::array{false, true, false, true});
}

TEST_CASE("asynchronous transfers are ordered by their stream") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    const std::size_t n = 100000;
    HostBuffer<std::int32_t> host(context, n);
    for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<std::int32_t>(i);
    const auto a = to_gpu_async(host, {100, 1000}, stream);
    const HostBuffer<std::int32_t> back = a.transpose().get_async(stream);
    const HostBuffer<std::int32_t> straight = a.get_async(stream);
    stream.synchronize();
    bool equal = true;
    for (std::size_t i = 0; i < n; ++i) {
        equal &= straight[i] == static_cast<std::int32_t>(i);
        equal &= back[i] == static_cast<std::int32_t>(i % 100 * 1000 + i / 100);
    }
    CHECK(equal);
    a(slice(), slice({}, {}, -1)).set_async(host, stream);
    CHECK(a(0, -1).item() == 0);  // another stream waits
    CHECK(a(99, 0).item() == 99999);
    CHECK_THROWS_MENTIONING(ArgumentError, a(0).get_async(host, stream), "100000", "1000");
    CHECK(to_gpu_async(HostBuffer<float>(context, 0), stream).shape() == Shape{0});
}

TEST_CASE("elements of arrays of unknown type are read in the type that they have") {
    const AnyArray a = counted({2, 3});
    CHECK(a.transpose().get<std::int32_t>() == Ints{0, 3, 1, 4, 2, 5});
    CHECK(a(1, 2).item<std::int32_t>() == 5);
    CHECK_THROWS_MENTIONING(ArgumentError, a.get<float>(), "int32_t", "float", "astype");
    CHECK_THROWS_MENTIONING(ArgumentError, a(0, 0).item<std::int64_t>(), "int32_t", "int64_t", "astype");
    CHECK_THROWS_MENTIONING(ArgumentError, a.item<std::int32_t>(), "6 elements");
    CHECK(AnyArray(full<bool>({2}, true)).get<bool>() == std::vector<std::uint8_t>{1, 1});
}

TEST_CASE("a single element of unknown type is the widest number of its kind") {
    CHECK(std::get<std::int64_t>(AnyArray(full<std::int8_t>({1}, -3)).item()) == -3);
    CHECK(std::get<std::uint64_t>(AnyArray(full<std::uint16_t>({}, 65535)).item()) == 65535);
    CHECK(std::get<bool>(AnyArray(full<bool>({1}, true)).item()));
    CHECK(std::get<double>(AnyArray(full<half>({1}, 1.5)).item()) == 1.5);
    CHECK(std::get<double>((AnyArray(full<float>({1}, 1.5)) * 2).item()) == 3);
    CHECK(std::get<cdouble>(AnyArray(full<cfloat>({1}, cfloat(1, 2))).item()) == cdouble(1, 2));
    CHECK_THROWS_MENTIONING(ArgumentError, AnyArray(counted({2})).item(), "2 elements");
    CHECK_THROWS_MENTIONING(ArgumentError, AnyArray().item(), "empty");
    CHECK_THROWS_MENTIONING(ArgumentError, AnyArray(zeros<float2>({1})).item(), "float2", "not a number");
}
