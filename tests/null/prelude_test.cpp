/// The prelude as text: which words are printed, and when.
#include "../kernel_language_programs.hpp"

#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace gemel;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A language that there is not, with a table as an out-of-tree plug-in would write it.
Dialect made_up() {
    return {
        .name = "made-up 2",
        .file_extension = ".mu",
        .kernel = "entry",
        .device_function = "helper",
        .global_space = "far",
        .shared_space = "near",
        .shared_pointer = "near_pointer",
        .constant_space = "table",
        .constant_pointer = "table_pointer",
        .restrict_word = "alone",
        .required_block = "[[block(X, Y, Z)]]",
        .arena_parameter = "near byte *shared_arena",
        .thread_id = "thread[#]",
        .block_id = "block.@",
        .block_size = "block_size(#)",
        .grid_size = "grid_size(#)",
        .global_id = "(block.@ * block_size(#) + thread[#])",
        .global_size = "(grid_size(#) * block_size(#))",
        .barrier = "meet()",
        .infinity = "infinite",
        .nan = "NAN",
        .preamble = "using everything",
        .sections = {{.name = "base", .text = "base text"},
                     {.name = "half", .words = {"float16_t"}, .text = "half text\n", .needs = {"base"}},
                     {.name = "rest", .words = {"rest", "more"}, .text = "rest text", .needs = {"half", "base"}}},
    };
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a made-up third dialect prints the portable words from its table") {
    CHECK(prelude(made_up(), "KERNEL void f() {}") == R"(#define GEMEL_DIALECT_MADE_UP_2 1
using everything
#define KERNEL entry
#define WITHIN_KERNEL helper
#define WITHIN_KERNEL_EXTERN helper
#define GLOBAL_MEM far
#define LOCAL_MEM near
#define LOCAL_MEM_ARG near_pointer
#define CONST_STATIC table
#define CONSTANT_MEM table_pointer
#define RESTRICT alone
#define REQD_WG_SIZE(X, Y, Z) [[block(X, Y, Z)]]
#define LID_0 thread[0]
#define LID_1 thread[1]
#define LID_2 thread[2]
#define GID_0 block.x
#define GID_1 block.y
#define GID_2 block.z
#define LDIM_0 block_size(0)
#define LDIM_1 block_size(1)
#define LDIM_2 block_size(2)
#define GDIM_0 grid_size(0)
#define GDIM_1 grid_size(1)
#define GDIM_2 grid_size(2)
#define GLOBAL_ID_0 (block.x * block_size(0) + thread[0])
#define GLOBAL_ID_1 (block.y * block_size(1) + thread[1])
#define GLOBAL_ID_2 (block.z * block_size(2) + thread[2])
#define GLOBAL_DIM_0 (grid_size(0) * block_size(0))
#define GLOBAL_DIM_1 (grid_size(1) * block_size(1))
#define GLOBAL_DIM_2 (grid_size(2) * block_size(2))
#define local_barrier() meet()
#ifndef INFINITY
#define INFINITY infinite
#endif
)");
}

TEST_CASE("a section is printed when one of its words is used and what it needs comes first") {
    const std::string plain = prelude(made_up(), "");
    CHECK(prelude(made_up(), "float16_t x;") == plain + "base text\nhalf text\n");
    CHECK(prelude(made_up(), "more(rest)") == plain + "base text\nhalf text\nrest text\n");
    CHECK(prelude(made_up(), "restless no_more x.rest2") == plain);
    CHECK(prelude(made_up(), "SHARED_ARENA") == plain + "#define SHARED_ARENA near byte *shared_arena\n");
    CHECK(prelude(made_up(), "a ## b") == full_prelude(made_up()));
    Dialect wrong = made_up();
    wrong.sections[1].needs = {"absent"};
    CHECK_THROWS_AS(prelude(wrong, "float16_t"), ArgumentError);
}

TEST_CASE("programs get no section that they do not use") {
    for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()}) {
        const std::string plain = prelude(*dialect, "KERNEL void f(GLOBAL_MEM float *a) { a[LID_0] = 1; }");
        for (const char* absent :
             {"float16_t", "cfloat", "atomic", "clz", "shared_arena", "make_float4", "pi(", "maxmag"})
            CHECK_MESSAGE(!has(plain, absent), dialect->name, " ", absent);
        CHECK(plain.size() < 2500);
        CHECK(plain.back() == '\n');
        CHECK(has(prelude(*dialect, kernel_language::atomics("int")), "atomic_cas"));
        CHECK(has(prelude(*dialect, kernel_language::arena), "#define SHARED_ARENA"));
        CHECK(has(prelude(*dialect, kernel_language::complex("float")), "} cfloat;"));
        CHECK(!has(prelude(*dialect, kernel_language::complex("float")), "} cdouble;"));
    }
}

