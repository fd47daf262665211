/// NVRTC opened at run time, so that CUDA texts are compiled also where there is no GPU.
#pragma once

#include <dlfcn.h>

#include "left_out.hpp"

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

/// Which of these architectures a program is compiled for: all, but in the check (GEMEL_TEST_SHORT=1) one of them, the
/// next one for each program.
inline std::vector<const char*> some_of(std::initializer_list<const char*> architectures) {
    static std::size_t programs = 0;
    std::vector<const char*> chosen;
    std::size_t choice = programs++;
    for (const char* const architecture : architectures)
        if (!gemel::testing::is_left_out(architectures.size(), choice++)) chosen.push_back(architecture);
    return chosen;
}

/// Each compilation stands alone. Where there is no NVRTC, `instance()` is null.
class Nvrtc {
   public:
    struct Result {
        bool succeeded = false;
        std::string log;  ///< warnings too
        std::string cubin, ptx;
    };

    static const Nvrtc* instance() {
        static const Nvrtc* const found = open();
        return found;
    }

    /// For tests of whether a text compiles: in the check, NVRTC 12.8 and newer optimise as little as they can, which
    /// takes a third of the time.
    /// @param architecture  "sm_90"
    /// @param more          further options, e.g. "-I/usr/local/cuda/include"
    Result compile(const std::string& text, const std::string& architecture, std::vector<std::string> more = {}) const {
        static const bool can_be_fast = run("", "sm_90", {fast}).succeeded;
        if (can_be_fast && gemel::testing::is_check()) more.push_back(fast);
        return run(text, architecture, more);
    }

    /// For tests that read the machine code or what ptxas says of it.
    Result compile_optimised(const std::string& text, const std::string& architecture,
                             const std::vector<std::string>& more = {}) const {
        return run(text, architecture, more);
    }

   private:
    static constexpr const char* fast = "--Ofast-compile=max";

    Result run(const std::string& text, const std::string& architecture, const std::vector<std::string>& more) const {
        Result result;
        void* program = nullptr;
        if (create_(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) return result;
        const std::string option = "--gpu-architecture=" + architecture;
        std::vector<const char*> options{option.c_str()};
        for (const std::string& word : more) options.push_back(word.c_str());
        result.succeeded = compile_(program, static_cast<int>(options.size()), options.data()) == 0;
        result.log = fetch(program, log_size_, log_);
        if (result.succeeded) result.cubin = fetch(program, cubin_size_, cubin_);
        if (result.succeeded) result.ptx = fetch(program, ptx_size_, ptx_);
        destroy_(&program);
        return result;
    }

    using Size = int (*)(void*, std::size_t*);
    using Fetch = int (*)(void*, char*);

    static const Nvrtc* open() {
        std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                       "/usr/local/cuda/lib64/libnvrtc.so"};
        if (const char* chosen = std::getenv("GEMEL_NVRTC")) names.insert(names.begin(), chosen);
        for (const std::string& name : names)
            if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return new Nvrtc(library);
        return nullptr;
    }

    explicit Nvrtc(void* library) {
        load(library, create_, "nvrtcCreateProgram");
        load(library, compile_, "nvrtcCompileProgram");
        load(library, destroy_, "nvrtcDestroyProgram");
        load(library, log_size_, "nvrtcGetProgramLogSize");
        load(library, log_, "nvrtcGetProgramLog");
        load(library, cubin_size_, "nvrtcGetCUBINSize");
        load(library, cubin_, "nvrtcGetCUBIN");
        load(library, ptx_size_, "nvrtcGetPTXSize");
        load(library, ptx_, "nvrtcGetPTX");
    }

    template <class Function>
    static void load(void* library, Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library, name));
    }

    static std::string fetch(void* program, Size size, Fetch fetch) {
        std::size_t bytes = 0;
        size(program, &bytes);
        std::string text(bytes, '\0');
        if (bytes > 0) fetch(program, text.data());
        return text;
    }

    int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*compile_)(void*, int, const char* const*) = nullptr;
    int (*destroy_)(void**) = nullptr;
    Size log_size_ = nullptr, cubin_size_ = nullptr, ptx_size_ = nullptr;
    Fetch log_ = nullptr, cubin_ = nullptr, ptx_ = nullptr;
};
