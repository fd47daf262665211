/// Algorithms refuse arrays of two contexts by the function's name, with the next step, and go on working.
#include "array_support.hpp"

using namespace gemel;
using namespace gemel::testing;

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("algorithms refuse arrays of two contexts") {
    const Context other(default_device());
    const GPUArray<float> x = arange<float>(6), y = arange<float>(other, 6);
    const GPUArray<std::int32_t> keys = zeros<std::int32_t>({6}), far_keys = zeros<std::int32_t>(other, {6});
    const GPUArray<bool> far_mask(other, Shape{6});
    const auto refused = [](const char* who, const auto& call) {
        CAPTURE(who);
        try {
            call();
            FAIL_CHECK("was not refused");
        } catch (const ArgumentError& error) {
            const std::string message = error.what();
            CAPTURE(message);
            CHECK(message.find("context") != std::string::npos);
            CHECK(message.find(who) != std::string::npos);
        }
    };
    refused("sort", [&] { sort(x, {.out = y}); });
    refused("argsort", [&] { argsort(x, {.out = zeros<std::int64_t>(other, {6})}); });
    refused("sort_by_key", [&] { sort_by_key(x, y); });
    refused("lexsort", [&] { lexsort({x, y}); });
    refused("sort_segments", [&] { sort_segments(x, far_keys); });
    refused("copy_if", [&] { copy_if(x, far_mask); });
    refused("remove_if", [&] { remove_if(x, far_mask); });
    refused("partition", [&] { partition(x, far_mask); });
    refused("reduce_by_key", [&] { reduce_by_key(keys, y); });
    refused("scan_by_key", [&] { scan_by_key(keys, y); });
    refused("segment_reduce", [&] { segment_reduce(x, far_keys); });
    refused("bincount", [&] { bincount(keys, y); });
    refused("histogram", [&] { histogram(x, y); });
    refused("histogram2d", [&] { histogram2d(x, y, {4, 4}, {0.0, 1.0}, {0.0, 1.0}); });
    refused("digitize", [&] { digitize(x, y); });
    refused("searchsorted", [&] { searchsorted(x, y); });
    refused("merge", [&] { merge(x, y); });
    refused("isin", [&] { isin(x, y); });
    refused("union1d", [&] { union1d(x, y); });
    refused("intersect1d", [&] { intersect1d(x, y); });
    refused("setdiff1d", [&] { setdiff1d(x, y); });
    const ListBuilder lists({.arguments = "const float *p, const float *q",
                             .lists = {{.name = "found", .dtype = dtype_of<std::int32_t>()}},
                             .generate = "if (p[i] > q[i]) append_found(1);"});
    refused("lists", [&] { lists(6, x, y); });
    refused("evaluate_into", [&] { evaluate_into(y, x - lazy::mean(x)); });
    refused("sum", [&] { sum(x, {.out = AnyArray(other, dtype_of<float>(), Shape{})}); });
    CHECK(sort(x).get() == x.get());
    CHECK(copy_if(x, x > 2.0f).array().size() == 3);
}

TEST_SUITE_END();
