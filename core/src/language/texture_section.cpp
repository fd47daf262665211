#include "language/texture_section.hpp"

#include "language/cube_section.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace gemel {
namespace {

// The struct that the host calls TextureFacts. The kinds: 0 float, 1 half, 2 to 4 unsigned and 5 to 7 signed integers
// of 8, 16 and 32 bits; + 8 normalised. The flags: 1 linear, 2 normalised coordinates, 4 over plain memory, 8 linear by
// the device's own means.
const char* const facts = R"(typedef struct {
    int64_t offset, step[3];
    int extent[3], kind, channels, address, flags, unused;
} gemel_texture;
)";

// One channel of plain memory, and what lies at an index.
const char* const memory = R"(GEMEL_FUNCTION int gemel_channel_int(GLOBAL_MEM const uchar *p, int kind) {
    switch (kind & 7) {
        case 2: return *p;
        case 3: return *(GLOBAL_MEM const ushort *)p;
        case 5: return *(GLOBAL_MEM const int8_t *)p;
        case 6: return *(GLOBAL_MEM const short *)p;
        default: return *(GLOBAL_MEM const int *)p;
    }
}
GEMEL_FUNCTION float gemel_quotient(float value, float most, float inverse) {
    float q = value * inverse;
    return fma(fma(-q, most, value), inverse, q);
}
GEMEL_FUNCTION float gemel_channel_float(GLOBAL_MEM const uchar *p, int kind) {
    float16_t h;
    int value;
    if (kind == 0) return *(GLOBAL_MEM const float *)p;
    if (kind == 1) {
        h.bits = *(GLOBAL_MEM const ushort *)p;
        return load_float16(h);
    }
    value = gemel_channel_int(p, kind);
    switch (kind) {
        case 4: return (float)(uint)value;
        case 10: return gemel_quotient((float)value, 255.0f, 1.0f / 255.0f);
        case 11: return gemel_quotient((float)value, 65535.0f, 1.0f / 65535.0f);
        case 13: return fmax(gemel_quotient((float)value, 127.0f, 1.0f / 127.0f), -1.0f);
        case 14: return fmax(gemel_quotient((float)value, 32767.0f, 1.0f / 32767.0f), -1.0f);
        default: return (float)value;
    }
}
GEMEL_FUNCTION int gemel_channel_bytes(int kind) {
    int k = kind & 7;
    return k == 0 || k == 4 || k == 7 ? 4 : k == 2 || k == 5 ? 1 : 2;
}
GEMEL_FUNCTION GLOBAL_MEM const uchar *gemel_element(GLOBAL_MEM const uchar *data, gemel_texture t, int x, int y, int z) {
    return data + t.offset + x * t.step[0] + y * t.step[1] + z * t.step[2];
}
GEMEL_FUNCTION float4 gemel_memory_float(GLOBAL_MEM const uchar *data, gemel_texture t, int x, int y, int z) {
    GLOBAL_MEM const uchar *p = gemel_element(data, t, x, y, z);
    int bytes = gemel_channel_bytes(t.kind);
    float4 v = make_float4(gemel_channel_float(p, t.kind), 0.0f, 0.0f, 0.0f);
    if (t.channels > 1) v.y = gemel_channel_float(p + bytes, t.kind);
    if (t.channels > 2) {
        v.z = gemel_channel_float(p + 2 * bytes, t.kind);
        v.w = gemel_channel_float(p + 3 * bytes, t.kind);
    }
    return v;
}
GEMEL_FUNCTION int4 gemel_memory_int(GLOBAL_MEM const uchar *data, gemel_texture t, int x, int y, int z) {
    GLOBAL_MEM const uchar *p = gemel_element(data, t, x, y, z);
    int bytes = gemel_channel_bytes(t.kind);
    int4 v = make_int4(gemel_channel_int(p, t.kind), 0, 0, 0);
    if (t.channels > 1) v.y = gemel_channel_int(p + bytes, t.kind);
    if (t.channels > 2) {
        v.z = gemel_channel_int(p + 2 * bytes, t.kind);
        v.w = gemel_channel_int(p + 3 * bytes, t.kind);
    }
    return v;
}
)";

