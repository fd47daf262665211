#include "dense/contraction_path.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>
#include <utility>

namespace gemel::dense {
namespace {

using Bits = std::uint64_t;

/// Sizes and costs of terms, which are sets of labels.
class Costs {
   public:
    explicit Costs(const Contraction& contraction) : extents_(contraction.extents) {}
    double size(Bits labels) const {
        double product = 1;
        for (; labels; labels &= labels - 1)
            product *= static_cast<double>(extents_[static_cast<std::size_t>(std::countr_zero(labels))]);
        return product;
    }
    /// Multiplications and additions, as NumPy counts them.
    double operations(Bits labels, bool has_sum, std::size_t terms) const {
        return size(labels) * (std::max<double>(1, static_cast<double>(terms) - 1) + (has_sum ? 1 : 0));
    }

   private:
    const std::vector<std::int64_t>& extents_;
};

/// The labels that remain after contracting the terms at these positions.
Bits kept_labels(const std::vector<Bits>& terms, const Step& step, Bits output) {
    Bits own = 0, others = output;
    for (std::size_t k = 0; k < terms.size(); ++k) {
        if (std::find(step.begin(), step.end(), k) != step.end())
            own |= terms[k];
        else
            others |= terms[k];
    }
    return own & others;
}

void contract(std::vector<Bits>& terms, const Step& step, Bits output) {
    const Bits kept = kept_labels(terms, step, output);
    for (const std::size_t k : step) terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(k));
    terms.push_back(kept);
}

/// The least cost of every subset of operands, by dynamic programming over its subsets.
class Optimal {
   public:
    Optimal(const std::vector<Bits>& terms, Bits output, const Costs& costs)
        : sets_(std::size_t{1} << terms.size()), parts_(terms.size()) {
        for (std::size_t set = 1; set < sets_.size(); ++set) {
            Set& own = sets_[set];
            Bits others = output;
            for (std::size_t k = 0; k < terms.size(); ++k) (set >> k & 1 ? own.labels : others) |= terms[k];
            if (std::has_single_bit(set)) continue;
            own.labels &= others;
            own.cost = std::numeric_limits<double>::infinity();
            for (std::size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
                const std::size_t rest = set ^ part;
                if (!(part & (~set + 1))) continue;  // visits each pair of parts once: the first operand is in `part`
                const Bits both = sets_[part].labels | sets_[rest].labels;
                const double cost = sets_[part].cost + sets_[rest].cost + costs.operations(both, both != own.labels, 2);
                if (cost < own.cost || (cost == own.cost && is_simpler(part, own.part)))
                    own.cost = cost, own.part = part;
            }
        }
    }

    std::vector<Step> steps() {
        for (std::size_t k = 0; k < parts_; ++k) left_.push_back(std::size_t{1} << k);
        build(sets_.size() - 1);
        return std::move(steps_);
    }

   private:
    struct Set {
        Bits labels = 0;
        double cost = 0;
        std::size_t part = 0;
    };
    /// Of orders with equal cost, prefers the one in which the operands are written.
    static bool is_simpler(std::size_t part, std::size_t than) {
        return std::pair(-std::popcount(part), part) < std::pair(-std::popcount(than), than);
    }
    void build(std::size_t set) {
        if (std::has_single_bit(set)) return;
        const std::size_t halves[] = {sets_[set].part, set ^ sets_[set].part};
        Step step;
        for (const std::size_t half : halves) build(half);
        for (const std::size_t half : halves)
            step.push_back(static_cast<std::size_t>(std::find(left_.begin(), left_.end(), half) - left_.begin()));
        std::sort(step.rbegin(), step.rend());
        for (const std::size_t k : step) left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(k));
        left_.push_back(set);
        steps_.push_back(std::move(step));
    }

    std::vector<Set> sets_;
    std::size_t parts_;
    std::vector<std::size_t> left_;
    std::vector<Step> steps_;
};

/// The pair whose contraction reduces the amount of data most; of equal ones the cheapest; pairs without a common label
/// come last.
Step best_pair(const std::vector<Bits>& terms, Bits output, const Costs& costs) {
    using Rank = std::pair<double, double>;
    Step best;
    Rank least{};
    for (const bool any : {false, true}) {
        for (std::size_t b = 1; b < terms.size(); ++b)
            for (std::size_t a = 0; a < b; ++a) {
                if (!any && !(terms[a] & terms[b])) continue;
                const Bits both = terms[a] | terms[b], kept = kept_labels(terms, {b, a}, output);
                const Rank rank{costs.size(kept) - costs.size(terms[a]) - costs.size(terms[b]),
                                costs.operations(both, both != kept, 2)};
                if (best.empty() || rank < least) best = {b, a}, least = rank;
            }
        if (!best.empty()) break;
    }
    return best;
}

/// The terms in letters.
std::string written(const Contraction& contraction, const Labels& labels) {
    std::string out;
    for (const int label : labels) out += contraction.letters[static_cast<std::size_t>(label)];
    return out;
}

