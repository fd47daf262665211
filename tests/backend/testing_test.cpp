/// compare_backends: what passes, what does not, and what is said about it. It runs on every device there is.
#include <gemel/arrays/npy.hpp>
#include <gemel/arrays/random.hpp>
#include <gemel/arrays/random_host.hpp>
#include <gemel/codegen/struct.hpp>
#include <gemel/testing.hpp>
#include <gemel/testing_doctest.hpp>

#include "support.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <set>

using namespace gemel;
using namespace gemel::testing;

namespace {

struct Inner {
    std::int8_t tag;  // three bytes of padding behind it
    std::array<float, 2> weights;
};
GEMEL_STRUCT(Inner, tag, weights)
struct Outer {
    std::int8_t id;  // seven bytes of padding behind it
    double mass;
    Inner inner;
    cfloat phase;
};
GEMEL_STRUCT(Outer, id, mass, inner, phase)

/// An element whose padding holds these bytes.
std::vector<Outer> padded(int padding, double mass, float weight, float imaginary = 1) {
    std::vector<Outer> values(1);
    Outer& value = values[0];
    std::memset(static_cast<void*>(&value), padding, sizeof value);
    value.id = 7;
    value.mass = mass;
    value.inner.tag = 1;
    value.inner.weights = {1, weight};
    value.phase = {0, imaginary};
    return values;
}

/// Returns these bytes on every device, padding included.
auto always_struct(const std::vector<Outer>& values) {
    return [values](const Context& context) {
        const GPUArray<Outer> array(context, Shape(values.size()));
        array.set_bytes(values.data());
        return array;
    };
}

/// Returns these values on every device.
template <class T>
auto always(const std::vector<T>& values) {
    return [values](const Context& context) {
        const GPUArray<T> array(context, Shape(values.size()));
        array.set(values);
        return array;
    };
}

}  // namespace

TEST_SUITE_BEGIN("testing");

TEST_CASE("random numbers are equal on every device and on the host") {
    const Comparison result =
        compare_backends([](const Context& context) { return random::Philox(context, 2026).normal<float>({10000}); },
                         {.reference = random::HostPhilox(2026).normal<float>(10000)});
    INFO(result.report());
    CHECK(result.passed());
    CHECK(result.devices() == devices().size());
    for (const DeviceResult& device : result.results()) {
        CHECK(device.elements == 10000);
        CHECK(device.max_ulps == 0);
        CHECK(device.seconds > 0);
        CHECK(!device.is_baseline);
    }
}

TEST_CASE("elements beyond the limits are counted and shown") {
    const auto values = always<float>({1, 2, std::nextafter(3.0f, 4.0f), 4.5f});
    const std::vector<float> expected{1, 2, 3, 4};
    const Comparison exact = compare_backends(values, {.reference = expected});
    CHECK(!exact.passed());
    const DeviceResult& device = exact.results().front();
    CHECK(device.differing == 2);
    CHECK(device.first->index == 2);
    CHECK(device.first->ulps == 1);
    CHECK(device.first->expected == "3");
    CHECK(device.worst->index == 3);
    CHECK(device.worst->actual == "4.5");
    CHECK(device.max_absolute == 0.5);
    CHECK(device.max_relative == 0.125);
    CHECK(mentions(exact.report(), {"2 BEYOND THE LIMITS", "the first at 2: 3.0000002", "expected 3 (1 ulp)",
                                    "the worst at 3: 4.5, expected 4"}));
    CHECK(!compare_backends(values, {.max_ulps = 1, .reference = expected}).passed());
    CHECK(compare_backends(values, {.relative = 0.125, .reference = expected}).passed());
    CHECK(compare_backends(values, {.absolute = 0.5, .reference = expected}).passed());
    CHECK(!compare_backends(values, {.absolute = 0.4, .reference = expected}).passed());
}

TEST_CASE("NaN and infinities and zeros compare as values") {
    const float nan = std::nanf(""), inf = INFINITY;
    CHECK(compare_backends(always<float>({nan, inf, -0.0f}), {.reference = {nan, inf, 0.0f}}).passed());
    CHECK(!compare_backends(always<float>({nan}),
                            {.max_ulps = 1e30, .relative = 1e30, .absolute = 1e30, .reference = {1}})
               .passed());
    CHECK(!compare_backends(always<float>({inf}), {.relative = 1, .absolute = 1e30, .reference = {-inf}}).passed());
    const Comparison lost = compare_backends(always<float>({5}), {.relative = 1, .reference = {inf}});
    CHECK(!lost.passed());
    CHECK(lost.results().at(0).max_relative == INFINITY);
}

