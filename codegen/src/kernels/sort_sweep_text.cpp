/// The passes of sorts that look back: every key is read and written once in each.
#include "kernels/sort_text.hpp"

#include "sort_kernels.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel::codegen {

namespace {

/// In the sorted tile, of a thread's element k.
constexpr const char* index_of_element = "index_of[k / 2] >> 16 * (k % 2) & 0xffff";

}  // namespace

bool SortText::has_room_for_values() const {
    const auto words = [](std::uint32_t bytes) { return (bytes + 3) / 4; };
    const std::uint32_t value = layout_.values.empty() ? (layout_.wide_index ? 8u : 4u) : layout_.values[0];
    const std::uint32_t needed =
        tuning_.items_per_thread * (2 * words(request_.key.size_bytes()) + 2 * words(value) + 1) / 2;
    const std::uint32_t threads = tuning_.resident_blocks * tuning_.block;
    return layout_.segments == SortSegments::none && threads > 0 && threads <= 512 && needed <= 120;
}

std::string SortText::stage_key() {
    return kernel_.fill(sort_kernels::stage_key(), {{"is_staged", parts_ == 1},
                                                    {"keeps_indices", keeps_indices_},
                                                    {"segmented", layout_.segments != SortSegments::none}});
}

std::string SortText::scatter_key() {
    const bool segmented = layout_.segments != SortSegments::none;
    const std::string store =
        kernel_.fill(sort_kernels::scatter_key(), {{"digit", segmented ? "digit_at[j]" : digit("moved", "0")},
                                                   {"keeps_digits", carries_more_ && !segmented},
                                                   {"keeps_keys", layout_.keeps_keys},
                                                   {"count", count_}});
    return pieces::Scatter{.block = block_,
                           .items = items_,
                           .type = key_,
                           .staged = "staged_keys",
                           .place = index_of_element,
                           .store = store,
                           .places_all = true,
                           .is_staged = parts_ == 1,
                           .parts = parts_}
        .text(kernel_);
}

std::vector<SortText::Carried> SortText::carried() const {
    std::vector<Carried> all;
    const bool segmented = layout_.segments != SortSegments::none;
    const std::string at = gemel::text("[first_of[", segmented ? "digit_at[j]" : "digits[k / 4] >> 8 * (k % 4) & 255",
                                       "] + (", count_, ")j]");
    for (std::size_t m = 1; m < moved_.size(); ++m)
        all.push_back({moved_[m].type, moved_[m].name + "_source[begin + own + 32 * k]",
                       gemel::text(moved_[m].name, "_target", at, " = moved;")});
    if (layout_.has_index)
        all.push_back(
            {count_,
             gemel::text("from == 0 ? (", count_, ")(begin + own + 32 * k) : index_source[begin + own + 32 * k]"),
             gemel::text("if (last) index_out", at, " = ", index_value("moved"), ";\nelse index_target", at,
                         " = moved;")});
    if (segmented) all.push_back({"uint32_t", "segment[k]", gemel::text("if (!last) segment_target", at, " = moved;")});
    return all;
}

std::string SortText::fetch(const Carried& carried) {
    return fill(sort_kernels::fetch_value(), {{"type", carried.type}, {"value", carried.value}});
}

std::string SortText::scatter_values() {
    std::string all;
    bool is_fetched = fetches_early_;
    for (const Carried& carried : carried()) {
        const pieces::Scatter scatter{.block = block_,
                                      .items = items_,
                                      .type = carried.type,
                                      .staged = "staged",
                                      .value = "value[k]",
                                      .place = index_of_element,
                                      .store = carried.store,
                                      .places_all = true,
                                      .parts = parts_};
        all += fill(sort_kernels::scatter_value(), {{"type", carried.type},
                                                    {"is_fetched", is_fetched},
                                                    {"fetch", is_fetched ? "" : fetch(carried)},
                                                    {"scatter", scatter.text(kernel_)}});
        is_fetched = false;
    }
    return all;
}

