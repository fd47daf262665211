/// The driver calls of the first example, one by one, and what GEMEL_SYNC adds to them.
#include "child.hpp"
#include "support.hpp"

#include <gemel/core/text.hpp>
#include <gemel/core/trace.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::run_child;

namespace {

std::mutex mutex;
std::vector<std::string> lines;

void keep(const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
}

/// The names of the calls since the last time, without those that only ask or count references.
std::vector<std::string> calls() {
    const std::lock_guard lock(mutex);
    std::vector<std::string> names;
    for (const auto& line : lines) {
        const std::string name = line.substr(0, line.find('('));
        const bool asks = name.starts_with("clGet") || name == "cuCtxGetCurrent" || name == "cuCtxSetCurrent" ||
                          name == "cuFuncGetAttribute" || name == "cuFuncGetParamInfo" || name == "clFlush" ||
                          name == "clRetainCommandQueue" || name == "clReleaseCommandQueue" || name == "clReleaseEvent";
        if (!asks) names.push_back(name.substr(0, name.find("_v2")));
    }
    lines.clear();
    return names;
}

using Names = std::vector<std::string>;

/// As calls(). A kernel that may begin before the one before it has ended has a call of its own.
Names calls_of_step() {
    Names made = calls();
    std::replace(made.begin(), made.end(), std::string("cuLaunchKernelEx"), std::string("cuLaunchKernel"));
    return made;
}

/// What a step of the example costs in driver calls.
/// @param beside  calls that only some drivers need
void check_step(const char* what, const Names& cuda, const Names& opencl, const Names& beside = {}) {
    Names made = calls_of_step();
    std::erase_if(made, [&](const std::string& name) { return std::count(beside.begin(), beside.end(), name) > 0; });
    const std::string found = std::string(what) + ": " + join(made);
    INFO(found);
    CHECK(made == (default_device().backend() == "cuda" ? cuda : opencl));
}

const char* example = R"(
        KERNEL void multiply_by_two(GLOBAL_MEM float *a)
        {
            int i = LID_0 + LID_1 * 4;
            a[i] *= 2;
        })";

