/// How the results of all threads of a row, and of all blocks that share a row, are combined and distributed.
#include "kernels/rows_text.hpp"

#include "reduction_kernels.hpp"
#include "rows_kernels.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

pieces::Item RowText::exchanged(std::size_t v) {
    const std::size_t least = value_type(accumulator(v)) == "float" ? 4 : 1;
    return {.name = item(v),
            .type = kernel_.verbatim(running_type(v)),
            .bytes = std::max<std::size_t>(least, accumulator(v).size_bytes())};
}

/// From the threads' running values to the totals in all threads of a row.
std::string RowText::combine(std::size_t l) {
    const std::size_t first = first_value(l), end = first + request_.loops[l].values.size();
    std::string text;
    if (rows()) text += fill(reduction_kernels::combine_totals(), {{"count", layout_.tile.vector_width}});
    if (!layout_.serial && along() > 1) text += exchange(first, end);
    text += fill(rows_kernels::found());
    if (request_.loops[l].fixed.empty()) return text;
    return text +
           fill(rows_kernels::fixed(), {{"known", known(l + 1, l, "neighbour")}, {"fixed_now", fixed(l, l + 1)}});
}

std::string RowText::exchange(std::size_t first, std::size_t end) {
    pieces::ReduceInSharedMemory tree{
        .values = {}, .block = along(), .place = "along", .stride = rows() ? 1 : layout_.tile.across};
    pieces::ReduceByShuffles shuffles{.values = {}, .width = along()};
    pieces::ReduceForAll for_all{.values = {}, .group = along()};
    for (std::size_t v = first; v < end; ++v) {
        const std::string at = suffix(v), reduce = gemel::text(request_.name, "_reduce", at);
        shuffles.values.push_back({.total = "total" + at, .item = item(v), .reduce = reduce});
        for_all.values.push_back({.total = "total" + at, .shared = "shared" + at, .item = item(v), .reduce = reduce});
        if (rows()) tree.values.push_back({.total = "total" + at, .shared = "shared" + at, .reduce = reduce});
        for (int neighbour = 0; !rows() && neighbour < layout_.tile.vector_width; ++neighbour)
            tree.values.push_back({.total = gemel::text("totals", at, "[", neighbour, "]"),
                                   .shared = gemel::text("(shared", at, " + ", neighbour * layout_.block, ")"),
                                   .reduce = reduce});
    }
    if (rows() && layout_.tile.shuffles) return shuffles.text(kernel_);
    const std::string of_block = rows() && layout_.warps ? for_all.text(kernel_) : tree.text(kernel_);
    return of_block + (layout_.parts > 1 ? exchange_parts(first, end) : std::string());
}

/// The total of a block: of its row, or of its column c.
std::string RowText::total_of_block(std::size_t v) {
    const int width = layout_.tile.vector_width;
    return rows() ? "total" + suffix(v)
                  : gemel::text("shared", suffix(v), "[c / ", width, " + c % ", width, " * ", layout_.block, "]");
}

std::string RowText::exchange_in_cluster(std::size_t first, std::size_t end) {
    pieces::ReduceAcrossCluster across{.values = {},
                                       .parts = layout_.parts,
                                       .is_first = !cluster_has_begun_,
                                       .columns = rows() ? 0 : columns_of_block(),
                                       .block = layout_.block};
    cluster_has_begun_ = true;
    for (std::size_t v = first; v < end; ++v) {
        const std::string at = suffix(v);
        across.values.push_back({.total = total_of_block(v),
                                 .shared = "parts" + at,
                                 .item = exchanged(v),
                                 .reduce = gemel::text(request_.name, "_reduce", at)});
    }
    return across.text(kernel_);
}

/// From the totals of a block to those of all blocks of a row.
std::string RowText::exchange_parts(std::size_t first, std::size_t end) {
    pieces::ReduceAcrossBlocks across{.values = {},
                                      .parts = layout_.parts,
                                      .words = static_cast<int>(state_words(request_)),
                                      .columns = rows() ? 0 : columns_of_block(),
                                      .block = layout_.block};
    if (layout_.clusters) return exchange_in_cluster(first, end);
    int word = 0;
    for (std::size_t v = 0; v < end; ++v) {
        const pieces::Item item = exchanged(v);
        const std::string at = suffix(v);
        if (v >= first)
            across.values.push_back({.total = total_of_block(v),
                                     .shared = "parts" + at,
                                     .item = item,
                                     .reduce = gemel::text(request_.name, "_reduce", at),
                                     .first_word = word});
        word += item.words();
    }
    return across.text(kernel_);
}

}  // namespace gemel::codegen
