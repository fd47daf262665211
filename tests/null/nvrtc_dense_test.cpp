/// The kernels of convolutions, compiled for CUDA.
#include "../dense_programs.hpp"
#include "../nvrtc.hpp"

#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace gemel;

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("convolutions compile for CUDA without a warning") {
    for (const auto& [name, layout] : dense_programs::layouts()) {
        const std::string text = codegen::convolution_source(layout, Dialect::cuda());
        for (const char* architecture : some_of({"sm_75", "sm_90"})) {
            const Nvrtc::Result result =
                Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
            CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log, "\n", text);
            CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, "\n", result.log, "\n", text);
        }
    }
}

TEST_SUITE_END();
