/// `gemel bench`: measures each device; prints a table or JSON.
#include "commands.hpp"
#include "table.hpp"

#include <gemel/core/text.hpp>
#include <gemel/gemel.hpp>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <vector>

namespace gemel::tools {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One result; empty if the device does not support it.
struct Figure {
    const char* key;   ///< in JSON, with its unit
    const char* name;  ///< for people
    const char* unit;
    std::function<std::optional<double>()> measure;
};

/// The best time of several calls, in seconds; each call must wait for its work.
double best_of(double seconds, const std::function<void()>& call) {
    call();  // compiles, allocates, pages in
    double best = 1e30;
    const auto start = Clock::now();
    do {
        const auto turn = Clock::now();
        call();
        best = std::min(best, seconds_since(turn));
    } while (seconds_since(start) < seconds);
    return best;
}

const char* const arithmetic_text = R"(
KERNEL void chains(GLOBAL_MEM REAL *out, REAL a, REAL b)
{
    REAL x0 = (REAL)LID_0, x1 = x0 + a, x2 = x1 + a, x3 = x2 + a, x4 = x3 + a, x5 = x4 + a, x6 = x5 + a, x7 = x6 + a;
    for (int i = 0; i < 512; ++i) {
        x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
        x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
    }
    out[GLOBAL_ID_0] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
})";
constexpr double chain_operations = 512.0 * 8 * 2;

// Half numbers are processed in pairs, as devices do.
const char* const half_cuda = R"(
#include <cuda_fp16.h>
extern "C" __global__ void chains(__half2 *out, float a, float b)
{
    const __half2 s = __float2half2_rn(a), t = __float2half2_rn(b);
    __half2 x[8];
    for (int k = 0; k < 8; ++k) x[k] = __float2half2_rn((float)threadIdx.x + k);
    for (int i = 0; i < 512; ++i)
        for (int k = 0; k < 8; ++k) x[k] = __hfma2(x[k], s, t);
    __half2 sum = x[0];
    for (int k = 1; k < 8; ++k) sum = __hadd2(sum, x[k]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
})";
const char* const half_opencl = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void chains(__global half2 *out, float a, float b)
{
    const half2 s = (half2)((half)a), t = (half2)((half)b);
    half2 x[8];
    for (int k = 0; k < 8; ++k) x[k] = (half2)((half)(get_local_id(0) + k));
    for (int i = 0; i < 512; ++i)
        for (int k = 0; k < 8; ++k) x[k] = fma(x[k], s, t);
    half2 sum = x[0];
    for (int k = 1; k < 8; ++k) sum += x[k];
    out[get_global_id(0)] = sum;
})";

/// Measures one device.
class Bench {
   public:
    Bench(const Device& device, double seconds)
        : context_(device),
          seconds_(seconds),
          is_cpu_(device.info().type == DeviceInfo::Type::cpu),
          bytes_(std::min<std::size_t>(is_cpu_ ? 64 << 20 : 256 << 20, device.info().global_memory_bytes / 16)) {}

    std::vector<Figure> figures() {
        return {{"launch_us", "launch, one after another", "us", [this] { return launch(1000) * 1e6 / 1000; }},
                {"round_trip_us", "launch and wait", "us", [this] { return launch(1) * 1e6; }},
                {"upload_gb_s", "host to device, page-locked", "GB/s", [this] { return copy(true); }},
                {"download_gb_s", "device to host, page-locked", "GB/s", [this] { return copy(false); }},
                {"bandwidth_gb_s", "device memory, read and written", "GB/s", [this] { return bandwidth(); }},
                {"float_gflops", "float, fused", "GFLOP/s", [this] { return arithmetic<float>("float"); }},
                {"double_gflops", "double, fused", "GFLOP/s", [this] { return in_double(); }},
                {"half_gflops", "half, fused, in pairs", "GFLOP/s", [this] { return in_half(); }},
                {"compile_ms", "compiler, a small kernel", "ms", [this] { return compile() * 1e3; }}};
    }

   private:
    double launch(int count) {
        const Kernel kernel =
            context_.compile("KERNEL void nothing(GLOBAL_MEM int *a) { if (LDIM_0 < 0) a[0] = 1; }").kernel("nothing");
        const Buffer a = context_.allocate(4);
        return best_of(seconds_, [&] {
            for (int k = 0; k < count; ++k) kernel({.grid = {1}, .block = {32}}, a);
            context_.synchronize();
        });
    }

