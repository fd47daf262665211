/// Histogram equalisation: grey values are spread so that each range of them occurs about as often. The picture before
/// and after, side by side, is equalised.ppm.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

constexpr std::int64_t width = 512, height = 512;

int main() {
    using gemel::newaxis, gemel::slice;
    // A test picture that uses few of the 256 greys: rings and a slope under haze.
    const gemel::GPUArray<float> x = gemel::linspace<float>(-1, 1, width),
                                 y = gemel::linspace<float>(-1, 1, height)(slice(), newaxis);
    const auto distance = gemel::sqrt(x * x + y * y);
    const gemel::GPUArray<std::uint8_t> image = gemel::astype<std::uint8_t>(
        110.0f + 14.0f * gemel::cos(22.0f * distance) * gemel::exp(-distance) + 9.0f * (x - 0.5f * y));

    // How often each grey occurs, how often one up to it, and from that the new greys: nothing is read back.
    const gemel::GPUArray<std::int64_t> counts = gemel::bincount(image.ravel(), {.length = 256});
    const gemel::GPUArray<std::int64_t> below = gemel::cumsum(counts);
    const gemel::GPUArray<std::int64_t> least = gemel::min(gemel::where(below > 0, below, width * height));
    const gemel::GPUArray<std::uint8_t> greys =
        gemel::astype<std::uint8_t>(gemel::maximum(below - least, 0) * 255 / (width * height - least));
    const gemel::GPUArray<std::uint8_t> equalised = gemel::take(greys, image);

    // The same on the host.
    const std::vector<std::uint8_t> before = image.get(), after = equalised.get();
    std::array<std::int64_t, 256> often{}, new_grey{};
    for (const std::uint8_t grey : before) ++often[grey];
    std::int64_t reached = 0, first = 0;
    for (std::size_t grey = 0; grey < 256; ++grey) {
        reached += often[grey];
        if (first == 0) first = reached;
        new_grey[grey] = std::max<std::int64_t>(reached - first, 0) * 255 / (width * height - first);
    }
    long different = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
        different += std::abs(static_cast<int>(after[i]) - static_cast<int>(new_grey[before[i]])) > 1;

    const auto span = [](const std::vector<std::uint8_t>& greys_of) {
        const auto [low, high] = std::minmax_element(greys_of.begin(), greys_of.end());
        return std::array<int, 2>{*low, *high};
    };
    std::ofstream picture("equalised.ppm", std::ios::binary);
    picture << "P6 " << 2 * width << ' ' << height << " 255\n";
    for (std::int64_t row = 0; row < height; ++row)
        for (const auto* side : {&before, &after})
            for (std::int64_t column = 0; column < width; ++column)
                for (int colour = 0; colour < 3; ++colour)
                    picture.put(static_cast<char>((*side)[static_cast<std::size_t>(row * width + column)]));
    const auto old_span = span(before), new_span = span(after);
    const bool good = picture.good() && different == 0 && new_span[0] == 0 && new_span[1] == 255;
    std::printf("%s: equalised.ppm, greys from %d to %d became %d to %d, %ld differ from the host's\n",
                good ? "ok" : "wrong", old_span[0], old_span[1], new_span[0], new_span[1], different);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
