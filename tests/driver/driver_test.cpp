/// The CUDA plug-in against a stand-in for the driver: which calls are made, and what a failing call becomes. Each case
/// ends with a context that works, but for the last, which loses it.
#include <doctest/doctest.h>

#include <gemel/gemel.hpp>

#include "stand_in.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace gemel;

namespace {

/// The stand-in that the plug-in has opened.
class StandIn {
   public:
    StandIn() { reset_(); }
    ~StandIn() { reset_(); }
    unsigned long calls(const char* function = nullptr) const { return calls_(function); }
    void fail(const char* function, CUresult result, unsigned long after = 1) const { fail_(function, result, after); }
    void reset() const { reset_(); }

   private:
    template <class F>
    static F* find(const char* name) {
        void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        REQUIRE(library);
        void* const address = dlsym(library, name);
        REQUIRE(address);
        return reinterpret_cast<F*>(address);
    }
    StandInCalls* calls_ = find<StandInCalls>("stand_in_calls");
    StandInFail* fail_ = find<StandInFail>("stand_in_fail");
    StandInReset* reset_ = find<StandInReset>("stand_in_reset");
};

const char* const scale_text = R"(KERNEL void scale(GLOBAL_MEM float *to, float factor, int count) {
    if (GLOBAL_ID_0 < count) to[GLOBAL_ID_0] *= factor;
})";

template <class Thrown, class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const Thrown& error) {
        return error.what();
    }
    FAIL("nothing of that type was thrown");
    return {};
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE_BEGIN("driver");

TEST_CASE("a warm launch asks for the current context and launches: nothing else") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    const StreamScope scope(stream);
    GPUArray<float> x(context, {1000}), y(context, {1000}), z, total(context, Shape{});
    const Kernel scale = context.compile(scale_text).kernel("scale");
    const ElementwiseKernel elementwise("float *to, const float *from, float factor", "to[i] = factor * from[i]");
    const ReductionKernel<float> reduction({.arguments = "const float *x", .identity = "0", .reduce_expr = "a + b"});
    const auto launch = [&] { scale({.grid = 4, .block = 256}, x, 2.0f, 1000); };
    const auto call = [&] { elementwise(y, x, 2.0f); };
    const auto reduce = [&] { reduction({.out = &total}, x); };
    const auto evaluate = [&] { z = 2 * x + y; };
    const auto assign = [&] { y.assign(2 * x + 1); };
    const auto sum = [&] { z = gemel::sum(x * x); };
    const std::vector<std::function<void()>> all{launch, call, reduce, evaluate, assign, sum};
    for (const auto& each : all) {
        for (int warm_up = 0; warm_up < 4; ++warm_up) each();
        const StandIn driver;
        for (int k = 0; k < 10; ++k) each();
        CHECK(driver.calls("cuLaunchKernelEx") == 10);
        CHECK(driver.calls("cuCtxGetCurrent") == 10);
        CHECK(driver.calls() == 20);
    }
}

/// Run by itself with two stand-ins for GPUs.
TEST_CASE("a warm copy to another device is one command and one wait" * doctest::skip()) {
    const Context here(find_device("cuda:0"));
    const Buffer from = here.allocate(1 << 20);
    from.fill(std::uint8_t{1});  // also makes this context current
    // A context of the other device that is made after another one's end may have its handle, and no access yet.
    for (int k = 0; k < 2; ++k) {
        const Context other(find_device("cuda:1"));
        const Buffer there = other.allocate(1 << 20);
        const StandIn driver;
        for (int copies = 0; copies < 2; ++copies) there.copy_from(from);
        CHECK(driver.calls("cuCtxEnablePeerAccess") == 1);
    }
    const Context there(find_device("cuda:1"));
    const Buffer to = there.allocate(1 << 20);
    const Stream stream = there.create_stream();
    const auto calls_of_ten_copies = [&](bool is_used) {
        for (int warm_up = 0; warm_up < 2; ++warm_up) to.copy_from(from);
        if (is_used) stream.fill(to, std::uint8_t{2});
        const StandIn driver;
        for (int k = 0; k < 10; ++k) to.copy_from(from);
        CHECK(driver.calls("cuMemcpyDtoDAsync_v2") == 10);
        CHECK(driver.calls("cuEventRecord") == 0);
        CHECK(driver.calls("cuCtxEnablePeerAccess") == 0);
        return driver.calls();
    };
    CHECK(calls_of_ten_copies(false) == 30);  // the third asks for the current context
    // A stream has used the target: that one is waited for, with its context current meanwhile.
    CHECK(calls_of_ten_copies(true) == 70);
    std::vector<std::uint8_t> found(1 << 20);
    to.download(found);
    CHECK(found == std::vector<std::uint8_t>(1 << 20, 1));
}

