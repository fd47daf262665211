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
