/// How generated kernels reach the elements of their array arguments: shared by all generators.
#pragma once

#include <gemel/codegen/layout.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <functional>
#include <string>
#include <vector>

namespace gemel::codegen {

/// Reductions over axes: the axes of a strided array in two groups.
struct ReducedAxes {
    int kept_rank = 0;
    bool has_index = false;   ///< the flat index `i` is found like an array's element
    bool has_result = false;  ///< the result has steps of its own along the kept axes
    bool columns = false;     ///< neighbours are along the last kept axis, not the last reduced one
    int vector_width = 0;     ///< of the packs in which neighbours are loaded; 0: there are none
};

/// The C text of an expression's truth, 0 or 1: what a bool that is kept in a byte holds.
inline std::string as_truth(const std::string& expression) {
    return expression == "0" || expression == "1" ? expression : gemel::text("(", expression, ") != 0");
}

/// Prints, for one variant of one kernel, declarations of parameters, loads, stores, and snippets in which array
/// accesses are replaced. An element is a local variable (`x_i`) where it is moved in packs or converted, else the
/// place in memory.
class ElementAccess {
   public:
    ElementAccess(const std::string& kernel, const std::vector<Parameter>& arguments, std::vector<ArrayUse> uses,
                  const KernelLayout& layout, std::uint32_t access_bytes, Writer& writer,
                  const std::vector<const Snippet*>& snippets, const ReducedAxes& axes = {});

    /// "int" or "int64_t".
    const std::string& index_type() const { return index_; }
    int vector_width() const { return vector_width_; }

    // At file scope: struct types, packs, the layout and functions that find elements in it.
    void declare_types(const std::vector<DType>& more = {});
    /// The arguments, then offsets and layout.
    std::vector<std::string> parameters() const;
    /// At the head of the kernel: arrays begin where their offsets say.
    void apply_offsets();

    // Packs: `slot` names an element of the arrays of packs (a literal or loop variable), `pack` the number of the
    // pack.
    void declare_packs(int count);
    void load_packs(const std::string& slot, const std::string& pack);
    /// The elements of one lane as local variables, and back.
    void begin_lane(const std::string& slot, const std::string& lane);
    void end_lane(const std::string& slot, const std::string& lane);
    void store_packs(const std::string& slot, const std::string& pack);

    // Reductions over axes: where the run of one output begins (columns: of the first of some neighbours); where a line
    // of it does, all reduced axes but the last; where element `e` of that line lies, which may lie before it.
    void begin_output(const std::string& output);
    /// Declares where the result of an output lies, under its name; for its neighbour `lane` result_of() says it.
    void begin_result(const std::string& output, const std::string& name);
    std::string result_of(const std::string& name, const std::string& lane) const;
    void begin_line(const std::string& line);
    void begin_in_line(const std::string& e);
    /// Where begin_in_line() or begin_in_column() stand: index i, if the layout has it, and converted elements.
    void begin_found();
    /// Columns: where element `k` of the first output's run lies; where that of neighbour `lane` does.
    void begin_column(const std::string& k);
    void begin_in_column(const std::string& lane);
    /// How many elements a line begins behind a pack's border, a number from 0 to vector_width - 1.
    std::string line_shift() const;
    /// Where the first element of an output's run lies, or of its neighbour `lane` (columns).
    void begin_first(const std::string& lane);
    /// A pack of neighbours from where begin_in_line() or begin_column() stand. `e` and `extent`: only those inside.
    /// Of all arrays, or of those arguments that `is_loaded` names.
    using IsLoaded = std::function<bool(std::size_t argument)>;
    void load_neighbours(const std::string& slot, const std::string& e = {}, const std::string& extent = {},
                         const IsLoaded& is_loaded = {});
    /// Declares packs of those arrays that are the same along a run, for so many outputs; load_neighbours() and
    /// declare_packs() leave them out from here on, and begin_neighbour() takes them from slot `slot`.
    void declare_constants(int count, const std::string& slot);
    /// Loads them, where begin_output() stands.
    void load_constants(const std::string& slot);
    /// The same back to memory, of arrays that are written.
    void store_neighbours(const std::string& slot, const std::string& e = {}, const std::string& extent = {});
    /// At one lane of such a pack: index i, if the layout has it, and begin_lane().
    void begin_neighbour(const std::string& slot, const std::string& lane);
    /// One array of a tile in which some are turned round: moved through packs of neighbours along a row.
    struct Moved {
        const Parameter* parameter;
        ArgumentLayout layout;
        bool is_kept = false;     ///< read where it lies, into packs of all of a thread's rounds
        bool is_written = false;  ///< from its packs
        std::string type, pack_type, pack, base, down, step, at;
    };
    std::vector<Moved> moved() const;
    /// Which of an array's packs belongs to a round and a row.
    std::string slot_in_tile(bool is_kept, const std::string& round, const std::string& row) const;
    /// Says how the kernel names a thread's round, the row and the place in a pack.
    void begin_packs_in_tile(const std::string& round, const std::string& row, const std::string& lane);

