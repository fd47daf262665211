/// What textures and images refuse, each with the next step.
#include "../image_programs.hpp"
#include "support.hpp"

#include <gemel/gemel.hpp>

using namespace gemel;

namespace {

bool has_images() { return default_context().device().info().has_images; }

/// A kernel over 2-D textures or images.
Kernel kernel_2d(const char* name) {
    const image_programs::Rank& rank = image_programs::ranks[1];
    const bool samples = std::string_view(name) == "sample";
    return default_context()
        .compile(samples ? image_programs::sample(rank) : image_programs::access(rank))
        .kernel(name);
}

/// What kernel `sample` takes from a texture at a point inside.
template <class Argument>
float sample(const Argument& source) {
    const auto points = full<float4>(default_context(), Shape{1}, float4{0.5f, 0.5f, 0, 0});
    const GPUArray<float4> to(default_context(), {1});
    const GPUArray<int4> ints(default_context(), {1});
    kernel_2d("sample")({.grid = 1, .block = 1}, source, points, to, ints, 1);
    return to.item().x;
}

}  // namespace

TEST_SUITE_BEGIN("images");

TEST_CASE("arguments that are no textures of the kernel are refused") {
    const Context context = default_context();
    const auto plane = zeros<float>(context, {4, 4});
    const Texture line(zeros<float>(context, {4})), layers(plane.reshape({4, 2, 2}), {}, true);
    CHECK_THROWS_MENTIONING(ArgumentError, sample(line), "'sample'", "argument 1", "TEXTURE_2D(source)", "1-D");
    CHECK_THROWS_MENTIONING(ArgumentError, sample(layers), "TEXTURE_2D(source)", "2-D, with layers");
    CHECK_THROWS_MENTIONING(ArgumentError, sample(plane), "TEXTURE_2D(source)", "gemel::Texture(array, sampler)");
    CHECK_THROWS_MENTIONING(ArgumentError, sample(1.0f), "TEXTURE_2D(source)", "gemel::Texture");
    const GPUArray<float4> points(context, {1}), to(context, {1});
    const GPUArray<int4> ints(context, {1});
    const Kernel kernel = kernel_2d("sample");
    const LaunchConfig one{.grid = 1, .block = 1};
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, Texture(plane), Texture(plane), to, ints, 1), "argument 2",
                            "points", "TEXTURE_2D(name)");
    CHECK_THROWS_MENTIONING(ArgumentError, kernel(one, Texture(plane), points, to), "expected 5 arguments, got 3");
}

TEST_CASE("textures that cannot be made are refused") {
    const Context context = default_context();
    const auto integers = zeros<std::int32_t>(context, {4});
    const Sampler linear{.filter = Filter::linear};
    CHECK_THROWS_MENTIONING(ArgumentError, Texture(integers, linear), "linear", "int32_t");
    CHECK_THROWS_MENTIONING(ArgumentError, Texture(zeros<float>(context, {4, 4}), {}, false, true), "normalised",
                            "float");
    CHECK_THROWS_MENTIONING(ArgumentError, Texture(zeros<float>(context, {2, 2, 2, 2})), "4 axes");
    CHECK_THROWS_MENTIONING(ArgumentError, Texture(zeros<float>(context, {2, 0})), "axis 1", "0 elements");
    CHECK_THROWS_MENTIONING(ArgumentError, Texture(zeros<std::int64_t>(context, {2})), "int64_t");
    if (!has_images()) return;
    CHECK_THROWS_MENTIONING(ArgumentError, Texture(Image<std::int32_t>(context, {2, 2}), linear), "linear");
    CHECK_THROWS_MENTIONING(ArgumentError, Texture(AnyImage()), "the image is empty");
}

TEST_CASE("images that cannot be made are refused") {
    const Context context = default_context();
    if (!has_images()) {
        CHECK_THROWS_MENTIONING(ArgumentError, Image<float>(context, {2, 2}), "Texture(array, sampler)");
        return;
    }
    CHECK_THROWS_MENTIONING(ArgumentError, Image<float>(context, {4}), "expected 2 axes, got 1", "Image<T, 1>");
    CHECK_THROWS_MENTIONING(ArgumentError, Image<float>(context, {4, 0}), "axis 1");
    CHECK_THROWS_MENTIONING(ArgumentError, Image<std::int64_t>(context, {4, 4}), "int64_t");
    CHECK_THROWS_MENTIONING(ArgumentError, Image<float>(context, {4, 4}, Channels::normalised), "normalised");
    CHECK_THROWS_MENTIONING(ArgumentError, Image<float>(context, {1 << 24, 1 << 25}), "Texture(array, sampler)",
                            "2-D images of shape (16777216, 33554432)");
    CHECK_THROWS_MENTIONING(ArgumentError, Image<float>(context, {-1, 5}), "axis 0 has -1 elements");
    bool has_pairs = false;
    for (const ImageFormat& format : formats(context)) has_pairs = has_pairs || format.dtype == dtype_of<float2>();
    if (!has_pairs) CHECK_THROWS_MENTIONING(ArgumentError, Image<float2>(context, {2, 2}), "float2", "1 or 4 channels");
}

TEST_CASE("images are refused where a kernel or a copy cannot take them") {
    if (!has_images()) return;
    const Context context = default_context();
    const auto plane = zeros<float>(context, {4, 4});
    const Image<float> image(plane);
    CHECK_THROWS_MENTIONING(ArgumentError, sample(image), "an image (2-D)", "gemel::Texture(image, sampler)");
    const GPUArray<float4> points(context, {1}), to(context, {1});
    const Kernel write = kernel_2d("write_float");
    const LaunchConfig one{.grid = 1, .block = 1};
    CHECK_THROWS_MENTIONING(ArgumentError, write(one, plane, points, to, 1), "IMAGE_2D_WRITE(to)", "gemel::Image");
    const Image<float, 1> line(zeros<float>(context, {4}));
    CHECK_THROWS_MENTIONING(ArgumentError, write(one, line, points, to, 1), "IMAGE_2D_WRITE(to)", "1-D");
    CHECK_THROWS_MENTIONING(ArgumentError, image.copy_to(zeros<float>(context, {3, 3}), {2, 0}), "axis 0", "4");
    CHECK_THROWS_MENTIONING(ArgumentError, image.copy_from(Image<std::int32_t>(context, {2, 2}), {}), "int32_t");
    CHECK_THROWS_MENTIONING(ArgumentError, image.copy_from(image, {{0, 0}, {2, 2}}, {1, 1}), "overlap");
    Image<float> released(plane);
    const Texture texture(released);
    released.release();
    CHECK_THROWS_MENTIONING(ArgumentError, sample(texture), "released");
    const Context another(context.device());
    const Image<float> elsewhere(zeros<float>(another, {4, 4}));
    CHECK_THROWS_MENTIONING(ArgumentError, sample(Texture(elsewhere)), "in another context");
    CHECK_THROWS_MENTIONING(ArgumentError, image.copy_from(elsewhere), "contexts");
    CHECK_THROWS_MENTIONING(ArgumentError, elsewhere.copy_from(plane), "in another context");
    CHECK(sample(Texture(plane)) == 0);  // usable after all that
}

TEST_SUITE_END();
