/// How generated kernels access the elements of their array arguments: shared by all generators.
#pragma once

#include <gemel/codegen/layout.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gemel::codegen {

/// Reductions over axes: the two groups of a strided array's axes.
struct ReducedAxes {
    int kept_rank = 0;
    bool has_index = false;   ///< the flat index `i` is computed, by strides like an array's
    bool has_result = false;  ///< the result has its own strides along the kept axes
    bool columns = false;     ///< neighbours are along the last kept axis; otherwise along the last reduced axis
    int vector_width = 0;     ///< elements per pack of neighbours; 0: no packs
    bool shifted = false;     ///< lines begin and end within packs
};

/// The C text of an expression's truth value, 0 or 1, for storing as a bool.
inline std::string as_truth(const std::string& expression) {
    return expression == "0" || expression == "1" ? expression : gemel::text("(", expression, ") != 0");
}

/// Prints, for one variant of a kernel, parameters, loads, stores, and snippets with their array accesses replaced. An
/// element is a local variable (`x_i`) if it is loaded in packs or converted, otherwise it is accessed in memory.
class ElementAccess {
   public:
    ElementAccess(const std::string& kernel, const std::vector<Parameter>& arguments, std::vector<ArrayUse> uses,
                  const KernelLayout& layout, std::uint32_t access_bytes, Writer& writer,
                  const std::vector<const Snippet*>& snippets, const ReducedAxes& axes = {});

    /// "int" or "int64_t".
    const std::string& index_type() const { return index_; }
    int vector_width() const { return vector_width_; }

    // At file scope: struct types, pack types, the layout, and functions that compute positions of elements.
    void declare_types(const std::vector<DType>& more = {});
    /// The parameters: the arguments, then offsets and layout.
    std::vector<std::string> parameters() const;
    /// At the beginning of the kernel: adds the offsets to the pointers.
    void apply_offsets();

    // Packs: `slot` is the index (a literal or loop variable) in the arrays of packs, `pack` the number of the pack.
    void declare_packs(int count);
    void load_packs(const std::string& slot, const std::string& pack);
    /// Names the loop variables of begin_lane() before any snippet is asked for, so that snippets find x[i - 1] and
    /// x[i + 1] in the pack. For lanes whose indices follow each other.
    void set_lane(std::string slot, std::string lane) {
        lane_slot_ = std::move(slot);
        lane_ = std::move(lane);
    }
    /// Packs of a packed array, of 16 bytes each, that pass through shared memory.
    struct SharedPacks {
        std::string array;     ///< the argument
        std::string packs;     ///< a pointer to the thread's pack of slot 0; that of slot k is 32 * k behind it
        std::string elements;  ///< the same pointer, to elements
        std::string thread;    ///< the index of the thread in its warp
        int rows = 0;          ///< the number of slots
    };
    /// load_packs() then starts a copy of this array's packs, and fetch_shared_pack() loads the one of a slot. Snippets
    /// find x[i - 1] and x[i + 1] there.
    void set_shared_packs(SharedPacks shared) { shared_ = std::move(shared); }
    void fetch_shared_pack(const std::string& slot);
    /// The positions of strided arrays beside packs, at the pack's first element and at the next lane.
    void begin_pack(const std::string& pack);
    void next_lane();
    /// Declares the elements of one lane as local variables; stores them back to the pack.
    void begin_lane(const std::string& slot, const std::string& lane);
    void end_lane(const std::string& slot, const std::string& lane);
    void store_packs(const std::string& slot, const std::string& pack);

