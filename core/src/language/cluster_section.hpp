/// Functions for blocks that are a thread block cluster, for CUDA on sm_90.
#pragma once

#include <gemel/core/dialect.hpp>

namespace gemel {

/// GEMEL_CLUSTER_BLOCKS(n) in a kernel's head; gemel_cluster_store() to the same place in another block's shared
/// memory; gemel_cluster_arrive() and gemel_cluster_wait(), together a barrier of all threads of the cluster.
/// @source PTX ISA, "barrier.cluster", "mapa"
Dialect::Section cluster_section();

}  // namespace gemel
