/// The kernels of one variant of a reduction: fills the templates of kernels/reduction.
#pragma once

#include "block/element_access.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/reduction.hpp>
#include <gemel/codegen/writer.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

std::vector<ArrayUse> array_uses(const ReductionRequest& request);

class ReductionText {
   public:
    ReductionText(const ReductionRequest& request, const ReductionLayout& layout, const ReductionTuning& tuning,
                  const Dialect& dialect);
    std::string text();

   private:
    using Mode = ElementAccess::Mode;
    using Mapping = ReductionLayout::Mapping;

    std::string running_type(std::size_t v) const;
    pieces::Item exchanged(std::size_t v);
    std::string as_running(std::size_t v, const std::string& expression) const;
    std::string head();
    /// The template values of each result; `at` is appended to names if there are several.
    Value values();
    Values value(std::size_t v);
    std::string printed(const std::function<void()>& print);
    std::string fill(const Template& kernel, const Values& more = {});
    std::string kernel();

    /// The position of an element, and the running value with which its mapped values are combined: `<sum><at><of>`.
    struct Element {
        std::string position, sum = "totals", of = {};
        bool is_later = true;   ///< its index is above those of all elements combined so far
        bool searches = false;  ///< tested only
        bool compares = false;  ///< only its compared part, with `sum`
        bool seeks = false;     ///< only whether its compared part is the best one
    };
    std::string element(const Element& words);
    std::string declare_totals(int count);
    std::string combine_totals(int count);
    std::string tree();
    std::string block_per_output();
    std::string packs();
    std::string elements();
    std::string serial_lanes();
    std::string serial_extreme();
    std::string serial_search();
    std::string over_axes();
    std::string over_staged_axes();
    void begin_in_stage();
    void add_counter(Values& more, int levels, int width);
    Values axes_words();
    std::string combine_side_by_side(bool again);
    std::string by_shuffles();
    std::string store(bool to_partial);
    int counter_levels() const;
    int turns_of_run(int levels) const;
    std::string reduce_serially();
    std::string in_runs(const char* at, const char* end, const std::string& add_to_run);
    std::string combine_partials();
    bool has_axes() const { return layout_.kept_rank > 0; }
    bool has_lines() const { return rows() && layout_.elements.rank > 1; }
    /// Neighbours that a CPU's thread reduces side by side.
    int lanes() const { return has_axes() ? layout_.tile.vector_width : serial_lanes_; }
    bool searches() const;
    bool finds_extreme() const;
    bool rows() const { return layout_.mapping == Mapping::rows; }
    bool columns() const { return layout_.mapping == Mapping::columns; }
    bool is_staged() const { return layout_.tile.stage > 0; }
    int along() const { return block_ / layout_.tile.across; }
    int outputs_of_thread() const { return rows() ? 1 : is_staged() ? layout_.tile.rows : layout_.tile.vector_width; }
    std::string suffix(std::size_t v) const;
    bool uses_reduced_index() const;

    const ReductionRequest& request_;
    const ReductionLayout& layout_;
    const int block_, unroll_, serial_lanes_;
    const bool packed_;
    Writer writer_;
    const Snippet preamble_;
    ElementAccess access_;
    KernelText kernel_;
    Values values_;
};

}  // namespace gemel::codegen
