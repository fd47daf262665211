/// Textures and images: every rank and format against the same words over plain memory, and those against the host.
#include "../image_programs.hpp"
#include "skipped.hpp"
#include "support.hpp"

#include <gemel/gemel.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace gemel;
using image_programs::Rank;
using image_programs::ranks;

namespace {

const Address addresses[] = {Address::clamp, Address::border, Address::wrap, Address::mirror};

Kernel kernel_of(const Rank& rank, const std::string& name) {
    static std::map<std::string, Kernel> known;
    const std::string key = std::string(rank.word) + name;
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const std::string text = name == "sample" ? image_programs::sample(rank) : image_programs::access(rank);
    return known.emplace(key, default_context().compile(text).kernel(name)).first->second;
}

struct Read {
    std::vector<float4> floats;
    std::vector<int4> ints;
};

Read sample(const Rank& rank, const Texture& texture, const std::vector<float4>& points) {
    const auto at = to_gpu(points);
    GPUArray<float4> to(default_context(), at.shape());
    GPUArray<int4> ints(default_context(), at.shape());
    const int count = static_cast<int>(points.size());
    kernel_of(rank, "sample")({.block = 64, .threads = count}, texture, at, to, ints, count);
    return {to.get(), ints.get()};
}

/// An array's shape with about a thousand elements: layers first, x last.
std::vector<std::size_t> shape_of(const Rank& rank) {
    const std::vector<std::size_t> extents = rank.dimensions == 1   ? std::vector<std::size_t>{37}
                                             : rank.dimensions == 2 ? std::vector<std::size_t>{13, 19}
                                                                    : std::vector<std::size_t>{5, 7, 11};
    std::vector<std::size_t> shape = extents;
    if (rank.is_layered) shape.insert(shape.begin(), 3);
    return shape;
}

/// Points inside, on centres and edges, and far beyond the border; layers beyond theirs too.
std::vector<float4> points_for(const Rank& rank, bool normalised, std::mt19937& random) {
    const std::vector<std::size_t> shape = shape_of(rank);
    std::vector<float4> points;
    for (int i = 0; i < 700; ++i) {
        float at[3] = {0, 0, 0};
        for (int axis = 0; axis < rank.dimensions; ++axis) {
            const float n = static_cast<float>(shape[shape.size() - 1 - static_cast<std::size_t>(axis)]);
            float x = std::uniform_real_distribution<float>(-2.3f * n, 3.4f * n)(random);
            if (i % 3 == 0) x = std::floor(x) + 0.5f;
            if (i % 7 == 0 && !normalised) x = std::floor(x);
            if (i % 2 == 0) x = std::uniform_real_distribution<float>(0.5f, n - 0.5f)(random);
            at[axis] = normalised ? x / n : x;
        }
        points.push_back({at[0], at[1], at[2], static_cast<float>(i % 5 - 1)});
    }
    return points;
}

/// What the words mean, in double precision.
class Reference {
   public:
    Reference(const Rank& rank, std::vector<float> values, Sampler sampler)
        : rank_(rank), values_(std::move(values)), sampler_(sampler) {
        const auto shape = shape_of(rank);
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            extent_[axis] = static_cast<int>(shape[shape.size() - 1 - axis]);
    }
    double at(const float4& p) const {
        const float x[3] = {p.x, p.y, p.z};
        int low[3]{};
        double part[3]{};
        for (int axis = 0; axis < rank_.dimensions; ++axis) {
            const float scaled = sampler_.normalised ? x[axis] * static_cast<float>(extent_[axis]) : x[axis];
            const bool is_linear = sampler_.filter == Filter::linear;
            const double place = is_linear ? static_cast<double>(scaled) - 0.5 : static_cast<double>(scaled);
            low[axis] = static_cast<int>(std::floor(place));
            part[axis] = is_linear ? place - low[axis] : 0;
        }
        double sum = 0;
        for (int corner = 0; corner < 1 << rank_.dimensions; ++corner) {
            double weight = 1;
            int index[3] = {low[0], low[1], low[2]};
            for (int axis = 0; axis < rank_.dimensions; ++axis) {
                const bool is_high = corner >> axis & 1;
                weight *= is_high ? part[axis] : 1 - part[axis];
                index[axis] += is_high;
            }
            if (weight != 0) sum += weight * element(index, static_cast<int>(p.w));
        }
        return sum;
    }

