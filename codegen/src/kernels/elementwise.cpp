#include <gemel/codegen/elementwise.hpp>

#include "block/element_access.hpp"
#include "elementwise_kernels.hpp"
#include "kernels/elementwise_turned.hpp"

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <set>

namespace gemel::codegen {
namespace {

using Mode = ElementAccess::Mode;

bool names(const std::vector<Parameter>& arguments, std::string_view name) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const Parameter& p) { return p.name == name; });
}

/// Names of the templates that keep their meaning in users' text. `n` is the length, unless an argument has that name.
std::set<std::string, std::less<>> kept_words(const std::vector<Parameter>& arguments) {
    std::set<std::string, std::less<>> kept{"i", "N"};
    if (!names(arguments, "n")) kept.insert("n");
    return kept;
}

std::vector<ArrayUse> array_uses(const ElementwiseRequest& request) {
    const Snippet before(request.loop_prep), after(request.after_loop);
    std::vector<ArrayUse> uses;
    for (const Parameter& p : request.arguments)
        uses.push_back(request.operation.use_of(p.name) | before.use_of(p.name) | after.use_of(p.name));
    return uses;
}

/// Fills one element-wise kernel.
class Elementwise {
   public:
    Elementwise(const ElementwiseRequest& request, const KernelLayout& layout, const ElementwiseTuning& tuning,
                const Dialect& dialect)
        : request_(request),
          layout_(layout),
          block_(tuning.block ? static_cast<int>(tuning.block) : 256),
          unroll_(tuning.unroll ? static_cast<int>(tuning.unroll) : 1),
          rounds_(std::max(static_cast<int>(tuning.rounds), 1)),
          writer_(dialect),
          loop_prep_(request.loop_prep),
          after_loop_(request.after_loop),
          preamble_(request.preamble),
          access_(request.name, request.arguments, array_uses(request), layout, tuning.access_bytes, writer_,
                  {&request.operation, &loop_prep_, &after_loop_, &preamble_}),
          kernel_(
              dialect, [this](std::string_view word) { return access_.is_taken(word); },
              kept_words(request.arguments)) {}

    std::string text() {
        const bool turned = layout_.tile_vector > 0;
        if (turned) turned_ = turned_values(access_, layout_, block_, kernel_);
        std::string head = printed([&] { access_.declare_types(); });
        if (turned) head += '\n' + fill(elementwise_kernels::turned_types(), turned_);
        if (!request_.preamble.empty()) head += '\n' + printed([&] { writer_.lines(request_.preamble); });
        std::string arguments;
        for (const std::string& parameter : access_.parameters()) arguments += parameter + ",\n";
        const std::string& index = access_.index_type();
        const bool packed = layout_.has_packs();
        std::string more_sizes;
        if (packed) more_sizes = gemel::text(",\n", index, " head");
        if (!packed && layout_.sliced)
            more_sizes = gemel::text(",\n", index, " count,\n", index, " start,\n", index, " step");
        values_ = {{"kernel", kernel_.verbatim(request_.name)},
                   {"index", index},
                   {"wide", layout_.wide_index ? "(int64_t)" : ""},
                   {"block", block_},
                   {"unroll", unroll_},
                   {"arguments", kernel_.verbatim(arguments)},
                   {"more_sizes", more_sizes},
                   {"begin_body", begin_body()},
                   {"loop_prep", hook(loop_prep_)},
                   {"after_loop", hook(after_loop_)}};
        values_["body"] = packed ? packs() : turned ? turned_tiles() : layout_.tile_width ? tiles() : elements();
        return kernel_.finish(head + '\n' + fill(elementwise_kernels::elementwise()));
    }

   private:
    std::string fill(const Template& kernel, const Values& more = {}) {
        Values all = values_;
        for (const auto& [name, value] : more) all[name] = value;
        return kernel_.fill(kernel, std::move(all));
    }
    /// Text printed by ElementAccess.
    template <class Print>
    std::string printed(const Print& print) {
        print();
        return kernel_.verbatim(writer_.take());
    }

