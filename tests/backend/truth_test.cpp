/// Running values of type bool are 0 or 1, whatever number an expression gives: as in C++, in every strategy.
#include "generator_support.hpp"

using namespace gemel;
using namespace gemel::testing;
using Strategy = codegen::ScanStrategy;

TEST_SUITE_BEGIN("generators");

TEST_CASE("reductions to bool take every number but zero for true") {
    for (const std::uint32_t block : {0u, 1u, 64u}) {
        const ReductionOptions options{.tuning = {.block = block}};
        const ReductionKernel<bool> any(
            {.arguments = "const float *x", .neutral = "0", .map_expr = "x[i]", .reduce_expr = "a || b"});
        CHECK(any(options, to_gpu(std::vector<float>{0, 0.5f, 0})).item());
        CHECK_FALSE(any(options, zeros<float>({3})).item());
        const ReductionKernel<bool> any_bit(
            {.arguments = "const int *x", .neutral = "0", .map_expr = "x[i]", .reduce_expr = "a | b"});
        CHECK(any_bit(options, to_gpu(std::vector<std::int32_t>{0, 256, 0})).item());
        CHECK(any_bit(options, to_gpu(std::vector<std::int32_t>(5000, 256))(slice({}, {}, 3))).item());
        // 256 ones are no zero.
        const ReductionKernel<bool> sum({.arguments = "const bool *x", .neutral = "0", .reduce_expr = "a + b"});
        CHECK(sum(options, full<bool>({256}, true)).item());
        const ReductionKernel<bool> all(
            {.arguments = "const int *x", .neutral = "512", .map_expr = "x[i]", .reduce_expr = "a && b"});
        CHECK(all(options, full<std::int32_t>({100}, 256)).item());
    }
}

TEST_CASE("scans of bools take every number but zero for true") {
    for (const AnyTuning& tuning :
         {AnyTuning{}, AnyTuning{.block = 64, .items_per_thread = 8, .strategy = Strategy::look_back},
          AnyTuning{.block = 64, .items_per_thread = 4, .strategy = Strategy::three_passes},
          AnyTuning{.blocks_per_unit = 3, .strategy = Strategy::chunks}}) {
        const InclusiveScanKernel<bool> sums("a+b");
        CHECK(sums(full<bool>({3000}, true), {.tuning = tuning}).get() == std::vector<std::uint8_t>(3000, 1));
        const GenericScanKernel<bool> any({.arguments = "const int *x, bool *z, bool *before",
                                           .input_expr = "x[i]",
                                           .scan_expr = "a || b",
                                           .neutral = "0",
                                           .output_statement = "z[i] = item; before[i] = prev_item"});
        const auto z = zeros<bool>({3}), before = zeros<bool>({3});
        any({.tuning = tuning}, to_gpu(std::vector<std::int32_t>{0, 256, 0}), z, before);
        CHECK(z.get() == std::vector<std::uint8_t>{0, 1, 1});
        CHECK(before.get() == std::vector<std::uint8_t>{0, 0, 1});
        const GenericScanKernel<bool> in_segments({.arguments = "const int *x, const int *starts, bool *z",
                                                   .input_expr = "x[i]",
                                                   .scan_expr = "a + b",
                                                   .output_statement = "z[i] = item",
                                                   .is_segment_start_expr = "starts[i]"});
        in_segments({.tuning = tuning}, to_gpu(std::vector<std::int32_t>{256, 0, 0}),
                    to_gpu(std::vector<std::int32_t>{0, 0, 1}), z);
        CHECK(z.get() == std::vector<std::uint8_t>{1, 1, 0});
    }
}

TEST_SUITE_END();