   private:
    int inside(int i, int n) const {
        switch (sampler_.address) {
            case Address::clamp: return std::clamp(i, 0, n - 1);
            case Address::border: return i < 0 || i >= n ? -1 : i;
            case Address::wrap: return ((i % n) + n) % n;
            default: i = ((i % (2 * n)) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i;
        }
    }
    double element(const int* index, int layer) const {
        std::size_t place = 0;
        if (rank_.is_layered) place = static_cast<std::size_t>(std::clamp(layer, 0, extent_[rank_.dimensions] - 1));
        for (int axis = rank_.dimensions; axis-- > 0;) {
            const int i = inside(index[axis], extent_[axis]);
            if (i < 0) return 0;
            place = place * static_cast<std::size_t>(extent_[axis]) + static_cast<std::size_t>(i);
        }
        return values_[place];
    }

    const Rank& rank_;
    std::vector<float> values_;
    Sampler sampler_;
    std::array<int, 4> extent_{1, 1, 1, 1};
};

Shape as_shape(const std::vector<std::size_t>& extents) {
    Shape shape;
    for (const std::size_t n : extents) shape.push_back(static_cast<std::int64_t>(n));
    return shape;
}

std::size_t count_of(const std::vector<std::size_t>& shape) {
    std::size_t count = 1;
    for (const std::size_t n : shape) count *= n;
    return count;
}

/// Random elements of any format; floats between 0 and 1.
std::vector<std::byte> elements(const ImageFormat& format, std::size_t count, std::mt19937& random) {
    std::vector<std::byte> bytes(count * format.dtype.size_bytes());
    const std::size_t size = format.dtype.size_bytes() / format.dtype.lanes();
    for (std::size_t i = 0; i < bytes.size(); i += size) {
        if (format.dtype.is_floating()) {
            const float value = std::uniform_real_distribution<float>(0, 1)(random);
            const half small(value);
            std::memcpy(&bytes[i], size == 4 ? static_cast<const void*>(&value) : &small, size);
        } else {
            const auto word = static_cast<std::uint32_t>(random());
            std::memcpy(&bytes[i], &word, size);
        }
    }
    return bytes;
}

AnyArray array_of(const ImageFormat& format, const Shape& shape, const std::vector<std::byte>& bytes) {
    AnyArray array(default_context(), format.dtype, shape);
    array.set_bytes(bytes.data());
    return array;
}

AnyImage image_of(const ImageFormat& format, const std::vector<std::size_t>& shape, const AnyArray& array,
                  bool is_layered) {
    AnyImage image(default_context(), format, shape, is_layered);
    image.copy_from(array.buffer().view(array.offset_bytes(), array.size_bytes()));
    return image;
}

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0;
}

template <class T>
bool same_elements(const GPUArray<T>& a, const GPUArray<T>& b) {
    return a.shape() == b.shape() && a.get() == b.get();
}

double difference(const float4& a, const float4& b) {
    return std::max(std::max(std::fabs(a.x - b.x), std::fabs(a.y - b.y)),
                    std::max(std::fabs(a.z - b.z), std::fabs(a.w - b.w)));
}

template <class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

bool has_images() { return default_context().device().info().has_images; }

bool has_fractions(const ImageFormat& format) { return format.normalised || format.dtype.is_floating(); }
bool is_unsigned(const ImageFormat& format) { return format.dtype.kind() == DType::Kind::unsigned_integer; }

/// The coordinates of every element of an image in C order, and of two elements outside.
struct ImagePoints {
    explicit ImagePoints(const Rank& rank) : count(count_of(shape_of(rank))) {
        const auto shape = shape_of(rank);
        std::vector<float4> points;
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t rest = i;
            float p[4] = {};
            for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
                p[rank.is_layered && axis == 0 ? 3 : shape.size() - 1 - axis] = static_cast<float>(rest % shape[axis]);
            points.push_back({p[0], p[1], p[2], p[3]});
        }
        for (const float outside : {-1.0f, 1000.0f}) points.push_back({outside, 0, 0, 0});
        at = to_gpu(points);
    }

