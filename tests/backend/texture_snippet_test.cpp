/// Textures and images as arguments of generated kernels.
#include "array_support.hpp"

#include <gemel/gemel.hpp>

#include <numeric>

using namespace gemel;
using namespace gemel::testing;

namespace {

constexpr int width = 37, height = 13, count = width * height;

std::vector<float> picture() {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>((i * 7919) % 1000);
    return values;
}

GPUArray<float> on_device(const std::vector<float>& values) {
    return to_gpu(default_context(), values).reshape({height, width});
}

const char* const here = "texture_read_2d(t, (float)(i % width) + 0.5f, (float)(i / width) + 0.5f).x";

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("a snippet of an element-wise kernel samples arrays and images") {
    const std::vector<float> values = picture();
    const auto source = on_device(values);
    // The element above, with the border's beyond it.
    const ElementwiseKernel above(
        "TEXTURE_2D(t), float *z, int width, float scale",
        "z[i] = scale * texture_read_2d(t, (float)(i % width) + 0.5f, (float)(i / width) - 0.5f).x", "above");
    std::vector<Texture> textures{Texture(source)};
    if (default_device().info().has_images) textures.push_back(Texture(Image<float>(source)));
    // Calls that are alike are remembered: the third is made by heart, with another texture.
    const auto doubled = on_device(values) * 2.f;
    textures.push_back(Texture(GPUArray<float>(doubled)));
    GPUArray<float> z(default_context(), {count});
    for (int round = 0; round < 3; ++round)
        for (std::size_t k = 0; k < textures.size(); ++k) {
            const float scale = static_cast<float>(round + 1);
            above(textures[k], z, width, scale);
            const float factor = scale * (k + 1 == textures.size() ? 2.f : 1.f);
            const auto got = z.get();
            int wrong = 0;
            for (int i = 0; i < count; ++i) {
                const float expected = factor * values[static_cast<std::size_t>(i < width ? i : i - width)];
                wrong += got[static_cast<std::size_t>(i)] != expected;
            }
            CHECK(wrong == 0);
        }
}

TEST_CASE("a texture halves a picture in one snippet with a linear filter") {
    const std::vector<float> values = picture();
    constexpr int w = width / 2, h = height / 2;
    GPUArray<float> half_size(default_context(), {h, w});
    const ElementwiseKernel shrink(
        "float *z, TEXTURE_2D(t), int w",
        "z[i] = texture_read_2d(t, 2.0f * (float)(i % w) + 1.0f, 2.0f * (float)(i / w) + 1.0f).x", "shrink");
    shrink(half_size, Texture(on_device(values), Sampler{.filter = Filter::linear}), w);
    const auto got = half_size.get();
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            const auto at = [&](int dx, int dy) {
                return values[static_cast<std::size_t>((2 * y + dy) * width + 2 * x + dx)];
            };
            // Weights of a half: sums of integers below 2^24 are exact.
            const float mean = (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4;
            CHECK(got[static_cast<std::size_t>(y * w + x)] == mean);
        }
}

TEST_CASE("reductions and scans read textures") {
    const std::vector<float> values = picture();
    const Texture texture(on_device(values));
    const auto ones = full<float>(default_context(), {count}, 1.f);
    const ReductionKernel<double> sum({.arguments = "const float *x, TEXTURE_2D(t), int width",
                                       .identity = "0",
                                       .map_expr = std::string("x[i] * ") + here,
                                       .reduce_expr = "a + b",
                                       .name = "sum_of_texture"});
    const double expected = std::accumulate(values.begin(), values.end(), 0.0);  // integers: exact
    CHECK(sum(ones, texture, width).item() == expected);
    CHECK(sum(ones, texture, width).item() == expected);
    const GenericScanKernel<double> running({.arguments = "double *z, TEXTURE_2D(t), int width",
                                             .input_expr = here,
                                             .scan_expr = "a + b",
                                             .identity = "0",
                                             .output_statement = "z[i] = item",
                                             .name = "running_sum_of_texture"});
    GPUArray<double> z(default_context(), {count});
    running(z, texture, width);
    const auto got = z.get();
    double so_far = 0;
    int wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) wrong += got[i] != (so_far += values[i]);
    CHECK(wrong == 0);
}

TEST_CASE("a snippet writes elements of an image") {
    const Context context = default_context();
    if (!context.device().info().has_images) return;
    const Image<float> image(context, {height, width});
    const auto x = arange<float>(context, count);
    const ElementwiseKernel store("const float *x, IMAGE_2D_WRITE(to), int width",
                                  "image_write(to, (int)(i % width), (int)(i / width), x[i] + 0.5f)", "store");
    store(x, image, width);
    const auto got = image.array().get();
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += got[static_cast<std::size_t>(i)] != static_cast<float>(i) + 0.5f;
    CHECK(wrong == 0);
}

TEST_CASE("what is no texture is refused where a generated kernel declares one") {
    const auto source = on_device(picture());
    GPUArray<float> z(default_context(), {count});
    const ElementwiseKernel kernel("TEXTURE_2D(t), float *z, int width", std::string("z[i] = ") + here, "reads");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(source, z, width), "reads", "TEXTURE_2D(t)", "an array",
                            "gemel::Texture(array, sampler)");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(1.f, z, width), "TEXTURE_2D(t)", "something else");
    const Texture texture(source), line(z);
    for (int round = 0; round < 3; ++round) kernel(texture, z, width);
    // Also where the call before is remembered.
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(1.f, z, width), "TEXTURE_2D(t)", "something else");
    CHECK_THROWS_AS(kernel(line, z, width), ArgumentError);  // of one dimension
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(texture, texture, width), "float *z");
    CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel("TEXTURE_2D(t)", "texture_read(t, 0, 0)", "none"),
                            "expected an array among the arguments");
}

TEST_SUITE_END();
