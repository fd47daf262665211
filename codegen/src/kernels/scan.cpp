#include <gemel/codegen/scan.hpp>

#include "kernels/scan_text.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {

std::size_t scan_tile(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning) {
    return static_cast<std::size_t>(tile_shape(request, layout, tuning).elements());
}

bool has_argument(const ScanRequest& request, std::string_view name) {
    return std::any_of(request.arguments.begin(), request.arguments.end(),
                       [&](const Parameter& p) { return p.name == name; });
}

/// Counts segments during the scan if the output uses their number.
std::string_view counted_segments(const ScanRequest& request) {
    if (request.segment_start.empty()) return "";
    for (const char* word : {"segment", "segment_64"})
        if (request.output.uses(word) && !has_argument(request, word)) return word;
    return "";
}

std::size_t scan_item_bytes(const ScanRequest& request) {
    const bool narrow = request.dtype.is_16_bit_float();
    const std::size_t bytes = narrow ? 4 : request.dtype.size_bytes();
    if (request.segment_start.empty()) return bytes;
    // The flag, aligned like an int, and padding after it.
    std::size_t alignment = std::min<std::size_t>(bytes, 8);
    if (request.dtype.lanes() > 1) alignment = bytes;
    if (request.dtype.layout()) alignment = request.dtype.layout()->alignment_bytes;
    if (request.dtype.kind() == DType::Kind::complex) alignment = bytes / 2;
    alignment = std::max<std::size_t>(alignment, 4);
    const std::size_t wide = counted_segments(request) == "segment_64" ? 8 : 4;
    alignment = std::max(alignment, wide);
    const std::size_t flag = (bytes + wide - 1) / wide * wide;
    return (flag + wide + alignment - 1) / alignment * alignment;
}

std::size_t scan_state_words(const ScanRequest& request) { return (scan_item_bytes(request) + 3) / 4; }
bool scan_needs_total(const ScanRequest& request) { return request.output.uses("last_item"); }

void check_request(const ScanRequest& request) {
    const auto refuse = [&](const std::string& what) {
        throw ArgumentError(gemel::text("ScanKernel '", request.name, "': ", what));
    };
    if (request.input.empty()) refuse("the input expression is empty; give one such as \"x[i]\"");
    if (Snippet(request.scan_expr).empty())
        refuse("the scan expression is missing; give one of a and b, such as \"a+b\"");
    if (request.output.empty()) refuse("the output statement is empty; store `item`, as in \"y[i] = item\"");
    if ((request.output.uses("prev_item") || request.stage.uses("prev_item")) && Snippet(request.neutral).empty())
        refuse("prev_item needs the identity as its value at the first element; give .identity");
    if (request.counts &&
        !(request.dtype.is_integer() && request.dtype.size_bytes() >= 4 && request.segment_start.empty()))
        refuse("counts needs sums of 32- or 64-bit integers without segments; remove it or is_segment_start_expr");
    if (!request.selected.empty() && !request.counts)
        refuse("selected is for scans that count elements; give counts, or write a stage_statement");
    if (!request.selected.empty() && !has_argument(request, request.selected))
        refuse(
            gemel::text("selected names '", request.selected, "', which is no argument; name an array that is read"));
    if (!request.staged_type.empty() && !request.segment_start.empty())
        refuse("staged_type cannot be used with segments; remove it or is_segment_start_expr");
    for (const char* word : {"segment", "segment_64"})
        if (request.output.uses(word) && request.segment_start.empty() && !has_argument(request, word))
            refuse(gemel::text("the output statement uses ", word,
                               ", but there are no segments; give is_segment_start_expr"));
    if (request.output.uses("segment") && request.output.uses("segment_64") && !request.segment_start.empty())
        refuse("the output statement uses both segment and segment_64; use one of them");
    refuse_jumps(gemel::text("ScanKernel '", request.name, "': the output statement"), request.output, true);
    for (const Parameter& p : request.arguments)
        for (const char* word : {"item", "prev_item", "last_item"})
            if (p.name == word)
                refuse(gemel::text("an argument is named '", word, "', which is a result of the scan; rename it"));
}

std::string scan_source(const ScanRequest& request, const ScanLayout& layout, const ScanTuning& tuning,
                        const Dialect& dialect) {
    check_request(request);
    check_tuning(gemel::text("ScanKernel '", request.name, "'"), tuning);
    if (layout.along == 0 && layout.strategy == ScanStrategy::look_back &&
        (!layout.shuffles || scan_needs_total(request)))
        throw ArgumentError(gemel::text("ScanKernel '", request.name,
                                        "': look_back needs shuffles and cannot compute last_item; use three_passes"));
    if (layout.along > 0 && (!layout.shuffles || !request.staged_type.empty() || !layout.elements.any(Access::packed)))
        throw ArgumentError(gemel::text(
            "ScanKernel '", request.name,
            "': expected a layout with shuffles and packed arrays, and no staged_type, for a scan by rows"));
    ScanRequest asked = request;  // expressions are printed inside lines, so trailing comments are removed
    for (std::string* text : {&asked.neutral, &asked.scan_expr}) *text = Snippet(*text).text();
    if (layout.along > 0) asked.segment_start = {};  // each row is a segment
    return ScanText(asked, layout, tuning, dialect).text();
}

std::string scan_source(const ScanRequest& request, const Dialect& dialect) {
    ScanLayout layout;
    layout.elements = plain_layout(request.arguments, array_uses(request));
    if (scan_needs_total(request)) layout.strategy = ScanStrategy::three_passes;
    const std::uint32_t items = request.staged_type.empty() ? 32 : 8;  // a staged tile of any type must fit
    return scan_source(request, layout, {.block = 256, .access_bytes = 16, .items_per_thread = items}, dialect);
}

}  // namespace gemel::codegen
