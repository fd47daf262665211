/// Images of the CUDA plug-in against the stand-in for the driver: how arrays and objects are described, what a kernel
/// is given, copies, and when objects end.
#include <doctest/doctest.h>

#include <gemel/gemel.hpp>

#include "../image_programs.hpp"
#include "stand_in.hpp"

#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

using namespace gemel;

namespace {

template <class F>
F* find(const char* name) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library);
    void* const address = dlsym(library, name);
    REQUIRE(address);
    return reinterpret_cast<F*>(address);
}

/// The first four arguments of a launch: those of a texture.
struct Seen {
    std::uint64_t memory = 0;
    TextureFacts facts;
    std::uint64_t object = 0;
    std::vector<char> image;  ///< of an image parameter in the first place
};
Seen seen;

Seen texture_of_launch(const Kernel& kernel, const Texture& texture) {
    const Context context = default_context();
    GPUArray<float4> points(context, {1}), to(context, {1});
    GPUArray<int4> ints(context, {1});
    find<StandInOnLaunch>("stand_in_on_launch")([](void** arguments) {
        std::memcpy(&seen.memory, arguments[0], 8);
        std::memcpy(&seen.facts, arguments[1], sizeof seen.facts);
        std::memcpy(&seen.object, arguments[2], 8);
    });
    kernel({.grid = 1, .block = 1}, texture, points, to, ints, 1);
    find<StandInOnLaunch>("stand_in_on_launch")(nullptr);
    return seen;
}

StandInTexture described(std::uint64_t object) {
    StandInTexture made{};
    REQUIRE(find<StandInFindTexture>("stand_in_texture")(object, &made));
    return made;
}

}  // namespace

TEST_SUITE_BEGIN("driver");

TEST_CASE("a texture is memory, facts and a texture object; each sampler has its own, made once") {
    const Context context = default_context();
    const Kernel kernel = context.compile(image_programs::sample(image_programs::ranks[1])).kernel("sample");
    const Image<uchar4> image(context, {5, 7}, Channels::normalised);
    const Seen nearest = texture_of_launch(kernel, Texture(image, {.address = Address::mirror}));
    CHECK(nearest.memory == 0);
    CHECK(nearest.facts.extent == std::array<std::int32_t, 3>{7, 5, 1});
    CHECK(nearest.facts.kind == 10);
    CHECK(nearest.facts.channels == 4);
    CHECK(nearest.facts.address == 3);
    CHECK(nearest.facts.flags == 0);
    const StandInTexture plain = described(nearest.object);
    CHECK(plain.array.Width == 7);
    CHECK(plain.array.Height == 5);
    CHECK(plain.array.Depth == 0);
    CHECK(plain.array.Format == CU_AD_FORMAT_UNSIGNED_INT8);
    CHECK(plain.array.NumChannels == 4);
    CHECK(plain.array.Flags == CUDA_ARRAY3D_SURFACE_LDST);
    CHECK(plain.texture.filterMode == CU_TR_FILTER_MODE_POINT);
    CHECK(plain.texture.addressMode[0] == CU_TR_ADDRESS_MODE_CLAMP);  // the kernel has found the element
    CHECK(plain.texture.flags == 0);
    const Seen wrapped = texture_of_launch(kernel, Texture(image, {Filter::linear, Address::wrap}));
    CHECK(wrapped.facts.flags == (TextureFacts::linear | TextureFacts::by_hardware));
    CHECK(described(wrapped.object).texture.filterMode == CU_TR_FILTER_MODE_LINEAR);
    CHECK(described(wrapped.object).texture.addressMode[1] == CU_TR_ADDRESS_MODE_WRAP);
    CHECK(described(wrapped.object).texture.flags == CU_TRSF_NORMALIZED_COORDINATES);
    const Seen border = texture_of_launch(kernel, Texture(image, {Filter::linear, Address::border, true}));
    CHECK(border.facts.flags == (TextureFacts::linear | TextureFacts::normalised | TextureFacts::by_hardware));
    CHECK(described(border.object).texture.addressMode[0] == CU_TR_ADDRESS_MODE_BORDER);
    CHECK(described(border.object).texture.flags == 0);
    const Seen exact = texture_of_launch(kernel, Texture(image, {Filter::linear, Address::wrap, false, true}));
    CHECK(exact.facts.flags == TextureFacts::linear);
    CHECK(exact.object == nearest.object);
    CHECK(texture_of_launch(kernel, Texture(image, {Filter::linear, Address::wrap})).object == wrapped.object);
    const Image<std::int16_t> integers(context, {5, 7});
    CHECK(described(texture_of_launch(kernel, Texture(integers)).object).texture.flags == CU_TRSF_READ_AS_INTEGER);
    const auto array = zeros<float>(context, {8, 9})(slice(1, {}), slice({}, {}, 2));
    const Seen over_memory = texture_of_launch(kernel, Texture(array));
    CHECK(over_memory.memory == array.buffer().native_handle());
    CHECK(over_memory.object == 0);
    CHECK(over_memory.facts.flags == TextureFacts::over_memory);
    CHECK(over_memory.facts.offset_bytes == 36);
    CHECK(over_memory.facts.step_bytes == std::array<std::int64_t, 3>{8, 36, 0});
    CHECK(over_memory.facts.extent == std::array<std::int32_t, 3>{5, 7, 1});
}