    std::size_t count;  // inside
    GPUArray<float4> at;
};

/// Numbers that elements of this format hold, with fractions where it has them.
std::vector<float4> numbers_for(const ImageFormat& format, std::size_t count, std::mt19937& random) {
    std::vector<float4> values;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = [&] { return static_cast<float>(static_cast<int>(random() % 200) - 100) / 128; };
        values.push_back({value(), value(), value(), value()});
    }
    if (!has_fractions(format))
        for (float4& v : values) v = {v.x * 128, v.y * 128, v.z * 128, v.w * 128};
    if (is_unsigned(format))
        for (float4& v : values) v = {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z), std::fabs(v.w)};
    return values;
}

Read read_back(const Rank& rank, const AnyImage& image, const ImagePoints& points) {
    GPUArray<float4> floats(default_context(), points.at.shape());
    GPUArray<int4> ints(default_context(), points.at.shape());
    GPUArray<uint4> words(default_context(), points.at.shape());
    const int threads = static_cast<int>(points.at.size());
    kernel_of(rank, "read")({.block = 64, .threads = threads}, image, points.at, floats, ints, words, threads);
    return {floats.get(), ints.get()};
}

void check_written_numbers(const Rank& rank, const AnyImage& image, const ImagePoints& points, std::mt19937& random) {
    const ImageFormat format = image.format();
    const std::vector<float4> values = numbers_for(format, points.at.size(), random);
    const int threads = static_cast<int>(values.size());
    kernel_of(rank, "write_float")({.block = 64, .threads = threads}, image, points.at, to_gpu(values), threads);
    const auto [floats, ints] = read_back(rank, image, points);
    const std::size_t lanes = format.dtype.lanes();
    const bool is_byte = format.dtype.size_bytes() == lanes;
    const double largest = is_unsigned(format) ? (is_byte ? 255 : 65535) : is_byte ? 127 : 32767;
    const double tolerance = format.normalised ? 0.51 / largest : 0;
    int wrong = 0;
    for (std::size_t i = 0; i < points.count; ++i) {
        const float4 v{values[i].x, lanes > 1 ? values[i].y : 0, lanes > 2 ? values[i].z : 0,
                       lanes > 2 ? values[i].w : 0};
        wrong += difference(floats[i], v) > tolerance;
        if (!has_fractions(format)) wrong += ints[i].x != static_cast<int>(v.x) || ints[i].y != static_cast<int>(v.y);
    }
    CHECK(wrong == 0);
    for (std::size_t i = points.count; i < floats.size(); ++i) CHECK(floats[i] == float4{});
}

/// Integers of every sign that do not fit are saturated.
void check_saturation(const Rank& rank, const AnyImage& image, const ImagePoints& points) {
    const std::vector<int4> large(points.at.size(), int4{70000, -70000, 5, -1});
    const int threads = static_cast<int>(large.size());
    kernel_of(rank, "write_int")({.block = 64, .threads = threads}, image, points.at, to_gpu(large), threads);
    const int4 found = read_back(rank, image, points).ints[0];
    const DType dtype = image.format().dtype;
    const int bits = static_cast<int>(8 * dtype.size_bytes() / dtype.lanes());
    if (is_unsigned(image.format())) {
        if (bits < 32) CHECK(found.x == (bits == 8 ? 255 : 65535));
        return;
    }
    const int highest = bits == 8    ? 127
                        : bits == 16 ? 32767
                                     : 70000,
              lowest = bits == 8    ? -128
                       : bits == 16 ? -32768
                                    : -70000;
    CHECK(found.x == highest);
    if (dtype.lanes() == 4) CHECK(found == int4{highest, lowest, 5, -1});
}

}  // namespace

TEST_SUITE_BEGIN("images");

