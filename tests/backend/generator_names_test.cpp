/// Arguments of generated kernels may have any name: one that the kernel's own text has too is kept apart from it, and
/// one that some language keeps for itself is refused by name, on every device alike.
#include <doctest/doctest.h>

#include <gemel/core/text.hpp>
#include <gemel/gemel.hpp>

#include "generator_support.hpp"

#include <array>
#include <string>

using namespace gemel;
using namespace gemel::testing;

namespace {

/// Those that generated text has, of an array x where they are made of its name.
const std::vector<std::string> own_names{
    "x_offset",      "extent",  "x_i",        "kept",         "x_at",      "layout",  "x_pack",
    "head",          "x_base",  "n",          "x_down",       "N",         "x_step",  "k",
    "x_row",         "first",   "u",          "lane",         "packs",     "p",       "r",
    "row",           "column",  "width",      "height",       "first_row", "outer",   "start",
    "step",          "count",   "end_row",    "i_rest",       "i_1",       "x_count", "own_x_at",
    "own_layout",    "own",     "end_column", "at",           "value",     "words",   "x_offset_",
    "pack_float_x4", "extent_", "report",     "out_of_bounds"};

const std::array<AnyTuning, 2> tunings{AnyTuning{}, gpu_shaped};

struct Four {
    std::vector<float> numbers;
    GPUArray<float> x, array, z;
};

Four four(Form form, const Shape& shape) {
    Four made;
    for (std::size_t i = 0; i < shape.count(); ++i) made.numbers.push_back(static_cast<float>(i));
    fill_in(form, shape, made.x, made.numbers);
    fill_in(form, shape, made.array, made.numbers);
    fill_in(form, shape, made.z, made.numbers);
    return made;
}

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("arguments may be called as what the kernel has of its own") {
    std::size_t choice = 0;
    for (std::size_t k = 0; k + 1 < own_names.size(); k += 2) {
        const std::string &array = own_names[k], &value = own_names[k + 1];
        INFO("array ", array, ", value ", value);
        const ElementwiseKernel own(
            text("const float *x, const float *", array, ", float ", value, ", float *z"),
            text("z[i] = x[i] + 2*", array, "[i] + 1000*", value, " + x[(i)] + ", array, "[i + 0]"), "own");
        for (const Form form : {Form::C, Form::strided, Form::F})
            for (const AnyTuning& tuning : tunings)
                for (const bool ranged : {false, true}) {
                    if (ranged && form != Form::strided) continue;
                    if (is_left_out(3, choice++)) continue;
                    const Four given = four(form, Shape{7, 9});
                    // At an offset in the buffer, which OpenCL's kernels are told.
                    std::vector<float> expected = given.numbers;
                    for (std::size_t i = ranged ? 3 : 0; i < expected.size(); ++i) expected[i] = 5 * expected[i] + 4000;
                    CallOptions options{.tuning = tuning};
                    if (ranged) options.range = IndexRange{.start = 3};
                    own(options, given.x, given.array, 4, given.z);
                    CHECK_SAME(expected, given.z.get(), name_of(form));
                }
    }
}

TEST_CASE("elements without a place of their own have names of their own") {
    // In vectors, in tiles and along axes.
    std::size_t choice = 0;
    for (const std::string& name :
         {std::string("x_pack"), std::string("x_row"), std::string("extent"), std::string("kept"),
          std::string("result"), std::string("totals"), std::string("shared"), std::string("partial"),
          std::string("outputs"), std::string("splits"), std::string("counters"), std::string("weigh_reduce"),
          std::string("o_rest"), std::string("o_1"), std::string("i_base")}) {
        INFO(name);
        const ReductionKernel<float> weigh({.arguments = text("const float *x, const float *", name, ", float scale"),
                                            .neutral = "0",
                                            .map_expr = text("scale * x[i] * ", name, "[i]"),
                                            .reduce_expr = "a + b",
                                            .name = "weigh"});
        const ElementwiseKernel move(text("const float *x, const float *", name, ", float *z"),
                                     text("z[i] = x[i] - ", name, "[i]"), "move");
        for (const AnyTuning& tuning : tunings) {
            if (is_left_out(3, choice++)) continue;
            const Four given = four(Form::F, Shape{6, 5, 4});
            float whole = 0;
            std::vector<float> last(30);
            for (std::size_t i = 0; i < 120; ++i) {
                whole += 2 * given.numbers[i] * given.numbers[i];
                last[i / 4] += 2 * given.numbers[i] * given.numbers[i];
            }
            CHECK(weigh({.tuning = tuning}, given.x, given.array, 2).item() == whole);
            CHECK_SAME(last, weigh({.axes = std::vector{2}, .tuning = tuning}, given.x, given.array, 2).get(), name);
            const GPUArray<float> turned = given.array.copy(Order::C);
            move({.tuning = tuning}, given.x, turned, given.z);
            CHECK_SAME(std::vector<float>(120), given.z.get(), name);
        }
    }
    for (const std::string& name :
         {std::string("sums_scan"), std::string("sums_item"), std::string("sums_combine"), std::string("sums_words"),
          std::string("totals"), std::string("tile_size"), std::string("tiles"), std::string("states"),
          std::string("bits"), std::string("other"), std::string("both"), std::string("word")}) {
        INFO(name);
        const GenericScanKernel<float> sums({.arguments = text("const float *x, const int *", name, ", float *z"),
                                             .input_expr = "x[i]",
                                             .scan_expr = "across_seg_boundary ? b : a + b",
                                             .neutral = "0",
                                             .output_statement = "z[i] = item",
                                             .is_segment_start_expr = text(name, "[i] != 0"),
                                             .name = "sums"});
        std::vector<std::int32_t> starts(3000);
        for (std::size_t i = 0; i < starts.size(); i += 7) starts[i] = 1;
        const GPUArray<float> z(current_context(), Shape{3000});
        sums(ones<float>(Shape{3000}), to_gpu(starts), z);
        std::vector<float> expected(3000);
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<float>(i % 7 + 1);
        CHECK_SAME(expected, z.get(), name);
    }
}

TEST_CASE("arguments and kernels that are called as a word of a language are refused by it") {
    for (const char* word : {"kernel", "global", "half", "private", "constant", "local", "template", "new", "this",
                             "operator", "auto", "uniform", "pipe"}) {
        CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel(text("float *", word), text(word, "[i] = 1")), word,
                                "keyword", "rename");
        CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel(text("float *x, float ", word), text("x[i] = ", word)),
                                word, "argument 2", "keyword");
        CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel("float *x", "x[i] = 1", word), word, "keyword");
        CHECK_THROWS_MENTIONING(ArgumentError,
                                ReductionKernel<float>({.arguments = text("const float *", word),
                                                        .neutral = "0",
                                                        .map_expr = text(word, "[i]"),
                                                        .reduce_expr = "a + b"}),
                                word, "keyword");
    }
    for (const char* word :
         {"threadIdx", "get_local_id", "LID_0", "NAN", "uint8_t", "float4", "M_PI", "load_float16", "NULL", "FLT_MAX"})
        CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel(text("float *x, float ", word), text("x[i] = ", word)),
                                word, "argument 2", "rename");
    CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel("float *class", "class[i] = 1"), "class", "a name");
    CHECK_THROWS_MENTIONING(ArgumentError, ElementwiseKernel("T *x, float T", "x[i] = T"), "argument 2", "type");
}
