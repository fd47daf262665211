/// A bank of Gabor filters: each answers to stripes of one direction and width. A picture, seen through all of them at
/// once, as a montage.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numbers>
#include <vector>

using Image = gemel::GPUArray<float>;  // rows, columns
using gemel::newaxis, gemel::slice;

constexpr std::int64_t side = 192, radius = 9, size = 2 * radius + 1, directions = 6, widths = 3;

static bool save(const Image& image, const char* path) {
    const std::vector<std::uint8_t> bytes = gemel::astype<std::uint8_t>(gemel::clip(image + 0.5f, 0, 255)).get();
    std::ofstream file(path, std::ios::binary);
    file << "P5 " << image.shape()[1] << ' ' << image.shape()[0] << " 255\n";
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.good();
}

/// Rings around the middle: stripes in every direction, finer towards the rim.
static Image paint() {
    const Image y = gemel::arange<float>(side)(slice(), newaxis) - float(side / 2);
    const Image x = gemel::arange<float>(side) - float(side / 2);
    return 127.5f + 127.5f * gemel::cos((x * x + y * y) * (1.0f / side));
}

/// (widths * directions, size, size): waves under a Gaussian, without a mean.
static Image gabor() {
    const Image y = gemel::arange<float>(size)(slice(), newaxis) - float(radius);
    const Image x = gemel::arange<float>(size) - float(radius);
    Image bank = gemel::empty<float>({widths * directions, size, size});
    for (std::int64_t k = 0; k < widths * directions; ++k) {
        const float angle = std::numbers::pi_v<float> * float(k % directions) / directions;
        const float length = 4.0f * std::pow(1.5f, float(k / directions)), sigma = 0.5f * length;
        const Image under = gemel::exp((x * x + y * y) * (-0.5f / (sigma * sigma)));
        const float wave = 2 * std::numbers::pi_v<float> / length;
        const Image filter = under * gemel::cos(wave * std::cos(angle) * x + wave * std::sin(angle) * y);
        const float mean = gemel::sum(filter).item() / gemel::sum(under).item();
        bank(k).assign((filter - mean * under) / gemel::sum(under).item());
    }
    return bank;
}

int main() {
    const Image picture = paint(), bank = gabor();
    const gemel::GPUArray<float> answers =
        gemel::correlate2d(picture, bank, {.mode = gemel::Boundary::same, .border = gemel::PadMode::symmetric});

    // A row of the montage for each width of stripes, a column for each direction; the picture in front.
    Image montage = gemel::zeros<float>({widths * side, (directions + 1) * side});
    montage(slice(0, side), slice(0, side)).assign(picture);
    for (std::int64_t k = 0; k < widths * directions; ++k) {
        const std::int64_t row = k / directions * side, column = (k % directions + 1) * side;
        montage(slice(row, row + side), slice(column, column + side)).assign(4 * gemel::abs(answers(k)));
    }
    bool good = save(montage, "filter_bank.pgm");

    // The same on the host, for some places.
    const std::vector<float> image = picture.get(), filters = bank.get(), found = answers.get();
    const auto mirrored = [](std::int64_t at) { return at < 0 ? -1 - at : at < side ? at : 2 * side - 1 - at; };
    double error = 0;
    for (std::size_t place = 0; place < found.size(); place += 101) {
        const auto k = static_cast<std::int64_t>(place) / (side * side);
        const std::int64_t row = static_cast<std::int64_t>(place) / side % side;
        const std::int64_t column = static_cast<std::int64_t>(place) % side;
        double expected = 0;
        for (std::int64_t i = 0; i < size; ++i)
            for (std::int64_t j = 0; j < size; ++j)
                expected += double(image[static_cast<std::size_t>(mirrored(row + i - radius) * side +
                                                                  mirrored(column + j - radius))]) *
                            double(filters[static_cast<std::size_t>((k * size + i) * size + j)]);
        error = std::max(error, std::abs(expected - double(found[place])));
    }
    // Each filter answers most where the rings run across its direction and are as wide as its stripes.
    const float strongest = gemel::max(gemel::abs(answers)).item();
    good = good && error < 1e-3 && strongest > 20;
    std::printf("%s: filter_bank.pgm, %d filters of %d x %d; the largest difference from the host's is %.1e\n",
                good ? "ok" : "wrong", int(widths * directions), int(size), int(size), error);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
