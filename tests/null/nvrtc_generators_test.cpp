/// What the generators print for CUDA is compiled to machine code, for three architectures.
#include "../block_programs.hpp"
#include "../generator_programs.hpp"
#include "../nvrtc.hpp"

#include <gemel/codegen/identifier.hpp>
#include <gemel/core/tokens.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace gemel;
namespace cg = gemel::codegen;
using enum cg::Access;

namespace {

/// Arguments of every name that a generated text has and that users may give: the text must keep out of their way.
std::vector<Parameter> arguments_named_as_in(const std::string& text, const std::set<std::string_view>& not_these) {
    std::vector<Parameter> arguments;
    std::set<std::string_view> seen{
        "i", "item", "prev_item", "last_item", "reduced_index", "across_seg_boundary", "device_fence"};
    for (const Token& token : tokenize(text)) {
        if (!token.is_word() || !cg::why_no_name(token.text).empty() || !seen.insert(token.text).second) continue;
        if (not_these.contains(token.text)) continue;
        if (token.text == "x" || token.text == "y" || token.text.starts_with("gemel_")) continue;
        arguments.push_back(gemel::ScalarArg(dtype_of<float>(), std::string(token.text)));
    }
    return arguments;
}

void check_compiles(const std::string& name, const std::string& text,
                    std::initializer_list<const char*> architectures = {"sm_90"}) {
    for (const char* architecture : some_of(architectures)) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
        CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log, "\n", text);
    }
}

/// Products by warp groups go on while others begin: the compiler says so where it has them wait for each other
/// instead.
void check_pipelined(const std::string& name, const std::string& text) {
    const Nvrtc::Result result =
        Nvrtc::instance()->compile_optimised(prelude(Dialect::cuda(), text) + text, "sm_90a", {"--ptxas-options=-v"});
    CHECK_MESSAGE(result.succeeded, name, "\n", result.log, "\n", text);
    CHECK_MESSAGE(result.log.find("Used ") != std::string::npos, name, ": the compiler's report is missing\n",
                  result.log);
    CHECK_MESSAGE(result.log.find("serialized") == std::string::npos, name, "\n", result.log, "\n", text);
}

/// Without a warning, too.
void check_compiles_well(const std::string& name, const std::string& text) {
    for (const char* architecture : some_of({"sm_75", "sm_80", "sm_90"})) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
        CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log, "\n", text);
        CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, "\n", result.log, "\n", text);
    }
}

/// A request with the names of its own text as further arguments, which its snippet reads.
/// @param source  the text with these arguments and with this added to its snippet
template <class Source>
void check_names_are_free(const std::string& name, const Source& source,
                          const std::set<std::string_view>& not_these = {}) {
    const std::vector<Parameter> arrays = parse_declarations("const float *x, float *y");
    const std::vector<Parameter> more = arguments_named_as_in(source(arrays, ""), not_these);
    REQUIRE(more.size() > 1);
    // As many at once as a kernel takes.
    for (std::size_t begin = 0; begin < more.size();) {
        std::vector<Parameter> all = arrays;
        std::string sum;
        for (; begin < more.size() && all.size() < cg::max_arguments; ++begin) {
            all.push_back(more[begin]);
            sum += " + " + more[begin].name;
        }
        check_compiles(name, source(all, sum));
    }
}

/// Of the two arrays, and of numbers after them.
cg::KernelLayout layout_of(std::size_t arguments, cg::Access access, int rank) {
    cg::KernelLayout elements = generator_programs::layout(std::vector<cg::ArgumentLayout>(arguments), rank);
    for (auto& argument : elements.arguments) argument.access = none;
    for (const std::size_t array : {0, 1}) elements.arguments[array].access = access;
    return elements;
}

