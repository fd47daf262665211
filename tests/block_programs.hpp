/// Small kernels around each piece of the block layer: for NVRTC, and for the devices.
#pragma once

#include <gemel/codegen/block.hpp>
#include <gemel/core/text.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace block_programs {

namespace cg = gemel::codegen;
namespace pieces = gemel::codegen::pieces;

/// What is scanned: sums modulo 2^32 or 2^64, or maps x -> a * x + b of 8 bits each, whose order matters.
struct Scanned {
    pieces::Item item;
    std::string declaration = {};  ///< of the type, in front
    std::string scan;              ///< "return a + b;"
};
inline Scanned one_word() { return {{.name = "sum", .type = "uint32_t", .bytes = 4}, "", "return a + b;"}; }
inline Scanned two_words() { return {{.name = "sum", .type = "uint64_t", .bytes = 8}, "", "return a + b;"}; }
inline Scanned half_a_word() {
    return {{.name = "map", .type = "affine", .bytes = 2},
            "typedef struct { uint8_t factor, more; } affine;\n",
            "affine both;\n    both.factor = (uint8_t)(a.factor * b.factor);\n"
            "    both.more = (uint8_t)(a.more * b.factor + b.more);\n    return both;"};
}
inline Scanned three_words() {
    return {{.name = "map", .type = "affine", .bytes = 12},
            "typedef struct { uint32_t factor, more, count; } affine;\n",
            "affine both;\n    both.factor = a.factor * b.factor;\n    both.more = a.more * b.factor + b.more;\n"
            "    both.count = a.count + b.count;\n    return both;"};
}

inline std::string scan_function(const Scanned& scanned) {
    const auto& [item, declaration, scan] = scanned;
    return declaration + "WITHIN_KERNEL " + item.type + " " + item.name + "_scan(" + item.type + " a, " + item.type +
           " b) {\n    " + scan + "\n}\n";
}

