/// Textures and images of captured calls: what they were made of, their elements, and how a program makes them again.
#include "device/capture_image.hpp"

#include "device/state.hpp"

#include <gemel/core/text.hpp>

namespace gemel {
namespace {

/// Axes of an array by those of an image: layers first, x last.
template <class T, class Values>
std::vector<T> in_array_order(const plugin::ImageShape& shape, const Values& values) {
    std::vector<T> ordered;
    if (shape.is_layered) ordered.push_back(static_cast<T>(values[shape.dimensions]));
    for (std::size_t axis = shape.dimensions; axis-- > 0;) ordered.push_back(static_cast<T>(values[axis]));
    return ordered;
}

template <class T>
std::string list_of(const std::vector<T>& values) {
    std::string all;
    for (const T& value : values) all += text(all.empty() ? "" : ", ", value);
    return "{" + all + "}";
}

std::string format_text(const ImageFormat& format) {
    const char* const kind = format.dtype.kind() == DType::Kind::floating         ? "floating"
                             : format.dtype.kind() == DType::Kind::signed_integer ? "signed_integer"
                                                                                  : "unsigned_integer";
    return text("{gemel::DType(gemel::DType::Kind::", kind, ", ", format.dtype.size_bytes(), ", ",
                int{format.dtype.lanes()}, "), ", format.normalised ? "true" : "false", "}");
}

std::string sampler_text(const Sampler& sampler) {
    constexpr const char* addresses[] = {"clamp", "border", "wrap", "mirror"};
    std::string all = text("{.filter = gemel::Filter::", sampler.filter == Filter::linear ? "linear" : "nearest",
                           ", .address = gemel::Address::", addresses[static_cast<std::size_t>(sampler.address)]);
    if (sampler.normalised) all += ", .normalised = true";
    if (sampler.exact) all += ", .exact = true";
    if (sampler.hardware) all += ", .hardware = true";
    return all + "}";
}

}  // namespace

ImageFormat CapturedImage::format() const {
    using Kind = plugin::ChannelKind;
    const auto bytes = static_cast<std::uint32_t>(shape.element_bytes());
    const bool is_float = shape.kind == Kind::float32 || shape.kind == Kind::float16;
    const bool is_unsigned = shape.kind == Kind::uint8 || shape.kind == Kind::uint16 || shape.kind == Kind::uint32;
    const DType::Kind kind = is_float      ? DType::Kind::floating
                             : is_unsigned ? DType::Kind::unsigned_integer
                                           : DType::Kind::signed_integer;
    return {DType(kind, bytes, shape.channels), shape.is_normalised};
}

std::vector<std::size_t> CapturedImage::extents() const { return in_array_order<std::size_t>(shape, shape.extent); }

std::vector<std::int64_t> CapturedImage::strides() const {
    auto strides = in_array_order<std::int64_t>(shape, step_bytes);
    for (auto& stride : strides) stride /= static_cast<std::int64_t>(shape.element_bytes());
    return strides;
}

CapturedImage image_of(const Argument& argument) {
    if (argument.kind == Argument::Kind::image)
        return {.shape = *static_cast<const plugin::ImageShape*>(argument.data), .sampler = {}};
    const auto& parts = *static_cast<const TextureParts*>(argument.data);
    const TextureFacts& facts = parts.facts;
    const auto has = [&](std::int32_t flag) { return (facts.flags & flag) != 0; };
    CapturedImage captured;
    for (std::size_t axis = 0; axis < 3; ++axis)
        captured.shape.extent[axis] = static_cast<std::uint32_t>(facts.extent[axis]);
    captured.shape.dimensions = parts.dimensions;
    captured.shape.is_layered = parts.is_layered;
    captured.shape.kind = static_cast<plugin::ChannelKind>(facts.kind % 8);
    captured.shape.is_normalised = facts.kind >= 8;
    captured.shape.channels = static_cast<std::uint8_t>(facts.channels);
    captured.is_over_memory = !argument.block->allocation || !argument.block->allocation->image;
    const bool is_linear = has(TextureFacts::linear), is_by_hardware = has(TextureFacts::by_hardware);
    captured.sampler = {.filter = is_linear ? Filter::linear : Filter::nearest,
                        .address = static_cast<Address>(facts.address),
                        .normalised = has(TextureFacts::normalised),
                        .exact = is_linear && !is_by_hardware,
                        .hardware = captured.is_over_memory && is_by_hardware};
    captured.offset_bytes = static_cast<std::uint64_t>(facts.offset_bytes);
    captured.step_bytes = facts.step_bytes;
    return captured;
}

std::vector<std::byte> image_contents(const AnyImage& image) {
    std::vector<std::byte> bytes(image.size() * image.dtype().size_bytes());
    const Buffer elements = image.context().allocate(bytes.size());
    image.copy_to(elements);
    elements.download(bytes);
    return bytes;
}

std::vector<std::byte> image_contents(const Argument& argument, const CapturedImage& captured) {
    return image_contents(AnyImage(argument.block->shared_from_this(), captured.format(), captured.shape));
}

AnyImage make_image(const Context& context, const CapturedImage& captured, std::span<const std::byte> elements) {
    const AnyImage image(context, captured.format(), captured.extents(), captured.shape.is_layered);
    const Buffer buffer = context.allocate(elements.size());
    buffer.upload(elements);
    image.copy_from(buffer);
    return image;
}

std::string image_lines(const CapturedImage& captured, bool is_texture, const std::string& name,
                        const std::string& from) {
    const std::string format = format_text(captured.format()), extents = list_of(captured.extents());
    const char* const is_layered = captured.shape.is_layered ? "true" : "false";
    if (is_texture && captured.is_over_memory) {
        const std::size_t rank = captured.extents().size();
        return text("    const std::array<std::int64_t, ", rank, "> shape_of_", name, extents, ", strides_of_", name,
                    list_of(captured.strides()), ";\n    const gemel::Texture ", name, "(memory(context, ", from, "), ",
                    format, ", shape_of_", name, ", strides_of_", name, ", ", captured.offset_bytes,
                    ",\n        gemel::Sampler", sampler_text(captured.sampler), ", ", is_layered, ");");
    }
    const std::string image =
        text("image(context, ", format, ", std::vector<std::size_t>", extents, ", ", is_layered, ", ", from, ")");
    if (!is_texture) return text("    const gemel::AnyImage ", name, " = ", image, ";");
    return text("    const gemel::Texture ", name, "(", image, ",\n        gemel::Sampler",
                sampler_text(captured.sampler), ");");
}

const char* const image_helpers = R"(namespace {

gemel::AnyImage image(const gemel::Context& context, const gemel::ImageFormat& format,
                      const std::vector<std::size_t>& extents, bool is_layered, const std::string& bytes) {
    const gemel::AnyImage made(context, format, extents, is_layered);
    made.copy_from(memory(context, bytes));
    return made;
}

bool is_same(const gemel::AnyImage& image, const char* name) {
    const gemel::Buffer elements = image.context().allocate(image.size() * image.dtype().size_bytes());
    image.copy_to(elements);
    return is_same(elements, name);
}

}  // namespace

)";

}  // namespace gemel
