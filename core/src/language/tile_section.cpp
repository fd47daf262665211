#include "language/tile_section.hpp"

#include <fmt/format.h>

#include <string>

namespace gemel {

std::string tile_sums(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += fmt::format("{}%{}", i ? ", " : "", i);
    return all;
}
std::string tile_sum_operands(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += fmt::format("{}\"+f\"(c[{}])", i ? ", " : "", i);
    return all;
}

namespace {

constexpr int widths[] = {64, 128, 192, 256};

/// c += a b for a of 64 x 16 and b of 16 x `width`, both in shared memory; turned: contiguous along rows or columns.
std::string of_16_bits(const char* name, const char* type, int width) {
    const int count = width / 2;
    return fmt::format(
        R"(template <int a_is_turned, int b_is_turned>
GEMEL_FUNCTION void gemel_multiply_tiles_{0}_{1}(float *c, uint64_t a, uint64_t b) {{
    asm volatile("wgmma.mma_async.sync.aligned.m64n{1}k16.f32.{2}.{2} {{{3}}}, %{4}, %{5}, 1, 1, 1, %{6}, %{7};"
                 : {8} : "l"(a), "l"(b), "n"(a_is_turned), "n"(b_is_turned));
}}
)",
        name, width, type, tile_sums(count), count, count + 1, count + 2, count + 3, tile_sum_operands(count));
}

/// c += a b for a of 64 x 8 in registers, distributed as for gemel_multiply_tf32, and b of 8 x `width` in shared
/// memory.
std::string of_tf32(int width) {
    const int count = width / 2;
    return fmt::format(
        R"(GEMEL_FUNCTION void gemel_multiply_tiles_tf32_{0}(float *c, const uint32_t *a, uint64_t b) {{
    asm volatile("wgmma.mma_async.sync.aligned.m64n{0}k8.f32.tf32.tf32 {{{1}}}, {{%{2}, %{3}, %{4}, %{5}}}, %{6}, 1, 1, 1;"
                 : {7} : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}}
)",
        width, tile_sums(count), count, count + 1, count + 2, count + 3, count + 4, tile_sum_operands(count));
}

// The descriptor of a tile: its address, the distance of its halves if 64 elements fill a line (`lead` bytes), the
// distance of groups of eight lines, and the swizzle in lines of 128 bytes.
const char* const others = R"(GEMEL_FUNCTION uint64_t gemel_tile(const void *p, int lead) {
    return (uint64_t)((uint32_t)__cvta_generic_to_shared(p) >> 4 & 0x3fffu) | (uint64_t)(lead >> 4) << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}
template <class T>
GEMEL_FUNCTION T *gemel_tile_aligned(T *p) { return p + (0u - (uint32_t)__cvta_generic_to_shared(p) & 1023u) / sizeof(T); }
GEMEL_FUNCTION void gemel_begin_tiles(void) { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
GEMEL_FUNCTION void gemel_commit_tiles(void) { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
GEMEL_FUNCTION void gemel_await_tiles_0(void) { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
GEMEL_FUNCTION void gemel_await_tiles_1(void) { asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); }
GEMEL_FUNCTION void gemel_before_tiles(uint32_t *word) { asm volatile("" : "+r"(*word) :: "memory"); }
GEMEL_FUNCTION void gemel_after_tiles(float *sum) { asm volatile("" : "+f"(*sum) :: "memory"); }
)";

}  // namespace

Dialect::Section tile_section() {
    Dialect::Section section{
        .name = "tiles",
        .words = {"gemel_tile", "gemel_tile_aligned", "gemel_begin_tiles", "gemel_commit_tiles", "gemel_before_tiles",
                  "gemel_await_tiles_0", "gemel_await_tiles_1", "gemel_after_tiles"},
        .text = "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n" + std::string(others)};
    for (const int width : widths) {
        section.text += of_16_bits("float16", "f16", width) + of_16_bits("bfloat16", "bf16", width) + of_tf32(width);
        for (const char* const name : {"float16", "bfloat16", "tf32"})
            section.words.push_back(fmt::format("gemel_multiply_tiles_{}_{}", name, width));
    }
    section.text += "#endif\n";
    return section;
}

}  // namespace gemel
