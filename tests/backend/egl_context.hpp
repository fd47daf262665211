/// An OpenGL context without a window, by EGL, which is opened at run time: a machine may have none.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gemel::testing {

/// OpenGL 4.5 on some device of EGL's, current on this thread while it lives.
class EglContext {
   public:
    /// @param device  among EGL's devices; without any, Mesa's platform without surfaces
    explicit EglContext(std::size_t device = 0) : trouble_(begin(device)) {}
    ~EglContext() {
        if (!display_) return;
        leave();
        if (context_) (void)egl<int>("eglDestroyContext", display_, context_);
    }
    EglContext(const EglContext&) = delete;
    EglContext& operator=(const EglContext&) = delete;

    /// Why there is none; empty if there is one.
    const std::string& trouble() const { return trouble_; }
    bool make_current() const {
        void* const nothing = nullptr;
        return egl<int>("eglMakeCurrent", display_, nothing, nothing, context_) != 0;
    }
    void leave() const {
        void* const nothing = nullptr;
        (void)egl<int>("eglMakeCurrent", display_, nothing, nothing, nothing);
    }
    /// Calls a function of OpenGL's.
    template <class R = void, class... P>
    R call(const char* name, P... arguments) const {
        return reinterpret_cast<R (*)(P...)>(find_(name))(arguments...);
    }

   private:
    using Find = void*(const char*);
    template <class R, class... P>
    R egl(const char* name, P... arguments) const {
        return reinterpret_cast<R (*)(P...)>(dlsym(library_, name))(arguments...);
    }
    /// @returns why that cannot be
    const char* begin(std::size_t device) {
        library_ = dlopen("libEGL.so.1", RTLD_NOW);
        if (!library_) return "libEGL.so.1 is missing";
        find_ = reinterpret_cast<Find*>(dlsym(library_, "eglGetProcAddress"));
        if (!open_display(device)) return "EGL has no display without a window";
        if (!egl<int>("eglInitialize", display_, static_cast<int*>(nullptr), static_cast<int*>(nullptr)))
            return "EGL cannot begin on this device";
        constexpr unsigned opengl_api = 0x30A2;
        constexpr int surface_type = 0x3033, renderable_type = 0x3040, opengl_bit = 8, none = 0x3038;
        constexpr std::array wanted{surface_type, 0, renderable_type, opengl_bit, none};
        void* config = nullptr;
        int found = 0;
        if (!egl<int>("eglBindAPI", opengl_api) ||
            !egl<int>("eglChooseConfig", display_, wanted.data(), &config, 1, &found))
            return "EGL has no OpenGL";
        constexpr int major = 0x3098, minor = 0x30FB;
        constexpr std::array version{major, 4, minor, 5, none};
        context_ = egl<void*>("eglCreateContext", display_, found ? config : nullptr, static_cast<void*>(nullptr),
                              version.data());
        if (!context_) return "EGL makes no context of OpenGL 4.5";
        if (!make_current()) return "EGL makes no context current without a surface";
        return "";
    }
    bool open_display(std::size_t device) {
        using GetDisplay = void*(unsigned, void*, const int*);
        using QueryDevices = int(int, void**, int*);
        constexpr unsigned device_platform = 0x313F, surfaceless_platform = 0x31DD;
        auto* const get = reinterpret_cast<GetDisplay*>(find_("eglGetPlatformDisplayEXT"));
        auto* const query = reinterpret_cast<QueryDevices*>(find_("eglQueryDevicesEXT"));
        if (!get) return false;
        std::array<void*, 32> devices{};
        int count = 0;
        if (query) (void)query(static_cast<int>(devices.size()), devices.data(), &count);
        if (device < static_cast<std::size_t>(count)) display_ = get(device_platform, devices[device], nullptr);
        if (!display_ && device == 0) display_ = get(surfaceless_platform, nullptr, nullptr);
        return display_ != nullptr;
    }

    void* library_ = nullptr;  ///< stays open, as drivers do
    Find* find_ = nullptr;
    void *display_ = nullptr, *context_ = nullptr;
    std::string trouble_;
};

/// A buffer or texture of OpenGL's with what is in it.
inline constexpr unsigned gl_texture_2d = 0x0DE1, gl_rgba8 = 0x8058, gl_r32f = 0x822E, gl_rgba = 0x1908,
                          gl_red = 0x1903, gl_unsigned_byte = 0x1401, gl_float = 0x1406, gl_dynamic_draw = 0x88E8;

template <class T>
unsigned make_gl_buffer(const EglContext& gl, const std::vector<T>& values) {
    unsigned name = 0;
    gl.call("glCreateBuffers", 1, &name);
    gl.call("glNamedBufferData", name, static_cast<std::intptr_t>(values.size() * sizeof(T)),
            static_cast<const void*>(values.data()), gl_dynamic_draw);
    return name;
}

template <class T>
std::vector<T> read_gl_buffer(const EglContext& gl, unsigned name, std::size_t count) {
    std::vector<T> values(count);
    gl.call("glGetNamedBufferSubData", name, std::intptr_t{0}, static_cast<std::intptr_t>(count * sizeof(T)),
            static_cast<void*>(values.data()));
    return values;
}

}  // namespace gemel::testing
