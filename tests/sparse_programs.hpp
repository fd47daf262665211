/// The texts of sparse products in every form, for tests that compile them.
#pragma once

#include <gemel/codegen/sparse.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sparse_programs {

using gemel::codegen::SparseForm;
using gemel::codegen::SparseLayout;
using gemel::codegen::SparseSums;

/// Every form: types, index widths and options in turn, so that each occurs with each form.
inline std::vector<SparseLayout> layouts() {
    using namespace gemel;
    std::vector<SparseLayout> all;
    const DType values[] = {dtype_of<float>(), dtype_of<double>(), dtype_of<cfloat>(), dtype_of<cdouble>()};
    const DType indices[] = {dtype_of<std::int32_t>(), dtype_of<std::int64_t>()};
    std::size_t turn = 0;
    for (const DType& value : values)
        for (const SparseForm form : {SparseForm::rows, SparseForm::stream, SparseForm::merge, SparseForm::slices,
                                      SparseForm::diagonals, SparseForm::several, SparseForm::binned}) {
            ++turn;
            SparseLayout layout{.form = form, .value = value, .index = indices[turn % 2]};
            layout.scaled = turn % 3 != 0;
            layout.ordered = turn % 4 < 2;
            if (form == SparseForm::merge) layout.items = value.size_bytes() > 8 ? 3 : 7;
            layout.packed_columns = form == SparseForm::stream && turn % 2 == 0;
            if (form == SparseForm::binned) {
                layout.block = gemel::codegen::sparse_bin_block;
                layout.items = gemel::codegen::sparse_bin_items(value);
            }
            const bool is_tiled = form == SparseForm::merge || form == SparseForm::binned;
            layout.dot = !is_tiled && form != SparseForm::several && turn % 4 != 0;
            if (form == SparseForm::diagonals && turn % 2 == 0) layout.width = 5;
            // Without warps, tiles of windows need more than 48 KiB of shared memory.
            if (form != SparseForm::binned) all.push_back(layout);
            if (is_tiled) {
                layout.warps = true;
                all.push_back(layout);
            }
            if (!is_tiled && form != SparseForm::several) {
                SparseLayout summing = layout;
                summing.scaled = summing.dot = false;
                summing.sums = turn % 2 == 0 ? SparseSums::products : SparseSums::scaled;
                summing.double_sums = turn % 5 != 0;
                summing.warps = turn % 3 == 0 && summing.width > 1;
                all.push_back(summing);
                summing.serial = form != SparseForm::stream;
                all.push_back(summing);
            }
            if (form == SparseForm::stream || form == SparseForm::binned) continue;
            layout.serial = true;
            layout.width = 1;
            layout.scaled = !layout.scaled;
            all.push_back(layout);
            if (form != SparseForm::rows) continue;
            for (const std::uint32_t width : {2u, 8u, 32u}) {
                layout = {.form = form, .value = value, .index = indices[width % 3 % 2], .warps = true, .width = width};
                layout.packed_columns = width == 8;
                layout.dot = width == 32;
                all.push_back(layout);
                layout.warps = false;
                all.push_back(layout);
            }
        }
    return all;
}

inline std::string name_of(const SparseLayout& layout) {
    return "form " + std::to_string(static_cast<int>(layout.form)) + " of " + layout.value.name() + " with " +
           layout.index.name() + (layout.serial ? " serial" : "") + (layout.warps ? " by warps" : "") +
           (layout.sums != SparseSums::none ? " with sums" : "") + " width " + std::to_string(layout.width);
}

}  // namespace sparse_programs
