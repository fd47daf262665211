/// What the generators print for CUDA is compiled to machine code, for three architectures.
#include "../block_programs.hpp"
#include "../generator_programs.hpp"
#include "../nvrtc.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

using namespace gemel;

TEST_SUITE_BEGIN("codegen");

TEST_CASE("generated kernels compile for CUDA") {
    for (const auto& [name, text] : generator_programs::all(Dialect::cuda())) {
        for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
            const Nvrtc::Result result =
                Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
            CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log, "\n", text);
        }
    }
}

TEST_CASE("pieces of the block layer compile for CUDA without a warning") {
    for (const auto& [name, text] : block_programs::all(Dialect::cuda())) {
        for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
            const Nvrtc::Result result =
                Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
            CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log, "\n", text);
            CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, "\n", result.log, "\n", text);
        }
    }
}

TEST_CASE("the radix pass of the examples compiles for CUDA without a warning") {
    std::ifstream in(std::string(GEMEL_SOURCE_DIR) + "/tests/golden/example_radix_pass.cu");
    REQUIRE(in);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
        CHECK_MESSAGE(result.succeeded, architecture, "\n", result.log);
        CHECK_MESSAGE(result.log.find("warning") == std::string::npos, architecture, "\n", result.log);
    }
}

TEST_SUITE_END();
