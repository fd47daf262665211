/// Matrix products of warp groups that copy their operands themselves, and shared memory beyond 48 KiB that kernels
/// declare.
#include <gemel/testing_doctest.hpp>

#include "array_support.hpp"
#include "matmul_support.hpp"

#include <array>
#include <cstdint>

using namespace gemel;
using namespace gemel::testing;
using codegen::MatmulTuning;

namespace {

DeviceInfo device() { return current_context().device().info(); }

/// Whether arrays are multiplied that way here: with tensor maps there is a faster one.
bool has_groups() { return device().has_warp_groups && !device().has_tensor_maps; }

MatmulTuning tile(std::uint32_t columns, std::uint32_t stages, std::uint32_t parts = 1) {
    return {.rows = 128,
            .columns = columns,
            .depth = 32,
            .own_rows = 16,
            .own_columns = columns,
            .stages = stages,
            .resident_blocks = 1,
            .unit_warps = 4,
            .parts = parts};
}

/// Launches the kernel of a layout for a batch of two.
template <class T>
void check_text(const MatmulTuning& tuning, bool a_is_turned, bool b_is_turned) {
    const Context context = current_context();
    const std::int64_t n = 200, k = 136, m = 264;
    const auto a = whole<T>({2, n, k}, 1), b = whole<T>({2, k, m}, 2), c = empty<T>({2, n, m});
    const auto turned = [&](const GPUArray<T>& x, bool is_turned) {
        return is_turned ? GPUArray<T>(x.permute({0, 2, 1}).copy(Order::C).permute({0, 2, 1})) : x;
    };
    const GPUArray<T> x = turned(a, a_is_turned), y = turned(b, b_is_turned);
    const codegen::MatmulLayout layout{.form = codegen::MatmulForm::grouped,
                                       .a_by_columns = !a_is_turned,
                                       .b_by_columns = !b_is_turned,
                                       .tile = tuning,
                                       .a_access = 8,
                                       .b_access = 8,
                                       .declares_all = device().shared_memory_static_bytes.has_value()};
    const DType dtype = dtype_of<T>();
    INFO(dtype.name(), a_is_turned ? ", a turned" : "", b_is_turned ? ", b turned, " : ", ", to_string(tuning));
    const Kernel kernel =
        context.compile(codegen::matmul_source({.dtype = dtype}, layout, context.dialect())).kernel("matmul");
    const std::int64_t across = (m + tuning.columns - 1) / tuning.columns, down = (n + 127) / 128, none = 0, one = 1;
    const std::size_t arena =
        codegen::matmul_is_static(dtype, layout) ? 0 : codegen::matmul_shared_bytes(dtype, layout);
    kernel({.grid = {2 * across * down}, .block = {256}, .shared_bytes = arena}, x.buffer(), y.buffer(), c.buffer(),
           none, x.strides()[0], x.strides()[1], x.strides()[2], none, y.strides()[0], y.strides()[1], y.strides()[2],
           none, n * m, m, one, n, m, k, across, down);
    for (int i = 0; i < 2; ++i) CHECK(c(i).get() == expected_product(a(i).copy(Order::C), b(i).copy(Order::C)));
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("kernels of warp groups that copy for themselves are exact in every layout") {
    if (!device().has_warp_groups) return;
    for (const bool a_is_turned : {false, true})
        for (const bool b_is_turned : {false, true}) {
            check_text<half>(tile(192, 3), a_is_turned, b_is_turned);
            if (a_is_turned != b_is_turned) continue;
            check_text<bfloat16>(tile(64, 4), a_is_turned, b_is_turned);
            check_text<half>(tile(256, 5), a_is_turned, b_is_turned);
        }
}

TEST_CASE("products by warp groups that copy for themselves are exact in every tile, layout and extent") {
    if (!has_groups()) return;
    const std::array<std::int64_t, 3> extents[] = {{200, 130, 300}, {64, 64, 64}, {129, 200, 65},
                                                   {1, 8, 1},       {130, 1, 7},  {128, 320, 256}};
    int n = 0;
    for (const auto& [columns, stages] :
         {std::array<std::uint32_t, 2>{256, 5}, {256, 3}, {192, 5}, {192, 8}, {128, 6}, {128, 3}, {64, 4}, {64, 8}})
        for (int layout = 0; layout < 4; ++layout, ++n) {
            if (is_left_out(4, static_cast<std::size_t>(n + n / 4))) continue;
            for (const auto& extent : extents) check_exact<half>(tile(columns, stages), extent, layout);
        }
    check_exact<bfloat16>(tile(256, 5), {200, 130, 300}, 0);
    check_exact<bfloat16>(tile(64, 6), {200, 130, 300}, 3);
    check_exact<half>(tile(64, 4, 3), {70, 700, 66}, 1);
    check_exact<bfloat16>({}, {200, 130, 300}, 1);
}

// Slots that are written while a product still reads them spoil some elements of many.
TEST_CASE("large products by warp groups that copy for themselves are those of single warps") {
    if (!has_groups()) return;
    for (const auto& [columns, stages] : {std::array<std::uint32_t, 2>{256, 5}, {192, 3}, {64, 8}}) {
        const auto a = random::randn<float>({2048, 4096}).astype<half>(),
                   b = random::randn<float>({4096, 2048}).astype<half>();
        const auto c = matmul(a, b, {.tuning = tile(columns, stages)}).astype<float>(),
                   d = matmul(a, b, {.tuning = {.unit_warps = 1}}).astype<float>();
        INFO(columns, " columns, ", stages, " stages");
        CHECK(max(abs(c - d)).get().front() < 0.51f);  // sums of 4096 products, rounded to a step of up to a quarter
    }
}

TEST_CASE("batches, epilogues and chosen tiles are multiplied by warp groups that copy for themselves") {
    if (!has_groups()) return;
    const auto a = whole<half>({3, 200, 136}, 3), b = whole<half>({3, 136, 264}, 4);
    for (const MatmulTuning& tuning : {tile(128, 6), MatmulTuning{.unit_warps = 4}, MatmulTuning{}}) {
        const GPUArray<half> c = zeros<half>({3, 200, 264});
        c.fill(half(2.0f));
        matmul_into(c, a, b, {.epilogue = "value + before + (float)(row % 3) - (float)(column % 5)", .tuning = tuning});
        for (int i = 0; i < 3; ++i) {
            auto expected = expected_product(a(i).copy(Order::C), b(i).copy(Order::C));
            for (int e = 0; e < 200 * 264; ++e) {
                auto& value = expected[static_cast<std::size_t>(e)];
                value = half(static_cast<float>(value) + 2.0f + static_cast<float>(e / 264 % 3 - e % 264 % 5));
            }
            CHECK(c(i).get() == expected);
        }
    }
    const auto odd = whole<half>({64, 63}, 5);
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(odd, whole<half>({63, 64}, 6), {.tuning = tile(64, 4)}), "unit_warps",
                            "16 bytes");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a(0), b(0), {.tuning = tile(96, 4)}), "columns must be",
                            "64, 128, 192 or 256");
    CHECK_THROWS_MENTIONING(ArgumentError, matmul(a(0), b(0), {.tuning = tile(128, 2)}), "3 to 8 stages");
    const GPUArray<half> none = matmul(zeros<half>({70, 0}), zeros<half>({0, 72}), {.tuning = tile(64, 4)});
    CHECK(none.get() == zeros<half>({70, 72}).get());
}

