/// What can be compiled: portable text, native text per dialect, and the options that go with either.
#pragma once

#include <gemel/core/export.hpp>

#include <concepts>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemel {

struct Dialect;

/// Text that is compiled as it stands: the whole of CUDA C++ or OpenCL C, no prelude.
/// A context whose dialect was not given refuses it and says so.
struct NativeSource {
    std::string cuda = {};
    std::string opencl = {};
    std::map<std::string, std::string> other = {};  ///< by dialect name, for out-of-tree plug-ins

    /// The text for a dialect. @throws ArgumentError naming the dialects that were given
    GEMEL_API const std::string& text(const Dialect& dialect) const;
};

/// What the assembler in a driver or compiler does when it makes machine code: NVIDIA's ptxas, for CUDA and for
/// NVIDIA's OpenCL. Hints: a device without such a choice goes on without, and no result depends on them.
struct JitOptions {
    /// Of each thread; fewer let more blocks run at once, and what does not fit is spilled to memory. 0: as many as
    /// needed.
    int max_registers = 0;
    /// 0 to 4; -1 leaves it to the assembler (3). OpenCL elsewhere knows 0 alone.
    int optimization_level = -1;
    /// Debug information for cuda-gdb.
    bool debug = false;
    /// Lines of the source for profilers.
    bool line_info = false;
    /// Registers, spills and shared memory of each kernel, in Module::build_log().
    bool verbose = false;
    /// Which caches ordinary loads from device memory use. CUDA only.
    enum class LoadCaching : unsigned char { driver, l2, l1_and_l2 };
    LoadCaching load_caching = LoadCaching::driver;

    friend bool operator==(const JitOptions&, const JitOptions&) = default;
};

/// How text is compiled. All members have defaults; name only what differs.
struct CompileOptions {
    /// Macros: {"N", "16"} is `#define N 16`.
    std::vector<std::pair<std::string, std::string>> defines = {};
    /// Folders searched for #include, in order. Names with spaces are fine.
    std::vector<std::filesystem::path> include_directories = {};
    /// May a*b + c become one fused operation? `false` also asks for correctly rounded division and square root, so
    /// that every device gives the same bits where the arithmetic is exact IEEE.
    bool fp_contract = true;
    /// Trades accuracy for speed: approximate functions, no denormals, no NaN or infinity.
    bool fast_math = false;
    /// CUDA only: "sm_90", "compute_80"; empty means the device. What it cannot run is for compile_offline() alone.
    std::string architecture = {};
    /// Device debug information and no optimisation (GEMEL_DEBUG=1 sets it for all).
    bool debug = false;
    /// How machine code is made of what the compiler gives.
    JitOptions jit = {};
    /// Further options, handed to the compiler as they are.
    std::vector<std::string> extra = {};
    /// `false` compiles anew and stores nothing: no program in memory, on disk or in a bundle is taken. Drivers' own
    /// caches are not concerned.
    bool use_cache = true;
    /// What the text is called in messages; Module::from_file sets it.
    std::string name = "kernel";
};

/// Anything that can print itself in a dialect: codegen's functions, a user's own generator.
template <class S>
concept SourceProvider = requires(const S& s, const Dialect& dialect) {
    { s.source(dialect) } -> std::convertible_to<std::string>;
};

}  // namespace gemel
