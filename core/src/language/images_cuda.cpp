/// Reading and writing images in CUDA C++, by PTX: the header of NVRTC's own functions would slow down each
/// compilation.
#include "language/texture_section.hpp"

namespace gemel {
namespace {

const char* const textures = R"(#define GEMEL_READ_ONLY const
#define GEMEL_SAMPLER int
#define GEMEL_FETCH(R, C, type, T, rank, ...) asm("tex." rank ".v4." type ".f32 {%0, %1, %2, %3}, [%4, " T "];" \
    : "=" C(v.x), "=" C(v.y), "=" C(v.z), "=" C(v.w) : "l"(image.object), __VA_ARGS__)
#define GEMEL_IMAGE(I, rank, T, AT, PLACE) \
typedef struct { unsigned long long object; } I; \
GEMEL_FUNCTION float4 gemel_image_float(I image, int x, int y, int z) { \
    float4 v; \
    GEMEL_FETCH(float, "f", "f32", T, rank, AT); \
    return v; \
} \
GEMEL_FUNCTION int4 gemel_image_int(I image, int x, int y, int z) { \
    int4 v; \
    GEMEL_FETCH(int, "r", "s32", T, rank, AT); \
    return v; \
} \
GEMEL_FUNCTION int4 gemel_image_uint(I image, int x, int y, int z) { \
    int4 v; \
    GEMEL_FETCH(int, "r", "u32", T, rank, AT); \
    return v; \
} \
GEMEL_FUNCTION float4 gemel_image_linear(I image, int sampler, float x, float y, float z, int layer) { \
    float4 v; \
    GEMEL_FETCH(float, "f", "f32", T, rank, PLACE); \
    return v; \
}
#define GEMEL_AT(x) "f"((float)(x) + 0.5f)
#define GEMEL_COMMA ,
GEMEL_IMAGE(GEMEL_TEXTURE_1D, "1d", "{%5}", GEMEL_AT(x), "f"(x))
GEMEL_IMAGE(GEMEL_TEXTURE_2D, "2d", "{%5, %6}", GEMEL_AT(x) GEMEL_COMMA GEMEL_AT(y), "f"(x) GEMEL_COMMA "f"(y))
GEMEL_IMAGE(GEMEL_TEXTURE_3D, "3d", "{%5, %6, %7, %7}", GEMEL_AT(x) GEMEL_COMMA GEMEL_AT(y) GEMEL_COMMA GEMEL_AT(z),
            "f"(x) GEMEL_COMMA "f"(y) GEMEL_COMMA "f"(z))
GEMEL_IMAGE(GEMEL_TEXTURE_1D_LAYERED, "a1d", "{%5, %6}", "r"(y) GEMEL_COMMA GEMEL_AT(x), "r"(layer) GEMEL_COMMA "f"(x))
GEMEL_IMAGE(GEMEL_TEXTURE_2D_LAYERED, "a2d", "{%5, %6, %7, %7}", "r"(z) GEMEL_COMMA GEMEL_AT(x) GEMEL_COMMA GEMEL_AT(y),
            "r"(layer) GEMEL_COMMA "f"(x) GEMEL_COMMA "f"(y))
#undef GEMEL_IMAGE
#undef GEMEL_FETCH
#undef GEMEL_AT
#undef GEMEL_COMMA
)";

const char* const doubles = R"(GEMEL_FUNCTION double texture_double(uint4 v) {
    return __longlong_as_double((long long)((unsigned long long)v.y << 32 | v.x));
}
)";

