/// Images and textures: formats, storage, copies, and kernel arguments.
#include <gemel/core/image.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/half.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>
#include <gemel/core/vector_types.hpp>

#include "device/image_region.hpp"
#include "device/recorder.hpp"
#include "device/state.hpp"

#include <algorithm>
#include <optional>

namespace gemel {
namespace {

using plugin::ChannelKind;
using plugin::ImageShape;

struct Element {
    ChannelKind kind;
    std::uint8_t channels;
};

/// The channels of an element type. 64-bit numbers take two channels of 32 bits, complex numbers one per part.
std::optional<Element> element_of(DType dtype) {
    using Kind = DType::Kind;
    const unsigned bytes = dtype.size_bytes(), lanes = dtype.lanes();
    if (lanes != 1 && lanes != 2 && lanes != 4) return std::nullopt;
    const auto channels = static_cast<std::uint8_t>(lanes);
    switch (dtype.kind()) {
        case Kind::floating:
            if (bytes / lanes == 4) return Element{ChannelKind::float32, channels};
            if (bytes / lanes == 2) return Element{ChannelKind::float16, channels};
            if (lanes <= 2) return Element{ChannelKind::uint32, static_cast<std::uint8_t>(2 * lanes)};
            return std::nullopt;
        case Kind::complex:
            if (bytes == 8) return Element{ChannelKind::float32, 2};
            return Element{ChannelKind::uint32, 4};
        case Kind::unsigned_integer:
        case Kind::signed_integer: {
            const bool is_signed = dtype.kind() == Kind::signed_integer;
            if (bytes / lanes == 1) return Element{is_signed ? ChannelKind::int8 : ChannelKind::uint8, channels};
            if (bytes / lanes == 2) return Element{is_signed ? ChannelKind::int16 : ChannelKind::uint16, channels};
            if (bytes / lanes == 4) return Element{is_signed ? ChannelKind::int32 : ChannelKind::uint32, channels};
            return std::nullopt;
        }
        default: return std::nullopt;
    }
}

bool can_be_normalised(ChannelKind kind) {
    return kind == ChannelKind::uint8 || kind == ChannelKind::uint16 || kind == ChannelKind::int8 ||
           kind == ChannelKind::int16;
}
bool is_integer(ChannelKind kind) { return kind != ChannelKind::float32 && kind != ChannelKind::float16; }

Element element_or_refuse(const char* who, const ImageFormat& format) {
    const std::optional<Element> element = element_of(format.dtype);
    if (!element)
        throw ArgumentError(text(who,
                                 ": expected elements of float, half, integers of 8 to 32 bits, vectors of 2 or 4 "
                                 "of these, double or complex numbers; got ",
                                 format.dtype.empty() ? "none" : format.dtype.name()));
    if (format.normalised && !can_be_normalised(element->kind))
        throw ArgumentError(
            text(who, ": expected integers of 8 or 16 bits to be normalised, got ", format.dtype.name()));
    return *element;
}

/// Reversed: x first, then the layers after the last axis.
template <class Extents>
ImageShape shape_of(const char* who, const ImageFormat& format, const Extents& shape, bool is_layered) {
    const Element element = element_or_refuse(who, format);
    const std::size_t rank = shape.size();
    const std::size_t dimensions = rank - is_layered;
    if (rank < 1u + is_layered || dimensions > (is_layered ? 2u : 3u))
        throw ArgumentError(text(who, ": expected 1 to ", is_layered ? "2 axes behind that of layers" : "3 axes",
                                 ", got ", rank, rank == 1 ? " axis" : " axes"));
    ImageShape result{.dimensions = static_cast<std::uint8_t>(dimensions),
                      .is_layered = is_layered,
                      .kind = element.kind,
                      .is_normalised = format.normalised,
                      .channels = element.channels};
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const auto extent = shape[axis];
        if (std::cmp_less_equal(extent, 0) || std::cmp_greater(extent, INT32_MAX))
            throw ArgumentError(text(who, ": axis ", axis, " has ", static_cast<std::int64_t>(extent),
                                     " elements; expected 1 to ", INT32_MAX));
        const std::size_t at = is_layered ? (axis == 0 ? dimensions : rank - 1 - axis) : rank - 1 - axis;
        result.extent[at] = static_cast<std::uint32_t>(extent);
    }
    return result;
}

[[noreturn]] void refuse_format(DriverContext& driver, const ImageFormat& format, const ImageShape& shape,
                                plugin::Context& plugin) {
    if (!driver.info().has_images)
        throw ArgumentError(
            text("Image: ", driver.description(),
                 " has no images; gemel::Texture(array, sampler) samples an array in the same kernels"));
    std::vector<std::string> channels;
    for (const int count : {1, 2, 4}) {
        ImageShape other = shape;
        other.channels = static_cast<std::uint8_t>(count);
        if (plugin.has_image_format(other)) channels.push_back(std::to_string(count));
    }
    throw ArgumentError(
        text("Image: ", driver.description(), " has no images of ", format.name(),
             channels.empty() ? std::string() : text(", but of this type with ", join(channels, " or "), " channels"),
             "; formats(context) lists all, and gemel::Texture(array, sampler) samples any array"));
}

/// Copies elements between an image and a buffer.
void copy_elements(const char* what, const AnyImage& image, const Buffer& buffer, const ImageBox& box, bool to_image) {
    const CallScope scope;
    Block& block = checked(image, what);
    Block& memory = checked(buffer, what);
    const plugin::ImageRegion region = region_of(what, image, block, box);
    const std::size_t bytes = count_of(region) * image.dtype().size_bytes();
    if (bytes != buffer.size_bytes())
        throw ArgumentError(
            text(what, ": the box has ", bytes, " bytes, the memory ", buffer.size_bytes(), "; use equal sizes"));
    if (memory.driver != block.driver)
        throw ArgumentError(text(what, ": the image is on ", block.driver->description(), ", the memory on ",
                                 memory.driver->description(), " in another context; copy it there first"));
    if (bytes == 0) return;
    not_recorded(what);
    block.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, block.driver);
        block.allocation->uses.touch(core, to_image);
        memory.allocation->uses.touch(core, !to_image);
        core->stream->copy_image(region, {&memory.allocation->memory, buffer.offset_bytes()}, to_image);
        if (block.driver->synchronous) core->stream->synchronize();
    });
    Counters::add(block.driver->counters->copied_bytes, bytes);
}

