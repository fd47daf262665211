/// From text to a program: a part of the plug-in boundary, whose rules stand in plugin.hpp.
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
    std::string_view name;             ///< what messages call it
    std::vector<std::string> options;  ///< from compiler_options(), with what the user added
    JitOptions jit = {};               ///< for what is assembled when it is loaded; compiler_options() has them, too
    /// Of its kernels, as far as their text could be read.
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
    std::optional<std::size_t> unit;  ///< of link(): the unit that does not compile; nothing if the linker refuses
};

}  // namespace gemel::plugin