    std::string begin_body() {
        const bool uses_n = request_.operation.uses("N") || loop_prep_.uses("N") || after_loop_.uses("N");
        return printed([&] {
            access_.apply_offsets();
            if (uses_n && !names(request_.arguments, "N"))
                writer_.line("const ", access_.index_type(), " N = ", kernel_.name("n"), ";");
        });
    }

    /// The user's statements that run once per thread.
    std::string hook(const Snippet& snippet) {
        return printed([&] {
            if (!snippet.empty()) writer_.lines(access_.statements(snippet, Mode::thread));
        });
    }

    std::string statement(Mode mode) {
        return fill(elementwise_kernels::statement(),
                    {{"skips", request_.operation.uses("continue")},
                     {"statements", printed([&] { writer_.lines(access_.statements(request_.operation, mode)); })}});
    }

    /// @param run_index  the template's name for the position along the last axis in tiles
    std::string element(const std::string& position, const char* run_index = "i") {
        return fill(elementwise_kernels::element(),
                    {{"position", position},
                     {"begin_element", printed([&] { access_.begin_element(kernel_.name(run_index)); })},
                     {"statement", statement(Mode::element)},
                     {"end_element", printed([&] { access_.end_element(); })}});
    }

    std::string elements() {
        return fill(elementwise_kernels::elements(),
                    {{"sliced", layout_.sliced}, {"element", element(layout_.sliced ? "start + k * step" : "k")}});
    }

    std::string tiles() {
        const int rank = layout_.rank;
        return fill(elementwise_kernels::tiles(),
                    {{"rank", rank},
                     {"rows_on_x", layout_.rows_on_x},
                     {"tile_width", layout_.tile_width},
                     {"tile_rows", layout_.tile_rows},
                     {"begin_tile", printed([&] { access_.begin_tile(kernel_.name("outer")); })},
                     {"begin_row", printed([&] { access_.begin_row(kernel_.name("row")); })},
                     {"element", element(rank > 2 ? "(outer * height + row) * width + column" : "row * width + column",
                                         "column")}});
    }

    std::string turned_tiles() {
        access_.begin_packs_in_tile(kernel_.name("u"), kernel_.name("s"), kernel_.name("lane"));
        Values more = turned_;
        more["begin_tile"] = printed([&] { access_.begin_tile(kernel_.name("outer")); });
        more["begin_row"] = printed([&] { access_.begin_row(kernel_.name("row")); });
        more["element"] =
            element(layout_.rank > 2 ? "(outer * height + row) * width + column" : "row * width + column", "column");
        return fill(elementwise_kernels::turned(), more);
    }

    std::string packs() {
        const int vector_width = access_.vector_width();
        const std::string u = kernel_.name("u"), p = kernel_.name("p"), lane = kernel_.name("lane");
        access_.set_lane(u, lane);
        const bool uses_index = request_.operation.uses_index(arrays()) || uses_memory() || preamble_.mentions("i");
        return fill(elementwise_kernels::packs(),
                    {{"vector_width", vector_width},
                     {"rounds", rounds_},
                     {"uses_index", uses_index},
                     {"declare_packs", printed([&] { access_.declare_packs(unroll_); })},
                     {"load_packs", printed([&] { access_.load_packs(u, p); })},
                     {"begin_pack", printed([&] { access_.begin_pack(p); })},
                     {"next_lane", printed([&] { access_.next_lane(); })},
                     {"begin_lane", printed([&] { access_.begin_lane(u, lane); })},
                     {"lane_statement", statement(Mode::lane)},
                     {"end_lane", printed([&] { access_.end_lane(u, lane); })},
                     {"store_packs", printed([&] { access_.store_packs(u, p); })},
                     {"element", element(gemel::text("r < head ? r : r + packs * ", vector_width))}});
    }

