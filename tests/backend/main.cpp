/// Runs the suites on the device that GEMEL_BACKEND and GEMEL_DEVICE choose; without one, or if
/// no case can run on it, the run is Skipped (77).
/// `--child NAME` runs a part of a test that asked for a process of its own.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>

#include "child.hpp"
#include "skipped.hpp"

#include <cstdio>
#include <exception>
#include <string_view>

namespace {

int started_cases = 0;

struct CaseCounter : doctest::IReporter {
    explicit CaseCounter(const doctest::ContextOptions&) {}
    void test_case_start(const doctest::TestCaseData&) override { ++started_cases; }
    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};
DOCTEST_REGISTER_LISTENER("case_counter", 1, CaseCounter);

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--child") {
        try {
            return gemel::testing::child_functions().at(argv[2])();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "child %s: %s\n", argv[2], error.what());
            return 99;
        }
    }
    try {
        const gemel::Device device = gemel::default_device();
        std::printf("on %s (%s)\n", device.name().c_str(), device.id().c_str());
    } catch (const gemel::BackendUnavailable& error) {
        std::printf("skipped: %s\n", error.what());
        return 77;
    }
    doctest::Context context(argc, argv);
    const int status = context.run();
    const bool all_skipped = started_cases > 0 && gemel::testing::skipped_cases() == started_cases;
    return status == 0 && all_skipped ? 77 : status;
}