TEST_CASE("a kernel begins early where its program lets it wait for the one before") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    GPUArray<float> x(context, {10});
    const auto calls_of = [&](const std::string& text, bool is_native = false) {
        const Kernel kernel = (is_native ? context.compile(NativeSource{text}) : context.compile(text)).kernel("mark");
        const StandIn driver;
        kernel({.grid = 1, .block = 32, .stream = stream}, x);
        return std::pair{driver.calls("cuLaunchKernelEx"), driver.calls("cuLaunchKernel")};
    };
    const std::pair early{1ul, 0ul}, after{0ul, 1ul};
    const std::string mark = "KERNEL void mark(GLOBAL_MEM float *a) { a[0] = 1; }\n";
    CHECK(calls_of(mark) == early);
    CHECK(calls_of(mark + "KERNEL REQD_WG_SIZE(32, 1, 1) void other(GLOBAL_MEM int *a)\n{\n    a[0] = 2;\n}\n") ==
          early);
    // Kernels whose bodies may not be found: of a macro, of a template, in CUDA's own words.
    const std::string make = "#define MAKE(name) KERNEL void name(GLOBAL_MEM float *a) { a[0] = 3; }\n";
    CHECK(calls_of(make + "MAKE(mark)\n") == after);
    CHECK(calls_of(mark + make + "MAKE(other)\n") == after);
    CHECK(calls_of(mark + "template <int N> __global__ void other(float *a) { a[0] = N; }\n") == after);
    CHECK(calls_of("extern \"C\" __global__ void mark(float *a) { a[0] = 4; }", true) == after);
    ::setenv("GEMEL_OVERLAP", "off", 1);
    CHECK(calls_of(mark + "// another program\n") == after);
    ::unsetenv("GEMEL_OVERLAP");
    // In a graph it has an edge of its own kind, unless it follows something else.
    const Kernel kernel = context.compile(mark).kernel("mark");
    const LaunchConfig config{.grid = 1, .block = 32, .stream = stream};
    const StandIn driver;
    const Graph graph = capture(stream, [&] {
        for (int k = 0; k < 3; ++k) kernel(config, x);
        stream.fill(x.buffer(), 0.0f);
        kernel(config, x);
    });
    CHECK(driver.calls("cuGraphAddKernelNode_v2") == 4);
    CHECK(driver.calls("cuGraphAddDependencies_v2") == 2);
    graph.launch();
}

TEST_CASE("a launch that asks for it begins after the kernel before, in a graph as well") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    const GPUArray<float> x(context, {10});
    const Kernel kernel = context.compile("KERNEL void mark(GLOBAL_MEM float *a) { a[0] = 5; }").kernel("mark");
    const LaunchConfig early{.grid = 1, .block = 32, .stream = stream},
        after{.grid = 1, .block = 32, .overlap = false, .stream = stream};
    const StandIn driver;
    kernel(early, x);
    kernel(after, x);
    kernel.prepare(after, x)();
    CHECK(driver.calls("cuLaunchKernelEx") == 1);
    CHECK(driver.calls("cuLaunchKernel") == 2);
    const Graph graph = capture(stream, [&] {
        for (const LaunchConfig* config : {&early, &early, &after, &early}) kernel(*config, x);
    });
    CHECK(driver.calls("cuGraphAddDependencies_v2") == 2);
}

TEST_CASE("exclusive launches of a context come one after another, whatever their streams") {
    const Context context = default_context();
    const Stream one = context.create_stream(), other = context.create_stream();
    const GPUArray<float> x(context, {10}), y(context, {10});
    const Kernel kernel = context.compile("KERNEL void mark(GLOBAL_MEM float *a) { a[0] = 6; }").kernel("mark");
    const auto on = [&](const Stream& stream, bool exclusive) {
        return LaunchConfig{.grid = 1, .block = 32, .exclusive = exclusive, .stream = stream};
    };
    const auto waits = [](auto&& enqueue) {
        const StandIn driver;
        enqueue();
        return driver.calls("cuStreamWaitEvent");
    };
    kernel(on(one, false), x);
    kernel(on(other, false), y);
    CHECK(waits([&] { kernel(on(one, true), x); }) == 0);
    CHECK(waits([&] { kernel(on(one, true), x); }) == 0);
    CHECK(waits([&] { kernel(on(other, false), y); }) == 0);
    CHECK(waits([&] { kernel(on(other, true), y); }) == 1);
    CHECK(waits([&] { kernel(on(other, true), y); }) == 0);
    const PreparedLaunch prepared = kernel.prepare(on(one, true), x);
    CHECK(waits([&] { prepared(); }) == 1);
    Graph graph, ordinary;
    CHECK(waits([&] {
              graph = capture(other, [&] {
                  kernel(on(other, false), y);
                  kernel(on(other, true), y);
              });
              ordinary = capture(other, [&] { kernel(on(other, false), y); });
          }) == 0);
    CHECK(waits([&] { ordinary.launch(); }) == 0);
    CHECK(waits([&] { graph.launch(); }) == 1);
    CHECK(waits([&] { prepared(); }) == 1);
    // CUDA starts the blocks of a cooperative launch together.
    CHECK(waits([&] { kernel({.grid = 2, .block = 32, .cooperative = true, .stream = other}, y); }) == 0);
}

