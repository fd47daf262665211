/// Every text of the generators' golden programs builds in the context's dialect.
#include "../generator_programs.hpp"
#include "support.hpp"

using namespace gemel;

namespace {

struct Text {
    std::string text;
    std::string source(const Dialect&) const { return text; }
};

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("generated kernels build on the device") {
    const Context context = default_context();
    const DeviceInfo info = context.device().info();
    int built = 0;
    for (const auto& [name, text] : generator_programs::all(context.dialect())) {
        // Shuffles are words of devices whose blocks see each other; elsewhere such texts are never printed.
        if (!info.has_cross_block_visibility && text.find("gemel_shuffle") != std::string::npos) continue;
        if (!info.has_cross_block_visibility && text.find("device_fence") != std::string::npos) continue;
        // The same holds for copies into shared memory that go on by themselves, and for conversions to two 16-bit
        // floats and to tf32: NVIDIA's, from sm_80 on.
        if (!info.has_cross_block_visibility && text.find("gemel_await_copies") != std::string::npos) continue;
        if (!info.has_cross_block_visibility && text.find("gemel_two_halves") != std::string::npos) continue;
        if (!info.has_cross_block_visibility && text.find("gemel_two_bfloats") != std::string::npos) continue;
        if (!info.has_cross_block_visibility && text.find("gemel_tf32") != std::string::npos) continue;
        if (!info.has_warp_groups && text.find("gemel_begin_tiles") != std::string::npos) continue;
        if (!info.has_tensor_maps && text.find("gemel_cluster_wait") != std::string::npos) continue;
        if (!info.has_double && text.find("double") != std::string::npos) continue;
        const std::string failure = gemel::testing::message_of<CompileError>([&] { context.compile(Text{text}); });
        CHECK_MESSAGE(failure.empty(), name, "\n", failure);
        ++built;
    }
    CHECK(built >= 25);
}

TEST_SUITE_END();
