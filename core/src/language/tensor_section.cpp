#include "language/tensor_section.hpp"

#include <fmt/format.h>

#include <string>

namespace gemel {
namespace {

/// Copies `{bytes}` bytes to shared memory, of which the first `valid` are read and the others are zero.
std::string copy_async(const TensorSpelling& s, int bytes) {
    // Only accesses of 16 bytes can bypass the first-level cache.
    return fmt::format(
        R"(GEMEL_FUNCTION void gemel_copy_async_{0}({1}void *p, {2}const void *from, int valid) {{
    asm volatile("cp.async.{3}.shared.global [%0], [%1], {0}, %2;" :: "r"({4}), "l"(from), "r"(valid) : "memory");
}}
)",
        bytes, s.shared_space, s.global_space, bytes == 16 ? "cg" : "ca", s.shared_address);
}

std::string wait_for_copies(int under_way) {
    return fmt::format(
        R"(GEMEL_FUNCTION void gemel_await_copies_{0}(void) {{ asm volatile("cp.async.wait_group {0};" ::: "memory"); }}
)",
        under_way);
}

std::string load_matrices(const TensorSpelling& s, bool turned) {
    return fmt::format(
        R"(GEMEL_FUNCTION void gemel_load_matrices{0}(uint32_t *to, {1}const void *p) {{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4{2}.shared.b16 {{%0, %1, %2, %3}}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"({3}) : "memory");
}}
)",
        turned ? "_turned" : "", s.shared_space, turned ? ".trans" : "", s.shared_address);
}

/// c += a b for a of 16 x `depth` and b of `depth` x 8.
std::string multiply(const char* name, int depth, const char* type) {
    return fmt::format(
        R"(GEMEL_FUNCTION void gemel_multiply_{0}(float *c, const uint32_t *a, const uint32_t *b) {{
    asm("mma.sync.aligned.m16n8k{1}.row.col.f32.{2}.{2}.f32 {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, {{%0, %1, %2, %3}};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}}
)",
        name, depth, type);
}

/// The same for doubles.
std::string multiply_doubles(int depth) {
    const int a = depth / 2, b = depth / 4;  // elements per lane
    std::string places, operands;
    for (int k = 0; k < a + b; ++k) {
        places += fmt::format("{}%{}{}", k == 0 || k == a ? "{" : ", ", 4 + k,
                              k == a - 1       ? "}, "
                              : k == a + b - 1 ? "}"
                                               : "");
        operands += fmt::format("{}\"d\"({}[{}])", k == 0 ? "" : ", ", k < a ? "a" : "b", k < a ? k : k - a);
    }
    return fmt::format(
        R"(GEMEL_FUNCTION void gemel_multiply_double_{0}(double *c, const double *a, const double *b) {{
    asm("mma.sync.aligned.m16n8k{0}.row.col.f64.f64.f64.f64 {{%0, %1, %2, %3}}, {1}, {{%0, %1, %2, %3}};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : {2});
}}
)",
        depth, places, operands);
}

/// Two floats rounded to 16 bits in one word, the first in its lower bits. Halves: each of them as a float.
const char* const halves =
    R"(GEMEL_FUNCTION uint32_t gemel_two_halves(float first, float second) {
    uint32_t both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}
GEMEL_FUNCTION uint32_t gemel_two_bfloats(float first, float second) {
    uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}
GEMEL_FUNCTION float gemel_first_half(uint32_t both) {
    float first;
    asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low;}" : "=f"(first) : "r"(both));
    return first;
}
GEMEL_FUNCTION float gemel_second_half(uint32_t both) { return gemel_first_half(both >> 16); }
)";

const char* const commit_copies =
    R"(GEMEL_FUNCTION void gemel_commit_copies(void) { asm volatile("cp.async.commit_group;" ::: "memory"); }
)";

/// Tensor cores read the upper 19 bits; rounds to them, except infinities and NaN. One comparison and one addition.
std::string round_to_tf32(const TensorSpelling& s) {
    return fmt::format(
        "GEMEL_FUNCTION uint32_t gemel_tf32(uint32_t bits) {{ return {} < INFINITY ? bits + 0x1000u : bits; }}\n",
        s.magnitude);
}

}  // namespace

Dialect::Section tensor_section(const TensorSpelling& spelling) {
    std::string text = fmt::format("#if {}\n", spelling.condition);
    for (const int bytes : {4, 8, 16}) text += copy_async(spelling, bytes);
    for (const int under_way : {0, 1, 2, 3, 4, 5}) text += wait_for_copies(under_way);
    for (const bool turned : {false, true}) text += load_matrices(spelling, turned);
    text += multiply("float16", 16, "f16") + multiply("bfloat16", 16, "bf16") + multiply("tf32", 8, "tf32");
    text += fmt::format("#ifndef GEMEL_NO_DOUBLE\n{}{}#endif\n", multiply_doubles(8), multiply_doubles(16));
    text += halves;
    text += commit_copies + round_to_tf32(spelling);
    return {.name = "tensor",
            .words = {"gemel_copy_async_4",       "gemel_copy_async_8",
                      "gemel_copy_async_16",      "gemel_commit_copies",
                      "gemel_await_copies_0",     "gemel_await_copies_1",
                      "gemel_await_copies_2",     "gemel_await_copies_3",
                      "gemel_await_copies_4",     "gemel_await_copies_5",
                      "gemel_load_matrices",      "gemel_load_matrices_turned",
                      "gemel_multiply_float16",   "gemel_multiply_bfloat16",
                      "gemel_multiply_tf32",      "gemel_multiply_double_8",
                      "gemel_multiply_double_16", "gemel_two_halves",
                      "gemel_first_half",         "gemel_second_half",
                      "gemel_two_bfloats",        "gemel_tf32"},
            .text = text + "#endif\n"};
}

}  // namespace gemel
