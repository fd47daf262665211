/// Programs that are compiled already, options of the assembler, and kernels that a device is born with.
#include "support.hpp"

#include <gemel/core/link.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

using namespace gemel;
using gemel::testing::ScratchFolder;

namespace fs = std::filesystem;

namespace {

const char* const source = R"(
KERNEL void sums(GLOBAL_MEM float *out, GLOBAL_MEM const float *in)
{
    float x[16], y = 0.0f;
    for (int k = 0; k < 16; ++k) x[k] = in[LID_0 + k];
    for (int k = 0; k < 16; ++k) y += x[k] * x[15 - k];
    out[LID_0] = y;
})";

const char* const native_cuda = R"(
extern "C" __global__ void triple(unsigned int *out) { out[threadIdx.x] = 3u * threadIdx.x; })";

/// What `sums` gives for 0, 1, 2, ...
std::vector<float> summed(const Module& module) {
    std::vector<float> in = testing::counting<float>(64), out(8);
    module.kernel("sums")({.grid = {1}, .block = {8}}, Out(out), In(in));
    return out;
}
std::vector<float> expected_sums() {
    std::vector<float> all;
    for (int first = 0; first < 8; ++first) {
        float y = 0;
        for (int k = 0; k < 16; ++k) y += static_cast<float>((first + k) * (first + 15 - k));  // exact in float
        all.push_back(y);
    }
    return all;
}

/// What `triple` gives.
std::vector<std::uint32_t> tripled(const Module& module) {
    std::vector<std::uint32_t> out(8);
    module.kernel("triple")({.grid = {1}, .block = {8}}, Out(out));
    return out;
}
const std::vector<std::uint32_t> triples{0, 3, 6, 9, 12, 15, 18, 21};

bool is_cuda() { return default_device().backend() == "cuda"; }
bool is_nvidia() { return default_device().info().vendor.find("NVIDIA") != std::string::npos; }

