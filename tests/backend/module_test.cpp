/// Modules: compile errors, options, files that change, binaries, native text, variables, constants, printf, dumps.
#include "child.hpp"
#include "support.hpp"

#include <gemel/core/text.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::run_child;
using gemel::testing::ScopedVariable;
using gemel::testing::ScratchFolder;
using gemel::testing::write_file;

namespace fs = std::filesystem;

namespace {

const LaunchConfig one{.grid = {1}, .block = {1}};

/// What `KERNEL void answer(GLOBAL_MEM int *a)` writes.
int answer(const Module& module) {
    std::vector<int> a(1);
    module.kernel("answer")(one, Out(a));
    return a[0];
}

const Child prints("printf", [] {
    const Context context = default_context();
    const Kernel kernel = context
                              .compile(R"(
KERNEL void say(int number) { printf("number %d of thread %d\n", number, (int)LID_0); })")
                              .kernel("say");
    kernel({.grid = {1}, .block = {2}}, 41);
    context.synchronize();
    std::fflush(stdout);
    std::puts("after synchronize");
    std::fflush(stdout);
    kernel({.grid = {1}, .block = {1}}, 42);
    return 0;  // at exit everything is waited for
});

const Child debugs("debug", [] {
    const Context context = default_context();
    std::vector<std::string> lines;
    logging::set_levels("debug=info");
    logging::set_sink([&](logging::Level, std::string_view, std::string_view message) { lines.emplace_back(message); });
    const char* text = "KERNEL void answer(GLOBAL_MEM int *a)\n{\n    a[0] = 7;\n}\n";
    const int value = answer(context.compile(text)), again = answer(Context(default_device()).compile(text));
    logging::set_sink({});
    for (const auto& line : lines) std::puts(line.c_str());
    const Statistics statistics = context.statistics();
    return value == 7 && again == 7 && statistics.compilations == 1 && statistics.disk_hits == 0 ? 0 : 1;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a compile error shows the numbered line and the mark and where the source is kept") {
    const Context context = default_context();
    const std::string text =
        "KERNEL void broken(GLOBAL_MEM float *a)\n{\n    float x = 1;\n    a[0] = undeclared_name + x;\n}\n";
    try {
        context.compile(text, {.defines = {{"MARK", "17"}}, .name = "my_program"});
        FAIL("it compiled");
    } catch (const CompileError& error) {
        const std::string message = error.what();
        INFO(message);
        for (const char* word : {"my_program", "undeclared_name", "a[0] = undeclared_name + x;", "4 |", "^"})
            CHECK(message.find(word) != std::string::npos);
        CHECK(message.find(context.device().name()) != std::string::npos);
        CHECK(error.source().find("#define MARK 17") != std::string::npos);
        std::string seen = error.source();  // bodies of kernels may begin with a word of gemel's
        const std::string begin = " gemel_kernel_begin ";
        for (auto at = seen.find(begin); at != std::string::npos; at = seen.find(begin)) seen.erase(at, begin.size());
        CHECK(seen.find(text) != std::string::npos);
        CHECK(error.log().find("undeclared_name") != std::string::npos);
        // The kept file is the whole text that the compiler saw.
        const auto slash = message.find('/', message.find("the whole source is in"));
        REQUIRE(slash != std::string::npos);
        const std::string path = message.substr(slash, message.find_first_of(" \n)", slash) - slash);
        CHECK(gemel::testing::read_file(path) == error.source());
    }
    CHECK(answer(context.compile("KERNEL void answer(GLOBAL_MEM int *a) { a[0] = 3; }")) == 3);
}

TEST_CASE("unknown compiler options are an error that shows them") {
    CHECK_THROWS_MENTIONING(CompileError,
                            default_context().compile("KERNEL void f() {}", {.extra = {"--no-such-option"}}),
                            "--no-such-option");
}

TEST_CASE("the same text is compiled once and other options are another program") {
    const Context context(default_device());
    const char* text = "KERNEL void answer(GLOBAL_MEM int *a) { a[0] = VALUE; }";
    const CompileOptions three{.defines = {{"VALUE", "3"}}}, four{.defines = {{"VALUE", "2 + 2"}}};
    CHECK(answer(context.compile(text, three)) == 3);
    const auto before = context.statistics();
    CHECK(answer(context.compile(text, three)) == 3);
    const auto hit = context.statistics();
    CHECK(hit.memory_hits - before.memory_hits == 1);
    CHECK(hit.compilations == before.compilations);
    CHECK(answer(context.compile(text, four)) == 4);
    CHECK(context.statistics().memory_hits == hit.memory_hits);
    CHECK_THROWS_AS(context.compile(text), CompileError);
}

TEST_CASE("includes are found in folders with spaces and an edit compiles anew") {
    const ScratchFolder scratch;
    const fs::path folder = scratch / "a folder with 'spaces'";
    write_file(folder / "value.h", "#define VALUE 5\n");
    const Context context(default_device());
    const CompileOptions options{.include_directories = {folder}};
    const char* text = "#include \"value.h\"\nKERNEL void answer(GLOBAL_MEM int *a) { a[0] = VALUE; }";
    CHECK(answer(context.compile(text, options)) == 5);
    const auto before = context.statistics();
    write_file(folder / "value.h", "#define VALUE 6\n");
    CHECK(answer(context.compile(text, options)) == 6);
    write_file(folder / "value.h", "#define VALUE 5\n");
    CHECK(answer(context.compile(text, options)) == 5);
    CHECK(context.statistics().memory_hits == before.memory_hits + 1);
}

TEST_CASE("a module from a file follows its edits and keeps the old program when one is broken") {
    const ScratchFolder scratch;
    const fs::path file = scratch / "program.cl";
    const auto text = [](const char* value) {
        return std::string("#include \"part.h\"\nKERNEL void answer(GLOBAL_MEM int *a) { a[0] = PART + ") + value +
               "; }\n";
    };
    write_file(scratch / "part.h", "#define PART 100\n");
    write_file(file, text("1"));
    Module module = Module::from_file(default_context(), file);
    const Kernel first = module.kernel("answer");
    CHECK(answer(module) == 101);
    CHECK_FALSE(module.reload());
    write_file(file, text("2"));
    CHECK(module.reload());
    CHECK(answer(module) == 102);
    write_file(scratch / "part.h", "#define PART 200\n");
    CHECK(module.reload());
    CHECK(answer(module) == 202);
    write_file(file, text("nonsense"));
    CHECK_THROWS_MENTIONING(CompileError, module.reload(), "program.cl", "nonsense");
    CHECK(answer(module) == 202);
    write_file(file, text("3"));
    CHECK(module.reload());
    CHECK(answer(module) == 203);
    fs::remove(file);
    CHECK_THROWS_MENTIONING(Error, module.reload(), "program.cl");
    CHECK(answer(module) == 203);
    std::vector<int> a(1);
    first(one, Out(a));
    CHECK(a[0] == 101);  // kernels fetched before keep their program
    CHECK_THROWS_MENTIONING(Error, Module::from_file(default_context(), scratch / "absent.cl"), "absent.cl");
    CHECK_THROWS_MENTIONING(Error, Module::from_file(default_context(), scratch.path()), scratch.path().string());
    Module from_text = default_context().compile(gemel::testing::common_source);
    CHECK_THROWS_AS(from_text.reload(), Error);
}

TEST_CASE("a binary is loaded elsewhere with its signatures") {
    const Context context(default_device());
    const Module module = context.compile(gemel::testing::common_source);
    std::vector<int> values(8);
    module.kernel("set_all")({.grid = {1}, .block = {8}}, Out(values), 5, 8);
    const std::vector<std::byte> binary = module.binary();
    const Context other(default_device());
    const auto before = other.statistics();
    const Module loaded = other.load_binary(binary);
    CHECK(loaded.signatures() == module.signatures());
    loaded.kernel("set_all")({.grid = {1}, .block = {8}}, Out(values), 9, 8);
    CHECK(values[7] == 16);
    CHECK(other.statistics().compilations == before.compilations);
    CHECK_THROWS_MENTIONING(ArgumentError, loaded.kernel("set_all")(one, Out(values), 9.0, 8), "value", "int",
                            "double");

    // Damaged in each part, and cut short: an error, and the context goes on.
    for (const std::size_t at : {std::size_t{20}, std::size_t{70}, binary.size() / 2, binary.size() - 1}) {
        auto damaged = binary;
        damaged[at] ^= std::byte{0x40};
        CHECK_THROWS_AS(other.load_binary(damaged), Error);
        const std::vector<std::byte> cut(binary.begin(), binary.begin() + static_cast<std::ptrdiff_t>(at));
        CHECK_THROWS_AS(other.load_binary(cut), Error);
    }
    const std::string words = "this is no program at all";
    CHECK_THROWS_AS(other.load_binary(std::as_bytes(std::span(words))), Error);
    CHECK_THROWS_AS(other.load_binary({}), ArgumentError);
    loaded.kernel("set_all")({.grid = {1}, .block = {8}}, Out(values), 1, 8);
    CHECK(values[0] == 1);
}

TEST_CASE("kernels are listed and one that is not there is named beside those that are") {
    const Module module = default_context().compile(gemel::testing::common_source);
    auto names = module.kernel_names();
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"add", "set_all", "set_all_slowly"});
    CHECK_THROWS_MENTIONING(Error, module.kernel("no_such_kernel"), "no_such_kernel", "set_all", "add");
    CHECK(module.native_handle() != 0);
    CHECK(module.context() == default_context());
}

