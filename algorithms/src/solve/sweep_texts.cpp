#include "solve/sweep_texts.hpp"

#include <gemel/core/text.hpp>

#include <array>
#include <cstring>
#include <string_view>

namespace gemel::solving {
namespace {

using codegen::SweepArray;
using codegen::SweepRequest;
using Access = SweepArray::Access;

constexpr std::size_t header_reals = 8, header_integers = 6, method_scalars = 5, method_reals = 14;

// The first two lines are the members of ColumnState; the others belong to the methods.
constexpr const char* state_text = R"(typedef struct {
    real target, residual, b_norm, start, figure, tolerance, absolute, unused_real;
    int done, iterations, stop, limit, used, last_stop;
    scalar rho, alpha, omega, beta, sigma;
    real nu, old_nu, stretch, lanczos_alpha, lanczos_beta, dbar, epsilon, old_epsilon, delta, gamma, cosine, sine, phi, phi_bar;
} sweep_state;
WITHIN_KERNEL void stop_column(STATE_MEM sweep_state *state, int stop, real figure) {
    state->stop = stop;
    state->figure = figure;
    state->done = 1;
}
WITHIN_KERNEL void see_residual(STATE_MEM sweep_state *state, real residual) {
    state->residual = residual;
    if (state->start < 0) state->start = residual;
    state->done = residual <= state->target || state->stop != 0 || state->iterations >= state->limit;
    if (state->stop == 0 && !isfinite(residual)) stop_column(state, 2, residual);
    if (state->stop == 0 && residual > 1e12f * state->start) stop_column(state, 3, residual);
}
)";

constexpr const char* real_functions = R"(typedef real scalar;
WITHIN_KERNEL real dot_re(element a, element b) { return (real)a * (real)b; }
WITHIN_KERNEL element plus(element y, real c, element x) { return y + (element)c * x; }
WITHIN_KERNEL element plus_by(element y, scalar c, element x) { return y + (element)c * x; }
WITHIN_KERNEL element zero() { return 0; }
WITHIN_KERNEL element times(element a, element b) { return a * b; }
WITHIN_KERNEL element scaled(real c, element x) { return (element)c * x; }
WITHIN_KERNEL real scalar_size(scalar a) { return fabs(a); }
WITHIN_KERNEL real scalar_re(scalar a) { return a; }
WITHIN_KERNEL scalar scalar_of(real a) { return a; }
WITHIN_KERNEL scalar scalar_conj(scalar a) { return a; }
WITHIN_KERNEL scalar scalar_add(scalar a, scalar b) { return a + b; }
WITHIN_KERNEL scalar scalar_sub(scalar a, scalar b) { return a - b; }
WITHIN_KERNEL scalar scalar_mul(scalar a, scalar b) { return a * b; }
WITHIN_KERNEL scalar scalar_div(scalar a, scalar b) { return b == 0 ? 0 : a / b; }
)";

constexpr const char* complex_functions =
    R"(WITHIN_KERNEL real dot_re(element a, element b) { return (real)a.re * (real)b.re + (real)a.im * (real)b.im; }
WITHIN_KERNEL real dot_im(element a, element b) { return (real)a.re * (real)b.im - (real)a.im * (real)b.re; }
WITHIN_KERNEL element plus(element y, real c, element x) {
    y.re += (part)c * x.re;
    y.im += (part)c * x.im;
    return y;
}
WITHIN_KERNEL element plus_by(element y, scalar c, element x) {
    y.re += (part)c.re * x.re - (part)c.im * x.im;
    y.im += (part)c.re * x.im + (part)c.im * x.re;
    return y;
}
WITHIN_KERNEL element zero() {
    element e;
    e.re = e.im = 0;
    return e;
}
WITHIN_KERNEL element times(element a, element b) { return c_mul(a, b); }
WITHIN_KERNEL element scaled(real c, element x) {
    x.re *= (part)c;
    x.im *= (part)c;
    return x;
}
WITHIN_KERNEL real scalar_size(scalar a) { return c_abs(a); }
WITHIN_KERNEL real scalar_re(scalar a) { return a.re; }
WITHIN_KERNEL scalar scalar_of(real a) {
    scalar s;
    s.re = a;
    s.im = 0;
    return s;
}
WITHIN_KERNEL scalar scalar_conj(scalar a) { return c_conj(a); }
WITHIN_KERNEL scalar scalar_add(scalar a, scalar b) { return c_add(a, b); }
WITHIN_KERNEL scalar scalar_sub(scalar a, scalar b) { return c_sub(a, b); }
WITHIN_KERNEL scalar scalar_mul(scalar a, scalar b) { return c_mul(a, b); }
WITHIN_KERNEL scalar scalar_div(scalar a, scalar b) { return b.re == 0 && b.im == 0 ? b : c_div(a, b); }
)";

/// The declarations of the state, for states in that memory space.
std::string state_functions(std::string_view space) {
    constexpr std::string_view word = "STATE_MEM";
    std::string result = state_text;
    for (auto at = result.find(word); at != std::string::npos; at = result.find(word, at + space.size()))
        result.replace(at, word.size(), space);
    return result;
}

