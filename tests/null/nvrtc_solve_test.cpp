/// The sweeps of solvers and the kernels of preconditioners, compiled for CUDA without a warning.
#include "../chain_programs.hpp"
#include "../nvrtc.hpp"
#include "solve/preconditioner_kernels.hpp"
#include "solve/sweep_texts.hpp"

#include <gemel/core/dialect.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace gemel;
using namespace gemel::solving;

namespace {

void check_compiles(const std::string& name, const std::string& text, const char* architecture) {
    const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
    CHECK_MESSAGE(result.succeeded, name, "\n", result.log, "\n", text);
    CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, "\n", result.log, "\n", text);
}

void check_sweeps(const std::vector<codegen::SweepRequest>& sweeps, codegen::SweepLayout layout,
                  const char* architecture) {
    for (const codegen::SweepRequest& sweep : sweeps) {
        layout.dtype = sweep.dtype;
        check_compiles(sweep.name, codegen::sweep_source(sweep, layout, {.block = 256}, Dialect::cuda()), architecture);
    }
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("sweeps of solvers compile for CUDA without a warning") {
    check_sweeps(all_sweeps(dtype_of<float>(), true), {.last_block = true}, "sm_90");
    check_sweeps(all_sweeps(dtype_of<cdouble>(), true), {.last_block = true, .wide_index = true}, "sm_75");
    check_sweeps(all_sweeps(dtype_of<cfloat>(), false), {.last_block = false}, "sm_75");
}

TEST_CASE("chains of solvers compile for CUDA without a warning") {
    for (const auto& [name, request, matrix] : chain_programs::programs())
        for (const char* architecture : some_of({"sm_75", "sm_90"}))
            check_compiles(name, codegen::chain_source(request, matrix, 0, Dialect::cuda()), architecture);
}

TEST_CASE("kernels of preconditioners compile for CUDA") {
    for (const DType dtype :
         {DType(dtype_of<float>()), DType(dtype_of<double>()), DType(dtype_of<cfloat>()), DType(dtype_of<cdouble>())})
        for (const auto make : {invert_blocks_kernel, multiply_blocks_kernel, chebyshev_begin_kernel,
                                chebyshev_step_kernel, power_begin_kernel}) {
            const ElementwiseKernel kernel = make(dtype);
            check_compiles(kernel.name(), kernel.source(Dialect::cuda()), "sm_75");
        }
    const DType narrow = dtype_of<std::int32_t>(), wide = dtype_of<std::int64_t>();
    for (const ElementwiseKernel& kernel : {approximate_inverse_kernel(dtype_of<float>(), narrow, narrow),
                                            approximate_inverse_kernel(dtype_of<cdouble>(), wide, narrow)})
        check_compiles(kernel.name(), kernel.source(Dialect::cuda()), "sm_75");
}

TEST_SUITE_END();