TEST_CASE("kernels declare as much shared memory as the device has") {
    const auto most = device().shared_memory_static_bytes;
    if (!most) return;
    const Context context = current_context();
    const GPUArray<std::uint32_t> out = empty<std::uint32_t>({512});
    const auto text = [](std::size_t words, const char* arena) {
        return gemel::text("KERNEL void turn(GLOBAL_MEM uint32_t *out", arena, ") {\n    LOCAL_MEM uint32_t held[",
                           words, "];\n    for (int i = LID_0; i < ", words,
                           "; i += LDIM_0) held[i] = i;\n    local_barrier();\n"
                           "    out[GID_0 * LDIM_0 + LID_0] = held[",
                           words, " - 1 - LID_0];\n}\n");
    };
    const std::size_t words = (*most - 64) / 4;
    const Kernel kernel = context.compile(text(words, "")).kernel("turn");
    kernel({.grid = {2}, .block = {256}}, out.buffer());
    const auto found = out.get();
    for (std::size_t i = 0; i < 512; ++i) REQUIRE(found[i] == words - 1 - i % 256);
    const Kernel with_arena = context.compile(text(20000, ", SHARED_ARENA")).kernel("turn");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            with_arena({.grid = {2}, .block = {256}, .shared_bytes = 1024}, out.buffer()), "turn",
                            "shared memory");
}

TEST_SUITE_END();
