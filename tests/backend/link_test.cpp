/// Programs of several units: functions of one that others call, kernels of all, what is wrong named with its unit.
#include "support.hpp"

#include <gemel/core/link.hpp>

using namespace gemel;

namespace {

const char* const calls = R"(
WITHIN_KERNEL_EXTERN float twice(float x);
KERNEL void apply(GLOBAL_MEM float *a) { a[LID_0] = twice(a[LID_0]); })";
const char* const defines = R"(
WITHIN_KERNEL_EXTERN float twice(float x) { return 2 * x; }
KERNEL void count(GLOBAL_MEM int *a, int first) { a[LID_0] = first + LID_0; })";

const LaunchConfig four{.grid = {1}, .block = {4}};

std::vector<float> applied(const Module& module) {
    std::vector<float> x{1, 2, 3, 4};
    module.kernel("apply")(four, InOut(x));
    return x;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("units that are linked call functions of each other and give the kernels of all") {
    const Module module = link(default_context(), {calls, defines});
    CHECK(applied(module) == std::vector<float>{2, 4, 6, 8});
    std::vector<int> n(4);
    module.kernel("count")(four, Out(n), 10);
    CHECK(n == std::vector<int>{10, 11, 12, 13});
    CHECK(module.signatures().size() == 2);
    // Signatures of every unit are known, so that a wrong argument is refused before the launch.
    CHECK_THROWS_MENTIONING(ArgumentError, module.kernel("count")(four, Out(n), 1.5f), "count", "first");
}

TEST_CASE("a linked program comes from memory, from disk and from its binary") {
    const Context context(default_device());
    const Module first = link(context, {calls, defines});
    const Statistics before = context.statistics();
    CHECK(applied(link(context, {calls, defines})) == std::vector<float>{2, 4, 6, 8});
    const Statistics again = context.statistics();
    CHECK(again.compilations == before.compilations);
    CHECK(again.memory_hits == before.memory_hits + 1);
    const std::vector<std::byte> binary = first.binary();
    CHECK(applied(context.load_binary(binary)) == std::vector<float>{2, 4, 6, 8});
    const Context other(default_device());
    CHECK(applied(link(other, {calls, defines})) == std::vector<float>{2, 4, 6, 8});
    CHECK(other.statistics().compilations == 0);
    CHECK(other.statistics().disk_hits == 1);
    // The same texts in another order, or with their border elsewhere, are another program.
    CHECK(applied(link(context, {defines, calls})) == std::vector<float>{2, 4, 6, 8});
    CHECK(context.statistics().memory_hits == again.memory_hits);
}

TEST_CASE("a unit that does not compile is named with its own lines") {
    const std::string broken = "WITHIN_KERNEL_EXTERN float twice(float x)\n{\n    return missing * x;\n}\n";
    CHECK_THROWS_MENTIONING(CompileError, link(default_context(), {calls, broken}), "unit 2", "missing",
                            "3 |     return missing * x;");
    CHECK_THROWS_MENTIONING(CompileError, link(default_context(), {{calls, "caller"}, {broken, "callee"}}), "callee");
}

TEST_CASE("a function that no unit defines is an error of the linker") {
    const auto incomplete = [] {
        (void)link(default_context(), {calls, "KERNEL void other(GLOBAL_MEM int *a) { a[0] = 1; }"});
    };
    CHECK_THROWS_MENTIONING(CompileError, incomplete(), "link: ", "unit 1, unit 2", "linker");
    // PoCL 3.1 and NVIDIA's OpenCL say that it fails, and no more.
    if (default_device().backend() == "cuda") CHECK_THROWS_MENTIONING(CompileError, incomplete(), "twice");
    CHECK_THROWS_AS(link(default_context(), {}), ArgumentError);
}

TEST_CASE("native units are linked with portable ones and one unit alone is a program") {
    const NativeSource native{.cuda = "extern \"C\" __device__ float twice(float x) { return x + x; }",
                              .opencl = "float twice(float x) { return x + x; }"};
    CHECK(applied(link(default_context(), {calls, native})) == std::vector<float>{2, 4, 6, 8});
    const std::string both = std::string(defines) + calls;
    CHECK(applied(link(default_context(), {both})) == std::vector<float>{2, 4, 6, 8});
    // Defines reach every unit.
    const char* const scaled = "WITHIN_KERNEL_EXTERN float twice(float x) { return FACTOR * x; }";
    CHECK(applied(link(default_context(), {calls, scaled}, {.defines = {{"FACTOR", "3"}}})) ==
          std::vector<float>{3, 6, 9, 12});
}
