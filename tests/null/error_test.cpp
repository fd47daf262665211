/// The exception family.
#include <gemel/core/error.hpp>
#include <gemel/core/plugin.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>

using namespace gemel;

namespace {

template <class Thrown, class Caught>
bool caught_as(const Thrown& thrown) {
    try {
        throw thrown;
    } catch (const Caught& error) {
        return std::string_view(error.what()) == thrown.what();
    } catch (...) {
        return false;
    }
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("every error can be caught as Error and as a standard exception") {
    const CompileError compile("does not compile", "text", "log");
    const DeviceLost lost("gone", "cuLaunchKernel", 700, "CUDA_ERROR_ILLEGAL_ADDRESS");
    CHECK(caught_as<BackendUnavailable, Error>(BackendUnavailable("none")));
    CHECK(caught_as<ArgumentError, Error>(ArgumentError("wrong")));
    CHECK(caught_as<OutOfMemory, Error>(OutOfMemory("full")));
    CHECK(caught_as<CompileError, Error>(compile));
    CHECK(caught_as<DeviceLost, DeviceError>(lost));
    CHECK(caught_as<DeviceLost, std::runtime_error>(lost));
    CHECK_FALSE(caught_as<ArgumentError, DeviceError>(ArgumentError("wrong")));
}

TEST_CASE("errors carry what programs may ask for") {
    const CompileError compile("does not compile", "text", "log");
    CHECK(compile.source() == "text");
    CHECK(compile.log() == "log");
    const DeviceLost lost("gone", "cuLaunchKernel", 700, "CUDA_ERROR_ILLEGAL_ADDRESS");
    CHECK(lost.call() == "cuLaunchKernel");
    CHECK(lost.code() == 700);
    CHECK(lost.code_name() == "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_CASE("errors can be copied while they fly") {
    // An exception whose copy throws ends the program.
    CHECK(std::is_copy_constructible_v<CompileError>);
    CHECK(std::is_copy_constructible_v<DeviceLost>);
}

TEST_CASE("the library and this file have the same build tag") {
    CHECK(std::string_view(plugin::library_build_tag()) == GEMEL_BUILD_TAG);
    CHECK(std::string_view(GEMEL_BUILD_TAG).starts_with("gemel " GEMEL_VERSION ", "));
}

TEST_SUITE_END();
