/// The kernels of the tuner, compiled for CUDA.
#include "../nvrtc.hpp"
#include "tune/saved_memory.hpp"

#include <gemel/core/dialect.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace gemel;

TEST_SUITE_BEGIN("tune");

TEST_CASE("comparisons of arrays compile for CUDA") {
    const DType types[] = {{},
                           dtype_of<std::uint8_t>(),
                           dtype_of<float>(),
                           dtype_of<double>(),
                           dtype_of<half>(),
                           dtype_of<bfloat16>(),
                           dtype_of<cfloat>(),
                           dtype_of<cdouble>()};
    for (const DType& type : types)
        for (const std::size_t bytes : {3, 16}) {
            const std::string text = tune::comparison_text(type, bytes).source(Dialect::cuda());
            const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, "sm_75");
            CHECK_MESSAGE(result.succeeded, result.log, "\n", text);
        }
}
