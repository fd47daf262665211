/// Values whose type only the kernel's text knows are checked by size: a wrong one would have the driver read beyond
/// it.
#include <doctest/doctest.h>

#include <gemel/gemel.hpp>

#include "support.hpp"

#include <algorithm>
#include <complex>

using namespace gemel;
using namespace gemel::testing;

namespace {

struct Odd {
    float a[5];
    char c;
};
struct Small {
    float a;
};
struct Big {
    char c[3000];
};

const char* const program = R"(
typedef float real;
typedef struct { float a[5]; char c; } Odd;
struct Big { char c[3000]; };
KERNEL void values(GLOBAL_MEM float *out, real s, Odd o, struct Big b, int n)
{
    out[0] = s + o.a[4] + b.c[2999] + n;
}
)";

/// Where a driver tells nothing of sizes (CUDA before 12.4) there is nothing to compare with.
bool sizes_are_known(const Kernel& kernel, const Buffer& out) {
    try {
        kernel({.grid = {1}, .block = {1}}, out, 1.0, Odd{}, Big{}, 1);
    } catch (const ArgumentError&) {
        return true;
    }
    REQUIRE(current_context().dialect().name != "opencl");  // there gemel finds them out
    MESSAGE("not checked: the driver does not tell the sizes of parameters");
    return false;
}

void check_values(const Module& module) {
    const Context context = current_context();
    const Kernel kernel = module.kernel("values");
    CHECK(module.kernel_names() == std::vector<std::string>{"values"});
    const auto out = zeros<float>(Shape{1});
    const LaunchConfig one{.grid = {1}, .block = {1}};
    Odd odd{{1, 2, 3, 4, 5}, 1};
    Big big{};
    big.c[2999] = 7;
    kernel(one, out, 1.0f, odd, big, 3);
    CHECK(out.get()[0] == 16);
    if (!sizes_are_known(kernel, out.buffer())) return;
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, out, 1.0, odd, big, 3), "argument 2 (s)", "4 bytes", "8 bytes");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, out, 1.0f, Small{1}, big, 3), "argument 3 (o)", "24 bytes",
                            "4 bytes");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, out, 1.0f, odd, odd, 3), "argument 4 (b)", "3000 bytes",
                            "24 bytes");
    // The context goes on.
    kernel(one, out, 2.0f, odd, big, 3);
    CHECK(out.get()[0] == 17);
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("values of types that only the text knows have the size that the text says") {
    const Context context = current_context();
    const Module module = context.compile(program);
    check_values(module);
    check_values(context.load_binary(module.binary()));
}

TEST_CASE("complex numbers and vectors arrive as they were given") {
    const Kernel kernel = default_context()
                              .compile(R"(
KERNEL void parts(GLOBAL_MEM float *out, cfloat a, int before, float4 b, uchar2 c)
{
    out[0] = a.re; out[1] = a.im; out[2] = before; out[3] = b.x; out[4] = b.w; out[5] = c.x; out[6] = c.y;
})")
                              .kernel("parts");
    std::vector<float> out(7);
    kernel({.grid = {1}, .block = {1}}, Out(out), std::complex<float>(0.5f, -2), 7, float4{1, 2, 3, 4}, uchar2{250, 3});
    CHECK(out == std::vector<float>{0.5f, -2, 7, 1, 4, 250, 3});
}

TEST_CASE("what is asked about sizes leaves no trace in messages") {
    const Context context = current_context();
    const std::string wrong = message_of<CompileError>([&] {
        context.compile(
            "typedef struct { int a; } One;\nKERNEL void wrong(GLOBAL_MEM int *out, One one)\n{\n    out[0] = "
            "one.b;\n}\n");
    });
    CHECK(mentions(wrong, {":4:", "one.b"}));
    CHECK(wrong.find("gemel_size") == std::string::npos);
    // A type that has no name any more where the text ends.
    const Module module = context.compile(
        "#define real float\nKERNEL void gone(GLOBAL_MEM float *out, real s) { out[0] = s; }\n#undef real\n"
        "struct Late { int a[3]; };\nKERNEL void late(GLOBAL_MEM float *out, struct Late s) { out[0] = s.a[2]; }\n");
    const auto out = zeros<float>(Shape{1});
    module.kernel("gone")({.grid = {1}, .block = {1}}, out, 4.0f);
    CHECK(out.get()[0] == 4);
    std::vector<std::string> names = module.kernel_names();
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"gone", "late"});
    CHECK_THROWS_AS(module.kernel("gemel_size_1_0_late"), Error);
}