/// `run(x, out, n)`: an inclusive scan of one tile by one block, whose length may be less than the tile's.
inline std::string scan_by_shuffles(const gemel::Dialect& dialect, const Scanned& scanned, int threads,
                                    int vector_width, int rows) {
    cg::KernelText text(dialect);
    const std::string exchange = pieces::Exchange{scanned.item}.text(text);
    const std::string scan =
        pieces::ScanByShuffles{.item = scanned.item, .block = threads, .vector_width = vector_width, .rows = rows}.text(
            text);
    const cg::Template kernel(R"({{ scan_function }}
{{ exchange }}
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(GLOBAL_MEM const {{ item }} *x, GLOBAL_MEM {{ item }} *out, int n)
{
    LOCAL_MEM {{ item }} warp_totals[{{ block // 32 }}];
    const int warp = LID_0 / 32, lane = LID_0 % 32, first = warp * {{ 32 * vector_width * rows }} + lane * {{ vector_width }};
    {{ item }} v[{{ vector_width * rows }}];
    for (int row = 0; row < {{ rows }}; ++row) {
        for (int e = 0; e < {{ vector_width }}; ++e) {
            const int i = first + row * {{ 32 * vector_width }} + e;
            v[row * {{ vector_width }} + e] = x[i < n ? i : n - 1];
        }
    }
    {{ scan }}
    if (LID_0 == 0) out[n] = total;
    for (int row = 0; row < {{ rows }}; ++row) {
        const int is_first = row == 0 && lane == 0;
        for (int e = 0; e < {{ vector_width }}; ++e) {
            const int i = first + row * {{ 32 * vector_width }} + e;
            {{ item }} item = v[row * {{ vector_width }} + e];
            if (!is_first) item = {{ name }}_scan(before[row], item);
            if (warp > 0) item = {{ name }}_scan(before_warp, item);
            if (i < n) out[i] = item;
        }
    }
}
)",
                              "scan_by_shuffles_test", cg::kernel_template_options);
    return text.finish(text.fill(kernel, {{"scan_function", scan_function(scanned)},
                                          {"exchange", exchange},
                                          {"scan", scan},
                                          {"item", scanned.item.type},
                                          {"name", scanned.item.name},
                                          {"block", threads},
                                          {"vector_width", vector_width},
                                          {"rows", rows}}));
}

/// `run(x, out, n)`: how many odd numbers there are through each element of one tile, and behind them in the tile.
inline std::string count_by_shuffles(const gemel::Dialect& dialect, const std::string& type, int threads,
                                     int vector_width, int rows) {
    cg::KernelText text(dialect);
    const std::string count =
        pieces::CountByShuffles{.item = {.type = type}, .block = threads, .vector_width = vector_width, .rows = rows}
            .text(text);
    const cg::Template kernel(
        R"(KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(GLOBAL_MEM const uint32_t *x, GLOBAL_MEM {{ item }} *out, int n)
{
    LOCAL_MEM {{ item }} warp_totals[{{ block // 32 }}];
    const int warp = LID_0 / 32, lane = LID_0 % 32, first = warp * {{ 32 * vector_width * rows }} + lane * {{ vector_width }};
    uint32_t flags = 0;
    for (int row = 0; row < {{ rows }}; ++row) {
        for (int e = 0; e < {{ vector_width }}; ++e) {
            const int i = first + row * {{ 32 * vector_width }} + e;
            if (i < n) flags |= (x[i] & 1) << (row * {{ vector_width }} + e);
        }
    }
    {{ count }}
    if (LID_0 == 0) out[n] = total;
    for (int row = 0; row < {{ rows }}; ++row) {
        {{ item }} running = before_warp + before[row];
        for (int e = 0; e < {{ vector_width }}; ++e) {
            const int i = first + row * {{ 32 * vector_width }} + e;
            running += flags >> (row * {{ vector_width }} + e) & 1;
            if (i < n) out[i] = running;
        }
    }
}
)",
        "count_by_shuffles_test", cg::kernel_template_options);
    return text.finish(text.fill(
        kernel,
        {{"count", count}, {"item", type}, {"block", threads}, {"vector_width", vector_width}, {"rows", rows}}));
}

/// `run(x, out, n)`: an inclusive scan of at most one element per thread of one block.
inline std::string scan_in_shared_memory(const gemel::Dialect& dialect, const Scanned& scanned, int threads) {
    cg::KernelText text(dialect);
    const std::string scan =
        pieces::ScanInSharedMemory{.item = scanned.item, .shared = "shared", .count = "n", .block = threads}.text(text);
    const cg::Template kernel(R"({{ scan_function }}
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(GLOBAL_MEM const {{ item }} *x, GLOBAL_MEM {{ item }} *out, int n)
{
    LOCAL_MEM {{ item }} shared[{{ block }}];
    const int thread = LID_0;
    if (thread < n) shared[thread] = x[thread];
    {{ scan }}
    if (thread < n) out[thread] = shared[thread];
}
)",
                              "scan_in_shared_memory_test", cg::kernel_template_options);
    return text.finish(text.fill(
        kernel,
        {{"scan_function", scan_function(scanned)}, {"scan", scan}, {"item", scanned.item.type}, {"block", threads}}));
}

/// `run(x, out, n)`: a block's sum and its greatest element, of at most one element per thread.
inline std::string reduce_in_shared_memory(const gemel::Dialect& dialect, int threads) {
    cg::KernelText text(dialect);
    const pieces::ReduceInSharedMemory tree{.values = {{.total = "sum", .shared = "sums", .reduce = "add"},
                                                       {.total = "top", .shared = "tops", .reduce = "greater"}},
                                            .block = threads};
    const cg::Template kernel(R"(
WITHIN_KERNEL uint64_t add(uint64_t a, uint64_t b) { return a + b; }
WITHIN_KERNEL int greater(int a, int b) { return a > b ? a : b; }
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(GLOBAL_MEM const int *x, GLOBAL_MEM uint64_t *out, int n)
{
    LOCAL_MEM uint64_t sums[{{ block }}];
    LOCAL_MEM int tops[{{ block }}];
    const int thread = LID_0;
    uint64_t sum = thread < n ? (uint64_t)x[thread] << 20 : 0;
    int top = thread < n ? x[thread] : 0;
    {{ tree }}
    if (thread == {{ block - 1 }}) {
        out[0] = sums[0];
        out[1] = (uint64_t)tops[0];
    }
}
)",
                              "reduce_in_shared_memory_test", cg::kernel_template_options);
    return text.finish(text.fill(kernel, {{"tree", tree.text(text)}, {"block", threads}}));
}

/// `run(x, out)`: the sum of each of `groups` groups of a block's threads, each of which brings an element. Threads of
/// a group are neighbours, or `groups` apart; they exchange by shuffles, or in shared memory.
inline std::string reduce_side_by_side(const gemel::Dialect& dialect, const Scanned& scanned, int threads, int groups,
                                       bool neighbours, bool shuffles) {
    cg::KernelText text(dialect);
    const int width = threads / groups;
    const std::string reduce = scanned.item.name + "_scan";
    const pieces::ReduceInSharedMemory tree{
        .values = {{.reduce = reduce}}, .block = width, .place = "place", .stride = neighbours ? 1 : groups};
    const pieces::ReduceByShuffles exchange{.values = {{.item = scanned.item.name, .reduce = reduce}}, .width = width};
    const cg::Template kernel(R"({{ scan_function }}
{{ exchange }}
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(GLOBAL_MEM const {{ item }} *x, GLOBAL_MEM {{ item }} *out)
{
{% if shuffles %}
    const int lane = LID_0 % 32;
{% else %}
    LOCAL_MEM {{ item }} shared[{{ block }}];
{% endif %}
    const int thread = LID_0;
    const int place = {{ "thread % " ~ width if neighbours else "thread / " ~ groups }};
    const int group = {{ "thread / " ~ width if neighbours else "thread % " ~ groups }};
    {{ item }} total = x[thread];
    {{ reduce }}
    if (place == {{ width - 1 if shuffles else 0 }}) out[group] = total;
}
)",
                              "reduce_side_by_side_test", cg::kernel_template_options);
    return text.finish(
        text.fill(kernel, {{"scan_function", scan_function(scanned)},
                           {"exchange", shuffles ? pieces::Exchange{scanned.item}.text(text) : std::string()},
                           {"item", scanned.item.type},
                           {"block", threads},
                           {"groups", groups},
                           {"width", width},
                           {"neighbours", neighbours},
                           {"shuffles", shuffles},
                           {"reduce", shuffles ? exchange.text(text) : tree.text(text)}}));
}

/// `run(x, out)`: the sums of `group` consecutive threads' elements, which every thread of the group
/// writes.
inline std::string reduce_for_all(const gemel::Dialect& dialect, const Scanned& scanned, int threads, int group) {
    cg::KernelText text(dialect);
    const std::string exchange = pieces::Exchange{scanned.item}.text(text);
    const std::string reduce =
        pieces::ReduceForAll{.values = {{.item = scanned.item.name, .reduce = scanned.item.name + "_scan"}},
                             .group = group}
            .text(text);
    const cg::Template kernel(R"({{ scan_function }}
{{ exchange }}
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(GLOBAL_MEM const {{ item }} *x, GLOBAL_MEM {{ item }} *out)
{
{% if group > 32 %}
    LOCAL_MEM {{ item }} shared[{{ block // 32 }}];
{% endif %}
    const int thread = LID_0, lane = thread % 32;
    {{ item }} total = x[thread];
    {{ reduce }}
    out[thread] = total;
}
)",
                              "reduce_for_all_test", cg::kernel_template_options);
    return text.finish(text.fill(kernel, {{"scan_function", scan_function(scanned)},
                                          {"exchange", exchange},
                                          {"reduce", reduce},
                                          {"item", scanned.item.type},
                                          {"group", group},
                                          {"block", threads}}));
}

/// The beginning of kernels whose blocks are dealt tiles and wait for others.
inline const std::string head_of_tiles = R"({{ scan_function }}
{{ exchange }}
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(
        GLOBAL_MEM const {{ item }} *x,
        GLOBAL_MEM {{ item }} *out,
        volatile GLOBAL_MEM uint64_t *states,
        GLOBAL_MEM uint32_t *ticket,
        uint32_t first_ticket,
        uint32_t epoch)
{
)";

/// `run(x, out, states, ticket, first_ticket, epoch)`: x has one element per tile, or `columns`; every thread writes
/// what its tile and the others of its group of `parts` give, in the order of the tiles, to out[tile * block + thread],
/// with columns to out[tile * columns + column].
inline std::string reduce_across_blocks(const gemel::Dialect& dialect, const Scanned& scanned, int parts, int columns,
                                        int threads = 64) {
    cg::KernelText text(dialect);
    const std::string exchange = pieces::Exchange{scanned.item}.text(text), deal_tile = pieces::DealTile{}.text(text);
    const std::string reduce =
        pieces::ReduceAcrossBlocks{
            .values = {{.total = columns ? "x[tile * " + std::to_string(columns) + " + c]" : "total",
                        .item = scanned.item,
                        .reduce = scanned.item.name + "_scan"}},
            .parts = parts,
            .words = scanned.item.words(),
            .columns = columns,
            .block = threads}
            .text(text);
    const cg::Template kernel(head_of_tiles + R"(    LOCAL_MEM int dealt[1];
    LOCAL_MEM {{ item }} shared[{{ parts * columns if columns else parts }}];
    const int thread = LID_0;
    {{ deal_tile }}
{% if columns %}
    {{ reduce }}
    for (int c = thread; c < {{ columns }}; c += {{ block }}) out[tile * {{ columns }} + c] = shared[c];
{% else %}
    {{ item }} total = x[tile];
    {{ reduce }}
    out[tile * {{ block }} + thread] = total;
{% endif %}
}
)",
                              "reduce_across_blocks_test", cg::kernel_template_options);
    return text.finish(text.fill(kernel, {{"scan_function", scan_function(scanned)},
                                          {"exchange", exchange},
                                          {"deal_tile", deal_tile},
                                          {"reduce", reduce},
                                          {"item", scanned.item.type},
                                          {"parts", parts},
                                          {"columns", columns},
                                          {"block", threads}}));
}

/// `run(x, out, states, ticket, first_ticket, epoch)`: an exclusive scan, one element per tile; out[0] is left alone.
/// With columns each tile has so many elements, one after the other, and each column is scanned; in two parts, totals
/// are published first, and the threads meet before they look.
inline std::string look_back(const gemel::Dialect& dialect, const Scanned& scanned, int columns,
                             bool in_parts = false) {
    cg::KernelText text(dialect);
    using Part = pieces::LookBack::Part;
    const auto part = [&](Part which) {
        return pieces::LookBack{.item = scanned.item, .columns = columns, .part = which}.text(text);
    };
    const std::string exchange = pieces::Exchange{scanned.item}.text(text), deal_tile = pieces::DealTile{}.text(text),
                      publish = in_parts ? part(Part::publish) : std::string(),
                      look_back = part(in_parts ? Part::look : Part::whole);
    const cg::Template kernel(head_of_tiles + R"(    LOCAL_MEM int dealt[1];
    const int thread = LID_0;
{% if columns %}
    {{ deal_tile }}
{% if in_parts %}
    if (thread < {{ columns }}) {
        const int column = thread;
        const {{ item }} total = x[tile * {{ columns }} + column];
        {{ publish }}
    }
    local_barrier();
{% endif %}
    if (thread < {{ columns }}) {
        const int column = thread;
        const {{ item }} total = x[tile * {{ columns }} + column];
        {{ look_back }}
        if (tile > 0) out[tile * {{ columns }} + column] = so_far;
    }
{% else %}
    LOCAL_MEM {{ item }} tile_prefix[1];
    {{ deal_tile }}
    const int lane = thread % 32;
    const {{ item }} total = x[tile];
    if (thread < 32) {
        {{ look_back }}
    }
    local_barrier();
    if (thread == {{ block - 1 }} && tile > 0) out[tile] = tile_prefix[0];
{% endif %}
}
)",
                              "look_back_test", cg::kernel_template_options);
    return text.finish(text.fill(kernel, {{"scan_function", scan_function(scanned)},
                                          {"exchange", exchange},
                                          {"deal_tile", deal_tile},
                                          {"publish", publish},
                                          {"in_parts", in_parts},
                                          {"look_back", look_back},
                                          {"item", scanned.item.type},
                                          {"columns", columns},
                                          {"block", columns ? (columns + 31) / 32 * 32 : 64}}));
}

