/// What bad input gets: an exception of the right type that says who, what and the figures; the context goes on.
#include "support.hpp"

#include <gemel/gemel.hpp>

#include <cstdio>
#include <string_view>

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

/// Checks the form of a message: "name: what was expected and what it got; the next step".
template <class Call>
void check_form(std::string_view name, Call&& call) {
    const std::string message = gemel::testing::message_of<Error>([&] { (void)call(); });
    INFO(message);
    CHECK(message.starts_with(std::string(name) + ": "));
    const std::size_t step = message.rfind("; ");
    CHECK(step != std::string::npos);
    CHECK(step > name.size() + 2);
    CHECK(message.find("  ") == std::string::npos);
    CHECK(message.back() != '.');
}

TEST_CASE("a message begins with the function and ends with the next step") {
    const Context context = default_context();
    const ContextScope scope(context);
    const GPUArray<float> x = zeros<float>({2, 3}), row = zeros<float>({3}), empty;
    const GPUArray<std::int8_t> bytes = zeros<std::int8_t>({3});
    const GPUArray<std::int32_t> index = to_gpu({0});
    const AnyArray any = x;
    check_form("fill", [&] { bytes.fill(300); });
    check_form("fill", [&] { bytes.fill(1.5); });
    check_form("put", [&] { put(bytes, index, 300); });
    check_form("put_mask", [&] { put_mask(bytes, bytes > 0, 300); });
    check_form("place", [&] { place(bytes, bytes > 0, -200); });
    check_form("index", [&] { x(2, 0); });
    check_form("permute", [&] { x.permute({0, 0}); });
    check_form("permute", [&] { x.permute({0, 2}); });
    check_form("reshape", [&] { x.reshape({4}); });
    check_form("broadcast", [&] { x.broadcast_to({2, 4}); });
    check_form("shape", [&] { zeros<float>({-2}); });
    check_form("item", [&] { x.item(); });
    check_form("GPUArray", [&] { AnyArray(context.allocate(4), dtype_of<float>(), Shape{2}, Strides{1}); });
    check_form("flip", [&] { flip(x, Axes{1, -1}); });
    check_form("expression", [&] { (x + zeros<float>({4})).eval(); });
    check_form("expression", [&] { (x + empty).eval(); });
    check_form("operator+", [&] { any + AnyArray(zeros<float>({4})); });
    check_form("operator<<", [&] { any << 1; });
    check_form("sum", [&] { sum(x, 2); });
    check_form("sum", [&] { sum(x, {0, 0}); });
    check_form("sum", [&] { sum(empty); });
    check_form("cumsum", [&] { cumsum(x, 5); });
    check_form("searchsorted", [&] { searchsorted(x, row); });
    check_form("sparse::coo", [&] { sparse::coo<float>({2, 2}, index, index, to_gpu({1.0f, 2.0f})); });
    check_form("uniform", [&] { random::Philox(context, 1).uniform<float>({3}, 1, 0); });
    check_form("Sobol", [&] {
        const random::Sobol points(1);
        points.skip(std::uint64_t{1} << 32);
        points.integers<std::uint32_t>(2);
    });
    check_form("find_device", [&] { find_device("no device has this name"); });
    check_form("allocate", [&] { context.allocate(std::size_t{1} << 60); });
    check_form("download", [&] {
        std::vector<float> host(2);
        context.allocate(4).download(host);
    });
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
