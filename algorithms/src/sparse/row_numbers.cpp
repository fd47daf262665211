/// The row of each entry of a csr matrix; most conversions begin with it.
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/search.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/module.hpp>

namespace gemel::sparse {
namespace {

using Source = std::string (*)(DType index, const Dialect& dialect);

std::shared_ptr<Variant> find_kernel(std::uint64_t id, const char* name, Source source, const Entries& entries) {
    const codegen::SparseLayout key{.index = entries.index()};
    return KernelCache::of(entries.context).find<Variant>(VariantKey<codegen::SparseLayout>{id, key}, [&] {
        const GeneratedText text{source(entries.index(), entries.context.dialect())};
        auto variant = std::make_shared<Variant>();
        variant->kernel = entries.context.compile(text, CompileOptions{.name = name}).kernel(name);
        return variant;
    });
}

/// Each block finds the rows of a tile of entries.
void scan_tiles(const Entries& entries, const AnyArray& rows) {
    static const std::uint64_t id = KernelCache::new_generator();
    ArgumentList list;
    list.add(entries.starts.argument());
    list.add(rows.argument());
    list.add(as_argument(entries.rows));
    list.add(as_argument(entries.count));
    const std::int64_t tiles = (entries.count + codegen::sparse_row_tile - 1) / codegen::sparse_row_tile;
    find_kernel(id, "sparse_row_numbers", codegen::sparse_row_numbers_source, entries)
        ->kernel.launch({.grid = {tiles}, .block = {codegen::sparse_row_block}}, list.span());
}

/// Each warp writes a piece of a row.
void write_long_rows(const Entries& entries, const AnyArray& rows) {
    static const std::uint64_t id = KernelCache::new_generator();
    // The first piece of a row may begin up to three entries before it.
    const std::int64_t chunks = (entries.longest_row + codegen::sparse_row_tile + 2) / codegen::sparse_row_tile;
    const std::int64_t warps = codegen::sparse_row_block / 32;
    ArgumentList list;
    list.add(entries.starts.argument());
    list.add(rows.argument());
    list.add(as_argument(entries.rows));
    list.add(as_argument(chunks));
    find_kernel(id, "sparse_row_numbers_long", codegen::sparse_long_row_numbers_source, entries)
        ->kernel.launch({.grid = {(entries.rows * chunks + warps - 1) / warps}, .block = {codegen::sparse_row_block}},
                        list.span());
}

/// Each entry searches for its row.
void search(const Entries& entries, const AnyArray& rows) {
    const AnyArray positions =
        arange(entries.context, entries.index(), std::int64_t{0}, entries.count, std::int64_t{1});
    const GPUArray<std::int64_t> found =
        gemel::detail::searchsorted("sparse", entries.starts, positions, Side::right, {});
    rows.assign((found - 1).any());
}

}  // namespace

AnyArray row_numbers_of(const Entries& entries) {
    const AnyArray rows(entries.context, entries.index(), Shape{entries.count});
    if (entries.count == 0) return rows;
    const DeviceInfo& device = KernelCache::of(entries.context).info();
    // A block reads all rows between its entries; this is fast only if there are not many more rows than entries.
    const bool is_dense = entries.rows / 8 <= entries.count;
    const bool is_long =
        entries.mean_row() >= 512 && static_cast<double>(entries.longest_row) <= 4 * entries.mean_row();
    if (device.type == DeviceInfo::Type::cpu) {
        spread_rows_kernel()(entries.starts(slice(0, -1)), entries.starts(slice(1, {})), rows);
    } else if (device.has_cross_block_visibility && device.max_threads_per_block >= codegen::sparse_row_block &&
               is_dense) {
        is_long ? write_long_rows(entries, rows) : scan_tiles(entries, rows);
    } else {
        search(entries, rows);
    }
    return rows;
}

}  // namespace gemel::sparse