/// `run(digits, ranks, totals, n)`: one tile of 256 * items elements; the rank of each among those with its digit.
/// Where digits are kept they have 8 bits, and what lies behind the end of the tile has digit 255, as in a sort.
inline std::string rank_by_digit(const gemel::Dialect& dialect, int threads, int items, bool keeps_digit = false) {
    cg::KernelText text(dialect);
    const cg::Template kernel(R"(
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(GLOBAL_MEM const uint8_t *x, GLOBAL_MEM int *ranks, GLOBAL_MEM int *totals, int n)
{
    LOCAL_MEM int digit_counts[{{ block * 8 }}];
    const int thread = LID_0, warp = thread / 32, lane = thread % 32, first = {{ items }} * 32 * warp + lane;
    int digit[{{ items }}];
    for (int k = 0; k < {{ items }}; ++k) digit[k] = first + 32 * k < n ? x[first + 32 * k] : {{ no_digit }};
    {{ rank }}
    if (thread < 256) totals[thread] = digit_total;
    for (int k = 0; k < {{ items }}; ++k) {
{% if keeps_digit %}
        if (first + 32 * k < n) ranks[first + 32 * k] = digit_counts[256 * warp + (rank[k] >> 16)] + (rank[k] & 0xffff);
{% else %}
        if (digit[k] < 256) ranks[first + 32 * k] = digit_counts[256 * warp + digit[k]] + rank[k];
{% endif %}
    }
}
)",
                              "rank_by_digit_test", cg::kernel_template_options);
    const pieces::RankByDigit rank{
        .block = threads, .items = items, .bits = keeps_digit ? 8 : 9, .keeps_digit = keeps_digit};
    return text.finish(text.fill(kernel, {{"rank", rank.text(text)},
                                          {"keeps_digit", keeps_digit},
                                          {"no_digit", keeps_digit ? 255 : 256},
                                          {"block", threads},
                                          {"items", items}}));
}

