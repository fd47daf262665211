#include "solve/chain.hpp"
#include "solve/solver.hpp"

#include <gemel/core/text.hpp>

#include <optional>

namespace gemel::solving {
namespace {

using codegen::SweepRequest;

/// A statement that defines `name` as M times `of`, in the sweep; empty if M has its own launches.
std::string preconditioned(Preconditioning m, const char* name, const char* of) {
    if (m == Preconditioning::none) return text("const element ", name, " = ", of, ";\n");
    if (m == Preconditioning::diagonal) return text("const element ", name, " = times(d, ", of, ");\n");
    return {};
}

/// p = z, nu = r* z.
template <Preconditioning m>
struct Begin {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("cg_begin", dtype, has_double);
        sweep.arrays = {reads("r"), writes("p")};
        if (m == Preconditioning::diagonal) sweep.arrays.push_back(shared("d"));
        if (m == Preconditioning::general) sweep.arrays.push_back(reads("z"));
        sweep.sums = {"found"};
        sweep.element = preconditioned(m, "z", "r") + "p = z;\nfound += dot_re(r, z);";
        sweep.finish = "state->nu = found;\nif (!(found > 0)) stop_column(state, isnan(found) ? 2 : 5, found);";
        return sweep;
    }
};

/// The inner products of an iteration, p* s, z* s and y* s with s = A p, z = M r and y = M s, left for the step.
/// Products with most sparse matrices compute them without this sweep; see sums_products().
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
        sweep.element = preconditioned(m, "z", "r") + preconditioned(m, "y", "s") +
                        "mu += dot_re(p, s);\ndelta += dot_re(z, s);\ngamma += dot_re(y, s);";
        return sweep;
    }
};

/// Updates x, r and the direction p, and sums r* r and r* z. Every block computes alpha and the predicted beta from the
/// products.
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
        sweep.joined = "const int fails = !(mu > 0);";
        sweep.halt = "fails";
        sweep.prepare = R"(const real before = state->nu, alpha = fails ? 0 : before / mu;
const real predicted = before - 2 * alpha * delta + alpha * alpha * gamma;
const real beta = predicted > 0 ? predicted / before : 0;)";
        sweep.element = "x = plus(x, alpha, p);\nr = plus(r, -alpha, s);\n";
        if (m == Preconditioning::general) sweep.element += "z = plus(z, -alpha, y);\n";
        sweep.element += preconditioned(m, "z", "r") + "p = plus(z, beta, p);\nrr += dot_re(r, r);";
        sweep.sums = {"rr"};
        if (m != Preconditioning::none) {
            sweep.sums.push_back("rz");
            sweep.element += "\nrz += dot_re(r, z);";
        }
        const char* const nu = m == Preconditioning::none ? "rr" : "rz";
        sweep.finish = text(
            "if (fails) {\n    stop_column(state, isnan(mu) ? 2 : 4, mu);\n} else {\n    ++state->iterations;\n    "
            "state->nu = ",
            nu, ";\n    see_residual(state, sqrt(rr));\n    if (!state->done && !(", nu,
            " > 0)) stop_column(state, 5, ", nu, ");\n}");
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
