/// Products of two matrices on GPUs: tiles of rows whose products fit into shared memory; heavier rows separately.
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/compress.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/cumulative.hpp>
#include <gemel/arrays/join.hpp>
#include <gemel/codegen/sparse_multiply.hpp>
#include <gemel/core/module.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace gemel::sparse {
namespace {

using codegen::SparseMultiplyLayout;

struct TileProduct : Variant {
    Kernel copy{nullptr};
};

std::shared_ptr<TileProduct> find_kernels(const Context& context, const SparseMultiplyLayout& layout) {
    static const std::uint64_t id = KernelCache::new_generator();
    return KernelCache::of(context).find<TileProduct>(VariantKey<SparseMultiplyLayout>{id, layout}, [&] {
        const GeneratedText text{codegen::sparse_multiply_source(layout, context.dialect())};
        const Module module = context.compile(text, CompileOptions{.name = "sparse_multiply"});
        auto kernels = std::make_shared<TileProduct>();
        kernels->kernel = module.kernel("sparse_multiply");
        kernels->copy = module.kernel("sparse_multiply_copy");
        return kernels;
    });
}

AnyArray begins_of(const Entries& a) { return a.starts(slice(0, -1)); }
AnyArray ends_of(const Entries& a) { return a.starts(slice(1, {})); }

/// The number of products: cumulative over the entries of `a`, in total, and the weight of the heaviest row.
struct Work {
    const Entries &a, &b;
    AnyArray ends = {};  ///< number of products up to and including each entry
    std::int64_t products = 0, heaviest = 0;
};

Work measure(const Entries& a, const Entries& b) {
    Work work{a, b};
    const AnyArray lengths(a.context, dtype_of<std::int64_t>(), Shape{a.count});
    product_length_kernel()(a.numbers, b.starts, lengths);
    work.ends = cumsum(lengths, 0, dtype_of<std::int64_t>());
    work.heaviest = heaviest_kernel()(begins_of(a), ends_of(a), work.ends).item();
    work.products = work.ends(a.count - 1).item<std::int64_t>();
    return work;
}

/// The largest weight of a row for tiles: a tile reserves room for one such row, and the remainder is for other rows.
std::int64_t limit_of(std::uint32_t items) { return std::int64_t{codegen::sparse_multiply_block} * items * 3 / 4; }

/// Elements of 16 bytes and wide indices leave room for fewer products.
std::uint32_t max_items(const Entries& a) { return a.value().size_bytes() + a.index().size_bytes() > 12 ? 4 : 8; }

/// @param work  all its rows weigh at most limit_of(max_items())
std::optional<Entries> multiply_tiles(const Work& work) {
    const Entries &a = work.a, &b = work.b;
    SparseMultiplyLayout layout{.value = a.value(), .index = a.index()};
    layout.items = work.heaviest <= limit_of(4) / 3 ? 4 : max_items(a);
    const double mean = static_cast<double>(work.products) / static_cast<double>(a.count);
    layout.width = std::bit_ceil(static_cast<std::uint32_t>(std::clamp(mean / 6, 1.0, 32.0)));
    const auto kernels = find_kernels(a.context, layout);
    const std::int64_t tile = std::int64_t{codegen::sparse_multiply_block} * layout.items - work.heaviest;
    const std::int64_t path = a.rows * codegen::sparse_row_weight + a.count + work.products;
    const std::int64_t tiles = (path + tile - 1) / tile;
    const AnyArray tile_rows(a.context, a.index(), Shape{tiles + 1}), lengths(a.context, a.index(), Shape{a.rows}),
        columns(a.context, a.index(), Shape{work.products}), sums(a.context, a.value(), Shape{work.products});
    multiply_tile_kernel()(tile_rows, a.starts, work.ends, tile, a.rows);
    const auto launch = [&](const Kernel& kernel, std::initializer_list<const AnyArray*> arrays,
                            const std::int32_t* longest) {
        ArgumentList list;
        for (const AnyArray* array : arrays) list.add(array->argument());
        if (longest) list.add(as_argument(*longest));
        kernel.launch({.grid = {tiles}, .block = {codegen::sparse_multiply_block}}, list.span());
    };
    const auto longest = static_cast<std::int32_t>(std::min<std::int64_t>(a.longest_row, 1 << 20));
    launch(kernels->kernel,
           {&a.starts, &a.numbers, &a.values, &b.starts, &b.numbers, &b.values, &work.ends, &tile_rows, &lengths,
            &columns, &sums},
           &longest);
    const AnyArray row_ends = cumsum(lengths, 0, dtype_of<std::int64_t>());
    const std::int64_t total = row_ends(a.rows - 1).item<std::int64_t>();
    if (a.index().size_bytes() == 4 && total > std::numeric_limits<std::int32_t>::max() - (1 << 20)) return {};
    const AnyArray starts(a.context, a.index(), Shape{a.rows + 1}), numbers(a.context, a.index(), Shape{total}),
        values(a.context, a.value(), Shape{total});
    starts(slice(0, 1)).fill(0);
    starts(slice(1, {})).assign(row_ends.astype(a.index()));
    if (total > 0)
        launch(kernels->copy, {&a.starts, &work.ends, &tile_rows, &columns, &sums, &starts, &numbers, &values},
               nullptr);
    return with_starts(a.context, {a.rows, b.columns}, starts, numbers, values);
}

/// Stacks two matrices vertically; both have the same width and index type.
Entries stacked(const Entries& upper, const Entries& lower) {
    const AnyArray lower_ends(lower.context, lower.index(), Shape{lower.rows});
    lower_ends.assign(ends_of(lower) + upper.count);
    return with_starts(upper.context, {upper.rows + lower.rows, upper.columns}, concatenate({upper.starts, lower_ends}),
                       concatenate({upper.numbers, lower.numbers}), concatenate({upper.values, lower.values}));
}

Entries rows_of(const Entries& a, const AnyArray& numbers) {
    return as_matrix(a).rows(numbers).state("sparse").entries;
}

}  // namespace