TEST_CASE("native text runs as it stands and a dialect without text is refused") {
    const Context context = default_context();
    const NativeSource both{.cuda = R"(extern "C" __global__ void answer(int *a) { a[0] = 10 + threadIdx.x; })",
                            .opencl = "__kernel void answer(__global int *a) { a[0] = 10 + get_local_id(0); }"};
    CHECK(answer(context.compile(both)) == 10);
    NativeSource other = both;
    (context.dialect().name == "cuda" ? other.cuda : other.opencl).clear();
    CHECK_THROWS_MENTIONING(ArgumentError, context.compile(other), context.dialect().name,
                            context.dialect().name == "cuda" ? "opencl" : "cuda");
    CHECK_THROWS_AS(context.compile(NativeSource{}), ArgumentError);
}

TEST_CASE("variables of a module are written by name on CUDA and refused with advice elsewhere") {
    const Context context = default_context();
    if (context.dialect().name != "cuda") {
        CHECK_THROWS_MENTIONING(Error, context.compile(gemel::testing::common_source).global("table"), "table",
                                "ConstantBuffer");
        return;
    }
    const Module module = context.compile(NativeSource{.cuda = R"(
extern "C" __constant__ int table[4];
extern "C" __device__ int total;
extern "C" __global__ void answer(int *a) { total = table[0] + table[3]; a[0] = total; })"});
    const Buffer table = module.global("table");
    CHECK(table.size_bytes() == 16);
    table.upload(std::vector<int>{1, 2, 3, 40});
    CHECK(answer(module) == 41);
    CHECK(gemel::testing::downloaded<int>(module.global("total"))[0] == 41);
    CHECK_THROWS_AS(table.upload(std::vector<int>(5)), ArgumentError);
    CHECK_THROWS_MENTIONING(Error, module.global("absent"), "absent");
}

TEST_CASE("constants that the host writes are seen by the next launch") {
    const Context context = default_context();
    const Kernel kernel =
        context.compile("KERNEL void answer(GLOBAL_MEM int *a, CONSTANT_MEM const int *c) { a[0] = c[0] + c[2]; }")
            .kernel("answer");
    const ConstantBuffer constants(context, std::vector<int>{1, 2, 3});
    std::vector<int> a(1);
    kernel(one, Out(a), constants);
    CHECK(a[0] == 4);
    constants.upload(std::vector<int>{10, 20, 30});
    kernel(one, Out(a), constants);
    CHECK(a[0] == 40);
    const std::size_t most = context.device().info().constant_memory_bytes;
    if (most < std::size_t{1} << 24)
        CHECK_THROWS_MENTIONING(ArgumentError, ConstantBuffer(context, std::vector<char>(most + 1)),
                                std::to_string(most));
}

TEST_CASE("what kernels print appears when the device is waited for and at exit") {
    const auto result = run_child("printf");
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    const auto marker = result.output.find("after synchronize");
    for (const char* line : {"number 41 of thread 0", "number 41 of thread 1"}) {
        CHECK(result.output.find(line) != std::string::npos);
        CHECK(result.output.find(line) < marker);
    }
    CHECK(result.output.find("number 42 of thread 0") != std::string::npos);
}

TEST_CASE("without contraction results have the bits of the host") {
    const Context context = default_context();
    constexpr int n = 4096;
    std::vector<float> a(n), b(n), c(n), sum(n), ratio(n), root(n);
    std::uint32_t x = 7;
    const auto next = [&] {
        return static_cast<float>(static_cast<double>(x = x * 1664525u + 1013904223u) / 4e9) + 0.3f;
    };
    for (int i = 0; i < n; ++i) a[i] = next(), b[i] = next(), c[i] = -a[i] * b[i];
    const char* text = R"(
KERNEL void arithmetic(GLOBAL_MEM const float *a, GLOBAL_MEM const float *b, GLOBAL_MEM const float *c,
                       GLOBAL_MEM float *sum, GLOBAL_MEM float *ratio, GLOBAL_MEM float *root)
{
    int64_t i = GLOBAL_ID_0;
    sum[i] = a[i] * b[i] + c[i];
    ratio[i] = a[i] / b[i];
    root[i] = sqrt(a[i]);
})";
    context.compile(text, {.fp_contract = false})
        .kernel("arithmetic")({.grid = {n / 64}, .block = {64}}, In(a), In(b), In(c), Out(sum), Out(ratio), Out(root));
    int wrong_sums = 0, wrong_ratios = 0, wrong_roots = 0;
    for (int i = 0; i < n; ++i) {
        volatile float product = a[i] * b[i];  // rounded: no fused operation on the host either
        wrong_sums += sum[i] != product + c[i];
        wrong_ratios += ratio[i] != a[i] / b[i];
        wrong_roots += root[i] != std::sqrt(a[i]);
    }
    CHECK(wrong_sums == 0);
    CHECK(wrong_ratios == 0);
    CHECK(wrong_roots == 0);

    // Fast mathematics is an option that compiles; 1e-5 is far above its error here.
    context.compile(text, {.fast_math = true})
        .kernel("arithmetic")({.grid = {n / 64}, .block = {64}}, In(a), In(b), In(c), Out(sum), Out(ratio), Out(root));
    int far = 0;
    for (int i = 0; i < n; ++i) far += std::abs(ratio[i] - a[i] / b[i]) > 1e-5f * ratio[i];
    CHECK(far == 0);
}