TEST_CASE("rows that blocks share are exclusive launches, rows of one block are not") {
    const Context context = default_context();
    const Stream one = context.create_stream(), other = context.create_stream();
    const auto waits_of = [&](std::int64_t extent) {
        const GPUArray<float> x = ones<float>({2, extent}), y(context, x.shape()), z(context, x.shape());
        const auto run = [&](bool on_other) {
            const StreamScope scope(on_other ? other : one);
            if (on_other)
                evaluate_into(z, x - lazy::min(x, 1));
            else
                evaluate_into(y, x - lazy::max(x, 1));
        };
        for (const bool on_other : {false, true}) run(on_other);
        const StandIn driver;
        for (const bool on_other : {false, true, true, false}) run(on_other);
        return driver.calls("cuStreamWaitEvent");
    };
    CHECK(waits_of(1 << 17) == 3);
    CHECK(waits_of(1 << 12) == 0);
}

TEST_CASE("blocks that fill the device once begin together if a unit could hold more of them") {
    const Context context = default_context();
    const ReductionKernel<float> sum({.arguments = "const float *x", .identity = "0", .reduce_expr = "a + b"});
    const auto early_calls = [&](std::size_t count, std::uint32_t blocks_per_unit) {
        const GPUArray<float> x = ones<float>({static_cast<std::int64_t>(count)});
        const StandIn driver;
        for (int k = 0; k < 3; ++k) sum({.tuning = {.blocks_per_unit = blocks_per_unit}}, x);
        CHECK(driver.calls("cuLaunchKernelEx") + driver.calls("cuLaunchKernel") == 3);
        return driver.calls("cuLaunchKernelEx");
    };
    // The stand-in says that 4 fit.
    CHECK(early_calls(1 << 21, 4) == 3);
    CHECK(early_calls(1 << 21, 2) == 0);
    CHECK(early_calls(1 << 16, 2) == 3);  // not all units have work
}

TEST_CASE("a bundle holds programs for several architectures and the best that fits is taken") {
    const Context context = default_context();
    const char* const text = "KERNEL void bundled(GLOBAL_MEM int *a) { a[0] = 11; }";
    const auto targets_of = [](const KernelBundle& bundle) {
        std::vector<std::string> targets;
        for (const KernelBundle::Entry& entry : bundle.entries()) targets.push_back(entry.target);
        return targets;
    };
    {
        const BundleRecorder recorder({"sm_80", "compute_75", "sm_9"});
        (void)context.compile(text);
        CHECK(targets_of(recorder.bundle()) == std::vector<std::string>{"compute_75", "sm_80", "sm_90"});
    }
    // An sm_90 takes PTX of what is older, and no cubin of an sm_80.
    for (const char* target : {"sm_80", "compute_75"}) {
        const std::string other = std::string(text) + " // " + target;
        const BundleRecorder recorder;
        (void)Context(default_device()).compile(other, {.architecture = target});
        recorder.bundle().use();
        ::setenv("GEMEL_COMPILE", "off", 1);
        const Context fresh(default_device());
        if (std::string(target) == "sm_80") {
            CHECK(has(message_of<BackendUnavailable>([&] { (void)fresh.compile(other); }), "GEMEL_COMPILE=off"));
        } else {
            CHECK_NOTHROW((void)fresh.compile(other));
            CHECK(fresh.statistics().compilations == 0);
        }
        ::unsetenv("GEMEL_COMPILE");
    }
}