TEST_CASE("textures over plain memory sample as the host does: every rank, filter, address and kind of coordinates") {
    std::mt19937 random(1);
    for (const Rank& rank : ranks) {
        const auto shape = shape_of(rank);
        std::vector<float> values(count_of(shape));
        for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(random);
        const auto array = to_gpu(values, as_shape(shape));
        for (const Address address : addresses)
            for (const Filter filter : {Filter::nearest, Filter::linear})
                for (const bool normalised : {false, true}) {
                    const Sampler sampler{filter, address, normalised};
                    CAPTURE(rank.word);
                    CAPTURE(static_cast<int>(address));
                    CAPTURE(static_cast<int>(filter));
                    CAPTURE(normalised);
                    const auto points = points_for(rank, normalised, random);
                    const Read read = sample(rank, Texture(array, sampler, rank.is_layered), points);
                    const Reference reference(rank, values, sampler);
                    int wrong = 0;
                    for (std::size_t i = 0; i < points.size(); ++i)
                        wrong += std::fabs(read.floats[i].x - reference.at(points[i])) > (filter == Filter::nearest ? 0
                                                                                          : normalised ? 4e-5
                                                                                                       : 1e-5) ||
                                 read.floats[i].y != 0 || read.floats[i].z != 0 || read.floats[i].w != 0;
                    CHECK(wrong == 0);
                }
    }
}

TEST_CASE("coordinates that are no numbers, or beyond all bounds, give an element or 0") {
    const auto array = to_gpu({1.0f, 2.0f, 3.0f});
    const float nan = std::nanf(""), infinity = INFINITY;
    const std::vector<float4> points{
        {nan, 0, 0, 0}, {infinity, 0, 0, 0}, {-infinity, 0, 0, 0}, {1e30f, 0, 0, 0}, {-1e30f, 0, 0, 0}};
    for (const Filter filter : {Filter::nearest, Filter::linear}) {
        const auto clamped = sample(ranks[0], Texture(array, {.filter = filter}), points).floats;
        CHECK(clamped[1].x == 3);
        CHECK(clamped[2].x == 1);
        CHECK(clamped[3].x == 3);
        CHECK(clamped[4].x == 1);
        for (const auto& value :
             sample(ranks[0], Texture(array, {.filter = filter, .address = Address::border}), points).floats)
            CHECK(value.x == 0);
    }
}

TEST_CASE("arrays that the hardware samples are within 2^-8 of those that the kernel interpolates") {
    std::mt19937 random(11);
    const Rank& rank = ranks[1];
    REQUIRE(std::string(rank.word) == "2D");
    std::vector<float> values(20 * 24);
    for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(random);
    const GPUArray<float> whole = to_gpu(values).reshape({20, 24});
    const bool is_cuda = default_device().backend() == "cuda";
    for (const Address address : addresses)
        for (const bool normalised : {false, true}) {
            std::vector<float4> points(500);
            for (float4& p : points) {
                std::uniform_real_distribution<float> at(-1.5f, 2.5f);
                p = {at(random) * (normalised ? 1.0f : 13.0f), at(random) * (normalised ? 1.0f : 19.0f), 0, 0};
            }
            const auto part = whole(slice(), slice(0, 19));
            const Sampler plain{.filter = Filter::linear, .address = address, .normalised = normalised};
            Sampler hardware = plain;
            hardware.hardware = true;
            const Texture texture(part, hardware);
            CHECK(texture.is_sampled_by_hardware() == is_cuda);
            const std::vector<float4> expected = sample(rank, Texture(part, plain), points).floats;
            const std::vector<float4> got = sample(rank, texture, points).floats;
            float worst = 0;
            for (std::size_t k = 0; k < points.size(); ++k) worst = std::max(worst, std::abs(got[k].x - expected[k].x));
            INFO("address " << static_cast<int>(address) << (normalised ? ", normalised" : ""));
            CHECK(worst <= (is_cuda ? 4 * 2.0f / 256 : 0.0f));
        }
}