    // Reductions over axes: the beginning of an output's run (columns: of the first of some neighbours); of a line of
    // the run, along the last reduced axis; the position of element `e` of that line, which may be before the line.
    void begin_output(const std::string& output);
    /// Declares the position of an output's result under this name; result_of() gives that of its neighbour `lane`.
    void begin_result(const std::string& output, const std::string& name);
    std::string result_of(const std::string& name, const std::string& lane) const;
    void begin_line(const std::string& line);
    void begin_in_line(const std::string& e);
    /// At the position of begin_in_line() or begin_in_column(): index i, if the layout has it, and converted elements.
    void begin_found();
    /// Columns: the position of element `k` of the first output's run; the position of neighbour `lane`.
    void begin_column(const std::string& k);
    void begin_in_column(const std::string& lane);
    /// Staged arrays: a block copies the elements of several outputs, or of several lines of columns, to shared memory
    /// as one piece, by accesses of 16 bytes, and the elements of written arrays back.
    struct Piece {
        std::string thread;  ///< the thread's index in the block
        std::string size;    ///< the number of elements
        int block = 0;
        bool async = false;  ///< copies bypass registers (until gemel_await_copies_0())
    };
    /// Declares the shared memory for this many elements of each staged array.
    void declare_stage(std::size_t elements);
    /// The beginning of the piece with this output, or with this line of the output's columns.
    void begin_piece(const std::string& output, const std::string& line);
    void copy_to_stage(const Piece& piece);
    void copy_from_stage(const Piece& piece);
    /// From now on elements of staged arrays are in the stage, and this is the position of an output there (rows), or
    /// of a line (columns).
    void begin_in_stage(std::string position);
    void end_in_stage() { in_stage_.clear(); }
    /// The number of elements from a pack's border to the beginning of the line, from 0 to vector_width - 1.
    std::string line_shift() const;
    /// The position of the first element of an output's run, or of its neighbour `lane` (columns).
    void begin_first(const std::string& lane);
    /// Loads a pack of neighbours at the position of begin_in_line() or begin_column(). `e` and `extent`: only elements
    /// inside.
    /// Loads all arrays, or the arguments that `is_loaded` names.
    using IsLoaded = std::function<bool(std::size_t argument)>;
    void load_neighbours(const std::string& slot, const std::string& e = {}, const std::string& extent = {},
                         const IsLoaded& is_loaded = {});
    /// Declares `count` packs in shared memory for each of these arrays; load_neighbours() puts them there if `shared`
    /// is the index of one, by copies that bypass registers if `async` (until gemel_await_copies_0()).
    /// @returns the bytes of these arrays. @param in_arena  they are in SHARED_ARENA, from its beginning on
    std::size_t declare_shared_neighbours(int count, const IsLoaded& is_kept, bool in_arena);
    void copy_neighbours(const std::string& shared, bool async, const std::string& e, const std::string& extent,
                         const IsLoaded& is_loaded);
    /// Reads these packs into slot `slot`.
    void fetch_neighbours(const std::string& slot, const std::string& shared, const IsLoaded& is_kept);
    /// Declares packs of the arrays that are constant along a run, for this many outputs. load_neighbours() and
    /// declare_packs() then skip them, and begin_neighbour() takes them from slot `slot`.
    void declare_constants(int count, const std::string& slot);
    /// Loads these packs at the position of begin_output().
    void load_constants(const std::string& slot);
    /// From now on, packs are also inside a line under this condition, without a comparison of positions.
    void packs_are_inside_if(std::string condition) { inside_ = std::move(condition); }
    const std::string& inside() const { return inside_; }
    /// Stores the packs of written arrays.
    void store_neighbours(const std::string& slot, const std::string& e = {}, const std::string& extent = {});
    /// At one lane of such a pack: index i, if the layout has it, and begin_lane().
    void begin_neighbour(const std::string& slot, const std::string& lane);
    /// An array in tiles with transposed arrays, which is moved in packs of neighbours along a row.
    struct Moved {
        const Parameter* parameter;
        ArgumentLayout layout;
        bool is_kept = false;     ///< loaded directly, into packs for all rounds of a thread
        bool is_written = false;  ///< stored from its packs
        std::string type, pack_type, pack, base, down, step, at;
    };
    std::vector<Moved> moved() const;
    /// The index of an array's pack for a round and a row.
    std::string slot_in_tile(bool is_kept, const std::string& round, const std::string& row) const;
    /// Sets the names of the round, the row and the lane in the kernel.
    void begin_packs_in_tile(const std::string& round, const std::string& row, const std::string& lane);

    /// Tiles of the last two axes: `outer` counts the positions along the axes before them, `row` is the position along
    /// the last but one.
    void begin_tile(const std::string& outer);
    void begin_row(const std::string& row);
    // Single elements at index i; in tiles at the position `run_index` along the last axis.
    void begin_element(const std::string& run_index = "i");
    void end_element();

    /// The context of a snippet: one lane of a pack, one element, or once per thread.
    enum class Mode { lane, element, thread };
    /// The snippet with its array accesses replaced for a mode.
    std::string snippet(const Snippet& snippet, Mode mode) const;
    /// The same, terminated as a statement.
    std::string statements(const Snippet& snippet, Mode mode) const;
    /// The parameter of a packed variant with the number of elements before the first aligned one.
    const std::string& head() const { return head_; }
    const std::string& layout_name() const { return layout_name_; }
    /// Omits this parameter: the first pack begins with the array.
    void set_no_head() { has_head_ = false; }
    /// Whether an argument or a snippet uses this name.
    bool is_taken(std::string_view name) const;
    /// A name that no argument and no snippet uses.
    std::string unused(std::string name) const;
    /// The name of a type or function that belongs to the kernel: "axpy_layout".
    std::string helper(const std::string& suffix) const { return unused(kernel_ + "_" + suffix); }

