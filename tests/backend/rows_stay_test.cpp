/// Blocks that share rows or columns and go on to further ones, with more rows than there are resident blocks, blocks
/// of clusters, and blocks with much shared memory, beside the same step by step.
#include "row_support.hpp"

#include <gemel/arrays/lazy.hpp>
#include <gemel/arrays/stored_tuning.hpp>
#include <gemel/codegen/rows.hpp>

#include <cmath>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Softmax, standardize and results that are stored once per row. Several calls: the states of one serve the next.
template <class T>
void check(const GPUArray<T>& x, int axis) {
    const double precision = sizeof(T) == 2 ? 1e-2 : 1e-5;
    const GPUArray<double> wide = astype<double>(x);
    const GPUArray<double> e = exp(wide - max(wide, axis, true)), softened = e / sum(e, axis, true);
    for (int k = 0; k < 2; ++k)
        CHECK(greatest_difference(astype<double>(softmax(x, axis)).eval(), softened) < precision);
    const GPUArray<double> centred = wide - mean(wide, axis, true);
    const GPUArray<double> standard = centred / sqrt(mean(square(centred), axis, true) + 0.25);
    CHECK(greatest_difference(astype<double>(standardize(x, axis, 0.25)).eval(), standard) < precision);
    const auto [twice, largest, place] = evaluate(x + x, lazy::max(x, axis), lazy::argmin(x + 1, axis));
    CHECK(greatest_difference(twice, GPUArray<T>(x + x)) == 0);
    CHECK(greatest_difference(largest, max(x, axis, true)) == 0);
    CHECK(greatest_difference(place, argmin(x, axis, true)) == 0);
    // In place: a row is loaded while the one before is stored.
    GPUArray<T> y = x.copy();
    y = softmax(y, axis);
    CHECK(greatest_difference(y, softened) < precision);
}

struct Case {
    Shape shape;
    int axis;
    std::uint32_t slots, shared_slots;
};

}  // namespace

TEST_SUITE_BEGIN("lazy");

TEST_CASE("blocks that share rows or columns go on to further ones") {
    // 16 blocks of 64 threads share a row: an H100 has room for those of 264 rows.
    const Case cases[] = {{{620, 1000}, 1, 1, 0}, {{600, 2003}, 1, 1, 1}, {{64, 19210}, 0, 1, 1}, {{3, 1000}, 1, 1, 0}};
    for (const Case& one : cases) {
        CAPTURE(to_string(one.shape));
        const auto length = static_cast<std::size_t>(one.shape[static_cast<std::size_t>(one.axis)]);
        const codegen::Workload work{.count = length, .outputs = one.shape.count() / length};
        store_tuning(default_context(), work,
                     codegen::RowTuning{.block = 64,
                                        .access_bytes = 4,
                                        .slots = one.slots,
                                        .shared_slots = one.shared_slots,
                                        .parts = 16,
                                        .stays = 2});
        const GPUArray<float> x = row_numbers<float>(one.shape);
        check(x, one.axis);
        const bool may_share = x.context().device().info().has_cross_block_visibility;
        CHECK((explain(softmax(x, one.axis)).find("go on to further ones") != std::string::npos) == may_share);
        if (one.shared_slots && !testing::is_check()) check(row_numbers<half>(one.shape), one.axis);
        store_tuning(default_context(), work, codegen::RowTuning{});
    }
}

TEST_CASE("a row of one block stays in more shared memory than kernels declare everywhere") {
    for (const Shape& shape : {Shape{3, 15300}, Shape{2, 15001}}) {
        CAPTURE(to_string(shape));
        const codegen::Workload work{.count = static_cast<std::size_t>(shape[1]),
                                     .outputs = static_cast<std::size_t>(shape[0])};
        // 14 x 256 accesses of 16 bytes: 56 KiB.
        store_tuning(
            default_context(), work,
            codegen::RowTuning{.block = 256, .access_bytes = 16, .along = 256, .slots = 1, .shared_slots = 14});
        const GPUArray<float> x = row_numbers<float>(shape);
        check(x, 1);
        const DeviceInfo info = x.context().device().info();
        const bool has_room = info.shared_memory_opt_in_bytes.value_or(info.shared_memory_static_bytes.value_or(0)) >=
                              std::size_t{64} << 10;
        CHECK((explain(softmax(x, 1)).find("and shared memory (15 accesses") != std::string::npos) == has_room);
        if (!testing::is_check()) check(row_numbers<half>(shape), 1);
        store_tuning(default_context(), work, codegen::RowTuning{});
    }
}