TEST_CASE("images with layers and depth are described so, and kernels write through a surface with its facts") {
    const Context context = default_context();
    const auto array_of = [&](const AnyImage& image, int rank) {
        const Kernel kernel = context.compile(image_programs::sample(image_programs::ranks[rank])).kernel("sample");
        return described(texture_of_launch(kernel, Texture(image)).object).array;
    };
    const auto line = array_of(Image<float, 1>(context, {6}), 0);
    CHECK((line.Width == 6 && line.Height == 0 && line.Depth == 0));
    const auto box = array_of(Image<half, 3>(context, {4, 5, 6}), 2);
    CHECK((box.Width == 6 && box.Height == 5 && box.Depth == 4 && box.Format == CU_AD_FORMAT_HALF));
    const auto lines = array_of(LayeredImage<float, 1>(context, {3, 6}), 3);
    CHECK((lines.Width == 6 && lines.Height == 0 && lines.Depth == 3 && (lines.Flags & CUDA_ARRAY3D_LAYERED)));
    const auto planes = array_of(LayeredImage<float2>(context, {3, 5, 6}), 4);
    CHECK((planes.Width == 6 && planes.Height == 5 && planes.Depth == 3 && planes.NumChannels == 2));
    const Kernel write = context.compile(image_programs::access(image_programs::ranks[1])).kernel("write_int");
    find<StandInOnLaunch>("stand_in_on_launch")([](void** arguments) {
        seen.image.assign(static_cast<const char*>(arguments[0]), static_cast<const char*>(arguments[0]) + 32);
    });
    write({.grid = 1, .block = 1}, Image<std::uint16_t>(context, {5, 7}), GPUArray<float4>(context, {1}),
          GPUArray<int4>(context, {1}), 1);
    find<StandInOnLaunch>("stand_in_on_launch")(nullptr);
    std::int32_t facts[5];
    std::memcpy(facts, seen.image.data() + 8, sizeof facts);
    CHECK((facts[0] == 3 && facts[1] == 1 && facts[2] == 7 && facts[3] == 5 && facts[4] == 1));
}