// The struct that the plug-in calls SurfaceArgument. Surfaces hold bytes: values are packed and unpacked here. Kinds of
// channels as in gemel_texture; those of gemel_read_kind are 0 for floats and normalised integers, 1 for signed and 2
// for unsigned ones.
const char* const kinds = R"(typedef struct {
    unsigned long long surface;
    int kind, channels, extent[3], unused;
} gemel_surface;
GEMEL_FUNCTION int gemel_surface_kind(gemel_surface s) { return s.kind < 2 || s.kind >= 8 ? 0 : s.kind < 5 ? 2 : 1; }
GEMEL_FUNCTION int gemel_surface_within(gemel_surface s, int x, int y, int z) {
    return x >= 0 && x < s.extent[0] && y >= 0 && y < s.extent[1] && z >= 0 && z < s.extent[2];
}
GEMEL_FUNCTION int gemel_surface_channel_bytes(int kind) {
    int k = kind & 7;
    return k == 0 || k == 4 || k == 7 ? 4 : k == 2 || k == 5 ? 1 : 2;
}
GEMEL_FUNCTION uint4 gemel_spread(uint4 v, int bytes) {
    if (bytes == 1) return make_uint4(v.x & 255u, v.x >> 8 & 255u, v.x >> 16 & 255u, v.x >> 24);
    if (bytes == 2) return make_uint4(v.x & 65535u, v.x >> 16, v.y & 65535u, v.y >> 16);
    return v;
}
GEMEL_FUNCTION uint4 gemel_packed(uint4 v, int bytes) {
    if (bytes == 1) return make_uint4(v.x & 255u | (v.y & 255u) << 8 | (v.z & 255u) << 16 | v.w << 24, 0u, 0u, 0u);
    if (bytes == 2) return make_uint4(v.x & 65535u | v.y << 16, v.z & 65535u | v.w << 16, 0u, 0u);
    return v;
}
GEMEL_FUNCTION float gemel_unpacked_float(unsigned int bits, int kind) {
    float16_t h;
    switch (kind) {
        case 0: return __uint_as_float(bits);
        case 1: h.bits = (unsigned short)bits; return load_float16(h);
        case 10: return (float)bits / 255.0f;
        case 11: return (float)bits / 65535.0f;
        case 13: return fmaxf((float)(signed char)bits / 127.0f, -1.0f);
        default: return fmaxf((float)(short)bits / 32767.0f, -1.0f);
    }
}
GEMEL_FUNCTION unsigned int gemel_packed_float(float value, int kind) {
    float low = kind >= 13 ? -1.0f : 0.0f, most = kind == 10 ? 255.0f : kind == 11 ? 65535.0f : kind == 13 ? 127.0f : 32767.0f;
    if (kind == 0) return __float_as_uint(value);
    if (kind == 1) return store_float16(value).bits;
    return (unsigned int)(int)rintf(fminf(fmaxf(value, low), 1.0f) * most);
}
GEMEL_FUNCTION int gemel_unpacked_int(unsigned int bits, int kind) {
    return kind == 5 ? (int)(signed char)bits : kind == 6 ? (int)(short)bits : (int)bits;
}
GEMEL_FUNCTION unsigned int gemel_packed_int(int value, int kind) {
    int most = kind == 5 ? 127 : 32767;
    return (unsigned int)(kind == 7 ? value : value < -most - 1 ? -most - 1 : value > most ? most : value);
}
GEMEL_FUNCTION unsigned int gemel_packed_uint(unsigned int value, int kind) {
    unsigned int most = kind == 2 ? 255u : kind == 3 ? 65535u : 0xffffffffu;
    return value > most ? most : value;
}
)";

// @I the type, @T and @A the operands' positions in PTX, @K the PTX name, @O the operands.
const char* const access =
    R"(typedef struct { gemel_surface s; } gemel_image_@D;
