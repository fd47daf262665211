/// The kernels that select, group, search and build lists, compiled for CUDA.
#include "../nvrtc.hpp"
#include "select/binning.hpp"
#include "select/kernels.hpp"
#include "select/searching.hpp"
#include "select/selecting.hpp"

#include <gemel/algorithms/list_builder.hpp>
#include <gemel/core/dialect.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>

using namespace gemel;
using namespace gemel::selecting;

namespace {

const DType numbers[] = {dtype_of<bool>(),  dtype_of<std::int8_t>(), dtype_of<half>(),   dtype_of<std::int32_t>(),
                         dtype_of<float>(), dtype_of<double>(),      dtype_of<cdouble>()};

template <class Kernel>
void check_compiles(const Kernel& kernel, const std::map<std::string, DType>& types = {}) {
    const std::string text = kernel.source(Dialect::cuda(), types);
    const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, "sm_75");
    CHECK_MESSAGE(result.succeeded, result.log, "\n", text);
}

/// An array of a type, that no kernel will read.
AnyArray typed(DType dtype) { return AnyArray(Buffer(), dtype, Shape{0}, Strides{1}); }

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("selections compile for CUDA") {
    bool wide = false;
    for (const DType& type : numbers) {
        wide = !wide;
        const std::map<std::string, DType> types{{"T", type}};
        const Form form = wide ? Form::split : Form::keep;
        check_compiles(select_scan(form, wide, false, true, parse_declarations("const T *x"), "i % 3 == 0", "x", ""),
                       types);
        check_compiles(run_lengths_scan(wide, equality("run_lengths", type, "")), types);
        check_compiles(run_positions_scan(wide, equality("run_lengths", type, "")), types);
    }
    const std::map<std::string, DType> types{{"T", dtype_of<float>()}};
    const std::string equal = equality_with_nan(dtype_of<float>());
    check_compiles(unique_consecutive_scan(true, true, equal), types);
    check_compiles(complete_runs_kernel());
    check_compiles(count_runs_kernel(equal), types);
    check_compiles(first_of_runs_kernel(equal), types);
    check_compiles(unique_scan(true, equal, {.index = true, .inverse = true, .counts = true}), types);
    check_compiles(unique_scan(false, equal, {}), types);
    check_compiles(indices_scan(true, parse_declarations("const float *x"), "x[i] != 0", ""));
}

TEST_CASE("groups compile for CUDA") {
    bool wide = false;
    for (const DType& type : numbers) {
        wide = !wide;
        const bool is_complex = type.kind() == DType::Kind::complex;
        const std::string combine = is_complex ? "c_add(a, b)" : "a + b",
                          neutral = is_complex ? "cdouble_new(0, 0)" : "0";
        check_compiles(reduce_by_key_scan(wide, type, equality("reduce_by_key", type, ""), combine), {{"T", type}});
        check_compiles(segment_loop(type, dtype_of<std::int64_t>(), combine, neutral));
    }
    const std::string equal = equality("scan_by_key", dtype_of<double>(), "");
    check_compiles(scan_by_key_scan(true, dtype_of<float>(), equal, "a + b", "0"), {{"T", dtype_of<double>()}});
    check_compiles(segment_scan(dtype_of<float>(), dtype_of<std::int32_t>(), "a + b"));
}

TEST_CASE("bins compile for CUDA") {
    for (const DType& type : {dtype_of<std::uint8_t>(), dtype_of<half>(), dtype_of<float>(), dtype_of<double>()})
        for (const bool weighted : {false, true}) {
            const std::string edge = type == dtype_of<double>() ? "double" : "float";
            const auto own_text = [&] {
                return BinText{
                    .prepare = weighted ? "" : prepare_even("0", edge),
                    .find = (weighted ? find_between("0", edge) : find_even("0", edge, 10)) + "bin = bin_0;"};
            };
            Binning b{.elements = {typed(type)},
                      .more = {typed(parse_type(edge))},
                      .text = own_text,
                      .sizes = {10},
                      .bins = 10,
                      .weighted = weighted};
            if (weighted) b.elements.push_back(typed(dtype_of<float>()));
            for (const std::int64_t shared : {0, 256, 6144}) check_compiles(block_kernel(b, shared));
            check_compiles(chunk_kernel(b, weighted));
            if (!weighted) check_compiles(bin_kernel(b));
        }
    check_compiles(density_kernel({dtype_of<float>(), dtype_of<double>(), dtype_of<float>()}));
}

TEST_CASE("searches compile for CUDA") {
    for (const DType& type : numbers)
        for (const std::uint32_t pivots : {1u, 512u}) {
            Search search{.dtype = type,
                          .side = pivots > 1 ? Side::left : Side::right,
                          .wide = type == dtype_of<double>(),
                          .pivots = pivots,
                          .arguments = "int64_t *indices"};
            check_compiles(search_kernel(search));
            search.tree = true;
            if (pivots == 1 || !SearchTree::has(type)) continue;
            check_compiles(search_kernel(search));
            check_compiles(search_tree_kernel(type));
        }
}

TEST_CASE("the ends of rows compile for CUDA") {
    for (const DType& type : numbers) check_compiles(row_ends_kernel(type, type.size_bytes() > 2));
    for (const DType& type : numbers) check_compiles(part_elements_kernel(type));
    check_compiles(part_indices_kernel());
}

TEST_CASE("list builders compile for CUDA") {
    const ListBuilder builder({.arguments = "const float *p, float r",
                               .lists = {{"a", dtype_of<std::int32_t>()},
                                         {"b", dtype_of<bool>(), "a"},
                                         {"h", dtype_of<half>(), "a"},
                                         {"f", dtype_of<bfloat16>(), "a"}},
                               .generate = "if (p[i] < r) continue;\nappend_a(i);\nappend_b(p[i] > 2 * r);\n"
                                           "append_h(p[i]);\nappend_f(2 * p[i]);"});
    check_compiles(builder);
}

TEST_SUITE_END();
