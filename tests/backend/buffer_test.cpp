/// Buffers: transfers, views, patterns, copies between all sorts of places, and running out of memory.
#include "support.hpp"

#include "device/fill_kernel.hpp"

#include <array>
#include <cstring>
#include <set>

using namespace gemel;
using gemel::testing::counting;
using gemel::testing::downloaded;
using gemel::testing::uploaded;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Bytes that repeat with no small period.
Bytes pattern_of(std::size_t n, unsigned seed = 1) {
    Bytes bytes(n);
    std::uint32_t x = seed;
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>((x = x * 1664525u + 1013904223u) >> 24);
    return bytes;
}

/// The host's copy of a window, to compare with.
void copy_window(Bytes& to, const RectWindow& t, const Bytes& from, const RectWindow& f, const RectExtent& e) {
    for (std::size_t slice = 0; slice < e.slices; ++slice)
        for (std::size_t row = 0; row < e.rows; ++row)
            std::memcpy(
                to.data() + (t.slice + slice) * t.slice_pitch_bytes + (t.row + row) * t.row_pitch_bytes + t.x_bytes,
                from.data() + (f.slice + slice) * f.slice_pitch_bytes + (f.row + row) * f.row_pitch_bytes + f.x_bytes,
                e.width_bytes);
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("what is uploaded comes back in whole and in part") {
    const Context context = default_context();
    for (const std::size_t n : {std::size_t{1}, std::size_t{15}, std::size_t{4096}, (std::size_t{1} << 20) + 3}) {
        Bytes expected = pattern_of(n), back(n);
        const Buffer buffer = uploaded(context, expected);
        CHECK(buffer.size_bytes() == n);
        buffer.download(back);
        CHECK(back == expected);
        if (n < 15) continue;
        const Bytes part = pattern_of(5, 99);
        buffer.upload(part, n - 5);
        std::copy(part.begin(), part.end(), expected.end() - 5);
        Bytes last(7);
        buffer.download(last, n - 7);
        CHECK(last == Bytes(expected.end() - 7, expected.end()));
        CHECK(downloaded<std::uint8_t>(buffer) == expected);
    }
}

TEST_CASE("transfers that do not fit are refused and say the sizes") {
    const Context context = default_context();
    const Buffer buffer = context.allocate(100);
    Bytes host(101);
    CHECK_THROWS_MENTIONING(ArgumentError, buffer.upload(host), "upload", "101", "100");
    CHECK_THROWS_MENTIONING(ArgumentError, buffer.download(host), "download", "101", "100");
    CHECK_THROWS_AS(buffer.upload(Bytes(10), 91), ArgumentError);
    CHECK_THROWS_AS(buffer.upload(Bytes(10), ~std::size_t{4}), ArgumentError);  // the sum overflows
    CHECK_THROWS_AS(buffer.view(50, 51), ArgumentError);
    CHECK_THROWS_AS(buffer.view(101, 0), ArgumentError);
    CHECK_THROWS_AS(buffer.view(~std::size_t{0}, 2), ArgumentError);
    CHECK_THROWS_MENTIONING(ArgumentError, context.allocate(99).copy_from(buffer), "100", "99");
    CHECK_THROWS_MENTIONING(ArgumentError, context.default_stream().copy(buffer, context.allocate(99)), "100", "99");
}

TEST_CASE("zero bytes are legal everywhere") {
    const Context context = default_context();
    const auto before = context.statistics();
    const Buffer none = context.allocate(0);
    CHECK(none.size_bytes() == 0);
    Bytes nothing;
    none.upload(nothing);
    none.download(nothing);
    none.fill(1.5);
    none.copy_from(context.allocate(0));
    none.copy_from(none);
    CHECK(none.view(0, 0).size_bytes() == 0);
    const HostBuffer<float> host(context, 0);
    CHECK(host.size() == 0);
    const Stream stream = context.create_stream();
    stream.copy(none, host);
    stream.copy(host, none);
    stream.copy(none, none);
    stream.copy_rectangle(none, {}, none, {}, {.width_bytes = 0});
    const MappedBuffer<float> mapped(context, 0);
    CHECK(mapped.map().size() == 0);
    Buffer released = context.allocate(0);
    released.release();
    const auto after = context.statistics();
    CHECK(after.allocations == before.allocations);
    CHECK(after.launches == before.launches);
}

TEST_CASE("views share the memory and views of views add their offsets") {
    const Context context = default_context();
    Bytes expected = pattern_of(1000);
    const Buffer buffer = uploaded(context, expected);
    const Buffer view = buffer.view(100, 500).view(11, 200);
    CHECK(view.offset_bytes() == 111);
    CHECK(downloaded<std::uint8_t>(view) == Bytes(expected.begin() + 111, expected.begin() + 311));
    view.upload(Bytes{1, 2, 3}, 197);
    expected[308] = 1, expected[309] = 2, expected[310] = 3;
    CHECK(downloaded<std::uint8_t>(buffer) == expected);
    CHECK(view.context() == context);
}

TEST_CASE("patterns of one to sixteen bytes fill whole buffers and misaligned views") {
    const Context context = default_context();
    for (const std::size_t size : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16}) {
        const Bytes pattern = pattern_of(size, static_cast<unsigned>(size) + 7);
        for (const std::size_t offset : {0, 1, 2, 4, 13}) {
            CAPTURE(size);
            CAPTURE(offset);
            Bytes expected = pattern_of(size * 301 + 40, 5);
            const Buffer buffer = uploaded(context, expected);
            buffer.view(offset, size * 301).fill_bytes(pattern.data(), size);
            for (std::size_t i = 0; i < size * 301; ++i) expected[offset + i] = pattern[i % size];
            CHECK(downloaded<std::uint8_t>(buffer) == expected);
        }
    }
    const Buffer doubles = context.allocate(24);
    doubles.fill(2.5);
    CHECK(downloaded<double>(doubles) == std::vector<double>(3, 2.5));
    doubles.fill(0.0);
    CHECK(downloaded<double>(doubles) == std::vector<double>(3, 0.0));
}

