/// What the prelude prints for CUDA is compiled to machine code, for three architectures.
#include "../nvrtc.hpp"
#include "../elementary_functions.hpp"
#include "../kernel_language_programs.hpp"
#ifdef GEMEL_COMMAND
#include "../translated.hpp"
#endif

#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/registry.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "scratch.hpp"

using namespace gemel;

namespace {

void check_compiles(const std::string& name, const std::string& text) {
    for (const char* architecture : some_of({"sm_75", "sm_80", "sm_90"})) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(text, architecture);
        CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log);
        CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, " for ", architecture, "\n", result.log);
        CHECK(result.cubin.substr(0, 4) == "\177ELF");
    }
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("the full prelude of CUDA compiles without a warning") {
    check_compiles("full prelude",
                   full_prelude(Dialect::cuda()) + "KERNEL void f(GLOBAL_MEM float *a) { a[LID_0] = 1; }");
}

TEST_CASE("programs with every word compile with the prelude that they ask for") {
    for (const auto& [name, text] : kernel_language::all()) check_compiles(name, prelude(Dialect::cuda(), text) + text);
}

#ifdef GEMEL_COMMAND
TEST_CASE("programs that the command has translated compile without gemel") {
    for (const auto& program : kernel_language::all()) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(translated(program.second, "cuda"), "sm_80");
        CHECK_MESSAGE(result.succeeded, program.first, "\n", result.log);
    }
}
#endif

TEST_CASE("elementary functions compile for single and double precision and for integers and complex numbers") {
    for (const std::string& text :
         {elementary::program("float"), elementary::program("double"), elementary::integer_program(),
          elementary::bessel_program, elementary::complex_bessel_program, elementary::half_program(),
          elementary::complex_program("float"), elementary::complex_program("double")})
        check_compiles(text.substr(0, 60), prelude(Dialect::cuda(), text) + text);
}

TEST_CASE("the compiler finds NAN unequal to itself") {
    // A constant is all that is left of these.
    for (const char* comparison : {"NAN != NAN", "!(NAN == NAN)", "!(NAN < 1.0f || NAN >= 1.0f)",
                                   "(double)NAN != (double)NAN", "!((NAN) == -(NAN))"}) {
        const std::string text = std::string("KERNEL void f(GLOBAL_MEM int *out) { out[0] = ") + comparison + "; }";
        const Nvrtc::Result result =
            Nvrtc::instance()->compile_optimised(prelude(Dialect::cuda(), text) + text, "sm_80");
        CHECK_MESSAGE(result.succeeded, result.log);
        const std::size_t number = result.ptx.find("mov.u32"), number32 = result.ptx.find("mov.b32");
        const std::size_t at = std::min(number, number32);
        REQUIRE(at != std::string::npos);
        CHECK_MESSAGE(result.ptx.substr(at, result.ptx.find(';', at) - at).ends_with(", 1"), comparison, "\n",
                      result.ptx);
    }
}

TEST_CASE("the prelude does not collide with the headers for half precision") {
    const std::string program =
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "KERNEL void f(GLOBAL_MEM half *a, GLOBAL_MEM float16_t *b) { b[0] = store_float16(__half2float(a[0])); }";
    const std::string folder = "/usr/local/cuda/include";
    if (!std::filesystem::exists(folder + "/cuda_fp16.h")) {
        MESSAGE("not run: there is no " << folder << "/cuda_fp16.h");
        return;
    }
    const Nvrtc::Result result =
        Nvrtc::instance()->compile(full_prelude(Dialect::cuda()) + program, "sm_90", {"-I" + folder});
    CHECK_MESSAGE(result.succeeded, result.log);
}

TEST_CASE("a kernel that is wrong does not compile") {
    CHECK(!Nvrtc::instance()
               ->compile(prelude(Dialect::cuda(), "") + "KERNEL void f() { undeclared; }", "sm_90")
               .succeeded);
}

TEST_CASE("compiling offline takes all options") {
    const auto& all = backends();
    if (std::none_of(all.begin(), all.end(), [](const auto& b) { return b.name == "cuda" && !b.path.empty(); })) {
        MESSAGE("SKIPPED: there is no plug-in for CUDA");
        return;
    }
    const std::string text = "extern \"C\" __global__ void f(int* a) { a[0] = VALUE; }\n";
    const auto compile = [](const std::string& source, const CompileOptions& options) {
        return compile_offline("cuda", source, "sm_90", options);
    };
    const std::size_t plain = compile(text, {.defines = {{"VALUE", "5"}}}).size();
    CHECK(plain > 0);
    CHECK_THROWS_WITH_AS(compile(text, {}), doctest::Contains("VALUE"), CompileError);
    {
        const testing::ScopedVariable options("GEMEL_BUILD_OPTIONS", "-DVALUE=7");
        CHECK(compile(text, {}).size() > 0);
    }
    {
        const testing::ScopedVariable debug("GEMEL_DEBUG", "1");
        CHECK(compile(text, {.defines = {{"VALUE", "5"}}}).size() > plain + 100);
    }
    // The numbers of lines are the caller's, and a define is named.
    CHECK_THROWS_WITH_AS(compile("\n\nwrong;\n", {.defines = {{"VALUE", "5"}}, .name = "mine"}),
                         doctest::Contains("> 3 | wrong;"), CompileError);
    CHECK_THROWS_WITH_AS(compile(text, {.defines = {{"defined", "5"}}}), doctest::Contains("the define defined"),
                         CompileError);
    CHECK_THROWS_WITH_AS(compile(text, {.defines = {{"5", "5"}}}), doctest::Contains("compile_offline: the define '5'"),
                         ArgumentError);
    for (const std::string name : {"back\\slash", "line\nend", "quo\"te", "\\"}) {
        CAPTURE(name);
        CHECK_THROWS_WITH_AS(compile("\nwrong;\n", {.name = name}), doctest::Contains("> 2 | wrong;"), CompileError);
    }
    for (const std::string nothing : {"", "// nothing \\", "#define A \\", "/* */"}) {
        CAPTURE(nothing);
        CHECK(compile(nothing, {}).size() > 0);
    }
}

TEST_CASE("complex numbers refuse the operators of real ones") {
    const std::string program = "KERNEL void f(GLOBAL_MEM cfloat *z) { z[0] = z[0] * z[1]; }";
    CHECK(!Nvrtc::instance()->compile(prelude(Dialect::cuda(), program) + program, "sm_90").succeeded);
}

TEST_SUITE_END();
