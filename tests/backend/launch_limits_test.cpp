/// Launches at the ends of what a device takes.
#include <doctest/doctest.h>

#include <gemel/gemel.hpp>

#include "support.hpp"

using namespace gemel;
using namespace gemel::testing;

TEST_SUITE_BEGIN("core");

TEST_CASE("threads are counted in 64 bits") {
    const Context context = current_context();
    const Kernel last = context
                            .compile(
                                "KERNEL void last(GLOBAL_MEM int64_t *out)\n{\n"
                                "    if (LID_0 == LDIM_0 - 1 && GID_0 == GDIM_0 - 1) {\n"
                                "        out[0] = GLOBAL_ID_0;\n        out[1] = GLOBAL_DIM_0;\n    }\n}\n")
                            .kernel("last");
    const auto out = zeros<std::int64_t>(Shape{2});
    // On a CPU device as many threads would take minutes.
    const bool many = context.device().info().type == DeviceInfo::Type::gpu;
    if (!many) MESSAGE("counted to 2^20 only: the device is no GPU");
    const std::int64_t block = many ? 256 : 64, blocks = many ? (std::int64_t{1} << 24) + 12 : std::int64_t{1} << 14;
    last({.grid = {blocks}, .block = {block}}, out);
    CHECK(out.get() == std::vector<std::int64_t>{blocks * block - 1, blocks * block});
}

TEST_CASE("an arena of all shared memory that a device has is taken, one byte more is refused") {
    const Context context = current_context();
    const Device device = context.device();
    const DeviceInfo& info = device.info();
    // NVIDIA's OpenCL launches no arena that is larger: it takes the rest for itself.
    const bool nvidia_opencl = device.backend() == "opencl" && info.vendor.find("NVIDIA") != std::string::npos;
    const std::size_t most =
        info.shared_memory_opt_in_bytes.value_or(info.shared_memory_per_block_bytes) - (nvidia_opencl ? 16 : 0);
    const Kernel ends = context
                            .compile(
                                "KERNEL void ends(GLOBAL_MEM int *out, int last, SHARED_ARENA)\n{\n"
                                "    LOCAL_MEM_ARG int *words = (LOCAL_MEM_ARG int *)shared_arena;\n"
                                "    words[0] = 3;\n    words[last] = 4;\n    local_barrier();\n"
                                "    out[0] = words[0];\n    out[1] = words[last];\n}\n")
                            .kernel("ends");
    const auto out = zeros<std::int32_t>(Shape{2});
    const std::int32_t last = static_cast<std::int32_t>(most / 4) - 1;
    ends({.grid = {1}, .block = {1}, .shared_bytes = most}, out, last);
    CHECK(out.get() == std::vector<std::int32_t>{3, 4});
    CHECK_THROWS_MENTIONING(ArgumentError, ends({.grid = {1}, .block = {1}, .shared_bytes = most + 1}, out, last),
                            "ends", std::to_string(most + 1), nvidia_opencl ? "the driver takes 16" : "at most");
    // Beside what a kernel declares itself.
    const Kernel both = context
                            .compile(
                                "KERNEL void both(GLOBAL_MEM int *out, SHARED_ARENA)\n{\n"
                                "    LOCAL_MEM int own[256];\n    own[LID_0] = LID_0;\n    shared_arena[LID_0] = 1;\n"
                                "    local_barrier();\n    out[LID_0] = own[LID_0] + shared_arena[LID_0];\n}\n")
                            .kernel("both");
    const auto two = zeros<std::int32_t>(Shape{2});
    both({.grid = {1}, .block = {2}, .shared_bytes = most - 1024}, two);
    CHECK(two.get() == std::vector<std::int32_t>{1, 2});
    // PoCL 5.0 does not tell what a kernel declares.
    if (both.attributes().shared_bytes.value_or(0) < 1024)
        MESSAGE("not refused: the device does not tell what the kernel declares itself");
    else
        CHECK_THROWS_MENTIONING(ArgumentError, both({.grid = {1}, .block = {2}, .shared_bytes = most - 1023}, two),
                                "both", "1024", "at most");
}
