#include <gemel/codegen/sort.hpp>

#include "kernels/sort_text.hpp"

#include <gemel/codegen/snippet.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <numeric>

namespace gemel::codegen {

SortPlaces sort_places(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning) {
    const int bits = static_cast<int>(std::max(tuning.digit_bits, 1u));
    const auto positions = [&](int size_bits) { return (size_bits + bits - 1) / bits; };
    const int size_bits = 8 * static_cast<int>(request.key.size_bytes());
    SortPlaces all{.bits = bits};
    if (!request.key_expr.empty()) {
        const int known = request.key_type.empty() ? 64 : 8 * static_cast<int>(request.key_type.size_bytes());
        all.key = positions(request.key_bits > 0 ? std::min(request.key_bits, known) : known);
    } else if (request.key.kind() == DType::Kind::boolean) {
        all.key = 1;
    } else if (request.key.kind() == DType::Kind::complex) {
        all.key = 2 * positions(size_bits / 2) + 1;  // the last says which parts are NaN
    } else {
        all.key = positions(size_bits);
    }
    if (layout.segments != SortSegments::none) all.segment = positions(std::max(layout.segment_bits, 1));
    return all;
}

bool fits_thread_rows(const SortRequest& request, std::size_t row_length) {
    return row_length >= 2 && row_length <= 32 && request.key_expr.empty() && request.key.size_bytes() <= 8 &&
           request.key.kind() != DType::Kind::complex;
}

namespace {

std::uint32_t index_bytes(const SortLayout& layout) { return !layout.has_index ? 0 : layout.wide_index ? 8 : 4; }

}  // namespace

std::uint32_t moved_bytes(const SortRequest& request, const SortLayout& layout) {
    return std::accumulate(layout.values.begin(), layout.values.end(), request.key.size_bytes() + index_bytes(layout));
}

std::uint32_t sorted_bytes(const SortRequest& request, const SortLayout& layout) {
    std::uint32_t bytes = std::max(request.key.size_bytes(), index_bytes(layout));
    for (const std::uint32_t value : layout.values) bytes = std::max(bytes, value);
    if (layout.segments != SortSegments::none) bytes = std::max(bytes, 4u);
    return bytes;
}

bool sort_takes_index(const SortLayout& layout) {
    return layout.has_index || (layout.strategy == SortStrategy::serial_rows && !layout.values.empty());
}

std::size_t sort_tile(const SortTuning& tuning) {
    return std::size_t{std::max(tuning.block, 1u)} * std::max(tuning.items_per_thread, 1u);
}

std::size_t sort_control_counts(SortStrategy strategy, const SortPlaces& places) {
    const auto all = static_cast<std::size_t>(places.all());
    switch (strategy) {
        case SortStrategy::one_sweep: return 258 * all;
        case SortStrategy::one_launch: return 258 * all + 32 * (3 + all);
        default: return all + 1;
    }
}

namespace {

constexpr int max_parts = 4;
constexpr std::uint32_t max_items = 64;

constexpr std::size_t static_bytes = std::size_t{48} << 10;

/// The elements of one_sweep that are in shared memory at a time.
std::size_t staged_bytes(const SortRequest& request, const SortLayout& layout, std::uint32_t block, std::uint32_t items,
                         int parts) {
    const std::uint32_t rows = (items + static_cast<std::uint32_t>(parts) - 1) / static_cast<std::uint32_t>(parts);
    return std::size_t{rows} * block * sorted_bytes(request, layout);
}

/// Each warp's counters of 256 digits.
std::size_t counter_bytes(std::uint32_t block) { return std::size_t{32} * block; }

/// The shared memory of elements and counters. Elements in parts lie over the counters, of which they no longer have
/// need.
std::size_t arena_bytes(const SortRequest& request, const SortLayout& layout, std::uint32_t block, std::uint32_t items,
                        int parts) {
    const std::size_t staged = staged_bytes(request, layout, block, items, parts), counters = counter_bytes(block);
    return parts > 1 ? std::max(staged, counters) : staged + counters;
}

/// The other shared memory of a block: where the digits begin, totals, digits of elements.
std::size_t other_bytes(const SortLayout& layout, std::uint32_t block, std::uint32_t items) {
    const std::size_t starts = layout.wide_index ? 2048 : 1024, little = block / 8 + 64;
    return starts + little + (layout.segments != SortSegments::none ? std::size_t{block} * items : 0);
}

bool fits(const SortRequest& request, const SortLayout& layout, std::uint32_t block, std::uint32_t items, int parts) {
    const std::size_t others = other_bytes(layout, block, items);
    return counter_bytes(block) + others <= static_bytes &&
           arena_bytes(request, layout, block, items, parts) + others <= layout.shared_bytes;
}

}  // namespace

int sort_parts(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning) {
    int parts = 1;
    while (parts < max_parts && !fits(request, layout, tuning.block, tuning.items_per_thread, parts)) parts *= 2;
    return parts;
}

std::size_t sort_shared_bytes(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning) {
    if (layout.strategy != SortStrategy::one_sweep) return 0;
    const std::uint32_t block = tuning.block, items = tuning.items_per_thread;
    const int parts = sort_parts(request, layout, tuning);
    const std::size_t arena = arena_bytes(request, layout, block, items, parts);
    if (arena + other_bytes(layout, block, items) <= static_bytes) return 0;
    return ((parts > 1 ? arena : arena - counter_bytes(block)) + 15) / 16 * 16;
}

std::uint32_t max_one_sweep_items(const SortRequest& request, const SortLayout& layout, std::uint32_t block) {
    const int parts = layout.strategy == SortStrategy::one_launch ? 1 : max_parts;
    std::uint32_t items = max_items;
    while (items > 1 && !fits(request, layout, block, items, parts)) --items;
    return items;
}

void check_request(const SortRequest& request) {
    const auto refuse = [&](const std::string& what) {
        throw ArgumentError(gemel::text("SortKernel '", request.name, "': ", what));
    };
    if (request.key_bits < 0 || request.key_bits > 64)
        refuse(gemel::text("key_bits is ", request.key_bits, "; a key has 1 to 64 bits, and 0 stands for all"));
    if (request.key_expr.empty()) return;
    if (!Snippet(request.key_expr).uses("a"))
        refuse(gemel::text("the key \"", request.key_expr, "\" does not name the element, which is called a"));
}

std::string sort_source(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning,
                        const Dialect& dialect) {
    check_request(request);
    check_tuning(gemel::text("sort '", request.name, "'"), tuning);
    return SortText(request, layout, tuning, dialect).text();
}

std::string sort_keys_source(const SortRequest& request, bool wide_index, bool has_double, std::uint32_t block,
                             const Dialect& dialect) {
    check_request(request);
    const SortLayout layout{.strategy = SortStrategy::three_passes, .wide_index = wide_index, .has_double = has_double};
    const SortTuning tuning{.block = block, .items_per_thread = 1, .digit_bits = 4};
    return SortText(request, layout, tuning, dialect).keys();
}

}  // namespace gemel::codegen