// Drivers fill most of these themselves, so the kernels are launched here without them.
TEST_CASE("the kernels that fill take patterns of any length at any place") {
    const Context context = default_context();
    const Module module = context.compile(fill_source);
    for (const std::size_t period : {1, 2, 3, 4, 6, 8, 12, 16})
        for (const std::size_t offset : {0, 1, 2, 3, 4, 6, 8, 13})
            for (const std::size_t repeats : {1, 3, 301}) {
                CAPTURE(period);
                CAPTURE(offset);
                CAPTURE(repeats);
                const Bytes pattern = pattern_of(period, static_cast<unsigned>(period) + 3);
                const std::size_t bytes = repeats * period;
                Bytes expected = pattern_of(offset + bytes + 11, 5);
                const Buffer buffer = uploaded(context, expected);
                const auto w = fill_words(reinterpret_cast<const std::byte*>(pattern.data()), period);
                const auto launches = fill_launches(256 + offset, offset, bytes, period);
                CHECK(launches[0].count * 4 + launches[1].count == static_cast<std::int64_t>(bytes));
                // Words where they can be, and then no more than three bytes behind them.
                const bool in_words = offset % 4 == 0 && period != 3 && period != 6;
                CHECK(launches[0].count == (in_words ? static_cast<std::int64_t>(bytes / 4) : 0));
                for (const FillLaunch& fill : launches)
                    if (fill.count > 0)
                        module.kernel(fill.kernel)({.block = {64}, .threads = {fill.count}}, buffer, fill.first,
                                                   fill.count, fill.period, w[0], w[1], w[2], w[3]);
                for (std::size_t i = 0; i < bytes; ++i) expected[offset + i] = pattern[i % period];
                CHECK(downloaded<std::uint8_t>(buffer) == expected);
            }
}

TEST_CASE("an allocation that is not aligned is not filled by words") {
    for (const std::uint64_t address : {1, 2, 3}) {
        const auto launches = fill_launches(address, 0, 64, 8);
        CHECK(launches[0].count == 0);
        CHECK(launches[1].count == 64);
    }
}

TEST_CASE("a pattern that does not divide the size is refused") {
    const Context context = default_context();
    const Buffer buffer = context.allocate(10);
    CHECK_THROWS_MENTIONING(ArgumentError, buffer.fill(1.0f), "10", "4");
    const Bytes long_pattern(17);
    CHECK_THROWS_MENTIONING(ArgumentError, context.allocate(34).fill_bytes(long_pattern.data(), 17), "17");
    CHECK_THROWS_AS(buffer.fill_bytes(long_pattern.data(), 0), ArgumentError);
}

