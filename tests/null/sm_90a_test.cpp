/// Instructions for sm_90a in the PTX of OpenCL programs.
#include "sm_90a.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gemel::plugin::opencl;

TEST_SUITE_BEGIN("sm_90a");

TEST_CASE("marked comments become instructions, and the target has them") {
    const std::string compiled =
        ".version 9.0\n.target sm_90, texmode_independent\n.address_size 64\n"
        "// a comment that mentions //sm_90a wgmma\n"
        "\t// begin inline asm\n\t//sm_90a wgmma.fence.sync.aligned;\n\t// end inline asm\n"
        "\tret; //sm_90a\n";
    const std::string expected =
        ".version 9.0\n.target sm_90a, texmode_independent\n.address_size 64\n"
        "// a comment that mentions //sm_90a wgmma\n"
        "// begin inline asm\nwgmma.fence.sync.aligned;\n// end inline asm\n"
        "ret; //sm_90a\n";
    CHECK(ptx_for_sm_90a(compiled) == expected);
    CHECK(ptx_for_sm_90a(expected) == expected);
    CHECK(ptx_for_sm_90a("") == "");
    CHECK(ptx_for_sm_90a(".target sm_90") == ".target sm_90a");
    CHECK(ptx_for_sm_90a(".target sm_90\n\n") == ".target sm_90a\n\n");
}

TEST_CASE("only texts with the mark are for sm_90a") {
    CHECK(wants_sm_90a("asm volatile(\"//sm_90a wgmma.fence.sync.aligned;\" ::: \"memory\");"));
    CHECK_FALSE(wants_sm_90a("// for sm_90a and newer"));
}

TEST_SUITE_END();