TEST_CASE("textures over views of any layout: transposed, reversed, with gaps, of one buffer") {
    std::mt19937 random(2);
    std::vector<float> values(20 * 30);
    for (float& value : values) value = std::uniform_real_distribution<float>(0, 1)(random);
    const auto whole = to_gpu(values, {20, 30});
    const auto view = whole(slice(3, 16), slice({}, {}, -2)).transpose();
    const GPUArray<float> dense = view.copy(Order::C);
    std::vector<float4> points;
    for (int i = 0; i < 500; ++i)
        points.push_back({std::uniform_real_distribution<float>(-3, 20)(random),
                          std::uniform_real_distribution<float>(-3, 20)(random), 0, 0});
    for (const Filter filter : {Filter::nearest, Filter::linear}) {
        const Sampler sampler{.filter = filter, .address = Address::mirror};
        CHECK(same_bits(sample(ranks[1], Texture(view, sampler), points).floats,
                        sample(ranks[1], Texture(dense, sampler), points).floats));
    }
}

TEST_CASE("images of every format and rank: nearest has the bits of plain memory, linear is within 2^-8") {
    if (!has_images()) return;
    std::mt19937 random(3);
    for (const Rank& rank : ranks) {
        const auto shape = shape_of(rank);
        const auto all = formats(default_context(), static_cast<unsigned>(rank.dimensions), rank.is_layered);
        REQUIRE(!all.empty());
        for (const ImageFormat& format : all) {
            CAPTURE(rank.word);
            CAPTURE(format.name());
            const AnyArray array = array_of(format, as_shape(shape), elements(format, count_of(shape), random));
            const AnyImage image = image_of(format, shape, array, rank.is_layered);
            for (const Address address : addresses) {
                CAPTURE(static_cast<int>(address));
                const bool normalised = random() % 2;
                const auto points = points_for(rank, normalised, random);
                Sampler sampler{.address = address, .normalised = normalised};
                const Read own = sample(rank, Texture(image, sampler), points);
                const Read plain = sample(rank, Texture(array, sampler, rank.is_layered, format.normalised), points);
                if (!format.normalised) CHECK(same_bits(own.floats, plain.floats));
                if (!has_fractions(format)) CHECK(same_bits(own.ints, plain.ints));
                if (!has_fractions(format)) continue;
                double worst = 0, worst_exact = 0, worst_nearest = 0;
                sampler.filter = Filter::linear;
                const Read linear = sample(rank, Texture(image, sampler), points);
                const Read expected = sample(rank, Texture(array, sampler, rank.is_layered, format.normalised), points);
                sampler.exact = true;
                const Read exact = sample(rank, Texture(image, sampler), points);
                for (std::size_t i = 0; i < points.size(); ++i) {
                    worst_nearest = std::max(worst_nearest, difference(own.floats[i], plain.floats[i]));
                    worst = std::max(worst, difference(linear.floats[i], expected.floats[i]));
                    worst_exact = std::max(worst_exact, difference(exact.floats[i], expected.floats[i]));
                }
                CHECK(worst_nearest < 3e-7);
                CHECK(worst_exact < 3e-7);
                // Weights of 8 bits along each axis; signed normalised numbers span twice as much, and an H200 rounds
                // what it finds of signed bytes to their steps.
                const double span = format.dtype.kind() == DType::Kind::signed_integer ? 2.5 : 1;
                CHECK(worst < span * rank.dimensions / 256.0);
            }
        }
    }
}

TEST_CASE("what kernels write into images of every format is what arrays hold, and reads give it back") {
    if (!has_images()) return;
    std::mt19937 random(4);
    for (const Rank& rank : ranks) {
        const auto shape = shape_of(rank);
        const ImagePoints points(rank);
        for (const ImageFormat& format :
             formats(default_context(), static_cast<unsigned>(rank.dimensions), rank.is_layered)) {
            CAPTURE(rank.word);
            CAPTURE(format.name());
            const AnyImage image(default_context(), format, shape, rank.is_layered);
            check_written_numbers(rank, image, points, random);
            if (!has_fractions(format)) check_saturation(rank, image, points);
        }
    }
}