TEST_CASE("copies within one buffer work where the ranges are apart and are refused where they overlap") {
    const Context context = default_context();
    Bytes expected = pattern_of(300);
    const Buffer buffer = uploaded(context, expected);
    buffer.view(200, 100).copy_from(buffer.view(0, 100));
    std::copy(expected.begin(), expected.begin() + 100, expected.begin() + 200);
    CHECK(downloaded<std::uint8_t>(buffer) == expected);
    CHECK_THROWS_MENTIONING(ArgumentError, buffer.view(50, 100).copy_from(buffer.view(149, 100)), "overlap");
    CHECK_THROWS_AS(buffer.copy_from(buffer), ArgumentError);
    buffer.view(50, 100).copy_from(buffer.view(150, 100));
    std::copy(expected.begin() + 150, expected.begin() + 250, expected.begin() + 50);
    CHECK(downloaded<std::uint8_t>(buffer) == expected);
}

TEST_CASE("copies go between all contexts of all devices and backends in any direction") {
    constexpr std::size_t piece = std::size_t{16} << 20;
    std::vector<Context> contexts;
    for (const Device& device : all_devices())
        for (int twice = 0; twice < 2; ++twice) contexts.emplace_back(device);
    contexts.push_back(default_context());
    for (const auto& source : contexts) {
        for (const auto& target : contexts) {
            for (const std::size_t n : {std::size_t{1}, std::size_t{12345}}) {
                const Bytes expected = pattern_of(n + 6);
                const Buffer from = uploaded(source, expected), to = target.allocate(n + 9);
                to.fill(std::uint8_t{0});
                to.view(3, n).copy_from(from.view(5, n));
                Bytes whole(n + 9);
                std::copy(expected.begin() + 5, expected.begin() + 5 + n, whole.begin() + 3);
                CHECK(downloaded<std::uint8_t>(to) == whole);
            }
        }
    }
    const Context& source = contexts.front();
    const Context& target = contexts[1];  // another context of the same device
    for (const std::size_t n : {piece - 1, piece, piece + 1, 2 * piece + 5}) {
        const Bytes expected = pattern_of(n);
        const Buffer from = uploaded(source, expected), to = target.allocate(n);
        to.copy_from(from);
        CHECK(downloaded<std::uint8_t>(to) == expected);
    }
}

TEST_CASE("a released buffer says so whatever handle is used") {
    const Context context = default_context();
    Buffer buffer = context.allocate(64);
    const Buffer other = buffer, view = buffer.view(8, 8);
    buffer.release();
    CHECK(buffer.empty());
    CHECK_THROWS_MENTIONING(ArgumentError, buffer.fill(1), "empty");
    CHECK_THROWS_MENTIONING(ArgumentError, other.fill(1), "released");
    CHECK_THROWS_MENTIONING(ArgumentError, downloaded<int>(view), "released");
    CHECK_THROWS_AS(other.view(0, 1), ArgumentError);
    CHECK_THROWS_AS(other.native_handle(), ArgumentError);
    CHECK_THROWS_AS(Buffer().context(), ArgumentError);
    buffer.release();  // a second time is harmless
    Buffer again = other;
    again.release();
    CHECK(context.allocate(64).size_bytes() == 64);
}