std::optional<Entries> multiply_by_tiles(const Entries& a, const Entries& b) {
    const DeviceInfo& device = KernelCache::of(a.context).info();
    if (device.type == DeviceInfo::Type::cpu || !device.has_cross_block_visibility ||
        device.max_threads_per_block < codegen::sparse_multiply_block || a.count == 0 || b.count == 0)
        return {};
    const Work work = measure(a, b);
    if (work.products == 0) return {};
    const std::int64_t limit = limit_of(max_items(a));
    if (work.heaviest <= limit) return multiply_tiles(work);
    const AnyArray is_heavy(a.context, dtype_of<std::uint8_t>(), Shape{a.rows});
    heavy_row_kernel()(is_heavy, begins_of(a), ends_of(a), work.ends, limit);
    const AnyArray heavy = flatnonzero(is_heavy), light = flatnonzero(is_heavy == std::uint8_t{0});
    if (light.size() == 0) return {};
    const Entries light_rows = rows_of(a, light), heavy_rows = rows_of(a, heavy);
    if (!(light_rows.index() == a.index()) || !(heavy_rows.index() == a.index())) return {};
    const std::optional<Entries> light_product = multiply_by_tiles(light_rows, b);
    const Entries upper = light_product ? *light_product : multiply_by_sorting(light_rows, b);
    const Entries lower = multiply_by_sorting(heavy_rows, b);
    const bool is_small = upper.count + lower.count < std::numeric_limits<std::int32_t>::max() - (1 << 20);
    if (!(upper.index() == lower.index()) || (upper.index().size_bytes() == 4 && !is_small)) return {};
    const AnyArray positions(a.context, a.index(), Shape{a.rows});
    invert_kernel()(concatenate({light, heavy}), positions);
    return rows_of(stacked(upper, lower), positions);
}

}  // namespace gemel::sparse
