/// Calls that are written to a folder and repeated from it.
#include "child.hpp"
#include "support.hpp"

#include <gemel/core/capture.hpp>
#include <gemel/gemel.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace gemel;
using gemel::testing::Child;
using gemel::testing::run_child;
using gemel::testing::ScratchFolder;

namespace fs = std::filesystem;

namespace {

struct Step {
    float by;
    std::int32_t times;
};

const char* const source = R"(
typedef struct { float by; int32_t times; } step_t;
KERNEL void walk(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, step_t step, int32_t n, SHARED_ARENA)
{
    LOCAL_MEM_ARG float *tile = (LOCAL_MEM_ARG float *)shared_arena;
    int i = (int)GLOBAL_ID_0;
    tile[LID_0] = i < n ? from[i] : 0.0f;
    local_barrier();
    if (i < n) to[i] += STRIDE * tile[LID_0] + step.by * (float)step.times;
})";

const CompileOptions options{.defines = {{"STRIDE", "2.0f"}}, .fp_contract = false};

std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A captured call of `walk` in `folder`.
void capture_walk(const fs::path& folder) {
    const Context context = default_context();
    const Kernel walk = context.compile(source, options).kernel("walk");
    const Buffer to = testing::uploaded(context, testing::counting<float>(100));
    std::vector<float> from(100, 3.0f);
    walk.capture(folder.string(), {.grid = {2}, .block = {64}, .shared_bytes = 256, .overlap = false}, to, In(from),
                 Step{0.5f, 4}, 100);
    const auto result = testing::downloaded<float>(to);
    for (std::size_t k = 0; k < result.size(); ++k) CHECK(result[k] == static_cast<float>(k) + 8);
}

/// A captured call with a texture over an array of any strides and, where the device has images, a texture of an image
/// and an image that the kernel writes.
void capture_blend(const fs::path& folder) {
    const Context context = default_context();
    const bool has_images = context.device().info().has_images;
    // Declared in plain words: signatures are read from the text before macros are.
    const std::string text = "KERNEL void blend(GLOBAL_MEM float *to, TEXTURE_2D_LAYERED(table), float x" +
                             std::string(has_images ? ", TEXTURE_2D(picture), IMAGE_2D_WRITE(out)" : "") + R"()
{
    const int i = (int)GLOBAL_ID_0, j = (int)GLOBAL_ID_1;
    float sum = texture_read_2d_layered(table, i + x, j + x, 1).x;
)" + (has_images ? "    sum += texture_read_2d(picture, i + x, j - x).x;\n    image_write(out, i, j, sum);\n" : "") +
                             "    to[5 * j + i] = sum;\n}\n";
    const Kernel blend = context.compile(text).kernel("blend");
    const auto numbers = arange<float>(context, 2 * 5 * 4).reshape({2, 5, 4});
    const auto turned = numbers.permute({0, 2, 1})(slice({}, {}, -1));  // layers backwards, x 4 elements apart
    const Texture table(turned, {.filter = Filter::linear, .address = Address::mirror}, true);
    const auto to = zeros<float>(context, {4, 5});
    const LaunchConfig config{.grid = {1, 1}, .block = {5, 4}};
    if (!has_images) return blend.capture(folder.string(), config, to, table, 0.75f);
    const Image<std::uint8_t> picture(arange<std::uint8_t>(context, 20).reshape({4, 5}), Channels::normalised);
    const Image<float> out(context, {4, 5});
    blend.capture(folder.string(), config, to, table, 0.75f,
                  Texture(picture, {.filter = Filter::linear, .address = Address::border}), out);
    CHECK(out.array().get() == to.get());
    CHECK(to.get()[7] > 0);
}

/// Its generated kernel goes into GEMEL_CAPTURE's folder.
const Child captures("captures", [] {
    const Context context = default_context();
    const Kernel walk = context.compile(source, options).kernel("walk");
    const Buffer to = context.allocate(400), from = context.allocate(400);
    to.fill(0);
    from.fill(0);
    for (int k = 0; k < 3; ++k) walk({.grid = {2}, .block = {64}, .shared_bytes = 256}, to, from, Step{1, 1}, 100);
    const auto x = to_gpu(context, std::vector<float>{1, 2, 3});
    return (x + x).eval().get() == std::vector<float>{2, 4, 6} ? 0 : 1;
});

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a captured call is repeated with the same results") {
    const ScratchFolder scratch;
    const fs::path folder = scratch.path() / "deep" / "call";
    capture_walk(folder);
    for (const char* name : {"call.txt", "main.cpp", "0_to.npy", "0_to.after.npy", "1_from.npy", "3_n.npy"})
        CHECK_MESSAGE(fs::exists(folder / name), name);
    CHECK(!fs::exists(folder / "1_from.after.npy"));  // const: the kernel only reads it
    const Replay again = replay(default_context(), folder);
    CHECK(again.kernel == "walk");
    CHECK(again.milliseconds >= 0);
    REQUIRE(again.outputs.size() == 1);
    CHECK(again.outputs[0].name == "to");
    CHECK(again.outputs[0].bytes == 400);
    CHECK(again.is_same());
    CHECK_THROWS_MENTIONING(ArgumentError, capture_walk(folder), "capture", folder.string(), "there already");
}

