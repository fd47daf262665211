/// OpenCL's own handles: ours for its calls, its for gemel.
#include "support.hpp"

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // clCreateCommandQueue
#include <gemel/interop/opencl.hpp>

using namespace gemel;
using gemel::testing::common_kernel;
using gemel::testing::counting;
using gemel::testing::downloaded;
using gemel::testing::uploaded;

namespace {

bool is_ours() {
    if (default_device().backend() == "opencl") return true;
    const Context context = default_context();
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::native(context), "gemel::opencl", default_device().backend());
    return false;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("program binaries that the driver gives are loaded as they are") {
    if (!is_ours()) return;
    const Context context(default_device());
    const Module made = context.compile("KERNEL void answer(GLOBAL_MEM int *a, int b) { a[0] = b + 1; }");
    const auto program = reinterpret_cast<cl_program>(made.native_handle());
    size_t bytes = 0;
    REQUIRE(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) == CL_SUCCESS);
    std::vector<std::byte> binary(bytes);
    std::byte* at = binary.data();
    REQUIRE(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr) == CL_SUCCESS);
    const Module module = Context(default_device()).load_binary(binary);
    CHECK(module.signatures().empty());
    std::vector<int> a(1);
    module.kernel("answer")({.grid = {1}, .block = {1}}, Out(a), 41);
    CHECK(a[0] == 42);
    const std::string nothing = "no program at all";
    CHECK_THROWS_AS((void)context.load_binary(std::as_bytes(std::span(nothing))), Error);
}

TEST_CASE("OpenCL calls work on what gemel made") {
    if (!is_ours()) return;
    const Context context(default_device());
    const Stream stream = context.create_stream();
    const Buffer buffer = uploaded(context, counting<int>(100));
    std::vector<int> values(100);
    REQUIRE(clEnqueueReadBuffer(opencl::native(stream), opencl::native(buffer), CL_TRUE, 0, 400, values.data(), 0,
                                nullptr, nullptr) == CL_SUCCESS);
    CHECK(values == counting<int>(100));
    cl_context of_queue = nullptr;
    clGetCommandQueueInfo(opencl::native(stream), CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, nullptr);
    CHECK(of_queue == opencl::native(context));
    const Event event = stream.record();
    CHECK(event.device() == default_device());
    cl_command_queue of_event = nullptr;
    REQUIRE(clGetEventInfo(opencl::native(event), CL_EVENT_COMMAND_QUEUE, sizeof of_event, &of_event, nullptr) ==
            CL_SUCCESS);
    CHECK(of_event == opencl::native(stream));
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::native(Event()), "empty");
}

TEST_CASE("foreign OpenCL contexts and buffers and queues are adopted and outlive their owner") {
    if (!is_ours()) return;
    const Context ours(default_device());
    cl_context native = opencl::native(ours);
    cl_device_id device = nullptr;
    clGetContextInfo(native, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr);
    cl_context foreign = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    REQUIRE(foreign);
    const Context context = opencl::wrap(default_device(), foreign);
    cl_command_queue queue = clCreateCommandQueue(foreign, device, 0, nullptr);
    cl_command_queue unordered = clCreateCommandQueue(foreign, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, nullptr);
    std::vector<int> host = counting<int>(64, 5);
    cl_mem memory = clCreateBuffer(foreign, CL_MEM_COPY_HOST_PTR, 256, host.data(), nullptr);
    REQUIRE(memory);
    {
        const Stream stream = opencl::wrap(context, queue);
        const Buffer buffer = opencl::wrap(context, memory, 256), out = context.allocate(256);
        CHECK(opencl::native(buffer) == memory);
        CHECK(opencl::native(stream) == queue);
        CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap(context, memory, 257), "256", "257");
        CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap(ours, memory, 256), "another cl_context");
        CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap(ours, queue), "another cl_context");
        if (unordered) CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap(context, unordered), "order");
        clReleaseMemObject(memory);
        clReleaseCommandQueue(queue);
        clReleaseContext(foreign);
        common_kernel(context, "add")({.grid = {1}, .block = {64}, .stream = stream}, out, buffer, 10, 64);
        stream.synchronize();
        CHECK(downloaded<int>(out)[63] == 63 + 15);
        out.copy_from(buffer);
        CHECK(downloaded<int>(out) == host);
    }
    if (unordered) clReleaseCommandQueue(unordered);
    CHECK_THROWS_MENTIONING(Error, context.reset(), "foreign");
    CHECK_THROWS_AS(opencl::wrap(default_device(), cl_context(nullptr)), ArgumentError);
}

TEST_SUITE_END();
