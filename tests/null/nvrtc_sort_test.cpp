/// What the generators of sorts print for CUDA is compiled to machine code, without a warning.
#include "../nvrtc.hpp"
#include "../sort_programs.hpp"

#include <gemel/gemel.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace gemel;

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("sorts compile for CUDA without a warning") {
    for (const auto& [name, text] : sort_programs::all(Dialect::cuda()))
        for (const char* architecture : {"sm_75", "sm_90"}) {
            const Nvrtc::Result result =
                Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
            CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log, "\n", text);
            CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, "\n", result.log, "\n", text);
        }
}

TEST_SUITE_END();
