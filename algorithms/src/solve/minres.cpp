#include "solve/solver.hpp"

#include <gemel/core/text.hpp>

#include <utility>

namespace gemel::solving {
namespace {

using codegen::SweepRequest;

/// z = M y within a sweep; what is named z has been computed where it is general.
template <Preconditioning m>
std::string preconditioned(SweepRequest& sweep, const char* y) {
    if (m == Preconditioning::general) {
        sweep.arrays.push_back(reads("z"));
        return {};
    }
    if (m == Preconditioning::none) return text("const element z = ", y, ";\n");
    sweep.arrays.push_back(shared("d"));
    return text("const element z = times(d, ", y, ");\n");
}

/// The first Lanczos coefficient: the residual's norm in M.
template <Preconditioning m>
struct Begin {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_begin", dtype, has_double);
        sweep.arrays = {reads("r")};
        sweep.sums = {"rz"};
        sweep.element = preconditioned<m>(sweep, "r") + "rz += dot_re(r, z);";
        sweep.finish = R"(state->lanczos_beta = sqrt(rz);
state->phi_bar = state->lanczos_beta;
state->old_beta = 0;
state->dbar = 0;
state->epsilon = 0;
state->cosine = -1;
state->sine = 0;
if (!(rz > 0)) stop_column(state, isnan(rz) ? 2 : 5, rz);)";
        return sweep;
    }
};

template <Preconditioning m>
struct FirstVectors {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_first_vectors", dtype, has_double);
        sweep.arrays = {reads("r"), writes("y"), writes("older"), writes("v"), writes("w"), writes("w_older")};
        sweep.prepare = "const real inverse = 1 / state->lanczos_beta;";
        sweep.element = preconditioned<m>(sweep, "r") +
                        "y = r;\nv = scaled(inverse, z);\nolder = zero();\nw = older;\nw_older = older;";
        return sweep;
    }
};

/// The diagonal Lanczos coefficient: v* (A v - c older).
struct Alpha {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_alpha", dtype, has_double);
        sweep.arrays = {reads("v"), reads("s"), reads("older")};
        sweep.prepare = "const real c = state->old_beta > 0 ? state->lanczos_beta / state->old_beta : 0;";
        sweep.sums = {"alpha"};
        sweep.element = "alpha += dot_re(v, plus(s, -c, older));";
        sweep.finish = "state->lanczos_alpha = alpha;";
        return sweep;
    }
};

// The next coefficient is known: one more rotation.
constexpr const char* rotate = R"(const real alpha = state->lanczos_alpha, beta = sqrt(yz);
state->old_beta = state->lanczos_beta;
state->lanczos_beta = beta;
state->old_epsilon = state->epsilon;
state->delta = state->cosine * state->dbar + state->sine * alpha;
const real gamma_bar = state->sine * state->dbar - state->cosine * alpha;
state->epsilon = state->sine * beta;
state->dbar = -state->cosine * beta;
state->gamma = hypot(gamma_bar, beta);
if (!(yz >= 0)) {
    stop_column(state, isnan(yz) ? 2 : 5, yz);
} else if (!(state->gamma > 0)) {
    stop_column(state, isnan(state->gamma) ? 2 : 6, state->gamma);
} else {
    state->cosine = gamma_bar / state->gamma;
    state->sine = beta / state->gamma;
    state->phi = state->cosine * state->phi_bar;
    state->phi_bar *= state->sine;
})";

/// The next Lanczos vector takes the place of the one before the last.
template <Preconditioning m>
struct Lanczos {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_lanczos", dtype, has_double);
        sweep.arrays = {reads("s"), updates("older"), reads("y")};
        sweep.prepare = R"(const real c = state->old_beta > 0 ? state->lanczos_beta / state->old_beta : 0;
const real e = state->lanczos_alpha / state->lanczos_beta;)";
        sweep.element = "older = plus(plus(s, -c, older), -e, y);\n";
        if (m == Preconditioning::general) return sweep;
        sweep.sums = {"yz"};
        sweep.element += preconditioned<m>(sweep, "older") + "yz += dot_re(older, z);";
        sweep.finish = rotate;
        return sweep;
    }
};
/// With a preconditioner that has launches of its own.
struct Rotate {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_rotate", dtype, has_double);
        sweep.arrays = {reads("y"), reads("z")};
        sweep.sums = {"yz"};
        sweep.element = "yz += dot_re(y, z);";
        sweep.finish = rotate;
        return sweep;
    }
};

