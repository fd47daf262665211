/// Edges of a picture by a stencil that is generated from its weights: a weight of 0 is no access, one of 1 no
/// multiplication. Writes edge_detection.pgm, the picture and its edges side by side.
#include <gemel/gemel.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using Weights = std::vector<std::vector<int>>;  // 3 rows of 3
using Image = gemel::GPUArray<float>;

/// The weighted sum of a pixel's neighbours as an expression over `from`, whose rows are `columns` apart.
static std::string sum_of(const Weights& weights) {
    std::string sum;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) {
            const int weight = weights[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
            if (weight == 0) continue;
            sum += weight < 0 ? " - " : sum.empty() ? "" : " + ";
            if (std::abs(weight) != 1) sum += std::to_string(std::abs(weight)) + ".0f * ";
            sum += "from[i + " + std::to_string(row - 1) + " * columns + " + std::to_string(column - 1) + "]";
        }
    return sum;
}

static bool save(const Image& image, const char* path) {
    const std::vector<std::uint8_t> bytes = gemel::astype<std::uint8_t>(gemel::clip(image + 0.5f, 0, 255)).get();
    std::ofstream file(path, std::ios::binary);
    file << "P5 " << image.shape()[1] << ' ' << image.shape()[0] << " 255\n";
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.good();
}

int main() {
    using gemel::newaxis, gemel::slice;
    constexpr std::int32_t rows = 240, columns = 320;
    // A disc before a slope, and a square on it.
    const Image y = gemel::arange<float>(rows)(slice(), newaxis), x = gemel::arange<float>(columns);
    const auto in_square = gemel::logical_and(gemel::abs(x - 220.0f) < 40, gemel::abs(y - 130.0f) < 50);
    const Image picture = gemel::where(gemel::hypot(x - 110.0f, y - 110.0f) < 70, 220.0f,
                                       gemel::where(in_square, 30.0f, 0.4f * x + 0.0f * y));

    // Sobel's operator: the slope along both axes, each smoothed across the other.
    const Weights across{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}, down{{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
    const gemel::ElementwiseKernel sobel("const float *from, float *edges, int columns, int rows",
                                         "const int row = (int)(i / columns), column = (int)(i % columns);\n"
                                         "float slope = 0;\n"
                                         "if (row > 0 && row < rows - 1 && column > 0 && column < columns - 1) {\n"
                                         "    const float across = " +
                                             sum_of(across) +
                                             ";\n"
                                             "    const float down = " +
                                             sum_of(down) +
                                             ";\n"
                                             "    slope = sqrt(across * across + down * down);\n"
                                             "}\n"
                                             "edges[i] = slope",
                                         "sobel");
    const Image edges = gemel::zeros<float>({rows, columns});
    sobel(picture, edges, columns, rows);

    // The same by the library's products with filters.
    const auto filtered = [&](const Weights& weights) {
        std::vector<float> all;
        for (const auto& row : weights) all.insert(all.end(), row.begin(), row.end());
        return gemel::correlate2d(picture, gemel::to_gpu(all, {3, 3}), {.mode = gemel::Boundary::valid});
    };
    const Image expected = gemel::hypot(filtered(across), filtered(down));
    const float error = gemel::max(gemel::abs(edges(slice(1, -1), slice(1, -1)) - expected)).item();

    Image both = gemel::zeros<float>({rows, 2 * columns});
    both(slice(), slice(0, columns)).assign(picture);
    both(slice(), slice(columns, {})).assign(0.5f * edges);
    const bool good = save(both, "edge_detection.pgm") && error < 1e-2f;  // of slopes up to 1000
    std::printf("%s: edge_detection.pgm; within %.5f of two products with filters\n", good ? "ok" : "wrong",
                static_cast<double>(error));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