// Coordinates: those beyond 2^30 are cut there, and NaN lies there too. An index of -1 is outside the border.
const char* const coordinates = R"(GEMEL_FUNCTION float gemel_floor(float x) {
    return floor(fmin(fmax(x, -1073741824.0f), 1073741824.0f));
}
GEMEL_FUNCTION int gemel_index(int i, int n, int address) {
    if (i >= 0 && i < n) return i;
    if (address == 0) return i < 0 ? 0 : n - 1;
    if (address == 1) return -1;
    if (address == 2) {
        i %= n;
        return i < 0 ? i + n : i;
    }
    if (n > 1073741823) return -1;
    i %= 2 * n;
    if (i < 0) i += 2 * n;
    return i < n ? i : 2 * n - 1 - i;
}
GEMEL_FUNCTION float gemel_scale(gemel_texture t, int axis) { return t.flags & 2 ? (float)t.extent[axis] : 1.0f; }
GEMEL_FUNCTION float gemel_lerp(float a, float b, float f) { return f == 0.0f ? a : fma(f, b, fma(-f, a, a)); }
GEMEL_FUNCTION float4 gemel_lerp4(float4 a, float4 b, float f) {
    return make_float4(gemel_lerp(a.x, b.x, f), gemel_lerp(a.y, b.y, f), gemel_lerp(a.z, b.z, f), gemel_lerp(a.w, b.w, f));
}
GEMEL_FUNCTION float gemel_own_coordinate(gemel_texture t, int axis, float x) {
    float n = (float)t.extent[axis];
    if (t.address < 2) return t.flags & 2 ? x * n : x;
    return t.flags & 2 ? x : x / n;
}
GEMEL_FUNCTION float4 gemel_some_channels(gemel_texture t, float4 v) {
    if (t.channels < 4) v.z = v.w = 0.0f;
    if (t.channels < 2) v.y = 0.0f;
    return v;
}
GEMEL_FUNCTION int4 gemel_some_channels_int(gemel_texture t, int4 v) {
    if (t.channels < 4) v.z = v.w = 0;
    if (t.channels < 2) v.y = 0;
    return v;
}
)";

// @I the image's type, @D its dimensions, @L 1 if it has layers: their axis comes last and is always clamped.
const char* const sampling =
    R"(GEMEL_FUNCTION int4 gemel_texel_int(GLOBAL_MEM const uchar *data, gemel_texture t, @I image, int x, int y, int z);
