/// Build requests and results: a part of the plug-in interface; plugin.hpp has its rules.
#pragma once

#include <gemel/core/export.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/source.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::plugin {

class Module;

/// Text ready to compile.
struct BuildRequest {
    std::string_view text;             ///< whole program
    std::string_view name;             ///< the program's name in messages
    std::vector<std::string> options;  ///< from compiler_options(), plus the user's options
    JitOptions jit = {};               ///< for the assembler at load time; compiler_options() contains them, too
    /// The signatures of its kernels, as far as the parser could read them.
    std::span<const KernelSignature> signatures = {};
};

struct BuildResult {
    std::unique_ptr<Module> module;
    std::string log;  ///< warnings of a successful build
};

/// Thrown by build() and link() when the compiler refuses; core turns it into a CompileError with numbered lines.
class GEMEL_API BuildFailure : public std::exception {
   public:
    explicit BuildFailure(std::string log, std::optional<std::size_t> unit = {});
    ~BuildFailure() override;
    const char* what() const noexcept override { return log.c_str(); }
    std::string log;
    std::optional<std::size_t> unit;  ///< of link(): the unit that does not compile; empty if linking failed
};

}  // namespace gemel::plugin
