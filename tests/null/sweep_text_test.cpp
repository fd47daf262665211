/// The text of sweeps: golden files, tunings, and what a request cannot be.
#include "../golden.hpp"

#include <gemel/codegen/chain.hpp>
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

/// Products of a vector with those of a basis, two in each set.
cg::SweepRequest products_with_basis(DType dtype) {
    cg::SweepRequest sweep{.name = "products",
                           .dtype = dtype,
                           .arrays = {{.name = "basis", .access = cg::SweepArray::Access::whole}, {.name = "w"}},
                           .numbers = {"columns", "count"},
                           .preamble = "typedef double real;\ntypedef struct { real found[32]; } sweep_state;\n",
                           .has_sets = true};
    for (const char i : {'0', '1'}) {
        const std::string q = {'q', i}, at = std::string("(2 * set + ") + i + ")";
        sweep.arrays.push_back({.name = q, .begin = "(int64_t)columns * pitch * " + at, .of = "basis"});
        sweep.sums.push_back({'s', i});
        sweep.element += sweep.sums.back() + " += " + q + " * w;\n";
        sweep.finish += "if (" + at + " < count) state->found[" + at + "] = " + sweep.sums.back() + ";\n";
    }
    return sweep;
}

/// What they add up to.
cg::SweepRequest combination_of_basis(DType dtype) {
    using enum cg::SweepArray::Access;
    return {.name = "combine",
            .dtype = dtype,
            .arrays = {{.name = "basis", .access = whole},
                       {.name = "x", .access = update},
                       {.name = "z", .access = write, .start = "0"},
                       {.name = "scale", .has_columns = false}},
            .numbers = {"columns"},
            .preamble = "typedef double real;\ntypedef struct { real found[32]; int used; } sweep_state;\n",
            .loop = {.name = "q",
                     .of = "basis",
                     .distance = "(int64_t)columns * pitch",
                     .count = "state->used",
                     .element = "x += state->found[number] * q;\nz -= state->found[number] * q;"},
            .element = "z *= scale;"};
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
        check("sweep_sets", products_with_basis(dtype_of<double>()), {.last_block = true});
        check("sweep_sets_two_launches", products_with_basis(dtype_of<double>()), {});
        check("sweep_loop", combination_of_basis(dtype_of<double>()), {.last_block = true});
        check("sweep_loop_serial", combination_of_basis(dtype_of<double>()), {.serial = true});
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
    const cg::SweepTuning parsed =
        cg::parse_tuning<cg::SweepTuning>("block=64 blocks_per_unit=2 finish=last_block chain=never");
    CHECK(parsed == cg::SweepTuning{.block = 64,
                                    .blocks_per_unit = 2,
                                    .finish = cg::SweepFinish::last_block,
                                    .chain = cg::SweepChain::never});
    CHECK(cg::parse_tuning<cg::SweepTuning>("block=64").chain == cg::SweepChain::automatic);
}

TEST_CASE("the text of a chain is as expected, and what cannot be chained is refused") {
    cg::ChainRequest request{.step = descent(dtype_of<float>()), .from = "r", .to = "s", .with = "r"};
    request.step.joins = {"mu", "delta", "gamma"};
    request.step.prepare = "const real alpha = mu > 0 ? delta / mu : gamma;";
    const cg::SparseLayout matrix{.form = cg::SparseForm::diagonals,
                                  .value = dtype_of<float>(),
                                  .index = dtype_of<std::int32_t>(),
                                  .sums = cg::SparseSums::products,
                                  .width = 5,
                                  .block = 128};
    golden::check("chain.cu", cg::chain_source(request, matrix, 4, Dialect::cuda()));
    golden::check("chain.cl", cg::chain_source(request, matrix, 0, Dialect::opencl()));
    const auto refuses = [&](cg::ChainRequest chain, const cg::SparseLayout& product) {
        CHECK_THROWS_AS(cg::chain_source(chain, product, 0, Dialect::cuda()), ArgumentError);
    };
    cg::SparseLayout wrong = matrix;
    wrong.sums = cg::SparseSums::none;
    refuses(request, wrong);
    wrong = matrix;
    wrong.serial = true;
    refuses(request, wrong);
    wrong = matrix;
    wrong.sums = cg::SparseSums::scaled;
    refuses(request, wrong);
    request.step.joins = {"mu"};
    refuses(request, matrix);
}

TEST_CASE("small systems are chained where blocks are sure to run together") {
    // An H200: 132 multiprocessors that hold 8 blocks of 256 threads.
    const cg::ChainWork work{
        .unknowns = 1 << 18, .places = 5 << 18, .resident = std::int64_t{8} * 132, .compute_units = 132};
    const auto blocks = [&](const auto& change) {
        cg::ChainWork changed = work;
        change(changed);
        return cg::chain_blocks(changed);
    };
    // 1024 pieces of rows: with two blocks for each multiprocessor, four a block.
    CHECK(cg::chain_blocks(work) == 256);
    CHECK(blocks([](auto& w) { w.unknowns = 1 << 16; }) == 256);
    CHECK(blocks([](auto& w) { w.unknowns = 1 << 20; }) == 512);
    CHECK(blocks([](auto& w) { w.blocks_per_unit = 4; }) == 512);
    CHECK(blocks([](auto& w) { w.unknowns = 1; }) == 1);
    CHECK(blocks([](auto& w) { w.blocks_per_unit = 8; }) == 1024);
    CHECK(blocks([](auto& w) { w.rows_per_piece = 64; }) == 512);
    CHECK(blocks([](auto& w) { w.asked = cg::SweepChain::never; }) == 0);
    CHECK(blocks([](auto& w) { w.unknowns = 1 << 21; }) == 0);
    CHECK(blocks([](auto& w) { w.places = std::int64_t{65} * 528 * 256; }) == 0);
    CHECK(blocks([](auto& w) { w.resident = 132; }) == 0);
    CHECK(blocks([](auto& w) { w.resident = 132, w.block = w.rows_per_piece = 1024; }) == 128);
    CHECK(blocks([](auto& w) { w.resident = 132, w.block = w.rows_per_piece = 512; }) == 128);
    CHECK(blocks([](auto& w) { w.resident = 132, w.block = w.rows_per_piece = 512, w.unknowns = 1 << 20; }) == 0);
    CHECK(blocks([](auto& w) { w.resident = 132, w.asked = cg::SweepChain::always; }) == 128);
    CHECK(blocks([](auto& w) { w.unknowns = 1 << 21, w.asked = cg::SweepChain::always; }) == 512);
    CHECK(blocks([](auto& w) { w.resident = 1, w.asked = cg::SweepChain::always; }) == 1);
    CHECK(blocks([](auto& w) { w.resident = 0, w.asked = cg::SweepChain::always; }) == 0);
}

TEST_SUITE_END();