GEMEL_FUNCTION int gemel_inside(gemel_texture t, @I image, int *x, int *y, int *z) {
    *x = gemel_index(*x, t.extent[0], t.address);
    *y = @D + @L < 2 ? 0 : gemel_index(*y, t.extent[1], @D == 1 ? 0 : t.address);
    *z = @D + @L < 3 ? 0 : gemel_index(*z, t.extent[2], @D == 2 ? 0 : t.address);
    return (*x | *y | *z) >= 0;
}
GEMEL_FUNCTION float4 gemel_texel(GLOBAL_MEM const uchar *data, gemel_texture t, @I image, int x, int y, int z) {
    int4 v;
    if (!gemel_inside(t, image, &x, &y, &z)) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (t.flags & 4) return gemel_memory_float(data, t, x, y, z);
    if (t.kind < 2 || t.kind >= 8) return gemel_some_channels(t, gemel_image_float(image, x, y, z));
    v = gemel_some_channels_int(t, t.kind < 5 ? gemel_image_uint(image, x, y, z) : gemel_image_int(image, x, y, z));
    if (t.kind == 4) return make_float4((float)(uint)v.x, (float)(uint)v.y, (float)(uint)v.z, (float)(uint)v.w);
    return make_float4((float)v.x, (float)v.y, (float)v.z, (float)v.w);
}
GEMEL_FUNCTION int4 gemel_texel_int(GLOBAL_MEM const uchar *data, gemel_texture t, @I image, int x, int y, int z) {
    float4 v;
    if (t.kind >= 2 && t.kind < 8) {
        if (!gemel_inside(t, image, &x, &y, &z)) return make_int4(0, 0, 0, 0);
        if (t.flags & 4) return gemel_memory_int(data, t, x, y, z);
        return gemel_some_channels_int(t, t.kind < 5 ? gemel_image_uint(image, x, y, z) : gemel_image_int(image, x, y, z));
    }
    v = gemel_texel(data, t, image, x, y, z);
    return make_int4((int)v.x, (int)v.y, (int)v.z, (int)v.w);
}
GEMEL_FUNCTION int4 gemel_sample_int(GLOBAL_MEM const uchar *data, gemel_texture t, @I image, float x, float y, float z, int layer) {
    int i = (int)gemel_floor(x * gemel_scale(t, 0));
    int j = @D > 1 ? (int)gemel_floor(y * gemel_scale(t, 1)) : layer;
    int k = @D > 2 ? (int)gemel_floor(z * gemel_scale(t, 2)) : layer;
    return gemel_texel_int(data, t, image, i, j, k);
}
GEMEL_FUNCTION float4 gemel_sample(GLOBAL_MEM const uchar *data, gemel_texture t, @I image, GEMEL_SAMPLER sampler, float x, float y, float z, int layer) {
    int i, j = layer, k = layer, b, c;
    float fx, fy = 0.0f, fz = 0.0f;
    float4 v[2], w[2];
    if (!(t.flags & 1)) {
        i = (int)gemel_floor(x * gemel_scale(t, 0));
        if (@D > 1) j = (int)gemel_floor(y * gemel_scale(t, 1));
        if (@D > 2) k = (int)gemel_floor(z * gemel_scale(t, 2));
        return gemel_texel(data, t, image, i, j, k);
    }
    if (t.flags & 8) {
        layer = @L ? gemel_index(layer, t.extent[@D % 3], 0) : 0;
        return gemel_some_channels(
            t, gemel_image_linear(image, sampler, gemel_own_coordinate(t, 0, x), @D > 1 ? gemel_own_coordinate(t, 1, y) : 0.0f,
                                  @D > 2 ? gemel_own_coordinate(t, 2, z) : 0.0f, layer));
    }
    x = fma(x, gemel_scale(t, 0), -0.5f);
    i = (int)gemel_floor(x);
    fx = i <= -1073741824 || i >= 1073741824 ? 0.0f : x - (float)i;
    if (@D > 1) {
        y = fma(y, gemel_scale(t, 1), -0.5f);
        j = (int)gemel_floor(y);
        fy = j <= -1073741824 || j >= 1073741824 ? 0.0f : y - (float)j;
    }
    if (@D > 2) {
        z = fma(z, gemel_scale(t, 2), -0.5f);
        k = (int)gemel_floor(z);
        fz = k <= -1073741824 || k >= 1073741824 ? 0.0f : z - (float)k;
    }
    for (c = 0; c < (@D > 2 ? 2 : 1); ++c) {
        for (b = 0; b < (@D > 1 ? 2 : 1); ++b)
            v[b] = gemel_lerp4(gemel_texel(data, t, image, i, j + b, k + c), gemel_texel(data, t, image, i + 1, j + b, k + c), fx);
        w[c] = @D > 1 ? gemel_lerp4(v[0], v[1], fy) : v[0];
    }
    return @D > 2 ? gemel_lerp4(w[0], w[1], fz) : w[0];
}
)";

