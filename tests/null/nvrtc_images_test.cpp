/// Textures and images of every rank are compiled to machine code for CUDA: the PTX that reads and writes them is text
/// that only the assembler checks.
#include "../image_programs.hpp"
#include "../nvrtc.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/core/dialect.hpp>

#include <doctest/doctest.h>

using namespace gemel;

TEST_SUITE_BEGIN("core");

TEST_CASE("kernels with textures and images compile without a warning") {
    for (const auto& [name, text] : image_programs::all())
        for (const char* const architecture : some_of({"sm_75", "sm_90"})) {
            const Nvrtc::Result result =
                Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
            CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log);
            CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, " for ", architecture, "\n",
                          result.log);
        }
}

TEST_CASE("generated kernels with textures and images compile") {
    const ElementwiseKernel kernel(
        "TEXTURE_2D(t), TEXTURE_2D_LAYERED(c), IMAGE_1D_WRITE(to), const float *x, float *z, int width",
        "z[i] = x[i] * texture_read_2d(t, (float)(i % width), (float)(i / width)).x + texture_read_cube(c, x[i], 1, "
        "2).y;"
        "image_write(to, (int)i, z[i])",
        "sampled");
    const std::string text = kernel.source(Dialect::cuda());
    for (const char* const declared : {"TEXTURE_2D(t)", "IMAGE_1D_WRITE(to)"})
        CHECK(text.find(declared) != std::string::npos);
    for (const char* const architecture : some_of({"sm_75", "sm_90"})) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
        CHECK_MESSAGE(result.succeeded, result.log);
    }
}

TEST_CASE("reads go through the texture unit, and writes through surfaces") {
    const struct {
        const char *rank, *fetch, *store;
    } expected[] = {{"1D", "tex.1d.v4.f32.f32", "sust.b.1d.v4.b32.zero"},
                    {"2D", "tex.2d.v4.f32.f32", "sust.b.2d.v4.b32.zero"},
                    {"3D", "tex.3d.v4.f32.f32", "sust.b.3d.v4.b32.zero"},
                    {"1D_LAYERED", "tex.a1d.v4.f32.f32", "sust.b.a1d.v4.b32.zero"},
                    {"2D_LAYERED", "tex.a2d.v4.f32.f32", "sust.b.a2d.v4.b32.zero"}};
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        const auto ptx_of = [](const std::string& text) {
            return Nvrtc::instance()->compile_optimised(prelude(Dialect::cuda(), text) + text, "sm_80").ptx;
        };
        CAPTURE(expected[i].rank);
        CHECK(ptx_of(image_programs::sample(image_programs::ranks[i])).find(expected[i].fetch) != std::string::npos);
        CHECK(ptx_of(image_programs::access(image_programs::ranks[i])).find(expected[i].store) != std::string::npos);
    }
}

TEST_SUITE_END();
