/// PTX that NVRTC made, as NVIDIA's OpenCL takes it.
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>

#include <doctest/doctest.h>

#include "nvrtc_ptx.hpp"

#include <string>
#include <vector>

using namespace gemel;
using plugin::opencl::parameter_bytes_in_ptx;
using plugin::opencl::ptx_for_opencl;

namespace {

// As NVRTC 13.0 prints it, shortened.
const std::string program = R"(.version 9.0
.target sm_90
.address_size 64

	// .globl	scale
.visible .entry scale(
	.param .u64 scale_param_0,
	.param .u64 scale_param_1,
	.param .u64 scale_param_2,
	.param .align 8 .b8 scale_param_3[24],
	.param .u8 scale_param_4,
	.param .f64 scale_param_5
)
.maxntid 256, 1, 1
{
	ld.param.u64 	%rd1, [scale_param_0];
	ld.param.u64 	%rd2, [scale_param_2];
	cvta.to.global.u64 	%rd3, %rd1;
	ret;
}
	// .globl	plain
.visible .entry plain(
	.param .u64 plain_param_0,
	.param .u64 plain_param_1
)
{
	ld.param.u64 	%rd1, [plain_param_0];
	ld.param.u64 	%rd12, [plain_param_1];
	cvta.to.global.u64 	%rd3, %rd12;
	ret;
}
.visible .entry nothing()
{
	ret;
}
)";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE_BEGIN("nvrtc_ptx");

TEST_CASE("pointers of kernels are declared from their signatures, and required blocks are required") {
    const auto signatures = parse_kernels(
        "struct S { double a; }; KERNEL REQD_WG_SIZE(256, 1, 1) void scale(GLOBAL_MEM float *to, SHARED_ARENA, ulong "
        "n, "
        "struct S s, uchar c, double d) {}");
    REQUIRE(signatures.size() == 1);
    const std::string made = ptx_for_opencl(program, signatures);
    CHECK(has(made, ".param .u64 .ptr .global .align 4 scale_param_0,"));
    CHECK(has(made, ".param .u64 .ptr .shared .align 16 scale_param_1,"));
    CHECK(has(made, ".param .u64 scale_param_2,"));
    CHECK(has(made, ".param .align 8 .b8 scale_param_3[24],"));
    CHECK(has(made, ".reqntid 256, 1, 1"));
    CHECK(!has(made, ".maxntid"));
    CHECK(has(ptx_for_opencl(program, parse_kernels("KERNEL REQD_WG_SIZE(32, 8, 1) void scale(GLOBAL_MEM float *to, "
                                                    "SHARED_ARENA, ulong n, struct S s, uchar c, double d) {}")),
              ".reqntid 32, 8, 1\n{"));
    // What has no signature is known by its use: %rd1 is no part of %rd12.
    CHECK(has(made, ".param .u64 plain_param_0,"));
    CHECK(has(made, ".param .u64 .ptr .global .align 1 plain_param_1"));
    CHECK(has(made, ".visible .entry nothing("));
    CHECK(ptx_for_opencl("no program", signatures) == "no program");
}

TEST_CASE("sizes of parameters are read from PTX, before and after pointers are declared") {
    const std::vector<std::size_t> expected{8, 8, 8, 24, 1, 8};
    CHECK(parameter_bytes_in_ptx(program, "scale") == expected);
    const auto signatures = parse_kernels(
        "KERNEL void scale(GLOBAL_MEM float *to, SHARED_ARENA, ulong n, struct S s, uchar c, double d) {}");
    const std::string made = ptx_for_opencl(program, signatures);
    CHECK(has(made, ".maxntid"));  // a largest block, none that is required
    CHECK(parameter_bytes_in_ptx(made, "scale") == expected);
    CHECK(parameter_bytes_in_ptx(program, "nothing").empty());
    CHECK(parameter_bytes_in_ptx(program, "other").empty());
}

TEST_CASE("the largest block of a kernel is read from PTX") {
    using plugin::opencl::largest_block_in_ptx;
    CHECK(largest_block_in_ptx(program, "scale") == 256);
    CHECK(largest_block_in_ptx(".visible .entry k(\n)\n.reqntid 16, 8, 2\n{\n}", "k") == 256);
    CHECK(!largest_block_in_ptx(program, "plain"));
    CHECK(!largest_block_in_ptx(program, "other"));
}

TEST_CASE("textures, and texts that do not fit their PTX, are errors that name the kernel") {
    const auto with_texture = parse_kernels("KERNEL void plain(TEXTURE_2D(t)) {}");
    REQUIRE(with_texture.size() == 1);
    CHECK_THROWS_AS(ptx_for_opencl(program, with_texture), Error);
    const auto shorter = parse_kernels("KERNEL void scale(GLOBAL_MEM float *to) {}");
    CHECK_THROWS_WITH_AS(ptx_for_opencl(program, shorter), doctest::Contains("6 parameters"), Error);
    const auto no_pointer = parse_kernels(
        "KERNEL void scale(GLOBAL_MEM float *a, SHARED_ARENA, ulong n, GLOBAL_MEM float *s, uchar c, double d) {}");
    CHECK_THROWS_WITH_AS(ptx_for_opencl(program, no_pointer), doctest::Contains("parameter 4 of kernel 'scale'"),
                         Error);
}

TEST_SUITE_END();