    std::vector<std::string> arrays() const {
        std::vector<std::string> names;
        for (const Parameter& p : request_.arguments)
            if (p.is_pointer) names.push_back(p.name);
        return names;
    }

    /// Whether some x[i] must stay in memory even in a pack's lane.
    bool uses_memory() const {
        for (const Parameter& p : request_.arguments) {
            const ArrayUse use = request_.operation.use_of(p.name);
            if (p.is_pointer && use.element && (use.element_address || p.dtype.kind() == DType::Kind::structure))
                return true;
        }
        return false;
    }

    const ElementwiseRequest& request_;
    const KernelLayout& layout_;
    const int block_, unroll_, rounds_;
    Writer writer_;
    Snippet loop_prep_, after_loop_, preamble_;
    ElementAccess access_;
    KernelText kernel_;
    Values values_, turned_;
};

}  // namespace

void check_request(const ElementwiseRequest& request) {
    const auto refuse = [&](const std::string& what) {
        throw ArgumentError(gemel::text("ElementwiseKernel '", request.name, "': ", what));
    };
    std::set<std::string> names;
    bool any = false;
    for (const Parameter& p : request.arguments) {
        if (p.name == "i") refuse("an argument is named 'i', which is the element's index; rename it");
        if (!names.insert(p.name).second) refuse("two arguments are named '" + p.name + "'; rename one");
        any |= p.is_pointer;
    }
    if (!any) refuse("expected an array among the arguments, got none; declare one as in \"float *x\"");
    if (request.operation.empty()) refuse("the operation is empty; expected statements such as \"z[i] = a * x[i]\"");
    refuse_jumps(gemel::text("ElementwiseKernel '", request.name, "': the operation"), request.operation, true);
    for (const auto& [hook, text] :
         {std::pair{"loop_prep", request.loop_prep}, std::pair{"after_loop", request.after_loop}}) {
        const Snippet snippet(text);
        if (snippet.uses_index({}))
            refuse(gemel::text(hook, " uses i, but runs once per thread, not per element; move this to the operation"));
        refuse_jumps(gemel::text("ElementwiseKernel '", request.name, "': ", hook), snippet, false);
    }
}

std::string elementwise_source(const ElementwiseRequest& request, const KernelLayout& layout,
                               const ElementwiseTuning& tuning, const Dialect& dialect) {
    check_request(request);
    check_tuning(gemel::text("ElementwiseKernel '", request.name, "'"), tuning);
    if (layout.arguments.size() != request.arguments.size())
        throw ArgumentError(gemel::text("ElementwiseKernel '", request.name, "': expected a layout of ",
                                        request.arguments.size(), " arguments, got ", layout.arguments.size(),
                                        "; plain_layout() makes one"));
    return Elementwise(request, layout, tuning, dialect).text();
}

KernelLayout plain_layout(const std::vector<Parameter>& arguments, const std::vector<ArrayUse>& uses) {
    if (arguments.size() > max_arguments)
        throw ArgumentError(text("plain_layout: expected at most ", max_arguments, " arguments, got ", arguments.size(),
                                 "; combine values in a struct"));
    KernelLayout layout;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        ArgumentLayout argument;
        const bool movable =
            uses[i].element && !uses[i].element_address && arguments[i].dtype.kind() != DType::Kind::structure;
        if (arguments[i].is_pointer)
            argument.access = movable ? Access::packed : uses[i].element ? Access::linear : Access::pointer;
        layout.arguments.push_back(argument);
    }
    return layout;
}

std::string elementwise_source(const ElementwiseRequest& request, const Dialect& dialect) {
    return elementwise_source(request, plain_layout(request.arguments, array_uses(request)),
                              ElementwiseTuning{.block = 256, .access_bytes = 16, .unroll = 2}, dialect);
}

}  // namespace gemel::codegen
