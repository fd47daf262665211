/// Objects of OpenGL that kernels share, on devices that drive an OpenGL context.
#include "array_support.hpp"

#include "egl_context.hpp"

#include <memory>
#include <numeric>

using namespace gemel;
using namespace gemel::testing;

namespace {

using Floats = std::vector<float>;

/// An OpenGL context that the device drives, current on this thread; null, with a message, if there is none.
std::unique_ptr<EglContext> gl_of(const Device& device) {
    std::string why = "no device of EGL's is this one, or it shares nothing";
    for (std::size_t k = 0; k < 16; ++k) {
        auto gl = std::make_unique<EglContext>(k);
        if (gl->trouble().empty() && gl::shares(device)) return gl;
        if (k == 0 && !gl->trouble().empty()) why = gl->trouble();
    }
    MESSAGE("skipped: " << device.info().name << " shares no OpenGL context here: " << why);
    return nullptr;
}

Floats counting(std::size_t count) {
    Floats values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
}

void double_all(const Context& context, const Buffer& buffer, std::size_t count, const Stream& stream = {}) {
    const Kernel twice = context
                             .compile(
                                 "KERNEL void twice(GLOBAL_MEM float* x, int n) { const int i = (int)GLOBAL_ID_0;"
                                 " if (i < n) x[i] = 2 * x[i]; }")
                             .kernel("twice");
    twice({.block = {128}, .threads = {count}, .stream = stream}, buffer, static_cast<int>(count));
}

}  // namespace

TEST_SUITE_BEGIN("opengl");

TEST_CASE("a device that drives no current OpenGL context says so") {
    const Device device = default_device();
    CHECK_FALSE(gl::shares(device));
    CHECK_THROWS_WITH_AS((void)gl::create_context(device), doctest::Contains("make one current first"), Error);
    CHECK_THROWS_WITH_AS((void)gl::SharedBuffer(Context(device), 1), doctest::Contains("gl"), Error);
    CHECK_THROWS_WITH_AS((void)gl::SharedBuffer(Context(device), 0), doctest::Contains("glGenBuffers"), ArgumentError);
    CHECK_THROWS_AS((void)gl::SharedBuffer().acquire(), ArgumentError);
    CHECK_THROWS_AS((void)gl::SharedImage().acquire(), ArgumentError);
    CHECK(gl::SharedBuffer().size_bytes() == 0);
}

TEST_CASE("kernels and OpenGL have a buffer in turns") {
    const Device device = default_device();
    const auto gl = gl_of(device);
    if (!gl) return;
    const Context context = gl::create_context(device);
    constexpr std::size_t count = 100003;
    const unsigned name = make_gl_buffer(*gl, counting(count));
    const gl::SharedBuffer shared(context, name);
    CHECK(shared.size_bytes() == count * sizeof(float));
    Floats expected = counting(count);
    for (int round = 0; round < 5; ++round) {
        double_all(context, shared.acquire(), count);
        for (float& value : expected) value *= 2;
        REQUIRE(read_gl_buffer<float>(*gl, name, count) == expected);
        // What OpenGL writes, kernels see.
        const float mark = -1.0f - static_cast<float>(round);
        gl->call("glNamedBufferSubData", name, std::intptr_t{sizeof(float)}, std::intptr_t{sizeof(float)},
                 static_cast<const void*>(&mark));
        expected[1] = mark;
        Floats seen(count);
        shared.acquire().download(seen);
        REQUIRE(seen == expected);
    }
}

TEST_CASE("a buffer of OpenGL goes back after what all streams do with it") {
    const Device device = default_device();
    const auto gl = gl_of(device);
    if (!gl) return;
    const Context context = gl::create_context(device);
    constexpr std::size_t count = 1 << 20;
    const unsigned name = make_gl_buffer(*gl, Floats(count, 1.0f));
    const gl::SharedBuffer shared(context, name);
    const Stream one = context.create_stream(), other = context.create_stream();
    Buffer buffer = shared.acquire(one);
    for (int round = 0; round < 10; ++round) double_all(context, buffer, count, round % 2 ? other : one);
    Buffer part = buffer.view(sizeof(float), 2 * sizeof(float));
    buffer.release();
    CHECK(read_gl_buffer<float>(*gl, name, count) == Floats(count, 1024.0f));
    CHECK_THROWS_WITH_AS(part.fill(0.0f), doctest::Contains("released"), ArgumentError);
}

