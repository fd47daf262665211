#include "language/bulk_section.hpp"

#include "language/tile_section.hpp"

#include <fmt/format.h>

#include <string>

namespace gemel {
namespace {

constexpr int widths[] = {64, 128, 256};

/// c += a b for a of 64 x 8 and b of 8 x `width` in shared memory, both contiguous along the summed axis.
std::string multiply(const TileSpelling& s, int width) {
    const int count = width / 2;
    return fmt::format(
        R"(GEMEL_FUNCTION void gemel_multiply_two_tiles_tf32_{0}(float *c, uint64_t a, uint64_t b) {{
    asm volatile("{5}wgmma.mma_async.sync.aligned.m64n{0}k8.f32.tf32.tf32 {{{1}}}, %{2}, %{3}, 1, 1, 1;"
                 : {4} : "l"(a), "l"(b));
}}
)",
        width, tile_sums(count), count, count + 1, tile_sum_operands(count), s.mark);
}

const char* const map = R"(struct __align__(64) gemel_tensor_map { uint64_t words[16]; };
#define GEMEL_TENSOR_MAP(name) const __grid_constant__ gemel_tensor_map name
)";

// gemel_groups_await: waits until 256 threads of two groups have come to a barrier with this number or arrived there.
// A barrier in memory completes a phase when the announced numbers of threads and bytes have arrived; then its phase
// changes from 0 to 1, or back.
std::string barriers(const TileSpelling& s) {
    return fmt::format(
        R"(GEMEL_FUNCTION uint32_t gemel_shared_address({0}const void *p) {{ return {2}; }}
GEMEL_FUNCTION void gemel_barrier_make({0}uint64_t *barrier, int arrivals) {{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(gemel_shared_address(barrier)), "r"(arrivals) : "memory");
}}
GEMEL_FUNCTION void gemel_barrier_show(void) {{ asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }}
GEMEL_FUNCTION void gemel_barrier_expect({0}uint64_t *barrier, int bytes) {{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(gemel_shared_address(barrier)), "r"(bytes) : "memory");
}}
GEMEL_FUNCTION void gemel_barrier_await({0}uint64_t *barrier, uint32_t phase) {{
    asm volatile("{{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }}"
                 :: "r"(gemel_shared_address(barrier)), "r"(phase) : "memory");
}}
GEMEL_FUNCTION void gemel_barrier_arrive({0}uint64_t *barrier) {{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(gemel_shared_address(barrier)) : "memory");
}}
GEMEL_FUNCTION void gemel_copy_bulk({0}void *to, {1}const void *from, int bytes, {0}uint64_t *barrier) {{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(gemel_shared_address(to)), "l"(from), "r"(bytes), "r"(gemel_shared_address(barrier)) : "memory");
}}
GEMEL_FUNCTION void gemel_groups_await(int barrier) {{ asm volatile("bar.sync %0, 256;" :: "r"(barrier) : "memory"); }}
GEMEL_FUNCTION void gemel_groups_arrive(int barrier) {{ asm volatile("bar.arrive %0, 256;" :: "r"(barrier) : "memory"); }}
GEMEL_FUNCTION void gemel_registers_40(void) {{ asm volatile("{3}setmaxnreg.dec.sync.aligned.u32 40;"); }}
GEMEL_FUNCTION void gemel_registers_232(void) {{ asm volatile("{3}setmaxnreg.inc.sync.aligned.u32 232;"); }}
)",
        s.shared_space, s.global_space, s.shared_address, s.mark);
}

const char* const boxes =
    R"(GEMEL_FUNCTION void gemel_prepare_map(const gemel_tensor_map *map) { asm volatile("prefetch.tensormap [%0];" :: "l"(map) : "memory"); }
GEMEL_FUNCTION void gemel_copy_box(void *to, const gemel_tensor_map *map, int x, int y, int z, uint64_t *barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                 :: "r"(gemel_shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(z), "r"(gemel_shared_address(barrier)) : "memory");
}
)";

}  // namespace

Dialect::Section bulk_section(const TileSpelling& spelling) {
    Dialect::Section section{
        .name = "bulk",
        .words = {"gemel_barrier_make", "gemel_barrier_show", "gemel_barrier_expect", "gemel_barrier_await",
                  "gemel_barrier_arrive", "gemel_copy_bulk", "gemel_groups_await", "gemel_groups_arrive",
                  "gemel_registers_40", "gemel_registers_232"},
        .text = spelling.has_maps ? map : ""};
    section.text += fmt::format("#if {}\n{}", spelling.condition, barriers(spelling));
    if (spelling.has_maps) {
        section.text += boxes;
        for (const char* const word : {"gemel_prepare_map", "gemel_copy_box", "GEMEL_TENSOR_MAP"})
            section.words.emplace_back(word);
    }
    for (const int width : widths) {
        section.text += multiply(spelling, width);
        section.words.push_back(fmt::format("gemel_multiply_two_tiles_tf32_{}", width));
    }
    section.text += "#endif\n";
    return section;
}

}  // namespace gemel