std::int32_t facts_kind(const ImageShape& shape) {
    return static_cast<std::int32_t>(shape.kind) + (shape.is_normalised ? 8 : 0);
}

TextureFacts facts_of(const ImageShape& shape, const Sampler& sampler) {
    TextureFacts facts{.kind = facts_kind(shape),
                       .channels = shape.channels,
                       .address = static_cast<std::int32_t>(sampler.address),
                       .flags = (sampler.filter == Filter::linear ? TextureFacts::linear : 0) |
                                (sampler.normalised ? TextureFacts::normalised : 0)};
    for (std::size_t i = 0; i < 3; ++i) facts.extent[i] = static_cast<std::int32_t>(shape.extent[i]);
    return facts;
}

/// The storage for the device's own sampling of an array with two axes; empty if it cannot sample this memory.
std::optional<plugin::TextureHandles> handles_of_memory(plugin::Context& plugin, Allocation& allocation,
                                                        const ImageShape& shape, std::span<const std::int64_t> strides,
                                                        std::size_t offset_bytes, Sampler sampler) {
    if (shape.dimensions != 2 || shape.is_layered || strides[1] != 1 || strides[0] < shape.extent[0]) return {};
    const std::size_t pitch = static_cast<std::size_t>(strides[0]) * shape.element_bytes();
    constexpr std::size_t max_images = 64;  // per allocation
    const std::lock_guard lock(allocation.views_mutex);
    auto& known = allocation.memory_images;
    auto found = std::find_if(known.begin(), known.end(), [&](const Allocation::MemoryImage& image) {
        return image.offset_bytes == offset_bytes && image.row_pitch_bytes == pitch && image.shape == shape;
    });
    if (found == known.end()) {
        if (known.size() == max_images) return {};
        auto image = plugin.image_of_memory({&allocation.memory, offset_bytes}, shape, pitch);
        if (!image) return {};
        found = known.insert(known.end(), {offset_bytes, pitch, shape, std::move(image)});
    }
    const plugin::TextureHandles handles =
        found->image->texture({true, static_cast<plugin::SamplerState::Address>(sampler.address)});
    return handles.interpolates ? std::optional(handles) : std::nullopt;
}

}  // namespace

ImageShape image_element(const char* who, const ImageFormat& format) {
    const Element element = element_or_refuse(who, format);
    return {.kind = element.kind, .is_normalised = format.normalised, .channels = element.channels};
}

std::string ImageFormat::name() const { return dtype.name() + (normalised ? ", normalised" : ""); }

