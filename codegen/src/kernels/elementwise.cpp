#include <gemel/codegen/elementwise.hpp>

#include "block/element_access.hpp"

#include <gemel/core/error.hpp>

#include <algorithm>
#include <set>

namespace gemel::codegen {
namespace {

using Mode = ElementAccess::Mode;

bool names(const std::vector<Parameter>& arguments, std::string_view name) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const Parameter& p) { return p.name == name; });
}

/// The length is called n, unless the user has an argument of that name.
std::string length_name(const std::vector<Parameter>& arguments) {
    std::string name = "n";
    while (names(arguments, name)) name += '_';
    return name;
}

std::vector<ArrayUse> array_uses(const ElementwiseRequest& request) {
    const Snippet before(request.loop_prep), after(request.after_loop);
    std::vector<ArrayUse> uses;
    for (const Parameter& p : request.arguments)
        uses.push_back(request.operation.use_of(p.name) | before.use_of(p.name) | after.use_of(p.name));
    return uses;
}

/// Prints one element-wise kernel.
class Elementwise {
   public:
    Elementwise(const ElementwiseRequest& request, const KernelLayout& layout, const ElementwiseTuning& tuning,
                const Dialect& dialect)
        : request_(request),
          layout_(layout),
          block_(tuning.block ? tuning.block : 256),
          unroll_(tuning.unroll ? tuning.unroll : 1),
          writer_(dialect),
          loop_prep_(request.loop_prep),
          after_loop_(request.after_loop),
          preamble_(request.preamble),
          access_(request.name, request.arguments, array_uses(request), layout, tuning.access_bytes, writer_,
                  {&request.operation, &loop_prep_, &after_loop_, &preamble_}) {}

    std::string print() {
        access_.declare_types();
        if (!request_.preamble.empty()) writer_.lines(request_.preamble);
        std::vector<std::string> parameters = access_.parameters();
        const std::string& index = access_.index_type();
        parameters.push_back(gemel::text(index, " ", length_));
        const bool packed = layout_.any(Access::packed);
        if (packed) {
            parameters.push_back(gemel::text(index, " ", access_.head()));
        } else if (layout_.sliced) {
            parameters.push_back(gemel::text(index, " ", name("count")));
            parameters.push_back(gemel::text(index, " ", name("start")));
            parameters.push_back(gemel::text(index, " ", name("step")));
        }
        writer_.open_kernel(request_.name, parameters, block_);
        access_.apply_offsets();
        if ((request_.operation.uses("N") || loop_prep_.uses("N") || after_loop_.uses("N")) &&
            !names(request_.arguments, "N"))
            writer_.line("const ", index, " N = ", length_, ";");
        if (!loop_prep_.empty()) writer_.lines(access_.statements(loop_prep_, Mode::thread));
        packed ? packs() : layout_.tile_width ? tiles() : elements();
        if (!after_loop_.empty()) writer_.lines(access_.statements(after_loop_, Mode::thread));
        writer_.close();
        return writer_.take();
    }

   private:
    /// The user's statements for one element. `continue` in them goes on to the next.
    void body(Mode mode) {
        const std::string text = access_.statements(request_.operation, mode);
        const bool skips = request_.operation.uses("continue");
        if (skips) writer_.open("do");
        writer_.lines(text);
        if (skips) writer_.close(" while (0);");
    }

    void element(const std::string& index, const std::string& run_index = "i") {
        writer_.line("const ", access_.index_type(), " i = ", index, ";");
        access_.begin_element(run_index);
        body(Mode::element);
        access_.end_element();
    }

    /// Where the block's work begins.
    std::string block_start() const {
        return gemel::text(layout_.wide_index ? "(int64_t)" : "", writer_.block_id(), " * ", block_ * unroll_, " + ",
                           writer_.thread_id());
    }

    void elements() {
        const std::string& index = access_.index_type();
        const std::string k = name("k"), first = name("first"), u = name("u");
        const std::string at = layout_.sliced ? gemel::text(name("start"), " + ", k, " * ", name("step")) : k;
        if (unroll_ == 1) {
            writer_.line("const ", index, " ", k, " = ", block_start(), ";");
        } else {
            writer_.line("const ", index, " ", first, " = ", block_start(), ";");
            writer_.unroll().open("for (int ", u, " = 0; ", u, " < ", unroll_, "; ++", u, ")");
            writer_.line("const ", index, " ", k, " = ", first, " + ", u, " * ", block_, ";");
        }
        writer_.open("if (", k, " < ", layout_.sliced ? name("count") : length_, ")");
        element(at);
        writer_.close();
        if (unroll_ > 1) writer_.close();
    }