TEST_CASE("many long rows of 16-bit floats, and columns of some hundred elements, fill the shared memory of blocks") {
    const DeviceInfo info = default_context().device().info();
    if (info.type != DeviceInfo::Type::gpu) {
        MESSAGE("left out: ", info.name, " is no GPU");
        return;
    }
    const auto many = 2 * static_cast<std::int64_t>(info.compute_units);
    // Two blocks fit a multiprocessor of 228 KiB. Through OpenCL, columns stay narrow.
    const bool has_room = info.shared_memory_opt_in_bytes.value_or(0) >= std::size_t{200} << 10,
               has_room_for_rows = has_room || info.shared_memory_static_bytes.value_or(0) >= std::size_t{200} << 10;
    const auto plans = [&](const auto& x, int axis, const char* kept) {
        const std::string plan = explain(softmax(x, axis));
        CAPTURE(plan);
        return plan.find(kept) != std::string::npos && plan.find("blocks of 512 threads") != std::string::npos;
    };
    const auto half_rows = row_numbers<half>(Shape{many + 1, 35016});
    const auto bfloat_rows = row_numbers<bfloat16>(Shape{many, 65536});
    const auto columns = row_numbers<float>(Shape{509, many * 64});
    const auto half_columns = row_numbers<half>(Shape{300, many * 64 + 8});
    CHECK(plans(half_rows, 1, "shared memory (9 accesses") == has_room_for_rows);
    CHECK(plans(bfloat_rows, 1, "shared memory (16 accesses") == has_room_for_rows);
    CHECK(plans(columns, 0, "shared memory (16 accesses") == has_room);
    CHECK(plans(half_columns, 0, "shared memory (5 accesses") == has_room);
    if (info.name.starts_with("stand-in")) return;  // it takes minutes for so many elements
    check(half_rows, 1);
    check(bfloat_rows, 1);
    check(columns, 0);
    check(half_columns, 0);
}

TEST_CASE("blocks of a cluster share rows and columns") {
    const Case cases[] = {{{33, 2000}, 1, 1, 0}, {{20, 2003}, 1, 2, 2}, {{3, 700}, 1, 2, 0},  {{100, 64}, 0, 1, 1},
                          {{131, 84}, 0, 2, 1},  {{60, 77}, 0, 2, 2},   {{50, 2056}, 0, 1, 0}};
    for (const Case& one : cases) {
        CAPTURE(to_string(one.shape));
        const auto length = static_cast<std::size_t>(one.shape[static_cast<std::size_t>(one.axis)]);
        const codegen::Workload work{.count = length, .outputs = one.shape.count() / length};
        const GPUArray<float> x = row_numbers<float>(one.shape);
        const DeviceInfo info = x.context().device().info();
        for (const std::uint32_t clusters : {0u, 1u}) {
            store_tuning(default_context(), work,
                         codegen::RowTuning{.block = 64,
                                            .access_bytes = 16,
                                            .slots = one.slots,
                                            .shared_slots = one.shared_slots,
                                            .parts = 8,
                                            .clusters = clusters});
            check(x, one.axis);
            const std::string plan = explain(softmax(x, one.axis));
            CAPTURE(plan);
            CHECK((plan.find("blocks share a") != std::string::npos) == info.has_cross_block_visibility);
            CHECK((plan.find("as a cluster") != std::string::npos) == (info.has_tensor_maps && clusters == 0));
            if (clusters == 1) continue;
            check(GPUArray<double>(astype<double>(x)), one.axis);
            check(row_numbers<half>(one.shape), one.axis);
        }
        store_tuning(default_context(), work, codegen::RowTuning{});
    }
}

TEST_CASE("few rows are divided among more blocks than their length takes") {
    for (const std::int64_t length : {9000, 16384, 20003}) {
        CAPTURE(length);
        check(row_numbers<float>({2, length}), 1);
        check(row_numbers<half>({2, length}), 1);
    }
}

TEST_CASE("many reductions down long columns leave room for what blocks exchange") {
    const GPUArray<double> x = row_numbers<double>({3700, 64});
    // Ten of doubles: blocks exchange 60 KiB if their columns are 32 wide.
    const auto all = [&](const auto& reduced) {
        return x + reduced(lazy::sum(x, 0)) - reduced(lazy::max(x, 0)) + reduced(lazy::min(x, 0)) +
               reduced(lazy::sum(x * x, 0)) + reduced(lazy::sum(x * x * x, 0)) - reduced(lazy::sum(x + 1.0, 0)) -
               reduced(lazy::max(x * x, 0)) + reduced(lazy::sum(abs(x), 0)) + reduced(lazy::max(3.0 * x, 0)) +
               reduced(lazy::min(5.0 * x, 0));
    };
    const GPUArray<double> together = all([](const auto& e) { return e; });
    const GPUArray<double> one_by_one = all([](const auto& e) { return GPUArray<double>(e); });
    CHECK(greatest_difference(together, one_by_one) < 1e-9);
    // A cluster of 8 such blocks would declare 60 KiB, which compilers for GPUs refuse.
    CHECK(explain(all([](const auto& e) { return e; })).find("as a cluster") == std::string::npos);
}

TEST_CASE("blocks of a cluster take more shared memory than kernels declare everywhere") {
    const DeviceInfo info = default_context().device().info();
    const Shape shape{3, 30000};
    const codegen::Workload work{.count = 30000, .outputs = 3};
    // 14 x 256 accesses of 16 bytes: 56 KiB.
    store_tuning(default_context(), work,
                 codegen::RowTuning{.block = 256, .access_bytes = 16, .slots = 1, .shared_slots = 14, .parts = 2});
    const GPUArray<float> x = row_numbers<float>(shape);
    check(x, 1);
    CHECK((explain(softmax(x, 1))
               .find("2 blocks share a row, which stays in their registers and shared memory, as a cluster") !=
           std::string::npos) == info.has_tensor_maps);
    store_tuning(default_context(), work, codegen::RowTuning{});
}

TEST_SUITE_END();