TEST_CASE("every type is compared in its own units") {
    CHECK(compare_backends(always<std::int32_t>({5, -7}), {.max_ulps = 1, .reference = {6, -7}}).passed());
    CHECK(!compare_backends(always<std::uint64_t>({UINT64_MAX}), {.reference = {UINT64_MAX - 1}}).passed());
    CHECK(compare_backends(always<half>({half(1)}), {.max_ulps = 1, .reference = {half(1.0009765625f)}}).passed());
    CHECK(!compare_backends(always<cfloat>({{1, 2}}), {.max_ulps = 4, .reference = {{1, 2.1f}}}).passed());
    CHECK(mentions(compare_backends(always<cfloat>({{1, 2}}), {.reference = {{1, 3}}}).report(),
                   {"(1, 2), expected (1, 3)"}));
}

TEST_CASE("without a reference the first device is what the others are compared with") {
    const Comparison result = compare_backends(always<float>({1, 2}));
    CHECK(result.passed());
    CHECK(result.results().front().is_baseline);
    if (result.devices() > 1) {
        CHECK(result.outcome() == Outcome::passed);
        CHECK(result.exit_code() == 0);
        return;
    }
    CHECK(mentions(result.report(), {"SKIPPED", "nothing was compared"}));
    CHECK(result.outcome() == Outcome::skipped);
    CHECK(result.exit_code() == 77);
}

TEST_CASE("all devices of all backends agree where the environment names none") {
    const ScopedVariable no_backend("GEMEL_BACKEND", std::nullopt), no_device("GEMEL_DEVICE", std::nullopt);
    const Comparison result =
        compare_backends([](const Context& context) { return random::Philox(context, 2026).normal<float>({10000}); },
                         {.reference = random::HostPhilox(2026).normal<float>(10000)});
    INFO(result.report());
    CHECK(result.outcome() == Outcome::passed);
    CHECK(result.devices() == all_devices().size());
}

TEST_CASE("a comparison keeps to what the environment names and is skipped without it") {
    const auto values = always<float>({1, 2});
    {
        const ScopedVariable one("GEMEL_DEVICE", default_device().id());
        const Comparison result = compare_backends(values, {.reference = {1, 2}});
        REQUIRE(result.devices() == 1);
        CHECK(result.results().front().device == default_device().id());
    }
    const ScopedVariable no_device("GEMEL_DEVICE", std::nullopt), missing("GEMEL_BACKEND", "metal");
    const Comparison none = compare_backends(values, {.reference = {1, 2}, .min_devices = 0});
    CHECK(none.devices() == 0);
    CHECK(none.outcome() == Outcome::skipped);
    CHECK_FALSE(none.passed());
    CHECK(none.exit_code() == 77);
    CHECK(mentions(none.report(), {"SKIPPED", "metal", "GEMEL_BACKEND"}));
}

TEST_CASE("one of a thing is not called several") {
    const Comparison one = compare_backends(always<float>({1}), {.reference = {1}, .min_devices = 1000});
    CHECK(mentions(one.report(), {": 1 element, at most 0 ulps"}));
    if (one.devices() == 1) CHECK(mentions(one.report(), {"1 device took part"}));
    CHECK(mentions(compare_backends(always<float>({1}), {.reference = {1, 2}}).report(), {"shape (1,)", "2 elements"}));
    CHECK(mentions(compare_backends(always<float>({1, 2}), {.reference = {1}}).report(), {"shape (2,)", "1 element;"}));
}

TEST_CASE("devices that disagree are found without a reference") {
    int calls = 0;
    const Comparison result = compare_backends([&](const Context& context) {
        const GPUArray<std::int32_t> array(context, {3});
        array.fill(calls++);
        return array;
    });
    CHECK(result.outcome() == (devices().size() > 1 ? Outcome::failed : Outcome::skipped));
    for (const DeviceResult& device : result.results()) CHECK(device.differing == (device.is_baseline ? 0 : 3));
}