TEST_CASE("regions are copied between images and arrays of any layout, and between images") {
    if (!has_images()) return;
    const Context context = default_context();
    const auto numbers = arange<float>(20 * 30).reshape({20, 30});
    const Image<float> image(numbers);
    CHECK(same_elements(image.array(), numbers));
    GPUArray<float> part(context, {4, 5});
    image.copy_to(part, {3, 7});
    CHECK(same_elements(part, numbers(slice(3, 7), slice(7, 12))));
    image.copy_to(part.transpose().copy(Order::F).transpose(), {0, 0});
    const auto columns = numbers.copy();
    image.copy_to(columns(slice({}, {}, 2), slice({}, {}, 3)),
                  {10, 20});  // 10 x 10 into every second row, third column
    CHECK(same_elements(columns(slice({}, {}, 2), slice({}, {}, 3)), numbers(slice(10, 20), slice(20, 30))));
    image.copy_from(zeros<float>(context, {2, 3}), {18, 27});
    auto expected = numbers.copy();
    expected(slice(18, 20), slice(27, 30)).fill(0);
    CHECK(same_elements(image.array(), expected));
    Image<float> other(context, {9, 9});
    other.fill(-1);
    other.copy_from(image, {{2, 3}, {4, 5}}, {1, 2});
    auto target = full<float>(context, Shape{9, 9}, -1.0f);
    target(slice(1, 5), slice(2, 7)).assign(expected(slice(2, 6), slice(3, 8)));
    CHECK(same_elements(other.array(), target));
    other.copy_from(other, {{0, 0}, {1, 9}}, {8, 0});
    target(slice(8, 9)).assign(target(slice(0, 1)));
    CHECK(same_elements(other.array(), target));
    const auto layers = arange<std::int32_t>(3 * 4 * 5).reshape({3, 4, 5});
    const LayeredImage<std::int32_t> stack(layers);
    CHECK(same_elements(stack.array(), layers));
    GPUArray<std::int32_t> slab(context, {1, 2, 5});
    stack.copy_to(slab, {2, 1, 0});
    CHECK(same_elements(slab, layers(slice(2, 3), slice(1, 3))));
    const LayeredImage<std::int32_t, 1> lines(layers.reshape({12, 5}));
    GPUArray<std::int32_t> two(context, {2, 3});
    lines.copy_to(two, {7, 1});
    CHECK(same_elements(two, layers.reshape({12, 5})(slice(7, 9), slice(1, 4))));
    const Image<std::int32_t, 3> box(layers);
    box.copy_to(slab, {1, 2, 0});
    CHECK(same_elements(slab, layers(slice(1, 2), slice(2, 4))));
}

TEST_CASE("several ranks in one kernel, functions that take textures, arenas, doubles, prepared launches and graphs") {
    const Context context = default_context();
    const auto line = to_gpu({1.0f, 2.0f, 3.0f});
    const auto plane = to_gpu({10.0f, 20.0f, 30.0f, 40.0f}, {2, 2});
    const auto box = full<float>(context, Shape{2, 2, 2}, 100.0f);
    const auto layers = to_gpu({1000.0f, 2000.0f, 3000.0f}, {3, 1, 1});
    if (has_images()) {
        const Kernel mixed = context.compile(image_programs::mixed).kernel("mixed");
        const Image<float> out(context, {1, 2});
        auto to = zeros<float>(context, {1});
        const LaunchConfig config{.grid = 1, .block = 1, .shared_bytes = 16};
        mixed(config, Texture(line), Texture(plane), to, Texture(box), out, Texture(layers, {}, true), 0.5f);
        CHECK(to.item() == 2142.5f);
        CHECK(out.array().get()[1] == 2142.5f);
        const Image<float> image(plane * 2.0f);
        const PreparedLaunch prepared = mixed.prepare(config, Texture(line), Texture(image), to, Texture(box), out,
                                                      Texture(layers, {}, true), 0.5f);
        prepared();
        CHECK(to.item() == 2182.5f);
        prepared.set(1, Texture(plane));
        prepared.set(6, 1.5f);
        prepared();
        CHECK(to.item() == 2143.5f);
        const Stream stream = context.create_stream();
        const Graph graph = capture(stream, [&] {
            mixed(config, Texture(line), Texture(image), to, Texture(box), out, Texture(layers, {}, true), 0.5f);
        });
        graph.launch();
        stream.synchronize();
        CHECK(to.item() == 2182.5f);
        graph.update(0, 6, 2.5f);
        graph.launch();
        stream.synchronize();
        CHECK(to.item() == 2184.5f);
        const std::string message = message_of([&] { graph.update(0, 1, Texture(plane)); });
        CHECK_MESSAGE(message.find("record it anew") != std::string::npos, message);
    }
    if (context.device().info().has_double) {
        const std::vector<double> values{1.0 / 3, -1e300, 0, 5e-324};
        const auto numbers = to_gpu(values);
        auto to = zeros<double>(context, {4});
        context.compile(image_programs::doubles).kernel("doubles")({.grid = 1, .block = 4}, Texture(numbers), to);
        CHECK(to.get() == values);
    }
}

