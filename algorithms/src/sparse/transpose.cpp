/// Transposition: a stable sort by column; on CPU devices a counting sort.
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"
#include "sparse_kernels.hpp"

#include <gemel/algorithms/search.hpp>
#include <gemel/algorithms/sort.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/module.hpp>

#include <algorithm>
#include <array>

namespace gemel::sparse {
namespace {

AnyMatrix by_sorting(const Entries& a) {
    // Entries are sorted by row: a stable sort by column keeps that order within each column.
    AnyArray columns = a.numbers, rows = row_numbers_of(a), values = a.values;
    if (a.count > 1) {
        const std::array moved{rows, values};
        const std::vector<AnyArray> sorted = sort_by_key(columns, std::span<const AnyArray>(moved));
        columns = sorted[0];
        rows = sorted[1];
        values = sorted[2];
    }
    const AnyArray bounds = arange(a.context, a.index(), std::int64_t{0}, a.columns + 1, std::int64_t{1});
    const AnyArray starts =
        gemel::detail::searchsorted("sparse", columns, bounds, Side::left, {}).AnyArray::astype(a.index());
    return as_matrix(with_starts(a.context, {a.columns, a.rows}, starts, rows, values));
}

struct Transposition : Variant {
    Kernel move{nullptr};
};

std::shared_ptr<Transposition> find_kernels(const Entries& a) {
    static const std::uint64_t id = KernelCache::new_generator();
    const codegen::SparseLayout key{.value = a.value(), .index = a.index(), .serial = true};
    return KernelCache::of(a.context).find<Transposition>(VariantKey<codegen::SparseLayout>{id, key}, [&] {
        const Module module =
            a.context.compile(sparse_kernels::transpose().render({{"index", a.index()}, {"element", a.value()}}),
                              CompileOptions{.name = "sparse_transpose"});
        auto kernels = std::make_shared<Transposition>();
        kernels->kernel = module.kernel("count_columns");
        kernels->move = module.kernel("move_entries");
        return kernels;
    });
}

/// Each of `pieces` threads counts the columns of its rows; the counts then give the positions of its entries.
AnyMatrix by_counting(const Entries& a, std::int64_t pieces) {
    const AnyArray counts(a.context, a.index(), Shape{pieces, a.columns}),
        totals(a.context, a.index(), Shape{a.columns}), starts(a.context, a.index(), Shape{a.columns + 1}),
        numbers(a.context, a.index(), Shape{a.count}), values(a.context, a.value(), Shape{a.count});
    const auto kernels = find_kernels(a);
    const auto launch = [&](const Kernel& kernel, std::initializer_list<const AnyArray*> arrays) {
        ArgumentList list;
        for (const AnyArray* array : arrays) list.add(array->argument());
        for (const std::int64_t& size : {a.rows, a.columns, a.count}) list.add(as_argument(size));
        kernel.launch({.grid = {pieces}, .block = {1}}, list.span());
    };
    counts.fill(0);
    launch(kernels->kernel, {&a.starts, &a.numbers, &counts});
    pieces_before_kernel()(counts, totals, pieces, a.columns);
    starts(slice(0, 1)).fill(0);
    starts(slice(1, {})).assign(cumsum(totals, 0, a.index()));
    launch(kernels->move, {&a.starts, &a.numbers, &a.values, &counts, &starts, &numbers, &values});
    return as_matrix(with_starts(a.context, {a.columns, a.rows}, starts, numbers, values));
}

}  // namespace

AnyMatrix AnyMatrix::transpose() const {
    const Entries& a = state("Matrix::transpose").entries;
    const DeviceInfo& device = KernelCache::of(a.context).info();
    // Each chunk has a counter per column; with more counters than entries a sort is faster.
    const std::int64_t most = a.columns > 0 ? a.count / a.columns : 0;
    if (device.type != DeviceInfo::Type::cpu || most == 0) return by_sorting(a);
    return by_counting(a, std::min<std::int64_t>(std::max<std::int64_t>(device.compute_units, 1), most));
}

}  // namespace gemel::sparse