const gemel::testing::AnyTuning gpu{.block = 256, .access_bytes = 16, .unroll = 2, .items_per_thread = 16},
    cpu{.block = 1, .unroll = 1, .items_per_thread = 16};

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("generated kernels compile for CUDA") {
    for (const auto& [name, text] : generator_programs::all(Dialect::cuda())) {
        // Copies that go on by themselves and conversions to two 16-bit floats began with sm_80, products of double of
        // this shape and clusters with sm_90.
        if (text.find("gemel_tile") != std::string::npos)
            check_pipelined(name, text);
        else if (text.find("gemel_multiply_double") != std::string::npos ||
                 text.find("gemel_cluster_wait") != std::string::npos)
            check_compiles(name, text, {"sm_90"});
        else if (text.find("gemel_await_copies") != std::string::npos ||
                 text.find("gemel_two_halves") != std::string::npos ||
                 text.find("gemel_two_bfloats") != std::string::npos)
            check_compiles(name, text, {"sm_80", "sm_90"});
        else
            check_compiles(name, text, {"sm_75", "sm_80", "sm_90"});
    }
}

TEST_CASE("pieces of the block layer compile for CUDA without a warning") {
    for (const auto& [name, text] : block_programs::all(Dialect::cuda())) check_compiles_well(name, text);
}

TEST_CASE("the radix pass of the examples compiles for CUDA without a warning") {
    std::ifstream in(std::string(GEMEL_SOURCE_DIR) + "/tests/golden/example_radix_pass.cu");
    REQUIRE(in);
    check_compiles_well("radix pass", std::string(std::istreambuf_iterator<char>(in), {}));
}

TEST_CASE("names of an element-wise kernel's template are free for users' arguments") {
    for (const auto& [access, rank, tile] : {std::tuple{packed, 0, 0}, {linear, 0, 0}, {strided, 3, 32}})
        for (const gemel::testing::AnyTuning& tuning : {gpu, cpu})
            check_names_are_free("element-wise", [&, access = access, rank = rank, tile = tile](
                                                     const auto& all, const std::string& sum) {
                cg::KernelLayout elements = layout_of(all.size(), access, rank);
                elements.tile_width = elements.tile_rows = tile;
                return cg::elementwise_source(
                    {.name = "f", .arguments = all, .operation = cg::Snippet("y[i] = x[i]" + sum)}, elements, tuning,
                    Dialect::cuda());
            });
    check_names_are_free("element-wise, a row beside packs", [&](const auto& all, const std::string& sum) {
        cg::KernelLayout elements = layout_of(all.size(), packed, 2);
        elements.arguments[0].access = strided;
        return cg::elementwise_source({.name = "f", .arguments = all, .operation = cg::Snippet("y[i] = x[i]" + sum)},
                                      elements, gpu, Dialect::cuda());
    });
    check_names_are_free("element-wise, turned round", [&](const auto& all, const std::string& sum) {
        cg::KernelLayout elements = layout_of(all.size(), strided, 3);
        elements.tile_width = elements.tile_rows = 64;
        elements.tile_vector = elements.arguments[0].turned = 4;
        return cg::elementwise_source({.name = "f", .arguments = all, .operation = cg::Snippet("y[i] = x[i]" + sum)},
                                      elements, cg::ElementwiseTuning{.block = 256}, Dialect::cuda());
    });
}

TEST_CASE("names of a matrix product's template are free for users' arguments") {
    using Form = cg::MatmulForm;
    for (const cg::MatmulLayout& product :
         {cg::MatmulLayout{}, cg::MatmulLayout{.form = Form::serial},
          cg::MatmulLayout{.form = Form::threads, .tile = {32, 64, 8, 4, 4, 2}, .a_access = 1, .b_access = 1},
          cg::MatmulLayout{.form = Form::split, .tile = {32, 32, 16, 16, 16, 2}, .a_access = 4, .b_access = 4}})
        check_names_are_free(
            "matmul",
            [&](const auto& all, const std::string& sum) {
                return cg::matmul_source(
                    {.dtype = dtype_of<float>(), .epilogue = "value + x[column] + before" + sum, .arguments = all},
                    product, Dialect::cuda());
            },
            {"value", "row", "column", "matrix", "before", "as_float", "as_uint"});
}

