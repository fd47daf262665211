/// Programs and images of others.
#include <gemel/core/wrap.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "device/image_region.hpp"
#include "device/state.hpp"

namespace gemel {
namespace {

/// The format of the elements of a storage whose shape the driver has told, and in `shape` what the caller says of it.
ImageFormat agreed_format(const std::optional<ImageFormat>& given, plugin::ImageShape& shape) {
    const ImageFormat of_driver{dtype_of_channels(shape.kind, shape.channels), shape.is_normalised};
    if (!given) return of_driver;
    const plugin::ImageShape expected = image_element("wrap_image", *given);
    if (expected.kind != shape.kind || expected.channels != shape.channels)
        throw ArgumentError(text("wrap_image: the image has elements of ", of_driver.name(), ", not ", given->name(),
                                 "; leave the format out, or give one that takes the same channels"));
    shape.is_normalised = given->normalised;
    return *given;
}

}  // namespace

Module wrap_module(const Context& context, std::uint64_t handle, std::shared_ptr<void> keep_alive) {
    if (handle == 0) throw ArgumentError("wrap_module: the handle is null; load the program first");
    const CallScope scope;
    const auto driver = context.state()->driver();
    auto module = share(new ModuleState);
    module->keep_alive = std::move(keep_alive);
    module->driver = driver;
    module->module = driver->call([&](plugin::Context& plugin) { return plugin.wrap_module(handle); });
    return Module(context, std::move(module));
}

AnyImage wrap_image(const Context& context, std::uint64_t handle, const std::optional<ImageFormat>& format,
                    std::shared_ptr<void> keep_alive) {
    if (handle == 0) throw ArgumentError("wrap_image: the handle is null; make the image first");
    const CallScope scope;
    auto block = share(new Block);
    block->owner = context.state();
    block->driver = context.state()->driver();
    block->keep_alive = std::move(keep_alive);
    plugin::ImageShape shape;
    ImageFormat agreed;
    block->driver->call([&](plugin::Context& plugin) {
        shape = plugin.shape_of_image(handle);
        agreed = agreed_format(format, shape);
        auto allocation = std::make_unique<Allocation>();
        allocation->image = plugin.wrap_image(handle, shape);
        block->size_bytes = std::size_t{shape.extent[0]} * shape.extent[1] * shape.extent[2] * shape.element_bytes();
        allocation->memory = {.bytes = block->size_bytes, .kind = plugin::MemoryKind::image, .foreign = true};
        block->allocation = std::move(allocation);
    });
    return AnyImage(std::move(block), agreed, shape);
}

}  // namespace gemel