TEST_CASE("windows with odd origins go through four arrays of different sizes") {
    const Context context = default_context();
    // 128 x 96 bytes, and three slices of it, through arrays that have nothing in common.
    struct Case {
        std::size_t slices, more;  // bytes between slices that are no whole rows
    };
    for (const auto& [slices, more] : {Case{1, 0}, Case{3, 0}, Case{3, 7}}) {
        const RectExtent extent{.width_bytes = 128, .rows = 96, .slices = slices};
        std::array<RectWindow, 4> windows{
            RectWindow{.x_bytes = 17, .row = 3, .slice = 1, .row_pitch_bytes = 201, .slice_pitch_bytes = 201 * 113},
            RectWindow{.x_bytes = 5, .row = 31, .slice = 0, .row_pitch_bytes = 256, .slice_pitch_bytes = 256 * 130},
            RectWindow{.x_bytes = 64, .row = 1, .slice = 2, .row_pitch_bytes = 199, .slice_pitch_bytes = 199 * 97},
            RectWindow{.x_bytes = 9, .row = 7, .slice = 1, .row_pitch_bytes = 137, .slice_pitch_bytes = 137 * 104}};
        for (RectWindow& window : windows) window.slice_pitch_bytes += more;
        std::array<Bytes, 4> expected;
        for (std::size_t k = 0; k < 4; ++k)
            expected[k] = pattern_of((windows[k].slice + slices) * windows[k].slice_pitch_bytes, unsigned(k) + 1);
        const Buffer first = uploaded(context, expected[1]), second = uploaded(context, expected[2]);
        Bytes back = expected[3];
        first.upload_rectangle(windows[1], std::as_bytes(std::span(expected[0])), windows[0], extent);
        context.default_stream().copy_rectangle(second, windows[2], first, windows[1], extent);
        second.download_rectangle(std::as_writable_bytes(std::span(back)), windows[3], windows[2], extent);
        for (std::size_t k = 1; k < 4; ++k)
            copy_window(expected[k], windows[k], expected[k - 1], windows[k - 1], extent);
        CHECK(downloaded<std::uint8_t>(first) == expected[1]);
        CHECK(downloaded<std::uint8_t>(second) == expected[2]);
        CHECK(back == expected[3]);
    }
}

TEST_CASE("a window goes from one context to another") {
    const Context here = default_context(), there(default_device());
    const RectExtent extent{.width_bytes = 11, .rows = 5, .slices = 2};
    const RectWindow to{.x_bytes = 3, .row = 2, .row_pitch_bytes = 19, .slice_pitch_bytes = 19 * 8};
    const RectWindow from{.x_bytes = 1, .row = 1, .slice = 1, .row_pitch_bytes = 13, .slice_pitch_bytes = 13 * 7 + 4};
    Bytes expected = pattern_of(19 * 16);
    const Bytes source = pattern_of(3 * (13 * 7 + 4), 2);
    const Buffer target = uploaded(here, expected);
    here.default_stream().copy_rectangle(target, to, uploaded(there, source), from, extent);
    copy_window(expected, to, source, from, extent);
    CHECK(downloaded<std::uint8_t>(target) == expected);
    CHECK_THROWS_AS(there.default_stream().copy_rectangle(target, to, uploaded(there, source), from, extent),
                    ArgumentError);
    CHECK_THROWS_AS(here.default_stream().copy_rectangle(target, to, there.allocate(10), from, extent), ArgumentError);
    CHECK(downloaded<std::uint8_t>(target) == expected);
}

TEST_CASE("windows of views and tight windows are right too") {
    const Context context = default_context();
    Bytes expected = pattern_of(500), host = pattern_of(60, 2);
    const Buffer buffer = uploaded(context, expected);
    // Without pitches a side is exactly as wide as what is copied.
    buffer.view(33, 400).upload_rectangle({.x_bytes = 1, .row = 2, .row_pitch_bytes = 19},
                                          std::as_bytes(std::span(host)), {}, {.width_bytes = 12, .rows = 5});
    for (std::size_t row = 0; row < 5; ++row)
        std::copy_n(host.begin() + row * 12, 12, expected.begin() + 33 + (2 + row) * 19 + 1);
    CHECK(downloaded<std::uint8_t>(buffer) == expected);
}

TEST_CASE("windows that leave their array are refused") {
    const Context context = default_context();
    const Buffer buffer = context.allocate(1000);
    Bytes host(1000);
    const auto bytes = std::as_bytes(std::span(host));
    const RectExtent extent{.width_bytes = 10, .rows = 10};
    const RectWindow fits{.row_pitch_bytes = 100};
    buffer.upload_rectangle(fits, bytes, fits, extent);
    CHECK_THROWS_MENTIONING(ArgumentError,
                            buffer.upload_rectangle({.row = 1, .row_pitch_bytes = 100}, bytes, fits, extent), "1000");
    CHECK_THROWS_AS(buffer.upload_rectangle(fits, bytes, {.x_bytes = 91, .row_pitch_bytes = 100}, extent),
                    ArgumentError);
    CHECK_THROWS_AS(buffer.upload_rectangle({.row_pitch_bytes = 9}, bytes, fits, extent), ArgumentError);
    CHECK_THROWS_AS(
        buffer.upload_rectangle({.slice = 9, .row_pitch_bytes = 10, .slice_pitch_bytes = 105}, bytes, fits, extent),
        ArgumentError);
    // Figures whose products overflow must not look small.
    constexpr std::size_t huge = std::size_t{1} << 60;
    CHECK_THROWS_AS(buffer.upload_rectangle({.row = huge, .row_pitch_bytes = 128}, bytes, fits, extent), ArgumentError);
    CHECK_THROWS_AS(buffer.upload_rectangle({.row_pitch_bytes = 16}, bytes, {.row_pitch_bytes = 16},
                                            {.width_bytes = 10, .rows = huge + 1}),
                    ArgumentError);
}

