/// What the tests of copies through shared memory have in common: the stand-in's figures, PoCL's devices, messages.
#pragma once

#include <doctest/doctest.h>

#include <gemel/core/core.hpp>

#include "../backend/device_copies.hpp"
#include "opencl_layer.hpp"
#include "stand_in.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace external {

using namespace gemel;

/// Of which the stand-in makes two, and three for copies between devices.
constexpr std::size_t piece = std::size_t{32} << 20;
constexpr unsigned acquires_of_trial = 4;  // each of two pieces of memory is written once and read once
constexpr unsigned acquires_of_trial_between_devices = 6;

using gemel::testing::arrives;
using gemel::testing::Bytes;

template <class F>
F* stand_in(const char* name) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library);
    return reinterpret_cast<F*>(dlsym(library, name));
}
inline unsigned long calls_of(const char* function) { return stand_in<StandInCalls>("stand_in_calls")(function); }
inline void fail(const char* function, CUresult result, unsigned long after = 1) {
    stand_in<StandInFail>("stand_in_fail")(function, result, after);
}
inline void reset_driver() { stand_in<StandInReset>("stand_in_reset")(); }

/// The layer is of no use with other drivers.
inline std::vector<Device> pocl_devices() {
    auto all = devices("opencl");
    std::erase_if(all,
                  [](const Device& device) { return device.info().platform.find("Portable") == std::string::npos; });
    return all;
}

inline std::size_t open_files() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

/// Messages of the subsystem "copy", for as long as it lives.
class Messages {
   public:
    Messages() {
        logging::set_levels("warn,copy=debug");
        logging::set_sink([this](logging::Level, std::string_view subsystem, std::string_view message) {
            const std::lock_guard lock(mutex_);
            if (subsystem == "copy") all_.append(message) += '\n';
        });
    }
    ~Messages() {
        logging::set_sink({});
        logging::set_levels("warn");
    }
    bool mention(const char* words) {
        const std::lock_guard lock(mutex_);
        return all_.find(words) != std::string::npos;
    }

   private:
    std::mutex mutex_;
    std::string all_;
};

}  // namespace external
