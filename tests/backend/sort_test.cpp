/// Sorts beside std::stable_sort of the host: every type, strategy, size, axis and layout.
#include "sort_support.hpp"

#include <gemel/core/text.hpp>

using namespace gemel;
using namespace gemel::testing;
using Strategy = codegen::SortStrategy;
using Tuning = codegen::SortTuning;

namespace {

/// One block or thread, and tiles, of which the last is cut; argsort below takes chunks on CPU devices.
struct Shaped {
    Tuning tuning;
    std::size_t length;
};
const std::vector<Shaped> shapes{
    {{}, 1000}, {{.strategy = Strategy::one_sweep}, 20000}, {{.strategy = Strategy::one_launch}, 20000}};

/// Another number for each type: even and odd ones in pairs, as types come signed and unsigned.
std::size_t next_turn() {
    static std::size_t turn = 0;
    ++turn;
    return turn + turn / 2;
}

template <class T>
void check_type(const char* name) {
    if (sizeof(T) >= 8 && !std::is_integral_v<T> && dtype_of<T>() != dtype_of<cfloat>() && lacks_double()) return;
    std::size_t choice = next_turn();
    for (const Shaped& shape : shapes) {
        if (is_left_out(2, choice++)) continue;  // the check sorts each type in one or two of these ways
        const auto x = peculiar<T>(shape.length, 3);
        const auto places = sorted_places<T>(x, shape.length, false);
        const GPUArray<T> on = on_device<T>(x);
        const SortOptions options{.tuning = shape.tuning};
        const auto sorted = sort(on, options).get();
        CHECK_MESSAGE(bits_of(sorted) == bits_of(taken(x, places, shape.length)), name, " sort ", shape.length, " ",
                      codegen::to_string(shape.tuning));
    }
    const auto x = peculiar<T>(4999, 4, true);
    const GPUArray<T> on = on_device<T>(x);
    CHECK_SAME(sorted_places<T>(x, 4999, true), argsort(on, {.descending = true}).get(), name, " argsort downwards");
}

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("integers of every width are sorted") {
    check_type<std::int8_t>("int8");
    check_type<std::uint8_t>("uint8");
    check_type<std::int16_t>("int16");
    check_type<std::uint16_t>("uint16");
    check_type<std::int32_t>("int32");
    check_type<std::uint32_t>("uint32");
    check_type<std::int64_t>("int64");
    check_type<std::uint64_t>("uint64");
    check_type<bool>("bool");
}

TEST_CASE("floats are sorted with NaN last and zeros of either sign as equals") {
    check_type<half>("half");
    check_type<bfloat16>("bfloat16");
    check_type<float>("float");
    check_type<double>("double");
    check_type<cfloat>("complex64");
    check_type<cdouble>("complex128");
}

TEST_CASE("every strategy sorts keys of any number with their places and values in either direction") {
    const std::vector<Tuning> tunings{{},
                                      {.digit_bits = 11, .strategy = Strategy::chunks},
                                      {.block = 64, .items_per_thread = 3, .strategy = Strategy::three_passes},
                                      {.block = 384, .items_per_thread = 5, .strategy = Strategy::one_sweep},
                                      {.block = 384, .items_per_thread = 5, .strategy = Strategy::one_launch},
                                      {.block = 256, .items_per_thread = 4, .strategy = Strategy::block},
                                      {.strategy = Strategy::serial_rows}};
    std::size_t choice = 0;
    for (const Tuning& tuning : tunings)
        for (const std::size_t n :
             {0u, 1u, 2u, 191u, 192u, 193u, 255u, 1023u, 1024u, 1919u, 1920u, 1921u, 4097u, 30011u}) {
            if (tuning.strategy == Strategy::block && n > 1024) continue;
            const bool descending = n % 2 == 1;
            const auto x = peculiar<float>(n, 5, n % 3 == 0);
            const auto places = sorted_places<float>(x, std::max<std::size_t>(n, 1), descending);
            const GPUArray<float> on = to_gpu(x);
            const GPUArray<std::int32_t> values = to_gpu(counted(n));
            const SortOptions options{.descending = descending, .tuning = tuning};
            const std::string what = text(n, " ", codegen::to_string(tuning));
            // In the check each tuning sorts places at every other number of keys, and values at the others.
            if (!is_left_out(2, ++choice / 2)) CHECK_SAME(places, argsort(on, options).get(), "argsort ", what);
            if (is_left_out(2, choice / 2 + 1)) continue;
            const auto [keys, moved, small] = sort_by_key(options, on, values, values.astype<std::uint8_t>());
            const auto by_key = moved.get();
            CHECK_MESSAGE(bits_of(keys.get()) == bits_of(taken(x, places, std::max<std::size_t>(n, 1))), "keys ", what);
            CHECK_MESSAGE(std::equal(by_key.begin(), by_key.end(), places.begin(), places.end()), "values ", what);
            const auto bytes = small.get();
            for (std::size_t i = 0; i < n; ++i)
                if (bytes[i] != static_cast<std::uint8_t>(places[i])) {
                    FAIL_CHECK("bytes ", what);
                    break;
                }
        }
}

/// A tuning of one_sweep; devices without it sort the same arrays by chunks.
Tuning by_tiles(Tuning tuning) {
    if (!default_context().device().info().has_cross_block_visibility) return {.strategy = Strategy::chunks};
    tuning.strategy = Strategy::one_sweep;
    return tuning;
}

/// Tiles that exceed the static shared memory of a block: in parts, or with dynamic shared memory.
template <class T>
void check_large_tiles(const char* name, Tuning tuning) {
    const std::size_t tile = codegen::sort_tile(tuning);
    tuning = by_tiles(tuning);
    for (const std::size_t n : {tile - 1, tile, 2 * tile + 100}) {
        const SortOptions options{.descending = n == tile, .tuning = tuning};
        const std::string what = text(name, " ", n, " ", codegen::to_string(tuning));
        const auto x = peculiar<T>(n, 9);
        const auto places = sorted_places<T>(x, n, options.descending);
        const GPUArray<T> on = on_device<T>(x);
        const auto sorted = bits_of(taken(x, places, n));
        CHECK_MESSAGE(bits_of(sort(on, options).get()) == sorted, "sort ", what);
        const GPUArray<std::int64_t> numbers = to_gpu(places);
        const auto [keys, four, two, eight] =
            sort_by_key(options, on, to_gpu(counted(n)), numbers.astype<std::int16_t>(), numbers);
        const auto by_four = four.get();
        const auto by_two = two.get();
        const auto by_eight = eight.get();
        CHECK_MESSAGE(bits_of(keys.get()) == sorted, "keys ", what);
        bool is_same = true;
        for (std::size_t i = 0; i < n; ++i) {
            const std::int64_t number = places[static_cast<std::size_t>(places[i])];
            is_same = is_same && by_four[i] == places[i] && by_eight[i] == number &&
                      by_two[i] == static_cast<std::int16_t>(number);
        }
        CHECK_MESSAGE(is_same, "values ", what);
    }
}

TEST_CASE("large tiles pass through shared memory in parts") {
    check_large_tiles<std::uint8_t>("uint8", {.block = 256, .items_per_thread = 61, .resident_blocks = 2});
    check_large_tiles<float>("float", {.block = 512, .items_per_thread = 32, .resident_blocks = 1});
    check_large_tiles<std::int32_t>("int32", {.block = 256, .items_per_thread = 48, .resident_blocks = 2});
    check_large_tiles<std::uint64_t>("uint64", {.block = 256, .items_per_thread = 36, .resident_blocks = 2});
    // A limit that NVIDIA's OpenCL takes, and for which registers are spilled.
    check_large_tiles<std::int32_t>("int32", {.block = 512, .items_per_thread = 12, .max_registers = 32});
    if (!lacks_double()) {
        // Values of 16 bytes: in parts on every GPU, over the counters; the first values are loaded early.
        const std::size_t n = 2 * 512 * 32 + 100;
        const auto keys = peculiar<float>(n, 12);
        const auto wide = peculiar<cdouble>(n, 13);
        const auto places = sorted_places<float>(keys, n, false);
        const auto [ordered, four, sixteen] =
            sort_by_key({.tuning = by_tiles({.block = 512, .items_per_thread = 32, .resident_blocks = 1})},
                        on_device<float>(keys), to_gpu(counted(n)), on_device<cdouble>(wide));
        CHECK_SAME(taken(keys, places, n), ordered.get(), "keys");
        CHECK_SAME(taken(counted(n), places, n), four.get(), "values of 4 bytes");
        CHECK_SAME(taken(wide, places, n), sixteen.get(), "values of 16 bytes");
        // Five rows in four parts: the last part has none.
        const std::size_t length = 2 * 640 * 5;
        const auto z = peculiar<cdouble>(length, 11);
        const auto sorted =
            sort(on_device<cdouble>(z), {.tuning = by_tiles({.block = 640, .items_per_thread = 5})}).get();
        CHECK(bits_of(sorted) == bits_of(taken(z, sorted_places<cdouble>(z, length, false), length)));
    }
    const std::size_t n = 40000;
    const auto x = peculiar<std::uint32_t>(n, 10);
    std::vector<std::int64_t> starts;
    for (std::size_t i = 0; i < n; i += 1 + i % 700) starts.push_back(static_cast<std::int64_t>(i));
    auto expected = x;
    for (std::size_t s = 0; s < starts.size(); ++s)
        std::sort(expected.begin() + starts[s],
                  s + 1 < starts.size() ? expected.begin() + starts[s + 1] : expected.end());
    CHECK_SAME(
        expected,
        sort_segments(to_gpu(x), to_gpu(starts), {.tuning = by_tiles({.block = 256, .items_per_thread = 61})}).get(),
        "segments");
}

TEST_CASE("a million keys are sorted stably") {
    const std::size_t n = (std::size_t{1} << 20) + 3;
    const auto x = peculiar<std::uint32_t>(n, 6);
    std::vector<std::uint32_t> keys(x);
    for (auto& key : keys) key &= 0xff00ff;  // two digits are the same in all
    const auto places = sorted_places<std::uint32_t>(keys, n, false);
    CHECK_SAME(places, argsort(to_gpu(keys)).get(), "argsort");
    CHECK_SAME(taken(x, sorted_places<std::uint32_t>(x, n, true), n), sort(to_gpu(x), {.descending = true}).get(),
               "sort");
}

TEST_CASE("keys that are all the same stay where they are") {
    for (const Tuning& tuning :
         {Tuning{}, Tuning{.strategy = Strategy::one_sweep}, Tuning{.strategy = Strategy::one_launch},
          Tuning{.block = 64, .items_per_thread = 3, .strategy = Strategy::three_passes}})
        for (const std::size_t n : {300u, 6000u}) {
            const GPUArray<std::int32_t> keys = full<std::int32_t>({n}, -7);
            const auto [sorted, values] = sort_by_key({.tuning = tuning}, keys, to_gpu(counted(n)));
            CHECK_SAME(counted(n), values.get(), n, " ", codegen::to_string(tuning));
            CHECK_SAME(keys.get(), sorted.get(), n);
        }
}

TEST_CASE("rows of any number and length are sorted each by itself") {
    std::size_t choice = 0;
    for (const Tuning& tuning :
         {Tuning{}, Tuning{.strategy = Strategy::one_sweep}, Tuning{.strategy = Strategy::one_launch},
          Tuning{.block = 64, .items_per_thread = 3, .strategy = Strategy::three_passes}})
        for (const auto& [rows, length] : {std::pair<std::size_t, std::size_t>{0, 5},
                                           {5, 0},
                                           {5, 1},
                                           {3000, 2},
                                           {700, 3},
                                           {301, 33},
                                           {40, 256},
                                           {9, 1025},
                                           {3, 9000},
                                           {2, 9001},
                                           {12, 5000}}) {
            const auto x = peculiar<float>(rows * length, 7);
            const GPUArray<float> on = to_gpu(x).reshape({rows, length});
            const auto places = sorted_places<float>(x, std::max<std::size_t>(length, 1), false);
            const std::string what = text(rows, " x ", length, " ", codegen::to_string(tuning));
            if (!is_left_out(2, choice++)) CHECK_SAME(places, argsort(on, {.tuning = tuning}).get(), "argsort ", what);
            if (rows * length > 0 && !is_left_out(2, choice))
                CHECK_MESSAGE(bits_of(sort(on, {.tuning = tuning}).get()) == bits_of(taken(x, places, length)), "sort ",
                              what);
        }
}

template <class T>
void check_few_long_rows(std::size_t rows, std::size_t length) {
    const auto x = peculiar<T>(rows * length, 23);
    const GPUArray<T> on = to_gpu(x).reshape({rows, length});
    const auto places = sorted_places<T>(x, length, false);
    std::size_t choice = next_turn();
    for (const Strategy strategy : {Strategy::automatic, Strategy::one_sweep}) {
        const SortOptions options{.tuning = {.strategy = strategy}};
        if (!is_left_out(2, choice++)) CHECK_SAME(places, argsort(on, options).get(), "argsort ", rows, " x ", length);
        if (is_left_out(2, choice)) continue;
        CHECK_MESSAGE(bits_of(sort(on, options).get()) == bits_of(taken(x, places, length)), rows, " x ", length);
    }
}

TEST_CASE("a few long rows begin anywhere") {
    check_few_long_rows<std::uint8_t>(8, 10001);
    check_few_long_rows<std::int16_t>(5, 8195);
    check_few_long_rows<std::int64_t>(2, 8193);
    if (!lacks_double()) check_few_long_rows<double>(3, 8195);
}

TEST_CASE("arrays in memory that begins anywhere are sorted and searched") {
    const Context context = default_context();
    const auto x = peculiar<float>(20001, 29);
    const std::size_t step = context.addresses_are_linear() ? 4 : 4096;  // sub-buffers of OpenCL begin at few places
    const Buffer buffer = context.allocate(step + 4 * x.size());
    const GPUArray<float> on(buffer.view(step, 4 * x.size()), Shape{x.size()}, Strides{1});
    on.set(x);
    const auto places = sorted_places<float>(x, x.size(), false);
    CHECK_SAME(places, argsort(on).get(), "argsort");
    on.assign(sort(on));
    CHECK_MESSAGE(bits_of(on.get()) == bits_of(taken(x, places, x.size())), "sort");
    const auto found = searchsorted(on, full<float>({300}, on(7).item()), Side::left, {.tree = SearchTreeUse::always});
    CHECK(found(299).item() == searchsorted(on.copy(), on(slice(7, 8)), Side::left).item());
}

template <class T>
void check_thread_rows(const char* type) {
    const Tuning by_threads{.strategy = Strategy::thread_rows};
    for (const std::size_t length : {2u, 7u, 32u})
        for (const std::size_t rows : {1u, 127u, 129u, 700u}) {
            const bool descending = rows % 2 == 0;
            const auto x = peculiar<T>(rows * length, 17);
            const GPUArray<T> on = to_gpu(x).reshape({rows, length});
            const auto places = sorted_places<T>(x, length, descending);
            const SortOptions options{.descending = descending, .tuning = by_threads};
            const std::string what = text(type, " ", rows, " x ", length);
            CHECK_SAME(places, argsort(on, options).get(), "argsort ", what);
            const GPUArray<std::int32_t> numbers = to_gpu(counted(rows * length)).reshape({rows, length});
            const auto [keys, moved] = sort_by_key(options, on, numbers);
            CHECK_MESSAGE(bits_of(keys.get()) == bits_of(taken(x, places, length)), "keys ", what);
            CHECK_SAME(taken(counted(rows * length), places, length), moved.get(), "values ", what);
        }
}

TEST_CASE("a thread sorts a short row") {
    check_thread_rows<float>("float");
    check_thread_rows<std::uint8_t>("uint8");
    check_thread_rows<std::int64_t>("int64");
    const Tuning by_threads{.strategy = Strategy::thread_rows};
    CHECK_THROWS_MENTIONING(ArgumentError, sort(ones<float>({4, 33}), {.tuning = by_threads}), "sort", "thread_rows",
                            "33 elements of float", "leave the strategy open");
    CHECK_THROWS_MENTIONING(ArgumentError, sort(ones<cfloat>({4, 8}), {.tuning = by_threads}), "thread_rows");
}

TEST_CASE("tunings that no kernel could take are brought into shape") {
    const std::size_t n = 5000;
    const auto x = peculiar<float>(n, 18);
    const GPUArray<float> on = to_gpu(x);
    const auto places = sorted_places<float>(x, n, false);
    for (const Tuning& tuning : {Tuning{.block = 128}, Tuning{.block = 100, .strategy = Strategy::one_sweep},
                                 Tuning{.block = 100, .strategy = Strategy::one_launch},
                                 Tuning{.block = 512, .items_per_thread = 40, .strategy = Strategy::one_sweep},
                                 Tuning{.block = 130, .items_per_thread = 20, .strategy = Strategy::block}})
        CHECK_SAME(places, argsort(on, {.tuning = tuning}).get(), codegen::to_string(tuning));
}

TEST_CASE("what is stored for one sort does no harm to others of its size") {
    const Context context = default_context();
    const auto rows = [](std::size_t length) { return to_gpu(peculiar<float>(12 * length, 19)).reshape({12, length}); };
    const auto check_rows_of = [&](std::size_t length) {
        const GPUArray<float> on = rows(length);
        CHECK_SAME(sorted_places<float>(on.get(), length, false), argsort(on).get(), "rows of ", length);
    };
    struct Stored {
        codegen::Workload work;
        Tuning tuning;
        ~Stored() { store_tuning(default_context(), work, Tuning{}); }
    };
    const auto store = [&](std::size_t length, const Tuning& tuning) {
        const codegen::Workload work{.count = length, .item_bytes = 4, .outputs = 12};
        store_tuning(context, work, tuning);
        return Stored{work, tuning};
    };
    {
        const Stored short_tile = store(1024, {.block = 256, .items_per_thread = 4});
        check_rows_of(1500);
    }
    const Stored by_threads = store(32, {.block = 128, .strategy = Strategy::thread_rows});
    check_rows_of(32);
    check_rows_of(50);
}

TEST_CASE("any axis of any layout is sorted") {
    const auto x = drawn<std::int32_t>(6 * 8 * 10, 8, -100, 100);
    const GPUArray<std::int32_t> whole = to_gpu(x).reshape({6, 8, 10});
    const GPUArray<std::int32_t> view = whole.permute({2, 0, 1})(slice({}, {}, -2), slice(1, 6));
    for (const GPUArray<std::int32_t>& given : {whole, view})
        for (int axis = -3; axis < 3; ++axis) {
            const GPUArray<std::int32_t> sorted = sort(given, {.axis = axis});
            CHECK(sorted.shape() == given.shape());
            CHECK(sorted.is_contiguous());
            Axes order{0, 1, 2};
            std::swap(order[static_cast<std::size_t>((axis + 3) % 3)], order[2]);
            const GPUArray<std::int32_t> rows = given.permute(order);
            const std::size_t length = static_cast<std::size_t>(rows.shape()[2]);
            const auto host = rows.get();
            const auto places = sorted_places<std::int32_t>(host, length, false);
            CHECK_SAME(taken(host, places, length), sorted.permute(order).get(), "axis ", axis);
            CHECK_SAME(places, argsort(given, {.axis = axis}).permute(order).get(), "argsort, axis ", axis);
        }
}

TEST_CASE("a sort writes into the given array which may be the sorted one") {
    const auto x = drawn<std::int32_t>(60, 9, -50, 50);
    std::vector<std::int32_t> expected = x;
    std::sort(expected.begin(), expected.end());
    const GPUArray<std::int32_t> in_place = to_gpu(x);
    CHECK(sort(in_place, {.out = in_place}).is_view_of(in_place));
    CHECK_SAME(expected, in_place.get(), "in place");
    const GPUArray<std::int32_t> apart = zeros<std::int32_t>({60}), gaps = zeros<std::int32_t>({120});
    sort(to_gpu(x), {.out = apart});
    sort(to_gpu(x), {.out = gaps(slice({}, {}, 2))});
    CHECK_SAME(expected, apart.get(), "into another");
    CHECK_SAME(expected, gaps(slice({}, {}, 2)).get(), "into one with gaps");
    CHECK(gaps(1).item() == 0);
    const GPUArray<std::int32_t> table = to_gpu(x).reshape({6, 10});
    const auto columns = sort(table, {.axis = 0}).get();
    sort(table, {.axis = 0, .out = table});
    CHECK_SAME(columns, table.get(), "columns in place");
}

TEST_SUITE_END();
