#include "expression/program_plan.hpp"

#include "expression/reduction_launch.hpp"
#include "generated/row_layout.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>

namespace gemel {
namespace {

using Kind = ExpressionStructure::Kind;

/// Partial results are combined by the same operation as elements.
bool is_splittable(ReductionKind kind) { return kind != ReductionKind::argmin && kind != ReductionKind::argmax; }

std::string axes_text(std::uint64_t axes, std::size_t rank) {
    std::vector<std::string> names;
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (has_axis(axes, axis, rank)) names.push_back(std::to_string(axis));
    return text(names.size() == 1 ? "axis " : "axes ", join(names));
}

class Planning {
   public:
    Planning(Program& program, const DeviceInfo& device)
        : program_(program), device_(device), pending_(program.roots().size(), true) {}

    Plan plan() {
        while (std::ranges::find(pending_, true) != pending_.end()) {
            const std::vector<std::size_t> open = open_reductions();
            if (open.empty()) {
                add_elements();
            } else {
                add_reductions(open);
            }
        }
        return std::move(plan_);
    }

   private:
    const Program::Value& value(std::size_t v) const { return program_[v]; }
    const Shape& space(std::size_t v) const { return value(value(v).operands[0]).shape; }
    bool is_done(std::size_t v) const { return std::ranges::find(done_, v) != done_.end(); }

    /// The reductions that `v` needs and that are not done yet, those on which others depend first.
    void needed(std::size_t v, std::vector<std::size_t>& found, std::vector<std::size_t>& met) const {
        if (is_done(v) || std::ranges::find(met, v) != met.end()) return;
        met.push_back(v);
        for (const std::size_t operand : value(v).operands) needed(operand, found, met);
        if (program_.is_reduction(v)) found.push_back(v);
    }
    std::vector<std::size_t> needed(std::size_t v) const {
        std::vector<std::size_t> found, met;
        needed(v, found, met);
        return found;
    }
    std::vector<std::size_t> open_reductions() const {
        std::vector<std::size_t> found, met;
        for (std::size_t r = 0; r < pending_.size(); ++r)
            if (pending_[r]) needed(program_.roots()[r], found, met);
        return found;
    }
    bool is_ready(std::size_t v) const { return needed(value(v).operands[0]).empty(); }

    void add_elements() {
        PlanStep step{.kind = PlanStep::Kind::elements};
        for (std::size_t r = 0; r < pending_.size(); ++r) {
            const std::size_t v = program_.roots()[r];
            if (!pending_[r] || (!step.outputs.empty() && !(value(v).shape == step.shape))) continue;
            step.shape = value(v).shape;
            step.outputs.push_back({v, r});
            pending_[r] = false;
        }
        step.why = plan_.steps.empty() ? "" : why_;
        plan_.steps.push_back(std::move(step));
        why_ = "it has another shape than what came before";
    }

    void add_reductions(const std::vector<std::size_t>& open) {
        // Fewest axes first, then the last axes: reductions along more axes begin with those.
        std::size_t lead = open.front();
        const auto rank_of = [&](std::size_t v) { return std::pair{std::popcount(value(v).axes), value(v).axes}; };
        bool has_lead = false;
        for (const std::size_t v : open) {
            if (!is_ready(v) || (has_lead && !(rank_of(v) < rank_of(lead)))) continue;
            lead = v;
            has_lead = true;
        }
        const std::uint64_t axes = value(lead).axes;
        const Shape shape = space(lead);
        const std::size_t count = count_along(shape, axes);
        const auto is_alike = [&](std::size_t v) { return value(v).axes == axes && space(v) == shape; };
        if (rows_fit(device_, count, shape.count() / count, bytes_of(lead), is_along_last(axes, shape))) {
            add_rows(open, axes, shape, is_alike);
        } else {
            add_reduce(open, axes, shape, is_alike, count);
        }
    }

    /// Whether the axes include the last one with more than one element.
    static bool is_along_last(std::uint64_t axes, const Shape& shape) {
        std::size_t behind = 0;
        while (behind + 1 < shape.rank() && shape[shape.rank() - 1 - behind] == 1) ++behind;
        return (axes >> behind & 1) != 0;
    }