std::vector<ImageFormat> formats(const Context& context, unsigned dimensions, bool is_layered) {
    const CallScope scope;
    if (dimensions < 1 || dimensions > (is_layered ? 2u : 3u))
        throw ArgumentError(text("formats: expected 1 to ", is_layered ? 2 : 3, " dimensions, got ", dimensions));
    const auto driver = context.state()->driver();
    std::vector<ImageFormat> found;
    driver->call([&](plugin::Context& plugin) {
        for (std::size_t kind = 0; kind < 8; ++kind)
            for (const bool normalised : {false, true})
                for (const int channels : {1, 2, 4}) {
                    const auto k = static_cast<ChannelKind>(kind);
                    if (normalised && !can_be_normalised(k)) continue;
                    const ImageShape shape{.dimensions = static_cast<std::uint8_t>(dimensions),
                                           .is_layered = is_layered,
                                           .kind = k,
                                           .is_normalised = normalised,
                                           .channels = static_cast<std::uint8_t>(channels)};
                    if (plugin.has_image_format(shape))
                        found.push_back({dtype_of_channels(k, static_cast<unsigned>(channels)), normalised});
                }
    });
    return found;
}

AnyImage::AnyImage(const Context& context, ImageFormat format, std::span<const std::size_t> shape, bool is_layered)
    : format_(format), shape_(shape_of("Image", format, shape, is_layered)) {
    const CallScope scope;
    not_recorded("a new image");
    auto block = share(new Block);
    block->owner = context.state();
    block->driver = context.state()->driver();
    block->size_bytes = size() * shape_.element_bytes();
    block->driver->call([&](plugin::Context& plugin) {
        if (!plugin.has_image_format(shape_)) refuse_format(*block->driver, format_, shape_, plugin);
        auto allocation = std::make_unique<Allocation>();
        allocation->memory = {.bytes = block->size_bytes, .kind = plugin::MemoryKind::image};
        allocation->image = plugin.create_image(shape_);
        block->allocation = std::move(allocation);
    });
    Counters::add(block->driver->counters->allocations);
    Counters::add(block->driver->counters->allocated_bytes, block->size_bytes);
    block_ = std::move(block);
}

Context AnyImage::context() const {
    if (!block_) throw ArgumentError("Image::context: the image is empty; Image(context, shape) makes one");
    return Context(block_->owner);
}

std::vector<std::size_t> AnyImage::extents() const {
    std::vector<std::size_t> extents;
    if (shape_.is_layered) extents.push_back(shape_.extent[shape_.dimensions]);
    for (std::size_t axis = shape_.dimensions; axis-- > 0;) extents.push_back(shape_.extent[axis]);
    return extents;
}

void AnyImage::copy_from(const Buffer& from, const ImageBox& box) const {
    copy_elements("Image::copy_from", *this, from, box, true);
}

void AnyImage::copy_to(const Buffer& to, const ImageBox& box) const {
    copy_elements("Image::copy_to", *this, to, box, false);
}

void AnyImage::copy_from(const AnyImage& from, const ImageBox& box, const std::vector<std::size_t>& origin) const {
    const CallScope scope;
    constexpr const char* what = "Image::copy_from";
    Block &target = checked(*this, what), &source = checked(from, what);
    if (from.format() != format_)
        throw ArgumentError(text(what, ": the image has elements of ", format_.name(), ", the other ",
                                 from.format().name(), "; copy between images of one format"));
    if (from.dimensions() != dimensions() || from.is_layered() != is_layered())
        throw ArgumentError(
            text(what, ": the images differ in their number of dimensions; copy between images of one kind"));
    if (target.driver != source.driver)
        throw ArgumentError(text(what, ": the images are of different contexts; copy through array()"));
    const plugin::ImageRegion there = region_of(what, from, source, box);
    std::vector<std::size_t> extent = box.extent;
    if (extent.empty()) {
        extent = from.extents();
        for (std::size_t axis = 0; axis < box.origin.size(); ++axis) extent[axis] -= box.origin[axis];
    }
    const plugin::ImageRegion here = region_of(what, *this, target, {origin, extent});
    if (count_of(here) == 0) return;
    if (&target == &source) {
        bool apart = false;
        for (std::size_t i = 0; i < 3; ++i)
            apart = apart || here.origin[i] >= there.origin[i] + there.extent[i] ||
                    there.origin[i] >= here.origin[i] + here.extent[i];
        if (!apart) throw ArgumentError(text(what, ": the boxes of one image overlap; copy through an array"));
    }
    not_recorded(what);
    target.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, target.driver);
        source.allocation->uses.touch(core, false);
        target.allocation->uses.touch(core, true);
        core->stream->copy_images(here, there);
        if (target.driver->synchronous) core->stream->synchronize();
    });
    Counters::add(target.driver->counters->copied_bytes, count_of(here) * shape_.element_bytes());
}

