/// Searches in sorted arrays; merges, which are searches for where each element goes; digitize.
#include <gemel/algorithms/search.hpp>

#include "rearrange/moving.hpp"
#include "select/searching.hpp"
#include "select/selecting.hpp"

#include <gemel/algorithms/group.hpp>
#include <gemel/codegen/promotion.hpp>
#include <gemel/codegen/writer.hpp>

#include <algorithm>

namespace gemel {
namespace selecting {

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

}  // namespace

ElementwiseKernel search_kernel(const Search& search) {
    const std::string type = codegen::value_type(search.dtype), index = search.wide ? "int64_t" : "int";
    const auto comes_before = [&](const std::string& element) {
        return search.side == Side::left ? text("is_less(", element, ", value)")
                                         : text("!is_less(value, ", element, ")");
    };
    std::string prepare, from_pivots = text(index, " low = 0, left = (", index, ")count;\n");
    if (search.pivots > 1) {
        const std::string step = text("(", index, ")((count + ", search.pivots - 1, ") / ", search.pivots, ")");
        prepare = text("LOCAL_MEM ", type, " pivots[", search.pivots, "];\nconst ", index, " pivot_step = ", step,
                       ";\nconst int pivot_count = (int)(count / pivot_step);\n",
                       "for (int k = LID_0; k < pivot_count; k += LDIM_0) pivots[k] = sorted[(k + (", index,
                       ")1) * pivot_step - 1];\nlocal_barrier();");
        from_pivots = text("int pivot = 0, pivots_left = pivot_count;\n",
                           halving("int", "pivot", "pivots_left", comes_before("pivots[pivot + half_way - 1]"),
                                   comes_before("pivots[pivot]")),
                           index, " low = pivot * pivot_step, left = (", index,
                           ")count - low;\nif (left >= pivot_step) left = pivot_step - 1;\n");
    }
    std::vector<Parameter> arguments{VectorArg(search.dtype, "sorted", true),
                                     ScalarArg(dtype_of<std::int64_t>(), "count"),
                                     VectorArg(search.dtype, "values", true)};
    for (Parameter& p : parse_declarations(search.arguments)) arguments.push_back(std::move(p));
    return ElementwiseKernel(
        std::move(arguments),
        text("const ", type, " value = values[i];\n", from_pivots,
             halving(index, "low", "left", comes_before("sorted[low + half_way - 1]"), comes_before("sorted[low]")),
             search.found),
        "searchsorted", {.preamble = order_text(search.dtype), .loop_prep = prepare});
}

std::uint32_t pivots_for(const AnyArray& sorted, std::size_t queries, const SearchOptions& options) {
    if (options.pivots > 0) return options.pivots;
    const Device device = sorted.context().device();
    // Every block loads the pivots: worth it for many blocks and arrays larger than the L1 cache.
    if (device.info().type == DeviceInfo::Type::cpu || sorted.size() < 4096 || queries < (std::size_t{1} << 16))
        return 1;
    return sorted.dtype().size_bytes() > 8 ? 512 : 1024;
}

namespace {

void require_order(const char* who, const AnyArray& x) {
    if (!is_number(x.dtype()))
        throw ArgumentError(text(who, ": elements of ", x.dtype().name(), " have no order; expected numbers"));
}

AnyArray as_type(const AnyArray& x, DType dtype) { return x.dtype() == dtype ? x : x.astype(dtype); }

}  // namespace

void run_search(Search search, const AnyArray& sorted, const AnyArray& values, const SearchOptions& options,
                std::span<const CallArgument> more) {
    static auto& kernels = *new KernelsByText<ElementwiseKernel>;
    search.dtype = values.dtype();
    search.wide = sorted.size() > std::size_t{INT32_MAX} / 2;
    search.pivots = pivots_for(sorted, values.size(), options);
    const auto kernel = kernels.find(text(search.dtype.name(), static_cast<int>(search.side), search.wide,
                                          search.pivots, '\1', search.arguments, '\1', search.found),
                                     [&] { return search_kernel(search); });
    const auto count = static_cast<std::int64_t>(sorted.size());
    std::vector<CallArgument> arguments{CallArgument(sorted), CallArgument(count), CallArgument(values)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    kernel->run({}, arguments);
}

}  // namespace selecting

using namespace selecting;

GPUArray<std::int64_t> detail::searchsorted(const char* who, const AnyArray& given, const AnyArray& values, Side side,
                                            const SearchOptions& options) {
    require_array(who, "the sorted array", given);
    require_context(who, "the array of values", values, given);
    if (given.rank() != 1)
        throw ArgumentError(
            text(who, ": the sorted array has shape ", to_string(given.shape()), ", expected one axis"));
    require_order(who, given);
    require_order(who, values);
    const OnStream scope(options.stream);
    const DType common =
        CommonType().with(TypeRule::common, given.dtype()).with(TypeRule::common, values.dtype()).dtype();
    const AnyArray sorted = without_gaps(as_type(given, common)), queries = as_type(values, common);
    const GPUArray<std::int64_t> places(values.context(), values.shape());
    if (values.size() == 0) return places;
    if (given.size() == 0) {
        places.fill(0);
        return places;
    }
    run_search({.dtype = common, .side = side, .arguments = "int64_t *places"}, sorted, queries, options,
               std::array{CallArgument(places)});
    return places;
}

AnyArray detail::merge(const AnyArray& a, const AnyArray& b, const Stream& stream) {
    require_array("merge", "the first array", a);
    require_context("merge", "the second array", b, a);
    require_order("merge", a);
    for (const AnyArray* x : {&a, &b})
        if (x->rank() != 1)
            throw ArgumentError(text("merge: an array has shape ", to_string(x->shape()), ", expected one axis"));
    const OnStream scope(stream);
    const AnyArray merged = room_for(a, a.dtype(), a.size() + b.size());
    for (const bool is_first : {true, false}) {
        const AnyArray& own = is_first ? a : b;
        const AnyArray& other = is_first ? b : a;
        if (own.size() == 0) continue;
        if (other.size() == 0) {
            merged.assign(own);
            continue;
        }
        run_search({.dtype = a.dtype(),
                    .side = is_first ? Side::left : Side::right,
                    .arguments = a.dtype().name() + " *merged",
                    .found = "merged[low + i] = value"},
                   without_gaps(other), own, {.pivots = 0}, std::array{CallArgument(merged)});
    }
    return merged;
}

GPUArray<std::int64_t> detail::digitize(const AnyArray& x, const AnyArray& edges, bool right) {
    require_array("digitize", "the array", x);
    require_context("digitize", "the array of edges", edges, x);
    if (edges.rank() != 1)
        throw ArgumentError(text("digitize: the edges have shape ", to_string(edges.shape()), ", expected one axis"));
    require_order("digitize", x);
    require_order("digitize", edges);
    const DType common = CommonType().with(TypeRule::common, x.dtype()).with(TypeRule::common, edges.dtype()).dtype();
    if (common.kind() == DType::Kind::complex)
        throw ArgumentError("digitize: complex numbers have no order; take real() or abs()");
    const AnyArray sorted = without_gaps(as_type(edges, common)), values = as_type(x, common);
    const GPUArray<std::int64_t> bins(x.context(), x.shape());
    if (x.size() == 0) return bins;
    if (edges.size() == 0) {
        bins.fill(0);
        return bins;
    }
    static auto& kernels = *new KernelsByText<ElementwiseKernel>;
    const auto kernel = kernels.find(text(common.name(), right), [&] {
        // Where edges descend, bin k is count - k of the edges from the last to the first, with the other side closed.
        return ElementwiseKernel(
            std::vector<Parameter>{VectorArg(common, "edges", true), ScalarArg(dtype_of<std::int64_t>(), "count"),
                                   VectorArg(common, "values", true), VectorArg(dtype_of<std::int64_t>(), "bins")},
            text("const ", codegen::value_type(common), " value = values[i];\n",
                 "const int descends = is_less(edges[count - 1], edges[0]);\n",
                 "int64_t low = 0, left = count;\nwhile (left > 0) {\n    const int64_t half_way = (left + 1) / 2;\n",
                 "    const ", codegen::value_type(common), " edge = edges[low + half_way - 1];\n",
                 right ? "    const int passed = descends ? !is_less(edge, value) : is_less(edge, value);\n"
                       : "    const int passed = descends ? is_less(value, edge) : !is_less(value, edge);\n",
                 "    if (passed) {\n        low += half_way;\n        left -= half_way;\n    }\n",
                 "    else left = half_way - 1;\n}\nbins[i] = low"),
            "digitize", {.preamble = order_text(common)});
    });
    const auto count = static_cast<std::int64_t>(edges.size());
    kernel->run({}, std::array{CallArgument(sorted), CallArgument(count), CallArgument(values), CallArgument(bins)});
    return bins;
}

}  // namespace gemel
