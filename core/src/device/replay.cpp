/// Repeats calls that Kernel::capture() has written.
#include <gemel/core/capture.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/kernel.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>

#include "device/capture.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

namespace gemel {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(const fs::path& folder, const CapturedArgument& captured) {
    if (captured.before.empty()) return std::vector<std::byte>(captured.bytes);
    std::vector<std::byte> bytes = read_npy(folder / captured.before);
    if (bytes.size() != captured.bytes)
        throw Error(text("replay: ", (folder / captured.before).string(), " has ", bytes.size(), " bytes, expected ",
                         captured.bytes, "; capture the call again"));
    return bytes;
}

/// The arguments of a call, and the objects that they refer to.
struct Arguments {
    std::vector<std::vector<std::byte>> values;
    std::vector<Buffer> buffers;
    std::vector<AnyImage> images;
    std::deque<Texture> textures;  // arguments point into them
    std::vector<Argument> all;

    Arguments(const Context& context, const fs::path& folder, const CapturedCall& call) {
        for (const CapturedArgument& captured : call.arguments) {
            values.push_back(captured.kind == Argument::Kind::shared ? std::vector<std::byte>()
                                                                     : bytes_of(folder, captured));
            buffers.emplace_back();
            images.emplace_back();
            if (captured.image) {
                add_image(context, captured);
                continue;
            }
            if (captured.is_memory()) {
                buffers.back() = context.allocate(captured.bytes);
                if (captured.bytes > 0) buffers.back().upload(values.back());
                all.push_back(as_argument(buffers.back()));
                continue;
            }
            Argument argument;
            argument.kind = captured.kind;
            argument.dtype = captured.dtype;
            argument.bytes = captured.bytes;
            argument.data = values.back().data();  // stays valid when the list grows
            if (captured.kind == Argument::Kind::scalar)
                std::memcpy(argument.value, values.back().data(), std::min(captured.bytes, sizeof argument.value));
            all.push_back(argument);
        }
        // Of images, which the list of them has moved as it grew.
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].kind == Argument::Kind::image) all[i] = images[i].argument();
    }

    /// What the i-th argument holds now.
    std::vector<std::byte> contents(std::size_t i, std::size_t bytes) const {
        if (!images[i].empty()) return image_contents(images[i]);
        std::vector<std::byte> got(bytes);
        if (!got.empty()) buffers[i].download(got);
        return got;
    }

   private:
    void add_image(const Context& context, const CapturedArgument& captured) {
        const CapturedImage& image = *captured.image;
        if (!image.is_over_memory) images.back() = make_image(context, image, values.back());
        if (captured.kind == Argument::Kind::image) {
            all.push_back(images.back().argument());
            return;
        }
        if (image.is_over_memory) {
            buffers.back() = context.allocate(values.back().size());
            buffers.back().upload(values.back());
            const std::vector<std::size_t> extents = image.extents();
            const std::vector<std::int64_t> shape(extents.begin(), extents.end()), strides = image.strides();
            textures.emplace_back(buffers.back(), image.format(), shape, strides, image.offset_bytes, image.sampler,
                                  image.shape.is_layered);
        } else {
            textures.emplace_back(images.back(), image.sampler);
        }
        all.push_back(textures.back().argument());
    }
};

Module module_of(const Context& context, const fs::path& folder, const CapturedCall& call) {
    if (!call.text) {
        const std::vector<std::byte> binary = read_bytes(folder / call.program_file);
        return context.load_binary(binary);
    }
    if (call.text->is_portable) return context.compile(call.text->source, call.text->options);
    NativeSource source;
    (call.program_file.ends_with(".cu") ? source.cuda : source.opencl) = call.text->source;
    return context.compile(source, call.text->options);
}

Replay::Output compared(std::size_t index, const CapturedArgument& captured, const std::vector<std::byte>& got,
                        const std::vector<std::byte>& expected) {
    Replay::Output output{.index = index,
                          .name = captured.name,
                          .bytes = got.size(),
                          .differing_bytes = 0,
                          .first_difference = got.size()};
    for (std::size_t k = got.size(); k-- > 0;)
        if (k >= expected.size() || got[k] != expected[k]) ++output.differing_bytes, output.first_difference = k;
    return output;
}

}  // namespace

Replay replay(const Context& context, const fs::path& folder) {
    const CapturedCall call = read_call(folder);
    const Kernel kernel = module_of(context, folder, call).kernel(call.kernel);
    const Arguments arguments(context, folder, call);
    LaunchConfig config{.grid = {call.grid[0], call.grid[1], call.grid[2]},
                        .block = {call.block[0], call.block[1], call.block[2]},
                        .shared_bytes = call.shared_bytes,
                        .cooperative = call.cooperative,
                        .overlap = call.overlap};
    if (call.offset != std::array<std::uint64_t, 3>{}) config.offset = {call.offset[0], call.offset[1], call.offset[2]};
    Replay result{.kernel = call.kernel, .captured_on = call.device, .milliseconds = 0, .outputs = {}};
    kernel.launch(config, arguments.all);
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
        if (const CapturedArgument& captured = call.arguments[i]; !captured.after.empty())
            result.outputs.push_back(
                compared(i, captured, arguments.contents(i, captured.bytes), read_npy(folder / captured.after)));
    const Stream stream = context.default_stream();
    const Event start = stream.record();
    config.stream = stream;
    kernel.launch(config, arguments.all);
    const Event stop = stream.record();
    stop.wait();
    result.milliseconds = elapsed_milliseconds(start, stop);
    return result;
}

}  // namespace gemel
