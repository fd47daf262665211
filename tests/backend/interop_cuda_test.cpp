/// CUDA's own handles. The driver is reached through gemel alone here, so that the program needs no libcuda to link.
#include "support.hpp"

#include <gemel/interop/cuda.hpp>

#include <memory>

using namespace gemel;
using gemel::testing::common_kernel;
using gemel::testing::counting;
using gemel::testing::downloaded;
using gemel::testing::uploaded;

namespace {

bool is_ours() {
    if (default_device().backend() == "cuda") return true;
    const Context context = default_context();
    CHECK_THROWS_MENTIONING(ArgumentError, cuda::native(context), "gemel::cuda", default_device().backend());
    return false;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("cubins and PTX that others have made are loaded as they are") {
    if (!is_ours() || default_device().name() == "stand-in for a GPU") return;
    const Context context = default_context();
    const char* const text = "extern \"C\" __global__ void answer(int *a, int b) { a[0] = b + 1; }";
    const std::string own = context.device().info().architecture;
    for (const std::string& architecture : {own, "compute_" + own.substr(3)}) {
        CAPTURE(architecture);
        const std::vector<std::byte> binary = compile_offline("cuda", text, architecture, {});
        const Module module = context.load_binary(binary);
        CHECK(module.signatures().empty());
        std::vector<int> a(1);
        module.kernel("answer")({.grid = {1}, .block = {1}}, Out(a), 41);
        CHECK(a[0] == 42);
        if (module.kernel("answer").attributes().binary_architecture)
            CHECK(*module.kernel("answer").attributes().binary_architecture == own);
        const auto half = std::span(binary).first(binary.size() / 2);
        CHECK_THROWS_AS((void)context.load_binary(half), Error);
    }
    const std::string nothing = "no program at all";
    CHECK_THROWS_MENTIONING(Error, context.load_binary(std::as_bytes(std::span(nothing))),
                            "expected a cubin, PTX or a fatbin");
}

TEST_CASE("streams wait for foreign CUDA events and leave them to their owner") {
    if (!is_ours()) return;
    const Context context(default_device());
    const Buffer buffer = uploaded(context, counting<int>(100));
    const Stream first = context.create_stream(), second = context.create_stream();
    common_kernel(context, "add")({.block = {64}, .threads = {100}, .stream = first}, buffer, buffer, 10, 100);
    const Event event = first.record(EventKind::untimed);  // stands for one of the program's own
    {
        const Event wrapped = cuda::wrap(context, cuda::native(event), std::make_shared<Event>(event));
        CHECK(cuda::native(wrapped) == cuda::native(event));
        second.wait(wrapped);
        CHECK_THROWS_MENTIONING(ArgumentError, elapsed_milliseconds(wrapped, wrapped), "timed");
    }
    common_kernel(context, "add")({.block = {64}, .threads = {100}, .stream = second}, buffer, buffer, 100, 100);
    second.synchronize();
    CHECK(downloaded<int>(buffer)[5] == 115);
    CHECK(event.done());  // it is still there
    CHECK_THROWS_AS(cuda::wrap(context, CUevent(nullptr)), ArgumentError);
}

TEST_CASE("CUDA handles of what gemel made are the driver's") {
    if (!is_ours()) return;
    const Context context(default_device()), other(default_device());
    CHECK(cuda::native(context) != nullptr);
    CHECK(cuda::native(context) == cuda::native(other));  // the primary context
    const Buffer buffer = context.allocate(100);
    CHECK(cuda::native(buffer) != 0);
    CHECK(cuda::native(buffer.view(10, 5)) == cuda::native(buffer) + 10);
    const Event event = context.create_stream().record();
    CHECK(event.device() == default_device());
    CHECK(cuda::native(event) != nullptr);
    CHECK_THROWS_MENTIONING(ArgumentError, cuda::native(Event()), "empty");
}

TEST_CASE("foreign CUDA memory and streams are adopted and never freed") {
    if (!is_ours()) return;
    const Context owner(default_device()), context(default_device());
    const Stream lender = owner.create_stream();
    const Buffer memory = uploaded(owner, counting<int>(64, 5));
    auto alive = std::make_shared<int>(1);
    {
        const Stream stream = cuda::wrap(context, cuda::native(lender), alive);
        const Buffer buffer = cuda::wrap(context, cuda::native(memory), 256, alive), out = context.allocate(256);
        CHECK(alive.use_count() == 3);
        CHECK(cuda::native(stream) == cuda::native(lender));
        common_kernel(context, "add")({.grid = {1}, .block = {64}, .stream = stream}, out, buffer, 10, 64);
        stream.synchronize();
        CHECK(downloaded<int>(out)[63] == 63 + 15);
        CHECK_THROWS_AS(cuda::wrap(context, CUdeviceptr{0}, 256), ArgumentError);
    }
    CHECK(alive.use_count() == 1);
    CHECK(downloaded<int>(memory) == counting<int>(64, 5));
    lender.synchronize();
}

TEST_CASE("foreign CUDA modules and arrays are adopted and never freed") {
    if (!is_ours()) return;
    const Context owner(default_device()), context(default_device());
    const Module theirs = owner.compile("KERNEL void add(GLOBAL_MEM int *to, int n) { to[GLOBAL_ID_0] += n; }");
    const Buffer buffer = uploaded(context, counting<int>(64));
    auto alive = std::make_shared<int>(1);
    {
        const Module module = cuda::wrap(context, cuda::native(theirs), alive);
        CHECK(cuda::native(module) == cuda::native(theirs));
        const Kernel kernel = module.kernel("add");
        kernel({.grid = {1}, .block = {64}}, buffer, 10);
        CHECK(downloaded<int>(buffer) == counting<int>(64, 10));
        CHECK_THROWS_MENTIONING(Error, module.binary(), "Module::binary");
        CHECK(alive.use_count() == 2);
    }
    CHECK(alive.use_count() == 1);
    theirs.kernel("add")({.grid = {1}, .block = {64}, .stream = owner.default_stream()},
                         uploaded(owner, counting<int>(64)),
                         10);  // still loaded
    const AnyImage array(owner, {dtype_of<uchar4>(), false}, std::vector<std::size_t>{3, 5, 7}, true);
    array.copy_from(uploaded(owner, counting<std::uint8_t>(3 * 5 * 7 * 4)));
    owner.synchronize();
    for (const bool normalised : {false, true}) {
        const AnyImage image = cuda::wrap(context, cuda::native(array), ImageFormat{dtype_of<uchar4>(), normalised});
        CHECK(image.extents() == std::vector<std::size_t>{3, 5, 7});
        CHECK(image.is_layered());
        CHECK(image.format() == ImageFormat{dtype_of<uchar4>(), normalised});
        const Buffer to = context.allocate(3 * 5 * 7 * 4);
        image.copy_to(to);
        CHECK(downloaded<std::uint8_t>(to) == counting<std::uint8_t>(3 * 5 * 7 * 4));
    }
    CHECK(cuda::wrap(context, cuda::native(array)).dtype() == dtype_of<uchar4>());
    CHECK_THROWS_MENTIONING(ArgumentError,
                            cuda::wrap(context, cuda::native(array), ImageFormat{dtype_of<float>(), false}), "uchar4",
                            "float");
    CHECK_THROWS_AS(cuda::wrap(context, CUarray(nullptr)), ArgumentError);
    CHECK_THROWS_AS(cuda::wrap(context, CUmodule(nullptr)), ArgumentError);
}

TEST_CASE("foreign CUDA memory is filled from any address on") {
    if (!is_ours()) return;
    const Context context(default_device());
    const Buffer memory = context.allocate(128);
    for (const unsigned shift : {1u, 2u, 3u, 4u}) {
        std::vector<std::uint8_t> expected(128, 9);
        memory.upload(expected);
        const Buffer buffer = cuda::wrap(context, cuda::native(memory) + shift, 96);
        buffer.fill(std::uint64_t{0x0807060504030201});
        for (unsigned i = 0; i < 96; ++i) expected[shift + i] = static_cast<std::uint8_t>(1 + i % 8);
        CHECK(downloaded<std::uint8_t>(memory) == expected);
        buffer.fill(std::uint32_t{0x04030201});
        for (unsigned i = 0; i < 96; ++i) expected[shift + i] = static_cast<std::uint8_t>(1 + i % 4);
        CHECK(downloaded<std::uint8_t>(memory) == expected);
        buffer.fill(std::uint16_t{0x0201});
        for (unsigned i = 0; i < 96; ++i) expected[shift + i] = static_cast<std::uint8_t>(1 + i % 2);
        CHECK(downloaded<std::uint8_t>(memory) == expected);
    }
}

TEST_SUITE_END();
