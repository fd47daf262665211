/// Fills of images: by the driver, or by copies from memory of one slice.
#include <gemel/core/error.hpp>
#include <gemel/core/image.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>

#include "device/image_region.hpp"
#include "device/recorder.hpp"
#include "device/state.hpp"
#include "device/timed.hpp"

#include <utility>

namespace gemel {
namespace {

void fill_from_memory(const AnyImage& image, const void* element, std::size_t bytes, const ImageBox& box,
                      const plugin::ImageRegion& region) {
    ImageBox slice{box.origin, box.extent};
    const std::vector<std::size_t> whole = image.extents();
    if (slice.origin.empty()) slice.origin.assign(whole.size(), 0);
    if (slice.extent.empty())
        for (std::size_t axis = 0; axis < whole.size(); ++axis)
            slice.extent.push_back(whole[axis] - slice.origin[axis]);
    const std::size_t slices = whole.size() > 2 ? std::exchange(slice.extent[0], 1) : 1;  // the slowest axis
    const Buffer memory = image.context().allocate(count_of(region) / slices * bytes);
    memory.fill_bytes(element, bytes);
    for (std::size_t k = 0; k < slices; ++k) {
        image.copy_from(memory, slice);
        ++slice.origin[0];
    }
}

}  // namespace

void AnyImage::fill_bytes(const void* element, std::size_t bytes, const ImageBox& box) const {
    const CallScope scope;
    constexpr const char* what = "Image::fill";
    Block& block = checked(*this, what);
    if (bytes != shape_.element_bytes())
        throw ArgumentError(
            text(what, ": an element of ", format_.name(), " has ", shape_.element_bytes(), " bytes, got ", bytes));
    const plugin::ImageRegion region = region_of(what, *this, block, box);
    if (count_of(region) == 0) return;
    not_recorded(what);
    const bool is_filled = block.driver->call([&](plugin::Context&) {
        const auto core = choose_stream({}, block.driver);
        block.allocation->uses.touch(core, true);
        Timed timed(block.driver, core, Timed::Kind::fill, what, count_of(region) * bytes);
        const bool done = core->stream->fill_image(region, element);
        if (!done) timed.drop();
        if (done && block.driver->synchronous) core->stream->synchronize();
        return done;
    });
    if (!is_filled) return fill_from_memory(*this, element, bytes, box, region);
    Counters::add(block.driver->counters->filled_bytes, count_of(region) * bytes);
}

}  // namespace gemel
