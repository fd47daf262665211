#include <gemel/codegen/block.hpp>

#include "block_pieces.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen::pieces {

namespace {

Values values_of(const Item& item) {
    return {{"name", item.name}, {"item", item.type}, {"words", item.words()}, {"padded", item.bytes % 4 != 0}};
}

/// The index of word `w` in the state of a tile, or of a column.
std::string state_word(const LookBack& piece, const std::string& tile) {
    const int words = piece.item.words();
    const std::string state = piece.columns ? gemel::text(tile, " * ", piece.columns, " + column") : tile;
    if (words == 1) return state;
    return gemel::text(piece.columns ? "(" + state + ")" : state, " * ", words, " + w");
}

}  // namespace

std::string Exchange::text(KernelText& kernel) const { return kernel.fill(block_pieces::exchange(), values_of(item)); }

std::string ScanByShuffles::text(KernelText& kernel) const {
    Values values = values_of(item);
    values["rows"] = rows;
    values["vector_width"] = vector_width;
    values["warps"] = block / 32;
    return kernel.fill(block_pieces::scan_by_shuffles(), std::move(values));
}

bool CountByShuffles::is_possible() const { return rows * vector_width <= 32 && vector_width <= 16; }

std::string CountByShuffles::text(KernelText& kernel) const {
    const int fields = 32 * vector_width < 256 ? 4 : 2, bits = 32 / fields;
    return kernel.fill(block_pieces::count_by_shuffles(), {{"item", item.type},
                                                           {"rows", rows},
                                                           {"vector_width", vector_width},
                                                           {"warps", block / 32},
                                                           {"fields", fields},
                                                           {"run_mask", (1 << vector_width) - 1},
                                                           {"field_bits", bits},
                                                           {"field_mask", (1 << bits) - 1}});
}

std::string ScanInSharedMemory::text(KernelText& kernel) const {
    Values values = values_of(item);
    values["shared"] = shared;
    values["count"] = count;
    values["block"] = block;
    return kernel.fill(block_pieces::scan_in_shared_memory(), std::move(values));
}

std::string ReduceInSharedMemory::text(KernelText& kernel) const {
    codegen::Value::List named, steps;
    for (const auto& [total, shared, reduce] : values)
        named.push_back(Values{{"total", total}, {"shared", shared}, {"reduce", reduce}});
    for (int left = block; left > 1;) {
        const int parts = std::min(left, 8), all = left;
        left = (all + parts - 1) / parts;
        steps.push_back(Values{{"left", left}, {"parts", parts}, {"all", all}, {"is_whole", left * parts == all}});
    }
    return kernel.fill(block_pieces::reduce_in_shared_memory(),
                       {{"values", named}, {"steps", steps}, {"position", place}, {"stride", stride}});
}

std::string ReduceByShuffles::text(KernelText& kernel) const {
    codegen::Value::List named;
    for (const auto& [total, item, reduce] : values)
        named.push_back(Values{{"total", total}, {"item", item}, {"reduce", reduce}});
    return kernel.fill(block_pieces::reduce_by_shuffles(), {{"values", named}, {"width", width}});
}

std::string ReduceForAll::text(KernelText& kernel) const {
    codegen::Value::List named;
    ReduceByShuffles within{.values = {}, .width = 32};
    for (const auto& [total, shared, item, reduce] : values) {
        within.values.push_back({.total = total, .item = item, .reduce = reduce});
        named.push_back(Values{{"total", total}, {"shared", shared}, {"reduce", reduce}});
    }
    const std::string warps = within.text(kernel);
    if (group == 32) return warps;
    return warps + kernel.fill(block_pieces::reduce_for_all(), {{"values", named}, {"group", group}});
}

std::string ReduceAcrossBlocks::text(KernelText& kernel) const {
    codegen::Value::List named;
    for (const auto& [total, shared, item, reduce, first_word] : values) {
        const auto word = [&](const std::string& tile) {
            const std::string state = columns ? gemel::text("(", tile, " * ", columns, " + c)") : tile;
            return gemel::text(state, " * ", words, " + ", first_word, item.words() > 1 ? " + w" : "");
        };
        Values state = values_of(item);
        state["what"] = columns ? "total" : total;
        state["state"] = "1";
        state["tile_word"] = word("tile");
        state["at_word"] = word("at");
        state["has_state"] = false;
        state["was_read"] = false;
        named.push_back(Values{{"total", total},
                               {"shared", shared},
                               {"type", item.type},
                               {"reduce", reduce},
                               {"publish", kernel.fill(block_pieces::publish(), state)},
                               {"await", kernel.fill(block_pieces::await(), state)}});
    }
    return kernel.fill(columns ? block_pieces::reduce_columns_across_blocks() : block_pieces::reduce_across_blocks(),
                       {{"values", named}, {"parts", parts}, {"columns", columns}, {"block", block}});
}

