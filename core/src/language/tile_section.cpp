#include "language/tile_section.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

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

/// c += a b for a of 64 x 16 and b of 16 x `width`, both in shared memory. `orders` says along which axes neighbours
/// lie: of a, m or k; of b, k or n.
std::string of_16_bits(const TileSpelling& s, const std::string& name, const char* type, int width,
                       const std::string& orders) {
    const int count = width / 2;
    return fmt::format(
        R"(GEMEL_FUNCTION void {0}(float *c, uint64_t a, uint64_t b) {{
    asm volatile("{1}wgmma.mma_async.sync.aligned.m64n{2}k16.f32.{3}.{3} {{{4}}}, %{5}, %{6}, 1, 1, 1, {7}, {8};"
                 : {9} : "l"(a), "l"(b));
}}
)",
        name, s.mark, width, type, tile_sums(count), count, count + 1, orders[0] == 'm' ? 1 : 0,
        orders[1] == 'n' ? 1 : 0, tile_sum_operands(count));
}

/// c += a b for a of 64 x 8 in registers, distributed as for gemel_multiply_tf32, and b of 8 x `width` in shared
/// memory.
std::string of_tf32(const std::string& name, int width) {
    const int count = width / 2;
    return fmt::format(
        R"(GEMEL_FUNCTION void {7}(float *c, const uint32_t *a, uint64_t b) {{
    asm volatile("wgmma.mma_async.sync.aligned.m64n{0}k8.f32.tf32.tf32 {{{1}}}, {{%{2}, %{3}, %{4}, %{5}}}, %{8}, 1, 1, 1;"
                 : {6} : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}}
)",
        width, tile_sums(count), count, count + 1, count + 2, count + 3, tile_sum_operands(count), name, count + 4);
}

// The descriptor of a tile: its address, the distance of its halves if 64 elements fill a line (`lead` bytes), the
// distance of groups of eight lines, and the swizzle in lines of 128 or 64 bytes.
std::string others(const TileSpelling& s) {
    std::string text = fmt::format(
        R"(#define GEMEL_SHARED_ADDRESS(p) {1}
GEMEL_FUNCTION uint64_t gemel_tile({0}const void *p, int lead) {{
    return (uint64_t)(GEMEL_SHARED_ADDRESS(p) >> 4 & 0x3fffu) | (uint64_t)(lead >> 4) << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}}
GEMEL_FUNCTION uint64_t gemel_tile_64({0}const void *p) {{
    return (uint64_t)(GEMEL_SHARED_ADDRESS(p) >> 4 & 0x3fffu) | (uint64_t)32 << 32 | (uint64_t)2 << 62;
}}
#define gemel_tile_aligned(p) ((p) + (0u - GEMEL_SHARED_ADDRESS(p) & 1023u) / sizeof(*(p)))
GEMEL_FUNCTION void gemel_show_copies_to_tiles(void) {{ asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }}
GEMEL_FUNCTION void gemel_before_tiles(uint32_t *word) {{ asm volatile("" : "+r"(*word) :: "memory"); }}
GEMEL_FUNCTION void gemel_after_tiles(float *sum) {{ asm volatile("" : "+f"(*sum) :: "memory"); }}
)",
        s.shared_space, s.shared_address);
    constexpr std::pair<const char*, const char*> waits[] = {
        {"begin_tiles", "wgmma.fence.sync.aligned"},
        {"commit_tiles", "wgmma.commit_group.sync.aligned"},
        {"await_tiles_0", "wgmma.wait_group.sync.aligned 0"},
        {"await_tiles_1", "wgmma.wait_group.sync.aligned 1"},
    };
    for (const auto& [name, instruction] : waits)
        text += fmt::format("GEMEL_FUNCTION void gemel_{}(void) {{ asm volatile(\"{}{};\" ::: \"memory\"); }}\n", name,
                            s.mark, instruction);
    return text;
}

std::string within(const TileSpelling& s, const std::string& text) {
    return fmt::format("#if {}\n{}#endif\n", s.condition, text);
}

Dialect::Section of_width(const TileSpelling& s, int width) {
    Dialect::Section section{.name = fmt::format("tiles_{}", width)};
    std::string text;
    for (const auto& [name, type] : {std::pair("float16", "f16"), std::pair("bfloat16", "bf16")})
        for (const char* const orders : {"kk", "kn", "mk", "mn"}) {
            section.words.push_back(fmt::format("gemel_multiply_tiles_{}_{}_{}", name, width, orders));
            text += of_16_bits(s, section.words.back(), type, width, orders);
        }
    if (s.has_maps) {
        section.words.push_back(fmt::format("gemel_multiply_tiles_tf32_{}", width));
        text += of_tf32(section.words.back(), width);
    }
    section.text = within(s, text);
    return section;
}

}  // namespace

std::vector<Dialect::Section> tile_sections(const TileSpelling& spelling) {
    std::vector<Dialect::Section> all{
        {.name = "tiles",
         .words = {"gemel_tile", "gemel_tile_64", "gemel_tile_aligned", "gemel_begin_tiles", "gemel_commit_tiles",
                   "gemel_show_copies_to_tiles", "gemel_before_tiles", "gemel_await_tiles_0", "gemel_await_tiles_1",
                   "gemel_after_tiles"},
         .text = within(spelling, others(spelling))}};
    for (const int width : widths) all.push_back(of_width(spelling, width));
    return all;
}

}  // namespace gemel
