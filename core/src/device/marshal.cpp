#include "device/marshal.hpp"

#include "device/argument_check.hpp"
#include "device/timed.hpp"

#include <gemel/core/image.hpp>
#include <gemel/core/text.hpp>

#include <mutex>

namespace gemel {

std::uint64_t handle_of(DriverContext& driver, Block& block, std::size_t offset, std::size_t bytes) {
    if (!block.allocation) return 0;
    Allocation& allocation = *block.allocation;
    // OpenCL has no empty sub-buffers. No byte is accessed, so any handle of the memory is valid.
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

std::size_t slot_of(const KernelState& kernel, std::size_t index) {
    if (!kernel.uses_images && kernel.barrier < 0 && kernel.offset < 0)
        return kernel.arena >= 0 && static_cast<int>(index) >= kernel.arena ? index + 1 : index;
    const auto& parameters = kernel.signature->parameters;
    for (std::size_t slot = 0; slot < parameters.size(); ++slot)
        if (parameters[slot].is_supplied() && index-- == 0) return slot;
    return parameters.size();
}

namespace {

/// The views of a texture or an image, whose memory has been checked.
void marshal_image(DriverContext& driver, std::size_t slot, const Argument& argument, Marshalled& marshalled) {
    Block& block = *argument.block;
    if (argument.kind == Argument::Kind::image) {
        marshalled.views[slot] = block.allocation->image->argument();
        return;
    }
    const auto& parts = *static_cast<const TextureParts*>(argument.data);
    const bool over_memory = parts.facts.flags & TextureFacts::over_memory;
    marshalled.handles[slot] = over_memory ? handle_of(driver, block, 0, block.size_bytes) : 0;
    marshalled.views[slot] = {&marshalled.handles[slot], sizeof(std::uint64_t)};
    marshalled.views[slot + 1] = {&parts.facts, sizeof parts.facts};
    marshalled.views[slot + 2] = {&parts.handles.image, parts.handles.image_bytes};
    marshalled.views[slot + 3] = {&parts.handles.sampler, parts.handles.sampler_bytes};
}

/// The driver's encoding of a tensor map, whose memory has been checked.
plugin::ArgumentView tensor_map_view(KernelState& kernel, std::size_t index, const Argument& argument,
                                     Marshalled& marshalled) {
    if (marshalled.tensor_maps.size() == marshalled.tensor_maps.capacity())
        refuse(kernel, index, nullptr,
               text("is one tensor map too many; a launch has at most ", marshalled.tensor_maps.capacity()));
    const auto& shape = *static_cast<const plugin::TensorMapShape*>(argument.data);
    const plugin::Place place{&argument.block->allocation->memory, argument.offset_bytes};
    marshalled.tensor_maps.push_back(kernel.driver->plugin->tensor_map(place, shape));
    return {&marshalled.tensor_maps.back(), sizeof(plugin::TensorMap)};
}

}  // namespace

void marshal_one(KernelState& kernel, std::size_t index, std::size_t slot, const Argument& argument,
                 Marshalled& marshalled) {
    const Parameter* parameter = kernel.signature ? &kernel.signature->parameters[slot] : nullptr;
    if (parameter) {
        // The common cases take one comparison each; check_kind() explains everything else.
        const bool fits = argument.kind == Argument::Kind::scalar
                              ? !parameter->is_pointer && parameter->dtype == argument.dtype
                          : argument.kind == Argument::Kind::memory
                              ? parameter->is_pointer && parameter->space != Parameter::Space::shared &&
                                    (argument.dtype.empty() || argument.dtype == parameter->dtype)
                              : false;
        if (!fits) [[unlikely]] {
            check_kind(kernel, index, *parameter, argument);
            if (parameter->dtype.empty() && !parameter->is_pointer && parameter->space == Parameter::Space::value)
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
    const bool is_image = argument.kind == Argument::Kind::texture || argument.kind == Argument::Kind::image;
    const char* const what = is_image ? "is an image or a texture" : "is a buffer";
    if (block->released) refuse(kernel, index, parameter, text(what, " that has been released"));
    if (block->driver.get() != kernel.driver) [[unlikely]] {
        if (!block->driver->usable()) block->driver->check();
        refuse(kernel, index, parameter,
               text(what, " on ", block->driver->description(), ", but the kernel is on ", kernel.driver->description(),
                    block->driver->device == kernel.driver->device ? " in another context" : "", "; ",
                    is_image ? "through arrays Buffer" : "Buffer", "::copy_from copies between contexts"));
    }
    if (argument.kind == Argument::Kind::tensor_map) {
        view = tensor_map_view(kernel, index, argument, marshalled);
    } else if (is_image) [[unlikely]] {
        if (!parameter && argument.kind == Argument::Kind::texture)
            refuse(kernel, index, nullptr, "is a texture, but the kernel's parameters cannot be read; pass the image");
        marshal_image(*kernel.driver, slot, argument, marshalled);
    } else {
        marshalled.handles[slot] = handle_of(*kernel.driver, *block, argument.offset_bytes, argument.bytes);
        view = {&marshalled.handles[slot], sizeof(std::uint64_t)};
    }
    if (block->allocation) marshalled.uses.push_back({block, !parameter || !parameter->is_const});
}

std::size_t marshal_hidden(KernelState& kernel, std::size_t slot, const plugin::LaunchShape& shape,
                           Marshalled& marshalled) {
    for (; kernel.is_hidden(slot); ++slot) {
        const int at = static_cast<int>(slot);
        if (at == kernel.arena) {
            marshalled.views[slot] = {};
        } else if (at == kernel.barrier) {
            Block& block = *kernel.barrier_memory;
            marshalled.handles[slot] = block.allocation->argument;
            marshalled.views[slot] = {&marshalled.handles[slot], sizeof(std::uint64_t)};
            marshalled.uses.push_back({&block, true});
        } else {
            for (std::size_t axis = 0; axis < 3; ++axis)
                marshalled.offset[axis] = static_cast<std::int64_t>(shape.offset[axis]);
            marshalled.views[slot] = {marshalled.offset.data(), sizeof marshalled.offset};
        }
    }
    return slot;
}

void marshal(KernelState& kernel, const plugin::LaunchShape& shape, std::span<const Argument> arguments,
             Marshalled& marshalled, HostArguments& host, const std::shared_ptr<DriverContext>& driver,
             const std::shared_ptr<StreamCore>& core) {
    const std::size_t expected = kernel.signature ? kernel.argument_count
                                 : kernel.kernel->facts().parameter_count
                                     ? *kernel.kernel->facts().parameter_count - kernel.hidden_count()
                                     : arguments.size();
    if (arguments.size() != expected) [[unlikely]]
        refuse(kernel, text("expected ", expected, expected == 1 ? " argument" : " arguments", ", got ",
                            arguments.size(), kernel.signature ? text(": ", kernel.signature->text()) : std::string()));
    if ((kernel.uses_images ? slot_of(kernel, arguments.size()) : expected) + kernel.hidden_count() > inline_arguments)
        refuse(kernel, text("has ", expected, " parameters; gemel passes at most ", inline_arguments - 1,
                            ". Put values into a struct."));
    std::size_t slot = 0;
    for (std::size_t i = 0; i < arguments.size(); slot += slots_of(arguments[i]), ++i) {
        slot = marshal_hidden(kernel, slot, shape, marshalled);
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
    slot = marshal_hidden(kernel, slot, shape, marshalled);
    marshalled.count = slot;
}

}  // namespace gemel
