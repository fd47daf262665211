/// Lists of lists beside what a host loop appends.
#include "array_support.hpp"
#include "generator_support.hpp"

using namespace gemel;
using namespace gemel::testing;

namespace {

using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("lists hold what each object appends in its order") {
    const ListBuilder builder({.arguments = "const int *k, int limit",
                               .lists = {{"all", dtype_of<std::int32_t>()},
                                         {"half_of", dtype_of<float>(), "all"},
                                         {"some", dtype_of<std::int16_t>(), {}, true},
                                         {"flags", dtype_of<bool>(), "some", true}},
                               .generate = "if (k[i] == 3) continue;\n"
                                           "for (int j = 0; j < k[i]; ++j) {\n"
                                           "    append_all(i * 10 + j);\n    append_half_of(0.5f * j);\n"
                                           "    if (k[i] > limit) { append_some(j); append_flags(j * 2); }\n}"});
    for (const std::int64_t n : {0, 1, 2, 700, 20000}) {
        const auto k = drawn<std::int32_t>(static_cast<std::size_t>(n), 3, 0, 6);
        Ints all;
        std::vector<float> halves;
        std::vector<std::int16_t> some;
        std::vector<std::uint8_t> flags;
        Longs starts{0}, some_starts{0}, indices;
        for (std::int32_t i = 0; i < n; ++i) {
            const std::size_t before = some.size();
            const std::int32_t count = k[static_cast<std::size_t>(i)];
            for (std::int32_t j = 0; j < count && count != 3; ++j) {
                all.push_back(i * 10 + j), halves.push_back(0.5f * static_cast<float>(j));
                if (count > 4) some.push_back(static_cast<std::int16_t>(j)), flags.push_back(j > 0);
            }
            starts.push_back(static_cast<std::int64_t>(all.size()));
            if (some.size() == before) continue;
            some_starts.push_back(static_cast<std::int64_t>(some.size()));
            indices.push_back(i);
        }
        const Lists lists = builder(n, placed<std::int32_t>(k, 0), 4);
        CHECK(lists.size() == 4);
        CHECK_SAME(all, lists["all"].items.get<std::int32_t>(), "all ", n);
        CHECK_SAME(starts, lists["all"].starts.get(), "starts ", n);
        CHECK(lists["all"].indices.empty());
        CHECK_SAME(halves, lists["half_of"].items.get<float>(), "shared counts ", n);
        CHECK_SAME(starts, lists["half_of"].starts.get(), "shared starts ", n);
        for (const char* name : {"some", "flags"}) {
            CHECK_SAME(some_starts, lists[name].starts.get(), name, " starts ", n);
            CHECK_SAME(indices, lists[name].indices.get(), name, " indices ", n);
        }
        CHECK_SAME(some, lists["some"].items.get<std::int16_t>(), "some ", n);
        CHECK_SAME(flags, lists["flags"].items.get<bool>(), "flags ", n);
    }
}

TEST_CASE("neighbours of points by functions of the user's") {
    const ListBuilder near(
        {.arguments = "const float *p, float r",
         .lists = {{"neighbour", dtype_of<std::int32_t>()}},
         .generate = "for (int j = 0; j < n; ++j) if (j != i && is_near(p[i], p[j], r)) append_neighbour(j)",
         .preamble = "WITHIN_KERNEL int is_near(float a, float b, float r) { return fabs(a - b) < r; }",
         .name = "near"});
    const auto p = drawn<float>(300, 5, 0, 1000, 10);
    Ints expected;
    Longs starts{0};
    for (std::size_t i = 0; i < p.size(); ++i) {
        for (std::size_t j = 0; j < p.size(); ++j)
            if (j != i && std::abs(p[i] - p[j]) < 1.5f) expected.push_back(static_cast<std::int32_t>(j));
        starts.push_back(static_cast<std::int64_t>(expected.size()));
    }
    const Lists lists = near(300, placed<float>(p, 0), 1.5f);
    CHECK_SAME(expected, lists["neighbour"].items.get<std::int32_t>(), "neighbours");
    CHECK_SAME(starts, lists["neighbour"].starts.get(), "starts");
}

TEST_CASE("lists hold 16-bit items") {
    const ListBuilder builder(
        {.lists = {{"h", dtype_of<half>()}, {"b", dtype_of<bfloat16>(), "h"}, {"s", dtype_of<std::int16_t>(), "h"}},
         .generate = "for (int j = 0; j < i % 4; ++j) {\n"
                     "    append_h(i + 0.25f * j);\n    append_b(-0.5f * j);\n    append_s(-j);\n}"});
    const Lists lists = builder(1000);
    const auto halves = lists["h"].items.get<half>();
    const auto bfloats = lists["b"].items.get<bfloat16>();
    const auto shorts = lists["s"].items.get<std::int16_t>();
    std::size_t k = 0;
    bool same = true;
    for (int i = 0; i < 1000; ++i)
        for (int j = 0; j < i % 4; ++j, ++k) {
            REQUIRE(k < halves.size());
            same &= static_cast<float>(halves[k]) ==
                    static_cast<float>(half(static_cast<float>(i) + 0.25f * static_cast<float>(j)));
            same &= static_cast<float>(bfloats[k]) == -0.5f * static_cast<float>(j) && shorts[k] == -j;
        }
    CHECK(same);
    CHECK(k == halves.size());
}

TEST_CASE("list builders refuse what cannot be meant") {
    const auto with = [](std::vector<ListSpec> lists, std::string generate = "append_a(i)") {
        return ListBuilder({.lists = std::move(lists), .generate = std::move(generate)});
    };
    const DType ints = dtype_of<std::int32_t>();
    CHECK_THROWS_MENTIONING(ArgumentError, with({}), "ListBuilder", "no list");
    CHECK_THROWS_MENTIONING(ArgumentError, with({{"a", ints}, {"a", ints}}), "two lists", "'a'");
    CHECK_THROWS_MENTIONING(ArgumentError, with({{"a", DType()}}), "'a'", "dtype");
    CHECK_THROWS_MENTIONING(ArgumentError, with({{"a b", ints}}), "'a b'");
    CHECK_THROWS_MENTIONING(ArgumentError, with({{"a", ints, "b"}}), "'b'", "not another list");
    CHECK_THROWS_MENTIONING(ArgumentError,
                            ListBuilder({.lists = {{"a", ints}}, .generate = "append_a(i);", .name = "my list"}),
                            "ListBuilder", "the name 'my list'");
    CHECK_THROWS_MENTIONING(ArgumentError, with({{"a", ints}}, ""), "generate", "append_a");
    CHECK_THROWS_MENTIONING(ArgumentError, with({{"a", ints}}, "return"), "generate", "return");
    CHECK_THROWS_MENTIONING(
        ArgumentError,
        ListBuilder({.arguments = "int count_a", .lists = {{"a", ints}}, .generate = "if (i < count_a) append_a(i)"}),
        "ListBuilder", "'count_a'", "rename");
    const ListBuilder good = with({{"a", ints}});
    CHECK_THROWS_MENTIONING(ArgumentError, good(-1), "-1 objects");
    CHECK_THROWS_MENTIONING(ArgumentError, good(4, 1, 2.0f), "ListBuilder 'lists'", "0 arguments", "got 2");
    CHECK_THROWS_MENTIONING(ArgumentError, good(4)["b"], "'b'", "'a'");
    CHECK_THROWS_AS(with({{"a", ints}}, "append_b(i)")(3), CompileError);
    CHECK_SAME((Ints{0, 1, 2, 3}), good(4)["a"].items.get<std::int32_t>(), "after errors");
}

TEST_SUITE_END();