    /// A block has a tile of the last two axes: each thread some of its elements, or one thread all.
    void tiles() {
        const std::string& index = access_.index_type();
        const std::string outer = name("outer"), last = std::to_string(layout_.rank - 1),
                          second = std::to_string(layout_.rank - 2), extent = access_.layout_name() + ".extent[";
        const std::string wide = layout_.wide_index ? "(int64_t)" : "";
        const auto first = [&](const char* what, bool on_x, int size) {
            writer_.line("const ", index, " ", name(what), " = ", wide, writer_.block_id(on_x ? 0 : 1),
                         size > 1 ? gemel::text(" * ", size) : "", ";");
        };
        writer_.line("const ", index, " ", name("width"), " = ", extent, last, "], ", name("height"), " = ", extent,
                     second, "];");
        first("first_column", !layout_.tall, layout_.tile_width);
        first("first_row", layout_.tall, layout_.tile_rows);
        if (layout_.rank > 2) writer_.line("const ", index, " ", outer, " = ", writer_.block_id(2), ";");
        access_.begin_tile(outer);
        block_ == 1 ? serial_tile(outer) : shared_tile(outer);
    }

    void tile_element(const std::string& outer, const std::string& row, const std::string& column) {
        const std::string flat_row =
            layout_.rank > 2 ? gemel::text("(", outer, " * ", name("height"), " + ", row, ")") : row;
        element(gemel::text(flat_row, " * ", name("width"), " + ", column), column);
    }

    void shared_tile(const std::string& outer) {
        const std::string row = name("row"), column = name("column"), u = name("u"), thread = writer_.thread_id();
        const int width = layout_.tile_width, rows_at_once = static_cast<int>(block_) / width,
                  rounds = layout_.tile_rows / rows_at_once;
        writer_.line("const ", access_.index_type(), " ", column, " = ", name("first_column"), " + ", thread,
                     rows_at_once > 1 ? gemel::text(" % ", width) : "", ";");
        if (rounds > 1) writer_.unroll().open("for (int ", u, " = 0; ", u, " < ", rounds, "; ++", u, ")");
        writer_.line("const ", access_.index_type(), " ", row, " = ", name("first_row"),
                     rows_at_once > 1 ? gemel::text(" + ", thread, " / ", width) : "",
                     rounds > 1 ? gemel::text(" + ", u, " * ", rows_at_once) : "", ";");
        writer_.open("if (", column, " < ", name("width"), " && ", row, " < ", name("height"), ")");
        access_.begin_row(row);
        tile_element(outer, row, column);
        writer_.close();
        if (rounds > 1) writer_.close();
    }

    /// Loops that the compiler of a CPU makes vectors of.
    void serial_tile(const std::string& outer) {
        const std::string& index = access_.index_type();
        const std::string row = name("row"), column = name("column"), end_row = name("end_row"),
                          end_column = name("end_column");
        const auto end = [&](const std::string& to, const std::string& first, const std::string& extent, int size) {
            writer_.line("const ", index, " ", to, " = ", extent, " - ", first, " < ", size, " ? ", extent, " : ",
                         first, " + ", size, ";");
        };
        end(end_row, name("first_row"), name("height"), layout_.tile_rows);
        end(end_column, name("first_column"), name("width"), layout_.tile_width);
        writer_.open("for (", index, " ", row, " = ", name("first_row"), "; ", row, " < ", end_row, "; ++", row, ")");
        access_.begin_row(row);
        writer_.open("for (", index, " ", column, " = ", name("first_column"), "; ", column, " < ", end_column, "; ++",
                     column, ")");
        tile_element(outer, row, column);
        writer_.close();
        writer_.close();
    }

    /// One round over the packs in flight: `p` is the pack, `u` its place among them.
    template <class Body>
    void each_pack(const std::string& p, const std::string& u, Body&& body) {
        writer_.unroll().open("for (int ", u, " = 0; ", u, " < ", unroll_, "; ++", u, ")");
        writer_.line("const ", access_.index_type(), " ", p, " = ", name("first"), " + ", u, " * ", block_, ";");
        writer_.open("if (", p, " < ", name("packs"), ")");
        body();
        writer_.close();
        writer_.close();
    }

