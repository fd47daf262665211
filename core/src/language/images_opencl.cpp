/// Reading and writing images in OpenCL C 1.2.
#include "language/texture_section.hpp"

namespace gemel {
namespace {

// Devices without images get substitute types, so that textures over plain memory work in the same programs.
const char* const textures = R"(#ifdef __IMAGE_SUPPORT__
#define GEMEL_READ_ONLY __read_only
#define GEMEL_SAMPLER sampler_t
#define GEMEL_TEXTURE_1D image1d_t
#define GEMEL_TEXTURE_2D image2d_t
#define GEMEL_TEXTURE_3D image3d_t
#define GEMEL_TEXTURE_1D_LAYERED image1d_array_t
#define GEMEL_TEXTURE_2D_LAYERED image2d_array_t
__constant sampler_t gemel_nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#define GEMEL_IMAGE(I, AT, PLACE) \
GEMEL_FUNCTION float4 gemel_image_float(I image, int x, int y, int z) { return read_imagef(image, gemel_nearest, AT); } \
GEMEL_FUNCTION int4 gemel_image_int(I image, int x, int y, int z) { return read_imagei(image, gemel_nearest, AT); } \
GEMEL_FUNCTION int4 gemel_image_uint(I image, int x, int y, int z) { return as_int4(read_imageui(image, gemel_nearest, AT)); } \
GEMEL_FUNCTION float4 gemel_image_linear(I image, sampler_t sampler, float x, float y, float z, int layer) { \
    return read_imagef(image, sampler, PLACE); \
}
GEMEL_IMAGE(image1d_t, x, x)
GEMEL_IMAGE(image2d_t, (int2)(x, y), (float2)(x, y))
GEMEL_IMAGE(image3d_t, (int4)(x, y, z, 0), (float4)(x, y, z, 0.0f))
GEMEL_IMAGE(image1d_array_t, (int2)(x, y), (float2)(x, (float)layer))
GEMEL_IMAGE(image2d_array_t, (int4)(x, y, z, 0), (float4)(x, y, (float)layer, 0.0f))
#undef GEMEL_IMAGE
#else
#define GEMEL_READ_ONLY
#define GEMEL_SAMPLER int
#define GEMEL_IMAGE(I) \
typedef struct { int none; } I; \
GEMEL_FUNCTION float4 gemel_image_float(I image, int x, int y, int z) { return (float4)(0.0f); } \
GEMEL_FUNCTION int4 gemel_image_int(I image, int x, int y, int z) { return (int4)(0); } \
GEMEL_FUNCTION int4 gemel_image_uint(I image, int x, int y, int z) { return (int4)(0); } \
GEMEL_FUNCTION float4 gemel_image_linear(I image, int sampler, float x, float y, float z, int layer) { return (float4)(0.0f); }
GEMEL_IMAGE(GEMEL_TEXTURE_1D)
GEMEL_IMAGE(GEMEL_TEXTURE_2D)
GEMEL_IMAGE(GEMEL_TEXTURE_3D)
GEMEL_IMAGE(GEMEL_TEXTURE_1D_LAYERED)
GEMEL_IMAGE(GEMEL_TEXTURE_2D_LAYERED)
#undef GEMEL_IMAGE
#endif
)";

const char* const doubles = R"(#ifdef cl_khr_fp64
GEMEL_FUNCTION double texture_double(uint4 v) { return as_double((ulong)v.y << 32 | v.x); }
#endif
)";

// A kind is 0 for floats and normalised integers, 1 for signed and 2 for unsigned ones.
const char* const kinds =
    R"(__constant sampler_t gemel_bordered = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
GEMEL_FUNCTION int gemel_kind(int type) {
    if (type == CLK_SIGNED_INT8 || type == CLK_SIGNED_INT16 || type == CLK_SIGNED_INT32) return 1;
    return type == CLK_UNSIGNED_INT8 || type == CLK_UNSIGNED_INT16 || type == CLK_UNSIGNED_INT32 ? 2 : 0;
}
GEMEL_FUNCTION int gemel_channels(int order) { return order == CLK_R ? 1 : order == CLK_RG ? 2 : 4; }
#define GEMEL_WITHIN(x, n) ((x) >= 0 && (x) < (int)(n))
)";

