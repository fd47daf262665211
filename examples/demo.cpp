/// What gemel is, in one program: the devices, one kernel as text, what each compiler gets, and the result everywhere.
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view program = R"(
KERNEL void mandelbrot(GLOBAL_MEM int32_t *steps,
        int32_t width, int32_t height, int32_t limit)
{
    int32_t x = (int32_t) GLOBAL_ID_0;
    int32_t y = (int32_t) GLOBAL_ID_1;
    if (x >= width || y >= height) return;
    float a = 3.0f * x / width - 2.2f;
    float b = 2.4f * y / height - 1.2f;
    float u = 0, v = 0;
    int32_t n = 0;
    while (n < limit && u * u + v * v < 4) {
        float w = u * u - v * v + a;
        v = 2 * u * v + b;
        u = w;
        ++n;
    }
    steps[y * width + x] = n;
}
)";

constexpr std::int32_t width = 1536, height = 1024, limit = 256;

std::vector<std::string> lines_of(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

bool has_word(std::string_view text, std::string_view word) {
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
    }
    return false;
}

/// The name that a line of the prelude defines, or nothing.
std::string defined_name(const std::string& line) {
    std::istringstream words(line);
    std::string directive, name;
    words >> directive >> name;
    return directive == "#define" ? name.substr(0, name.find('(')) : std::string();
}

/// A line cut into pieces that fit, the later ones indented.
std::vector<std::string> wrapped(std::string line, std::size_t columns) {
    std::vector<std::string> pieces;
    while (line.size() > columns) {
        std::size_t cut = line.rfind(' ', columns);
        if (cut == line.npos || cut < columns / 2) cut = columns;
        pieces.push_back(line.substr(0, cut));
        line = "       " + line.substr(cut);
    }
    pieces.push_back(line);
    return pieces;
}

void print_row(const std::string& left, const std::string& right) {
    constexpr std::size_t columns = 62;
    const std::vector<std::string> a = wrapped(left, columns), b = wrapped(right, columns);
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
        std::printf("  %-*s | %s\n", static_cast<int>(columns), i < a.size() ? a[i].c_str() : "",
                    i < b.size() ? b[i].c_str() : "");
}

/// What either compiler gets: of the prelude the lines that define a word of the program, then the program.
void print_side_by_side() {
    const std::vector<std::string> cuda = lines_of(gemel::prelude(gemel::Dialect::cuda(), program));
    const std::vector<std::string> opencl = lines_of(gemel::prelude(gemel::Dialect::opencl(), program));
    print_row("CUDA", "OpenCL");
    for (const std::string& left : cuda) {
        const std::string name = defined_name(left);
        if (name.empty() || !has_word(program, name)) continue;
        const auto right = std::find_if(opencl.begin(), opencl.end(),
                                        [&](const std::string& line) { return defined_name(line) == name; });
        print_row(left, right == opencl.end() ? "" : *right);
    }
    for (const std::string& line : lines_of(program)) print_row(line, line);
}

void print_picture(const std::vector<std::int32_t>& steps) {
    constexpr std::string_view shades = " .:-=+*#%@";
    constexpr int rows = 24, columns = 72;
    for (int row = 0; row < rows; ++row) {
        std::string line = "  ";
        for (int column = 0; column < columns; ++column) {
            const std::int32_t n =
                steps[static_cast<std::size_t>((row * height / rows) * width + column * width / columns)];
            line += n == limit ? shades.back()
                               : shades[std::min<std::size_t>(static_cast<std::size_t>(n) / 3, shades.size() - 2)];
        }
        std::puts(line.c_str());
    }
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
    std::puts("Backends");
    for (const gemel::BackendStatus& status : gemel::backends())
        std::printf("  %-8s %s\n", status.name.c_str(), status.available ? "available" : status.reason.c_str());

    std::puts("\nDevices");
    const std::vector<gemel::Device> devices = gemel::devices();
    for (const gemel::Device& device : devices)
        std::printf("  %-10s %s (%s, %s)\n", device.id().c_str(), device.name().c_str(), device.info().platform.c_str(),
                    device.info().api_version.c_str());

    std::puts(
        "\nOne kernel as text, and what either compiler gets (of the prelude, the words that this kernel uses)\n");
    print_side_by_side();

    if (devices.empty()) {
        std::puts("\nThere is no device to run it on; `gemel info` says why.");
        return 1;
    }

    std::printf("\n%d x %d points on every device\n", width, height);
    std::vector<std::int32_t> first, steps(static_cast<std::size_t>(width) * height);
    bool equal = true;
    for (const gemel::Device& device : devices) {
        gemel::Context context(device);
        gemel::Buffer on_device = context.allocate(steps.size() * sizeof(std::int32_t));

        const auto start = std::chrono::steady_clock::now();
        // No fused multiply-add: so every device gives the same bits.
        const gemel::Kernel kernel = context.compile(program, {.fp_contract = false}).kernel("mandelbrot");
        kernel({.block = {16, 16}, .threads = {width, height}}, on_device, width, height, limit);
        context.synchronize();
        const double first_result = milliseconds_since(start);

        const double again =
            kernel.time({.block = {16, 16}, .threads = {width, height}}, on_device, width, height, limit);
        on_device.download(steps);
        if (first.empty()) first = steps;
        equal = equal && steps == first;
        std::printf("  %-10s %lld steps, compiled and run in %.1f ms, run again in %.3f ms%s\n", device.id().c_str(),
                    static_cast<long long>(std::accumulate(steps.begin(), steps.end(), std::int64_t{0})), first_result,
                    again, steps == first ? "" : "  DIFFERS from the first device");
    }
    std::puts("");
    print_picture(first);
    std::puts(equal ? "\nok" : "\nthe devices disagree");
    return equal ? 0 : 1;
}
