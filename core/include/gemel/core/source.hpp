/// Source text for compilation: portable text, native text per dialect, and compile options.
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

/// CUDA C++ or OpenCL C that is compiled without the prelude. A context throws ArgumentError if its dialect is missing.
struct NativeSource {
    std::string cuda = {};
    std::string opencl = {};
    std::map<std::string, std::string> other = {};  ///< by dialect name, for out-of-tree plug-ins

    /// The text for a dialect. @throws ArgumentError, listing the given dialects, if there is none
    GEMEL_API const std::string& text(const Dialect& dialect) const;
};

/// Options of the assembler that makes machine code: NVIDIA's ptxas, for CUDA and NVIDIA's OpenCL. They are hints:
/// devices without such an option ignore it, and no result depends on them.
struct JitOptions {
    /// Maximum registers per thread; 0 sets no maximum. Fewer registers allow more resident blocks but may spill to
    /// memory.
    int max_registers = 0;
    /// 0 to 4; -1 uses the assembler's default (3). OpenCL drivers other than NVIDIA's have only 0.
    int optimization_level = -1;
    /// Emits debug information for cuda-gdb.
    bool debug = false;
    /// Emits source lines for profilers.
    bool line_info = false;
    /// Writes registers, spills and shared memory of each kernel to Module::build_log().
    bool verbose = false;
    /// The caches that ordinary loads from device memory use. CUDA only.
    enum class LoadCaching : unsigned char { driver, l2, l1_and_l2 };
    LoadCaching load_caching = LoadCaching::driver;

    friend bool operator==(const JitOptions&, const JitOptions&) = default;
};

/// Compile options. All members have defaults; name only the ones that differ.
struct CompileOptions {
    /// Macros: {"N", "16"} is `#define N 16`.
    std::vector<std::pair<std::string, std::string>> defines = {};
    /// Folders searched for #include, in order. Their names may contain spaces.
    std::vector<std::filesystem::path> include_directories = {};
    /// Allows the compiler to fuse a*b + c. `false` also requests correctly rounded division and square root, so that
    /// all devices with IEEE arithmetic return the same bits.
    bool fp_contract = true;
    /// Trades accuracy for speed: approximate functions, no denormals, no NaN or infinity.
    bool fast_math = false;
    /// CUDA only: "sm_90", "compute_80"; empty means the device's own. Only compile_offline() takes an architecture
    /// that the device cannot run.
    std::string architecture = {};
    /// Device debug information and no optimisation; GEMEL_DEBUG=1 sets it for all programs.
    bool debug = false;
    /// Options of the assembler.
    JitOptions jit = {};
    /// Further options, passed to the compiler unchanged.
    std::vector<std::string> extra = {};
    /// `false` compiles again and stores nothing: it uses no program in memory, on disk or in a bundle. The drivers'
    /// own caches are not affected.
    bool use_cache = true;
    /// The program's name in messages; Module::from_file sets it.
    std::string name = "kernel";
};

/// A type that prints kernel text in a dialect: codegen's functions, a user's own generator.
template <class S>
concept SourceProvider = requires(const S& s, const Dialect& dialect) {
    { s.source(dialect) } -> std::convertible_to<std::string>;
};

}  // namespace gemel
