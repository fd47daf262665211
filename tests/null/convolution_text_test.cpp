/// The text of convolutions.
#include "../dense_programs.hpp"
#include "../golden.hpp"

#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace gemel;
namespace cg = gemel::codegen;

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("the texts of convolutions are as expected") {
    for (const auto& [name, layout] : dense_programs::layouts())
        if (name.starts_with("convolution_bank") || name == "convolution_row_in_pieces") {
            golden::check(name + ".cu", cg::convolution_source(layout, Dialect::cuda()));
            golden::check(name + ".cl", cg::convolution_source(layout, Dialect::opencl()));
        }
}

TEST_SUITE_END();
