#include "solve/solver.hpp"

#include <gemel/core/text.hpp>

namespace gemel::solving {
namespace {

using codegen::SweepRequest;

/// Sets the shadow residual h and the direction p to r; rho = h* r.
template <Preconditioning m>
struct Begin {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("bicgstab_begin", dtype, has_double);
        sweep.arrays = {reads("r"), writes("h"), writes("p")};
        sweep.element = "h = r;\np = r;\nrr += dot_re(r, r);\n";
        if (m == Preconditioning::diagonal) {
            sweep.arrays.insert(sweep.arrays.end(), {shared("d"), writes("q")});
            sweep.element += "q = times(d, p);\n";
        }
        sweep.sums = {"rr"};
        sweep.finish = "state->rho = scalar_of(rr);";
        return sweep;
    }
};

/// alpha = rho / h* v, with v = A M p.
struct Alpha {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("bicgstab_alpha", dtype, has_double);
        sweep.arrays = {reads("h"), reads("v")};
        sweep.element = add_dot(sweep, "hv", "h", "v");
        sweep.finish = text("const scalar hv = ", dot_of(sweep, "hv"), R"(;
state->alpha = scalar_div(state->rho, hv);
const real size = scalar_size(hv);
if (!(size > 0)) stop_column(state, isnan(size) ? 2 : 7, size);)");
        return sweep;
    }
};

/// r -= alpha v, the residual of the half step; sigma = h* r.
template <Preconditioning m>
struct HalfStep {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("bicgstab_half_step", dtype, has_double);
        sweep.arrays = {updates("r"), reads("v"), reads("h")};
        sweep.prepare = "const scalar alpha = scalar_sub(scalar_of(0), state->alpha);";
        sweep.element = "r = plus_by(r, alpha, v);\n" + add_dot(sweep, "hr", "h", "r");
        if (m == Preconditioning::diagonal) {
            sweep.arrays.insert(sweep.arrays.end(), {shared("d"), writes("u")});
            sweep.element += "u = times(d, r);\n";
        }
        sweep.finish = text("state->sigma = ", dot_of(sweep, "hr"), ";");
        return sweep;
    }
};

/// Alpha and HalfStep in one sweep, for real numbers, if the product v = A M p has left h* v.
template <Preconditioning m>
struct JoiningHalfStep {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = HalfStep<m>::request(dtype, has_double);
        sweep.name = "bicgstab_joining_half_step";
        sweep.joins = {"pv", "hv", "vv"};
        sweep.joined = R"(const int fails = !(scalar_size(hv) > 0);
const real step = scalar_div(state->rho, hv);)";
        sweep.halt = "fails";
        sweep.prepare = "const real alpha = -step;";
        sweep.finish = R"(if (fails) {
    stop_column(state, isnan(hv) ? 2 : 7, scalar_size(hv));
} else {
    state->alpha = step;
    state->sigma = hr_re;
})";
        return sweep;
    }
};

/// omega, which minimises the residual along t = A M r, and beta, since the products also give the next rho.
struct Omega {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("bicgstab_omega", dtype, has_double);
        sweep.arrays = {reads("t"), reads("r"), reads("h")};
        sweep.sums = {"tt"};
        sweep.element = "tt += dot_re(t, t);\n" + add_dot(sweep, "tr", "t", "r") + add_dot(sweep, "ht", "h", "t");
        sweep.finish = text("state->omega = scalar_div(", dot_of(sweep, "tr"), R"(, scalar_of(tt));
const scalar rho = scalar_sub(state->sigma, scalar_mul(state->omega, )",
                            dot_of(sweep, "ht"), R"());
state->beta = scalar_mul(scalar_div(rho, state->rho), scalar_div(state->alpha, state->omega));)");
        return sweep;
    }
};

template <Preconditioning m>
struct Step {
    static SweepRequest request(DType dtype, bool has_double) {
        constexpr bool is_plain = m == Preconditioning::none;
        SweepRequest sweep = new_sweep("bicgstab_step", dtype, has_double);
        sweep.arrays = {updates("x"), updates("r"), updates("p"), reads("v"), reads("t"), reads("h")};
        if (m == Preconditioning::diagonal)
            sweep.arrays.insert(sweep.arrays.end(), {shared("d"), updates("q"), reads("u")});
        if (m == Preconditioning::general) sweep.arrays.insert(sweep.arrays.end(), {reads("q"), reads("u")});
        sweep.prepare = R"(const scalar alpha = state->alpha, omega = state->omega, beta = state->beta;
const scalar minus_omega = scalar_sub(scalar_of(0), omega);)";
        sweep.element =
            text("x = plus_by(plus_by(x, alpha, ", is_plain ? "p" : "q", "), omega, ", is_plain ? "r" : "u",
                 ");\nr = plus_by(r, minus_omega, t);\np = plus_by(r, beta, plus_by(p, minus_omega, v));\n");
        if (m == Preconditioning::diagonal) sweep.element += "q = times(d, p);\n";
        sweep.sums = {"rr"};
        sweep.element += "rr += dot_re(r, r);\n" + add_dot(sweep, "hr", "h", "r");
        sweep.finish = text("state->rho = ", dot_of(sweep, "hr"), R"(;
++state->iterations;
see_residual(state, sqrt(rr));
const real rho = scalar_size(state->rho), omega_size = scalar_size(state->omega);
if (!state->done && !(rho > 0)) stop_column(state, isnan(rho) ? 2 : 7, rho);
if (!state->done && !(omega_size > 0)) stop_column(state, isnan(omega_size) ? 2 : 8, omega_size);)");
        return sweep;
    }
};

