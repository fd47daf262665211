/// Spaces of parameters, their constraints, and searches over made-up times.
#include "../landscapes.hpp"

#include <gemel/codegen/matmul.hpp>
#include <gemel/codegen/sort.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/codegen/tuning_fields.hpp>
#include <gemel/codegen/tuning_search.hpp>
#include <gemel/core/error.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace gemel;
using namespace gemel::testing;
using tune::Point;
using tune::Search;
using tune::Space;
using tune::Strategy;

namespace {

template <class Make>
std::string refusal(Make&& make) {
    try {
        make();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "not refused";
}
bool says(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

/// The best time after some points, over the fastest of all.
double excess(const Landscape& land, double fastest, Strategy strategy, std::uint64_t seed, std::size_t points,
              double failing = 0) {
    Search search(land.space, strategy, seed);
    for (std::size_t i = 0; i < points; ++i) {
        const std::size_t point = search.next().at(0);
        CHECK_FALSE(search.knows(point));
        const bool fails = static_cast<double>((point * 2654435761u) % 1000) < 1000 * failing;
        search.tell(point, fails ? std::nullopt : std::optional(land.at(point)));
    }
    return search.best_milliseconds() / fastest;
}

}  // namespace

TEST_SUITE_BEGIN("tune");

TEST_CASE("constraints leave points, by parameters and facts of the device") {
    DeviceInfo device;
    device.max_threads_per_block = 128;
    const Space space(
        {{"block", {32, 64, 128, 256}}, {"items", {1, 2, 4}}, {"kind", {"serial", "tiled"}}},
        {"block * items <= 256", "block <= device.max_threads_per_block", "kind == 'tiled' or items == 1"},
        tune::device_facts(device));
    std::set<std::string> expected, found;
    for (const int block : {32, 64, 128, 256})
        for (const int items : {1, 2, 4})
            for (const char* const kind : {"serial", "tiled"})
                if (block * items <= 256 && block <= 128 && (std::string(kind) == "tiled" || items == 1))
                    expected.insert("block=" + std::to_string(block) + " items=" + std::to_string(items) +
                                    " kind=" + kind);
    for (std::size_t i = 0; i < space.size(); ++i) {
        found.insert(to_string(space.point(i)));
        CHECK(space.find(space.point(i)) == i);
        CHECK(space.nearest(space.point(i)) == i);
    }
    CHECK(found == expected);
    CHECK(space.size() == expected.size());
    // Outside: the nearest that is left. 200 threads are nearest to 256, which the device does not have.
    const Point near = space.point(space.nearest(Point({{"block", 200}, {"items", 2}, {"kind", "tiled"}})));
    CHECK(near["block"] == 128);
    CHECK(near["items"] == 2);
    CHECK(near.value("kind").as_string() == "tiled");
    CHECK_FALSE(space.find(Point({{"block", 32}})));
}

TEST_CASE("what cannot be a space is refused with its reason") {
    using P = std::vector<tune::Parameter>;
    CHECK(says(refusal([] { Space(P{}); }), "at least one parameter"));
    CHECK(says(refusal([] { Space(P{{"a b", {1}}}); }), "'a b' cannot name"));
    CHECK(says(refusal([] { Space(P{{"a", {1}}, {"a", {2}}}); }), "two parameters 'a'"));
    CHECK(says(refusal([] { Space(P{{"a", {}}}); }), "'a' has no values"));
    CHECK(says(refusal([] { Space(P{{"a", {1, 2, 1}}}); }), "the value 1 twice"));
    CHECK(says(refusal([] { Space(P{{"a", {"x y"}}}); }), "not a single word"));
    CHECK(says(refusal([] { Space({{"a", {1, 2}}}, {"a > 2"}); }), "no point satisfies the constraints \"a > 2\""));
    CHECK(says(refusal([] { Space({{"a", {1, 2}}}, {"b > 2"}); }), "b"));
    CHECK(says(refusal([] { Space({{"a", {1, 2}}}, {"a > %} 2"}); }), "is not an expression"));
    CHECK(says(refusal([] { Space({{"a", {1, 2}}}, {"a >"}); }), "constraint \"a >\""));
    std::vector<tune::Parameter> many;
    for (int k = 0; k < 21; ++k) many.push_back({"p" + std::to_string(k), {0, 1}});
    CHECK(says(refusal([&] { Space{many}; }), "more than 1048576 points"));
    const Point point({{"n", 3}, {"word", "fast"}, {"on", true}});
    CHECK(point["n"] == 3);
    CHECK(point["on"] == 1);
    CHECK(says(refusal([&] { point["word"]; }), "expected a 64-bit integer"));
    CHECK(says(refusal([&] { point["m"]; }), "there are n, word, on"));
    CHECK(says(refusal([] { tune::parse_strategy("genetic"); }), "neighbours, random, exhaustive"));
}

TEST_CASE("exhaustive and random searches try every point once; starts come first") {
    const Space space({{"a", {1, 2, 3, 4}}, {"b", {1, 2, 3, 4, 5}}}, {"a + b != 7"});
    for (const Strategy strategy : {Strategy::exhaustive, Strategy::random, Strategy::neighbours}) {
        CAPTURE(tune::to_string(strategy));
        CHECK(tune::parse_strategy(tune::to_string(strategy)) == strategy);
        Search search(space, strategy, 7, {11, 3});
        CHECK(search.next().front() == 11);
        std::set<std::size_t> tried;
        while (!search.next(2).empty()) {
            const std::size_t point = search.next(2).front();
            CHECK(tried.insert(point).second);
            search.tell(point, point % 3 == 0 ? std::nullopt : std::optional(10.0 + static_cast<double>(point)));
        }
        CHECK(tried.size() == space.size());
        CHECK(search.best() == 1);
        search.tell(1, std::nullopt);  // it did not run any more
        CHECK(search.best() == 2);
    }
}

TEST_CASE("within 5 % of the exhaustive best after 30 points of thousands") {
    const Landscape land = matmul_landscape();
    REQUIRE(land.space.size() >= 1000);
    const double fastest = land.fastest();
    std::vector<double> found, by_chance;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        found.push_back(excess(land, fastest, Strategy::neighbours, seed, 30));
        by_chance.push_back(excess(land, fastest, Strategy::random, seed, 30));
    }
    std::sort(found.begin(), found.end());
    std::sort(by_chance.begin(), by_chance.end());
    MESSAGE(std::string(land.name) << ": " << land.space.size() << " points, median " << found[10] << ", worst "
                                   << found[19] << "; random median " << by_chance[10]);
    CHECK(found[10] <= 1.05);
    CHECK(found[17] <= 1.10);
    CHECK(by_chance[10] > found[17]);  // else the landscape would be too easy
}

TEST_CASE("rough times and failing points are survived") {
    const Landscape land = elements_landscape();
    REQUIRE(land.space.size() >= 1000);
    const double fastest = land.fastest();
    std::vector<double> found, failing;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        found.push_back(excess(land, fastest, Strategy::neighbours, seed, 30));
        failing.push_back(excess(land, fastest, Strategy::neighbours, seed, 30, 0.1));
    }
    std::sort(found.begin(), found.end());
    std::sort(failing.begin(), failing.end());
    MESSAGE(std::string(land.name) << ": " << land.space.size() << " points, median " << found[10] << ", worst "
                                   << found[19] << "; with failures " << failing[10] << ", " << failing[19]);
    CHECK(found[10] <= 1.10);
    CHECK(failing[10] <= 1.20);
}

