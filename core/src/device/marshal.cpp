#include "device/marshal.hpp"

#include "device/argument_check.hpp"
#include "device/timed.hpp"

#include <gemel/core/text.hpp>

#include <mutex>

namespace gemel {

std::uint64_t handle_of(DriverContext& driver, Block& block, std::size_t offset, std::size_t bytes) {
    if (!block.allocation) return 0;
    Allocation& allocation = *block.allocation;
    // OpenCL has no empty sub-buffers. No byte is accessed, so any handle of the memory will do.
    if (offset == 0 || (bytes == 0 && !driver.linear_addresses)) return allocation.argument;
    if (driver.linear_addresses) return allocation.argument + offset;
    std::lock_guard lock(allocation.views_mutex);
    auto& handle = allocation.views[{offset, bytes}];
    if (!handle) {
        try {
            handle = driver.plugin->argument({&allocation.memory, offset}, bytes);
        } catch (...) {
            allocation.views.erase({offset, bytes});
            throw;
        }
    }
    return handle;
}

void marshal_one(KernelState& kernel, std::size_t index, std::size_t slot, const Argument& argument,
                 Marshalled& marshalled) {
    const Parameter* parameter = kernel.signature ? &kernel.signature->parameters[slot] : nullptr;
    if (parameter) {
        // The common cases in one comparison each; everything else is explained by check_kind.
        const bool fits = argument.kind == Argument::Kind::scalar
                              ? !parameter->is_pointer && parameter->dtype == argument.dtype
                          : argument.kind == Argument::Kind::memory
                              ? parameter->is_pointer && parameter->space != Parameter::Space::shared &&
                                    (argument.dtype.empty() || argument.dtype == parameter->dtype)
                              : false;
        if (!fits) [[unlikely]] {
            check_kind(kernel, index, *parameter, argument);
            if (parameter->dtype.empty() && !parameter->is_pointer)
                check_size(kernel, index, parameter, slot, argument);
        }
    } else {
        check_size(kernel, index, nullptr, slot, argument);
    }
    auto& view = marshalled.views[slot];
    switch (argument.kind) {
        case Argument::Kind::scalar: view = {argument.value, argument.bytes}; return;
        case Argument::Kind::structure: view = {argument.data, argument.bytes}; return;
        case Argument::Kind::shared: view = {nullptr, argument.bytes}; return;
        default: break;
    }
    Block* block = argument.block;
    if (!block) refuse(kernel, index, parameter, "is an empty buffer; Context::allocate() makes one");
    if (block->released) refuse(kernel, index, parameter, "is a buffer that has been released");
    if (block->driver.get() != kernel.driver) [[unlikely]] {
        if (!block->driver->usable()) block->driver->check();
        refuse(kernel, index, parameter,
               text("is a buffer on ", block->driver->description(), ", but the kernel is on ",
                    kernel.driver->description(),
                    block->driver->device == kernel.driver->device ? " in another context" : "",
                    "; Buffer::copy_from copies between contexts"));
    }
    marshalled.handles[slot] = handle_of(*kernel.driver, *block, argument.offset_bytes, argument.bytes);
    view = {&marshalled.handles[slot], sizeof(std::uint64_t)};
    if (block->allocation) marshalled.uses.push_back({block, !parameter || !parameter->is_const});
}

void marshal(KernelState& kernel, std::span<const Argument> arguments, Marshalled& marshalled, HostArguments& host,
             const std::shared_ptr<DriverContext>& driver, const std::shared_ptr<StreamCore>& core) {
    const std::size_t expected = kernel.signature ? kernel.signature->argument_count()
                                 : kernel.kernel->facts().parameter_count
                                     ? *kernel.kernel->facts().parameter_count - (kernel.arena >= 0 ? 1 : 0)
                                     : arguments.size();
    if (arguments.size() != expected) [[unlikely]]
        refuse(kernel, text("expected ", expected, expected == 1 ? " argument" : " arguments", ", got ",
                            arguments.size(), kernel.signature ? text(": ", kernel.signature->text()) : std::string()));
    if (expected + 1 > inline_arguments)
        refuse(kernel, text("has ", expected, " parameters; gemel passes at most ", inline_arguments - 1,
                            ". Put values into a struct."));
    for (std::size_t i = 0, slot = 0; i < arguments.size(); ++i, ++slot) {
        if (static_cast<int>(slot) == kernel.arena) marshalled.views[slot++] = {};
        const Argument& argument = arguments[i];
        if (is_host_range(argument)) [[unlikely]] {
            auto block = share(new Block);
            block->size_bytes = argument.bytes;
            block->allocation = allocate_device(*driver, argument.bytes, plugin::MemoryKind::device);
            block->driver = driver;
            Argument memory = argument;
            memory.block = block.get();
            marshal_one(kernel, i, slot, memory, marshalled);
            if (argument.bytes && argument.kind != Argument::Kind::copy_out) {
                block->allocation->uses.touch(core, true);
                const Timed timed(driver, core, Timed::Kind::upload, "upload", argument.bytes);
                core->stream->upload({&block->allocation->memory, 0}, argument.data, argument.bytes, true);
                Counters::add(driver->counters->uploaded_bytes, argument.bytes);
            }
            host.all.push_back({std::move(block), &argument});
        } else {
            marshal_one(kernel, i, slot, argument, marshalled);
        }
    }
    marshalled.count = arguments.size() + (kernel.arena >= 0 ? 1 : 0);
    if (kernel.arena >= 0) marshalled.views[static_cast<std::size_t>(kernel.arena)] = {};
}

}  // namespace gemel
