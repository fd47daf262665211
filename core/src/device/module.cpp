/// Programs: kernels, binaries, globals, and programs that reload a changed file.
#include <gemel/core/module.hpp>

#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "base/text_file.hpp"
#include "compile/program_binary.hpp"
#include "compile/program_files.hpp"
#include "device/state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

namespace gemel {
namespace {

/// Refuses invalid names before the driver sees them.
void check_kernel_name(const std::string& name) {
    if (name.empty()) throw ArgumentError("Module::kernel: expected the name of a kernel, got an empty text");
    if (name.find('\0') != std::string::npos)
        throw ArgumentError(text("Module::kernel: the name '", line_name(name), "' contains a zero byte"));
}

/// The names of the kernels as in the text.
std::vector<std::string> names_in(const plugin::Module& module) {
    std::vector<std::string> names = module.kernel_names();
    for (std::string& name : names)
        if (name.starts_with(detail::renamed_kernel)) name.erase(0, std::string_view(detail::renamed_kernel).size());
    return names;
}

/// Finds the parameters that the library supplies.
void hide_parameters(KernelState& kernel, const std::shared_ptr<DriverContext>& driver) {
    const auto& parameters = kernel.signature->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto at = static_cast<int>(i);
        if (parameters[i].space == Parameter::Space::arena) kernel.arena = at;
        if (parameters[i].space == Parameter::Space::barrier) kernel.barrier = at;
        if (parameters[i].space == Parameter::Space::offset) kernel.offset = at;
    }
    if (kernel.barrier < 0) return;
    constexpr std::size_t bytes = 2 * sizeof(std::uint32_t);  // blocks that wait, turns
    auto block = share(new Block);
    block->size_bytes = bytes;
    block->driver = driver;
    block->allocation = allocate_device(*driver, bytes, plugin::MemoryKind::device);
    block->allocation->uses.touch(driver->default_stream, true);
    const std::uint32_t zeros[2] = {0, 0};
    driver->default_stream->stream->upload({&block->allocation->memory, 0}, zeros, bytes, true);
    kernel.barrier_memory = std::move(block);
}

std::shared_ptr<KernelState> make_kernel(const std::shared_ptr<ModuleState>& module, const std::string& name) {
    auto& driver = *module->driver;
    return driver.call([&](plugin::Context&) {
        auto kernel = share(new KernelState);
        kernel->kernel = module->module->kernel(name);
        if (!kernel->kernel) kernel->kernel = module->module->kernel(detail::renamed_kernel + name);
        if (!kernel->kernel) {
            std::vector<std::string> names = names_in(*module->module);
            for (const auto& signature : module->signatures)
                if (std::find(names.begin(), names.end(), signature.name) == names.end())
                    names.push_back(signature.name);
            // PoCL renames its own functions by macros, and thereby kernels with the same names.
            const bool is_builtin = std::find(names.begin(), names.end(), "_cl_" + name) != names.end();
            throw Error(text("Module::kernel: there is no kernel '", name, "' in this program; ",
                             names.empty() ? "it has none (on CUDA a kernel needs extern \"C\" to keep its name)"
                                           : "it has " + join(names),
                             is_builtin ? "; OpenCL C has a function of that name, so the kernel needs another" : ""));
        }
        kernel->module = module;
        kernel->driver = &driver;
        kernel->name = name;
        kernel->interned_name = intern(name);
        kernel->finishes_at_first_launch = module->module->finishes_at_first_launch();
        const auto& facts = kernel->kernel->facts();
        kernel->required_block = facts.required_block;
        kernel->static_shared_bytes = facts.shared_bytes.value_or(0);
        for (const auto& signature : module->signatures) {
            if (signature.name != name) continue;
            if (facts.parameter_count && *facts.parameter_count != signature.parameters.size()) {
                logging::write(logging::Level::debug, "signature",
                               text("kernel '", name, "' reads as having ", signature.parameters.size(),
                                    " parameters, but the driver counts ", *facts.parameter_count));
                break;
            }
            kernel->signature = signature;
            // CUDA's compiler does not report it. A launch that only one backend refuses would not be portable.
            if (!kernel->required_block) kernel->required_block = signature.required_block;
            kernel->argument_count = signature.argument_count();
            kernel->uses_images = signature.uses_images();
            hide_parameters(*kernel, module->driver);
        }
        return kernel;
    });
}

}  // namespace

std::shared_ptr<ModuleState> load_program(const std::shared_ptr<ContextState>& context,
                                          std::span<const std::byte> binary, const JitOptions& jit) {
    if (binary.empty()) throw ArgumentError("load_binary: expected a program binary, got no bytes");
    check_jit_options("load_binary", jit);
    const auto driver = context->driver();
    return driver->call([&](plugin::Context& plugin) {
        auto module = share(new ModuleState);
        module->driver = driver;
        auto unpacked = unpack_binary(binary);
        plugin::BuildResult loaded = plugin.load_with(unpacked ? unpacked->binary : binary, jit);
        module->module = std::move(loaded.module);
        if (unpacked) {
            module->signatures = std::move(unpacked->signatures);
            module->build_log = std::move(unpacked->log);
        }
        module->build_log += loaded.log;
        return module;
    });
}

