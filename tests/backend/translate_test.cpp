/// What `gemel translate` prints is compiled as it stands by the device's own compiler.
#include "../elementary_functions.hpp"
#include "../kernel_language_programs.hpp"
#include "../translated.hpp"

#include <gemel/core/core.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace gemel;

namespace {

NativeSource native(const std::string& program) {
    const std::string dialect = default_context().dialect().name;
    NativeSource source;
    source.other[dialect] = translated(program, dialect);
    source.cuda = source.opencl = source.other[dialect];
    return source;
}

}  // namespace

TEST_SUITE_BEGIN("tools");

TEST_CASE("a translated program runs without the prelude of gemel") {
    std::vector<float> in(192), out(192);
    for (int i = 0; i < 192; ++i) in[i] = static_cast<float>(i);
    default_context()
        .compile(native(kernel_language::memory))
        .kernel("reversed")({.grid = {3}, .block = {64}}, InOut(out), In(in));
    for (int i = 0; i < 192; ++i) CHECK(out[i] == in[i - i % 64 + 63 - i % 64] * (1 + i % 64 % 4));
}

TEST_CASE("translated programs with every word compile") {
    const DeviceInfo info = default_context().device().info();
    auto programs = kernel_language::all();
    programs.emplace_back("elementary float", elementary::program("float"));
    for (const auto& program : programs) {
        const std::string &label = program.first, &text = program.second;
        if (text.find("double") != std::string::npos && !info.has_double) continue;
        if (text.find("int64_t *cells") != std::string::npos && !info.has_int64_atomics) continue;
        CAPTURE(label);
        CHECK_NOTHROW(default_context().compile(native(text)));
    }
}

TEST_SUITE_END();
