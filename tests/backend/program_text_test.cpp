/// Texts, names and options that are not what compilers expect: each is taken as meant, or refused by name.
#include "child.hpp"
#include "support.hpp"

#include <gemel/core/text.hpp>

#include <fcntl.h>
#include <sys/resource.h>

#include <filesystem>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::run_child;
using gemel::testing::ScratchFolder;
using gemel::testing::write_file;

namespace fs = std::filesystem;

namespace {

int answer(const Module& module) {
    std::vector<int> a(1);
    module.kernel("answer")({.grid = {1}, .block = {1}}, Out(a));
    return a[0];
}

const std::string three = "KERNEL void answer(GLOBAL_MEM int *a) { a[0] = 3; }\n";

/// Compiles when no more files can be opened, and then when they can.
const Child no_files("no-files", [] {
    const Context context = default_context();
    const std::string text = "/* no files */ " + three;
    // NVRTC opens a library of its own at the first compilation, and never again once that has failed.
    (void)answer(context.compile("/* before */ " + three));
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 3;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    int code = 0;
    try {
        context.compile(text);
        std::puts("it compiled");
    } catch (const CompileError& error) {
        std::printf("a CompileError: %s\n", error.what());
        code = 1;
    } catch (const Error& error) {
        std::printf("refused: %s\n", error.what());
    }
    limit.rlim_cur = before;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    if (code != 0) return code;
    try {
        return answer(context.compile(text)) == 3 ? 0 : 1;
    } catch (const Error& error) {
        // NVIDIA's driver (580) loses the context when it cannot open a file, under CUDA and under OpenCL.
        std::printf("afterwards: %s\n", error.what());
        return context.device().info().vendor.find("NVIDIA") != std::string::npos ? 0 : 1;
    }
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a text without kernels is an empty program") {
    const Context context = default_context();
    const char* const texts[] = {"",
                                 "\n",
                                 "/* nothing */",
                                 "// nothing",
                                 "// nothing \\",
                                 "#define KERNELS none",
                                 "#define KERNELS \\",
                                 "typedef int number;",
                                 "/* KERNEL void answer(GLOBAL_MEM int *a) {} */",
                                 "#if 0\nKERNEL void answer(GLOBAL_MEM int *a) {}\n#endif",
                                 "WITHIN_KERNEL int twice(int x) { return 2 * x; }"};
    for (const std::string text : texts) {
        CAPTURE(text);
        Module module = context.compile(text);
        CHECK_THROWS_MENTIONING(Error, module.kernel("answer"), "there is no kernel 'answer'");
        CHECK_THROWS_MENTIONING(Error, module.kernel("gemel_filler_kernel_"), "there is no kernel");
        // A binary of it loads or is refused; nothing ends the process.
        try {
            CHECK_THROWS_AS(context.load_binary(module.binary()).kernel("answer"), Error);
        } catch (const Error& error) {
            MESSAGE("its binary: " << error.what());
        }
    }
    const NativeSource native{.cuda = "// nothing", .opencl = "// nothing"};
    CHECK(context.compile(native).kernel_names().empty());
    CHECK(context.compile(three).kernel_names() == std::vector<std::string>{"answer"});
    CHECK(answer(context.compile(three)) == 3);
}

TEST_CASE("text behind a zero byte is refused and not lost") {
    const Context context = default_context();
    std::string text = three + "\n" + "KERNEL void second(GLOBAL_MEM int *a) {}\n";
    text[three.size()] = '\0';
    CHECK_THROWS_MENTIONING(ArgumentError, context.compile(text), "compile", "zero byte in line 2");
    const ScratchFolder scratch;
    write_file(scratch / "program.cl", text);
    CHECK_THROWS_MENTIONING(ArgumentError, Module::from_file(context, scratch / "program.cl"), "Module::from_file",
                            "program.cl", "zero byte in line 2");
    CHECK(answer(context.compile(three)) == 3);
}

TEST_CASE("a byte-order mark before a text or a header is no part of it") {
    const Context context = default_context();
    const ScratchFolder scratch;
    CHECK(answer(context.compile("\xEF\xBB\xBF" + three)) == 3);
    write_file(scratch / "program.cl",
               "\xEF\xBB\xBF#include \"value.h\"\n"
               "KERNEL void answer(GLOBAL_MEM int *a) { a[0] = VALUE; }\n");
    write_file(scratch / "value.h", "#define VALUE 5\n");
    Module module = Module::from_file(context, scratch / "program.cl");
    CHECK(answer(module) == 5);
    write_file(scratch / "value.h", "#define VALUE 6\n");
    CHECK(module.reload());
    CHECK(answer(module) == 6);
}

TEST_CASE("files of terabytes are refused by name and size") {
    const Context context = default_context();
    const ScratchFolder scratch;
    write_file(scratch / "huge.cl", "");
    fs::resize_file(scratch / "huge.cl", std::uintmax_t{1} << 42);
    CHECK_THROWS_MENTIONING(Error, Module::from_file(context, scratch / "huge.cl"), "huge.cl", "4 TiB");
    CHECK_THROWS_MENTIONING(
        Error, context.compile("#include \"huge.cl\"\n" + three, {.include_directories = {scratch.path()}}), "huge.cl",
        "4 TiB");
    CHECK_THROWS_MENTIONING(Error, Module::from_file(context, ""), "cannot read");
    CHECK_THROWS_MENTIONING(Error, Module::from_file(context, scratch.path()), "Is a directory");
    CHECK(answer(context.compile(three)) == 3);
}

TEST_CASE("an include folder without a name is refused") {
    const Context context = default_context();
    CHECK_THROWS_MENTIONING(ArgumentError, context.compile(three, {.include_directories = {""}}), "include_directories",
                            "''");
    CHECK(answer(context.compile(three)) == 3);
}

TEST_CASE("a program may have any name") {
    const ScratchFolder scratch;
    for (const std::string name : {"back\\slash.cl", "line\nend.cl", "quo\"te.cl", "tab\tand blank.cl", "\\\".cl"}) {
        CAPTURE(name);
        write_file(scratch / name, three);
        CHECK(answer(Module::from_file(default_context(), scratch / name)) == 3);
        write_file(scratch / name, "\nKERNEL void answer(GLOBAL_MEM int *a) { a[0] = undeclared_name; }\n");
        CHECK_THROWS_MENTIONING(CompileError, Module::from_file(default_context(), scratch / name),
                                "> 2 | KERNEL void answer(GLOBAL_MEM int *a) { a[0] = undeclared_name; }");
    }
}

TEST_CASE("a kernel's name is a word") {
    const Module module = default_context().compile(three);
    CHECK_THROWS_MENTIONING(ArgumentError, module.kernel(""), "got an empty text");
    CHECK_THROWS_MENTIONING(ArgumentError, module.kernel(std::string("answer\0x", 8)), "zero byte");
    CHECK_THROWS_MENTIONING(Error, module.kernel("answer;"), "there is no kernel 'answer;'");
    CHECK(answer(module) == 3);
}

TEST_CASE("a define that cannot be is refused by its name") {
    const Context context = default_context();
    const std::pair<const char*, const char*> wrong[] = {{"1X", "2"},     {"", "2"},          {"A B", "2"},
                                                         {"A-B", "2"},    {"X", "1\n2"},      {"X", "1\\"},
                                                         {"X", "/* one"}, {"X\n#error", "1"}, {"F(a", "1"}};
    for (const auto& define : wrong) {
        CAPTURE(define.first);
        CHECK_THROWS_MENTIONING(ArgumentError, context.compile(three, {.defines = {define}}), "the define '",
                                "is invalid");
    }
    const char* text = "KERNEL void answer(GLOBAL_MEM int *a) { a[0] = MORE(VALUE); }";
    CHECK(answer(context.compile(text, {.defines = {{"VALUE", "2 /* two */"}, {"MORE(x)", "(x + 1)"}}})) == 3);
    // What only the compiler refuses is shown under its name, not as a line of the text.
    const std::string message = gemel::testing::message_of<CompileError>(
        [&] { context.compile(three, {.defines = {{"GOOD", "1"}, {"defined", "1"}}}); });
    INFO(message);
    CHECK(gemel::testing::mentions(message, {"the define defined"}));
    CHECK(message.find("> 1 | KERNEL") == std::string::npos);
}

TEST_CASE("an option that cannot be is not shown as a line of the text") {
    const Context context = default_context();
    const std::string message =
        gemel::testing::message_of<CompileError>([&] { context.compile(three, {.extra = {"-D1X"}}); });
    INFO(message);
    CHECK(gemel::testing::mentions(message, {"options:", "-D1X"}));
    CHECK(message.find("> 1 | KERNEL") == std::string::npos);
    CHECK_THROWS_MENTIONING(ArgumentError, context.compile(three, {.extra = {"-DX=1\n"}}), "the option '-DX=1 '");
}

TEST_CASE("a binary with a checksum and no sense is refused") {
    const Context context = default_context();
    for (const std::string body : {"x\n", "99999999999999999999999\n", "-1\n", "\n", "5\nabc", "3\nabc", ""}) {
        CAPTURE(body);
        const std::string all = text("gemel program 2\n", digest(body), "\n", body);
        CHECK_THROWS_AS(context.load_binary(std::as_bytes(std::span(all))), Error);
    }
    CHECK(answer(context.compile(three)) == 3);
}

TEST_CASE("a process that can open no file is told so and not that its text is wrong") {
#ifdef __SANITIZE_ADDRESS__
    // Nor can the sanitizer, which looks through a pipe whether an object is one and takes each exception for none.
    MESSAGE("not run under sanitizers");
    return;
#endif
    const ScratchFolder scratch;
    const auto result = run_child(
        "no-files", {{"GEMEL_CACHE_DIR", (scratch / "cache").string()}, {"POCL_CACHE_DIR", scratch.path().string()}});
    INFO(result.output);
    CHECK_MESSAGE(result.exit_code == 0, result.output);
    const bool compiled = result.output.find("it compiled") != std::string::npos;
    CHECK((compiled || gemel::testing::mentions(result.output, {"refused: ", "Too many open files", "ulimit -n"})));
}

TEST_CASE("kernels are named as functions of OpenCL C are") {
    const Context context = current_context();
    const Module module = context.compile(R"(KERNEL void step(GLOBAL_MEM float *to, float length) { to[0] = length; }
KERNEL void dot(GLOBAL_MEM float *to, float mix) { to[0] = mix + sin(0.0f); })");
    std::vector<std::string> names = module.kernel_names();
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"dot", "step"});
    const Kernel step = module.kernel("step"), dot = module.kernel("dot");
    CHECK(step.name() == "step");
    REQUIRE(step.signature());
    const Buffer out = context.allocate(sizeof(float));
    step({.grid = {1}, .block = {1}}, out, 2.5f);
    CHECK(gemel::testing::downloaded<float>(out)[0] == 2.5f);
    dot({.grid = {1}, .block = {1}}, out, 3.5f);
    CHECK(gemel::testing::downloaded<float>(out)[0] == 3.5f);
    const Kernel again = context.load_binary(module.binary()).kernel("step");
    again({.grid = {1}, .block = {1}}, out, 4.5f);
    CHECK(gemel::testing::downloaded<float>(out)[0] == 4.5f);
    CHECK_THROWS_MENTIONING(ArgumentError, step({.grid = {1}, .block = {1}}, out, 1), "step", "float");
}

TEST_SUITE_END();
