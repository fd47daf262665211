#include "language/cluster_section.hpp"

namespace gemel {
namespace {

// The number of blocks is for stand-ins; GPUs know it.
const char* const cluster = R"(#define GEMEL_CLUSTER_BLOCKS(BLOCKS) __cluster_dims__(BLOCKS, 1, 1)
#ifdef __CUDA_ARCH__
GEMEL_FUNCTION void gemel_cluster_store(void *p, int block, uint32_t word) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; st.shared::cluster.u32 [there], %2; }"
                 :: "r"((uint32_t)__cvta_generic_to_shared(p)), "r"(block), "r"(word) : "memory");
}
GEMEL_FUNCTION void gemel_cluster_arrive(void) { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
GEMEL_FUNCTION void gemel_cluster_wait(int blocks) { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
#endif
)";

}  // namespace

Dialect::Section cluster_section() {
    return {.name = "cluster",
            .words = {"GEMEL_CLUSTER_BLOCKS", "gemel_cluster_store", "gemel_cluster_arrive", "gemel_cluster_wait"},
            .text = cluster};
}

}  // namespace gemel