const char* const numbers = R"(GEMEL_FUNCTION uint4 gemel_as_uint4(int4 v) {
    return make_uint4((uint)v.x, (uint)v.y, (uint)v.z, (uint)v.w);
}
#define GEMEL_TEXTURE(name) GLOBAL_MEM const uchar *gemel_data_##name, const gemel_texture gemel_facts_##name
#define TEXTURE_OF(name) gemel_data_##name, gemel_facts_##name, gemel_image_##name, gemel_sampler_##name
)";

struct Rank {
    const char* word;
    const char* suffix;  ///< of the words for this rank
    const char* image;
    const char* parameters;  ///< of a read, after the texture
    const char* coordinates;
    int dimensions;
    bool is_layered;
};
constexpr Rank ranks[] = {
    {"TEXTURE_1D", "_1d", "1D", "float x", "x, 0.0f, 0.0f, 0", 1, false},
    {"TEXTURE_2D", "_2d", "2D", "float x, float y", "x, y, 0.0f, 0", 2, false},
    {"TEXTURE_3D", "_3d", "3D", "float x, float y, float z", "x, y, z, 0", 3, false},
    {"TEXTURE_1D_LAYERED", "_1d_layered", "1D_LAYERED", "float x, int layer", "x, 0.0f, 0.0f, layer", 1, true},
    {"TEXTURE_2D_LAYERED", "_2d_layered", "2D_LAYERED", "float x, float y, int layer", "x, y, 0.0f, layer", 2, true},
};
/// The names of a read's parameters: "x, y".
std::string names_of(const Rank& rank) {
    std::string names = "x";
    if (rank.dimensions > 1) names += ", y";
    if (rank.dimensions > 2) names += ", z";
    if (rank.is_layered) names += ", layer";
    return names;
}

Dialect::Section section_of(const Rank& rank) {
    const std::string image = std::string("GEMEL_TEXTURE_") + rank.image;
    const std::string parts =
        "GLOBAL_MEM const uchar *data, const gemel_texture t, " + image + " image, GEMEL_SAMPLER sampler, ";
    std::string text = replaced(replaced(replaced(sampling, "@I", image), "@D", std::to_string(rank.dimensions)), "@L",
                                rank.is_layered ? "1" : "0");
    const auto read = [&](const char* type, const char* name, const std::string& value) {
        text += std::string("GEMEL_FUNCTION ") + type + " gemel_texture_" + name + "(" + parts + rank.parameters +
                ") { return " + value + "; }\n";
    };
    const std::string coordinates = rank.coordinates;
    read("float4", "read", "gemel_sample(data, t, image, sampler, " + coordinates + ")");
    read("int4", "read_int", "gemel_sample_int(data, t, image, " + coordinates + ")");
    read("uint4", "read_uint", "gemel_as_uint4(gemel_sample_int(data, t, image, " + coordinates + "))");
    text += std::string("#define ") + rank.word + "(name) GEMEL_TEXTURE(name), GEMEL_READ_ONLY " + image +
            " gemel_image_##name, GEMEL_SAMPLER gemel_sampler_##name\n";
    const std::string names = names_of(rank);
    for (const char* kind : {"", "_int", "_uint"})
        text += std::string("#define texture_read") + kind + rank.suffix + "(name, " + names + ") gemel_texture_read" +
                kind + "(TEXTURE_OF(name), " + names + ")\n";
    const int arity = rank.dimensions + rank.is_layered;
    text += "#define GEMEL_ARITY_" + std::to_string(arity) + "\n";
    return {.name = rank.word, .words = {rank.word}, .text = text, .needs = {"textures"}};
}

