/// Kernels that fault: the error names the launch, and reset() brings a working context back. Only on devices where a
/// wild store is caught: on a CPU device it would end the process.
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

constexpr const char* wild_source = R"(
KERNEL void write_anywhere(GLOBAL_MEM float *a, int64_t where) { a[where + LID_0] = 1; }
KERNEL void add_one(GLOBAL_MEM float *a) { a[LID_0] += 1; })";

bool faults_are_caught(const gemel::Context& context) {
    return context.device().info().type == gemel::DeviceInfo::Type::gpu;
}

/// Launches a kernel that writes far outside, and returns what the next wait says.
std::string fault(const gemel::Context& context) {
    gemel::Buffer a = context.allocate(64 * sizeof(float));
    gemel::Kernel kernel = context.compile(wild_source).kernel("write_anywhere");
    try {
        kernel({.grid = {3}, .block = {32}}, a, std::int64_t{1} << 44);
        context.synchronize();
    } catch (const gemel::DeviceLost& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a kernel that faults loses the device and the error names the launch") {
    gemel::Context context(gemel::default_device());
    if (!faults_are_caught(context)) {
        MESSAGE("not run: on a CPU device a wild store ends the process");
        return;
    }
    gemel::Buffer before = context.allocate(256);
    const std::string message = fault(context);
    INFO(message);
    CHECK(message.find("write_anywhere") != std::string::npos);
    CHECK(message.find("grid 3") != std::string::npos);
    CHECK(message.find("reset()") != std::string::npos);

    // Everything of the lost context says so, again and again.
    CHECK_THROWS_AS(context.allocate(16), gemel::DeviceLost);
    std::vector<float> host(4);
    CHECK_THROWS_AS(before.download(host), gemel::DeviceLost);

    context.reset();
    std::vector<float> ones(32, 1.0f);
    gemel::Kernel add_one = context.compile(wild_source).kernel("add_one");
    add_one({.grid = {1}, .block = {32}}, gemel::InOut(ones));
    CHECK(ones == std::vector<float>(32, 2.0f));
    CHECK_THROWS_AS(before.download(host), gemel::DeviceLost);
}

TEST_CASE("after a reset a second fault is survived as well") {
    gemel::Context context(gemel::default_device());
    if (!faults_are_caught(context)) {
        MESSAGE("not run: on a CPU device a wild store ends the process");
        return;
    }
    for (int round = 0; round < 2; ++round) {
        CHECK_FALSE(fault(context).empty());
        context.reset();
        std::vector<float> ones(8, 1.0f);
        context.compile(wild_source).kernel("add_one")({.grid = {1}, .block = {8}}, gemel::InOut(ones));
        CHECK(ones[7] == 2.0f);
    }
}

TEST_SUITE_END();
