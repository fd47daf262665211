/// Particles that never leave the device: kernels move them in a vertex buffer of OpenGL's, and OpenGL draws them from
/// there. Without a window, by EGL; writes particles.png. Ends with 77 where no device drives OpenGL.
#define GL_GLEXT_PROTOTYPES
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <zlib.h>

#include <gemel/gemel.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

constexpr int width = 960, height = 540;

/// Makes OpenGL 4.5 on this device of EGL's current; false where it has none.
bool begin_opengl(EGLDisplay display) {
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API))
        return false;
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
    const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) return false;
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    return context && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
}

/// The OpenGL device that is this one, with OpenGL current on it.
bool begin_opengl_on(const gemel::Device& device) {
    const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
    const auto open = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    std::array<EGLDeviceEXT, 32> devices{};
    EGLint count = 0;
    if (!query || !open || !query(static_cast<EGLint>(devices.size()), devices.data(), &count)) return false;
    for (EGLint i = 0; i < count; ++i)
        if (begin_opengl(open(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr)) &&
            gemel::gl::shares(device))
            return true;
    return false;
}

GLuint shader(GLenum kind, const char* text) {
    const GLuint made = glCreateShader(kind);
    glShaderSource(made, 1, &text, nullptr);
    glCompileShader(made);
    return made;
}

/// Points of light that add up.
GLuint make_program() {
    const GLuint program = glCreateProgram();
    glAttachShader(program, shader(GL_VERTEX_SHADER, R"(#version 450
        layout(location = 0) in vec4 particle;  // place and velocity
        out vec3 light;
        void main() {
            gl_Position = vec4(particle.x * 9.0 / 16.0, particle.y, 0, 1);
            gl_PointSize = 2.0;
            float speed = length(particle.zw);
            light = mix(vec3(0.02, 0.05, 0.16), vec3(0.18, 0.08, 0.02), clamp(speed, 0.0, 1.0));
        })"));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER, R"(#version 450
        in vec3 light;
        out vec4 color;
        void main() { color = vec4(light, 1); })"));
    glLinkProgram(program);
    return program;
}

/// Points out of a buffer of places and velocities, as pixels.
std::vector<std::uint8_t> draw(GLuint vertices, int count) {
    GLuint picture = 0, target = 0, layout = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &picture);
    glTextureStorage2D(picture, 1, GL_RGBA16F, width, height);
    glCreateFramebuffers(1, &target);
    glNamedFramebufferTexture(target, GL_COLOR_ATTACHMENT0, picture, 0);
    glCreateVertexArrays(1, &layout);
    glVertexArrayVertexBuffer(layout, 0, vertices, 0, 4 * sizeof(float));
    glVertexArrayAttribFormat(layout, 0, 4, GL_FLOAT, GL_FALSE, 0);
    glEnableVertexArrayAttrib(layout, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glUseProgram(make_program());
    glBindVertexArray(layout);
    glDrawArrays(GL_POINTS, 0, count);
    std::vector<std::uint8_t> pixels(std::size_t{3} * width * height);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    return pixels;
}

/// Two suns and a swarm around them.
const char* const motion = R"(
KERNEL void scatter(GLOBAL_MEM float4* particles, int count) {
    const int i = (int)GLOBAL_ID_0;
    if (i >= count) return;
    const float angle = 6.2831853f * (float)i / (float)count * 1021.0f;
    const float radius = 0.3f + 0.6f * (float)i / (float)count;
    particles[i] = make_float4(radius * cos(angle), radius * sin(angle), -sin(angle), cos(angle));
}
KERNEL void move(GLOBAL_MEM float4* particles, int count, float time, float step) {
    const int i = (int)GLOBAL_ID_0;
    if (i >= count) return;
    float4 p = particles[i];
    const float sun_x = 0.35f * cos(2 * time), sun_y = 0.35f * sin(2 * time);
    float pull_x = 0, pull_y = 0;
    for (int k = 0; k < 2; ++k) {
        const float dx = (k ? -sun_x : sun_x) - p.x, dy = (k ? -sun_y : sun_y) - p.y;
        const float square = dx * dx + dy * dy + 0.01f;
        const float pull = 0.4f / (square * sqrt(square));
        pull_x += pull * dx;
        pull_y += pull * dy;
    }
    p.z += step * pull_x;
    p.w += step * pull_y;
    p.x += step * p.z;
    p.y += step * p.w;
    particles[i] = p;
})";

/// Rows from the bottom up, three bytes for a pixel.
bool save(const std::vector<std::uint8_t>& pixels, const char* path) {
    std::ofstream file(path, std::ios::binary);
    const auto number = [](std::uint32_t n) {
        std::string bytes;
        for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(n >> shift);
        return bytes;
    };
    const auto chunk = [&](const std::string& name_and_data) {
        const auto* const bytes = reinterpret_cast<const Bytef*>(name_and_data.data());
        const auto size = static_cast<uInt>(name_and_data.size());
        file << number(size - 4) << name_and_data << number(static_cast<std::uint32_t>(crc32(0, bytes, size)));
    };
    std::string rows;
    for (int y = height; y-- > 0;) {
        rows += '\0';  // no filter
        rows.append(reinterpret_cast<const char*>(pixels.data()) + std::size_t{3} * width * static_cast<std::size_t>(y),
                    std::size_t{3} * width);
    }
    std::string packed(compressBound(rows.size()), '\0');
    auto bytes = static_cast<uLongf>(packed.size());
    compress(reinterpret_cast<Bytef*>(packed.data()), &bytes, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
    file << "\x89PNG\r\n\x1a\n";
    chunk("IHDR" + number(width) + number(height) + std::string("\x08\x02\0\0\0", 5));
    chunk("IDAT" + packed.substr(0, bytes));
    chunk("IEND");
    return file.good();
}

}  // namespace

int main() {
    const gemel::Device device = gemel::default_device();
    if (!begin_opengl_on(device)) {
        std::printf("%s drives no OpenGL here: nothing to draw\n", device.info().name.c_str());
        return 77;
    }
    const gemel::Context context = gemel::gl::create_context(device);
    const gemel::ContextScope scope(context);

    constexpr int count = 1 << 20, steps = 400;
    GLuint vertices = 0;
    glCreateBuffers(1, &vertices);
    glNamedBufferData(vertices, count * 4 * sizeof(float), nullptr, GL_DYNAMIC_DRAW);
    const gemel::gl::SharedBuffer shared(context, vertices);

    const auto module = context.compile(motion);
    const gemel::Kernel scatter = module.kernel("scatter"), move = module.kernel("move");
    const gemel::LaunchConfig each{.threads = {count}};
    {
        const gemel::Buffer particles = shared.acquire();
        scatter(each, particles, count);
        for (int k = 0; k < steps; ++k) move(each, particles, count, 0.004f * static_cast<float>(k), 0.004f);
    }  // OpenGL's again

    const std::vector<std::uint8_t> pixels = draw(vertices, count);
    std::size_t lit = 0;
    for (const std::uint8_t value : pixels) lit += value > 8;
    std::printf("%d particles after %d steps on %s; %zu of %zu channels are lit\n", count, steps,
                device.info().name.c_str(), lit, pixels.size());
    if (glGetError() != GL_NO_ERROR || lit < pixels.size() / 100 || !save(pixels, "particles.png")) return 1;
    std::puts("ok: particles.png");
}
