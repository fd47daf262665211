/// For tests written with doctest: a case that runs once per device, and a check of a comparison between devices.
/// It includes doctest, which gemel does not bring.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/testing.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace gemel::testing {

/// Runs a case's body once per device of every backend: each is a subcase named after its id, "opencl:0", its name is
/// shown with what fails, and a context of its own is the current one. Without a device it says so.
inline void run_per_device(void (*body)(const Context&)) {
    const std::vector<Device> all = devices();
    if (all.empty()) DOCTEST_MESSAGE("SKIPPED: there is no device");
    for (const Device& device : all) {
        const std::string id = device.id(), name = device.name();
        DOCTEST_SUBCASE(id.c_str()) {
            DOCTEST_INFO("on ", id, " (", name, ")");
            const Context context(device);
            const ContextScope scope(context);
            body(context);
        }
    }
}

/// Fails where a comparison failed; one that was skipped is reported as a message.
inline void check_comparison(const Comparison& comparison, const char* file, int line) {
    const std::string report = comparison.report();
    if (comparison.outcome() == Outcome::skipped)
        DOCTEST_ADD_MESSAGE_AT(file, line, report);
    else if (comparison.outcome() == Outcome::failed)
        DOCTEST_ADD_FAIL_CHECK_AT(file, line, report);
}

}  // namespace gemel::testing

#define GEMEL_TEST_CASE_OF(function, name, context) \
    static void function(const ::gemel::Context& context); \
    DOCTEST_TEST_CASE(name) { ::gemel::testing::run_per_device(function); } \
    static void function([[maybe_unused]] const ::gemel::Context& context)

/// A test case that runs once per device of every backend. Subcases may stand in it.
///
///     GEMEL_TEST_CASE_PER_DEVICE("ones sum to their number", context) {
///         CHECK(sum(ones<float>(context, 1000)).item() == 1000);
///     }
#define GEMEL_TEST_CASE_PER_DEVICE(name, context) \
    GEMEL_TEST_CASE_OF(DOCTEST_ANONYMOUS(gemel_case_per_device_), name, context)

/// Checks the Comparison that an expression gives: what failed is reported with its report, and what was skipped, which
/// doctest cannot count, is said.
#define GEMEL_CHECK_COMPARISON(...) \
    do { \
        const ::gemel::testing::Comparison gemel_comparison_ = (__VA_ARGS__); \
        ::gemel::testing::check_comparison(gemel_comparison_, __FILE__, __LINE__); \
        if (gemel_comparison_.outcome() == ::gemel::testing::Outcome::passed) DOCTEST_CHECK(true); \
    } while (false)
