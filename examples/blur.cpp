/// An image, blurred: a picture painted by an expression, and weighted sums of views of it.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

using Image = gemel::GPUArray<float>;  // rows, columns, colours
using gemel::slice;

static bool save(const Image& image, const char* path) {
    const std::vector<std::uint8_t> bytes = gemel::astype<std::uint8_t>(gemel::clip(image + 0.5f, 0, 255)).get();
    std::ofstream file(path, std::ios::binary);
    file << "P6 " << image.shape()[1] << ' ' << image.shape()[0] << " 255\n";
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.good();
}

int main() {
    constexpr std::int64_t height = 240, width = 320;
    constexpr int rounds = 8;
    // Rings in three colours.
    const auto y = gemel::arange<float>(height)(slice(), gemel::newaxis, gemel::newaxis) - float(height / 2);
    const auto x = gemel::arange<float>(width)(slice(), gemel::newaxis) - float(width / 2);
    const auto colour = gemel::arange<float>(3);
    const auto is_bright = gemel::hypot(x, y) % (24 + 12 * colour) < 8;
    const Image image = 40 + 215 * gemel::astype<float>(is_bright);
    std::vector<float> expected = image.get();
    bool good = save(image, "rings.ppm");

    // 1 2 1 along columns, then along rows; the rim stays as it is.
    const auto rows = image(slice(1, -1)), columns = image(slice(), slice(1, -1));
    for (int round = 0; round < rounds; ++round) {
        rows.assign(0.25f * (image(slice({}, -2)) + 2 * rows + image(slice(2, {}))));
        columns.assign(0.25f * (image(slice(), slice({}, -2)) + 2 * columns + image(slice(), slice(2, {}))));
    }
    good = save(image, "blurred.ppm") && good;

    // The same on the host. Steps in memory: 3 to the next column, 3 * width to the next row.
    const auto blur = [&](std::size_t step, std::size_t extent) {
        const std::vector<float> old = expected;
        for (std::size_t k = 0; k < old.size(); ++k)
            if (k / step % extent != 0 && k / step % extent != extent - 1)
                expected[k] = 0.25f * (old[k - step] + 2 * old[k] + old[k + step]);
    };
    for (int round = 0; round < rounds; ++round) blur(3 * width, height), blur(3, width);
    const float error = gemel::max(gemel::abs(image - gemel::to_gpu(expected, image.shape()))).item();
    good = good && error < 1e-3f;
    std::printf("%s: rings.ppm and blurred.ppm, the largest difference from the host's is %.1e\n", good ? "ok" : "wrong",
                static_cast<double>(error));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
