/// Fills of images.
#include "array_support.hpp"

#include <gemel/arrays/image.hpp>

using namespace gemel;
using namespace gemel::testing;

namespace {

template <class T>
bool has(const Context& context, unsigned dimensions, bool is_layered, Channels channels = Channels::plain) {
    const ImageFormat wanted{dtype_of<T>(), channels == Channels::normalised};
    for (const ImageFormat& each : formats(context, dimensions, is_layered))
        if (each.dtype.size_bytes() == wanted.dtype.size_bytes() && each.normalised == wanted.normalised &&
            each.dtype == wanted.dtype)
            return true;
    return false;
}

/// The bytes of all elements after a fill of `first` and one of a box in the middle with `second`.
template <class T, unsigned rank, bool layered>
void check(const Shape& shape, const ImageBox& box, const T& first, const T& second,
           Channels channels = Channels::plain) {
    const Context context = default_context();
    if (!has<T>(context, rank, layered, channels)) return;
    const Image<T, rank, layered> image(context, shape, channels);
    image.fill(first);
    image.fill(second, box);
    const std::vector<T> got = image.array().get();
    const auto extents = image.extents();
    std::size_t wrong = 0, inside_count = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        std::size_t rest = i;
        bool inside = true;
        for (std::size_t axis = extents.size(); axis-- > 0; rest /= extents[axis]) {
            const std::size_t at = rest % extents[axis];
            inside = inside && at >= box.origin[axis] && at < box.origin[axis] + box.extent[axis];
        }
        inside_count += inside;
        wrong += std::memcmp(&got[i], inside ? &second : &first, sizeof(T)) != 0;
    }
    INFO(dtype_of<T>().name());
    CHECK(inside_count > 0);
    CHECK(inside_count < got.size());
    CHECK(wrong == 0);
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("boxes of images of every rank are filled with the bytes of one element") {
    if (!default_device().info().has_images) return;
    check<float, 1, false>({37}, {{5}, {20}}, 1.25f, -3e7f);
    check<float, 2, false>({13, 37}, {{2, 5}, {7, 20}}, 1.25f, -3e-7f);
    check<float, 3, false>({5, 13, 37}, {{1, 2, 5}, {3, 7, 20}}, 1.25f, -0.f);
    check<std::int32_t, 1, true>({5, 37}, {{1, 5}, {3, 20}}, 7, -2000000001);
    check<std::uint32_t, 2, true>({5, 13, 37}, {{1, 2, 5}, {3, 7, 20}}, 7, 4000000001u);
}

TEST_CASE("images of every kind of element are filled") {
    if (!default_device().info().has_images) return;
    const Shape shape{6, 9};
    const ImageBox box{{1, 2}, {3, 4}};
    check<half, 2, false>(shape, box, half(0.333f), half(-1e-6f));
    check<std::int8_t, 2, false>(shape, box, 5, -128);
    check<std::uint8_t, 2, false>(shape, box, 5, 255);
    check<std::int16_t, 2, false>(shape, box, 5, -32768);
    check<std::uint16_t, 2, false>(shape, box, 5, 65535);
    check<std::int32_t, 2, false>(shape, box, 5, -7);
    check<float4, 2, false>(shape, box, {1, 2, 3, 4}, {-1, 0.1f, 1e30f, 0});
    check<int4, 2, false>(shape, box, {1, 2, 3, 4}, {-1, 0, 3, 2147483647});
    check<uchar4, 2, false>(shape, box, {1, 2, 3, 4}, {250, 251, 252, 255});
    check<float2, 2, false>(shape, box, {1, 2}, {3, 4});
    check<double, 2, false>(shape, box, 0.1, -1e300);
    check<std::uint8_t, 2, false>(shape, box, 3, 254, Channels::normalised);
    check<std::int8_t, 2, false>(shape, box, 3, -77, Channels::normalised);
    check<std::int8_t, 2, false>(shape, box, 3, -128, Channels::normalised);  // stands for -1, as -127 does
    check<std::uint16_t, 2, false>(shape, box, 3, 54321, Channels::normalised);
    check<std::int16_t, 2, false>(shape, box, 3, -32768, Channels::normalised);
    check<uchar4, 2, false>(shape, box, {1, 2, 3, 4}, {250, 251, 252, 255}, Channels::normalised);
}

TEST_CASE("fills that do not fit an image are refused") {
    if (!default_device().info().has_images) return;
    const Image<float> image(default_context(), {6, 9});
    CHECK_THROWS_MENTIONING(ArgumentError, image.fill(1.f, {{0, 0}, {7, 9}}), "Image::fill", "7", "6");
    CHECK_THROWS_MENTIONING(ArgumentError, image.fill(1.f, {{0}, {6}}), "Image::fill", "axes");
    const double value = 1;
    CHECK_THROWS_MENTIONING(ArgumentError, image.fill_bytes(&value, sizeof value), "4 bytes", "8");
    image.fill(1.f, {{0, 0}, {0, 9}});  // nothing
    CHECK_THROWS_MENTIONING(ArgumentError, Image<float>().fill(1.f), "empty");
}

TEST_SUITE_END();