TEST_CASE("textures over plain memory compile for OpenCL devices without images") {
    if (default_context().dialect().name != "opencl") return;
    for (const Rank& rank : ranks)
        CHECK_NOTHROW((void)default_context().compile(NativeSource{
            .opencl = "#undef __IMAGE_SUPPORT__\n" + prelude(Dialect::opencl(), image_programs::sample(rank)) +
                      image_programs::sample(rank)}));
}

TEST_CASE("a texture keeps its image, an image its memory; streams wait for each other") {
    if (!has_images()) return;
    const Context context = default_context();
    const std::vector<float4> centres{{0.5f, 0.5f, 0, 0}, {3.5f, 2.5f, 0, 0}};
    const auto texture = [&] {
        const auto numbers = arange<float>(12).reshape({3, 4});
        return Texture(Image<float>(numbers));
    }();
    const auto read = sample(ranks[1], texture, centres).floats;
    CHECK(read[0].x == 0);
    CHECK(read[1].x == 11);
    const auto plain = [&] { return Texture(arange<float>(12).reshape({3, 4})); }();
    CHECK(sample(ranks[1], plain, centres).floats[1].x == 11);
    const Stream one = context.create_stream(), two = context.create_stream();
    const Image<float> image(context, {64, 64});
    GPUArray<float> out(context, {64, 64});
    for (int round = 0; round < 20; ++round) {
        {
            const StreamScope scope(one);
            image.copy_from(full<float>(context, Shape{64, 64}, static_cast<float>(round)));
        }
        {
            const StreamScope scope(two);
            image.copy_to(out);
        }
        CHECK(out(63, 63).item() == static_cast<float>(round));
        for (int k = 0; k < 5; ++k) Image<float>(context, {256, 256}).fill(k);  // freed while copies are under way
    }
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) wrong += sample(ranks[1], k % 2 ? texture : plain, centres).floats[1].x != 11;
        });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("numbers that a channel does not hold are clamped when a kernel writes them") {
    const Context context = default_context();
    int formats_found = 0;
    const auto written = [&]<class T>(T, const char* value) {
        const auto all = formats(context, 2, false);
        if (std::none_of(all.begin(), all.end(),
                         [](const ImageFormat& f) { return f.dtype == dtype_of<T>() && !f.normalised; }))
            return std::vector<T>{};
        ++formats_found;
        const Image<T, 2> image(context, {1, 2});
        const std::string text = std::string("KERNEL void write_one(IMAGE_2D_WRITE(i)) { image_write(i, 0, 0, ") +
                                 value + "); image_write(i, 1, 0, " + value + "); }";
        context.compile(text).kernel("write_one")({.grid = {1}, .block = {1}}, image);
        return image.array().get();
    };
    const auto check_written = [&]<class T>(T expected, const char* value) {
        CAPTURE(value);
        for (const T found : written(expected, value)) CHECK(found == expected);
    };
    check_written(std::uint8_t{0}, "-5");
    check_written(std::uint16_t{0}, "-5");
    check_written(std::uint32_t{0}, "-5");
    check_written(std::int8_t{127}, "4000000000u");
    check_written(std::int32_t{2147483647}, "4000000000u");
    check_written(std::uint32_t{0}, "-2.5f");
    check_written(std::uint32_t{4294967295u}, "1e20f");
    check_written(std::int32_t{-2147483647 - 1}, "-1e20f");
    check_written(std::int16_t{-7}, "-7");
    check_written(std::uint8_t{200}, "200u");
    if (formats_found == 0) gemel::testing::skip_case("this device has no images of integers of one channel");
}

TEST_SUITE_END();
