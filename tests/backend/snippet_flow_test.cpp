/// What a snippet may do to the text around it: `continue` goes on to the next element, wherever that is; what would
/// leave out elements unseen is refused when the kernel is described, and so are accesses that a macro hides.
#include <doctest/doctest.h>

#include <gemel/gemel.hpp>

#include "generator_support.hpp"

#include <array>

using namespace gemel;
using namespace gemel::testing;

namespace {

const std::array<AnyTuning, 2> tunings{AnyTuning{}, gpu_shaped};

/// Each of these leaves every third element as it is.
const char* const skipping[] = {
    "if (x[i] % 3 == 0) continue; z[i] = x[i];",
    "for (int k = 0; k < 2; ++k) { if (x[i] % 3 == 0) break; z[i] = x[i]; }",
    "for (int k = 0; k < 2; ++k) if (x[i] % 3 == 0) continue; else z[i] = x[i];",
    "int k = 0; while (1) if (k++ == 2) break; else { if (x[i] % 3 != 0) z[i] = x[i]; }",
    "int k = 0; do { if (x[i] % 3 == 0) break; z[i] = x[i]; } while (++k < 2); if (k == 5) continue",
    "switch (x[i] % 3) { case 0: break; case 1: default: z[i] = x[i]; }",
    "switch (x[i] % 3) { case 0: continue; } z[i] = x[i];",
    "for (int k = 0; k < 4; ++k) switch (k) { case 3: if (x[i] % 3) z[i] = x[i]; break; default: continue; }",
};

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("jumps within a snippet reach what they say in every form of the kernel") {
    std::vector<std::int32_t> numbers(300), expected(300, -1);
    for (std::size_t i = 0; i < 300; ++i) {
        numbers[i] = static_cast<std::int32_t>(i);
        if (i % 3) expected[i] = numbers[i];
    }
    for (const char* snippet : skipping) {
        const ElementwiseKernel skip("const int *x, int *z", snippet, "skip");
        for (const Form form : {Form::C, Form::strided, Form::F})
            for (const AnyTuning& tuning : tunings) {
                GPUArray<std::int32_t> x, z;
                fill_in(form, Shape{20, 15}, x, numbers);
                fill_in(Form::C, Shape{20, 15}, z, std::vector<std::int32_t>(300, -1));
                skip({.tuning = tuning}, x, z);
                CHECK_SAME(expected, z.get(), snippet, ", ", name_of(form));
            }
    }
}

TEST_CASE("a jump out of a snippet is refused with its place") {
    const auto made = [](const char* operation) { return ElementwiseKernel("int *x", operation, "jump"); };
    CHECK_THROWS_MENTIONING(ArgumentError, made("if (x[i] > 3)\n    break;\nx[i] = 1"), "jump", "'break'", "line 2",
                            "column 5", "continue");
    CHECK_THROWS_MENTIONING(ArgumentError, made("for (int k = 0; k < 3; ++k) x[i] = k; break;"), "'break'",
                            "column 39");
    CHECK_THROWS_MENTIONING(ArgumentError, made("do x[i]++; while (x[i] < 3); if (x[i]) { break; }"), "'break'");
    CHECK_THROWS_MENTIONING(ArgumentError, made("if (x[i]) for (;;) break; else break;"), "'break'", "column 32");
    CHECK_THROWS_MENTIONING(ArgumentError, made("end: x[i] = 2; if (x[i]) goto end"), "'goto'", "column 26");
    CHECK_THROWS_MENTIONING(ArgumentError, made("for (;;) { x[i] = 2; return; }"), "'return'", "column 22");
    CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel("int *x", "x[i] = 1", "jump", {.loop_prep = "return"}),
                            "loop_prep", "'return'");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            ElementwiseKernel("int *x", "x[i] = 1", "jump", {.after_loop = "if (n > 3) continue"}),
                            "after_loop", "'continue'");
    const auto scan = [](const char* output) {
        return GenericScanKernel<int>({.arguments = "const int *x, int *z",
                                       .input_expr = "x[i]",
                                       .scan_expr = "a + b",
                                       .neutral = "0",
                                       .output_statement = output,
                                       .name = "sums"});
    };
    CHECK_THROWS_MENTIONING(ArgumentError, scan("if (i > 3) break; z[i] = item"), "sums", "'break'", "column 12");
    CHECK_NOTHROW(scan("if (i > 3) continue; z[i] = item"));
}

TEST_CASE("a macro that names an array's element is refused where the snippet goes to its elements too") {
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        ElementwiseKernel("const float *x, float *z", "z[i] = XI + x[i]", "hidden", {.preamble = "#define XI x[i]\n"}),
        "hidden", "argument 1 (x)", "macro XI");
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        ElementwiseKernel("const float *x, float *z", "\n#define XI \\\n x[i]\nz[i] = XI; z[0] = x[0]", "hidden"),
        "argument 1 (x)", "macro XI");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            ElementwiseKernel("const float *x, float *z", "STORE(x[i]); z[i] = 2*z[i]", "hidden",
                                              {.preamble = "#define PUT z[i]\n#define STORE(v) PUT = (v)\n"}),
                            "argument 2 (z)", "macro PUT");
    // A macro's own parameters, and macros that are not used, are nobody's arrays.
    const ElementwiseKernel fine(
        "const float *x, float *z", "z[i] = TWICE(x[i]) + AT(0)", "fine",
        {.preamble = "#define TWICE(x) ((x) + (x))\n#define XI x[i]\n#define AT(k) (k + i)\n"});
    for (const Form form : forms)
        for (const AnyTuning& tuning : tunings) {
            GPUArray<float> x, z;
            std::vector<float> numbers(60);
            for (std::size_t i = 0; i < 60; ++i) numbers[i] = static_cast<float>(i) / 2;
            numbers = fill_in(form, Shape{3, 4, 5}, x, numbers);
            fill_in(Form::F, Shape{3, 4, 5}, z, numbers);
            fine({.tuning = tuning}, x, z);
            for (std::size_t i = 0; i < 60; ++i) numbers[i] = 2 * numbers[i] + static_cast<float>(i);
            CHECK_SAME(numbers, z.get(), name_of(form));
        }
}

TEST_CASE("a macro of the snippet's own that names i counts in C order") {
    const ElementwiseKernel count("float *z", "\n#define PLACE (2*i)\nz[i] = PLACE", "count");
    for (const Form form : {Form::C, Form::F, Form::permuted, Form::strided})
        for (const AnyTuning& tuning : tunings) {
            GPUArray<float> z;
            std::vector<float> numbers(60);
            fill_in(form, Shape{3, 4, 5}, z, numbers);
            for (std::size_t i = 0; i < 60; ++i) numbers[i] = static_cast<float>(2 * i);
            count({.tuning = tuning}, z);
            CHECK_SAME(numbers, z.get(), name_of(form));
        }
}