/// OpenCL C 1.2 has no variadic macros. If a program has textures with different numbers of coordinates, the compiler's
/// message about the short word names the remedy.
std::string arity_text() {
    std::string text = "#if defined(GEMEL_ARITY_1) + defined(GEMEL_ARITY_2) + defined(GEMEL_ARITY_3) > 1\n";
    for (const char* kind : {"", "_int", "_uint"})
        text += std::string("#define texture_read") + kind + " name_the_rank_texture_read" + kind + "_2d\n";
    for (int arity = 1; arity <= 3; ++arity) {
        text += "#elif defined(GEMEL_ARITY_" + std::to_string(arity) + ")\n";
        const std::string names = arity == 1 ? "x" : arity == 2 ? "x, y" : "x, y, z";
        for (const char* kind : {"", "_int", "_uint"})
            text += std::string("#define texture_read") + kind + "(name, " + names + ") gemel_texture_read" + kind +
                    "(TEXTURE_OF(name), " + names + ")\n";
    }
    return text + "#endif\n";
}

// Values are converted between the kinds of channels, so that every read and write is defined.
const char* const image_reading = R"(GEMEL_FUNCTION int4 image_read_int(@I image, @P);
GEMEL_FUNCTION float4 image_read(@I image, @P) {
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    int channels = gemel_read_channels(image), kind = gemel_read_kind(image);
    int4 n;
    if (!gemel_read_within(image, @C)) return v;
    if (kind == 0) {
        v = gemel_read_float(image, @C);
    } else {
        n = gemel_read_int(image, @C);
        if (kind == 1) v = make_float4((float)n.x, (float)n.y, (float)n.z, (float)n.w);
        if (kind == 2) v = make_float4((float)(uint)n.x, (float)(uint)n.y, (float)(uint)n.z, (float)(uint)n.w);
    }
    if (channels < 2) v.y = 0.0f;
    if (channels < 4) v.z = v.w = 0.0f;
    return v;
}
GEMEL_FUNCTION int4 image_read_int(@I image, @P) {
    int4 n = make_int4(0, 0, 0, 0);
    int channels = gemel_read_channels(image);
    float4 v;
    if (!gemel_read_within(image, @C)) return n;
    if (gemel_read_kind(image) == 0) {
        v = gemel_read_float(image, @C);
        n = make_int4((int)v.x, (int)v.y, (int)v.z, (int)v.w);
    } else {
        n = gemel_read_int(image, @C);
    }
    if (channels < 2) n.y = 0;
    if (channels < 4) n.z = n.w = 0;
    return n;
}
GEMEL_FUNCTION uint4 image_read_uint(@I image, @P) {
    int4 n = image_read_int(image, @N);
    return make_uint4((uint)n.x, (uint)n.y, (uint)n.z, (uint)n.w);
}
)";
const char* const image_writing = R"(#ifndef GEMEL_CLAMPED
#define GEMEL_CLAMPED
GEMEL_FUNCTION int gemel_clamped_int(float v) {
    return v >= 2147483648.0f ? 2147483647 : v > -2147483648.0f ? (int)v : v == v ? -2147483647 - 1 : 0;
}
GEMEL_FUNCTION int gemel_clamped_int(uint v) { return v > 2147483647u ? 2147483647 : (int)v; }
GEMEL_FUNCTION uint gemel_clamped_uint(float v) { return v >= 4294967296.0f ? 4294967295u : v > 0.0f ? (uint)v : 0u; }
GEMEL_FUNCTION uint gemel_clamped_uint(int v) { return v > 0 ? (uint)v : 0u; }
#endif
GEMEL_FUNCTION void image_write(@I image, @P, float4 v) {
    int kind = gemel_written_kind(image);
    if (!gemel_written_within(image, @C)) return;
    if (kind == 0) gemel_write_float(image, @C, v);
    if (kind == 1) gemel_write_int(image, @C, make_int4(gemel_clamped_int(v.x), gemel_clamped_int(v.y), gemel_clamped_int(v.z), gemel_clamped_int(v.w)));
    if (kind == 2) gemel_write_uint(image, @C, make_uint4(gemel_clamped_uint(v.x), gemel_clamped_uint(v.y), gemel_clamped_uint(v.z), gemel_clamped_uint(v.w)));
}
GEMEL_FUNCTION void image_write(@I image, @P, int4 v) {
    int kind = gemel_written_kind(image);
    if (!gemel_written_within(image, @C)) return;
    if (kind == 0) gemel_write_float(image, @C, make_float4((float)v.x, (float)v.y, (float)v.z, (float)v.w));
    if (kind == 1) gemel_write_int(image, @C, v);
    if (kind == 2) gemel_write_uint(image, @C, make_uint4(gemel_clamped_uint(v.x), gemel_clamped_uint(v.y), gemel_clamped_uint(v.z), gemel_clamped_uint(v.w)));
}
GEMEL_FUNCTION void image_write(@I image, @P, uint4 v) {
    int kind = gemel_written_kind(image);
    if (!gemel_written_within(image, @C)) return;
    if (kind == 0) gemel_write_float(image, @C, make_float4((float)v.x, (float)v.y, (float)v.z, (float)v.w));
    if (kind == 1) gemel_write_int(image, @C, make_int4(gemel_clamped_int(v.x), gemel_clamped_int(v.y), gemel_clamped_int(v.z), gemel_clamped_int(v.w)));
    if (kind == 2) gemel_write_uint(image, @C, v);
}
)";

}  // namespace

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