   private:
    struct Array {
        std::size_t argument;
        Access access;
        ArrayUse use;
        std::string local;  ///< the variable of its element
        std::string at;     ///< the position of its element, if strided
        std::string pack;   ///< its packs
        std::string pack_type;
        std::string offset;        ///< the parameter with its offset, if there is one
        std::string steps;         ///< the layout's member with its strides
        bool in_packs;             ///< loaded and stored in packs (by wide accesses or element by element)
        bool in_parts = false;     ///< its packs consist of 32-bit words that hold several elements
        bool constant = false;     ///< along a run; its packs have slots of their own
        std::string in_tile = {};  ///< its element in a tile with transposed arrays
    };
    /// Whether packs of contiguous arrays stand beside strided ones.
    bool has_lines_beside_packs() const;
    std::string beside_index(int axis) const;
    std::string beside_step(const Array& array, int axis) const;
    std::string line_pack(const Array& array, bool is_const) const;
    void find_line_packs(const std::string& pack, const std::function<bool(const Array&)>& is_meant);
    bool is_staged(const Array& array) const { return layout_.arguments[array.argument].staged; }
    bool is_in_stage(const Array* array) const { return !in_stage_.empty() && array && is_staged(*array); }
    std::string stage(const Array& array) const { return unused(parameter(array).name + "_stage"); }
    std::string stage_pointer(const Array& array) const;
    /// Where its elements are: the argument, or a pointer to its stage.
    std::string memory(const Array& array) const {
        return is_in_stage(&array) ? stage_pointer(array) : parameter(array).name;
    }
    void move_piece(const Array& array, const Piece& piece, bool stores);
    bool is_shared(const Array& array) const { return array.in_packs && parameter(array).name == shared_.array; }
    /// The element `lane` of a pack, and the statement that sets it.
    std::string lane_of(const Array& array, const std::string& pack, const std::string& lane) const;
    std::string set_lane_of(const Array& array, const std::string& pack, const std::string& lane,
                            const std::string& value) const;
    void declare_lanes(const Array& array);
    /// The word of a pack in which a lane is, and its number in the word.
    struct LaneInPart {
        std::string part, within;
    };
    LaneInPart in_part(const Array& array, const std::string& lane) const;
    const Parameter& parameter(const Array& array) const { return arguments_[array.argument]; }
    /// The name of a function for an array: "axpy_x_at".
    std::string function(const Array& array, const char* what) const {
        return helper(parameter(array).name + "_" + what);
    }
    std::string member(const std::string& array) const;
    std::string result_member() const;
    std::string kept_sum(const std::string& member, const std::string& slowest, const std::string& prefix) const;
    bool is_local(const Array& array, Mode mode) const;
    bool is_in_tile(const Array& array) const;
    bool is_checked(const Array& array) const { return layout_.checked && array.use.elsewhere; }
    void declare_layout();
    void declare_check(const Array& array);
    LastStep last_step(const Array& array) const;
    /// What is added to the position of a line's beginning for element `index`; `step` names a stride that is not
    /// known.
    std::string along_line(const Array& array, const std::string& index, const std::string& step) const;
    std::string element_in_memory(const Array& array) const;
    std::string beside_lane(const Array& array, const std::string& subscript, const std::string& stored,
                            Mode mode) const;
    bool is_kept(const Array& array) const;
    /// The position of a strided array's element: `base` plus the strides along the first `rank` reduced axes, from
    /// `member`.
    std::string reach(const std::string& base, const std::string& member, const std::string& slowest, int rank) const;
    /// For each strided array, and the index: declares `<name><suffix>`, computed from `<name><from>` by `sum`.
    void declare_converted();
    template <class Sum>
    void declare_positions(const char* suffix, const char* from, const Sum& sum);
    int neighbours_axis() const { return axes_.columns ? layout_.rank + axes_.kept_rank - 1 : layout_.rank - 1; }
    std::string along_neighbours(const std::string& base, const std::string& member, LastStep step,
                                 const std::string& index) const;
    std::string prefix(const Array* array) const { return array ? parameter(*array).name : "i"; }
    void declare_local(const Array& array, const std::string& value);
    enum class Move { load, copy_async, store };
    std::string or_inside(const std::string& condition) const;
    /// Whether packs at the edges of lines are read as a whole. Of two elements, only one can be inside.
    bool reads_beside_lines() const { return axes_.shifted && vector_width_ > 2; }
    std::string last_position(const Array& array) const { return unused(parameter(array).name + "_last"); }
    void declare_last_positions();
    void move_neighbours(const Array& array, Move way, const std::string& pack, const std::string& e,
                         const std::string& extent);
    std::string pack_in_shared(const Array& array) const { return unused(parameter(array).name + "_kept"); }
    std::string axis_index(const std::string& index, int rank, const std::string& extents, const std::string& prefix);
    std::string pack_base(const Array& array, const std::string& word, bool is_const) const;
    std::string word_type(const Array& array, int& words) const;

    const std::string& kernel_;
    const std::vector<Parameter>& arguments_;
    const KernelLayout& layout_;
    Writer& writer_;
    const ReducedAxes axes_;
    std::vector<const Snippet*> snippets_;
    std::vector<Array> arrays_;
    std::vector<std::string> array_names_;
    std::string index_;
    std::string head_, layout_name_, layout_type_, report_;
    bool has_head_ = true;
    std::string constant_slot_;
    std::string lane_slot_, lane_;  ///< of set_lane()
    SharedPacks shared_;
    std::string in_stage_;  ///< of begin_in_stage()
    std::string inside_;    ///< of packs_are_inside_if()
    int vector_width_ = 1;
};

}  // namespace gemel::codegen