TEST_CASE("too much memory is an error that says the sizes and the context goes on") {
    const Context context(default_device());
    CHECK_THROWS_MENTIONING(OutOfMemory, context.allocate(std::size_t{1} << 60), std::to_string(std::size_t{1} << 60),
                            context.device().name(), "the pool holds");
    CHECK_THROWS_AS(context.allocate(~std::size_t{0}), OutOfMemory);
    CHECK_THROWS_AS(context.allocate(context.device().info().global_memory_bytes + 1), OutOfMemory);
    CHECK_THROWS_AS(HostBuffer<double>(context, std::size_t{1} << 58), OutOfMemory);
    CHECK_THROWS_AS(HostBuffer<double>(context, std::size_t{1} << 61), OutOfMemory);  // 8 * 2^61 is 0
    CHECK_THROWS_AS(MappedBuffer<double>(context, (std::size_t{1} << 61) + 1), OutOfMemory);
    const auto values = counting<int>(1000);
    CHECK(downloaded<int>(uploaded(context, values)) == values);
}

TEST_CASE("mapped memory is reached by host and device without copies") {
    const Context context = default_context();
    const MappedBuffer<int> mapped(context, 256);
    {
        const auto view = mapped.map();
        for (std::size_t i = 0; i < view.size(); ++i) view[i] = static_cast<int>(i);
    }
    const auto before = context.statistics();
    gemel::testing::common_kernel(context, "add")({.block = {64}, .threads = {256}}, mapped.buffer(), mapped.buffer(),
                                                  1000, 256);
    const auto view = mapped.map();
    int wrong = 0;
    for (int i = 0; i < 256; ++i) wrong += view[static_cast<std::size_t>(i)] != i + 1000;
    CHECK(wrong == 0);
    const auto after = context.statistics();
    CHECK(after.uploaded_bytes == before.uploaded_bytes);
    CHECK(after.downloaded_bytes == before.downloaded_bytes);
}

TEST_CASE("managed memory works where the device has it and is refused by name where not") {
    const Context context = default_context();
    if (!context.device().info().has_managed_memory) {
        CHECK_THROWS_MENTIONING(Error, MappedBuffer<int>(context, 16, MappedKind::managed), context.device().name(),
                                "managed");
        return;
    }
    const MappedBuffer<int> managed(context, 256, MappedKind::managed);
    {
        const auto view = managed.map();
        for (std::size_t i = 0; i < view.size(); ++i) view[i] = static_cast<int>(i);
    }
    gemel::testing::common_kernel(context, "add")({.block = {64}, .threads = {256}}, managed.buffer(), managed.buffer(),
                                                  5, 256);
    const auto view = managed.map();
    int wrong = 0;
    for (int i = 0; i < 256; ++i) wrong += view[static_cast<std::size_t>(i)] != i + 5;
    CHECK(wrong == 0);
}

TEST_CASE("buffers on PoCL's processors begin at different places of a page") {
    const Context context = default_context();
    const Device device = context.device();
    const DeviceInfo& info = device.info();
    if (info.platform != "Portable Computing Language" || info.type != DeviceInfo::Type::cpu) {
        MESSAGE("SKIPPED: this is not PoCL on a processor");
        return;
    }
    const Kernel place =
        context.compile("KERNEL void place(GLOBAL_MEM unsigned *x) { x[0] = (unsigned)((size_t)x & 4095); }")
            .kernel("place");
    std::vector<Buffer> buffers;
    std::set<std::uint32_t> places;
    for (int i = 0; i < 3; ++i) {
        buffers.push_back(context.allocate(std::size_t{1} << 26));
        place({.grid = {1}, .block = {1}}, buffers.back());
        places.insert(downloaded<std::uint32_t>(buffers.back())[0]);
    }
    CHECK(places.size() == 3);
}

TEST_SUITE_END();
