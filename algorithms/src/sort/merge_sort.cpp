#include "sort/merge_sort.hpp"

#include "generated/spine.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <utility>
#include <vector>

namespace gemel::sorting {
namespace {

using codegen::MergeSortLayout;
using codegen::SortTuning;

struct MergeVariant : Variant {
    Kernel merge{nullptr};
};

std::shared_ptr<MergeVariant> find_variant(const MergeSorter& sorter, const Context& context,
                                           const MergeSortLayout& layout, const SortTuning& tuning) {
    const VariantKey<MergeSortLayout, SortTuning> key{sorter.id, layout, tuning, {}};
    return KernelCache::of(context).find<MergeVariant>(key, [&] {
        const GeneratedText text{codegen::merge_sort_source(sorter.request, layout, tuning, context.dialect())};
        const Module module = context.compile(text, sorter.compile);
        auto variant = std::make_shared<MergeVariant>();
        variant->kernel = module.kernel(sorter.request.name + "_tiles");
        variant->merge = module.kernel(sorter.request.name + "_merge");
        variant->block = layout.serial ? 1 : tuning.block;
        return variant;
    });
}

/// Elements of any type are moved as bits.
Argument bits_of(const AnyArray& array) {
    Argument argument = array.argument();
    argument.dtype = {};
    return argument;
}

}  // namespace

bool has_wide_indices(std::int64_t count) { return count >= (std::int64_t{1} << 31) - (1 << 20); }

void merge_sort(const MergeSorter& sorter, const MergeCall& call) {
    if (call.rows * call.row_length == 0) return;
    const Context context = call.from.context();
    KernelCache& cache = KernelCache::of(context);
    const DeviceInfo& info = cache.info();
    const SortTuning tuning = choose_tuning(
        call.tuning, info, cache.tunings(context),
        // The number of arrays distinguishes its stored tunings from those of radix sorts.
        {.count = static_cast<std::size_t>(call.row_length), .item_bytes = call.from.dtype().size_bytes(), .arrays = 2},
        codegen::merge_sort_tuning);
    const MergeSortLayout layout{.serial = tuning.block == 1,
                                 // The last merge computes with twice the width of its parts.
                                 .wide_index = call.rows * call.row_length >= std::int64_t{1} << 30,
                                 .descending = call.descending,
                                 .by_place = !call.elements.empty()};
    const auto variant = find_variant(sorter, context, layout, tuning);
    const auto tile = static_cast<std::int64_t>(codegen::merge_sort_tile(layout, tuning));
    const std::int64_t tiles = (call.row_length + tile - 1) / tile, blocks = tiles * call.rows;
    int merges = 0;
    for (std::int64_t width = tile; width < call.row_length; width *= 2) ++merges;
    // The last merge ends in the result.
    const bool needs_spare = merges > 0 || layout.serial;
    const AnyArray spare = needs_spare ? AnyArray(context, call.to.dtype(), call.to.shape()) : call.to;
    std::pair<AnyArray, AnyArray> buffers{call.to, spare};
    if (merges % 2 == 1) std::swap(buffers.first, buffers.second);
    ArgumentList none;
    const Stream current;
    const Launcher launcher(none, layout.wide_index, current);
    std::vector<Argument> elements, own;
    if (layout.by_place) elements.push_back(bits_of(call.elements));
    const auto with_elements = [&](const AnyArray& from, const AnyArray& to) {
        own = elements;
        own.push_back(bits_of(from));
        own.push_back(bits_of(to));
    };
    with_elements(call.from, buffers.first);
    if (layout.serial) own.push_back(bits_of(buffers.second));
    launcher.alone(variant->kernel, {blocks}, variant->block, own, std::array{tiles, call.row_length});
    for (std::int64_t width = tile; width < call.row_length; width *= 2) {
        with_elements(buffers.first, buffers.second);
        launcher.alone(variant->merge, {blocks}, variant->block, own, std::array{width, tiles, call.row_length});
        std::swap(buffers.first, buffers.second);
    }
}

}  // namespace gemel::sorting
