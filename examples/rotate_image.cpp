/// A picture turned by 30 degrees: the device's interpolation over an image, and gemel's own over the array.
#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

static bool save(const gemel::GPUArray<float>& picture, const std::string& path) {
    const std::vector<std::uint8_t> bytes =
        gemel::astype<std::uint8_t>(gemel::clip(255 * picture + 0.5f, 0, 255)).get();
    std::ofstream file(path, std::ios::binary);
    file << "P5 " << picture.shape()[1] << ' ' << picture.shape()[0] << " 255\n";
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.good();
}

int main() {
    const gemel::Context context = gemel::default_context();
    const int width = 320, height = 240;
    // A board with a ring on it.
    const auto y = gemel::arange<float>(height)(gemel::slice(), gemel::newaxis) - 0.5f * height;
    const auto x = gemel::arange<float>(width) - 0.5f * width;
    const auto is_ring = gemel::abs(gemel::hypot(x, y) - 80) < 8;
    const auto is_dark = (gemel::floor(x / 20) + gemel::floor(y / 20)) % 2 < 0.5f;
    const gemel::GPUArray<float> picture = gemel::where(is_ring, 1.0f, gemel::where(is_dark, 0.2f, 0.7f));

    const auto rotate = context
                            .compile(R"(
        KERNEL void rotate(TEXTURE_2D(source), GLOBAL_MEM float *to, int32_t width, int32_t height, float c, float s)
        {
            const int32_t x = (int32_t)GLOBAL_ID_0, y = (int32_t)GLOBAL_ID_1;
            if (x >= width || y >= height) return;
            const float u = x + 0.5f - 0.5f * width, v = y + 0.5f - 0.5f * height;
            to[y * width + x] = texture_read(source, c * u - s * v + 0.5f * width, s * u + c * v + 0.5f * height).x;
        })")
                            .kernel("rotate");
    const gemel::Sampler sampler{.filter = gemel::Filter::linear, .address = gemel::Address::border};
    const gemel::LaunchConfig config{.block = {16, 8}, .threads = {width, height}};
    const float angle = 30 * 3.14159265f / 180;
    gemel::GPUArray<float> exact = gemel::empty_like(picture);
    rotate(config, gemel::Texture(picture, sampler), exact, width, height, std::cos(angle), std::sin(angle));

    float difference = 0;
    gemel::GPUArray<float> turned = exact;
    if (context.device().info().has_images) {
        const gemel::Image<float> image(picture);
        turned = gemel::empty_like(picture);
        rotate(config, gemel::Texture(image, sampler), turned, width, height, std::cos(angle), std::sin(angle));
        difference = gemel::max(gemel::abs(turned - exact)).item();
    }
    // And back: what has not left the picture is there, smoothed a little.
    gemel::GPUArray<float> back = gemel::empty_like(picture);
    rotate(config, gemel::Texture(turned, sampler), back, width, height, std::cos(angle), -std::sin(angle));
    const auto middle = [](const gemel::GPUArray<float>& a) {
        return a(gemel::slice(70, 170), gemel::slice(110, 210));
    };
    const float error = gemel::mean(gemel::abs(middle(back) - middle(picture))).item();
    const bool good =
        save(picture, "board.pgm") && save(turned, "rotated.pgm") && difference < 1.0f / 64 && error < 0.1f;
    std::printf("%s: board.pgm and rotated.pgm; the device's interpolation is within %.4f of the exact one\n",
                good ? "ok" : "wrong", static_cast<double>(difference));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