/// `run(digits, places, totals, n)`: one tile; the place of each element among all, sorted by digit,
/// and of what lies behind the n elements.
inline std::string place_by_digit(const gemel::Dialect& dialect, int threads, int items) {
    cg::KernelText text(dialect);
    const cg::Template kernel(R"(
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(GLOBAL_MEM const uint8_t *x, GLOBAL_MEM int *places, GLOBAL_MEM int *totals, int n)
{
    LOCAL_MEM int digit_counts[{{ block * 8 }}];
    LOCAL_MEM int starts[256];
    const int thread = LID_0, warp = thread / 32, lane = thread % 32, own = {{ items }} * 32 * warp + lane, count = n;
    int digit[{{ items }}];
    for (int k = thread; k < {{ block * 8 }}; k += {{ block }}) digit_counts[k] = 0;
    for (int k = 0; k < {{ items }}; ++k) digit[k] = own + 32 * k < n ? x[own + 32 * k] : 7;
    local_barrier();
    {{ counted }}
    if (thread < 256) totals[thread] = starts[thread] = digit_total;
    local_barrier();
    int start = 0;
    for (int d = 0; d < thread && d < 256; ++d) start += starts[d];
    {{ placed }}
}
)",
                              "place_by_digit_test", cg::kernel_template_options);
    const pieces::CountByDigit counted{.block = threads, .items = items};
    const pieces::PlaceByDigit placed{.block = threads, .items = items, .then = "places[own + 32 * k] = found;"};
    return text.finish(text.fill(
        kernel,
        {{"counted", counted.text(text)}, {"placed", placed.text(text)}, {"block", threads}, {"items", items}}));
}