Module Context::built_in_kernels(const std::vector<std::string>& names) const {
    const auto known = device().built_in_kernels();
    const auto listed = [&] {
        return known.empty()
                   ? text(device().name(), " has none: only some OpenCL devices have; compile a kernel instead")
                   : text(device().name(), " has ", join(known));
    };
    if (names.empty()) throw ArgumentError(text("built_in_kernels: expected names of kernels, got none; ", listed()));
    for (const std::string& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw Error(text("built_in_kernels: there is no '", line_name(name), "'; ", listed()));
    const auto driver = state_->driver();
    return Module(*this, driver->call([&](plugin::Context& plugin) {
        auto module = share(new ModuleState);
        module->driver = driver;
        module->module = plugin.load_built_in(names);
        return module;
    }));
}

const char* intern(const std::string& name) {
    static auto* const mutex = new std::mutex;
    static auto* const names = new std::set<std::string>;
    std::lock_guard lock(*mutex);
    return names->insert(name).first->c_str();
}

struct Module::File {
    std::filesystem::path path;
    CompileOptions options;
    std::string text;
    std::string contents;  ///< of the file and all files that it includes
    bool known = true;     ///< the program depends on nothing but the contents
};

namespace {

/// Reads a file and all files that it includes.
template <class File>
void read(File& file, const std::shared_ptr<ContextState>& context) {
    auto content = read_text_file(file.path);
    if (!content) throw Error(text("Module::from_file: cannot read ", file.path.string(), ": ", std::strerror(errno)));
    file.text = std::move(*content);
    check_program("Module::from_file", file.text, file.options);
    const auto driver = context->driver();
    const Includes includes =
        files_of_program(*driver->plugin, file.text, with_environment(file.options), file.path.parent_path());
    file.contents = file.text;
    for (const auto& include : includes.files) file.contents += '\0' + include.path.string() + '\0' + include.text;
    for (const auto& stamp : includes.stamps) file.contents += '\0' + stamp;
    file.known = includes.cacheable;
}

}  // namespace

Kernel Module::kernel(const std::string& name) const {
    check_kernel_name(name);
    std::lock_guard lock(state_->kernels_mutex);
    auto& known = state_->kernels[name];
    if (auto kernel = known.lock()) {
        state_->driver->check();
        return Kernel(std::move(kernel));
    }
    try {
        auto kernel = make_kernel(state_, name);
        known = kernel;
        return Kernel(std::move(kernel));
    } catch (...) {
        state_->kernels.erase(name);
        throw;
    }
}

std::vector<std::string> Module::kernel_names() const {
    return state_->driver->call([&](plugin::Context&) {
        auto names = names_in(*state_->module);
        if (names.empty())
            for (const auto& signature : state_->signatures) names.push_back(signature.name);
        return names;
    });
}

const std::vector<KernelSignature>& Module::signatures() const { return state_->signatures; }

std::vector<std::byte> Module::binary() const {
    return state_->driver->call(
        [&](plugin::Context&) { return pack_binary(state_->signatures, state_->build_log, state_->module->binary()); });
}

Buffer Module::global(const std::string& name) const {
    const auto& driver = state_->driver;
    auto global = driver->call([&](plugin::Context&) { return state_->module->global(name); });
    auto block = share(new Block);
    block->size_bytes = global.memory.bytes;
    block->driver = driver;
    block->owner = context_.state();
    block->keep_alive = state_;
    block->allocation = std::make_unique<Allocation>();
    block->allocation->memory = global.memory;
    block->allocation->memory.foreign = true;
    block->allocation->argument = driver->call(
        [&](plugin::Context& plugin) { return plugin.argument({&block->allocation->memory, 0}, global.memory.bytes); });
    const std::size_t bytes = global.memory.bytes;
    return Buffer(std::move(block), 0, bytes);
}

Module Module::from_file(const Context& context, const std::filesystem::path& path, CompileOptions options) {
    auto file = std::make_shared<File>();
    std::error_code failure;
    file->path = std::filesystem::absolute(path, failure);
    if (failure) throw Error(text("Module::from_file: cannot read '", path.string(), "': ", failure.message()));
    options.name = path.string();
    file->options = std::move(options);
    read(*file, context.state());
    Module module(context, compile_program(context.state(), file->text, true, file->options, file->path.parent_path()));
    module.file_ = std::move(file);
    return module;
}

bool Module::reload() {
    if (!file_) throw Error("Module::reload: this module was not made by Module::from_file, which remembers its file");
    auto file = std::make_shared<File>(*file_);
    read(*file, context_.state());
    if (file->known && file->contents == file_->contents) return false;
    state_ = compile_program(context_.state(), file->text, true, file->options, file->path.parent_path());
    file_ = std::move(file);
    return true;
}

const std::string& Module::build_log() const { return state_->build_log; }

std::uint64_t Module::native_handle() const {
    state_->driver->check();
    return state_->module->native();
}

}  // namespace gemel
