/// Kernels with textures and images of every rank, for the tests of each compiler.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace image_programs {

struct Rank {
    const char* word;         ///< "2D_LAYERED"
    const char* coordinates;  ///< of texture_read, out of a point
    const char* indices;      ///< of image_read and image_write
    int dimensions;
    bool is_layered;
};
inline constexpr Rank ranks[] = {
    {"1D", "p.x", "(int)p.x", 1, false},
    {"2D", "p.x, p.y", "(int)p.x, (int)p.y", 2, false},
    {"3D", "p.x, p.y, p.z", "(int)p.x, (int)p.y, (int)p.z", 3, false},
    {"1D_LAYERED", "p.x, (int)p.w", "(int)p.x, (int)p.w", 1, true},
    {"2D_LAYERED", "p.x, p.y, (int)p.w", "(int)p.x, (int)p.y, (int)p.w", 2, true},
};

/// Kernel `sample` gives what a texture reads at points: x, y, z and the layer in w.
inline std::string sample(const Rank& rank) {
    const std::string at = rank.coordinates, word = rank.word;
    return "KERNEL void sample(TEXTURE_" + word +
           "(source), GLOBAL_MEM const float4 *points, GLOBAL_MEM float4 *to, GLOBAL_MEM int4 *ints, int count)\n"
           "{\n"
           "    const int i = (int)GLOBAL_ID_0;\n"
           "    float4 p;\n"
           "    if (i >= count) return;\n"
           "    p = points[i];\n"
           "    to[i] = texture_read(source, " +
           at +
           ");\n"
           "    ints[i] = texture_read_int(source, " +
           at +
           ");\n"
           "}\n";
}

/// Kernels `write_float`, `write_int`, `write_uint` and `read` over points.
inline std::string access(const Rank& rank) {
    const std::string at = rank.indices, word = rank.word;
    std::string text;
    for (const char* const kind : {"float", "int", "uint"})
        text += "KERNEL void write_" + std::string(kind) + "(IMAGE_" + word +
                "_WRITE(to), GLOBAL_MEM const float4 *points, GLOBAL_MEM const " + kind +
                "4 *values, int count)\n"
                "{\n"
                "    const int i = (int)GLOBAL_ID_0;\n"
                "    float4 p;\n"
                "    if (i >= count) return;\n"
                "    p = points[i];\n"
                "    image_write(to, " +
                at +
                ", values[i]);\n"
                "}\n";
    return text + "KERNEL void read(IMAGE_" + word +
           "_READ(from), GLOBAL_MEM const float4 *points, GLOBAL_MEM float4 *to, GLOBAL_MEM int4 *ints, "
           "GLOBAL_MEM uint4 *words, int count)\n"
           "{\n"
           "    const int i = (int)GLOBAL_ID_0;\n"
           "    float4 p;\n"
           "    if (i >= count) return;\n"
           "    p = points[i];\n"
           "    to[i] = image_read(from, " +
           at +
           ");\n"
           "    ints[i] = image_read_int(from, " +
           at +
           ");\n"
           "    words[i] = image_read_uint(from, " +
           at +
           ");\n"
           "}\n";
}

/// Several ranks in one kernel, a texture handed to a function, doubles in words, an arena, and reads of each name.
inline const char* const mixed = R"(
WITHIN_KERNEL float twice(TEXTURE_2D(source), float x) { return 2 * texture_read_2d(source, x, 0.5f).x; }
KERNEL void mixed(TEXTURE_1D(line), TEXTURE_2D(source), GLOBAL_MEM float *to, TEXTURE_3D(box), IMAGE_2D_WRITE(out),
                  TEXTURE_2D_LAYERED(layers), float add, SHARED_ARENA)
{
    LOCAL_MEM_ARG float *one = (LOCAL_MEM_ARG float *)shared_arena;
    one[0] = texture_read_1d(line, 1.5f).x + texture_read_3d(box, 0.5f, 0.5f, 0.5f).x;
    local_barrier();
    to[0] = one[0] + twice(TEXTURE_OF(source), 1.5f) + add + texture_read_2d_layered(layers, 0.5f, 0.5f, 1).x;
    image_write(out, 1, 0, to[0]);
}
)";
inline const char* const doubles = R"(
KERNEL void doubles(TEXTURE_1D(source), GLOBAL_MEM double *to)
{
    to[GLOBAL_ID_0] = texture_double(texture_read_uint(source, GLOBAL_ID_0 + 0.5f));
}
)";

inline std::vector<std::pair<std::string, std::string>> all() {
    std::vector<std::pair<std::string, std::string>> programs{{"mixed", mixed}, {"doubles", doubles}};
    for (const Rank& rank : ranks) {
        programs.emplace_back(std::string("sample ") + rank.word, sample(rank));
        programs.emplace_back(std::string("access ") + rank.word, access(rank));
    }
    return programs;
}

}  // namespace image_programs