/// `run(x, places, out, n)`: one tile; element i goes to out[places[i]].
inline std::string scatter(const gemel::Dialect& dialect, const std::string& type, int threads, int items) {
    cg::KernelText text(dialect);
    const pieces::Scatter piece{.block = threads,
                                .items = items,
                                .type = type,
                                .staged = "shelf",
                                .value = "mine[k]",
                                .store = "out[j] = moved;"};
    const cg::Template kernel(R"(
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(
        GLOBAL_MEM const {{ type }} *x, GLOBAL_MEM const int *places, GLOBAL_MEM {{ type }} *out, int n)
{
    LOCAL_MEM {{ type }} shelf[{{ block * items }}];
    const int thread = LID_0, count = n;
    int place[{{ items }}];
    {{ type }} mine[{{ items }}];
    for (int k = 0; k < {{ items }}; ++k) {
        const int i = thread * {{ items }} + k;
        place[k] = i < n ? places[i] : -1;
        if (i < n) mine[k] = x[i];
    }
    {{ scatter }}
}
)",
                              "scatter_test", cg::kernel_template_options);
    return text.finish(
        text.fill(kernel, {{"scatter", piece.text(text)}, {"type", type}, {"block", threads}, {"items", items}}));
}

/// `run(x, places, out, n)`: one tile; element i becomes element places[i], and with its place i is stored as
/// value * 4096 + i.
inline std::string reorder(const gemel::Dialect& dialect, int threads, int items) {
    cg::KernelText text(dialect);
    const auto moved = [&](const char* value) {
        return pieces::Reorder{.items = items, .staged = "shelf", .value = value}.text(text);
    };
    const std::string moves = moved("key[k]") + moved("origin[k]");
    const cg::Template kernel(R"(
KERNEL REQD_WG_SIZE({{ block }}, 1, 1) void run(
        GLOBAL_MEM const int *x, GLOBAL_MEM const int *places, GLOBAL_MEM int *out, int n)
{
    LOCAL_MEM int shelf[{{ block * items }}];
    const int thread = LID_0, count = n, own = thread / 32 * {{ 32 * items }} + thread % 32;
    int place_of[{{ items }}], key[{{ items }}], origin[{{ items }}];
    for (int k = 0; k < {{ items }}; ++k) {
        const int i = own + 32 * k;
        place_of[k] = i < n ? places[i] : -1;
        key[k] = i < n ? x[i] : 0;
        origin[k] = i;
    }
    {{ moves }}
    for (int k = 0; k < {{ items }}; ++k) {
        if (own + 32 * k < n) out[own + 32 * k] = key[k] * 4096 + origin[k];
    }
}
)",
                              "reorder_test", cg::kernel_template_options);
    return text.finish(text.fill(kernel, {{"moves", moves}, {"block", threads}, {"items", items}}));
}

