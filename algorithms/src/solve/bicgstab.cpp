#include "solve/solver.hpp"
#include "solve_kernels.hpp"

namespace gemel::solving {
namespace {

using codegen::SweepRequest;

template <Preconditioning m>
struct Begin {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("bicgstab_begin", dtype, has_double);
        sweep.arrays = {reads("r"), writes("h"), writes("p")};
        constexpr bool is_scaled = m == Preconditioning::diagonal;
        if (is_scaled) sweep.arrays.insert(sweep.arrays.end(), {shared("d"), writes("q")});
        sweep.sums = {"rr"};
        fill(sweep, solve_kernels::bicgstab_begin(), {{"is_scaled", is_scaled}});
        return sweep;
    }
};

struct Alpha {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("bicgstab_alpha", dtype, has_double);
        sweep.arrays = {reads("h"), reads("v")};
        const std::string add_to_hv = add_dot(sweep, "hv", "h", "v");
        fill(sweep, solve_kernels::bicgstab_alpha(), {{"add_to_hv", add_to_hv}, {"hv", dot_of(sweep, "hv")}});
        return sweep;
    }
};

/// The half step after Alpha, or in one sweep with it, for real numbers, if the product v = A M p has left h* v.
template <Preconditioning m, bool joins>
SweepRequest half_step(DType dtype, bool has_double) {
    SweepRequest sweep = new_sweep(joins ? "bicgstab_joining_half_step" : "bicgstab_half_step", dtype, has_double);
    sweep.arrays = {updates("r"), reads("v"), reads("h")};
    constexpr bool is_scaled = m == Preconditioning::diagonal;
    if (is_scaled) sweep.arrays.insert(sweep.arrays.end(), {shared("d"), writes("u")});
    if (joins) {
        sweep.joins = {"pv", "hv", "vv"};
        sweep.halt = "fails";
    }
    const std::string add_to_hr = add_dot(sweep, "hr", "h", "r");
    fill(sweep, solve_kernels::bicgstab_half_step(),
         {{"joins", joins}, {"is_scaled", is_scaled}, {"add_to_hr", add_to_hr}, {"hr", dot_of(sweep, "hr")}});
    return sweep;
}
template <Preconditioning m>
struct HalfStep {
    static SweepRequest request(DType dtype, bool has_double) { return half_step<m, false>(dtype, has_double); }
};
template <Preconditioning m>
struct JoiningHalfStep {
    static SweepRequest request(DType dtype, bool has_double) { return half_step<m, true>(dtype, has_double); }
};

struct Omega {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("bicgstab_omega", dtype, has_double);
        sweep.arrays = {reads("t"), reads("r"), reads("h")};
        sweep.sums = {"tt"};
        const std::string add_to_ht = add_dot(sweep, "ht", "h", "t"), add_to_tr = add_dot(sweep, "tr", "t", "r");
        fill(sweep, solve_kernels::bicgstab_omega(),
             {{"add_to_tr", add_to_tr},
              {"add_to_ht", add_to_ht},
              {"tr", dot_of(sweep, "tr")},
              {"ht", dot_of(sweep, "ht")}});
        return sweep;
    }
};

/// The step after Omega, or in one sweep with it, for real numbers without a preconditioner, if t = A r has left t* r,
/// h* t and t* t.
template <Preconditioning m, bool joins>
SweepRequest whole_step(DType dtype, bool has_double) {
    constexpr bool is_plain = m == Preconditioning::none, is_scaled = m == Preconditioning::diagonal;
    SweepRequest sweep = new_sweep(joins ? "bicgstab_joining_step" : "bicgstab_step", dtype, has_double);
    sweep.arrays = {updates("x"), updates("r"), updates("p"), reads("v"), reads("t"), reads("h")};
    if (is_scaled) sweep.arrays.insert(sweep.arrays.end(), {shared("d"), updates("q"), reads("u")});
    if (m == Preconditioning::general) sweep.arrays.insert(sweep.arrays.end(), {reads("q"), reads("u")});
    if (joins) sweep.joins = {"tr", "ht", "tt"};
    sweep.sums = {"rr"};
    const std::string add_to_hr = add_dot(sweep, "hr", "h", "r");
    fill(sweep, solve_kernels::bicgstab_step(),
         {{"joins", joins},
          {"is_scaled", is_scaled},
          {"q", is_plain ? "p" : "q"},
          {"u", is_plain ? "r" : "u"},
          {"add_to_hr", add_to_hr},
          {"hr", dot_of(sweep, "hr")}});
    return sweep;
}
template <Preconditioning m>
struct Step {
    static SweepRequest request(DType dtype, bool has_double) { return whole_step<m, false>(dtype, has_double); }
};
struct JoiningStep {
    static SweepRequest request(DType dtype, bool has_double) {
        return whole_step<Preconditioning::none, true>(dtype, has_double);
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