TEST_CASE("a buffer of OpenGL is memory of an array") {
    const Device device = default_device();
    const auto gl = gl_of(device);
    if (!gl) return;
    const Context context = gl::create_context(device);
    const unsigned name = make_gl_buffer(*gl, counting(1000));
    const gl::SharedBuffer shared(context, name);
    {
        GPUArray<float> array(shared.acquire(), Shape{100, 10}, Strides{10, 1});
        CHECK(sum(array).item() == 500500);
        array += 1.0f;
    }
    Floats expected = counting(1000);
    for (float& value : expected) value += 1;
    CHECK(read_gl_buffer<float>(*gl, name, 1000) == expected);
}

TEST_CASE("sharing refuses what cannot be, and goes on") {
    const Device device = default_device();
    const auto gl = gl_of(device);
    if (!gl) return;
    const Context context = gl::create_context(device);
    CHECK_THROWS_WITH_AS((void)gl::SharedBuffer(context, 12345), doctest::Contains("glBufferData"), ArgumentError);
    const unsigned name = make_gl_buffer(*gl, counting(10));
    const gl::SharedBuffer shared(context, name);
    {
        const Buffer buffer = shared.acquire();
        CHECK_THROWS_WITH_AS((void)shared.acquire(), doctest::Contains("acquired already"), ArgumentError);
    }
    gl->leave();
    CHECK_THROWS_WITH_AS((void)shared.acquire(), doctest::Contains("current on this thread"), Error);
    REQUIRE(gl->make_current());
    double_all(context, shared.acquire(), 10);
    CHECK(read_gl_buffer<float>(*gl, name, 10)[9] == 20);
    const Stream stream = context.create_stream();
    CHECK_THROWS_AS((void)capture(stream, [&] { (void)shared.acquire(); }), Error);
    CHECK_THROWS_WITH_AS((void)gl::SharedImage(context, name, 0, {dtype_of<float>()}),
                         doctest::Contains("GL_TEXTURE_2D"), ArgumentError);
}

TEST_CASE("kernels and OpenGL have a texture in turns") {
    const Device device = default_device();
    const auto gl = gl_of(device);
    if (!gl) return;
    const Context context = gl::create_context(device);
    constexpr int width = 37, height = 19;
    unsigned name = 0;
    gl->call("glCreateTextures", gl_texture_2d, 1, &name);
    gl->call("glTextureStorage2D", name, 1, gl_r32f, width, height);
    const Floats values = counting(width * height);
    gl->call("glTextureSubImage2D", name, 0, 0, 0, width, height, gl_red, gl_float,
             static_cast<const void*>(values.data()));
    const gl::SharedImage shared(context, name, gl_texture_2d, {dtype_of<float>()});
    GPUArray<float> seen(context, Shape{height, width});
    {
        const AnyImage image = shared.acquire();
        CHECK(image.extents() == std::vector<std::size_t>{height, width});
        image.copy_to(seen.buffer());
        CHECK(seen.get() == values);
        const GPUArray<float> tripled = 3.0f * seen;
        image.copy_from(tripled.buffer());
    }
    Floats back(values.size());
    gl->call("glGetTextureImage", name, 0, gl_red, gl_float, static_cast<int>(back.size() * sizeof(float)),
             static_cast<void*>(back.data()));
    Floats expected = values;
    for (float& value : expected) value *= 3;
    CHECK(back == expected);
    CHECK_THROWS_WITH_AS((void)gl::SharedImage(context, name, gl_texture_2d, {dtype_of<uchar4>(), true}),
                         doctest::Contains("uchar4"), ArgumentError);
    CHECK_THROWS_AS((void)gl::SharedImage(context, 12345, gl_texture_2d, {dtype_of<float>()}), ArgumentError);
    CHECK_NOTHROW((void)shared.acquire());
}
