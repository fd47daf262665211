/// Compiled programs.
#pragma once

#include <gemel/core/context.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/kernel.hpp>
#include <gemel/core/signature.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gemel {

struct ModuleState;

/// A compiled program on a device: a cheap handle that shares ownership. Kernels keep their module alive.
class GEMEL_API Module {
   public:
    /// @throws Error, listing the module's kernels, if there is none of that name
    Kernel kernel(const std::string& name) const;
    std::vector<std::string> kernel_names() const;
    /// The known kernel signatures.
    const std::vector<KernelSignature>& signatures() const;

    /// The program in the driver's binary form with its signatures, for `Context::load_binary` on the same kind of
    /// device, also in other processes.
    std::vector<std::byte> binary() const;

    /// A writable variable at file scope, by name. CUDA only. @throws Error elsewhere; use a ConstantBuffer there
    Buffer global(const std::string& name) const;

    /// Compiles a file; #include searches its folder, too.
    /// @throws Error if it cannot be read
    static Module from_file(const Context& context, const std::filesystem::path& path, CompileOptions options = {});
    /// Compiles the file of from_file() again if it or a file that it includes has changed. A file whose includes
    /// cannot be followed (#include MACRO, __TIME__, ...) is compiled every time. Kernels fetched before keep the old
    /// program.
    /// @returns whether it compiled. @throws CompileError if the new text does not compile; the old program remains
    bool reload();

    /// The compiler's warnings, also for a program from a cache; empty if there were none.
    const std::string& build_log() const;
    Context context() const { return context_; }
    std::uint64_t native_handle() const;

    Module(Context context, std::shared_ptr<ModuleState> state)
        : context_(std::move(context)), state_(std::move(state)) {}
    const std::shared_ptr<ModuleState>& state() const { return state_; }

   private:
    Context context_;
    std::shared_ptr<ModuleState> state_;
    struct File;
    std::shared_ptr<const File> file_;
};

template <SourceProvider S>
Module Context::compile(const S& source, const CompileOptions& options) const {
    return compile_generated(source.source(dialect()), options);
}

}  // namespace gemel