std::string preamble(DType dtype, bool has_double, std::string_view space = "GLOBAL_MEM") {
    const char* const real = has_double ? "double" : "float";
    std::string types = text("typedef ", real, " real;\ntypedef ", dtype.name(), " element;\n");
    if (!is_complex(dtype)) return types + real_functions + state_functions(space);
    types += text("typedef ", dtype.size_bytes() == 16 ? "double" : "float", " part;\ntypedef ",
                  has_double ? "cdouble" : "cfloat", " scalar;\n");
    return types + complex_functions + state_functions(space);
}

template <class R>
std::array<R, header_reals> reals_of(const ColumnState& s) {
    return {static_cast<R>(s.target), static_cast<R>(s.residual),  static_cast<R>(s.b_norm),   static_cast<R>(s.start),
            static_cast<R>(s.figure), static_cast<R>(s.tolerance), static_cast<R>(s.absolute), R{0}};
}

template <class R>
ColumnState state_of(const std::byte* from) {
    std::array<R, header_reals> r;
    std::array<std::int32_t, header_integers> i;
    std::memcpy(r.data(), from, sizeof(r));
    std::memcpy(i.data(), from + sizeof(r), sizeof(i));
    return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], i[0], i[1], i[2], i[3], i[4], i[5]};
}

}  // namespace

std::size_t state_bytes(DType dtype, bool has_double) {
    const std::size_t real = has_double ? sizeof(double) : sizeof(float);
    const std::size_t scalars = method_scalars * (is_complex(dtype) ? 2 : 1);
    return (header_reals + scalars + method_reals) * real + header_integers * sizeof(std::int32_t);
}

std::int64_t done_at(std::int64_t column, DType dtype, bool has_double) {
    const std::size_t reals = header_reals * (has_double ? sizeof(double) : sizeof(float));
    return (column * static_cast<std::int64_t>(state_bytes(dtype, has_double)) + static_cast<std::int64_t>(reals)) / 4;
}

ColumnState read_state(const std::byte* from, bool has_double) {
    return has_double ? state_of<double>(from) : state_of<float>(from);
}

void write_state(std::byte* to, const ColumnState& state, bool has_double) {
    const auto put = [&](const auto& reals) {
        const std::array<std::int32_t, header_integers> integers{state.done,  state.iterations, state.stop,
                                                                 state.limit, state.used,       state.last_stop};
        std::memcpy(to, reals.data(), sizeof(reals));
        std::memcpy(to + sizeof(reals), integers.data(), sizeof(integers));
    };
    if (has_double) return put(reals_of<double>(state));
    put(reals_of<float>(state));
}

void keep_state_in_blocks(SweepRequest& sweep, bool has_double) {
    sweep.preamble = preamble(sweep.dtype, has_double, "LOCAL_MEM_ARG");
}

SweepRequest new_sweep(const char* name, DType dtype, bool has_double) {
    SweepRequest sweep;
    sweep.name = name;
    sweep.dtype = dtype;
    sweep.preamble = preamble(dtype, has_double);
    sweep.skip = "state->done";
    return sweep;
}

SweepArray reads(const char* name) { return {.name = name, .access = Access::read}; }
SweepArray writes(const char* name) { return {.name = name, .access = Access::write}; }
SweepArray updates(const char* name) { return {.name = name, .access = Access::update}; }
SweepArray shared(const char* name) { return {.name = name, .access = Access::read, .has_columns = false}; }

std::string add_dot(SweepRequest& sweep, const std::string& sum, const std::string& a, const std::string& b) {
    sweep.sums.push_back(sum + "_re");
    std::string statement = text(sum, "_re += dot_re(", a, ", ", b, ");\n");
    if (!is_complex(sweep.dtype)) return statement;
    sweep.sums.push_back(sum + "_im");
    return statement + text(sum, "_im += dot_im(", a, ", ", b, ");\n");
}

std::string dot_of(const SweepRequest& sweep, const std::string& sum) {
    if (!is_complex(sweep.dtype)) return sum + "_re";
    return text(sweep.preamble.starts_with("typedef double") ? "cdouble" : "cfloat", "_new(", sum, "_re, ", sum,
                "_im)");
}

SweepRequest residual_sweep(DType dtype, bool has_double) {
    SweepRequest sweep = new_sweep("solver_residual", dtype, has_double);
    sweep.skip = "";
    sweep.arrays = {reads("b"), reads("product"), writes("r")};
    sweep.sums = {"rr", "bb"};
    sweep.element = "r = plus(b, -1, product);\nrr += dot_re(r, r);\nbb += dot_re(b, b);";
    sweep.finish = R"(state->used = 0;
if (state->stop >= 7) {
    state->last_stop = state->stop;
    state->stop = 0;
}
state->b_norm = sqrt(bb);
state->target = fmax(state->tolerance * state->b_norm, state->absolute);
if (!isfinite(state->b_norm)) stop_column(state, 1, state->b_norm);
see_residual(state, sqrt(rr));
if (bb == 0) state->done = 1;)";
    static_assert(static_cast<int>(first_soft_stop) == 7);
    return sweep;
}

std::vector<SweepRequest> all_sweeps(DType dtype, bool has_double) {
    std::vector<SweepRequest> all{residual_sweep(dtype, has_double)};
    for (const auto& sweeps : {cg_sweeps(dtype, has_double), bicgstab_sweeps(dtype, has_double),
                               minres_sweeps(dtype, has_double), gmres_sweeps(dtype, has_double)})
        all.insert(all.end(), sweeps.begin(), sweeps.end());
    return all;
}

}  // namespace gemel::solving
