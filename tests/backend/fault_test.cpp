/// Kernels that fault, and contexts that are reset. Faults are only provoked where a wild store is caught: on a CPU
/// device it would end the process.
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

constexpr const char* source = R"(
KERNEL void write_anywhere(GLOBAL_MEM float *a, int64_t where) { a[where + LID_0] = 1; }
KERNEL void add_one(GLOBAL_MEM float *a) { a[LID_0] += 1; })";

bool faults_are_caught(const gemel::Context& context) {
    return context.device().info().type == gemel::DeviceInfo::Type::gpu;
}

bool adds_one(const gemel::Context& context) {
    std::vector<float> ones(32, 1.0f);
    context.compile(source).kernel("add_one")({.grid = {1}, .block = {32}}, gemel::InOut(ones));
    return ones == std::vector<float>(32, 2.0f);
}

/// Launches a kernel that writes far outside, and returns what the next wait says.
std::string fault(const gemel::Context& context) {
    gemel::Buffer a = context.allocate(64 * sizeof(float));
    gemel::Kernel kernel = context.compile(source).kernel("write_anywhere");
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

TEST_CASE("a healthy context can be reset and what was made before says so") {
    gemel::Context context(gemel::default_device());
    gemel::Buffer before = context.allocate(256);
    gemel::Kernel kernel = context.compile(source).kernel("add_one");
    gemel::Stream stream = context.create_stream();
    context.reset();
    CHECK(adds_one(context));
    std::vector<float> host(4);
    CHECK_THROWS_AS(before.download(host), gemel::DeviceLost);
    CHECK_THROWS_AS(kernel({.grid = {1}, .block = {1}}, before), gemel::DeviceLost);
    CHECK_THROWS_AS(stream.synchronize(), gemel::DeviceLost);
    context.reset();
    CHECK(adds_one(context));
}

TEST_CASE("a kernel that faults loses the device and the error names the launch") {
    gemel::Context context(gemel::default_device());
    CHECK(adds_one(context));
    if (!faults_are_caught(context)) {
        MESSAGE("no fault provoked: on a CPU device a wild store ends the process");
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
    CHECK_THROWS_WITH_AS(context.synchronize(), doctest::Contains("write_anywhere"), gemel::DeviceLost);

    // A driver that recovers gives a working context; one that does not is named, with the next step.
    try {
        context.reset();
        CHECK(adds_one(context));
        CHECK_THROWS_AS(before.download(host), gemel::DeviceLost);
        MESSAGE("this driver gave a working context after the fault");
    } catch (const gemel::DeviceLost& error) {
        const std::string why = error.what();
        INFO(why);
        CHECK(why.find("Start the program anew") != std::string::npos);
        MESSAGE("this driver gives the process no working context after a fault");
    }

    // The other backends of the process go on.
    for (const gemel::Device& device : gemel::all_devices())
        if (device.backend() != context.device().backend()) CHECK(adds_one(gemel::Context(device)));
}

TEST_SUITE_END();