#define IMAGE_@D_READ(name) const gemel_image_@D name
#define IMAGE_@D_WRITE(name) const gemel_image_@D name
GEMEL_FUNCTION int gemel_read_kind(gemel_image_@D image) { return gemel_surface_kind(image.s); }
GEMEL_FUNCTION int gemel_written_kind(gemel_image_@D image) { return gemel_surface_kind(image.s); }
GEMEL_FUNCTION int gemel_read_channels(gemel_image_@D image) { return image.s.channels; }
GEMEL_FUNCTION int gemel_read_within(gemel_image_@D image, int x, int y, int z) { return gemel_surface_within(image.s, x, y, z); }
GEMEL_FUNCTION int gemel_written_within(gemel_image_@D image, int x, int y, int z) { return gemel_surface_within(image.s, x, y, z); }
GEMEL_FUNCTION uint4 gemel_load_bytes(gemel_image_@D image, int x, int y, int z) {
    uint4 v = make_uint4(0u, 0u, 0u, 0u);
    unsigned short h = 0;
    int bytes = gemel_surface_channel_bytes(image.s.kind) * image.s.channels;
    x *= bytes;
    if (bytes == 1) {
        asm volatile("suld.b.@K.b8.zero %0, [%1, {@1}];" : "=h"(h) : "l"(image.s.surface), @O : "memory");
        v.x = h;
    } else if (bytes == 2) {
        asm volatile("suld.b.@K.b16.zero %0, [%1, {@1}];" : "=h"(h) : "l"(image.s.surface), @O : "memory");
        v.x = h;
    } else if (bytes == 4) {
        asm volatile("suld.b.@K.b32.zero %0, [%1, {@1}];" : "=r"(v.x) : "l"(image.s.surface), @O : "memory");
    } else if (bytes == 8) {
        asm volatile("suld.b.@K.v2.b32.zero {%0, %1}, [%2, {@2}];"
                     : "=r"(v.x), "=r"(v.y) : "l"(image.s.surface), @O : "memory");
    } else {
        asm volatile("suld.b.@K.v4.b32.zero {%0, %1, %2, %3}, [%4, {@4}];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(image.s.surface), @O : "memory");
    }
    return gemel_spread(v, gemel_surface_channel_bytes(image.s.kind));
}
GEMEL_FUNCTION void gemel_store_bytes(gemel_image_@D image, int x, int y, int z, uint4 v) {
    int bytes = gemel_surface_channel_bytes(image.s.kind) * image.s.channels;
    v = gemel_packed(v, gemel_surface_channel_bytes(image.s.kind));
    x *= bytes;
    if (bytes == 1)
        asm volatile("sust.b.@K.b8.zero [%1, {@1}], %0;" :: "h"((unsigned short)v.x), "l"(image.s.surface), @O : "memory");
    else if (bytes == 2)
        asm volatile("sust.b.@K.b16.zero [%1, {@1}], %0;" :: "h"((unsigned short)v.x), "l"(image.s.surface), @O : "memory");
    else if (bytes == 4)
        asm volatile("sust.b.@K.b32.zero [%1, {@1}], %0;" :: "r"(v.x), "l"(image.s.surface), @O : "memory");
    else if (bytes == 8)
        asm volatile("sust.b.@K.v2.b32.zero [%2, {@2}], {%0, %1};"
                     :: "r"(v.x), "r"(v.y), "l"(image.s.surface), @O : "memory");
    else
        asm volatile("sust.b.@K.v4.b32.zero [%4, {@4}], {%0, %1, %2, %3};"
                     :: "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(image.s.surface), @O : "memory");
}
GEMEL_FUNCTION float4 gemel_read_float(gemel_image_@D image, int x, int y, int z) {
    uint4 v = gemel_load_bytes(image, x, y, z);
    int kind = image.s.kind;
    return make_float4(gemel_unpacked_float(v.x, kind), gemel_unpacked_float(v.y, kind), gemel_unpacked_float(v.z, kind),
                       gemel_unpacked_float(v.w, kind));
}
GEMEL_FUNCTION int4 gemel_read_int(gemel_image_@D image, int x, int y, int z) {
    uint4 v = gemel_load_bytes(image, x, y, z);
    int kind = image.s.kind;
    return make_int4(gemel_unpacked_int(v.x, kind), gemel_unpacked_int(v.y, kind), gemel_unpacked_int(v.z, kind),
                     gemel_unpacked_int(v.w, kind));
}
GEMEL_FUNCTION void gemel_write_float(gemel_image_@D image, int x, int y, int z, float4 v) {
    int kind = image.s.kind;
    gemel_store_bytes(image, x, y, z, make_uint4(gemel_packed_float(v.x, kind), gemel_packed_float(v.y, kind),
                                                 gemel_packed_float(v.z, kind), gemel_packed_float(v.w, kind)));
}
GEMEL_FUNCTION void gemel_write_int(gemel_image_@D image, int x, int y, int z, int4 v) {
    int kind = image.s.kind;
    gemel_store_bytes(image, x, y, z, make_uint4(gemel_packed_int(v.x, kind), gemel_packed_int(v.y, kind),
                                                 gemel_packed_int(v.z, kind), gemel_packed_int(v.w, kind)));
}
GEMEL_FUNCTION void gemel_write_uint(gemel_image_@D image, int x, int y, int z, uint4 v) {
    int kind = image.s.kind;
    gemel_store_bytes(image, x, y, z, make_uint4(gemel_packed_uint(v.x, kind), gemel_packed_uint(v.y, kind),
                                                 gemel_packed_uint(v.z, kind), gemel_packed_uint(v.w, kind)));
}
)";

struct Type {
    const char *word, *ptx;
    std::vector<int> positions;  ///< the operands in their order
    const char* operands;
};

std::string of_type(const Type& type) {
    std::string text = replaced(replaced(replaced(access, "@D", type.word), "@K", type.ptx), "@O", type.operands);
    for (const int first : {1, 2, 4}) {  // operands before the coordinates, including the surface
        std::string listed;
        for (const int at : type.positions) listed += (listed.empty() ? "%" : ", %") + std::to_string(first + 1 + at);
        text = replaced(std::move(text), "@" + std::to_string(first), listed);
    }
    return text;
}

std::string cuda_image_type(const std::string& rank, bool) { return "gemel_image_" + rank; }

}  // namespace

ImageTexts cuda_image_texts() {
    ImageTexts texts{textures, {"float16"}, kinds, doubles, cuda_image_type};
    const Type types[] = {{"1D", "1d", {0}, R"("r"(x))"},
                          {"2D", "2d", {0, 1}, R"("r"(x), "r"(y))"},
                          {"3D", "3d", {0, 1, 2, 2}, R"("r"(x), "r"(y), "r"(z))"},
                          {"1D_LAYERED", "a1d", {0, 1}, R"("r"(y), "r"(x))"},
                          {"2D_LAYERED", "a2d", {0, 1, 2, 2}, R"("r"(z), "r"(x), "r"(y))"}};
    for (const Type& type : types)
        texts.images += of_type(type) + image_words(texts, type.word, false) + image_words(texts, type.word, true);
    return texts;
}

}  // namespace gemel