std::string ReduceAcrossCluster::text(KernelText& kernel) const {
    codegen::Value::List named;
    for (const ReduceAcrossBlocks::Value& value : values) {
        Values state = values_of(value.item);
        state["total"] = value.total;
        state["shared"] = value.shared;
        state["type"] = value.item.type;
        state["reduce"] = value.reduce;
        named.push_back(std::move(state));
    }
    return kernel.fill(
        columns ? block_pieces::reduce_columns_across_cluster() : block_pieces::reduce_across_cluster(),
        {{"values", named}, {"parts", parts}, {"is_first", is_first}, {"columns", columns}, {"block", block}});
}

std::string ResidentBlocks::text() const {
    return count ? gemel::text(" RESIDENT_BLOCKS(", block, ", ", count, ")") : std::string();
}

std::string DealTile::text(KernelText& kernel) const { return kernel.fill(block_pieces::deal_tile(), {}); }

std::string WaitForCount::text(KernelText& kernel) const { return kernel.fill(block_pieces::wait_for_count(), {}); }

std::string LookBack::text(KernelText& kernel) const {
    Values values = values_of(item);
    const auto publish = [&](const std::string& what, const char* state) {
        Values published = values;
        published["what"] = what;
        published["state"] = state;
        published["tile_word"] = state_word(*this, "tile");
        return kernel.fill(block_pieces::publish(), std::move(published));
    };
    Values awaited = values;
    awaited["at_word"] = state_word(*this, "at");
    awaited["has_state"] = true;
    const int ahead = columns && item.words() == 1 ? 4 : 1;
    awaited["was_read"] = ahead > 1;
    awaited["first_word"] = "first_word[a]";
    values["ahead"] = ahead;
    values["at_word"] = awaited["at_word"];
    values["await"] = kernel.fill(block_pieces::await(), std::move(awaited));
    values["publish_total"] = publish("total", "(tile == 0 ? 2 : 1)");
    values["publish_sum"] = publish(item.name + "_scan(so_far, total)", "2");
    values["columns"] = columns;
    values["publishes"] = part != Part::look;
    values["looks"] = part != Part::publish;
    return kernel.fill(columns ? block_pieces::look_back_by_thread() : block_pieces::look_back(), std::move(values));
}

namespace {

std::string rank_elements(KernelText& kernel, int items, int bits, const std::string& digit, const std::string& then) {
    return kernel.fill(block_pieces::rank_elements(),
                       {{"items", items}, {"bits", bits}, {"digit", digit}, {"then", then}});
}

}  // namespace

std::string RankByDigit::text(KernelText& kernel) const {
    const std::string then = keeps_digit ? "rank[k] = found | own_digit << 16;" : "rank[k] = found;";
    return kernel.fill(block_pieces::rank_by_digit(),
                       {{"block", block},
                        {"warps", block / 32},
                        {"items", items},
                        {"rank_elements", rank_elements(kernel, items, bits, "digit[k]", then)}});
}

std::string CountByDigit::text(KernelText& kernel) const {
    return kernel.fill(block_pieces::count_by_digit(),
                       {{"block", block}, {"warps", block / 32}, {"items", items}, {"digit", digit}});
}

std::string PlaceByDigit::text(KernelText& kernel) const {
    const std::string last = gemel::text("own + 32 * k < count ? ", digit, " : 255");
    return kernel.fill(block_pieces::index_by_digit(),
                       {{"block", block},
                        {"warps", block / 32},
                        {"items", items},
                        {"digit", digit},
                        {"then", then},
                        {"rank_elements", rank_elements(kernel, items, 8, digit, then)},
                        {"rank_last_elements", rank_elements(kernel, items, 8, last, then)}});
}

std::string Reorder::text(KernelText& kernel) const {
    return kernel.fill(block_pieces::reorder(), {{"items", items}, {"staged", staged}, {"value", value}});
}

std::string Scatter::text(KernelText& kernel) const {
    return kernel.fill(block_pieces::scatter(), {{"block", block},
                                                 {"items", items},
                                                 {"type", type},
                                                 {"staged", staged},
                                                 {"value", value},
                                                 {"position", place},
                                                 {"store", store},
                                                 {"places_all", places_all},
                                                 {"is_staged", is_staged},
                                                 {"parts", parts},
                                                 {"of_part", (items + parts - 1) / parts}});
}

}  // namespace gemel::codegen::pieces