TEST_CASE("a kernel's share of shared memory reaches the driver, and a cooperative launch its own call") {
    const Context context = default_context();
    const Kernel kernel =
        context.compile("KERNEL void together(GLOBAL_MEM int *a, GRID_BARRIER(sync)) { grid_barrier(sync); a[0] = 1; }")
            .kernel("together");
    const Buffer a = context.allocate(4);
    const StandIn driver;
    kernel({.grid = {528}, .block = {32}, .cooperative = true}, a);
    CHECK(driver.calls("cuLaunchCooperativeKernel") == 1);
    CHECK(driver.calls("cuLaunchKernel") == 0);
    CHECK(kernel.prefer_shared_memory(75));
    CHECK(driver.calls("cuFuncSetAttribute") == 1);
    CHECK(has(message_of<ArgumentError>([&] { kernel({.grid = {529}, .block = {32}, .cooperative = true}, a); }),
              "at most 528"));
}

TEST_CASE("memory that the driver refuses is OutOfMemory, and the context goes on") {
    const Context context = default_context();
    {
        const StandIn driver;
        driver.fail("cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY);
        const std::string message = message_of<OutOfMemory>([&] { (void)context.allocate(std::size_t{123} << 20); });
        CHECK_MESSAGE(has(message, "128974848"), message);
        CHECK(driver.calls("cuMemAlloc_v2") == 2);  // again after the pool has given back what it held
    }
    GPUArray<int> x(context, {4});
    x.fill(3);
    CHECK(x.get() == std::vector<int>(4, 3));
}

TEST_CASE("a call that fails is a DeviceError with the call and its code") {
    const Context context = default_context();
    const StandIn driver;
    driver.fail("cuStreamCreate", CUDA_ERROR_NOT_SUPPORTED);
    const std::string stream = message_of<DeviceError>([&] { (void)context.create_stream(); });
    CHECK_MESSAGE(has(stream, "cuStreamCreate"), stream);
    CHECK_MESSAGE(has(stream, "CUDA_ERROR_NOT_SUPPORTED"), stream);
    driver.reset();
    CHECK_NOTHROW((void)context.create_stream());
    driver.fail("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    GPUArray<float> x(context, {10});
    const Kernel scale = context.compile(scale_text).kernel("scale");
    const std::string launch = message_of<DeviceError>([&] { scale({.grid = 1, .block = 32}, x, 2.0f, 10); });
    CHECK_MESSAGE(has(launch, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"), launch);
    driver.reset();
    CHECK_NOTHROW(scale({.grid = 1, .block = 32}, x, 2.0f, 10));
}

TEST_CASE("a graph is one call of the driver, and one that cannot be made leaves the context usable") {
    const Context context = default_context();
    const Stream stream = context.create_stream();
    GPUArray<float> x(context, {10});
    const Kernel scale = context.compile(scale_text).kernel("scale");
    const auto three = [&] {
        scale({.grid = 1, .block = 32}, x, 2.0f, 10);
        x.buffer().fill(0);
        scale({.grid = 1, .block = 32}, x, 3.0f, 10);
    };
    const StandIn driver;
    const Graph graph = capture(stream, three);
    CHECK(driver.calls("cuLaunchKernelEx") == 0);
    CHECK(driver.calls("cuGraphAddKernelNode_v2") == 2);
    CHECK(driver.calls("cuGraphAddDependencies_v2") == 0);  // no kernel follows a kernel
    CHECK(driver.calls("cuGraphAddMemsetNode") == 1);
    CHECK(driver.calls("cuGraphInstantiateWithFlags") == 1);
    graph.launch();
    driver.reset();
    graph.launch();
    CHECK(driver.calls("cuGraphLaunch") == 1);
    CHECK(driver.calls("cuLaunchKernelEx") == 0);
    graph.update("scale", "factor", 4.0f);
    CHECK(driver.calls("cuGraphExecKernelNodeSetParams_v2") == 2);
    CHECK(driver.calls("cuGraphInstantiateWithFlags") == 0);
    driver.reset();
    for (const char* const function : {"cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags"}) {
        CAPTURE(function);
        driver.fail(function, CUDA_ERROR_NOT_SUPPORTED);
        const std::string message = message_of<DeviceError>([&] { (void)capture(stream, three); });
        CHECK_MESSAGE(has(message, function), message);
        CHECK_MESSAGE(has(message, "CUDA_ERROR_NOT_SUPPORTED"), message);
        driver.reset();
        CHECK_NOTHROW(capture(stream, three).launch());
    }
    driver.fail("cuGraphLaunch", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    CHECK_THROWS_AS(graph.launch(), DeviceError);
    driver.reset();
    CHECK_NOTHROW(graph.launch());
}

TEST_CASE("a binary that the driver refuses says so with the device and the driver's word") {
    const Context context = default_context();
    const StandIn driver;
    driver.fail("cuModuleLoadDataEx", CUDA_ERROR_INVALID_PTX);
    const std::string message =
        message_of<Error>([&] { (void)context.compile("KERNEL void refused() { int unique_to_this_case = 0; }"); });
    CHECK_MESSAGE(has(message, "CUDA_ERROR_INVALID_PTX"), message);
    CHECK_MESSAGE(has(message, "sm_90"), message);
}

TEST_CASE("options of the assembler reach the driver and its words come back") {
    const Context context = default_context();
    const Module module = context.compile("KERNEL void assembled(GLOBAL_MEM int *a) { a[0] = 1; }");
    const std::vector<std::byte> binary = module.binary();
    const StandIn driver;
    const Module loaded = context.load_binary(binary, {.max_registers = 24,
                                                       .optimization_level = 2,
                                                       .line_info = true,
                                                       .verbose = true,
                                                       .load_caching = JitOptions::LoadCaching::l2});
    CHECK(has(loaded.build_log(), "Used 24 registers"));
    for (const char* option : {"max registers 24", "optimization level 2", "line info 1", "cache mode 1"})
        CHECK_MESSAGE(driver.calls(option) == 1, option);
    CHECK(driver.calls("debug info 1") == 0);
    driver.reset();
    CHECK(context.load_binary(binary).build_log().empty());
    CHECK(driver.calls("max registers 24") == 0);
    CHECK(loaded.kernel("assembled").prefer_cache(CachePreference::cache));
    CHECK(driver.calls("cache config 2") == 1);
    // Programs whose binary is PTX are assembled with the options of their compilation, also from the cache.
    driver.reset();
    const CompileOptions options{.architecture = "compute_90", .jit = {.max_registers = 40}};
    CHECK_NOTHROW((void)context.compile("KERNEL void assembled_later(GLOBAL_MEM int *a) { a[0] = 2; }", options));
    CHECK(driver.calls("max registers 40") == 1);
    // The stand-in links what is for the host alone; the options are there before.
    CHECK_THROWS_AS((void)link(context,
                               {"WITHIN_KERNEL_EXTERN int one(int x) { return x; }",
                                "WITHIN_KERNEL_EXTERN int one(int x);\n"
                                "KERNEL void joined(GLOBAL_MEM int *a) { a[0] = one(1); }"},
                               {.jit = {.max_registers = 56}}),
                    CompileError);
    CHECK(driver.calls("max registers 56") == 1);
}

TEST_CASE("a cubin or a fatbin that is cut short does not reach the driver") {
    const Context context = default_context();
    const StandIn driver;
    // A fatbin's header: mark, version 1, 16 bytes of header, then the size of what follows.
    std::string fatbin("\x50\xed\x55\xba\x01\0\x10\0\x08\0\0\0\0\0\0\0........", 24);
    CHECK_NOTHROW((void)context.load_binary(std::as_bytes(std::span(fatbin))));
    CHECK(driver.calls("cuModuleLoadDataEx") == 1);
    for (const std::size_t size : {std::size_t{23}, std::size_t{16}, std::size_t{9}, std::size_t{4}}) {
        const std::string cut = fatbin.substr(0, size);
        const std::string message =
            message_of<Error>([&] { (void)context.load_binary(std::as_bytes(std::span(cut))); });
        CHECK_MESSAGE(has(message, "the fatbin is truncated"), message);
    }
    CHECK(driver.calls("cuModuleLoadDataEx") == 1);
    const std::string spirv("\x03\x02\x23\x07\0\0\x01\0", 8);
    const std::string message = message_of<Error>([&] { (void)context.load_binary(std::as_bytes(std::span(spirv))); });
    CHECK_MESSAGE(has(message, "SPIR-V"), message);
}

TEST_CASE("an illegal address loses the context: what is said names the last launches") {
    const Context context = default_context();
    GPUArray<float> x(context, {10});
    const Kernel scale = context.compile(scale_text).kernel("scale");
    scale({.grid = 1, .block = 32}, x, 2.0f, 10);
    const StandIn driver;
    driver.fail("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
    driver.fail("cuCtxSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
    const std::string message = message_of<DeviceLost>([&] { context.synchronize(); });
    CHECK_MESSAGE(has(message, "'scale' (grid 1, block 32)"), message);
    CHECK_THROWS_AS(scale({.grid = 1, .block = 32}, x, 2.0f, 10), DeviceLost);
    CHECK_THROWS_AS((void)context.allocate(8), DeviceLost);
}

TEST_SUITE_END();