std::string SortText::sort_tile() {
    using Part = pieces::LookBack::Part;
    const auto look_back = [&](Part part) {
        return pieces::LookBack{.item = total_, .columns = 256, .part = part}.text(kernel_);
    };
    const std::string scatter = scatter_key() + scatter_values();
    return fill(
        sort_kernels::sort_tile(),
        {{"carries_more", carries_more_},
         {"keeps_indices", keeps_indices_},
         {"fetches_early", fetches_early_},
         {"fetch", fetches_early_ ? fetch(carried().front()) : ""},
         {"count_by_digit",
          pieces::CountByDigit{.block = block_, .items = items_, .digit = digit("key[k]", "segment[k]")}.text(kernel_)},
         {"index_by_digit", pieces::PlaceByDigit{.block = block_,
                                                 .items = items_,
                                                 .digit = digit("key[k]", "segment[k]", "same_position"),
                                                 .then = stage_key()}
                                .text(kernel_)},
         {"publish", look_back(Part::publish)},
         {"look_back", look_back(Part::look)},
         {"scan_by_shuffles", pieces::ScanByShuffles{.item = number_, .block = block_}.text(kernel_)},
         {"scatter", scatter}});
}

std::string SortText::one_sweep() {
    const bool in_one_launch = layout_.strategy == SortStrategy::one_launch;
    // Aligned keys are counted 16 bytes at a time.
    const std::uint32_t key_bytes = request_.key.size_bytes();
    const bool is_packed = layout_.has_aligned_keys && layout_.segments == SortSegments::none &&
                           request_.key_expr.empty() && 16 % key_bytes == 0;
    const int pack_length = is_packed ? static_cast<int>(16 / key_bytes) : 1;
    // A short array has few elements for each block: clearing and adding up many counters would take longer than
    // counting.
    const int all_copies = in_one_launch ? 8 : 32;
    const int copies =
        static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(all_copies / positions_.all(), 1))));
    const int rows = (items_ + parts_ - 1) / parts_;
    std::uint32_t arena = static_cast<std::uint32_t>(block_ * rows) * sorted_bytes(request_, layout_);
    if (parts_ > 1) arena = std::max(arena, static_cast<std::uint32_t>(32 * block_));  // it has been the counters'
    if (in_one_launch) arena = std::max(arena, static_cast<std::uint32_t>(1024 * positions_.all() * copies));
    Values values = {{"pack_length", pack_length},
                     {"copies", copies},
                     {"digit", digit("key[k]", "segment[k]")},
                     {"group", in_one_launch ? "number" : "GID_0"},
                     {"groups", in_one_launch ? "counting_blocks" : "GDIM_0"},
                     {"in_one_launch", in_one_launch},
                     {"in_parts", parts_ > 1},
                     {"is_dynamic", sort_shared_bytes(request_, layout_, tuning_) > 0},
                     {"resident", pieces::ResidentBlocks{.block = block_, .count = tuning_.resident_blocks}.text()},
                     {"begin_pass", fill(sort_kernels::begin_pass())},
                     {"arena_bytes", static_cast<int>((arena + 15) / 16 * 16)},
                     {"deal_tile", pieces::DealTile{}.text(kernel_)},
                     {"sort_tile", sort_tile()}};
    values["count_digits"] = fill(sort_kernels::count_digits(), values);
    values["plan_passes"] = fill(sort_kernels::plan_passes(), values);
    if (!in_one_launch) {
        values["scan_sums"] =
            pieces::ScanInSharedMemory{.item = total_, .shared = "sums", .count = "256", .block = 256}.text(kernel_);
        return fill(sort_kernels::one_sweep(), values);
    }
    values["signals_at"] = 258 * positions_.all();
    values["control_words"] = static_cast<int>(sort_control_counts(layout_.strategy, positions_));
    values["wait"] = pieces::WaitForCount{}.text(kernel_);
    values["scan_digits"] =
        pieces::ScanByShuffles{.item = number_, .block = block_, .vector_width = positions_.all()}.text(kernel_);
    return fill(sort_kernels::one_launch(), values);
}

}  // namespace gemel::codegen
