/// The kernels of sparse matrices, compiled for CUDA.
#include "../nvrtc.hpp"
#include "../sparse_programs.hpp"
#include "sparse/kernels.hpp"

#include <gemel/codegen/sparse_multiply.hpp>
#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace gemel;

namespace {

void check_compiles(const std::string& text, const std::string& name) {
    const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, "sm_75");
    CHECK_MESSAGE(result.succeeded, name, "\n", result.log, "\n", text);
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("sparse products compile for CUDA without a warning") {
    for (const auto& layout : sparse_programs::layouts()) {
        const std::string text = codegen::sparse_source(layout, Dialect::cuda());
        const std::string name = sparse_programs::name_of(layout);
        for (const char* architecture : some_of({"sm_75", "sm_90"})) {
            const Nvrtc::Result result =
                Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
            CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log, "\n", text);
            CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, "\n", result.log, "\n", text);
        }
    }
}

TEST_CASE("tiles of windows store no entry that is padding") {
    // Its position is outside the tile, where a test on a device might not see what it overwrites.
    for (const auto& layout : sparse_programs::layouts()) {
        if (layout.form != codegen::SparseForm::binned) continue;
        const std::string text = codegen::sparse_source(layout, Dialect::cuda());
        const std::string guard = " != " + std::to_string(codegen::sparse_bin_padding) + ") products[";
        std::size_t stores = 0, guarded = 0;
        for (std::size_t e = 0; e < 16 / layout.value.size_bytes(); ++e)
            if (text.find("] = value[u].e[" + std::to_string(e) + "];") != std::string::npos) ++stores;
        for (auto at = text.find(guard); at != std::string::npos; at = text.find(guard, at + 1)) ++guarded;
        CHECK_MESSAGE(stores == 16 / layout.value.size_bytes(), sparse_programs::name_of(layout));
        CHECK_MESSAGE(guarded == stores, sparse_programs::name_of(layout));
    }
    CHECK(codegen::sparse_bin_tile(dtype_of<float>()) <= codegen::sparse_bin_padding);
}

TEST_CASE("conversions of sparse matrices compile for CUDA") {
    using namespace sparse;
    for (const bool wide : {false, true}) {
        const DType index = wide ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>();
        const std::map<std::string, DType> types{{"I", index},
                                                 {"K", wide ? dtype_of<std::int64_t>() : dtype_of<std::uint32_t>()},
                                                 {"T", wide ? dtype_of<cdouble>() : dtype_of<float>()},
                                                 {"R", wide ? dtype_of<std::uint64_t>() : dtype_of<std::int8_t>()},
                                                 {"C", dtype_of<std::uint16_t>()}};
        for (const auto* kernel :
             {&outside_kernel(), &outside_extent_kernel(), &wrong_start_kernel(), &not_above_kernel(), &drop_kernel(),
              &longest_kernel(), &heaviest_kernel(), &apart_kernel()})
            check_compiles(kernel->source(Dialect::cuda(), types), "a check");
        for (const auto* kernel : {&key_kernel(),
                                   &split_kernel(),
                                   &bound_kernel(),
                                   &spread_rows_kernel(),
                                   &mark_diagonals_kernel(),
                                   &fill_diagonals_kernel(),
                                   &fill_ell_kernel(),
                                   &fill_sell_kernel(),
                                   &order_key_kernel(),
                                   &slice_width_kernel(),
                                   &invert_kernel(),
                                   &window_kernel(),
                                   &bin_piece_kernel(),
                                   &bin_run_kernel(),
                                   &bin_group_kernel(),
                                   &bin_fill_kernel(),
                                   &bin_source_kernel(),
                                   &diagonal_kernel(),
                                   &tile_row_kernel(),
                                   &product_length_kernel(),
                                   &multiply_tile_kernel(),
                                   &heavy_row_kernel(),
                                   &row_length_kernel(),
                                   &gather_rows_kernel(),
                                   &permuted_key_kernel(),
                                   &diagonal_position_kernel(),
                                   &shift_diagonals_kernel(),
                                   &beta_kernel(types.at("T")),
                                   &expand_kernel(types.at("T")),
                                   &scale_kernel(types.at("T"))})
            check_compiles(kernel->source(Dialect::cuda(), types), kernel->name());
        check_compiles(coo_scan(types.at("T"), index).source(Dialect::cuda(), types), "coo");
    }
}

TEST_CASE("tiles of products of matrices and of row numbers compile for CUDA without a warning") {
    const auto check = [](const std::string& text, const std::string& name) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, "sm_90");
        CHECK_MESSAGE(result.succeeded, name, "\n", result.log, "\n", text);
        CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, "\n", result.log, "\n", text);
    };
    for (const DType index : {dtype_of<std::int32_t>(), dtype_of<std::int64_t>()}) {
        check(codegen::sparse_row_numbers_source(index, Dialect::cuda()), "rows of " + index.name());
        check(codegen::sparse_long_row_numbers_source(index, Dialect::cuda()), "long rows of " + index.name());
        for (const DType value : {dtype_of<float>(), dtype_of<double>(), dtype_of<cfloat>(), dtype_of<cdouble>()}) {
            const bool is_small = value.size_bytes() + index.size_bytes() <= 12;
            for (const std::uint32_t items : {4u, is_small ? 8u : 4u})
                check(codegen::sparse_multiply_source({.value = value, .index = index, .items = items, .width = items},
                                                      Dialect::cuda()),
                      "products of " + value.name() + " with " + index.name());
        }
    }
}

TEST_SUITE_END();
