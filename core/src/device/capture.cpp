/// Writes a call and its arguments to a folder.
#include "device/capture.hpp"

#include <gemel/core/environment.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "compile/program_binary.hpp"
#include "device/recorder.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <set>
#include <system_error>

namespace gemel {
namespace {

namespace fs = std::filesystem;

/// A name in a form for file names.
std::string as_file_name(std::string name) {
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

/// The i-th argument of the caller.
const Parameter* parameter_of(const KernelState& kernel, std::size_t i) {
    if (!kernel.signature) return nullptr;
    for (const Parameter& parameter : kernel.signature->parameters)
        if (parameter.is_supplied() && i-- == 0) return &parameter;
    return nullptr;
}

/// The current contents of device or host memory, or of an image.
std::vector<std::byte> contents(const Argument& argument, const CapturedArgument& captured, StreamCore& core) {
    if (captured.image && !captured.image->is_over_memory) return image_contents(argument, *captured.image);
    std::vector<std::byte> bytes(argument.bytes);
    if (bytes.empty()) return bytes;
    if (argument.kind == Argument::Kind::scalar) {
        std::copy_n(argument.value, bytes.size(), bytes.data());
    } else if (!argument.block) {
        std::copy_n(static_cast<const std::byte*>(argument.data), bytes.size(), bytes.data());
    } else if (argument.block->allocation) {
        core.stream->download(bytes.data(), {&argument.block->allocation->memory, argument.offset_bytes}, bytes.size(),
                              true);
    }
    return bytes;
}

}  // namespace

Capture::Capture(fs::path folder, const KernelState& kernel, const plugin::LaunchShape& shape, StreamCore& core,
                 std::span<const Argument> arguments)
    : folder_(std::move(folder)), arguments_(arguments.begin(), arguments.end()) {
    for (const Argument& argument : arguments)
        if (argument.kind == Argument::Kind::tensor_map)
            throw ArgumentError(text("capture: kernel '", kernel.name,
                                     "' reads arrays through tensor maps, which hold addresses; for a product of "
                                     "matrices, MatmulOptions::tuning = {.unit_warps = 1} chooses a kernel without"));
    std::error_code failure;
    fs::create_directories(folder_.parent_path().empty() ? "." : folder_.parent_path(), failure);
    if (!fs::create_directory(folder_, failure))
        throw ArgumentError(text("capture: cannot make the folder ", folder_.string(), ": ",
                                 failure ? failure.message() : std::string("it is there already"), "; name a new one"));
    const ModuleState& module = *kernel.module;
    call_.kernel = kernel.name;
    call_.device = kernel.driver->description();
    call_.text = module.text;
    call_.program_file =
        module.text ? text("kernel", Dialect::find(kernel.driver->device->dialect).file_extension) : "program.bin";
    std::copy(shape.grid.begin(), shape.grid.end(), call_.grid.begin());
    std::copy(shape.block.begin(), shape.block.end(), call_.block.begin());
    call_.offset = shape.offset;
    call_.shared_bytes = shape.shared_bytes;
    call_.cooperative = shape.cooperative;
    call_.overlap = shape.overlap;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        const Parameter* const parameter = parameter_of(kernel, i);
        CapturedArgument& captured = call_.arguments.emplace_back();
        captured.kind = argument.kind;
        captured.name = parameter ? parameter->name : std::string();
        captured.dtype = argument.dtype.empty() && parameter ? parameter->dtype : argument.dtype;
        captured.bytes = argument.bytes;
        const bool is_image = argument.kind == Argument::Kind::image;
        if (is_image || argument.kind == Argument::Kind::texture) {
            captured.image = image_of(argument);
            if (!captured.image->is_over_memory) captured.dtype = captured.image->format().dtype;
        }
        const std::string stem = text(i, captured.name.empty() ? "" : "_", as_file_name(captured.name));
        const bool is_result = is_image ? !parameter || parameter->space == Parameter::Space::image_write
                                        : captured.is_memory() && argument.kind != Argument::Kind::copy_in &&
                                              !(parameter && parameter->is_const);
        if (is_result) captured.after = stem + ".after.npy";
        if (argument.kind == Argument::Kind::shared || argument.kind == Argument::Kind::copy_out) continue;
        captured.before = stem + ".npy";
        write_npy(folder_ / captured.before, captured.dtype, contents(argument, captured, core));
    }
    if (call_.text)
        write_bytes(folder_ / call_.program_file, std::as_bytes(std::span(call_.text->source)));
    else
        write_bytes(folder_ / call_.program_file,
                    pack_binary(module.signatures, module.build_log, module.module->binary()));
    const std::string program = program_of(call_);
    write_bytes(folder_ / "main.cpp", std::as_bytes(std::span(program)));
}

void Capture::end(StreamCore& core) {
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (const CapturedArgument& captured = call_.arguments[i]; !captured.after.empty())
            write_npy(folder_ / captured.after, captured.dtype, contents(arguments_[i], captured, core));
    write_call(folder_, call_);  // last: a folder without it belongs to a call that did not complete
}

std::optional<fs::path> folder_of_first_call(const KernelState& kernel) {
    if (!(watchers.load(std::memory_order_relaxed) & capture_bit)) return std::nullopt;
    const auto folder = env::get("GEMEL_CAPTURE");
    if (!folder) return std::nullopt;
    static std::mutex& mutex = *new std::mutex;
    static auto& seen = *new std::set<std::pair<std::string, const void*>>;
    static auto& counts = *new std::map<std::string, int>;
    const std::lock_guard lock(mutex);
    if (!seen.emplace(kernel.name, kernel.module.get()).second) return std::nullopt;
    // Other programs, also of earlier runs, may have a kernel of this name.
    for (int& number = counts[kernel.name];;) {
        const fs::path own = fs::path(*folder) / text(as_file_name(kernel.name), "-", ++number);
        if (std::error_code ignored; !fs::exists(own, ignored)) return own;
    }
}

std::optional<Capture> begin_capture(const fs::path& folder, const KernelState& kernel,
                                     const plugin::LaunchShape& shape, StreamCore& core,
                                     std::span<const Argument> arguments) {
    try {
        return std::optional<Capture>(std::in_place, folder, kernel, shape, core, arguments);
    } catch (const DeviceLost&) {
        throw;
    } catch (const Error& error) {
        logging::write(logging::Level::warn, "capture", text("'", kernel.name, "' is not captured: ", error.what()));
        return std::nullopt;
    }
}

}  // namespace gemel
