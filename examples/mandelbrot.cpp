/// The Mandelbrot set: an element-wise kernel with complex numbers and a loop, and its picture.
#include <gemel/gemel.hpp>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

constexpr std::int32_t width = 768, height = 512, limit = 256;

/// The number of steps that the host finds.
static std::int32_t steps_at(int x, int y) {
    const std::complex<float> c(3.0f * x / width - 2.2f, 2.4f * y / height - 1.2f);
    std::complex<float> z = 0;
    std::int32_t n = 0;
    while (n < limit && std::norm(z) < 4) {
        z = {z.real() * z.real() - z.imag() * z.imag() + c.real(), z.real() * z.imag() + z.imag() * z.real() + c.imag()};
        ++n;
    }
    return n;
}

int main() {
    const gemel::ElementwiseKernel mandelbrot("int32_t *steps, int32_t width, int32_t height, int32_t limit",
                                              R"(
        const int32_t x = i % width, y = i / width;
        const cfloat c = cfloat_new(3.0f * x / width - 2.2f, 2.4f * y / height - 1.2f);
        cfloat z = cfloat_new(0, 0);
        int32_t count = 0;
        while (count < limit && c_norm(z) < 4) {
            z = c_add(c_mul(z, z), c);
            ++count;
        }
        steps[i] = count;)",
                                              "mandelbrot", {.compile = {.fp_contract = false}});
    const auto steps = gemel::empty<std::int32_t>({height, width});
    mandelbrot(steps, width, height, limit);
    const std::vector<std::int32_t> found = steps.get();

    std::ofstream picture("mandelbrot.ppm", std::ios::binary);
    picture << "P6 " << width << ' ' << height << " 255\n";
    long different = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const std::int32_t n = found[static_cast<std::size_t>(y * width + x)];
            different += n != steps_at(x, y);
            const int shade = n == limit ? 0 : 255 - 255 * n / limit;
            for (int colour : {shade * shade / 255, shade, 255 - shade / 2}) picture.put(static_cast<char>(colour));
        }
    // At the rim of the set the last bit of a product decides.
    const bool good = picture.good() && different < width * height / 1000;
    std::printf("%s: mandelbrot.ppm, %ld of %d points differ from the host's\n", good ? "ok" : "wrong", different, width * height);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