    /// Tiles of the last two axes: `outer` numbers the axes before them, `row` is the place along the last but one.
    void begin_tile(const std::string& outer);
    void begin_row(const std::string& row);
    // One element at a time, at index i; in tiles at the place `run_index` along the last axis.
    void begin_element(const std::string& run_index = "i");
    void end_element();

    /// Where a snippet stands: at one lane of a pack, at one element, or at none, once per thread.
    enum class Mode { lane, element, thread };
    /// The snippet with its array accesses spelled for a mode.
    std::string snippet(const Snippet& snippet, Mode mode) const;
    /// The same, ended as a statement.
    std::string statements(const Snippet& snippet, Mode mode) const;
    /// The parameter of a packed variant: how many elements lie before the first aligned one.
    const std::string& head() const { return head_; }
    const std::string& layout_name() const { return layout_name_; }
    /// Says that there is no such parameter: the first pack begins with the array.
    void set_no_head() { has_head_ = false; }
    /// Whether an argument or a snippet uses a name.
    bool is_taken(std::string_view name) const;
    /// A name that no argument and no snippet uses.
    std::string unused(std::string name) const;
    /// The name of a type or function that the kernel has beside it: "axpy_layout".
    std::string helper(const std::string& suffix) const { return unused(kernel_ + "_" + suffix); }

   private:
    struct Array {
        std::size_t argument;
        Access access;
        ArrayUse use;
        std::string local;  ///< of its element
        std::string at;     ///< where its element lies, if strided
        std::string pack;   ///< its packs
        std::string pack_type;
        std::string offset;        ///< the parameter that says where it begins, if there is one
        std::string steps;         ///< the layout's member
        bool in_packs;             ///< takes part in loads and stores by pack (by wide accesses or element by element)
        bool constant = false;     ///< along a run; its packs are in slots of their own
        std::string in_tile = {};  ///< its element in a tile in which arrays are turned round
    };
    const Parameter& parameter(const Array& array) const { return arguments_[array.argument]; }
    /// A function that belongs to an array: "axpy_x_at".
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
    std::string place(const Array& array) const;
    bool is_kept(const Array& array) const;
    /// Where a strided array's element lies, from `base` on along the first `rank` reduced axes; `member` has the
    /// steps.
    std::string reach(const std::string& base, const std::string& member, const std::string& slowest, int rank) const;
    /// For each strided array, and the index: declares `<name><suffix>`, made of `<name><from>` by `sum`.
    void declare_converted();
    template <class Sum>
    void declare_places(const char* suffix, const char* from, const Sum& sum);
    int neighbours_axis() const { return axes_.columns ? layout_.rank + axes_.kept_rank - 1 : layout_.rank - 1; }
    std::string along_neighbours(const std::string& base, const std::string& member, LastStep step,
                                 const std::string& index) const;
    std::string prefix(const Array* array) const { return array ? parameter(*array).name : "i"; }
    void declare_local(const Array& array, const std::string& value);
    void move_neighbours(const Array& array, bool store, const std::string& slot, const std::string& e,
                         const std::string& extent);
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
    int vector_width_ = 1;
};

}  // namespace gemel::codegen