std::string image_words(const ImageTexts& texts, const std::string& word, bool is_written) {
    const Rank& rank =
        *std::find_if(std::begin(ranks), std::end(ranks), [&](const Rank& r) { return r.image == word; });
    const char* const axes[] = {"x", "y", "z"};
    std::string parameters, names, all;
    for (int axis = 0; axis < rank.dimensions; ++axis) {
        parameters += std::string(axis ? ", int " : "int ") + axes[axis];
        names += std::string(axis ? ", " : "") + axes[axis];
    }
    if (rank.is_layered) parameters += ", int layer", names += ", layer";
    all = names;
    for (int axis = rank.dimensions + rank.is_layered; axis < 3; ++axis) all += ", 0";
    const std::string type = texts.type(word, is_written);
    const auto fill_in = [&](std::string text) {
        return replaced(replaced(replaced(replaced(std::move(text), "@I", type), "@P", parameters), "@C", all), "@N",
                        names);
    };
    std::string text = fill_in(is_written ? image_writing : image_reading);
    if (!is_written) return text;
    for (const char* const kind : {"float", "int", "uint"}) {
        const std::string k = kind, head = "GEMEL_FUNCTION void image_write(@I image, @P, " + k;
        text += fill_in(head + " v) { image_write(image, @N, make_" + k + "4(v, 0, 0, 0)); }\n");
        text += fill_in(head + "2 v) { image_write(image, @N, make_" + k + "4(v.x, v.y, 0, 0)); }\n");
    }
    return text;
}

std::vector<Dialect::Section> image_sections(const ImageTexts& texts) {
    std::vector<Dialect::Section> all;
    all.push_back({.name = "textures",
                   .words = {"TEXTURE_OF"},
                   .text = std::string(facts) + memory + coordinates + numbers + texts.textures,
                   .needs = texts.needs});
    for (const Rank& rank : ranks) all.push_back(section_of(rank));
    all.push_back(cube_section());
    all.push_back({.name = "texture_read",
                   .words = {"texture_read", "texture_read_int", "texture_read_uint"},
                   .text = arity_text()});
    all.push_back({.name = "texture_double", .words = {"texture_double"}, .text = texts.doubles});
    Dialect::Section images{.name = "images",
                            .words = {"image_read", "image_read_int", "image_read_uint", "image_write"},
                            .text = texts.images,
                            .needs = texts.needs};
    for (const Rank& rank : ranks)
        for (const char* access : {"_READ", "_WRITE"})
            images.words.push_back(std::string("IMAGE_") + rank.image + access);
    all.push_back(std::move(images));
    return all;
}

}  // namespace gemel
