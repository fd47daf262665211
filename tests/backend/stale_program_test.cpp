/// A program whose headers have changed is compiled anew, however the compiler came to them.
#include "child.hpp"
#include "support.hpp"

#include <gemel/core/text.hpp>

#include <cstdio>
#include <filesystem>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::run_child;
using gemel::testing::RunningChild;
using gemel::testing::ScopedVariable;
using gemel::testing::ScratchFolder;
using gemel::testing::write_file;

namespace fs = std::filesystem;

namespace {

int answer(const Module& module) {
    std::vector<int> a(1);
    module.kernel("answer")({.grid = {1}, .block = {1}}, Out(a));
    return a[0];
}

const std::string kernel_text = "\nKERNEL void answer(GLOBAL_MEM int *a) { a[0] = VALUE; }\n";

/// Headers in a folder "headers" of a scratch folder that is the current one meanwhile.
struct Place {
    ScratchFolder scratch;
    fs::path before = fs::current_path();

    Place() {
        fs::create_directories(scratch / "current");
        fs::current_path(scratch / "current");
    }
    ~Place() { fs::current_path(before); }
    void set(int value, const std::string& file = "headers/value.h") const {
        write_file(scratch / file, "#define VALUE " + std::to_string(value) + "\n");
    }
    std::string folder() const { return (scratch / "headers").string(); }
};

/// The answer with one value in the header and with another, from a context that sees both and from one that does not.
template <class Compile>
void check_follows(const Place& place, const Compile& compile, const std::string& file = "headers/value.h") {
    const Context context(default_device());
    place.set(5, file);
    CHECK(answer(compile(context)) == 5);
    place.set(6, file);
    CHECK(answer(compile(context)) == 6);
    place.set(7, file);
    CHECK(answer(compile(Context(default_device()))) == 7);
}

/// Whether the device's compiler takes a text with these options at all.
template <class Compile>
bool compiles(const Compile& compile) {
    try {
        compile(Context(default_device()));
        return true;
    } catch (const CompileError& error) {
        MESSAGE("this compiler takes no such text: " << error.log());
        return false;
    }
}

/// In a process of its own: prints what a file's kernel answers.
const Child file_answers("file-answers", [] {
    std::printf("answer %d\n", answer(Module::from_file(default_context(), std::getenv("GEMEL_TEST_FILE"))));
    return 0;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a bracketed header beside a file is followed") {
    const Place place;
    const fs::path file = place.scratch / "program.cl";
    write_file(file, "#include <value.h>" + kernel_text);
    check_follows(place, [&](const Context& context) { return Module::from_file(context, file); }, "value.h");
    place.set(8, "value.h");
    Module module = Module::from_file(default_context(), file);
    CHECK_FALSE(module.reload());
    place.set(9, "value.h");
    CHECK(module.reload());
    CHECK(answer(module) == 9);
}

TEST_CASE("a later process sees that a header has changed") {
    const Place place;
    const fs::path file = place.scratch / "program.cl";
    write_file(file, "#include <value.h>" + kernel_text);
    const RunningChild::Environment environment{{"GEMEL_CACHE_DIR", (place.scratch / "cache").string()},
                                                {"GEMEL_CACHE", ""},
                                                {"GEMEL_TEST_FILE", file.string()}};
    for (const int value : {1, 2}) {
        place.set(value, "value.h");
        const auto result = run_child("file-answers", environment);
        INFO(result.output);
        CHECK(result.output.find("answer " + std::to_string(value)) != std::string::npos);
    }
}

TEST_CASE("headers in the current folder are followed where the compiler looks there") {
    for (const std::string line : {"#include \"value.h\"", "#include <value.h>"}) {
        CAPTURE(line);
        const Place place;
        const auto compile = [&](const Context& context) { return context.compile(line + kernel_text); };
        place.set(1, "current/value.h");
        if (compiles(compile)) check_follows(place, compile, "current/value.h");
    }
}

TEST_CASE("a header of the current folder that hides one of a named folder is followed") {
    const Place place;
    place.set(1);
    const auto compile = [&](const Context& context) {
        return context.compile("#include \"value.h\"" + kernel_text, {.include_directories = {place.folder()}});
    };
    CHECK(answer(compile(Context(default_device()))) == 1);
    place.set(2, "current/value.h");
    const int now = answer(compile(Context(default_device())));
    if (now == 2) {
        check_follows(place, compile, "current/value.h");
    } else {  // a compiler that looks in named folders first
        CHECK(now == 1);
        check_follows(place, compile);
        place.set(1);
    }
    fs::remove(place.scratch / "current/value.h");
    CHECK(answer(compile(Context(default_device()))) == 1);
}

TEST_CASE("a header where PoCL lays down what it compiles is followed") {
    const char* const folder = std::getenv("POCL_CACHE_DIR");
    if (default_device().info().platform != "Portable Computing Language" || !folder || !*folder) {
        MESSAGE("SKIPPED: this is no PoCL with a cache folder that POCL_CACHE_DIR names");
        return;
    }
    const Place place;
    const std::string name = "gemel-stale-" + std::to_string(::getpid()) + ".h";
    const Context context(default_device());
    for (const int value : {1, 2}) {
        write_file(fs::path(folder) / name, "#define VALUE " + std::to_string(value) + "\n");
        CHECK(answer(context.compile("#include \"" + name + "\"" + kernel_text)) == value);
    }
    fs::remove(fs::path(folder) / name);
}

TEST_CASE("folders that options name are followed in every spelling") {
    const Place place;
    place.set(1);
    const std::vector<std::vector<std::string>> spellings{{"-I" + place.folder()},
                                                          {"-I", place.folder()},
                                                          {"-I " + place.folder()},
                                                          {"--include-path=" + place.folder()},
                                                          {"--include-path", place.folder()}};
    int taken = 0;
    for (const auto& extra : spellings) {
        const auto compile = [&](const Context& context) {
            return context.compile("#include <value.h>" + kernel_text, {.extra = extra});
        };
        const std::string shown = join(extra, " | ");
        CAPTURE(shown);
        if (!compiles(compile)) continue;
        ++taken;
        check_follows(place, compile);
    }
    CHECK(taken >= 2);
    const ScopedVariable options("GEMEL_BUILD_OPTIONS", "-I " + place.folder());
    check_follows(place, [](const Context& context) { return context.compile("#include <value.h>" + kernel_text); });
}

TEST_CASE("a file that an option includes is followed") {
    const Place place;
    place.set(1);
    const auto compile = [&](const Context& context) {
        return context.compile(kernel_text, {.extra = {"--pre-include=" + place.folder() + "/value.h"}});
    };
    if (default_context().dialect().name == "cuda") {
        check_follows(place, compile);
    } else {
        CHECK_FALSE(compiles(compile));
    }
}

TEST_CASE("an include is followed in every spelling that the compiler takes") {
    const Place place;
    place.set(1);
    int taken = 0;
    for (const std::string line :
         {"%:include <value.h>", "?\?=include <value.h>", "#inc\\\nlude <value.h>", "#inc\\ \nlude <value.h>",
          "#define NAME <value.h>\n#include NAME", "/* */ # /* */ include /* */ \"value.h\"",
          "// a line that ends early\r#include <value.h>", "#inc?\?/\nlude <value.h>"}) {
        CAPTURE(line);
        const auto compile = [&](const Context& context) {
            return context.compile(line + kernel_text, {.include_directories = {place.folder()}});
        };
        if (!compiles(compile)) continue;
        ++taken;
        check_follows(place, compile);
    }
    CHECK(taken >= 4);
}

TEST_CASE("an include between quotes that are a raw literal elsewhere is followed") {
    const Place place;
    place.set(1);
    const auto compile = [&](const Context& context) {
        return context.compile("#define R\n#define A R\"(\"\n#include <value.h>\n#define B \")\"" + kernel_text,
                               {.include_directories = {place.folder()}});
    };
    if (compiles(compile)) check_follows(place, compile);
}

TEST_CASE("what a define includes or asks for is followed") {
    const Place place;
    place.set(1);
    const auto compile = [&](const Context& context) {
        return context.compile("#include NAME" + kernel_text,
                               {.defines = {{"NAME", "<value.h>"}}, .include_directories = {place.folder()}});
    };
    check_follows(place, compile);
    const Context context(default_device());
    const char* text = "KERNEL void answer(GLOBAL_MEM int *a) { a[0] = NOW[0]; }";
    context.compile(text, {.defines = {{"NOW", "__TIME__"}}});
    context.compile(text, {.defines = {{"NOW", "__TIME__"}}});
    CHECK(context.statistics().compilations == 2);
    context.compile(text, {.extra = {"-DNOW=__TIME__"}});
    context.compile(text, {.extra = {"-DNOW=__TIME__"}});
    CHECK(context.statistics().compilations == 4);
}

TEST_CASE("reload compiles anew whatever cannot be followed") {
    const Place place;
    const fs::path file = place.scratch / "program.cl";
    write_file(file, "#define NAME <value.h>\n#include NAME" + kernel_text);
    place.set(1, "value.h");
    Module module = Module::from_file(default_context(), file);
    CHECK(answer(module) == 1);
    place.set(2, "value.h");
    CHECK(module.reload());
    CHECK(answer(module) == 2);
    CHECK(module.reload());
}

TEST_CASE("headers that include each other without end are refused and a long chain is not") {
    const Place place;
    const auto chain = [&](int length) {
        for (int i = 0; i < length; ++i)
            write_file(place.scratch / "headers" / ("h" + std::to_string(i) + ".h"),
                       i + 1 < length ? "#include \"h" + std::to_string(i + 1) + ".h\"\n" : "#define VALUE 3\n");
    };
    const auto compile = [&] {
        return default_context().compile("#include \"h0.h\"" + kernel_text, {.include_directories = {place.folder()}});
    };
    chain(150);
    CHECK(answer(compile()) == 3);
    chain(10000);
    CHECK_THROWS_MENTIONING(Error, compile(), "200 levels deep", "h200.h");
    chain(1);
    CHECK(answer(compile()) == 3);
}

TEST_SUITE_END();
