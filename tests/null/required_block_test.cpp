/// OpenCL C without the attribute that names a kernel's block.
#include "required_block.hpp"

#include <doctest/doctest.h>

#include <string>

using gemel::plugin::opencl::without_required_block;

TEST_SUITE_BEGIN("core");

TEST_CASE("kernels lose the attribute of their block and keep lines and columns") {
    const std::string kernel = "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(int n)";
    const std::string bare = without_required_block(kernel);
    CHECK(bare == "__kernel __attribute__((" + std::string(30, ' ') + ")) void k(int n)");
    CHECK(bare.size() == kernel.size());
    CHECK(without_required_block("__attribute__((__reqd_work_group_size__ (8,\n 8, 1), vec_type_hint(int)))") ==
          "__attribute__((" + std::string(28, ' ') + "\n" + std::string(6, ' ') + ", vec_type_hint(int)))");
    CHECK(without_required_block("#define REQD_WG_SIZE(X, Y, Z) __attribute__((reqd_work_group_size(X, Y, Z)))\n") ==
          "#define REQD_WG_SIZE(X, Y, Z) __attribute__((" + std::string(29, ' ') + "))\n");
}

TEST_CASE("other text stays") {
    for (const std::string text : {"", "__kernel void k() {}", "reqd_work_group_size", "int reqd_work_group_size;",
                                   "reqd_work_group_size(64, 1, 1", "_"})
        CHECK(without_required_block(text) == text);
    CHECK(without_required_block("reqd_work_group_size(1, 1, 1)") == std::string(29, ' '));
}

TEST_SUITE_END();