void AnyImage::release() {
    if (!block_) return;
    Buffer(block_, 0, block_->size_bytes).release();
    block_.reset();
}

Argument AnyImage::argument() const {
    Argument argument;
    argument.kind = Argument::Kind::image;
    argument.data = &shape_;
    argument.block = block_.get();
    argument.bytes = block_ ? block_->size_bytes : 0;
    return argument;
}

std::uint64_t AnyImage::native_handle() const {
    const CallScope scope;
    Block& block = checked(*this, "native_handle");
    block.driver->check();
    return block.allocation->image->native();
}

Texture::Texture(const AnyImage& image, const Sampler& sampler) : block_(image.block()) {
    const CallScope scope;
    Block& block = checked(image, "Texture");
    const ImageShape& shape = image.shape_of_storage();
    const bool is_linear = sampler.filter == Filter::linear;
    const bool has_fractions = !is_integer(shape.kind) || shape.is_normalised;
    if (is_linear && !has_fractions)
        throw ArgumentError(text("Texture: a linear filter needs elements with fractions, got ", image.format().name(),
                                 "; make the image with Channels::normalised, or of float"));
    parts_.facts = facts_of(shape, sampler);
    const bool by_hardware = is_linear && !sampler.exact;
    parts_.dimensions = shape.dimensions;
    parts_.is_layered = shape.is_layered;
    block.driver->call([&](plugin::Context&) {
        plugin::SamplerState state;
        if (by_hardware) state = {true, static_cast<plugin::SamplerState::Address>(sampler.address)};
        parts_.handles = block.allocation->image->texture(state);
    });
    if (by_hardware && parts_.handles.interpolates) parts_.facts.flags |= TextureFacts::by_hardware;
}

Texture::Texture(const Buffer& buffer, const ImageFormat& format, std::span<const std::int64_t> shape,
                 std::span<const std::int64_t> strides, std::size_t offset_bytes, const Sampler& sampler,
                 bool is_layered)
    : block_(buffer.block()) {
    const CallScope scope;
    const ImageShape as_image = shape_of("Texture", format, shape, is_layered);
    Block& block = checked(buffer, "Texture");
    if (strides.size() != shape.size())
        throw ArgumentError(
            text("Texture: expected ", shape.size(), " strides, got ", strides.size(), "; give one for each axis"));
    if (sampler.filter == Filter::linear && is_integer(as_image.kind) && !as_image.is_normalised)
        throw ArgumentError(text("Texture: a linear filter needs elements with fractions, got ", format.name(),
                                 "; let the integers be normalised, or convert them to float"));
    parts_.facts = facts_of(as_image, sampler);
    parts_.dimensions = as_image.dimensions;
    parts_.is_layered = is_layered;
    // Also where the hardware samples and no kernel looks at them: a captured call needs them.
    parts_.facts.offset_bytes = static_cast<std::int64_t>(buffer.offset_bytes() + offset_bytes);
    const std::size_t rank = shape.size();
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::size_t at = is_layered && axis == 0 ? rank - 1 : rank - 1 - axis;
        parts_.facts.step_bytes[at] = strides[axis] * format.dtype.size_bytes();
    }
    if (sampler.hardware && sampler.filter == Filter::linear && !sampler.exact && block.allocation) {
        const auto handles = block.driver->call([&](plugin::Context& plugin) {
            return handles_of_memory(plugin, *block.allocation, as_image, strides, buffer.offset_bytes() + offset_bytes,
                                     sampler);
        });
        if (handles) {
            parts_.handles = *handles;
            parts_.facts.flags |= TextureFacts::by_hardware;
            return;
        }
    }
    parts_.facts.flags |= TextureFacts::over_memory;
    block.driver->call(
        [&](plugin::Context& plugin) { parts_.handles = plugin.plain_texture(as_image.dimensions, is_layered); });
}

Argument Texture::argument() const {
    Argument argument;
    argument.kind = Argument::Kind::texture;
    argument.data = &parts_;
    argument.block = block_.get();
    argument.bytes = block_ ? block_->size_bytes : 0;
    return argument;
}

}  // namespace gemel
