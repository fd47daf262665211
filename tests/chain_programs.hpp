/// The chains of solvers with products of every form, for tests that look at their texts.
#pragma once

#include "solve/sweep_texts.hpp"
#include "sparse_programs.hpp"

#include <string>
#include <utility>
#include <vector>

namespace chain_programs {

struct Program {
    std::string name;
    gemel::codegen::ChainRequest request;
    gemel::codegen::SparseLayout matrix;
};

inline std::vector<Program> programs() {
    using gemel::codegen::SparseSums;
    std::vector<Program> all;
    for (gemel::codegen::SparseLayout layout : sparse_programs::layouts()) {
        if (layout.sums == SparseSums::none || layout.serial) continue;
        // A chain has one type of sums, and its step's are doubles.
        layout.double_sums = true;
        layout.packed_columns = false;
        const bool is_scaled = layout.sums == SparseSums::scaled;
        all.push_back({"chain of " + sparse_programs::name_of(layout),
                       gemel::solving::cg_chain(layout.value, true, is_scaled), layout});
    }
    return all;
}

}  // namespace chain_programs
