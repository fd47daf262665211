/// For tests written with doctest: a case that runs once per device, a check of a comparison between devices, and a
/// main function for programs that gemel_add_backend_tests() registers. It includes doctest; install doctest yourself.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/testing.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace gemel::testing {

/// Runs a case's body once per device of every backend, or per device that GEMEL_BACKEND and GEMEL_DEVICE select. Each
/// device is a subcase named by its id ("opencl:0"). Failures show the device's name. Each run has its own current
/// context. Without a device the case fails, because doctest cannot skip a case; run_doctest() skips the program
/// instead.
inline void run_per_device(void (*body)(const Context&)) {
    std::vector<Device> all;
    try {
        all = devices();
        if (all.empty()) throw BackendUnavailable("there is no device; `gemel info` says why");
    } catch (const BackendUnavailable& error) {
        const std::string why = std::string(error.what()) +
                                "\n(a main function that returns gemel::testing::run_doctest(argc, argv) skips the "
                                "program where there is no device)";
        DOCTEST_FAIL_CHECK(why);
        return;
    }
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

/// The number of comparisons that GEMEL_CHECK_COMPARISON skipped.
inline int& skipped_comparisons() {
    static int count = 0;
    return count;
}

/// Reports a failed comparison as a failure and a skipped one as a message.
inline void check_comparison(const Comparison& comparison, const char* file, int line) {
    const std::string report = comparison.report();
    if (comparison.outcome() == Outcome::skipped) {
        ++skipped_comparisons();
        DOCTEST_ADD_MESSAGE_AT(file, line, report);
    } else if (comparison.outcome() == Outcome::failed) {
        DOCTEST_ADD_FAIL_CHECK_AT(file, line, report);
    }
}

/// Counts doctest's assertions.
class CheckCounter : public doctest::IReporter {
   public:
    explicit CheckCounter(const doctest::ContextOptions&) {}
    static int& checks() {
        static int count = 0;
        return count;
    }
    void test_run_end(const doctest::TestRunStats& run) override { checks() += run.numAsserts; }
    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

/// The body of a main function. Define DOCTEST_CONFIG_IMPLEMENT before you include this header:
///
///     int main(int argc, char** argv) { return gemel::testing::run_doctest(argc, argv); }
///
/// @returns doctest's exit code; 77 (CTest: Skipped) if no selected device exists, or if comparisons were skipped and
/// nothing else was checked
inline int run_doctest(int argc, const char* const* argv) {
    try {
        const Device device = default_device();
        std::printf("on %s (%s)\n", device.name().c_str(), device.id().c_str());
    } catch (const BackendUnavailable& error) {
        std::fprintf(stderr, "skipped: %s\n", error.what());
        return 77;
    }
    doctest::registerReporter<CheckCounter>("gemel_checks", 0, false);
    const int code = doctest::Context(argc, argv).run();
    if (code != 0 || skipped_comparisons() == 0 || CheckCounter::checks() > 0) return code;
    std::fprintf(stderr, "skipped: every comparison was skipped, and nothing else was checked\n");
    return 77;
}

}  // namespace gemel::testing

#define GEMEL_TEST_CASE_OF(function, name, context) \
    static void function(const ::gemel::Context& context); \
    DOCTEST_TEST_CASE(name) { ::gemel::testing::run_per_device(function); } \
    static void function([[maybe_unused]] const ::gemel::Context& context)

/// A test case that runs once per device; see run_per_device(). It may contain subcases.
///
///     GEMEL_TEST_CASE_PER_DEVICE("ones sum to their number", context) {
///         CHECK(sum(ones<float>(context, 1000)).item() == 1000);
///     }
#define GEMEL_TEST_CASE_PER_DEVICE(name, context) \
    GEMEL_TEST_CASE_OF(DOCTEST_ANONYMOUS(gemel_case_per_device_), name, context)

/// Checks the Comparison that an expression returns. Reports a failed comparison as a failure and a skipped one as a
/// message.
#define GEMEL_CHECK_COMPARISON(...) \
    do { \
        const ::gemel::testing::Comparison gemel_comparison_ = (__VA_ARGS__); \
        ::gemel::testing::check_comparison(gemel_comparison_, __FILE__, __LINE__); \
        if (gemel_comparison_.outcome() == ::gemel::testing::Outcome::passed) DOCTEST_CHECK(true); \
    } while (false)
