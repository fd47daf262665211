/// What bad input gets: an exception of the right type that says who, what and the figures; the context goes on.
#include "support.hpp"

#include <cstdio>

using namespace gemel;
using gemel::testing::downloaded;

TEST_SUITE_BEGIN("core");

TEST_CASE("each mistake gets its exception and afterwards everything works") {
    const Context context = default_context();
    const Kernel k =
        context.compile("KERNEL void fill_ones(GLOBAL_MEM float *a, int count) { if (LID_0 < count) a[LID_0] = 1; }")
            .kernel("fill_ones");
    const Buffer x = context.allocate(4000);
    const LaunchConfig one{.grid = {1}, .block = {1}};
    CHECK_THROWS_MENTIONING(CompileError,
                            context.compile("KERNEL void f(GLOBAL_MEM float *a) { a[0] = undeclared_name; }"),
                            "undeclared_name");
    CHECK_THROWS_MENTIONING(ArgumentError, k(one, x), "fill_ones", "expected 2", "got 1");
    CHECK_THROWS_MENTIONING(ArgumentError, k(one, x, 3.5), "fill_ones", "count", "int", "double");
    CHECK_THROWS_MENTIONING(ArgumentError, k(one, x, 1.0f), "fill_ones", "count", "int", "float");
    CHECK_THROWS_MENTIONING(ArgumentError, k({.grid = {1}, .block = {1u << 20}}, x, 1), "block");
    CHECK_THROWS_AS(context.allocate(std::size_t{1} << 60), OutOfMemory);
    CHECK_THROWS_MENTIONING(BackendUnavailable, devices("metal"), "metal");
    CHECK_THROWS_MENTIONING(Error, context.compile("KERNEL void present() {}").kernel("no_such_kernel"),
                            "no_such_kernel", "present");
    k({.grid = {1}, .block = {8}}, x, 8);
    CHECK(downloaded<float>(x.view(0, 32)) == std::vector<float>(8, 1));
}

TEST_CASE("every type of error is caught as the one above it") {
    const Context context = default_context();
    CHECK_THROWS_AS(context.allocate(std::size_t{1} << 60), Error);
    CHECK_THROWS_AS(context.allocate(std::size_t{1} << 60), std::runtime_error);
    CHECK_THROWS_AS(context.compile("this is no program"), Error);
    CHECK_THROWS_AS((void)devices("metal"), Error);
    CHECK_THROWS_AS(context.allocate(1).fill(1.0), Error);
}

TEST_CASE("messages are single thoughts and end in no blank line") {
    const Context context = default_context();
    const auto tidy = [](const std::string& message) {
        INFO(message);
        CHECK_FALSE(message.empty());
        CHECK(message.back() != '\n');
        CHECK(message.find("  the") == std::string::npos);
    };
    tidy(gemel::testing::message_of<OutOfMemory>([&] { context.allocate(std::size_t{1} << 60); }));
    tidy(gemel::testing::message_of<BackendUnavailable>([&] { (void)devices("metal"); }));
    tidy(gemel::testing::message_of<ArgumentError>([&] { context.allocate(3).fill(1); }));
}

TEST_CASE("every device of every backend does the same work in one process") {
    for (const BackendStatus& status : backends())
        std::printf("%-8s %s\n", status.name.c_str(), status.available ? "available" : status.reason.c_str());
    Buffer first;
    for (const Device& device : all_devices()) {
        const Context context(device);
        const Buffer u = context.allocate(10000 * sizeof(int));
        gemel::testing::common_kernel(context, "set_all")({.block = {64}, .threads = {10000}}, u, 2026, 10000);
        if (first.empty()) first = u;
        const Buffer here = first.context().allocate(u.size_bytes());
        here.copy_from(u);  // also across backends
        CHECK(downloaded<int>(here) == downloaded<int>(first));
        CHECK(downloaded<int>(here)[9999] == 2026 + 9999);
    }
}

TEST_SUITE_END();
