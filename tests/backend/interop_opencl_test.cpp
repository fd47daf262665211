/// OpenCL's own handles: ours for its calls, its for gemel.
#include "support.hpp"

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // clCreateCommandQueue
#include <gemel/interop/opencl.hpp>

#include <chrono>
#include <thread>

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

/// A queue of the context that may run its commands out of order; nothing where the device has none.
cl_command_queue unordered_queue(const Context& context) {
    cl_int status = CL_SUCCESS;
    const cl_command_queue queue =
        clCreateCommandQueue(opencl::native(context), reinterpret_cast<cl_device_id>(context.device().native_handle()),
                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    return status == CL_SUCCESS ? queue : nullptr;
}

/// Asks for up to five seconds.
template <class Condition>
bool comes_true(const Condition& condition) {
    for (int k = 0; k < 5000; ++k) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
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

TEST_CASE("foreign programs and kernels are adopted and outlive their owner") {
    if (!is_ours()) return;
    const Context context(default_device());
    const auto device = reinterpret_cast<cl_device_id>(context.device().native_handle());
    const char* text = "__kernel void add(__global int *to, int n) { to[get_global_id(0)] += n; }";
    cl_int status = CL_SUCCESS;
    cl_program theirs = clCreateProgramWithSource(opencl::native(context), 1, &text, nullptr, &status);
    REQUIRE(status == CL_SUCCESS);
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap(context, theirs), "clBuildProgram");
    REQUIRE(clBuildProgram(theirs, 1, &device, "", nullptr, nullptr) == CL_SUCCESS);
    CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap(Context(default_device()), theirs), "another cl_context");
    cl_kernel kernel_of_theirs = clCreateKernel(theirs, "add", &status);
    REQUIRE(status == CL_SUCCESS);
    const Module module = opencl::wrap(context, theirs);
    const Kernel kernel = opencl::wrap(context, kernel_of_theirs);
    CHECK(opencl::native(module) == theirs);
    CHECK(module.kernel_names() == std::vector<std::string>{"add"});
    clReleaseKernel(kernel_of_theirs);
    clReleaseProgram(theirs);
    const Buffer buffer = uploaded(context, counting<int>(64));
    module.kernel("add")({.grid = {1}, .block = {64}}, buffer, 10);
    kernel({.grid = {1}, .block = {64}}, buffer, 100);
    CHECK(downloaded<int>(buffer) == counting<int>(64, 110));
    CHECK_THROWS_MENTIONING(Error, module.kernel("other"), "it has add");
    CHECK_FALSE(module.binary().empty());
    CHECK_THROWS_AS(opencl::wrap(context, cl_program(nullptr)), ArgumentError);
    CHECK_THROWS_AS(opencl::wrap(context, cl_kernel(nullptr)), ArgumentError);
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
        clReleaseMemObject(memory);
        clReleaseCommandQueue(queue);
        clReleaseContext(foreign);
        common_kernel(context, "add")({.grid = {1}, .block = {64}, .stream = stream}, out, buffer, 10, 64);
        stream.synchronize();
        CHECK(downloaded<int>(out)[63] == 63 + 15);
        out.copy_from(buffer);
        CHECK(downloaded<int>(out) == host);
    }
    CHECK_THROWS_MENTIONING(Error, context.reset(), "foreign");
    CHECK_THROWS_AS(opencl::wrap(default_device(), cl_context(nullptr)), ArgumentError);
}

