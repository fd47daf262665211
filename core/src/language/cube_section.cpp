#include "language/cube_section.hpp"

namespace gemel {
namespace {

// Faces and coordinates are those of CUDA's and OpenGL's cube maps: +x, -x, +y, -y, +z, -z. If the direction is 0 or
// NaN, the middle of the first face is read.
const char* const cube = R"(typedef struct {
    float s, t;
    int face;
} gemel_cube_position;
GEMEL_FUNCTION gemel_cube_position gemel_on_cube(gemel_texture facts, float x, float y, float z) {
    float ax = fabs(x), ay = fabs(y), az = fabs(z), m, s, t;
    gemel_cube_position position;
    if (ax >= ay && ax >= az) {
        position.face = x >= 0.0f ? 0 : 1;
        m = ax;
        s = x >= 0.0f ? -z : z;
        t = -y;
    } else if (ay >= az) {
        position.face = y >= 0.0f ? 2 : 3;
        m = ay;
        s = x;
        t = y >= 0.0f ? z : -z;
    } else {
        position.face = z >= 0.0f ? 4 : 5;
        m = az;
        s = z >= 0.0f ? x : -x;
        t = -y;
    }
    if (!(m > 0.0f)) {
        position.face = 0;
        m = 1.0f;
        s = t = 0.0f;
    }
    position.s = fma(s / m, 0.5f, 0.5f);
    position.t = fma(t / m, 0.5f, 0.5f);
    if (!(facts.flags & 2)) {
        position.s *= (float)facts.extent[0];
        position.t *= (float)facts.extent[1];
    }
    return position;
}
GEMEL_FUNCTION float4 gemel_read_cube(GLOBAL_MEM const uchar *data, const gemel_texture t, GEMEL_TEXTURE_2D_LAYERED image, GEMEL_SAMPLER sampler, float x, float y, float z, int number) {
    gemel_cube_position position = gemel_on_cube(t, x, y, z);
    return gemel_texture_read(data, t, image, sampler, position.s, position.t, 6 * number + position.face);
}
#define texture_read_cube(name, x, y, z) gemel_read_cube(TEXTURE_OF(name), x, y, z, 0)
#define texture_read_cube_layered(name, x, y, z, cube) gemel_read_cube(TEXTURE_OF(name), x, y, z, cube)
)";

}  // namespace

Dialect::Section cube_section() {
    return {.name = "texture_cube",
            .words = {"texture_read_cube", "texture_read_cube_layered"},
            .text = cube,
            .needs = {"TEXTURE_2D_LAYERED"}};
}

}  // namespace gemel