TEST_CASE("an architecture is CUDA's option and refused elsewhere") {
    const Context context = default_context();
    if (context.dialect().name == "cuda") return;
    CHECK_THROWS_MENTIONING(ArgumentError, context.compile(gemel::testing::common_source, {.architecture = "sm_90"}),
                            "sm_90");
}

TEST_CASE("every program is dumped with its options and its log and its binary") {
    const ScratchFolder scratch;
    const ScopedVariable dump("GEMEL_DUMP", (scratch / "dump").string());
    const Context context(default_device());
    context.compile("KERNEL void answer(GLOBAL_MEM int *a) { a[0] = 3; }",
                    {.defines = {{"DUMPED", "1"}}, .name = "my kernel"});
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(scratch / "dump")) {
        CHECK(entry.path().filename().string().starts_with("my_kernel-"));
        files[entry.path().extension()] = gemel::testing::read_file(entry.path());
    }
    CHECK(files.size() == 4);
    CHECK(files[context.dialect().file_extension].find("a[0] = 3;") != std::string::npos);
    CHECK(files[context.dialect().file_extension].find("#define DUMPED 1") != std::string::npos);
    CHECK(files.contains(".options"));
    CHECK(files.contains(".log"));
    CHECK(files[".bin"].size() > 100);
}

TEST_CASE("build options of the environment reach the compiler and change the program") {
    const Context context(default_device());
    const char* text = R"(
#ifdef FROM_OUTSIDE
#define VALUE FROM_OUTSIDE
#else
#define VALUE 1
#endif
KERNEL void answer(GLOBAL_MEM int *a) { a[0] = VALUE; })";
    CHECK(answer(context.compile(text)) == 1);
    const ScopedVariable options("GEMEL_BUILD_OPTIONS", "-DFROM_OUTSIDE=12");
    CHECK(answer(context.compile(text)) == 12);
}

TEST_CASE("debugging keeps the source and caches nothing on disk") {
    const ScratchFolder scratch;
    const auto result = run_child("debug", {{"GEMEL_DEBUG", "1"}, {"GEMEL_CACHE_DIR", scratch.path().string()}});
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    std::vector<fs::path> kept;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path()))
        if (entry.is_regular_file()) kept.push_back(entry.path());
    REQUIRE(kept.size() == 1);
    CHECK(gemel::testing::read_file(kept[0]).find("    a[0] = 7;\n") != std::string::npos);
    CHECK(result.output.find(kept[0].string()) != std::string::npos);
}

TEST_SUITE_END();