    void packs() {
        const std::string& index = access_.index_type();
        const int lanes = access_.lanes();
        const std::string p = name("p"), u = name("u"), lane = name("lane"), r = name("r"), packs = name("packs");
        const std::string& head = access_.head();
        writer_.line("const ", index, " ", packs, " = (", length_, " - ", head, ") / ", lanes, ";");
        writer_.line("const ", index, " ", name("first"), " = ", block_start(), ";");
        access_.declare_packs(static_cast<int>(unroll_));
        each_pack(p, u, [&] { access_.load_packs(u, p); });
        each_pack(p, u, [&] {
            writer_.unroll().open("for (int ", lane, " = 0; ", lane, " < ", lanes, "; ++", lane, ")");
            if (request_.operation.uses_index(arrays()) || uses_memory() || preamble_.mentions("i"))
                writer_.line("const ", index, " i = ", head, " + ", p, " * ", lanes, " + ", lane, ";");
            access_.begin_lane(u, lane);
            body(Mode::lane);
            access_.end_lane(u, lane);
            writer_.close();
            access_.store_packs(u, p);
        });
        writer_.line("// Elements before the first whole pack and after the last.");
        writer_.open("if (", writer_.block_id(), " == ", writer_.grid_size(), " - 1)");
        writer_.open("for (int ", r, " = ", writer_.thread_id(), "; ", r, " < ", length_, " - ", packs, " * ", lanes,
                     "; ", r, " += ", block_, ")");
        element(gemel::text(r, " < ", head, " ? ", r, " : ", r, " + ", packs, " * ", lanes));
        writer_.close();
        writer_.close();
    }

    std::string name(const char* wish) const { return access_.unused(wish); }

    std::vector<std::string> arrays() const {
        std::vector<std::string> names;
        for (const Parameter& p : request_.arguments)
            if (p.is_pointer) names.push_back(p.name);
        return names;
    }

    /// Whether some x[i] is a place in memory even in a pack's lane.
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
    const std::uint32_t block_, unroll_;
    Writer writer_;
    Snippet loop_prep_, after_loop_, preamble_;
    ElementAccess access_;
    const std::string length_ = length_name(request_.arguments);
};

}  // namespace

void check_request(const ElementwiseRequest& request) {
    const auto refuse = [&](const std::string& what) {
        throw ArgumentError(gemel::text("ElementwiseKernel '", request.name, "': ", what));
    };
    std::set<std::string> names;
    bool any = false;
    for (const Parameter& p : request.arguments) {
        if (p.name == "i") refuse("an argument is called 'i', which is the index");
        if (!names.insert(p.name).second) refuse("two arguments are called '" + p.name + "'");
        any |= p.is_pointer;
    }
    if (!any) refuse("no argument is an array; at least one must be, as in \"float *x\"");
    if (request.operation.empty()) refuse("the operation is empty");
    refuse_jumps(gemel::text("ElementwiseKernel '", request.name, "': the operation"), request.operation, true);
    for (const auto& [hook, text] :
         {std::pair{"loop_prep", request.loop_prep}, std::pair{"after_loop", request.after_loop}}) {
        const Snippet snippet(text);
        if (snippet.uses_index({}))
            refuse(gemel::text(hook, " names i, but runs once per thread, where there is no element"));
        refuse_jumps(gemel::text("ElementwiseKernel '", request.name, "': ", hook), snippet, false);
    }
}

std::string elementwise_source(const ElementwiseRequest& request, const KernelLayout& layout,
                               const ElementwiseTuning& tuning, const Dialect& dialect) {
    check_request(request);
    check_tuning(gemel::text("ElementwiseKernel '", request.name, "'"), tuning);
    if (layout.arguments.size() != request.arguments.size())
        throw ArgumentError(gemel::text("ElementwiseKernel '", request.name, "': a layout of ", layout.arguments.size(),
                                        " arguments for ", request.arguments.size()));
    return Elementwise(request, layout, tuning, dialect).print();
}

KernelLayout plain_layout(const std::vector<Parameter>& arguments, const std::vector<ArrayUse>& uses) {
    if (arguments.size() > max_arguments)
        throw ArgumentError(
            text("a generated kernel takes at most ", max_arguments, " arguments, not ", arguments.size()));
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
