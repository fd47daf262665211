/// Prints the kernels of one variant of a reduction.
#pragma once

#include "block/element_access.hpp"

#include <gemel/codegen/reduction.hpp>
#include <gemel/codegen/writer.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gemel::codegen {

std::vector<ArrayUse> array_uses(const ReductionRequest& request);

class ReductionPrinter {
   public:
    ReductionPrinter(const ReductionRequest& request, const ReductionLayout& layout, const ReductionTuning& tuning,
                     const Dialect& dialect);
    std::string print();

   private:
    using Mode = ElementAccess::Mode;
    using Mapping = ReductionLayout::Mapping;

    /// Elements that are summed one after the other before their sum joins others, so many of which join others in
    /// turn: bounds the rounding error.
    static constexpr int run_length = 16;
    /// The same where one thread has so many elements that runs are summed in pairs, pairs in fours, and so on.
    static constexpr int serial_run_length = 32, most_levels = 48;

    // Names, results, running values; reduction_printer.cpp
    static DType accumulator(const ReducedValue& value) {
        return value.accumulator.empty() ? value.dtype : value.accumulator;
    }
    /// What a running value is declared as: bool is a byte also here, since not every language shares bools.
    std::string running_type(std::size_t v) const;
    /// An expression for a running value: of bool 0 or 1, whatever number it is, as in C++.
    std::string as_running(std::size_t v, const std::string& expression) const {
        const bool is_bool = accumulator(request_.values[v]).kind() == DType::Kind::boolean;
        return is_bool ? as_truth(expression) : expression;
    }
    std::string neutral(std::size_t v) const { return as_running(v, request_.values[v].neutral); }
    /// Names of what there is one of per value.
    std::string numbered(const char* wish, std::size_t v) const {
        return access_.unused(request_.values.size() == 1 ? wish : gemel::text(wish, "_", v));
    }
    std::string name(const char* wish) const { return access_.unused(wish); }
    std::string reduce_name(std::size_t v) const { return access_.helper(numbered("reduce", v)); }
    std::string replace_name(std::size_t v) const { return access_.helper(numbered("replaces", v)); }
    std::string stored_name(std::size_t v) const { return access_.helper(numbered("stored", v)); }
    std::string reduced(std::size_t v, const std::string& a, const std::string& b) const {
        return gemel::text(reduce_name(v), "(", a, ", ", b, ")");
    }
    template <class Body>
    void each_value(Body&& body) {
        for (std::size_t v = 0; v < request_.values.size(); ++v) body(v);
    }
    void combine(const std::string& into, std::size_t v, const std::string& with) {
        writer_.line(into, " = ", reduced(v, into, with), ";");
    }
    /// The same for an element that comes after all those in `into`.
    void append(const std::string& into, std::size_t v, const std::string& element) {
        if (request_.values[v].replace_if.empty()) return combine(into, v, element);
        const std::string later = numbered("later", v);
        writer_.line("const ", running_type(v), " ", later, " = ", element, ";");
        writer_.line("if (", replace_name(v), "(", into, ", ", later, ")) ", into, " = ", later, ";");
    }
    std::vector<std::string> result_parameters() const;
    void apply_result_offsets();
    void store_result(std::size_t v, const std::string& output, const std::string& value);
    void kernel();
    std::string name_of_size(const char* size) const;
    bool packed() const { return layout_.elements.any(Access::packed); }
    bool has_axes() const { return layout_.kept_rank > 0; }
    /// Declares i and everything that depends on it, and the mapped values. @param is_later  than all in the totals
    void map_element(const std::string& run_index, const std::function<std::string(std::size_t)>& total,
                     bool is_later = true);
    /// Declares the same, and prints what is done with the mapped values.
    void with_element(const std::string& run_index, const std::function<void(std::size_t, const std::string&)>& use);
    bool uses(std::string_view word) const {
        return std::any_of(request_.values.begin(), request_.values.end(),
                           [&](const ReducedValue& v) { return v.map_expr.uses(word); });
    }
    void declare_total(std::size_t v) {
        writer_.line(running_type(v), " ", numbered("total", v), " = ", neutral(v), ";");
    }
    /// So many running values, all neutral.
    void declare_totals(int count);
    /// Combines them pairwise into one.
    void combine_totals(int count);
    std::function<std::string(std::size_t)> totals_at(const std::string& lane) const {
        return [this, lane](std::size_t v) { return gemel::text(numbered("totals", v), "[", lane, "]"); };
    }

    // A block, or several, per output; reduction_blocks.cpp
    void block_per_output();
    void packs();
    void elements();
    /// Combines the totals of a block's threads in shared memory.
    void tree();

    // One thread per piece or output, and what joins pieces; reduction_threads.cpp
    void declare_piece();
    /// All of a piece, in runs that are summed pairwise. Neighbouring elements go to neighbouring running values, which
    /// the compiler keeps in vector registers.
    /// @source summation by a binary counter of partial sums: Higham, Accuracy and Stability of Numerical
    /// Algorithms, 4.1
    void serial_lanes(int lanes);
    /// All of a piece for a value that elements rarely replace: runs in which none does are passed by, which the
    /// compiler finds out for many elements at once.
    void serial_search();
    /// From `k` to `end` in runs, runs of runs and so on, whose totals are combined into `total`: the binary counter's
    /// like with digits of run_length, few enough to stay in a GPU's registers.
    void in_runs(const std::string& k, const std::string& end, const std::function<void()>& add_to_run);
    void thread_per_output();
    void combine_partials(const std::string& output);
    void finish_kernel();

    const ReductionRequest& request_;
    const ReductionLayout& layout_;
    const std::uint32_t block_, unroll_, serial_lanes_;
    Writer writer_;
    const Snippet preamble_;
    ElementAccess access_;
    const std::string& index_;
    std::vector<DType> extra_types_;
};

}  // namespace gemel::codegen