TEST_CASE("names of a reduction's template are free for users' arguments") {
    using Mapping = cg::ReductionLayout::Mapping;
    for (const auto& [access, mapping, serial] : {std::tuple{packed, Mapping::whole, false},
                                                  {linear, Mapping::whole, false},
                                                  {linear, Mapping::whole, true},
                                                  {strided, Mapping::rows, false},
                                                  {strided, Mapping::rows, true},
                                                  {strided, Mapping::columns, false},
                                                  {strided, Mapping::columns, true}})
        for (const bool finish : {true, false})
            check_names_are_free("reduction", [&, access = access, mapping = mapping, serial = serial](
                                                  const auto& all, const std::string& sum) {
                cg::ReductionLayout spread{.elements = layout_of(all.size(), access, access == strided ? 2 : 0),
                                           .kept_rank = access == strided ? 1 : 0,
                                           .mapping = mapping,
                                           .tile = {.across = 32, .unroll = 2},
                                           .serial = serial,
                                           .split = true,
                                           .finish = finish && !serial,
                                           .result_offsets = {true}};
                auto value = cg::ReducedValue{.dtype = dtype_of<float>(),
                                              .accumulator = {},
                                              .neutral = "0",
                                              .map_expr = cg::Snippet("x[i] + y[i] + reduced_index" + sum),
                                              .reduce_expr = "a+b"};
                if (!finish) value.replace_if = "b > a";
                return cg::reduction_source({.name = "f", .arguments = all, .values = {value}}, spread,
                                            serial ? cpu : gpu, Dialect::cuda());
            });
}

TEST_CASE("names of a staged reduction's template are free for users' arguments") {
    using Mapping = cg::ReductionLayout::Mapping;
    for (const Mapping mapping : {Mapping::rows, Mapping::columns})
        check_names_are_free("staged reduction", [&](const auto& all, const std::string& sum) {
            cg::ReductionLayout spread{.elements = layout_of(all.size(), strided, 1),
                                       .kept_rank = 1,
                                       .mapping = mapping,
                                       .tile = {.across = 32, .rows = 2, .stage = 4096},
                                       .split = mapping == Mapping::columns,
                                       .finish = mapping == Mapping::columns,
                                       .result_offsets = {true}};
            spread.tile.shuffles = mapping == Mapping::rows;
            spread.elements.arguments[0].staged = true;
            spread.elements.arguments[0].last_step = cg::LastStep::one;
            const auto value = cg::ReducedValue{.dtype = dtype_of<float>(),
                                                .accumulator = {},
                                                .neutral = "0",
                                                .map_expr = cg::Snippet("x[i] + y[i] + reduced_index" + sum),
                                                .reduce_expr = "a+b"};
            return cg::reduction_source({.name = "f", .arguments = all, .values = {value}}, spread, gpu,
                                        Dialect::cuda());
        });
}

TEST_CASE("names of a scan's template are free for users' arguments") {
    using Strategy = cg::ScanStrategy;
    for (const auto& [strategy, shuffles] : {std::tuple{Strategy::look_back, true},
                                             {Strategy::three_passes, true},
                                             {Strategy::three_passes, false},
                                             {Strategy::chunks, false}})
        for (const char* starts : {"", "x[i] > 3"})
            check_names_are_free(
                "scan", [&, strategy = strategy, shuffles = shuffles](const auto& all, const std::string& sum) {
                    const bool total = strategy != Strategy::look_back;
                    return cg::scan_source({.name = "f",
                                            .arguments = all,
                                            .dtype = dtype_of<double>(),
                                            .input = cg::Snippet("x[i]" + sum),
                                            .scan_expr = "a+b",
                                            .neutral = "0",
                                            .output = cg::Snippet(std::string("y[i] = item + prev_item") +
                                                                  (total ? " + last_item" : "") + sum),
                                            .segment_start = cg::Snippet(starts)},
                                           {.elements = layout_of(all.size(), shuffles ? packed : linear, 0),
                                            .strategy = strategy,
                                            .shuffles = shuffles},
                                           gpu, Dialect::cuda());
                });
}

TEST_SUITE_END();