TEST_CASE("what is thrown is a failure") {
    const Comparison thrown = compare_backends([](const Context&) -> GPUArray<float> { throw Error("no such luck"); });
    CHECK(!thrown.passed());
    CHECK(thrown.outcome() == Outcome::failed);
    CHECK(thrown.exit_code() == 1);
    CHECK(mentions(thrown.report(), {"failed: no such luck"}));
    const Comparison other = compare_backends([](const Context&) -> GPUArray<float> { throw 42; });
    CHECK(other.outcome() == Outcome::failed);
    CHECK(mentions(other.report(), {"failed: ", "no std::exception"}));
    CHECK(compare_backends(always<float>({1, 2}), {.reference = {1}}).outcome() == Outcome::failed);
    CHECK(compare_backends([](const Context&) { return AnyArray(); }).outcome() == Outcome::failed);
}

TEST_CASE("too few devices and no elements are skipped") {
    for (const std::vector<float>& reference : {std::vector<float>{}, std::vector<float>{1}}) {
        const Comparison few = compare_backends(always<float>({1}), {.reference = reference, .min_devices = 1000});
        CHECK(!few.passed());
        CHECK(few.outcome() == Outcome::skipped);
        CHECK(few.exit_code() == 77);
        CHECK(mentions(few.report(), {"SKIPPED", "1000 are required"}));
    }
    // What differs is a failure however few there were.
    CHECK(compare_backends(always<float>({1}), {.reference = {2}, .min_devices = 1000}).outcome() == Outcome::failed);
    const Comparison none = compare_backends(always<float>({}));
    CHECK(!none.passed());
    CHECK(none.outcome() == Outcome::skipped);
    CHECK(mentions(none.report(), {"SKIPPED", "no elements"}));
}

TEST_CASE("structs are compared field by field") {
    const std::vector<Outer> expected = padded(0, 2, 3);
    CHECK(compare_backends(always_struct(padded(0xAA, 2, 3)), {.reference = expected}).outcome() == Outcome::passed);
    const auto heavier = always_struct(padded(0xAA, std::nextafter(2.0, 3.0), 3));
    const Comparison exact = compare_backends(heavier, {.reference = expected});
    REQUIRE(exact.outcome() == Outcome::failed);
    CHECK(exact.results().front().worst->field == "mass");
    CHECK(exact.results().front().worst->ulps == 1);
    CHECK(mentions(exact.report(), {"at 0, mass: 2.0000000000000004, expected 2 (1 ulp)"}));
    CHECK(compare_backends(heavier, {.max_ulps = 1, .reference = expected}).passed());
    const Comparison nested = compare_backends(always_struct(padded(0, 2, 3.5f)), {.reference = expected});
    REQUIRE(nested.outcome() == Outcome::failed);
    CHECK(nested.results().front().first->field == "inner.weights[1]");
    CHECK(nested.results().front().max_absolute == 0.5);
    const Comparison turned = compare_backends(always_struct(padded(0, 2, 3, 1.5f)), {.reference = expected});
    REQUIRE(turned.outcome() == Outcome::failed);
    CHECK(turned.results().front().first->field == "phase.imag");
}

TEST_CASE("vectors are compared lane by lane") {
    const std::vector<float4> expected{{1, 2, 3, 4}};
    const auto values = always<float4>({{1, 2, std::nextafter(3.0f, 4.0f), 4}});
    CHECK(compare_backends(values, {.max_ulps = 1, .reference = expected}).passed());
    const Comparison exact = compare_backends(values, {.reference = expected});
    REQUIRE(exact.outcome() == Outcome::failed);
    CHECK(exact.results().front().worst->ulps == 1);
}

TEST_CASE("arrays whose type is known at run time are compared") {
    const auto values = [](const Context& context) { return AnyArray(always<float>({1, 2})(context)); };
    const AnyArray same = values(default_context());
    CHECK(compare_backends(values, {.reference = same}).outcome() == Outcome::passed);
    CHECK(compare_backends(values, {.reference = AnyArray(always<float>({1, 3})(default_context()))}).outcome() ==
          Outcome::failed);
    CHECK(mentions(compare_backends(values, {.reference = same.astype(dtype_of<std::int32_t>())}).report(),
                   {"an array of float, expected int32_t"}));
    CHECK(mentions(compare_backends(values, {.reference = same.reshape({2, 1})}).report(),
                   {"shape (2,), expected (2, 1)"}));
}

