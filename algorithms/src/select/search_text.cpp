/// Source text of searches: the order of elements, binary searches, the search tree of a long array.
#include "select/searching.hpp"

#include "select_kernels.hpp"

#include <gemel/codegen/writer.hpp>

namespace gemel::selecting {

std::string order_text(DType dtype) {
    return select_kernels::is_less().render({{"type", codegen::value_type(dtype)},
                                             {"is_complex", dtype.kind() == DType::Kind::complex},
                                             {"is_floating", dtype.is_floating()}});
}

namespace {

/// For a search in `search.side`: whether an element comes before the value.
std::string comes_before(const Search& search, const std::string& element) {
    return search.side == Side::left ? text("is_less(", element, ", value)") : text("!is_less(value, ", element, ")");
}

/// Adds to `low` the number of the next `left` elements of the array that come before the value.
std::string halving(const Search& search, const char* type, const std::string& array, const std::string& low,
                    const std::string& left) {
    return select_kernels::halving().render(
        {{"type", type},
         {"low", low},
         {"left", left},
         {"passes", comes_before(search, text(array, "[", low, " + half_way - 1]"))},
         {"last_passes", comes_before(search, text(array, "[", low, "]"))}});
}

/// A search, and the block's statements before it.
struct SearchText {
    std::string prepare, body;
};

SearchText halving_search(const Search& search) {
    const char* const index = search.wide ? "int64_t" : "int";
    codegen::Values values{{"index", index},
                           {"pivots", search.pivots},
                           {"search_pivots", halving(search, "int", "pivots", "pivot", "pivots_left")},
                           {"halving", halving(search, index, "sorted", "low", "left")}};
    values["part"] = "body";
    SearchText result{.prepare = {}, .body = select_kernels::search_by_halving().render(values)};
    values["part"] = "prepare";
    if (search.pivots > 1) result.prepare = select_kernels::search_by_halving().render(values);
    return result;
}

SearchText tree_search(const Search& search) {
    const SearchTree tree{.dtype = search.dtype};
    std::vector<std::string> before;
    for (int k = 0; k < tree.fanout(); ++k)
        before.push_back(comes_before(search, tree.fanout() == 8 ? text("sector.s", k) : text("sector.", "xyzw"[k])));
    codegen::Values values{{"index", search.wide ? "int64_t" : "int"},
                           {"bits", tree.bits()},
                           {"fanout", tree.fanout()},
                           {"vector", DType(search.dtype.kind(), 32, static_cast<std::uint8_t>(tree.fanout()))},
                           {"before", before},
                           {"sorted_before", comes_before(search, "sorted[low]")},
                           {"search_pivots", halving(search, "int", "pivots", "pivot", "pivots_left")}};
    values["part"] = "body";
    SearchText result{.prepare = {}, .body = select_kernels::search_in_tree().render(values)};
    values["part"] = "prepare";
    result.prepare = select_kernels::search_in_tree().render(values);
    return result;
}

}  // namespace

int SearchTree::top() const {
    int level = bits();
    while (((count - 1) >> level) + 1 > max_top) level += bits();
    return level;
}

std::int64_t SearchTree::entries() const {
    std::int64_t sum = 0;
    for (int s = top(); s > 0; s -= bits()) sum += ((((count - 1) >> s) + fanout()) / fanout()) * fanout();
    return sum;
}

ElementwiseKernel search_tree_kernel(DType dtype) {
    const SearchTree tree{.dtype = dtype};
    return ElementwiseKernel(
        std::vector<Parameter>{VectorArg(dtype, "sorted", true), ScalarArg(dtype_of<std::int64_t>(), "count"),
                               ScalarArg(dtype_of<std::int32_t>(), "top"), VectorArg(dtype, "tree")},
        select_kernels::search_tree().render({{"bits", tree.bits()}, {"fanout", tree.fanout()}}), "search_tree");
}

ElementwiseKernel search_kernel(const Search& search) {
    std::vector<Parameter> arguments{VectorArg(search.dtype, "sorted", true),
                                     ScalarArg(dtype_of<std::int64_t>(), "count")};
    if (search.tree) {
        arguments.push_back(VectorArg(search.dtype, "tree", true));
        arguments.push_back(ScalarArg(dtype_of<std::int32_t>(), "top"));
    }
    arguments.push_back(VectorArg(search.dtype, "values", true));
    for (Parameter& p : parse_declarations(search.arguments)) arguments.push_back(std::move(p));
    const std::string type = codegen::value_type(search.dtype);
    const auto [prepare, body] = search.tree ? tree_search(search) : halving_search(search);
    return ElementwiseKernel(
        std::move(arguments), text("const ", type, " value = values[i];\n", body, search.found), "searchsorted",
        {.preamble = order_text(search.dtype),
         .loop_prep =
             search.pivots > 1 ? text("LOCAL_MEM ", type, " pivots[", search.pivots, "];\n", prepare) : prepare});
}

}  // namespace gemel::selecting