// @I the type, @A where an element is, @0, @1 and @2 the extents.
const char* const reading =
    R"(#define IMAGE_@D_READ(name) __read_only @I name
GEMEL_FUNCTION int gemel_read_kind(__read_only @I image) { return gemel_kind(get_image_channel_data_type(image)); }
GEMEL_FUNCTION int gemel_read_channels(__read_only @I image) { return gemel_channels(get_image_channel_order(image)); }
GEMEL_FUNCTION int gemel_read_within(__read_only @I image, int x, int y, int z) {
    return GEMEL_WITHIN(x, @0) && GEMEL_WITHIN(y, @1) && GEMEL_WITHIN(z, @2);
}
GEMEL_FUNCTION float4 gemel_read_float(__read_only @I image, int x, int y, int z) { return read_imagef(image, gemel_bordered, @A); }
GEMEL_FUNCTION int4 gemel_read_int(__read_only @I image, int x, int y, int z) {
    return gemel_read_kind(image) == 1 ? read_imagei(image, gemel_bordered, @A) : as_int4(read_imageui(image, gemel_bordered, @A));
}
)";
const char* const writing =
    R"(#define IMAGE_@D_WRITE(name) __write_only @I name
GEMEL_FUNCTION int gemel_written_kind(__write_only @I image) { return gemel_kind(get_image_channel_data_type(image)); }
GEMEL_FUNCTION int gemel_written_within(__write_only @I image, int x, int y, int z) {
    return GEMEL_WITHIN(x, @0) && GEMEL_WITHIN(y, @1) && GEMEL_WITHIN(z, @2);
}
GEMEL_FUNCTION void gemel_write_float(__write_only @I image, int x, int y, int z, float4 v) { write_imagef(image, @A, v); }
GEMEL_FUNCTION void gemel_write_int(__write_only @I image, int x, int y, int z, int4 v) { write_imagei(image, @A, v); }
GEMEL_FUNCTION void gemel_write_uint(__write_only @I image, int x, int y, int z, uint4 v) { write_imageui(image, @A, v); }
)";

struct Type {
    const char *word, *type, *position;
    const char* extents[3];
};
constexpr Type all_types[] = {
    {"1D", "image1d_t", "x", {"get_image_width(image)", "1", "1"}},
    {"2D", "image2d_t", "(int2)(x, y)", {"get_image_width(image)", "get_image_height(image)", "1"}},
    {"3D",
     "image3d_t",
     "(int4)(x, y, z, 0)",
     {"get_image_width(image)", "get_image_height(image)", "get_image_depth(image)"}},
    {"1D_LAYERED", "image1d_array_t", "(int2)(x, y)", {"get_image_width(image)", "get_image_array_size(image)", "1"}},
    {"2D_LAYERED",
     "image2d_array_t",
     "(int4)(x, y, z, 0)",
     {"get_image_width(image)", "get_image_height(image)", "get_image_array_size(image)"}}};

std::string of_type(std::string text, const Type& type) {
    text = replaced(replaced(replaced(std::move(text), "@I", type.type), "@A", type.position), "@D", type.word);
    for (int axis = 0; axis < 3; ++axis)
        text = replaced(std::move(text), "@" + std::to_string(axis), type.extents[axis]);
    return text;
}

}  // namespace

static std::string opencl_image_type(const std::string& rank, bool is_written) {
    for (const Type& type : all_types)
        if (rank == type.word) return std::string(is_written ? "__write_only " : "__read_only ") + type.type;
    return {};
}

ImageTexts opencl_image_texts() {
    ImageTexts texts{textures, {"float16", "vectors"}, "#ifdef __IMAGE_SUPPORT__\n", doubles, opencl_image_type};
    texts.images += kinds;
    for (const Type& type : all_types) {
        texts.images += of_type(reading, type);
        const bool is_3d = std::string(type.word) == "3D";
        if (is_3d)
            texts.images += "#ifdef cl_khr_3d_image_writes\n#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n";
        texts.images += of_type(writing, type);
        texts.images += image_words(texts, type.word, true);
        if (is_3d) texts.images += "#endif\n";
        texts.images += image_words(texts, type.word, false);
    }
    texts.images += "#endif\n";
    return texts;
}

}  // namespace gemel