TEST_CASE("textures and images are captured with their samplers and layouts") {
    const ScratchFolder scratch;
    const fs::path folder = scratch.path() / "call";
    capture_blend(folder);
    const Replay again = replay(default_context(), folder);
    CHECK(again.is_same());
    CHECK(text_of(folder / "main.cpp").find("gemel::Address::mirror") != std::string::npos);
    if (!default_device().info().has_images) return;
    REQUIRE(again.outputs.size() == 2);
    CHECK(again.outputs[1].name == "out");
    CHECK(again.outputs[1].bytes == 80);
    CHECK(text_of(folder / "3_picture.npy").find("'descr': '|u1'") != std::string::npos);
    CHECK(!fs::exists(folder / "3_picture.after.npy"));
    // What the image holds is compared, too: the second float of what the kernel wrote.
    std::fstream file(folder / "4_out.after.npy", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(folder / "4_out.after.npy")) - 80 + 4);
    file.put('\x7e');
    file.close();
    const Replay differing = replay(default_context(), folder);
    CHECK(differing.outputs.at(0).differing_bytes == 0);
    CHECK(differing.outputs.at(1).first_difference == 4);
}

TEST_CASE("a repetition tells where results differ") {
    const ScratchFolder scratch;
    const fs::path folder = scratch.path() / "call";
    capture_walk(folder);
    // The seventh float of what the kernel gave.
    std::fstream file(folder / "0_to.after.npy", std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::streamoff>(fs::file_size(folder / "0_to.after.npy"));
    file.seekp(size - 400 + 24);
    file.put('\x7e');
    file.close();
    const Replay again = replay(default_context(), folder);
    CHECK(!again.is_same());
    CHECK(again.outputs.at(0).differing_bytes == 1);
    CHECK(again.outputs.at(0).first_difference == 24);
    fs::remove(folder / "call.txt");
    CHECK_THROWS_MENTIONING(Error, replay(default_context(), folder), "call.txt");
    std::ofstream(folder / "call.txt") << "something else\n";
    CHECK_THROWS_MENTIONING(Error, replay(default_context(), folder), "call.txt", "capture it again");
}

TEST_CASE("arguments lie in files as NumPy reads them") {
    const ScratchFolder scratch;
    const fs::path folder = scratch.path() / "call";
    capture_walk(folder);
    const std::string npy = text_of(folder / "0_to.npy");
    CHECK(npy.substr(0, 6) == "\x93NUMPY");
    CHECK(npy.find("{'descr': '<f4', 'fortran_order': False, 'shape': (100,), }") == 10);
    CHECK((npy.size() - 400) % 64 == 0);
    CHECK(text_of(folder / "2_step.npy").find("'descr': '|u1'") != std::string::npos);
    const std::string program = text_of(folder / "main.cpp");
    for (const char* words :
         {".defines = {{\"STRIDE\", \"2.0f\"}}", ".fp_contract = false", ".shared_bytes = 256", ".overlap = false",
          "value<std::int32_t>(array(\"3_n.npy\"))", "std::array<unsigned char, 8>"})
        CHECK_MESSAGE(program.find(words) != std::string::npos, words);
}

TEST_CASE("the program beside a captured call compiles and repeats it") {
#ifndef GEMEL_TEST_COMPILE
    MESSAGE("not run: how to compile against this build is not known here");
#else
    if (std::system("c++ --version > /dev/null 2>&1") != 0) {
        MESSAGE("not run: there is no c++ on this machine");
        return;
    }
    const ScratchFolder scratch;
    const auto check = [&](const char* name, auto&& capture, const std::string& said) {
        const fs::path folder = scratch.path() / name;
        capture(folder);
        const std::string program = (folder / "repeat").string();
        const std::string command = std::string(GEMEL_TEST_COMPILE) + " " + (folder / "main.cpp").string() + " " +
                                    GEMEL_TEST_LINK + " -o " + program;
        REQUIRE(std::system(command.c_str()) == 0);
        CHECK(std::system((program + " > " + (folder / "said").string()).c_str()) == 0);
        CHECK(text_of(folder / "said") == said);
    };
    check("walk", capture_walk, "0_to.after.npy: same\n");
    const bool has_images = default_device().info().has_images;
    check("blend", capture_blend,
          std::string("0_to.after.npy: same\n") + (has_images ? "4_out.after.npy: same\n" : ""));
#endif
}

TEST_CASE("native text and loaded binaries are captured with their program") {
    const ScratchFolder scratch;
    const Context context = default_context();
    const NativeSource text{.cuda = "extern \"C\" __global__ void mark(int *a, int b) { a[threadIdx.x] = b; }",
                            .opencl = "__kernel void mark(__global int *a, int b) { a[get_local_id(0)] = b; }"};
    const Module native = context.compile(text), loaded = context.load_binary(native.binary());
    int number = 0;
    for (const Module& module : {native, loaded}) {
        const fs::path folder = scratch.path() / std::to_string(number++);
        const Buffer a = context.allocate(16);
        a.fill(0);
        module.kernel("mark").capture(folder.string(), {.grid = {1}, .block = {4}}, a, 7);
        CHECK(replay(context, folder).is_same());
    }
    CHECK(fs::exists(scratch.path() / "1" / "program.bin"));
}

TEST_CASE("an environment variable captures the first call of every kernel") {
    const ScratchFolder scratch;
    const auto child = run_child("captures", {{"GEMEL_CAPTURE", scratch.path().string()}});
    CHECK_MESSAGE(child.exit_code == 0, child.output);
    CHECK(fs::exists(scratch.path() / "walk-1" / "call.txt"));
    CHECK(!fs::exists(scratch.path() / "walk-2"));
    int calls = 0;
    for (const auto& folder : fs::directory_iterator(scratch.path())) {
        ++calls;
        CHECK_MESSAGE(replay(default_context(), folder.path()).is_same(), folder.path().string());
    }
    CHECK(calls >= 2);  // the generated kernel too
}

TEST_SUITE_END();
