/// Templates of kernels: how they are filled, spelled in a dialect, and kept apart from users' text.
#include <gemel/codegen/kernel_text.hpp>
#include <gemel/core/text.hpp>

#include "../pidgin.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gemel;
using codegen::KernelText;

namespace {

codegen::Template kernel(const char* text) {
    return codegen::Template(text, "test.kernel", codegen::kernel_template_options);
}

std::string spelled(const char* text, const Dialect& dialect) { return KernelText(dialect).finish(text); }

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("portable words of a kernel's template are spelled in the dialect") {
    const char* const text = R"(WITHIN_KERNEL int f(LOCAL_MEM_ARG int *x) { return x[0]; }
KERNEL REQD_WG_SIZE(64, 1, 1) void k(GLOBAL_MEM const int *RESTRICT x)
{
    LOCAL_MEM int s[64];  // KERNEL
    for (int k = LID_0; k < GDIM_1; k += LDIM_2) s[k] = GID_0;
    local_barrier();
}
)";
    CHECK(spelled(text, Dialect::cuda()) == R"(__device__ int f(int *x) { return x[0]; }
extern "C" __global__ __launch_bounds__(64) void k(const int *__restrict__ x)
{
    __shared__ int s[64];  // KERNEL
    for (int k = ((int)threadIdx.x); k < ((int)gridDim.y); k += ((int)blockDim.z)) s[k] = ((int)blockIdx.x);
    __syncthreads();
}
)");
    CHECK(spelled(text, pidgin()) == R"(helper int f(near int *x) { return x[0]; }
entry [X by Y by Z] void k(far const int *alone x)
{
    near int s[64];  // KERNEL
    for (int k = lane(0); k < teams(1); k += lanes(2)) s[k] = team(x);
    meet();
}
)");
    // What is not in the usual form is left to the prelude, whose macros these words are.
    for (const char* left : {"REQD_WG_SIZE(8, 8, 1)", "REQD_WG_SIZE(64", "local_barrier", "GLOBAL_ID_0", "LID_3"})
        CHECK(spelled(left, Dialect::opencl()) == left);
}

TEST_CASE("a loop to unroll has a directive where the dialect has one") {
    const char* const text = "{\n    UNROLL\n    for (;;) f();\n}\n";
    CHECK(spelled(text, Dialect::cuda()) == "{\n#pragma unroll\n    for (;;) f();\n}\n");
    CHECK(spelled(text, pidgin()) == "{\n    for (;;) f();\n}\n");
}

TEST_CASE("values of several lines are indented to where their blank stands") {
    KernelText text(Dialect::opencl());
    const std::string inner =
        text.fill(kernel("if (a) {\n    {{ then }}\n}\n"), {{"then", "b();\n#define c\n\nd();\n"}});
    CHECK(text.finish(
              text.fill(kernel("{\n    {{ inner }}\n    f({{ inner }});\n    {{ nothing }}\n    x{{ nothing }}y;\n}\n"),
                        {{"inner", inner}, {"nothing", ""}})) ==
          "{\n    if (a) {\n        b();\n#define c\n\n        d();\n    }\n    f(if (a) {\n        b();\n#define c\n\n"
          "        d();\n    });\n    xy;\n}\n");
    CHECK(text.finish(text.fill(kernel("  {{ lines }};\n"), {{"lines", text.verbatim("KERNEL\nLID_0\n")}})) ==
          "  KERNEL\n  LID_0;\n");
}

TEST_CASE("names of a template that users' text has too are written differently") {
    const auto is_taken = [](std::string_view word) {
        for (const char* taken : {"tile", "tile_", "starts", "i", "float", "if", "atomic_add", "uint32_t"})
            if (word == taken) return true;
        return false;
    };
    KernelText text(Dialect::opencl(), is_taken, {"i"});
    CHECK(text.name("tile") == "tile__");
    CHECK(text.name("row") == "row");
    const std::string filled = text.fill(kernel(R"(typedef struct { float value; int starts[2], tile; } item;
if (i) atomic_add(&x.starts[0], (uint32_t)starts);
const float tile = {{ user }}; // tile
row.tile = tile; "tile"
)"),
                                         {{"user", text.verbatim("tile + starts")}});
    CHECK(text.finish(filled) == R"(typedef struct { float value; int starts[2], tile; } item;
if (i) atomic_add(&x.starts[0], (uint32_t)starts_);
const float tile__ = tile + starts; // tile
row.tile = tile__; "tile"
)");
}

TEST_SUITE_END();
