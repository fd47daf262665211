/// Source text of searches: the order of elements, binary searches, the search tree of a long array.
#include "select/searching.hpp"

#include <gemel/codegen/writer.hpp>

namespace gemel::selecting {

std::string order_text(DType dtype) {
    const std::string type = codegen::value_type(dtype);
    const std::string head = text("WITHIN_KERNEL int is_less(", type, " a, ", type, " b) {\n");
    if (dtype.kind() == DType::Kind::complex)
        return head +
               "    // Numbers without NaN, with one as imaginary part, as real part, as both; among them by parts.\n"
               "    const int a_class = 2 * (a.re != a.re) + (a.im != a.im), b_class = 2 * (b.re != b.re) + (b.im != "
               "b.im);\n"
               "    if (a_class != b_class) return a_class < b_class;\n"
               "    if (a_class < 2 && a.re != b.re) return a.re < b.re;\n"
               "    return a_class % 2 == 0 && a.im < b.im;\n}\n";
    if (dtype.is_floating()) return head + "    return (a < b) | ((b != b) & (a == a));\n}\n";
    return head + "    return a < b;\n}\n";
}

namespace {

/// A branch-free binary search: adds to `low` the number of the next `left` elements that come before the value. All
/// values take the same number of steps, so that warps do not diverge and CPU compilers vectorise.
std::string halving(const std::string& type, const std::string& low, const std::string& left, const std::string& passes,
                    const std::string& last_passes) {
    return text("while (", left, " > 1) {\n    const ", type, " half_way = ", left, " / 2;\n    ", low, " += ", passes,
                " ? half_way : 0;\n    ", left, " -= half_way;\n}\nif (", left, " > 0) ", low, " += ", last_passes,
                " ? 1 : 0;\n");
}

/// For a search in `search.side`: whether an element comes before the value.
std::string comes_before(const Search& search, const std::string& element) {
    return search.side == Side::left ? text("is_less(", element, ", value)") : text("!is_less(value, ", element, ")");
}

std::string index_type(const Search& search) { return search.wide ? "int64_t" : "int"; }

/// Declares `pivot`, the number of the first `count` pivots that come before the value.
std::string search_pivots(const Search& search, const std::string& count) {
    return text("int pivot = 0, pivots_left = ", count, ";\n",
                halving("int", "pivot", "pivots_left", comes_before(search, "pivots[pivot + half_way - 1]"),
                        comes_before(search, "pivots[pivot]")));
}

/// A statement that loads `element`, an expression in k, as pivot k, for all k below `count`.
std::string load_pivots(const std::string& count, const std::string& element) {
    return text("for (int k = LID_0; k < ", count, "; k += LDIM_0) pivots[k] = ", element, ";\nlocal_barrier();");
}

/// A search, and the block's statements before it.
struct SearchText {
    std::string prepare, body;
};

SearchText halving_search(const Search& search) {
    const std::string index = index_type(search);
    SearchText result{.prepare = {}, .body = text(index, " low = 0, left = (", index, ")count;\n")};
    if (search.pivots > 1) {
        result.prepare = text("const ", index, " pivot_step = (", index, ")((count + ", search.pivots - 1, ") / ",
                              search.pivots, ");\nconst int pivot_count = (int)(count / pivot_step);\n",
                              load_pivots("pivot_count", text("sorted[(k + (", index, ")1) * pivot_step - 1]")));
        result.body = text(search_pivots(search, "pivot_count"), index, " low = pivot * pivot_step, left = (", index,
                           ")count - low;\nif (left >= pivot_step) left = pivot_step - 1;\n");
    }
    result.body += halving(index, "low", "left", comes_before(search, "sorted[low + half_way - 1]"),
                           comes_before(search, "sorted[low]"));
    return result;
}

/// Adds to `low` the number of elements of a sector that come before the value: two accesses of 16 bytes.
std::string count_in_sector(const Search& search, const std::string& address) {
    const SearchTree tree{.dtype = search.dtype};
    const std::string vector = DType(search.dtype.kind(), 32, static_cast<std::uint8_t>(tree.fanout())).name();
    std::string sum;
    for (int k = 0; k < tree.fanout(); ++k)
        sum += text(k > 0 ? " + " : "",
                    comes_before(search, tree.fanout() == 8 ? text("sector.s", k) : text("sector.", "xyzw"[k])));
    return text("const ", vector, " sector = *(GLOBAL_MEM const ", vector, " *)(", address, ");\nlow += ", sum, ";\n");
}

/// Level by level: `low` is the number of entries of the level above that come before the value. It gives the sector of
/// the next level in which the search continues.
SearchText tree_search(const Search& search) {
    const std::string index = index_type(search);
    const SearchTree tree{.dtype = search.dtype};
    const auto step_down = [&](const std::string& entries) {
        return text("low = (low < ", entries, " ? low : ", entries, " - 1) * ", tree.fanout(), ";\n");
    };
    return {.prepare = text("const ", index, " last = (", index,
                            ")count - 1;\nconst int top_entries = (int)(last >> top) + 1;\n",
                            load_pivots("top_entries", "tree[k]")),
            .body = text(search_pivots(search, "top_entries"), index,
                         " low = pivot, above = top_entries, level_begin = 0;\n", "for (int s = top - ", tree.bits(),
                         "; s > 0; s -= ", tree.bits(), ") {\n", step_down("above"), "level_begin += (above + ",
                         tree.fanout() - 1, ") / ", tree.fanout(), " * ", tree.fanout(), ";\n",
                         "above = (last >> s) + 1;\n", count_in_sector(search, "tree + level_begin + low"), "}\n",
                         step_down("above"), "if (low + ", tree.fanout() - 1, " <= last) {\n",
                         count_in_sector(search, "sorted + low"), "} else {\n    while (low <= last && ",
                         comes_before(search, "sorted[low]"), ") ++low;\n}\n")};
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
        text("int64_t entry = i;\nint s = top;\nfor (; s > ", tree.bits(), "; s -= ", tree.bits(), ") {\n",
             "    const int64_t entries = (((count - 1) >> s) + ", tree.fanout(), ") / ", tree.fanout(), " * ",
             tree.fanout(), ";\n    if (entry < entries) break;\n    entry -= entries;\n}\n",
             "const int64_t element = ((entry + 1) << s) - 1;\n",
             "tree[i] = sorted[element < count ? element : count - 1]"),
        "search_tree");
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