    /// Bytes of the elements that a reduction reads at one position; 16-bit floats are kept as floats.
    std::size_t bytes_of(std::size_t v) const {
        std::size_t bytes = 0;
        std::vector<std::size_t> met;
        const auto walk = [&](const auto& self, std::size_t at) -> void {
            if (std::ranges::find(met, at) != met.end()) return;
            met.push_back(at);
            if (value(at).kind == Kind::array) bytes += std::max(value(at).dtype.size_bytes(), 4u);
            if (!is_done(at))
                for (const std::size_t operand : value(at).operands) self(self, operand);
        };
        walk(walk, value(v).operands[0]);
        return std::max<std::size_t>(bytes, 1);
    }

    template <class IsAlike>
    void add_reduce(const std::vector<std::size_t>& open, std::uint64_t axes, const Shape& shape,
                    const IsAlike& is_alike, std::size_t count) {
        constexpr std::size_t most = 4;
        PlanStep step{.kind = PlanStep::Kind::reduce, .axes = axes, .shape = shape, .loops = {{}}};
        for (const std::size_t v : open) {
            if (!is_alike(v) || !is_ready(v) || step.loops[0].size() == most) continue;
            step.loops[0].push_back(v);
            step.outputs.push_back({v});
        }
        for (const PlanStep::Output& output : step.outputs) done_.push_back(output.value);
        give_done_roots(step);
        step.why = why_;
        const std::size_t runs = shape.count() / count;
        why_ = text(count, " elements along ", axes_text(axes, shape.rank()), " are too many for one block, and ", runs,
                    runs == 1 ? " such run is" : " such runs are",
                    " too few to fill the device: they are reduced by many blocks first");
        plan_.steps.push_back(std::move(step));
    }

    template <class IsAlike>
    void add_rows(const std::vector<std::size_t>& open, std::uint64_t axes, const Shape& shape,
                  const IsAlike& is_alike) {
        PlanStep step{.kind = PlanStep::Kind::rows, .axes = axes, .shape = shape};
        std::vector<std::size_t> included;
        const auto is_within = [&](std::size_t v) {
            return std::ranges::all_of(needed(v),
                                       [&](std::size_t n) { return std::ranges::find(included, n) != included.end(); });
        };
        const auto include = [&](std::size_t v) {
            std::size_t loop = 0;
            for (const std::size_t before : needed(value(v).operands[0]))
                for (std::size_t l = 0; l < step.loops.size(); ++l)
                    if (std::ranges::find(step.loops[l], before) != step.loops[l].end()) loop = std::max(loop, l + 1);
            if (step.loops.size() <= loop) step.loops.resize(loop + 1);
            step.loops[loop].push_back(v);
            included.push_back(v);
        };
        for (const std::size_t v : open) {
            const bool is_more = (value(v).axes & axes) == axes && value(v).axes != axes && space(v) == shape &&
                                 is_splittable(value(v).reduction);
            if (!is_within(value(v).operands[0])) continue;
            if (is_alike(v)) {
                include(v);
            } else if (is_more) {
                const std::size_t part = program_.split_reduction(v, axes);
                if (std::ranges::find(included, part) == included.end() && !is_done(part)) include(part);
            }
        }
        const Shape kept = without_axes(shape, axes);
        for (std::size_t r = 0; r < pending_.size(); ++r) {
            const std::size_t v = program_.roots()[r];
            if (!pending_[r] || !(value(v).shape == shape || value(v).shape == kept) || !is_within(v)) continue;
            step.outputs.push_back({v, r});
            pending_[r] = false;
        }
        // Values that later steps need are kept.
        const std::vector<std::size_t> later = open_reductions();
        for (const std::size_t v : included) {
            const bool is_needed = std::ranges::find(later, v) != later.end();
            if (!is_needed) continue;
            step.outputs.push_back({v});
        }
        for (const PlanStep::Output& output : step.outputs)
            if (!output.root) done_.push_back(output.value);
        step.why = why_;
        why_ = text("it needs what was reduced along ", axes_text(axes, shape.rank()), " for other rows as well");
        plan_.steps.push_back(std::move(step));
    }

    /// Roots that consist of a reduction of this step.
    void give_done_roots(PlanStep& step) {
        for (PlanStep::Output& output : step.outputs)
            for (std::size_t r = 0; r < pending_.size() && !output.root; ++r)
                if (pending_[r] && program_.roots()[r] == output.value &&
                    !value(output.value).dtype.is_16_bit_float()) {
                    output.root = r;
                    pending_[r] = false;
                }
    }

    Program& program_;
    const DeviceInfo& device_;
    std::vector<bool> pending_;
    std::vector<std::size_t> done_;
    std::string why_;
    Plan plan_;
};

}  // namespace

Plan plan_of(Program& program, const DeviceInfo& device) { return Planning(program, device).plan(); }

}  // namespace gemel
