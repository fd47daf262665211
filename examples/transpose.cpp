/// A matrix transposed in four ways: element by element, by a texture, through shared memory, and by the library.
#include <gemel/gemel.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>

// Neighbouring threads read neighbouring elements and write elements that are a row apart, unless shared memory turns
// a tile round between reading and writing. Its lines are one element longer than the tile: threads that read a column
// of it then meet different banks.
constexpr const char* text = R"(
KERNEL void naive(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, int32_t rows, int32_t columns)
{
    const int32_t x = (int32_t)GLOBAL_ID_0, y = (int32_t)GLOBAL_ID_1;
    if (x < columns && y < rows) to[(int64_t)x * rows + y] = from[(int64_t)y * columns + x];
}

KERNEL void by_texture(TEXTURE_2D(source), GLOBAL_MEM float *to, int32_t rows, int32_t columns)
{
    const int32_t x = (int32_t)GLOBAL_ID_0, y = (int32_t)GLOBAL_ID_1;
    if (x < rows && y < columns) to[(int64_t)y * rows + x] = texture_read(source, y + 0.5f, x + 0.5f).x;
}

KERNEL void by_shared_memory(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, int32_t rows, int32_t columns)
{
    LOCAL_MEM float tile[16][17];
    const int32_t x = GID_0 * 16 + LID_0, y = GID_1 * 16 + LID_1;
    if (x < columns && y < rows) tile[LID_1][LID_0] = from[(int64_t)y * columns + x];
    local_barrier();
    const int32_t column = GID_1 * 16 + LID_0, row = GID_0 * 16 + LID_1;
    if (row < columns && column < rows) to[(int64_t)row * rows + column] = tile[LID_0][LID_1];
})";

int main() {
    const gemel::Context context = gemel::default_context();
    const bool is_gpu = context.device().info().type == gemel::DeviceInfo::Type::gpu;
    const std::int32_t rows = is_gpu ? 8000 : 800, columns = is_gpu ? 6000 : 600;
    const gemel::GPUArray<float> from = gemel::arange<float>(rows * columns).reshape({rows, columns});
    gemel::GPUArray<float> to = gemel::empty<float>({columns, rows});
    const gemel::Module module = context.compile(text);
    const gemel::LaunchConfig config{.block = {16, 16}, .threads = {columns, rows}},
        turned{.block = {16, 16}, .threads = {rows, columns}};
    const gemel::Kernel naive = module.kernel("naive"), shared = module.kernel("by_shared_memory"),
                        by_texture = module.kernel("by_texture");

    bool good = true;
    const auto row = [&](const char* name, const std::function<void()>& transpose) {
        to.fill(-1);
        transpose();  // compiles
        good &= gemel::all(to == from.transpose()).item();
        const gemel::Stream stream = context.default_stream();
        constexpr int times = 10;
        const gemel::Event start = stream.record();
        for (int k = 0; k < times; ++k) transpose();
        const double milliseconds = gemel::elapsed_milliseconds(start, stream.record()) / times;
        std::printf("%-20s %9.3f ms %9.1f GB/s\n", name, milliseconds,
                    2 * 4e-6 * rows * columns / milliseconds);  // each element is read once and written once
    };
    std::printf("%d x %d floats\n", rows, columns);
    row("naive", [&] { naive(config, to, from, rows, columns); });
    const gemel::Sampler nearest{.filter = gemel::Filter::nearest};
    if (context.device().info().has_images) {
        const gemel::Image<float> image(from);
        row("by texture", [&] { by_texture(turned, gemel::Texture(image, nearest), to, rows, columns); });
    } else {
        row("by texture, no image", [&] { by_texture(turned, gemel::Texture(from, nearest), to, rows, columns); });
    }
    row("by shared memory", [&] { shared(config, to, from, rows, columns); });
    row("to = from.transpose()", [&] { to.assign(from.transpose()); });
    std::printf("%s: %d x %d floats, transposed in four ways\n", good ? "ok" : "wrong", rows, columns);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
