/// What compiling costs: cold, from the disk cache in a new process, and when already loaded, beside the compiler
/// alone.
///
/// The program runs itself anew for every disk hit, because a process finds a text only once on disk.
#include "harness.hpp"
#include "raw.hpp"

#include <gemel/core/text.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

/// Texts that differ in one constant: no cache of any driver knows them.
std::string unique_text(int k) {
    static const auto salt = static_cast<unsigned>(::getpid());
    return gemel::text(
        "KERNEL void scale(GLOBAL_MEM float *to, GLOBAL_MEM const float *from, int count)\n{\n"
        "    int i = GLOBAL_ID_0;\n    if (i < count) to[i] = from[i] * ",
        salt, ".0f + ", k, ".0f;\n}\n");
}

double microseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// In a new process: the first compile of a text that the disk cache holds, and the raw load of its binary.
int warm_child(const std::string& text_file, const std::string& binary_file) {
    std::ifstream in(text_file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::ifstream bytes(binary_file, std::ios::binary);
    const std::string binary{std::istreambuf_iterator<char>(bytes), {}};
    gemel::Context context = gemel::default_context();
    const auto raw = bench::make_raw(context);
    raw->set_binary({reinterpret_cast<const std::byte*>(binary.data()),
                     reinterpret_cast<const std::byte*>(binary.data()) + binary.size()});
    raw->load("scale");  // what a driver does once per process is not the cache's cost
    const auto before = context.statistics();
    auto start = std::chrono::steady_clock::now();
    gemel::Kernel kernel = context.compile(text).kernel("scale");
    const double ours = microseconds_since(start);
    start = std::chrono::steady_clock::now();
    raw->load("scale");
    const double theirs = microseconds_since(start);
    const auto after = context.statistics();
    if (after.disk_hits - before.disk_hits != 1 || after.compilations != before.compilations) {
        std::fprintf(stderr, "the disk cache did not serve the text\n");
        return 1;
    }
    std::printf("%f %f\n", ours, theirs);
    return 0;
}

/// Runs this program as warm_child and reads its two figures.
std::array<double, 2> run_child(const std::string& text_file, const std::string& binary_file) {
    std::array<double, 2> figures{};
    const std::string command = gemel::text("'", std::filesystem::read_symlink("/proc/self/exe").string(), "' '",
                                            text_file, "' '", binary_file, "'");
    FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe || std::fscanf(pipe, "%lf %lf", &figures[0], &figures[1]) != 2 || ::pclose(pipe) != 0)
        throw gemel::Error("the new process failed: " + command);
    return figures;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc == 3) return warm_child(argv[1], argv[2]);
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / gemel::text("gemel-bench-", ::getpid());
    fs::create_directories(folder);
    ::setenv("GEMEL_CACHE_DIR", (folder / "cache").c_str(), 1);
    ::setenv("CUDA_CACHE_DISABLE", "1", 0);
    gemel::Context context = gemel::default_context();
    const auto raw = bench::make_raw(context);
    const gemel::Device device = context.device();
    const auto whole = [&](const std::string& text) { return gemel::prelude(context.dialect(), text) + text; };

    // Cold: the whole path with key, disk entry and signature against the compiler alone, on the same text.
    int k = 0;
    const auto cold = bench::medians({[&] { (void)context.compile(unique_text(k++)).kernel("scale"); },
                                      [&] { raw->compile(whole(unique_text(k++)), "scale"); }},
                                     15, 3);
    bench::report(device, "compile, cold", cold[0], cold[1], 1.2);
    // And what the portable words cost the compiler: the same kernel without them.
    const std::string native =
        device.backend() == "cuda"
            ? "extern \"C\" __global__ void scale(float *to, const float *from, int count) { int i = "
              "blockIdx.x * blockDim.x + threadIdx.x; if (i < count) to[i] = from[i] * "
            : "__kernel void scale(__global float *to, __global const float *from, int count) { int i = "
              "get_global_id(0); if (i < count) to[i] = from[i] * ";
    const auto words = bench::medians({[&] { raw->compile(whole(unique_text(k++)), "scale"); },
                                       [&] { raw->compile(gemel::text(native, k++, ".0f; }"), "scale"); }},
                                      15, 2);
    bench::report(device, "the portable words in the compiler alone", words[0], words[1], 0);

    // From disk, each in a new process.
    std::vector<double> ours, theirs, beyond;
    for (int round = 0; round < 9; ++round) {
        const std::string text = unique_text(k++);
        (void)context.compile(text);
        raw->compile(whole(text), "scale");
        const auto binary = raw->binary();
        std::ofstream(folder / "text") << text;
        std::ofstream(folder / "binary", std::ios::binary)
            .write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
        const auto figures = run_child((folder / "text").string(), (folder / "binary").string());
        ours.push_back(figures[0]);
        theirs.push_back(figures[1]);
        beyond.push_back(figures[0] - figures[1]);
    }
    bench::report(device, "compile, from disk in a new process", median(ours), median(theirs), 2000, "us beyond raw");

    // In memory.
    const std::string text = unique_text(k++);
    (void)context.compile(text);
    raw->compile(whole(text), "scale");
    const auto memory = bench::medians({[&] { (void)context.compile(text); }, [&] { raw->load("scale"); }}, 50);
    bench::report(device, "compile, in memory (raw: module load)", memory[0], memory[1], 0);
    fs::remove_all(folder);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
