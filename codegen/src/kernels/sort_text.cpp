#include "kernels/sort_text.hpp"

#include "sort_kernels.hpp"

#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <set>

namespace gemel::codegen {

namespace {

using Kind = DType::Kind;

/// Bytes of the words of which a moved element is made.
std::uint32_t word_bytes(std::uint32_t bytes) {
    for (const std::uint32_t word : {8u, 4u, 2u})
        if (bytes % word == 0) return word;
    return 1;
}

std::string unsigned_type(std::uint32_t bytes) { return gemel::text("uint", 8 * bytes, "_t"); }

std::string hex(std::uint64_t bits, bool wide) {
    std::string digits;
    for (int shift = wide ? 60 : 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[bits >> shift & 15];
    return wide ? "(uint64_t)0x" + digits : "0x" + digits + "u";
}

/// What tells numbers of a type apart from unsigned ones.
Values number_bits(const DType& dtype, int size_bits) {
    const bool wide = size_bits > 32;
    const std::uint64_t sign = std::uint64_t{1} << (size_bits - 1), all = sign | (sign - 1);
    const int exponent_bits = dtype.kind() == Kind::bfloat ? 8 : size_bits == 16 ? 5 : size_bits == 32 ? 8 : 11;
    const int mantissa_bits = size_bits - 1 - exponent_bits;
    const std::uint64_t infinity = (std::uint64_t{1} << exponent_bits) - 1;
    return {{"word", wide ? "uint64_t" : "uint32_t"},
            {"kind", dtype.is_floating() || dtype.kind() == Kind::complex ? "floating"
                     : dtype.kind() == Kind::signed_integer               ? "signed"
                                                                          : "unsigned"},
            {"plain_float", size_bits == 32},
            {"top_bit", size_bits - 1},
            {"sign", hex(sign, wide)},
            {"all_bits", hex(all, wide)},
            {"magnitude", hex(sign - 1, wide)},
            {"infinity", hex(mantissa_bits > 0 ? infinity << mantissa_bits : 0, wide)}};
}

}  // namespace

std::string moved_type(const std::string& name, std::uint32_t bytes) {
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) return unsigned_type(bytes);
    return gemel::text(name, "_moved_", bytes);
}

SortText::SortText(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning,
                   const Dialect& dialect)
    : request_(request),
      layout_(layout),
      tuning_(tuning),
      positions_(sort_places(request, layout, tuning)),
      block_(static_cast<int>(std::max(tuning.block, 1u))),
      items_(static_cast<int>(std::max(tuning.items_per_thread, 1u))),
      parts_(looks_back(layout.strategy) ? sort_parts(request, layout, tuning) : 1),
      dialect_(dialect),
      kernel_(dialect),
      key_(request.key_expr.empty() ? moved_type(request.name, request.key.size_bytes())
                                    : storage_type(request.key, dialect)),
      count_(layout.wide_index ? "uint64_t" : "uint32_t"),
      index_(layout.wide_index ? "int64_t" : "int"),
      number_{.name = request.name + "_sum", .type = "int", .bytes = 4},
      total_{.name = request.name + "_total", .type = count_, .bytes = layout.wide_index ? 8u : 4u} {
    carries_more_ = layout.has_index || layout.segments != SortSegments::none || !layout.values.empty();
    keeps_indices_ = carries_more_ || parts_ > 1;
    moved_.push_back({"key", key_, layout.keeps_keys});
    fetches_early_ = layout.strategy == SortStrategy::one_sweep && carries_more_ && has_room_for_values();
    for (std::size_t k = 0; k < layout.values.size(); ++k)
        moved_.push_back({gemel::text("value", k), moved_type(request.name, layout.values[k]), true});
    const bool is_serial = layout.strategy == SortStrategy::chunks || layout.strategy == SortStrategy::serial_rows;
    values_ = {{"name", request.name},
               {"key", key_},
               {"count", count_},
               {"index", index_},
               {"moved", moved_list()},
               {"has_index", layout.has_index},
               {"carries_more", layout.has_index || !layout.values.empty()},
               {"declares_index", sort_takes_index(layout)},
               {"keeps_keys", layout.keeps_keys},
               {"descending", layout.descending},
               {"uses_last", !layout.keeps_keys || layout.has_index || layout.segments != SortSegments::none},
               {"segmented", layout.segments != SortSegments::none},
               {"segments", layout.segments == SortSegments::none   ? "none"
                            : layout.segments == SortSegments::rows ? "rows"
                                                                    : "given"},
               {"block", is_serial ? 1 : block_},
               {"items", items_},
               {"tile_elements", block_ * items_},
               {"bits", positions_.bits},
               {"mask", positions_.digits() - 1},
               {"digits", positions_.digits()},
               {"positions", positions_.all()},
               {"key_positions", positions_.key},
               {"plan_at", layout.strategy == SortStrategy::one_sweep    ? 257 * positions_.all()
                           : layout.strategy == SortStrategy::one_launch ? 256 * positions_.all()
                                                                         : 0}};
    const std::string row = "from == 0 ? (uint32_t)(i / row_length) : segment_source[i]";
    values_["segment_of"] = layout.segments == SortSegments::rows ? row : "segment_source[i]";
    values_["index_value"] = index_value("moved");
}

std::string SortText::fill(const Template& kernel, const Values& more) {
    Values all = values_;
    for (const auto& [name, value] : more) all[name] = value;
    return kernel_.fill(kernel, std::move(all));
}

Value SortText::moved_list() const {
    Value::List list;
    for (const Moved& m : moved_) list.push_back(Values{{"name", m.name}, {"type", m.type}, {"is_kept", m.is_kept}});
    return list;
}

std::string SortText::digit(const std::string& key, const std::string& segment, const char* position) const {
    if (layout_.segments == SortSegments::none)
        return gemel::text(request_.name, "_key_digit(", key, ", ", position, ")");
    return gemel::text(request_.name, "_digit(", key, ", ", segment, ", ", position, ")");
}

std::string SortText::index_value(const std::string& moved) const {
    if (layout_.segments != SortSegments::rows) return gemel::text("(int64_t)", moved);
    return gemel::text("(int64_t)(", moved, " % (", count_, ")row_length)");
}

std::string SortText::declarations() const {
    std::string all;
    if (!request_.key_expr.empty()) all += struct_declarations({request_.key}, dialect_);
    return all + request_.preamble + (request_.preamble.empty() ? "" : "\n");
}

std::string SortText::key_digit() {
    if (!request_.key_expr.empty()) return key_bits_of_expression() + fill(sort_kernels::digit_of_bits());
    const bool is_complex = request_.key.kind() == Kind::complex;
    const int size_bits = static_cast<int>(request_.key.size_bytes()) * (is_complex ? 4 : 8);
    Values number = number_bits(request_.key, size_bits);
    const std::string order = fill(sort_kernels::order(), number);
    if (!is_complex) return order + fill(sort_kernels::digit_of_number(), number);
    number["real_part"] = size_bits == 32 ? "(uint32_t)key" : "key.words[0]";
    number["imaginary_part"] = size_bits == 32 ? "(uint32_t)(key >> 32)" : "key.words[1]";
    number["part_positions"] = (size_bits + positions_.bits - 1) / positions_.bits;
    return order + fill(sort_kernels::digit_of_complex(), number);
}

std::string SortText::key_bits_of_expression() {
    const DType key = request_.key;
    const std::string a = key.layout() ? key_ : value_type(key);
    const std::uint64_t mask =
        request_.key_bits > 0 && request_.key_bits < 64 ? (std::uint64_t{1} << request_.key_bits) - 1 : 0;
    return fill(sort_kernels::digit_of_expression(),
                {{"declare_a", kernel_.verbatim(gemel::text("const ", a, " a = ", load_text(key, "element"), ";"))},
                 {"expression", kernel_.verbatim(Snippet(request_.key_expr).text())},
                 {"has_type", !request_.key_type.empty()},
                 {"number", request_.key_type.empty() ? "int" : storage_type(request_.key_type, dialect_)},
                 {"has_key_mask", mask != 0},
                 {"key_mask", hex(mask, true)},
                 {"has_double", layout_.has_double}});
}

std::string SortText::functions() {
    Value::List structs;
    std::set<std::string> known;
    const auto declare = [&](std::uint32_t bytes) {
        const std::string type = moved_type(request_.name, bytes);
        if (type == unsigned_type(bytes) || !known.insert(type).second) return;
        structs.push_back(Values{{"name", type},
                                 {"word", unsigned_type(word_bytes(bytes))},
                                 {"words", static_cast<int>(bytes / word_bytes(bytes))}});
    };
    if (request_.key_expr.empty()) declare(request_.key.size_bytes());
    for (const std::uint32_t bytes : layout_.values) declare(bytes);
    std::string exchange;
    if (layout_.strategy != SortStrategy::serial_rows && layout_.strategy != SortStrategy::thread_rows) {
        const auto add = [&](const pieces::Item& item) {
            return gemel::text("WITHIN_KERNEL ", item.type, " ", item.name, "_scan(", item.type, " a, ", item.type,
                               " b) { return a + b; }\n");
        };
        exchange = add(number_) + add(total_);
        if (looks_back(layout_.strategy) || layout_.strategy == SortStrategy::block)
            exchange += pieces::Exchange{number_}.text(kernel_);
        if (looks_back(layout_.strategy)) exchange += pieces::Exchange{total_}.text(kernel_);
    }
    std::string key = key_digit();
    if (layout_.strategy == SortStrategy::serial_rows) {
        const bool is_number = request_.key_expr.empty() && request_.key.kind() != Kind::complex;
        key += fill(sort_kernels::key_less(),
                    {{"is_number", is_number}, {"word", request_.key.size_bytes() > 4 ? "uint64_t" : "uint32_t"}});
    }
    return kernel_.verbatim(declarations()) + "\n" +
           fill(sort_kernels::functions(), {{"structs", structs}, {"key_digit", key}, {"exchange", exchange}});
}

int SortText::arena_bytes(int bytes) const { return (std::max(bytes, 1024 * (block_ / 32)) + 15) / 16 * 16; }

std::string SortText::by_tiles() {
    const bool in_chunks = layout_.strategy == SortStrategy::chunks;
    const int offsets_block = in_chunks ? 1 : 256;
    const std::string own_key = in_chunks ? "key" : "key[k]", own_segment = in_chunks ? "segment" : "segment[k]";
    const auto scan = [&](const pieces::Item& item, const char* shared, int block) {
        return pieces::ScanInSharedMemory{
            .item = item, .shared = shared, .count = std::to_string(block), .block = block}
            .text(kernel_);
    };
    return fill(in_chunks ? sort_kernels::chunks() : sort_kernels::tiles(),
                {{"digit", digit(own_key, own_segment)},
                 {"begin_pass", fill(sort_kernels::begin_pass())},
                 {"begin_count", fill(sort_kernels::begin_count())},
                 {"scan_shared", scan(number_, "shared", block_)},
                 {"offsets", fill(sort_kernels::offsets(), {{"offsets_block", offsets_block},
                                                            {"scan_sums", scan(total_, "sums", offsets_block)}})},
                 {"move", fill(sort_kernels::move(), {{"own_key", own_key}, {"own_segment", own_segment}})},
                 {"finish", fill(sort_kernels::finish())}});
}

std::string SortText::block_sort() {
    if (layout_.strategy == SortStrategy::serial_rows)
        return fill(sort_kernels::serial_rows(), {{"needs_origin", layout_.has_index || !layout_.values.empty()}});
    if (layout_.strategy == SortStrategy::thread_rows)
        return fill(sort_kernels::thread_rows(),
                    {{"word", request_.key.size_bytes() > 4 ? "uint64_t" : "uint32_t"}, {"pitch", items_ | 1}});
    const auto staged = [&](const std::string& type, const std::string& name) {
        return gemel::text("LOCAL_MEM_ARG ", type, " *const ", name, " = (LOCAL_MEM_ARG ", type, " *)arena;\n");
    };
    const int key_bytes = static_cast<int>(std::max(request_.key.size_bytes(), 4u));
    const bool has_origin = !layout_.one_row || carries_more_;
    std::string reorder = staged(key_, "staged_keys") +
                          pieces::Reorder{.items = items_, .staged = "staged_keys", .value = "key[k]"}.text(kernel_);
    if (has_origin)
        reorder += staged("int", "staged_origins") +
                   pieces::Reorder{.items = items_, .staged = "staged_origins", .value = "origin[k]"}.text(kernel_);
    return fill(
        sort_kernels::block(),
        {{"arena_bytes", arena_bytes(block_ * items_ * key_bytes)},
         {"one_row", layout_.one_row},
         {"has_origin", has_origin},
         {"rank", pieces::RankByDigit{.block = block_, .items = items_, .bits = 8, .keeps_digit = true}.text(kernel_)},
         {"scan_by_shuffles", pieces::ScanByShuffles{.item = number_, .block = block_}.text(kernel_)},
         {"reorder", reorder}});
}

std::string SortText::keys() {
    return kernel_.finish(kernel_.verbatim(declarations()) + "\n" + key_bits_of_expression() +
                          fill(sort_kernels::keys()));
}

std::string SortText::text() {
    std::string all = functions();
    values_["parameters"] = fill(sort_kernels::parameters());
    switch (layout_.strategy) {
        case SortStrategy::one_sweep:
        case SortStrategy::one_launch: return kernel_.finish(all + one_sweep());
        case SortStrategy::block:
        case SortStrategy::serial_rows:
        case SortStrategy::thread_rows: return kernel_.finish(all + block_sort());
        default: return kernel_.finish(all + by_tiles());
    }
}

}  // namespace gemel::codegen