std::vector<std::byte> bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), {}};
    const auto bytes = std::as_bytes(std::span(all));
    return {bytes.begin(), bytes.end()};
}
void write(const fs::path& file, const std::vector<std::byte>& bytes) {
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

/// "compute_90" of the device's "sm_90", or the highest below it that this NVRTC may know.
std::string virtual_architecture() { return "compute_" + default_device().info().architecture.substr(3); }

/// SPIR-V 1.0 of `kernel void triple(global uint *out) { out[get_global_id(0)] = 3 * get_global_id(0); }`, word by
/// word.
std::vector<std::uint32_t> spirv() {
    enum : std::uint32_t {
        entry = 1,
        id,
        none,
        uint,
        ulong,
        vector,
        input,
        global,
        function,
        three,
        out,
        first,
        whole,
        x,
        n,
        product,
        place,
        bound
    };
    std::vector<std::uint32_t> words{0x07230203, 0x00010000, 0, bound, 0};
    const auto add = [&](std::uint32_t opcode, std::vector<std::uint32_t> operands) {
        words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | opcode);
        words.insert(words.end(), operands.begin(), operands.end());
    };
    constexpr std::uint32_t trip = 't' + ('r' << 8) + ('i' << 16) + ('p' << 24), le = 'l' + ('e' << 8);
    for (const std::uint32_t capability : {4u, 6u, 11u}) add(17, {capability});  // Addresses, Kernel, Int64
    add(14, {2, 2});                                                             // memory model: Physical64, OpenCL
    add(15, {6, entry, trip, le, id});
    add(71, {id, 11, 28});  // built-in GlobalInvocationId
    add(19, {none});
    add(21, {uint, 32, 0});
    add(21, {ulong, 64, 0});
    add(23, {vector, ulong, 3});
    add(32, {input, 1, vector});
    add(32, {global, 5, uint});
    add(33, {function, none, global});
    add(43, {uint, three, 3});
    add(59, {input, id, 1});
    add(54, {none, entry, 0, function});
    add(55, {global, out});
    add(248, {first});
    add(61, {vector, whole, id});
    add(81, {ulong, x, whole, 0});
    add(113, {uint, n, x});
    add(132, {uint, product, n, three});
    add(70, {global, place, out, x});
    add(62, {place, product, 2, 4});  // aligned to 4 bytes
    add(253, {});
    add(56, {});
    return words;
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("options of the assembler change code and not results") {
    const Context context = default_context();
    using Loads = JitOptions::LoadCaching;
    for (const JitOptions& jit :
         {JitOptions{.max_registers = 24}, JitOptions{.optimization_level = 0}, JitOptions{.line_info = true},
          JitOptions{.verbose = true}, JitOptions{.load_caching = Loads::l2},
          JitOptions{
              .max_registers = 32, .optimization_level = 3, .verbose = true, .load_caching = Loads::l1_and_l2}}) {
        const Module module = context.compile(source, {.jit = jit});
        CHECK(summed(module) == expected_sums());
        if (is_cuda() && jit.max_registers > 0) CHECK(*module.kernel("sums").attributes().registers <= 32);
        if (is_cuda() && jit.verbose) CHECK(testing::mentions(module.build_log(), {"registers", "sums"}));
        CHECK(summed(context.load_binary(module.binary(), jit)) == expected_sums());
    }
    CHECK_THROWS_MENTIONING(ArgumentError, context.compile(source, {.jit = {.max_registers = -1}}), "max_registers",
                            "-1");
    CHECK_THROWS_MENTIONING(ArgumentError, context.compile(source, {.jit = {.optimization_level = 5}}),
                            "optimization_level", "0 to 4", "5");
    const std::vector<std::byte> binary = context.compile(source).binary();
    CHECK_THROWS_MENTIONING(ArgumentError, context.load_binary(binary, {.max_registers = -2}), "load_binary", "-2");
}

TEST_CASE("a limit of registers counts in kernels that name their block") {
    // Each thread needs its 48 elements twice: without a limit, they stay in registers.
    const std::string named = R"(
KERNEL REQD_WG_SIZE(64, 1, 1) void spread(GLOBAL_MEM const float *in, GLOBAL_MEM float *out)
{
    float x[48];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 48; ++k) {
        x[k] = in[48 * LID_0 + k];
        sum += x[k];
    }
#pragma unroll
    for (int k = 0; k < 48; ++k) out[48 * LID_0 + k] = sum - x[k];
}
)";
    const Context context = default_context();
    std::vector<float> in(64 * 48), expected(in.size()), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 7);
    for (std::size_t row = 0; row < 64; ++row) {
        const float sum = std::accumulate(in.begin() + row * 48, in.begin() + (row + 1) * 48, 0.0f);
        for (std::size_t k = 0; k < 48; ++k) expected[48 * row + k] = sum - in[48 * row + k];
    }
    for (const int limit : {0, 32}) {
        const Module module = context.compile(named, {.jit = {.max_registers = limit}});
        const Kernel kernel = module.kernel("spread");
        kernel({.grid = {1}, .block = {64}}, In(in), Out(out));
        CHECK(out == expected);
        CHECK_THROWS_MENTIONING(ArgumentError, kernel({.grid = {2}, .block = {32}}, In(in), Out(out)), "spread", "64");
        // CUDA's limit is for kernels without REQD_WG_SIZE, which sets __launch_bounds__.
        if (const auto registers = kernel.attributes().registers; registers && is_nvidia() && !is_cuda())
            CHECK((limit == 0 ? *registers > 48 : *registers <= 32));
    }
    // Messages still name the line of the program.
    CHECK_THROWS_MENTIONING(
        CompileError,
        context.compile("int a;\n\nKERNEL REQD_WG_SIZE(1, 1, 1) void k(GLOBAL_MEM int *x) { *x = none; }\n",
                        {.jit = {.max_registers = 32}}),
        "> 3 | KERNEL", "none");
}

TEST_CASE("options of the assembler make another program in the cache") {
    const Context context(default_device());
    (void)context.compile(source, {.jit = {.max_registers = 40}});
    const Statistics before = context.statistics();
    (void)context.compile(source, {.jit = {.max_registers = 40}});
    CHECK(context.statistics().memory_hits == before.memory_hits + 1);
    (void)context.compile(source, {.jit = {.max_registers = 48}});
    // Where the compiler has no such option the text is the same program.
    CHECK(context.statistics().memory_hits == before.memory_hits + (is_nvidia() ? 1 : 2));
}

TEST_CASE("cubins and PTX and fatbins come in by one door") {
    if (!is_cuda()) {
        MESSAGE("not run: these are CUDA's formats");
        return;
    }
    const Context context = default_context();
    const std::string architecture = default_device().info().architecture;
    const auto cubin = compile_offline("cuda", native_cuda, architecture, {});
    const auto ptx = compile_offline("cuda", native_cuda, virtual_architecture(), {});
    CHECK(tripled(context.load_binary(cubin)) == triples);
    const Module from_ptx = context.load_binary(ptx, {.max_registers = 24, .optimization_level = 2, .verbose = true});
    CHECK(tripled(from_ptx) == triples);
    CHECK(testing::mentions(from_ptx.build_log(), {"registers"}));
    // PTX that is none is refused with what the assembler says of it.
    std::string broken(reinterpret_cast<const char*>(ptx.data()), ptx.size());
    broken.replace(broken.find("ret;"), 4, "rat;");
    CHECK_THROWS_MENTIONING(Error, context.load_binary(std::as_bytes(std::span(broken))), "refuses", "ptxas");

    const ScratchFolder scratch;
    const fs::path in = scratch.path();
    write(in / "a.cubin", cubin);
    write(in / "a.ptx", ptx);
    const std::string digits = architecture.substr(3), tool = "fatbinary";
    const std::string images = " --create=" + (in / "a.fatbin").string() + " --image3=kind=elf,sm=" + digits +
                               ",file=" + (in / "a.cubin").string() + " --image3=kind=ptx,sm=" + digits +
                               ",file=" + (in / "a.ptx").string() + " > " + (in / "said").string() + " 2>&1";
    if (std::system((tool + images).c_str()) != 0 &&
        std::system(("/usr/local/cuda/bin/" + tool + images).c_str()) != 0) {
        MESSAGE("fatbins not run: there is no fatbinary (it comes with nvcc)");
        return;
    }
    const std::vector<std::byte> fatbin = bytes_of(in / "a.fatbin");
    CHECK(tripled(context.load_binary(fatbin)) == triples);
    const std::vector<std::byte> cut(fatbin.begin(), fatbin.end() - 8);
    CHECK_THROWS_MENTIONING(Error, context.load_binary(cut), "fatbin", "truncated");
}