TEST_CASE("saved results are the reference of a later run") {
    const ScratchFolder scratch;
    const auto path = scratch / "results.npz";
    const auto values = always<float>({1, 2, 3});
    compare_backends(values).save(path);
    CHECK(NpzFile(path).names().size() == devices().size() + 1);
    for (const Device& device : devices())
        CHECK(NpzFile(path).load<float>(default_context(), device.id()).get() == std::vector<float>{1, 2, 3});

    const Comparison same = compare_backends(values, {.saved = path});
    INFO(same.report());
    CHECK(same.outcome() == Outcome::passed);
    CHECK(!same.results().front().is_baseline);
    CHECK(mentions(same.report(), {"compared with 'reference' in", "results.npz"}));
    CHECK(compare_backends(values, {.saved = path, .saved_name = devices().front().id()}).outcome() == Outcome::passed);
    const Comparison other = compare_backends(always<float>({1, 2, 4}), {.saved = path});
    CHECK(other.outcome() == Outcome::failed);
    CHECK(mentions(other.report(), {"at 2: 4, expected 3"}));

    CHECK(mentions(compare_backends(always<double>({1, 2, 3}), {.saved = path}).report(),
                   {"failed", "results.npz", "<f4", "double"}));
    CHECK(mentions(compare_backends(always<float>({1, 2}), {.saved = path}).report(),
                   {"failed", "shape (2,), expected (3,)"}));
    CHECK_THROWS_MENTIONING(Error, compare_backends(values, {.saved = scratch / "none.npz"}), "none.npz");
    CHECK_THROWS_MENTIONING(Error, compare_backends(values, {.saved = path, .saved_name = "metal:7"}), "metal:7",
                            "reference", devices().front().id());
    CHECK_THROWS_AS(compare_backends(values, {.reference = {1, 2, 3}, .saved = path}), ArgumentError);
    CHECK_THROWS_AS(compare_backends(always<float>({})).save(path), Error);
}

TEST_CASE("every type that NumPy holds and bfloat16 are saved") {
    const ScratchFolder scratch;
    const auto path = scratch / "results.npz";
    const auto structs = always_struct(padded(0, 2, 3));
    compare_backends(structs).save(path);
    CHECK(compare_backends(structs, {.saved = path}).outcome() == Outcome::passed);
    CHECK(compare_backends(always_struct(padded(0, 2, 4)), {.saved = path}).outcome() == Outcome::failed);
    compare_backends(always<bfloat16>({bfloat16(1.5f)}), {.reference = {bfloat16(1.5f)}}).save(path);
    CHECK(compare_backends(always<bfloat16>({bfloat16(1.5f)}), {.saved = path}).outcome() == Outcome::passed);
    CHECK(compare_backends(always<bfloat16>({bfloat16(2.5f)}), {.saved = path}).outcome() == Outcome::failed);
    CHECK_THROWS_AS(compare_backends(always<float4>({{1, 2, 3, 4}})).save(path), ArgumentError);
}

TEST_CASE("the function runs in the context that it is given") {
    GEMEL_CHECK_COMPARISON(compare_backends(
        [](const Context& context) {
            CHECK(current_context() == context);
            const GPUArray<float> array(context, {1});
            array.fill(1);
            return array;
        },
        {.reference = {1}}));
}

TEST_CASE("a check of a comparison that failed fails" * doctest::should_fail()) {
    GEMEL_CHECK_COMPARISON(compare_backends(always<float>({1}), {.reference = {2}}));
}

TEST_CASE("a check of a comparison that was skipped does not fail") {
    GEMEL_CHECK_COMPARISON(compare_backends(always<float>({1}), {.min_devices = 1000}));
}

namespace {
std::multiset<std::string> visited;  // "opencl:0 even"
}

GEMEL_TEST_CASE_PER_DEVICE("a case runs once per device", context) {
    CHECK(current_context() == context);
    SUBCASE("even") { visited.insert(context.device().id() + " even"); }
    SUBCASE("odd") { visited.insert(context.device().id() + " odd"); }
}

TEST_CASE("every device and each subcase had its turn") {
    std::multiset<std::string> expected;
    for (const Device& device : devices()) expected.insert({device.id() + " even", device.id() + " odd"});
    CHECK(visited == expected);
}

TEST_CASE("a case per device fails without a device" * doctest::should_fail()) {
    const ScopedVariable no_device("GEMEL_DEVICE", std::nullopt), missing("GEMEL_BACKEND", "metal");
    run_per_device([](const Context&) {});
}

GEMEL_TEST_CASE_PER_DEVICE("a check that fails on a device fails the case" * doctest::should_fail(), context) {
    CHECK(context.device().id().empty());
}

TEST_SUITE_END();