TEST_CASE("regions of images are copied as they are counted, and objects end with their image") {
    const Context context = default_context();
    const auto numbers = to_gpu(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4});
    const Image<int> image(numbers);
    CHECK(image.array().get() == numbers.get());
    GPUArray<int> part(context, {2, 2});
    image.copy_to(part, {1, 2});
    CHECK(part.get() == std::vector<int>{6, 7, 10, 11});
    const LayeredImage<int, 1> lines(numbers);
    lines.copy_to(part, {1, 1});
    CHECK(part.get() == std::vector<int>{5, 6, 9, 10});
    Image<int> other(context, {3, 4});
    other.copy_from(numbers);
    other.copy_from(image, {{0, 0}, {2, 2}}, {1, 2});
    CHECK(other.array().get() == std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1, 8, 9, 4, 5});
    const auto calls = find<StandInCalls>("stand_in_calls");
    find<StandInReset>("stand_in_reset")();
    {
        const Texture texture(other, {});
        other.release();
        CHECK(calls("cuArrayDestroy") == 1);
        CHECK(calls("cuTexObjectDestroy") == 1);
        CHECK(calls("cuSurfObjectDestroy") == 1);
    }
    CHECK_THROWS_AS((Image<int>(context, {1 << 20, 4})), ArgumentError);
    find<StandInFail>("stand_in_fail")("cuSurfObjectCreate", CUDA_ERROR_OUT_OF_MEMORY, 1);
    CHECK_THROWS_AS((Image<int>(context, {3, 4})), OutOfMemory);
    CHECK(calls("cuArrayDestroy") == 2);
    find<StandInReset>("stand_in_reset")();
    CHECK(image.array().get() == numbers.get());
}