TEST_CASE("both dialects have the same words") {
    const auto words = [](const Dialect& dialect) {
        std::vector<std::string> all;
        for (const Dialect::Section& section : dialect.sections)
            all.insert(all.end(), section.words.begin(), section.words.end());
        return all;
    };
    // What a language has by itself needs no section; everything else stands in both tables.
    const std::vector<std::string> cuda = words(Dialect::cuda()), opencl = words(Dialect::opencl());
    const auto built_in = [](const std::string& word) {
        static const std::vector<std::string> of_opencl{"popcount", "acospi", "asinpi", "atanpi", "atan2pi",
                                                        "tanpi",    "maxmag", "minmag", "nan"};
        if (parse_type(word).lanes() > 1) return true;  // vectors that OpenCL C has and CUDA lacks
        // Products by warp groups are CUDA's alone, and no words for users.
        return word.starts_with("make_") || word.starts_with("gemel_") || word.starts_with("GEMEL_") ||
               word.starts_with("M_") || word.starts_with("as_") ||
               std::count(of_opencl.begin(), of_opencl.end(), word) == 1;
    };
    for (const std::string& word : cuda)
        CHECK_MESSAGE((std::count(opencl.begin(), opencl.end(), word) == 1 || built_in(word)), word);
    for (const std::string& word : opencl)
        CHECK_MESSAGE((std::count(cuda.begin(), cuda.end(), word) == 1 || built_in(word)), word);
}

TEST_CASE("every member of the two tables has a meaning or is empty on purpose") {
    for (const Dialect* d : {&Dialect::cuda(), &Dialect::opencl()}) {
        for (const std::string* text : {&d->name,
                                        &d->file_extension,
                                        &d->kernel,
                                        &d->shared_space,
                                        &d->aligned_shared,
                                        &d->restrict_word,
                                        &d->constant_space,
                                        &d->required_block,
                                        &d->arena_parameter,
                                        &d->arena_declaration,
                                        &d->thread_id,
                                        &d->block_id,
                                        &d->block_size,
                                        &d->grid_size,
                                        &d->global_id,
                                        &d->global_size,
                                        &d->barrier,
                                        &d->infinity,
                                        &d->nan,
                                        &d->global_barrier,
                                        &d->int64_suffix,
                                        &d->offset_of,
                                        &d->vector_value,
                                        &d->int64_type,
                                        &d->uint64_type,
                                        &d->bool_storage,
                                        &d->preamble})
            CHECK(!text->empty());
    }
    CHECK(Dialect::cuda().global_space.empty());  // pointers carry no space in CUDA
    CHECK(Dialect::opencl().device_function.empty());
}

TEST_CASE("the prelude keeps to the common subset of languages") {
    const std::string opencl = full_prelude(Dialect::opencl());
    CHECK(!has(opencl, "..."));  // NVIDIA's OpenCL refuses variadic macros
    CHECK(!has(opencl, "template"));
    CHECK(has(opencl, "#if defined(cl_khr_fp64)"));
    const std::string cuda = full_prelude(Dialect::cuda());
    // Headers cost more than all of the prelude: NVRTC reads none. nvcc has read the host's before, with these.
    const std::string of_host = "#else\n#include <stdint.h>\n#include <sys/types.h>\n";
    const std::size_t at = cuda.find(of_host);
    REQUIRE(at != std::string::npos);
    CHECK(cuda.rfind("#ifdef __CUDACC_RTC__", at) != std::string::npos);
    CHECK(!has(cuda.substr(0, at), "#include"));
    CHECK(!has(cuda.substr(at + of_host.size()), "#include"));
    for (const std::string& text : {cuda, opencl}) CHECK(!has(text, "typedef half"));
}

TEST_CASE("a kernel named as a function of the language is renamed in the text") {
    const std::string step = "KERNEL void step(GLOBAL_MEM float *x) { x[0] = 1; }",
                      define = "#define step gemel_kernel_step\n";
    CHECK(has(prelude(Dialect::opencl(), step), "#undef step\n" + define));
    CHECK(!has(prelude(Dialect::cuda(), step), "gemel_kernel_"));
    CHECK(has(prelude(Dialect::opencl(), step + "\n#define JOIN(a, b) a##b"), define));
    // Its use is no definition of a kernel.
    CHECK(!has(prelude(Dialect::opencl(), "KERNEL void ramp(GLOBAL_MEM float *x) { x[0] = step(0.5f, x[0]); }"),
               "gemel_kernel_"));
}

TEST_SUITE_END();
