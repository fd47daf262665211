/// Everything that users need.
#pragma once

#include <gemel/arrays/any_expr.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/arrays/dlpack.hpp>
#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/expression_types.hpp>
#include <gemel/arrays/gpu_array.hpp>
#include <gemel/arrays/join.hpp>
#include <gemel/arrays/mask.hpp>
#include <gemel/arrays/matmul.hpp>
#include <gemel/arrays/npy.hpp>
#include <gemel/arrays/pad.hpp>
#include <gemel/arrays/print.hpp>
#include <gemel/arrays/random.hpp>
#include <gemel/arrays/random_host.hpp>
#include <gemel/arrays/rearrange.hpp>
#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/arrays/sobol.hpp>
#include <gemel/arrays/stored_tuning.hpp>
#include <gemel/arrays/take.hpp>
#include <gemel/codegen/codegen.hpp>
#include <gemel/core/core.hpp>
