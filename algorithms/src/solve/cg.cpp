#include "solve/chain.hpp"
#include "solve/solver.hpp"
#include "solve_kernels.hpp"

#include <optional>

namespace gemel::solving {
namespace {

using codegen::SweepRequest;

/// The kind of preconditioner, in the templates.
codegen::Values values_of(Preconditioning m) {
    return {{"is_scaled", m == Preconditioning::diagonal}, {"is_general", m == Preconditioning::general}};
}

template <Preconditioning m>
struct Begin {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("cg_begin", dtype, has_double);
        sweep.arrays = {reads("r"), writes("p")};
        if (m == Preconditioning::diagonal) sweep.arrays.push_back(shared("d"));
        if (m == Preconditioning::general) sweep.arrays.push_back(reads("z"));
        sweep.sums = {"found"};
        fill(sweep, solve_kernels::cg_begin(), values_of(m));
        return sweep;
    }
};

/// Products with most sparse matrices compute these sums without this sweep; see sums_products().
template <Preconditioning m>
struct Products {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("cg_products", dtype, has_double);
        sweep.arrays = {reads("p"), reads("s")};
        if (m != Preconditioning::general) sweep.arrays.push_back(reads("r"));
        if (m == Preconditioning::diagonal) sweep.arrays.push_back(shared("d"));
        if (m == Preconditioning::general) {
            sweep.arrays.push_back(reads("z"));
            sweep.arrays.push_back(reads("y"));
        }
        sweep.sums = {"mu", "delta", "gamma"};
        fill(sweep, solve_kernels::cg_products(), values_of(m));
        return sweep;
    }
};

template <Preconditioning m>
struct Step {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("cg_step", dtype, has_double);
        sweep.arrays = {updates("x"), updates("r"), updates("p"), reads("s")};
        if (m == Preconditioning::diagonal) sweep.arrays.push_back(shared("d"));
        if (m == Preconditioning::general) {
            sweep.arrays.push_back(updates("z"));
            sweep.arrays.push_back(reads("y"));
        }
        sweep.joins = {"mu", "delta", "gamma"};
        sweep.halt = "fails";
        sweep.sums = {"rr"};
        if (m != Preconditioning::none) sweep.sums.push_back("rz");
        fill(sweep, solve_kernels::cg_step(), values_of(m));
        return sweep;
    }
};

template <bool is_scaled>
codegen::ChainRequest cg_chain_of(DType dtype, bool has_double) {
    return cg_chain(dtype, has_double, is_scaled);
}

/// @source Chen and Carson, "Predict-and-recompute conjugate gradient variants", algorithm M-CG with the products of
/// PR-CG: beta is predicted from products known before the step, and nu is recomputed in it.
class Cg : public Solver {
   public:
    explicit Cg(const System& system) : Solver(system) {
        p_ = space_.vectors();
        if (preconditioning_ == Preconditioning::general) z_ = space_.vectors(), y_ = space_.vectors();
        begin_ = Sweep(space_, sweep_for<Begin>(preconditioning_));
        products_ = Sweep(space_, sweep_for<Products>(preconditioning_));
        step_ = Sweep(space_, sweep_for<Step>(preconditioning_));
    }

   private:
    void begin() override {
        if (!chain_) chain_ = new_chain();
        switch (preconditioning_) {
            case Preconditioning::none: return begin_(space_, r_, p_);
            case Preconditioning::diagonal: return begin_(space_, r_, p_, diagonal_);
            case Preconditioning::general: break;
        }
        multiply(system_.options.preconditioner, r_, z_);
        begin_(space_, r_, p_, z_);
    }

    /// For sparse matrices that can_sum(), one right-hand side, and no preconditioner or a diagonal; otherwise empty.
    Chain new_chain() const {
        const AnyOperator& a = system_.a;
        if (preconditioning_ == Preconditioning::general || space_.columns() > 1 || !a.matrix() ||
            a.columns() == solve::Columns::together || !sparse::can_sum(*a.matrix()))
            return {};
        const bool is_scaled = preconditioning_ == Preconditioning::diagonal;
        return Chain(space_, is_scaled ? cg_chain_of<true> : cg_chain_of<false>, *a.matrix(), is_scaled,
                     system_.options.tuning);
    }

    bool iterate_together(std::int64_t steps) override {
        if (chain_->empty()) return false;
        if (preconditioning_ == Preconditioning::diagonal) {
            (*chain_)(space_, {&x_, &r_, &p_, &product_, &diagonal_}, steps);
        } else {
            (*chain_)(space_, {&x_, &r_, &p_, &product_}, steps);
        }
        return true;
    }

    void iterate() override {
        const AnyArray& s = product_;
        std::int64_t blocks = 0;
        if (sums_products()) {
            blocks = multiply_summing(p_, s, r_, diagonal_);
        } else {
            multiply(system_.a, p_, s);
            sum_products(s);
            blocks = space_.groups();
        }
        const std::array numbers{static_cast<std::int32_t>(blocks)};
        switch (preconditioning_) {
            case Preconditioning::none: return step_(space_, {&x_, &r_, &p_, &s}, numbers);
            case Preconditioning::diagonal: return step_(space_, {&x_, &r_, &p_, &s, &diagonal_}, numbers);
            case Preconditioning::general: break;
        }
        step_(space_, {&x_, &r_, &p_, &s, &z_, &y_}, numbers);
    }

    void sum_products(const AnyArray& s) {
        switch (preconditioning_) {
            case Preconditioning::none: return products_(space_, p_, s, r_);
            case Preconditioning::diagonal: return products_(space_, p_, s, r_, diagonal_);
            case Preconditioning::general: break;
        }
        multiply(system_.options.preconditioner, s, y_);
        products_(space_, p_, s, z_, y_);
    }

    AnyArray p_, z_, y_;
    Sweep begin_, products_, step_;
    std::optional<Chain> chain_;  ///< set by the first begin(); an empty chain: separate launches
};

template <Preconditioning m>
void add(std::vector<SweepRequest>& all, DType dtype, bool has_double) {
    for (const SweepText text : {Begin<m>::request, Products<m>::request, Step<m>::request})
        all.push_back(text(dtype, has_double));
}

}  // namespace

std::vector<SweepRequest> cg_sweeps(DType dtype, bool has_double) {
    std::vector<SweepRequest> all;
    add<Preconditioning::none>(all, dtype, has_double);
    add<Preconditioning::diagonal>(all, dtype, has_double);
    add<Preconditioning::general>(all, dtype, has_double);
    return all;
}

codegen::ChainRequest cg_chain(DType dtype, bool has_double, bool is_scaled) {
    codegen::ChainRequest chain{.step = is_scaled ? Step<Preconditioning::diagonal>::request(dtype, has_double)
                                                  : Step<Preconditioning::none>::request(dtype, has_double)};
    keep_state_in_blocks(chain.step, has_double);
    chain.step.name = "cg_chain";
    if (is_scaled) chain.factors = "d";
    return chain;
}

std::unique_ptr<Solver> new_cg(const System& system) { return std::make_unique<Cg>(system); }

}  // namespace gemel::solving
