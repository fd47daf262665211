/// The text of sorts: golden files, and what a request or a tuning cannot be.
#include "../golden.hpp"
#include "../sort_programs.hpp"

#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace gemel;
namespace cg = gemel::codegen;

namespace {

/// A large GPU as NVIDIA's OpenCL describes it: without shared memory beyond 48 KiB.
DeviceInfo opencl_gpu() {
    DeviceInfo gpu;
    gpu.type = DeviceInfo::Type::gpu;
    gpu.compute_units = 132;
    gpu.max_threads_per_block = 1024;
    gpu.max_block = {1024, 1024, 64};
    gpu.has_cross_block_visibility = true;
    return gpu;
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("the texts of sorts are as expected") {
    for (const Dialect* dialect : {&Dialect::cuda(), &Dialect::opencl()})
        for (const auto& [name, text] : sort_programs::all(*dialect))
            if (name == "sort_one_sweep_pairs" || name == "sort_one_sweep_parts" ||
                name == "sort_one_sweep_parts_pairs" || name == "sort_one_launch_index" || name == "sort_block" ||
                name == "sort_block_of_one_row" || name == "sort_three_passes" || name == "sort_chunks" ||
                name == "sort_serial_rows" || name == "sort_thread_rows" || name == "sort_merge" ||
                name == "sort_merge_serial")
                golden::check(name + (dialect == &Dialect::cuda() ? ".cu" : ".cl"), text);
}

TEST_CASE("a sort has a pass for each digit of the key and of the segment") {
    const cg::SortTuning eight{.digit_bits = 8}, eleven{.digit_bits = 11};
    const auto places = [](DType key, const cg::SortTuning& tuning) {
        return cg::sort_places({.key = key}, {}, tuning).all();
    };
    CHECK(places(dtype_of<float>(), eight) == 4);
    CHECK(places(dtype_of<float>(), eleven) == 3);
    CHECK(places(dtype_of<std::int64_t>(), eight) == 8);
    CHECK(places(dtype_of<bool>(), eight) == 1);
    CHECK(places(dtype_of<cfloat>(), eight) == 9);
    const cg::SortRequest short_key{.key = dtype_of<int>(), .key_expr = "a / 2", .key_bits = 10};
    CHECK(cg::sort_places(short_key, {}, eight).all() == 2);
    const cg::SortLayout rows{.segments = cg::SortSegments::rows, .segment_bits = 9};
    CHECK(cg::sort_places({.key = dtype_of<half>()}, rows, eight).all() == 4);
}

TEST_CASE("registers are limited where the language has no word for resident blocks") {
    const DeviceInfo opencl = opencl_gpu();
    DeviceInfo cuda = opencl;
    cuda.shared_memory_opt_in_bytes = 227 << 10;
    CHECK(cg::register_limit(opencl, 512, 2) == 64);
    CHECK(cg::register_limit(opencl, 384, 2) == 80);  // a multiple of 8
    CHECK(cg::register_limit(opencl, 128, 1) == 255);
    CHECK(cg::register_limit(opencl, 512, 0) == 0);
    CHECK(cg::register_limit(cuda, 512, 2) == 0);
    const auto limit = [](const DeviceInfo& device, const cg::Workload& work) {
        return cg::sort_tuning(device, work, cg::SortStrategy::automatic).max_registers;
    };
    const cg::Workload keys{.count = 1 << 20, .item_bytes = 4, .moved_bytes = 4};
    CHECK(limit(opencl, keys) == 64);
    CHECK(limit(cuda, keys) == 0);
    // Long arrays: only for 4 bytes with 8.
    const auto pairs = [](std::uint32_t widest, std::uint32_t all) {
        return cg::Workload{.count = 1 << 28, .item_bytes = widest, .arrays = 2, .moved_bytes = all};
    };
    CHECK(limit(opencl, pairs(8, 12)) == 128);
    CHECK(limit(opencl, pairs(8, 16)) == 0);
    CHECK(limit(opencl, pairs(4, 8)) == 0);
    CHECK(limit(cuda, pairs(8, 12)) == 0);
}

TEST_CASE("tiles of every element fit into the shared memory of a block") {
    const DeviceInfo gpu = opencl_gpu();
    for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u, 24u, 40u, 64u})
        for (const std::size_t count : {std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{1} << 28}) {
            const cg::SortTuning tuning =
                cg::sort_tuning(gpu, {.count = count, .item_bytes = bytes}, cg::SortStrategy::automatic);
            CHECK(cg::looks_back(tuning.strategy));
            const auto limit =
                cg::max_one_sweep_items({.key = dtype_of<std::uint8_t>()}, {.values = {bytes}}, tuning.block);
            CHECK(tuning.items_per_thread <= limit);
            // Rows of a part, the warps' counters, a table of 256 entries and the warps' totals. Parts lie over
            // counters.
            const auto parts =
                static_cast<std::size_t>(cg::sort_parts({.key = dtype_of<std::uint8_t>()}, {.values = {bytes}},
                                                        {.block = tuning.block, .items_per_thread = limit}));
            CHECK(parts <= 4);
            const std::size_t staged = (limit + parts - 1) / parts * tuning.block * bytes;
            const std::size_t counters = 32 * tuning.block;
            CHECK((parts > 1 ? std::max(staged, counters) : staged + counters) + 1024 + 128 <= 48 * 1024);
        }
    const cg::SortTuning small = cg::sort_tuning(gpu, {.count = 1000, .item_bytes = 4}, cg::SortStrategy::automatic);
    CHECK(small.strategy == cg::SortStrategy::block);
    CHECK(cg::sort_tile(small) >= 1000);
    // One row has a multiprocessor alone, many rows share one.
    const auto of_4096 = [&](std::size_t rows) {
        return cg::sort_tuning(gpu, {.count = 4096, .item_bytes = 4, .outputs = rows}, cg::SortStrategy::automatic);
    };
    CHECK(of_4096(1).strategy == cg::SortStrategy::block);
    CHECK(of_4096(1).block == 512);
    CHECK(of_4096(10000).block == 256);
    for (const std::size_t rows : {1u, 10000u}) CHECK(cg::sort_tile(of_4096(rows)) == 4096);
}

TEST_CASE("requests of sorts that cannot be are refused") {
    CHECK_THROWS_AS(cg::check_request(cg::SortRequest{.key_expr = "cell"}), ArgumentError);
    CHECK_THROWS_AS(cg::check_request(cg::MergeSortRequest{.less_expr = "a"}), ArgumentError);
    CHECK_THROWS_AS(cg::merge_sort_source({.dtype = dtype_of<int>(), .less_expr = "a < b"}, {},
                                          {.block = 96, .items_per_thread = 4}, Dialect::cuda()),
                    ArgumentError);
}

TEST_SUITE_END();