/// The labels of an intermediate result, short axes first.
Labels by_extent(const Contraction& contraction, Bits bits) {
    Labels labels;
    for (; bits; bits &= bits - 1) labels.push_back(std::countr_zero(bits));
    std::sort(labels.begin(), labels.end(), [&](int a, int b) {
        const auto key = [&](int label) {
            return std::pair(contraction.extents[static_cast<std::size_t>(label)],
                             contraction.letters[static_cast<std::size_t>(label)]);
        };
        return key(a) < key(b);
    });
    return labels;
}

/// Collects the lines of the table.
class Table {
   public:
    explicit Table(const Contraction& contraction)
        : contraction_(contraction), costs_(contraction), output_(written(contraction, contraction.output)) {
        for (const Labels& labels : contraction.operands) {
            terms_.push_back(bits_of(labels));
            left_.push_back(written(contraction, labels));
        }
    }

    std::string print(const std::vector<Step>& path) {
        Bits all = 0;
        std::size_t labels = 0;
        for (const Bits term : terms_) all |= term, labels += static_cast<std::size_t>(std::popcount(term));
        const int naive_scaling = std::popcount(all);
        const double naive = costs_.operations(all, labels > static_cast<std::size_t>(naive_scaling), terms_.size());
        const std::string whole = joined() + "->" + output_;
        for (std::size_t n = 0; n < path.size(); ++n) add(path[n], n + 1 == path.size());
        const std::string rule(74, '-');
        return formatted("  Complete contraction:  %s\n", whole.c_str()) +
               formatted("         Naive scaling:  %d\n", naive_scaling) +
               formatted("     Optimized scaling:  %d\n", scaling_) +
               formatted("      Naive FLOP count:  %.3e\n", naive) +
               formatted("  Optimized FLOP count:  %.3e\n", operations_) +
               formatted("   Theoretical speedup:  %.3f\n", naive / operations_) +
               formatted("  Largest intermediate:  %.3e elements\n", largest_) + rule + "\n" +
               formatted("%6s %24s %40s\n", "scaling", "current", "remaining") + rule + lines_;
    }

   private:
    template <class... A>
    static std::string formatted(const char* format, A... values) {
        std::string out(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, values...)), ' ');
        std::snprintf(out.data(), out.size() + 1, format, values...);
        return out;
    }
    std::string joined() const {
        std::string out;
        for (const std::string& term : left_) out += (out.empty() && &term == &left_.front() ? "" : ",") + term;
        return out;
    }

    void add(const Step& step, bool is_last) {
        const Bits output = bits_of(contraction_.output), kept = kept_labels(terms_, step, output);
        Bits own = 0;
        std::string current;
        for (const std::size_t k : step) {
            own |= terms_[k];
            current += (k == step.front() ? "" : ",") + left_[k];
        }
        const int scaling = std::popcount(own);
        scaling_ = std::max(scaling_, scaling);
        operations_ += costs_.operations(own, own != kept, step.size());
        largest_ = std::max(largest_, costs_.size(kept));
        for (const std::size_t k : step) left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(k));
        contract(terms_, step, output);
        left_.push_back(is_last ? output_ : written(contraction_, by_extent(contraction_, kept)));
        current += "->" + left_.back();
        lines_ += formatted("\n%4d    %24s %40s", scaling, current.c_str(), (joined() + "->" + output_).c_str());
    }

    const Contraction& contraction_;
    Costs costs_;
    std::string output_, lines_;
    std::vector<Bits> terms_;
    std::vector<std::string> left_;
    int scaling_ = 0;
    double operations_ = 1, largest_ = 0;
};

}  // namespace

std::vector<Step> contraction_path(const Contraction& contraction, EinsumOrder order) {
    std::vector<Bits> terms;
    Bits all = 0;
    for (const Labels& labels : contraction.operands) all |= terms.emplace_back(bits_of(labels));
    const Bits output = bits_of(contraction.output);
    const std::size_t count = terms.size();
    if (count == 1 || all == output) {
        Step step;
        for (std::size_t k = count; k-- > 0;) step.push_back(k);
        return {step};
    }
    const Costs costs(contraction);
    if (order == EinsumOrder::automatic) order = count <= 6 ? EinsumOrder::optimal : EinsumOrder::greedy;
    if (order == EinsumOrder::optimal) return Optimal(terms, output, costs).steps();
    std::vector<Step> path;
    while (terms.size() > 1) {
        Step step{1, 0};
        if (order == EinsumOrder::greedy)
            step = best_pair(terms, output, costs);
        else if (!path.empty())
            step = {terms.size() - 1, 0};
        contract(terms, step, output);
        path.push_back(std::move(step));
    }
    return path;
}

std::string path_text(const Contraction& contraction, const std::vector<Step>& path) {
    return Table(contraction).print(path);
}

}  // namespace gemel::dense
