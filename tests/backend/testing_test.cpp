/// compare_backends: what passes, what does not, and what is said about it. It runs on every device there is.
#include <gemel/arrays/random.hpp>
#include <gemel/arrays/random_host.hpp>
#include <gemel/testing.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <cmath>

using namespace gemel;
using namespace gemel::testing;

namespace {

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
    CHECK(mentions(exact.report(), {"2 BEYOND THE LIMITS", "the first at 2: 3.0000002", "expected 3 (1 ulps)",
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
    if (result.devices() == 1) CHECK(mentions(result.report(), {"nothing was compared"}));
}

TEST_CASE("what is thrown and missing devices are failures") {
    const Comparison thrown = compare_backends([](const Context&) -> GPUArray<float> { throw Error("no such luck"); });
    CHECK(!thrown.passed());
    CHECK(mentions(thrown.report(), {"failed: no such luck"}));
    const Comparison few = compare_backends(always<float>({1}), {.min_devices = 1000});
    CHECK(!few.passed());
    CHECK(mentions(few.report(), {"1000 are required"}));
    CHECK(!compare_backends(always<float>({1, 2}), {.reference = {1}}).passed());
}

TEST_CASE("the function runs in the context that it is given") {
    const Comparison result = compare_backends([](const Context& context) {
        CHECK(current_context() == context);
        const GPUArray<float> array(context, {1});
        array.fill(1);
        return array;
    });
    CHECK(result.passed());
}

TEST_SUITE_END();