TEST_CASE("streams wait for foreign events and leave them to their owner") {
    if (!is_ours()) return;
    const Context context(default_device());
    cl_int status = CL_SUCCESS;
    const cl_event theirs = clCreateUserEvent(opencl::native(context), &status);
    REQUIRE(status == CL_SUCCESS);
    const Buffer buffer = uploaded(context, std::vector<int>(100, 1));
    const Stream stream = context.create_stream();
    {
        const Event wrapped = opencl::wrap(context, theirs);
        CHECK(opencl::native(wrapped) == theirs);
        CHECK_FALSE(wrapped.done());
        stream.wait(wrapped);
        CHECK_THROWS_MENTIONING(ArgumentError, opencl::wrap(Context(default_device()), theirs), "wrap_event",
                                "another cl_context");
    }
    stream.fill(buffer, 7);
    stream.flush();
    CHECK_FALSE(stream.idle());  // the end of the handle did not complete the event
    REQUIRE(clSetUserEventStatus(theirs, CL_COMPLETE) == CL_SUCCESS);
    stream.synchronize();
    CHECK(downloaded<int>(buffer)[99] == 7);
    clReleaseEvent(theirs);
    // An event of a command, which carries its queue.
    cl_event copied = nullptr;
    std::vector<int> host(100, 3);
    const Stream other = context.create_stream();
    REQUIRE(clEnqueueWriteBuffer(opencl::native(other), opencl::native(buffer), CL_FALSE, 0, 400, host.data(), 0,
                                 nullptr, &copied) == CL_SUCCESS);
    const Event wrapped = opencl::wrap(context, copied);
    clReleaseEvent(copied);
    stream.wait(wrapped);
    stream.fill(buffer.view(0, 4), 5);
    stream.synchronize();
    CHECK(downloaded<int>(buffer)[0] == 5);
    CHECK(downloaded<int>(buffer)[1] == 3);
    wrapped.wait();
    CHECK(wrapped.done());
    CHECK_THROWS_AS(opencl::wrap(context, cl_event(nullptr)), ArgumentError);
}

TEST_CASE("commands of a stream around a foreign queue out of order run in order") {
    if (!is_ours()) return;
    const Context context(default_device());
    const cl_command_queue unordered = unordered_queue(context);
    if (!unordered) {
        MESSAGE("left out: the device has no queues out of order");
        return;
    }
    const Stream stream = opencl::wrap(context, unordered);
    CHECK(opencl::native(stream) == unordered);
    constexpr int n = 1 << 14;
    const Kernel slow = common_kernel(context, "set_all_slowly"), add = common_kernel(context, "add");
    const Buffer a = uploaded(context, std::vector<int>(n, -1)), b = uploaded(context, std::vector<int>(n, -2));
    // The first launch of a kernel waits on PoCL until it has run.
    slow({.block = {64}, .threads = {n}, .stream = stream}, a, 1, n, 1);
    add({.block = {64}, .threads = {n}, .stream = stream}, b, a, 1, n);
    stream.synchronize();
    const UserEvent gate(context);
    stream.wait(gate);  // nothing of what follows may overtake it
    slow({.block = {64}, .threads = {n}, .stream = stream}, a, 1, n, 2000);
    stream.copy(b, a);
    add({.block = {64}, .threads = {n}, .stream = stream}, a, b, 10, n);
    stream.fill(b.view(0, 4), 77);
    int calls = 0;
    const Event before_call = stream.record(EventKind::untimed);
    stream.call([&] { ++calls; });
    const Event end = stream.record(EventKind::untimed);
    CHECK_FALSE(end.done());
    gate.complete();
    // Another stream waits for this one's events.
    const Stream other = context.create_stream();
    other.wait(before_call);
    add({.block = {64}, .threads = {n}, .stream = other}, b, a, 100, n);
    stream.synchronize();
    other.synchronize();
    // Each question is a new marker, whose end takes a moment to be seen.
    CHECK(comes_true([&] { return stream.idle(); }));
    CHECK(end.done());
    // The driver's thread may come to it a moment after the command is done.
    CHECK(comes_true([&] { return calls != 0; }));
    CHECK(calls == 1);
    const auto in_a = downloaded<int>(a), in_b = downloaded<int>(b);
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += in_a[i] != i + 11 || in_b[i] != i + 111;
    CHECK(wrong == 0);
    // A marker of the owner's, out of order too, comes behind gemel's last barrier.
    std::vector<int> host(n, 0);
    stream.copy(a, b);
    const Event copied = stream.record(EventKind::untimed);
    const cl_event after = opencl::native(copied);
    REQUIRE(clEnqueueReadBuffer(unordered, opencl::native(a), CL_TRUE, 0, n * sizeof(int), host.data(), 1, &after,
                                nullptr) == CL_SUCCESS);
    CHECK(host[n - 1] == n - 1 + 111);
    clReleaseCommandQueue(unordered);
}

TEST_SUITE_END();
