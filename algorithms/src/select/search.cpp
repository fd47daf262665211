/// Searches in sorted arrays; merges, which search for each element's position; digitize.
#include <gemel/algorithms/search.hpp>

#include "array/byte_bounds.hpp"
#include "rearrange/moving.hpp"
#include "select/searching.hpp"
#include "select/selecting.hpp"
#include "select_kernels.hpp"

#include <gemel/algorithms/group.hpp>
#include <gemel/codegen/promotion.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel {
namespace selecting {

std::uint32_t pivots_for(const AnyArray& sorted, std::size_t queries, const SearchOptions& options) {
    const Device device = sorted.context().device();
    if (options.pivots > 0) {
        const std::size_t room = device.info().shared_memory_per_block_bytes / sorted.dtype().size_bytes();
        if (options.pivots > room)
            throw ArgumentError(text("searchsorted: expected at most ", room, " pivots of ", sorted.dtype().name(),
                                     " in a block's shared memory, got ", options.pivots, "; leave .pivots out"));
        return options.pivots;
    }
    // Every block loads the pivots: worth it for many blocks and arrays larger than the L1 cache.
    if (device.info().type == DeviceInfo::Type::cpu || sorted.size() < 4096 || queries < (std::size_t{1} << 16))
        return 1;
    return sorted.dtype().size_bytes() > 8 ? 512 : 1024;
}

namespace {

void require_order(const char* who, const AnyArray& x) {
    if (!codegen::is_number(x.dtype()))
        throw ArgumentError(text(who, ": elements of ", x.dtype().name(), " have no order; expected numbers"));
}

AnyArray as_type(const AnyArray& x, DType dtype) { return x.dtype() == dtype ? x : x.astype(dtype); }

}  // namespace

namespace {

/// Whether the searches are numerous enough for a tree; building it reads the sorted array once.
bool takes_tree(const AnyArray& sorted, std::size_t queries, const SearchOptions& options) {
    constexpr std::size_t sector_bytes = 32;
    if (options.tree == SearchTreeUse::never || !SearchTree::has(sorted.dtype()) || sorted.size() < 2) return false;
    if (begin_address(sorted) % sector_bytes != 0) return false;
    if (options.tree == SearchTreeUse::always) return true;
    const bool is_cpu = sorted.context().device().info().type == DeviceInfo::Type::cpu;
    // On an H100 the tree of 4-byte elements is faster if there are at least a sixteenth as many searches as elements
    // (2^24: 100 us instead of 158; but with 2^16 searches 10 instead of 9). The tree of 8-byte elements, which takes
    // three times as long to build, needs an eighth.
    const std::size_t share = sorted.dtype().size_bytes() > 4 ? 8 : 16;
    return !is_cpu && options.pivots == 0 && sorted.size() >= (std::size_t{1} << 20) &&
           queries >= std::max(sorted.size() / share, std::size_t{1} << 17);
}

AnyArray make_tree(const SearchTree& tree, const AnyArray& sorted) {
    static auto& kernels = *new KernelsByText<ElementwiseKernel>;
    const auto kernel = kernels.find(tree.dtype.name(), [&] { return search_tree_kernel(tree.dtype); });
    const AnyArray entries = room_for(sorted, tree.dtype, static_cast<std::size_t>(tree.entries()));
    kernel->run({}, std::array{CallArgument(sorted), CallArgument(tree.count), CallArgument(tree.top()),
                               CallArgument(entries)});
    return entries;
}

}  // namespace

void run_search(Search search, const AnyArray& sorted, const AnyArray& values, const SearchOptions& options,
                std::span<const CallArgument> more) {
    static auto& kernels = *new KernelsByText<ElementwiseKernel>;
    const auto count = static_cast<std::int64_t>(sorted.size());
    search.dtype = values.dtype();
    search.wide = sorted.size() > std::size_t{INT32_MAX} / 2;
    search.tree = takes_tree(sorted, values.size(), options);
    const SearchTree tree{.count = count, .dtype = search.dtype};
    search.pivots = search.tree ? tree.max_top : pivots_for(sorted, values.size(), options);
    const auto kernel = kernels.find(text(search.dtype.name(), static_cast<int>(search.side), search.wide, search.tree,
                                          search.pivots, '\1', search.arguments, '\1', search.found),
                                     [&] { return search_kernel(search); });
    std::vector<CallArgument> arguments{CallArgument(sorted), CallArgument(count)};
    AnyArray entries;
    const std::int32_t top = search.tree ? tree.top() : 0;
    if (search.tree) {
        entries = make_tree(tree, sorted);
        arguments.emplace_back(entries);
        arguments.emplace_back(top);
    }
    arguments.emplace_back(values);
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
        throw ArgumentError(text(who, ": expected a sorted array with one axis, got shape ", to_string(given.shape()),
                                 "; ravel() gives one axis"));
    require_order(who, given);
    require_order(who, values);
    const OnStream scope(options.stream);
    const DType common = promote(given.dtype(), values.dtype());
    const AnyArray sorted = without_gaps(as_type(given, common)), queries = as_type(values, common);
    const GPUArray<std::int64_t> indices(values.context(), values.shape());
    if (values.size() == 0) return indices;
    if (given.size() == 0) {
        indices.fill(0);
        return indices;
    }
    run_search({.dtype = common, .side = side, .arguments = "int64_t *indices"}, sorted, queries, options,
               std::array{CallArgument(indices)});
    return indices;
}

AnyArray detail::merge(const AnyArray& a, const AnyArray& b, const Stream& stream) {
    require_array("merge", "the first array", a);
    require_context("merge", "the second array", b, a);
    require_order("merge", a);
    if (!(a.dtype() == b.dtype()))
        throw ArgumentError(text("merge: expected two arrays of one type, got ", a.dtype().name(), " and ",
                                 b.dtype().name(), "; astype() converts"));
    for (const AnyArray* x : {&a, &b})
        if (x->rank() != 1)
            throw ArgumentError(text("merge: expected arrays with one axis, got shape ", to_string(x->shape()),
                                     "; ravel() gives one axis"));
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
                   without_gaps(other), own, {.tree = SearchTreeUse::never}, std::array{CallArgument(merged)});
    }
    return merged;
}

GPUArray<std::int64_t> detail::digitize(const AnyArray& x, const AnyArray& edges, bool right) {
    require_array("digitize", "the array", x);
    require_context("digitize", "the array of edges", edges, x);
    if (edges.rank() != 1)
        throw ArgumentError(text("digitize: expected edges with one axis, got shape ", to_string(edges.shape()),
                                 "; ravel() gives one axis"));
    require_order("digitize", x);
    require_order("digitize", edges);
    const DType common = promote(x.dtype(), edges.dtype());
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
        return ElementwiseKernel(
            std::vector<Parameter>{VectorArg(common, "edges", true), ScalarArg(dtype_of<std::int64_t>(), "count"),
                                   VectorArg(common, "values", true), VectorArg(dtype_of<std::int64_t>(), "bins")},
            select_kernels::digitize().render({{"type", codegen::value_type(common)}, {"right", right}}), "digitize",
            {.preamble = order_text(common)});
    });
    const auto count = static_cast<std::int64_t>(edges.size());
    kernel->run({}, std::array{CallArgument(sorted), CallArgument(count), CallArgument(values), CallArgument(bins)});
    return bins;
}

}  // namespace gemel
