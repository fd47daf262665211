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

/// A program on a device: a cheap handle that shares ownership. Kernels keep their module alive.
class GEMEL_API Module {
   public:
    /// @throws Error that lists the kernels there are, if this one is not among them
    Kernel kernel(const std::string& name) const;
    std::vector<std::string> kernel_names() const;
    /// What is known of the kernels' parameters.
    const std::vector<KernelSignature>& signatures() const;

    /// The program in the driver's form with its signatures, for `Context::load_binary` on the same kind of device: one
    /// process can build for all.
    std::vector<std::byte> binary() const;

    /// A writable variable at file scope, by name. CUDA only: elsewhere it throws an Error that points to constant
    /// buffers.
    Buffer global(const std::string& name) const;

    /// Compiles a file; its folder is searched for what it includes.
    /// @throws Error if it cannot be read
    static Module from_file(const Context& context, const std::filesystem::path& path, CompileOptions options = {});
    /// If the file of from_file(), or one that it includes, has changed, compiles it anew. Returns whether it did. A
    /// file whose includes cannot be followed (#include MACRO, __TIME__, ...) is compiled anew each time.
    /// If the new text does not compile, throws and keeps the old program. Kernels fetched before keep the old program.
    bool reload();

    /// What the compiler said although it succeeded, also of a program that came from a cache; empty if nothing.
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