TEST_CASE("the spaces of products of matrices hold tiles that can be cut") {
    DeviceInfo device;
    device.max_threads_per_block = 1024;
    device.max_block = {1024, 1024, 64};
    device.shared_memory_per_block_bytes = 49152;
    using codegen::MatmulForm, codegen::MatmulTuning;
    struct Start {
        MatmulForm form;
        MatmulTuning tile;
        DType dtype;
    };
    for (const auto& [form, tile, dtype] :
         {Start{MatmulForm::serial, codegen::matmul_serial_tile(dtype_of<float>()), dtype_of<float>()},
          Start{MatmulForm::threads, {64, 64, 16, 4, 8, 3, 0}, dtype_of<float>()},
          Start{MatmulForm::split, {64, 64, 16, 32, 32, 4, 3}, dtype_of<float>()},
          Start{MatmulForm::tensor, {128, 128, 16, 64, 64, 2, 2}, dtype_of<float>()},
          Start{MatmulForm::tensor, {64, 64, 16, 32, 32, 3, 4}, dtype_of<double>()}}) {
        const auto fields = codegen::tuning_fields(tile);
        const Space space = tune::tuning_space("matmul", fields, device, {.item_bytes = dtype.size_bytes()});
        CHECK(space.find(tune::tuning_point(fields, space)).has_value());
        std::size_t cut = 0;
        for (std::size_t k = 0; k < space.size(); ++k) {
            const auto access = static_cast<std::uint32_t>(16 / dtype.size_bytes());
            const auto other = codegen::parse_tuning<MatmulTuning>(to_string(space.point(k)));
            const codegen::MatmulLayout layout{
                .form = form, .tile = merge(other, tile), .a_access = access, .b_access = access};
            if (form != MatmulForm::serial)
                CHECK(codegen::matmul_shared_bytes(dtype, layout) <= 2 * device.shared_memory_per_block_bytes);
            cut += codegen::why_no_tile(dtype, layout).empty() ? 1 : 0;
        }
        INFO(static_cast<int>(form), ": ", cut, " of ", space.size());
        CHECK(space.size() >= 60);
        CHECK(cut >= space.size() * 7 / 8);
    }
    // Blocks with a tile of one size: 16, 32 or 64 rows.
    CHECK(tune::tuning_space("matmul", codegen::tuning_fields(MatmulTuning{.rows = 64}), device).size() == 3);
}

