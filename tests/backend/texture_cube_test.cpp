/// Cube maps: a direction chooses a face and a place in it.
#include "array_support.hpp"

#include <gemel/gemel.hpp>

#include <array>
#include <cmath>

using namespace gemel;
using namespace gemel::testing;

namespace {

constexpr int side = 8;

/// A direction through the middle of an element, by the table of faces: major axis and its sign, then what grows with
/// s and t.
std::array<float, 3> direction(int face, int column, int row) {
    const float s = (2.f * static_cast<float>(column) + 1) / side - 1,
                t = (2.f * static_cast<float>(row) + 1) / side - 1;
    switch (face) {
        case 0: return {1, -t, -s};
        case 1: return {-1, -t, s};
        case 2: return {s, 1, t};
        case 3: return {s, -1, -t};
        case 4: return {s, -t, 1};
        default: return {-s, -t, -1};
    }
}

const ElementwiseKernel& reader() {
    static const ElementwiseKernel kernel(
        "const float *x, const float *y, const float *z, float *out, TEXTURE_2D_LAYERED(t), int cube",
        "out[i] = texture_read_cube_layered(t, x[i], y[i], z[i], cube).x", "read_cube");
    return kernel;
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("directions through the middles of a cube's elements give these elements") {
    const Context context = default_context();
    constexpr int count = 6 * side * side;
    const auto faces = arange<float>(context, 2 * count).reshape({12, side, side});  // two cubes
    std::vector<float> x, y, z;
    for (int face = 0; face < 6; ++face)
        for (int row = 0; row < side; ++row)
            for (int column = 0; column < side; ++column) {
                const auto d = direction(face, column, row);
                // The length does not matter.
                const float length = 0.5f + static_cast<float>(column);
                x.push_back(d[0] * length);
                y.push_back(d[1] * length);
                z.push_back(d[2] * length);
            }
    const auto gx = to_gpu(context, x), gy = to_gpu(context, y), gz = to_gpu(context, z);
    GPUArray<float> out(context, {count});
    std::vector<Texture> textures;
    for (const bool normalised : {false, true})
        for (const Filter filter : {Filter::nearest, Filter::linear}) {
            const Sampler sampler{.filter = filter, .normalised = normalised};
            textures.push_back(Texture(faces, sampler, true));
            if (context.device().info().has_images) textures.push_back(Texture(LayeredImage<float, 2>(faces), sampler));
        }
    for (const Texture& texture : textures)
        for (int cube = 0; cube < 2; ++cube) {
            reader()(gx, gy, gz, out, texture, cube);
            const auto got = out.get();
            double worst = 0;
            for (int i = 0; i < count; ++i)
                worst = std::max<double>(
                    worst, std::abs(got[static_cast<std::size_t>(i)] - static_cast<float>(cube * count + i)));
            // A quotient may be off by some units in its last place: a linear filter then weighs a neighbour, whose
            // value differs by up to a row, by 2^-8 on a GPU.
            CHECK(worst <= side / 64.0);
        }
}

TEST_CASE("a cube's corners and the middle of nowhere are defined") {
    const Context context = default_context();
    const auto faces = arange<float>(context, 6).reshape({6, 1, 1});
    const auto read = [&](float x, float y, float z) {
        const auto of = [&](float value) { return to_gpu(context, std::vector<float>{value}); };
        GPUArray<float> out(context, {1});
        reader()(of(x), of(y), of(z), out, Texture(faces, {}, true), 0);
        return out.get()[0];
    };
    CHECK(read(1, 0.5f, 0.5f) == 0);
    CHECK(read(-1, 0.5f, 0.5f) == 1);
    CHECK(read(0.5f, 1, 0.5f) == 2);
    CHECK(read(0.5f, -1, 0.5f) == 3);
    CHECK(read(0.5f, 0.5f, 1) == 4);
    CHECK(read(0.5f, 0.5f, -1) == 5);
    CHECK(read(1, 1, 1) == 0);
    CHECK(read(-1, 1, 1) == 1);
    CHECK(read(0.5f, 1, 1) == 2);
    CHECK(read(0, 0, 0) == 0);
    CHECK(read(NAN, 0, 0) == 0);
}

TEST_SUITE_END();