/// The step, the residual by its own recurrence, and v for the next product.
template <Preconditioning m>
struct Step {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_step", dtype, has_double);
        sweep.arrays = {updates("x"), updates("r"), updates("v"), updates("w_older"), reads("w"), reads("y")};
        sweep.prepare = R"(const real inverse = state->lanczos_beta > 0 ? 1 / state->lanczos_beta : 0;
const real shrink = state->sine * state->sine, turn = -state->phi_bar * state->cosine * inverse;
const real old_epsilon = -state->old_epsilon, delta = -state->delta, scale = 1 / state->gamma, phi = state->phi;)";
        sweep.sums = {"rr"};
        sweep.element =
            preconditioned<m>(sweep, "y") + R"(w_older = scaled(scale, plus(plus(v, old_epsilon, w_older), delta, w));
x = plus(x, phi, w_older);
r = plus(scaled(shrink, r), turn, y);
v = scaled(inverse, z);
rr += dot_re(r, r);)";
        sweep.finish = "++state->iterations;\nsee_residual(state, sqrt(rr));";
        return sweep;
    }
};

class Minres : public Solver {
   public:
    explicit Minres(const System& system) : Solver(system) {
        for (AnyArray* vectors : {&v_, &y_, &older_, &w_, &w_older_}) *vectors = space_.vectors();
        if (is_general()) z_ = space_.vectors();
        begin_ = Sweep(space_, sweep_for<Begin>(preconditioning_));
        first_vectors_ = Sweep(space_, sweep_for<FirstVectors>(preconditioning_));
        alpha_ = Sweep(space_, Alpha::request);
        lanczos_ = Sweep(space_, sweep_for<Lanczos>(preconditioning_));
        if (is_general()) rotate_ = Sweep(space_, Rotate::request);
        step_ = Sweep(space_, sweep_for<Step>(preconditioning_));
    }

   private:
    bool is_general() const { return preconditioning_ == Preconditioning::general; }
    /// With the array behind the others that the preconditioner takes, if it takes one.
    template <class... A>
    void sweep(const Sweep& sweep, const A&... arrays) const {
        switch (preconditioning_) {
            case Preconditioning::none: return sweep(space_, arrays...);
            case Preconditioning::diagonal: return sweep(space_, arrays..., diagonal_);
            case Preconditioning::general: return sweep(space_, arrays..., z_);
        }
    }

    void begin() override {
        if (is_general()) multiply(system_.options.preconditioner, r_, z_);
        sweep(begin_, r_);
        sweep(first_vectors_, r_, y_, older_, v_, w_, w_older_);
    }

    std::int64_t period() const override { return 2; }  // vectors change places

    void iterate() override {
        const AnyArray& s = product_;
        multiply(system_.a, v_, s);
        alpha_(space_, v_, s, older_);
        if (is_general()) {
            lanczos_(space_, s, older_, y_);
        } else {
            sweep(lanczos_, s, older_, y_);
        }
        std::swap(older_, y_);
        if (is_general()) {
            multiply(system_.options.preconditioner, y_, z_);
            rotate_(space_, y_, z_);
        }
        sweep(step_, x_, r_, v_, w_older_, w_, y_);
        std::swap(w_older_, w_);
    }

    AnyArray v_, y_, older_, w_, w_older_, z_;
    Sweep begin_, first_vectors_, alpha_, lanczos_, rotate_, step_;
};

template <Preconditioning m>
void add(std::vector<SweepRequest>& all, DType dtype, bool has_double) {
    for (const SweepText text : {Begin<m>::request, FirstVectors<m>::request, Lanczos<m>::request, Step<m>::request})
        all.push_back(text(dtype, has_double));
}

}  // namespace

std::vector<SweepRequest> minres_sweeps(DType dtype, bool has_double) {
    std::vector<SweepRequest> all{Alpha::request(dtype, has_double), Rotate::request(dtype, has_double)};
    add<Preconditioning::none>(all, dtype, has_double);
    add<Preconditioning::diagonal>(all, dtype, has_double);
    add<Preconditioning::general>(all, dtype, has_double);
    return all;
}

std::unique_ptr<Solver> new_minres(const System& system) { return std::make_unique<Minres>(system); }

}  // namespace gemel::solving