    std::optional<double> copy(bool is_upload) {
        const std::size_t count = bytes_ / sizeof(float);
        HostBuffer<float> host(context_, count);
        std::fill(host.begin(), host.end(), 1.0f);
        const Buffer device = context_.allocate(bytes_);
        const double seconds = best_of(seconds_, [&] {
            if (is_upload)
                device.upload(host);
            else
                device.download(host);
            context_.synchronize();
        });
        return static_cast<double>(count * sizeof(float)) / seconds * 1e-9;
    }

    std::optional<double> bandwidth() {
        const Shape shape(static_cast<std::int64_t>(bytes_ / sizeof(float)));
        const GPUArray<float> x(context_, shape), y(context_, shape);
        x.fill(1);
        const double seconds = best_of(seconds_, [&] {
            for (int k = 0; k < 4; ++k) y.assign(x * 2.0f);
            context_.synchronize();
        });
        return 4 * 2 * static_cast<double>(x.size_bytes()) / seconds * 1e-9;
    }

    /// Enough threads to fill the device several times.
    std::int64_t blocks() const { return std::int64_t{context_.device().info().compute_units} * (is_cpu_ ? 8 : 64); }

    template <class Real>
    double time_chains(const Kernel& kernel, std::size_t element_bytes, double operations_per_thread) {
        const int block = is_cpu_ ? 64 : 256;
        const Buffer out = context_.allocate(static_cast<std::size_t>(blocks() * block) * element_bytes);
        const double seconds = best_of(seconds_, [&] {
            kernel({.grid = {blocks()}, .block = {block}}, out, static_cast<Real>(0.5), static_cast<Real>(0.25));
            context_.synchronize();
        });
        return operations_per_thread * static_cast<double>(blocks() * block) / seconds * 1e-9;
    }

    template <class Real>
    std::optional<double> arithmetic(const char* real) {
        const Kernel kernel = context_.compile(arithmetic_text, {.defines = {{"REAL", real}}}).kernel("chains");
        return time_chains<Real>(kernel, sizeof(Real), chain_operations);
    }

    std::optional<double> in_double() {
        return context_.device().info().has_double ? arithmetic<double>("double") : std::nullopt;
    }

    std::optional<double> in_half() {
        if (!context_.device().info().has_half_arithmetic) return std::nullopt;
        try {
            const Kernel kernel =
                context_.compile(NativeSource{.cuda = half_cuda, .opencl = half_opencl}).kernel("chains");
            return time_chains<float>(kernel, 4, 2 * chain_operations);
        } catch (const CompileError&) {  // a toolkit without cuda_fp16.h
            return std::nullopt;
        }
    }

    /// Texts that are in no cache, not even in the drivers' own.
    double compile() {
        const auto now = std::chrono::system_clock::now().time_since_epoch().count();
        int turn = 0;
        return best_of(seconds_, [&] {
            const std::string name = text("fresh_", now, "_", turn++);
            (void)context_
                .compile(
                    text("KERNEL void ", name,
                         "(GLOBAL_MEM float *a, float b) { a[GLOBAL_ID_0] = a[GLOBAL_ID_0] * b + ", turn, ".0f; }"),
                    {.use_cache = false})
                .kernel(name);
        });
    }

    Context context_;
    double seconds_;
    bool is_cpu_;
    std::size_t bytes_;
};

/// Shows the current measurement, if the output is a terminal.
void show_progress(const std::string& what) {
    static const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
    if (is_terminal) std::fprintf(stderr, "\r\033[K%s", what.c_str()), std::fflush(stderr);
}

}  // namespace

int bench(bool as_json, double seconds) {
    const std::vector<Device> all = devices();
    Json report = Json::array();
    Table table(0);
    for (const Device& device : all) {
        Bench measured(device, seconds);
        Json figures = Json::object();
        table.row({text(device.id(), "  ", device.name())});
        for (const Figure& figure : measured.figures()) {
            show_progress(text(device.id(), ": ", figure.name, " ..."));
            const std::optional<double> value = figure.measure();
            figures[figure.key] = value ? Json(*value) : Json();
            char shown[32] = "-";
            if (value) std::snprintf(shown, sizeof shown, "%.4g", *value);
            table.row({text("  ", figure.name), shown, value ? figure.unit : ""});
        }
        report.push_back({{"id", device.id()},
                          {"name", device.name()},
                          {"platform", device.info().platform},
                          {"driver", device.info().driver_version},
                          {"figures", figures}});
    }
    show_progress("");
    std::fputs(
        as_json ? (Json{{"gemel", GEMEL_VERSION}, {"devices", report}}.dump(2) + "\n").c_str() : table.text().c_str(),
        stdout);
    if (all.empty() && !as_json) std::puts("no device; `gemel info` says why");
    return 0;
}

}  // namespace gemel::tools