TEST_CASE("arrays that others have made have their shape and stay theirs") {
    const Context context = default_context();
    const auto make = find<CUresult(CUarray*, const CUDA_ARRAY3D_DESCRIPTOR*)>("cuArray3DCreate_v2");
    const auto destroy = find<CUresult(CUarray)>("cuArrayDestroy");
    std::vector<CUarray> arrays;
    const auto wrapped = [&](CUDA_ARRAY3D_DESCRIPTOR description, const std::optional<ImageFormat>& format = {}) {
        CUarray array = nullptr;
        REQUIRE(make(&array, &description) == CUDA_SUCCESS);
        arrays.push_back(array);
        return wrap_image(context, reinterpret_cast<std::uint64_t>(array), format);
    };
    const unsigned surface = CUDA_ARRAY3D_SURFACE_LDST, layered = surface | CUDA_ARRAY3D_LAYERED;
    using Extents = std::vector<std::size_t>;
    CHECK(wrapped({6, 0, 0, CU_AD_FORMAT_FLOAT, 1, surface}).extents() == Extents{6});
    CHECK(wrapped({6, 5, 4, CU_AD_FORMAT_HALF, 2, surface}).extents() == Extents{4, 5, 6});
    CHECK(wrapped({6, 0, 3, CU_AD_FORMAT_FLOAT, 4, layered}).extents() == Extents{3, 6});
    CHECK(wrapped({6, 5, 3, CU_AD_FORMAT_FLOAT, 4, layered}).extents() == Extents{3, 5, 6});
    CHECK_THROWS_WITH_AS(wrapped({6, 5, 0, CU_AD_FORMAT_FLOAT, 1, 0}), doctest::Contains("CUDA_ARRAY3D_SURFACE_LDST"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(wrapped({6, 5, 0, CU_AD_FORMAT_NV12, 1, surface}), doctest::Contains("CUarray_format"),
                         ArgumentError);
    const auto calls = find<StandInCalls>("stand_in_calls");
    find<StandInReset>("stand_in_reset")();
    {
        const AnyImage image =
            wrapped({4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, surface}, ImageFormat{dtype_of<uchar4>(), true});
        CHECK(image.format() == ImageFormat{dtype_of<uchar4>(), true});
        const Kernel kernel = context.compile(image_programs::sample(image_programs::ranks[1])).kernel("sample");
        const StandInTexture texture = described(texture_of_launch(kernel, Texture(image)).object);
        CHECK(texture.array.Width == 4);
        CHECK((texture.texture.flags & CU_TRSF_READ_AS_INTEGER) == 0u);
        std::vector<int> elements(12);
        std::iota(elements.begin(), elements.end(), 1);
        const auto from = to_gpu(elements);
        GPUArray<int> to(context, {12});
        image.copy_from(from.buffer());
        image.copy_to(to.buffer());
        CHECK(to.get() == elements);
    }
    CHECK(calls("cuSurfObjectDestroy") == 1);
    CHECK(calls("cuTexObjectDestroy") == 1);
    CHECK(calls("cuArrayDestroy") == 0);
    for (const CUarray array : arrays) CHECK(destroy(array) == CUDA_SUCCESS);
}

TEST_CASE("modules that others have loaded stay loaded, and give no binary") {
    const Context context = default_context();
    const Module theirs = context.compile("KERNEL void mark(GLOBAL_MEM float *a, int n) { a[0] = (float)n; }");
    const GPUArray<float> x(context, {10});
    const auto calls = find<StandInCalls>("stand_in_calls");
    find<StandInReset>("stand_in_reset")();
    auto alive = std::make_shared<int>(1);
    {
        const Module module = wrap_module(context, theirs.native_handle(), alive);
        module.kernel("mark")({.grid = 1, .block = 32}, x, 3);
        CHECK(calls("cuLaunchKernel") + calls("cuLaunchKernelEx") == 1);
        CHECK_THROWS_WITH_AS((void)module.binary(), doctest::Contains("Module::binary"), Error);
        CHECK(alive.use_count() == 2);
    }
    CHECK(alive.use_count() == 1);
    CHECK(calls("cuModuleUnload") == 0);
}

TEST_CASE("the hardware samples plain memory where rows and addresses are aligned") {
    const Context context = default_context();
    const image_programs::Rank& rank = image_programs::ranks[1];
    REQUIRE(std::string(rank.word) == "2D");
    const Kernel kernel = context.compile(image_programs::sample(rank)).kernel("sample");
    const Sampler sampler{.filter = Filter::linear, .address = Address::wrap, .normalised = true, .hardware = true};
    const GPUArray<float> whole(context, {40, 32});
    {
        const Texture texture(whole, sampler);
        CHECK(texture.is_sampled_by_hardware());
        const Seen launch = texture_of_launch(kernel, texture);
        CHECK((launch.facts.flags & TextureFacts::over_memory) == 0);
        const StandInTexture made = described(launch.object);
        CHECK(made.memory == whole.buffer().native_handle());
        CHECK(made.pitch_bytes == 32 * sizeof(float));
        CHECK(made.array.Width == 32);
        CHECK(made.array.Height == 40);
        CHECK(made.array.Format == CU_AD_FORMAT_FLOAT);
        CHECK(made.texture.filterMode == CU_TR_FILTER_MODE_LINEAR);
        CHECK(made.texture.addressMode[0] == CU_TR_ADDRESS_MODE_WRAP);
        CHECK(made.texture.flags == CU_TRSF_NORMALIZED_COORDINATES);
        // Made once, whoever asks.
        CHECK(texture_of_launch(kernel, Texture(whole, sampler)).object == launch.object);
    }
    CHECK(Texture(whole(slice(16, 40), slice()), sampler).is_sampled_by_hardware());  // begins at 2048 bytes
    CHECK(Texture(whole(slice(), slice(0, 10)), sampler).is_sampled_by_hardware());
    CHECK_FALSE(Texture(whole(slice(1, 40), slice()), sampler).is_sampled_by_hardware());
    CHECK_FALSE(Texture(whole(slice(), slice(0, 32, 2)), sampler).is_sampled_by_hardware());
    CHECK_FALSE(Texture(GPUArray<float>(context, {40, 25}), sampler).is_sampled_by_hardware());
    CHECK_FALSE(Texture(GPUArray<float>(context, {10, 4, 32}), sampler).is_sampled_by_hardware());
    CHECK_FALSE(Texture(whole, {.filter = Filter::linear}).is_sampled_by_hardware());
    CHECK_FALSE(Texture(whole, {.filter = Filter::linear, .exact = true, .hardware = true}).is_sampled_by_hardware());
    CHECK_FALSE(Texture(whole, {.hardware = true}).is_sampled_by_hardware());
}

TEST_SUITE_END();
