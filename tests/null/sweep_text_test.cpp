/// The text of sweeps: golden files, tunings, and what a request cannot be.
#include "../golden.hpp"

#include <gemel/codegen/struct.hpp>
#include <gemel/codegen/sweep.hpp>
#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace gemel;
namespace cg = gemel::codegen;

namespace {

/// A step of steepest descent: x and r are updated, r* r is summed, and the state says whether it is small.
cg::SweepRequest descent(DType dtype) {
    using enum cg::SweepArray::Access;
    return {.name = "descent",
            .dtype = dtype,
            .arrays = {{.name = "x", .access = update},
                       {.name = "r", .access = update},
                       {.name = "s"},
                       {.name = "weights", .has_columns = false},
                       {.name = "history", .access = whole, .type = "float"}},
            .numbers = {"iteration"},
            .preamble = "typedef float real;\ntypedef struct { real alpha, rr; int done; } sweep_state;\n",
            .skip = "state->done",
            .prepare = "const real alpha = state->alpha;",
            .element = "x += alpha * r;\nr -= alpha * s;\nrr += weights * r * r;",
            .sums = {"rr"},
            .finish = "state->rr = rr;\nhistory[iteration] = rr;\nstate->done = rr < 1e-6f;"};
}

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("the texts of sweeps are as expected") {
    const cg::SweepRequest request = descent(dtype_of<float>());
    cg::SweepRequest fill{.name = "double_all",
                          .dtype = dtype_of<float>(),
                          .arrays = {{.name = "x", .access = cg::SweepArray::Access::update}},
                          .preamble = "typedef float real;\ntypedef struct { int done; } sweep_state;\n",
                          .element = "x *= 2;"};
    for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()}) {
        const auto check = [&](const char* name, const cg::SweepRequest& sweep, const cg::SweepLayout& layout) {
            golden::check(std::string(name) + (dialect == &Dialect::cuda() ? ".cu" : ".cl"),
                          cg::sweep_source(sweep, layout, {.block = 128}, *dialect));
        };
        check("sweep_last_block", request, {.last_block = true});
        check("sweep_two_launches", request, {.wide_index = true});
        check("sweep_serial", request, {.serial = true});
        check("sweep_without_sums", fill, {.last_block = true});
    }
}

TEST_CASE("elements that do not pack are refused") {
    cg::SweepRequest request = descent(dtype_of<float>());
    request.dtype = DType(DType::Kind::floating, 64, 4);
    CHECK_THROWS_AS(cg::sweep_source(request, {}, {.block = 64}, Dialect::cuda()), ArgumentError);
}

TEST_CASE("sweeps of GPUs end in their last block where blocks see each other") {
    DeviceInfo gpu, cpu;
    gpu.type = DeviceInfo::Type::gpu;
    gpu.max_threads_per_block = 1024;
    cpu.type = DeviceInfo::Type::cpu;
    cpu.max_threads_per_block = 4096;
    CHECK(cg::sweep_tuning(gpu, {}).finish == cg::SweepFinish::launch);
    gpu.has_cross_block_visibility = true;
    CHECK(cg::sweep_tuning(gpu, {}).finish == cg::SweepFinish::last_block);
    CHECK(cg::sweep_tuning(gpu, {}).block == 256);
    gpu.max_threads_per_block = 64;
    CHECK(cg::sweep_tuning(gpu, {}).block == 64);
    CHECK(cg::sweep_tuning(cpu, {}).block == 1);
    const cg::SweepTuning parsed = cg::parse_tuning<cg::SweepTuning>("block=64 blocks_per_unit=2 finish=last_block");
    CHECK(parsed == cg::SweepTuning{.block = 64, .blocks_per_unit = 2, .finish = cg::SweepFinish::last_block});
}

TEST_SUITE_END();