/// Every piece, for compilers.
inline std::vector<std::pair<std::string, std::string>> all(const gemel::Dialect& dialect) {
    std::vector<std::pair<std::string, std::string>> programs;
    for (const Scanned& scanned : {one_word(), two_words(), half_a_word(), three_words()}) {
        const std::string bytes = std::to_string(scanned.item.bytes) + " bytes";
        programs.emplace_back("scan by shuffles, " + bytes, scan_by_shuffles(dialect, scanned, 128, 4, 2));
        programs.emplace_back("scan in shared memory, " + bytes, scan_in_shared_memory(dialect, scanned, 64));
        programs.emplace_back("look-back, " + bytes, look_back(dialect, scanned, 0));
        programs.emplace_back("look-back by thread, " + bytes, look_back(dialect, scanned, 40));
        programs.emplace_back("look-back in parts, " + bytes, look_back(dialect, scanned, 40, true));
    }
    for (const char* type : {"int32_t", "int64_t"})
        programs.emplace_back("count by shuffles", count_by_shuffles(dialect, type, 128, 4, 8));
    for (const int threads : {1, 96, 256})
        programs.emplace_back("reduce in shared memory", reduce_in_shared_memory(dialect, threads));
    for (const bool shuffles : {true, false})
        programs.emplace_back("reduce side by side", reduce_side_by_side(dialect, two_words(), 64, 8, true, shuffles));
    for (const int group : {32, 96})
        programs.emplace_back("reduce for all", reduce_for_all(dialect, two_words(), 192, group));
    for (const int columns : {0, 128}) {
        programs.emplace_back("reduce across blocks", reduce_across_blocks(dialect, half_a_word(), 5, columns));
        programs.emplace_back("reduce across blocks, words", reduce_across_blocks(dialect, three_words(), 5, columns));
    }
    programs.emplace_back("rank by digit", rank_by_digit(dialect, 256, 7));
    programs.emplace_back("rank by kept digit", rank_by_digit(dialect, 256, 7, true));
    programs.emplace_back("place by digit", place_by_digit(dialect, 256, 7));
    programs.emplace_back("reorder", reorder(dialect, 128, 5));
    programs.emplace_back("scatter", scatter(dialect, "uint64_t", 64, 3));
    return programs;
}

}  // namespace block_programs
