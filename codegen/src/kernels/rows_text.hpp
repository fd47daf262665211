/// The kernel of one variant of a row program. Fills the templates of kernels/rows, and those of reductions for common
/// parts: positions along a row, running values, functions.
#pragma once

#include "block/element_access.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/rows.hpp>
#include <gemel/codegen/writer.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gemel::codegen {

class RowText {
   public:
    RowText(const RowRequest& request, const RowLayout& layout, const Dialect& dialect);
    std::string text();

   private:
    using Mode = ElementAccess::Mode;

    std::string printed(const std::function<void()>& print);
    std::string fill(const Template& kernel, const Values& more = {});
    DType accumulator(std::size_t v) const;
    std::string running_type(std::size_t v) const;
    /// A running value for exchange between threads and blocks.
    pieces::Item exchanged(std::size_t v);
    Values value(std::size_t v);
    Value values(std::size_t first, std::size_t end);
    Value stored();
    Value computed(std::vector<RowComputed> RowLoop::*list, const char* words, std::size_t first, std::size_t end);
    /// The values that loops from `first` to before `end` keep.
    Value kept(std::size_t first, std::size_t end);
    Values words();
    std::string in_row(const char* slot, int slots, int whole) const;
    std::string inside(const char* slot, int first, int whole) const;
    std::string head();
    void declare_shared_packs();
    /// The values per row that the same loops fix.
    Value fixed(std::size_t first, std::size_t end);
    std::string known(std::size_t found_by, std::size_t fixed_by, const std::string& position);

    std::string loop(std::size_t l, bool is_last);
    /// Declares the output of each of the block's threads and where its elements begin. @param group  an expression
    std::string begin_group(const std::string& group);
    /// The access of the following group that a loop has no use for now. @param load  its loads, or copies
    std::string following(const std::string& load);
    void add_further(std::size_t l, bool goes_on, const std::string& edge, const ElementAccess::IsLoaded& is_loaded,
                     Values& more);
    /// `keeps`: values that later loops use stay in registers; otherwise each loop computes them again.
    std::string neighbours(std::size_t l, bool keeps);
    std::string serial_element(std::size_t l, const char* run, bool again);
    std::string statements(std::size_t l);
    std::string combine(std::size_t l);
    std::string exchange(std::size_t first, std::size_t end);
    std::string exchange_parts(std::size_t first, std::size_t end);
    std::string total_of_block(std::size_t v);
    std::string exchange_in_cluster(std::size_t first, std::size_t end);
    std::string store_results();
    std::string over_rows();
    std::string declare_stage();
    void begin_in_stage();
    void add_stage();

    /// Whether loop l, or the body after the last loop, uses an argument's element.
    bool names(std::size_t l, std::size_t argument) const;
    /// Whether any loop before the body uses an argument's element.
    bool is_kept(std::size_t argument) const;
    bool uses_reduced_index(std::size_t l) const;
    std::size_t first_value(std::size_t l) const;
    bool rows() const { return layout_.mapping == ReductionLayout::Mapping::rows; }
    bool has_lines() const { return rows() && layout_.elements.rank > 1; }
    int along() const { return layout_.block / layout_.tile.across; }
    /// The number of running values: several that are combined at the end (rows), or one per output (columns).
    int outputs_of_thread() const { return rows() ? 1 : layout_.tile.vector_width; }
    /// The rows or columns of a block that shares them with others.
    int columns_of_block() const { return rows() ? 1 : layout_.tile.across * layout_.tile.vector_width; }
    static std::string suffix(std::size_t v) { return "_" + std::to_string(v); }
    std::string item(std::size_t v) const { return request_.name + "_value" + suffix(v); }

    const RowRequest& request_;
    const RowLayout& layout_;
    std::vector<const ReducedValue*> all_;
    Writer writer_;
    const Snippet preamble_;
    ElementAccess access_;
    KernelText kernel_;
    Values values_;
    bool cluster_has_begun_ = false;  ///< an exchange has waited for it
    std::string first_loads_;         ///< of blocks that stay: the first loop's, which precede the loop over groups
};

}  // namespace gemel::codegen