/// Omega and Step in one sweep, for real numbers without a preconditioner, if t = A r has left t* r, h* t and t* t.
struct JoiningStep {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = Step<Preconditioning::none>::request(dtype, has_double);
        sweep.name = "bicgstab_joining_step";
        sweep.joins = {"tr", "ht", "tt"};
        sweep.joined = R"(const real alpha = state->alpha, omega = scalar_div(tr, tt);
const real beta = scalar_div(state->sigma - omega * ht, state->rho) * scalar_div(alpha, omega);)";
        sweep.prepare = "const real minus_omega = -omega;";
        sweep.finish = "state->omega = omega;\n" + sweep.finish;
        return sweep;
    }
};

class Bicgstab : public Solver {
   public:
    explicit Bicgstab(const System& system) : Solver(system) {
        for (AnyArray* vectors : {&h_, &p_, &v_, &t_}) *vectors = space_.vectors();
        if (preconditioning_ != Preconditioning::none) q_ = space_.vectors(), u_ = space_.vectors();
        begin_ = Sweep(space_, sweep_for<Begin>(preconditioning_));
        // For complex numbers the products sum only real parts; with a diagonal they sum t* u instead of t* r.
        joins_half_step_ = !is_complex(space_.dtype()) && sums_products();
        joins_step_ = joins_half_step_ && preconditioning_ == Preconditioning::none;
        if (joins_half_step_) {
            half_step_ = Sweep(space_, sweep_for<JoiningHalfStep>(preconditioning_));
        } else {
            alpha_ = Sweep(space_, Alpha::request);
            half_step_ = Sweep(space_, sweep_for<HalfStep>(preconditioning_));
        }
        if (!joins_step_) omega_ = Sweep(space_, Omega::request);
        step_ = Sweep(space_, joins_step_ ? JoiningStep::request : sweep_for<Step>(preconditioning_));
    }

   private:
    void begin() override {
        if (preconditioning_ == Preconditioning::diagonal) return begin_(space_, r_, h_, p_, diagonal_, q_);
        begin_(space_, r_, h_, p_);
    }

    void iterate() override {
        half_step();
        const bool is_plain = preconditioning_ == Preconditioning::none;
        if (joins_step_) {
            const std::array blocks{static_cast<std::int32_t>(multiply_summing(r_, t_, h_, {}))};
            return step_(space_, {&x_, &r_, &p_, &v_, &t_, &h_}, blocks);
        }
        if (preconditioning_ == Preconditioning::general) multiply(system_.options.preconditioner, r_, u_);
        multiply(system_.a, is_plain ? r_ : u_, t_);
        omega_(space_, t_, r_, h_);
        if (is_plain) return step_(space_, x_, r_, p_, v_, t_, h_);
        if (preconditioning_ == Preconditioning::diagonal)
            return step_(space_, x_, r_, p_, v_, t_, h_, diagonal_, q_, u_);
        step_(space_, x_, r_, p_, v_, t_, h_, q_, u_);
    }

    /// Updates r along v = A M p; with a diagonal preconditioner also u = M r.
    void half_step() {
        const bool is_diagonal = preconditioning_ == Preconditioning::diagonal;
        const AnyArray& direction = preconditioning_ == Preconditioning::none ? p_ : q_;
        if (joins_half_step_) {
            const std::array blocks{static_cast<std::int32_t>(multiply_summing(direction, v_, h_, {}))};
            if (is_diagonal) return half_step_(space_, {&r_, &v_, &h_, &diagonal_, &u_}, blocks);
            return half_step_(space_, {&r_, &v_, &h_}, blocks);
        }
        if (preconditioning_ == Preconditioning::general) multiply(system_.options.preconditioner, p_, q_);
        multiply(system_.a, direction, v_);
        alpha_(space_, h_, v_);
        if (is_diagonal) return half_step_(space_, r_, v_, h_, diagonal_, u_);
        half_step_(space_, r_, v_, h_);
    }

    AnyArray h_, p_, v_, t_, q_, u_;
    Sweep begin_, alpha_, half_step_, omega_, step_;
    bool joins_half_step_ = false, joins_step_ = false;  ///< the products with A compute the sums of these sweeps
};

template <Preconditioning m>
void add(std::vector<SweepRequest>& all, DType dtype, bool has_double) {
    for (const SweepText text : {Begin<m>::request, HalfStep<m>::request, Step<m>::request})
        all.push_back(text(dtype, has_double));
}

}  // namespace

std::vector<SweepRequest> bicgstab_sweeps(DType dtype, bool has_double) {
    std::vector<SweepRequest> all{Alpha::request(dtype, has_double), Omega::request(dtype, has_double)};
    add<Preconditioning::none>(all, dtype, has_double);
    add<Preconditioning::diagonal>(all, dtype, has_double);
    add<Preconditioning::general>(all, dtype, has_double);
    if (is_complex(dtype)) return all;
    for (const SweepText text : {JoiningHalfStep<Preconditioning::none>::request,
                                 JoiningHalfStep<Preconditioning::diagonal>::request, JoiningStep::request})
        all.push_back(text(dtype, has_double));
    return all;
}

std::unique_ptr<Solver> new_bicgstab(const System& system) { return std::make_unique<Bicgstab>(system); }

}  // namespace gemel::solving
