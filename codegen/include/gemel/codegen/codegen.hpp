/// All headers of codegen: generators of kernel source, which need no device.
#pragma once

#include <gemel/codegen/elementwise.hpp>
#include <gemel/codegen/layout.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/codegen/philox.hpp>
#include <gemel/codegen/reduction.hpp>
#include <gemel/codegen/rows.hpp>
#include <gemel/codegen/scan.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/sobol.hpp>
#include <gemel/codegen/struct.hpp>
#include <gemel/codegen/substitute.hpp>
#include <gemel/codegen/syntax_tree.hpp>
#include <gemel/codegen/template.hpp>
#include <gemel/codegen/tuning.hpp>