TEST_CASE("SPIR-V is loaded where the platform takes it and refused with its name elsewhere") {
    const Context context = default_context();
    const std::vector<std::uint32_t> words = spirv();
    const auto binary = std::as_bytes(std::span(words));
    const auto taken = default_device().attribute("CL_DEVICE_IL_VERSION");
    if (taken && taken->find("SPIR-V") != std::string::npos) {
        CHECK(tripled(context.load_binary(binary)) == triples);
    } else if (is_cuda()) {
        CHECK_THROWS_MENTIONING(Error, context.load_binary(binary), "SPIR-V", "CUDA", "cl_khr_il_program");
    } else {
        CHECK_THROWS_MENTIONING(Error, context.load_binary(binary), "SPIR-V", default_device().info().platform,
                                "cl_khr_il_program");
    }
}

TEST_CASE("kernels that a device is born with are listed and refused where there are none") {
    const Context context = default_context();
    const std::vector<std::string> known = default_device().built_in_kernels();
    CHECK_THROWS_MENTIONING(Error, context.built_in_kernels({"no.such.kernel"}), "no.such.kernel",
                            known.empty() ? "none" : known.front());
    CHECK_THROWS_AS(context.built_in_kernels({}), ArgumentError);
    if (is_cuda()) CHECK(known.empty());
    const bool has_add = std::find(known.begin(), known.end(), "pocl.add.i8") != known.end();
    if (!has_add) {
        MESSAGE("built-in kernels not run: this device does not have pocl.add.i8");
        return;
    }
    if (const std::string message =
            testing::message_of<Error>([&] { (void)context.built_in_kernels({"pocl.add.i8"}); });
        !message.empty()) {
        CHECK(testing::mentions(message, {"pocl.add.i8", "lists", default_device().info().platform}));
        MESSAGE("built-in kernels not run: ", message);
        return;
    }
    const Kernel add = context.built_in_kernels({"pocl.add.i8"}).kernel("pocl.add.i8");
    CHECK(add.name() == "pocl.add.i8");
    const std::vector<std::int8_t> a{1, 2, 3, 4}, b{10, 20, 30, -4};
    std::vector<std::int8_t> sum(4);
    add({.grid = {4}, .block = {1}}, In(a), In(b), Out(sum));
    CHECK(sum == std::vector<std::int8_t>{11, 22, 33, 0});
}

TEST_CASE("caches are preferred where the driver takes it") {
    const Kernel kernel = default_context().compile(source).kernel("sums");
    for (const auto preference :
         {CachePreference::cache, CachePreference::shared, CachePreference::equal, CachePreference::none})
        CHECK(kernel.prefer_cache(preference) == is_cuda());
}

TEST_CASE("occupancy is told by the driver or estimated") {
    const Context context = default_context();
    const Kernel kernel = context.compile(source).kernel("sums");
    const auto occupancy = kernel.occupancy(64);
    REQUIRE(occupancy);
    CHECK(occupancy->is_estimated == !is_cuda());
    CHECK(occupancy->blocks_per_compute_unit >= 1);
    CHECK(occupancy->fraction > 0);
    CHECK(occupancy->fraction <= 1);
    CHECK(occupancy->warps_per_compute_unit >= occupancy->blocks_per_compute_unit);
    if (default_device().info().type == DeviceInfo::Type::cpu) {
        // One block at a time runs on a core.
        CHECK(occupancy->blocks_per_compute_unit == 1);
        CHECK(occupancy->limited_by == Occupancy::Limit::blocks);
        return;
    }
    const std::size_t most = default_device().info().shared_memory_per_block_bytes;
    const auto full = kernel.occupancy(64, most - 1024);
    REQUIRE(full);
    CHECK(full->blocks_per_compute_unit < occupancy->blocks_per_compute_unit);
    CHECK(full->limited_by == Occupancy::Limit::shared_memory);
}

TEST_SUITE_END();