TEST_CASE("a tuning has a space: its numbers that are given, within what the device takes") {
    DeviceInfo device;
    device.max_threads_per_block = 256;
    device.max_block = {256, 256, 64};
    const codegen::ScanTuning start{.block = 100, .items_per_thread = 8, .strategy = codegen::ScanStrategy::look_back};
    const auto fields = codegen::tuning_fields(start);
    const Space space = tune::tuning_space("scan", fields, device);
    REQUIRE(space.parameters().size() == 2);
    CHECK(space.parameters()[0].name == "block");
    for (const codegen::Value& value : space.parameters()[0].values) CHECK(value.as_signed() <= 256);
    CHECK(space.find(tune::tuning_point(fields, space)).has_value());
    // A sort by digits of 8 bits has a thread for each.
    device.max_threads_per_block = 1024;
    device.max_block = {1024, 1024, 64};
    const auto sort_fields = codegen::tuning_fields(codegen::SortTuning{.block = 384, .items_per_thread = 16});
    const Space sorts = tune::tuning_space("sort", sort_fields, device);
    for (const codegen::Value& value : sorts.parameters()[0].values) CHECK(value.as_signed() >= 256);
    // A strategy is a word, and stays as it is but for sparse products.
    const codegen::SparseTuning rows{.strategy = codegen::SparseStrategy::rows, .block = 256, .width = 4, .items = 7};
    const auto row_fields = codegen::tuning_fields(rows);
    const Space products = tune::tuning_space("sparse_product", row_fields, device);
    CHECK(products.parameters()[0].values.size() == 3);
    CHECK(tune::tuning_point(row_fields, products).value("strategy").as_string() == "rows");
    CHECK(products.find(tune::tuning_point(row_fields, products)).has_value());
    const codegen::SparseTuning chunks_of_rows{.strategy = codegen::SparseStrategy::merge, .chunks_per_unit = 16};
    CHECK(tune::tuning_space("sparse_product", codegen::tuning_fields(chunks_of_rows), device).size() == 14);
    // Blocks of one thread stay so.
    const codegen::ReductionTuning chunks{.block = 1, .unroll = 1, .blocks_per_unit = 4};
    const Space others = tune::tuning_space("reduction", codegen::tuning_fields(chunks), device);
    for (const auto& parameter : others.parameters()) CHECK(parameter.name != "block");
}