const Child synchronous("sync", [] {
    trace::set_sink(keep);
    const Context context = default_context();
    const Buffer a = context.allocate(64);
    const Kernel kernel = context.compile(example).kernel("multiply_by_two");
    const PreparedLaunch prepared = kernel.prepare({.grid = {1}, .block = {4, 4}}, a);
    kernel({.grid = {1}, .block = {4, 4}}, a);
    const auto waits = [](const char* what) {
        trace::enabled = false;
        const Names names = calls();
        const bool last = !names.empty() && (names.back() == "cuStreamSynchronize" || names.back() == "clFinish");
        std::printf("%s: %s\n", what, last ? "waited" : "did not wait");
        trace::enabled = true;
    };
    trace::enabled = true;
    kernel({.grid = {1}, .block = {4, 4}}, a), waits("launch");
    prepared(), waits("prepared");
    a.fill(1.0f), waits("fill");
    a.view(0, 16).copy_from(a.view(32, 16)), waits("copy");
    trace::enabled = false;
    trace::set_sink(nullptr);
    return 0;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("the first example makes exactly the driver calls that it must") {
    const Context context(default_device());
    // The program is in the memory of the process already: how it gets there is the cache's affair.
    const Module module = context.compile(example);
    module.kernel("multiply_by_two")({.grid = {1}, .block = {4, 4}}, context.allocate(1 << 20));
    context.synchronize();
    trace::set_sink(keep);
    trace::enabled = true;
    (void)calls();

    std::vector<float> a(16, 1.5f), doubled(16);
    {
        const Buffer a_gpu = context.allocate(a.size() * sizeof(float));
        // PoCL on a CPU takes a host block that is freed by a callback; others allocate by themselves.
        check_step("allocate", {"cuMemAlloc"}, {"clCreateBuffer"}, {"clSetMemObjectDestructorCallback"});
        a_gpu.upload(a);
        check_step("upload", {"cuMemcpyHtoDAsync", "cuPointerGetAttributes"}, {"clEnqueueWriteBuffer"});
        const Module again = context.compile(example);
        check_step("compile again", {}, {});
        const Kernel multiply_by_two = again.kernel("multiply_by_two");
        // NVIDIA's OpenCL is asked what the kernel declares of shared memory by setting arguments.
        check_step("fetch the kernel", {"cuModuleGetFunction"}, {"clCreateKernel"}, {"clSetKernelArg"});
        multiply_by_two({.grid = {1}, .block = {4, 4}}, a_gpu);
        // PoCL compiles for the block size then, and is waited for, before and after.
        check_step("launch", {"cuLaunchKernel"}, {"clSetKernelArg", "clEnqueueNDRangeKernel"},
                   {"clFinish", "clEnqueueMarkerWithWaitList", "clWaitForEvents"});
        multiply_by_two({.grid = {1}, .block = {4, 4}}, a_gpu);
        check_step("launch again", {"cuLaunchKernel"}, {"clEnqueueNDRangeKernel"});
        a_gpu.download(doubled);
        check_step("download", {"cuMemcpyDtoHAsync", "cuStreamSynchronize"}, {"clEnqueueReadBuffer"});
    }
    CHECK(doubled == std::vector<float>(16, 6.0f));
    check_step("release the kernel; the pool keeps the memory", {}, {"clReleaseKernel"});
    context.pool().trim();
    check_step("trim", {"cuMemFree", "cuMemFree"}, {"clReleaseMemObject", "clReleaseMemObject"});
    trace::enabled = false;
    trace::set_sink(nullptr);
}

TEST_CASE("a traced line shows the call with its arguments and its result") {
    const Context context(default_device());
    trace::set_sink(keep);
    trace::enabled = true;
    (void)calls();
    CHECK_THROWS_AS(context.compile("KERNEL void f() { nonsense; }", {.name = "traced"}), CompileError);
    const Buffer buffer = context.allocate(12345);
    trace::enabled = false;
    trace::set_sink(nullptr);
    bool failed = false, allocated = false;
    for (const auto& line : lines) {
        CHECK(line.find(") = ") != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
        failed |= line.find("CL_BUILD_PROGRAM_FAILURE") != std::string::npos ||
                  line.find("NVRTC_ERROR_COMPILATION") != std::string::npos;
        allocated |= line.find("12800") != std::string::npos;  // the size class
    }
    lines.clear();
    CHECK(failed);
    CHECK(allocated);
}

TEST_CASE("each command is waited for when the environment asks") {
    const auto result = run_child("sync", {{"GEMEL_SYNC", "1"}});
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    CHECK(result.output == "launch: waited\nprepared: waited\nfill: waited\ncopy: waited\n");
    const auto without = run_child("sync", {{"GEMEL_SYNC", "0"}});
    CHECK(without.output.find("launch: did not wait") != std::string::npos);
}

TEST_CASE("allocations that host and device share and callbacks are traced too") {
    const Context context(default_device());
    trace::set_sink(keep);
    trace::enabled = true;
    (void)calls();
    if (context.device().info().has_managed_memory) {
        const MappedBuffer<int> managed(context, 64, MappedKind::managed);
    }
    std::atomic<bool> called{false};
    context.default_stream().call([&] { called = true; });
    context.synchronize();
    while (!called) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto made = [](const char* name) {
        const std::lock_guard lock(mutex);
        return std::count_if(lines.begin(), lines.end(),
                             [&](const std::string& line) { return line.starts_with(std::string(name) + "("); });
    };
    const auto comes_to = [&](const char* name, int count) {  // some are made by threads of the driver
        for (int i = 0; i < 1000 && made(name) < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return made(name) == count;
    };
    const bool opencl = context.device().backend() == "opencl";
    if (context.device().info().has_managed_memory) {
        CHECK(comes_to(opencl ? "clSVMAlloc" : "cuMemAllocManaged", 1));
        CHECK(comes_to(opencl ? "clSVMFree" : "cuMemFree_v2", 1));
    }
    if (opencl) CHECK(comes_to("clReleaseEvent", 2));  // the callback's and the user event that held it back
    trace::enabled = false;
    trace::set_sink(nullptr);
    (void)calls();
}

TEST_SUITE_END();
