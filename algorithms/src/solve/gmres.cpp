#include "solve/solver.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace gemel::solving {
namespace {

using codegen::SweepArray;
using codegen::SweepRequest;

// Classical Gram-Schmidt with delayed reorthogonalisation: each vector is orthogonalised twice, the second time
// together with the first time of the next vector. One pass over the basis computes the products with both vectors,
// another subtracts the projections from both. A is applied to u, a vector after its first time. The second time turns
// u into the basis vector q. `directions` has each u as a sum of the q, so that A u = sum of h q holds although u is
// not orthogonal, and x is a sum of the u.

/// Whether elements, or the parts of complex elements, are doubles.
bool has_wide_parts(DType dtype) { return dtype.size_bytes() == (is_complex(dtype) ? 16 : 8); }

/// Basis vectors per set of operands. The products of each with u and w make eight sums.
int set_of(DType dtype) { return is_complex(dtype) ? 2 : 4; }

/// The number of scalars per column: the triangular matrix h and the directions, both by columns; rotations; solution;
/// the lengths of the basis vectors, which are not normalised; for each basis vector the coefficients with which it is
/// added to u and to w = A M u, and in place of those of u itself, u* u and u* w; the right-hand side g.
std::int64_t work_size(std::int64_t m) { return m * (2 * m + 8) + 1; }
std::string locate(std::initializer_list<std::string_view> names) {
    constexpr std::array<std::pair<std::string_view, const char*>, 9> places{{{"h", "0"},
                                                                              {"directions", "m * (m + 1)"},
                                                                              {"cosines", "(int64_t)m * (2 * m + 1)"},
                                                                              {"sines", "(int64_t)m * (2 * m + 2)"},
                                                                              {"solution", "(int64_t)m * (2 * m + 3)"},
                                                                              {"lengths", "(int64_t)m * (2 * m + 4)"},
                                                                              {"onto_u", "(int64_t)m * (2 * m + 5)"},
                                                                              {"onto_w", "(int64_t)m * (2 * m + 6)"},
                                                                              {"g", "(int64_t)m * (2 * m + 7)"}}};
    std::string declared;
    for (const auto& [name, place] : places)
        if (std::ranges::find(names, name) != names.end())
            declared += text("GLOBAL_MEM scalar *const ", name, " = work + column * ((int64_t)m * (2 * m + 8) + 1) + ",
                             place, ";\n");
    return declared;
}

SweepRequest new_gmres_sweep(const char* name, DType dtype, bool has_double) {
    SweepRequest sweep = new_sweep(name, dtype, has_double);
    sweep.arrays = {{.name = "basis", .access = SweepArray::Access::whole},
                    {.name = "work", .access = SweepArray::Access::whole, .type = "scalar"}};
    sweep.numbers = {"columns", "m", "j"};
    return sweep;
}

constexpr const char* distance = "(int64_t)columns * pitch";
/// The basis vector `which`.
SweepArray vector_at(const std::string& which, SweepArray array) {
    array.begin = text(distance, " * ", which);
    array.of = "basis";
    return array;
}

/// The products of u and w with the basis vectors of a set, stored as the coefficients of work_size().
SweepRequest products(DType dtype, bool has_double) {
    const int count = set_of(dtype);
    SweepRequest sweep = new_gmres_sweep("gmres_products", dtype, has_double);
    sweep.has_sets = true;
    sweep.arrays.insert(sweep.arrays.end(), {vector_at("j", reads("u")), vector_at("(j + 1)", reads("w"))});
    sweep.finish = "{\n" + locate({"lengths", "onto_u", "onto_w"});
    for (int i = 0; i < count; ++i) {
        const std::string q = text("q", i), qu = text("qu", i), qw = text("qw", i),
                          k = text("(set * ", count, " + ", i, ")");
        sweep.arrays.push_back(vector_at(text("(", k, " < j ? ", k, " : j)"), reads(q.c_str())));
        sweep.element += add_dot(sweep, qu, q, "u");
        sweep.element += add_dot(sweep, qw, q, "w");
        sweep.finish +=
            text("if (", k, " < j) {\n    const scalar square = scalar_mul(scalar_of(-1), scalar_mul(lengths[", k,
                 "], lengths[", k, "]));\n    onto_u[", k, "] = scalar_div(", dot_of(sweep, qu),
                 ", square);\n    onto_w[", k, "] = scalar_div(", dot_of(sweep, qw), ", square);\n} else if (", k,
                 " == j) {\n    onto_u[j] = ", dot_of(sweep, qu), ";\n    onto_w[j] = ", dot_of(sweep, qw), ";\n}\n");
    }
    sweep.finish += "}";
    return sweep;
}

/// Rotates the new column of h into triangular form.
std::string rotate(DType dtype, bool has_double) {
    return text(R"(real column_size = norm;
for (int k = 0; k <= j; ++k) column_size = fmax(column_size, scalar_size(last[k]));
scalar upper = last[0];
for (int base = 0; base < j; base += 8) {
    // Loads eight at a time, to wait for memory once.
    scalar lower[8], cosine[8], sine[8];
UNROLL
    for (int k = 0; k < 8; ++k) {
        const int at_k = base + k < j ? base + k : j - 1;
        lower[k] = last[at_k + 1];
        cosine[k] = cosines[at_k];
        sine[k] = sines[at_k];
    }
UNROLL
    for (int k = 0; k < 8; ++k) {
        if (base + k < j) {
            last[base + k] = scalar_add(scalar_mul(cosine[k], upper), scalar_mul(sine[k], lower[k]));
            upper = scalar_sub(scalar_mul(cosine[k], lower[k]), scalar_mul(scalar_conj(sine[k]), upper));
        }
    }
}
const real size = scalar_size(upper), turned = hypot(size, norm);
++state->iterations;
if (!(turned > )",
                has_double && has_wide_parts(dtype) ? "1e-14" : "5e-6f", R"( * column_size) || !isfinite(turned)) {
    stop_column(state, isfinite(turned) ? 6 : 2, turned);
} else {
    const scalar direction = size > 0 ? scalar_div(upper, scalar_of(size)) : scalar_of(1);
    cosines[j] = scalar_of(size / turned);
    sines[j] = scalar_mul(direction, scalar_of(norm / turned));
    last[j] = scalar_mul(direction, scalar_of(turned));
    g[j + 1] = scalar_mul(scalar_of(-1), scalar_mul(scalar_conj(sines[j]), g[j]));
    g[j] = scalar_mul(cosines[j], g[j]);
    state->used = j + 1;
    see_residual(state, scalar_size(g[j + 1]));
}
)");
}

/// Subtracts the projections from u, which becomes a basis vector, and from w, which becomes the next u and is divided
/// by the norm of u. The remaining square of u, `rest`, and the component of w along it, `along`, follow from the
/// products by Pythagoras' theorem.
template <bool is_scaled>
SweepRequest step(DType dtype, bool has_double) {
    SweepRequest sweep = new_gmres_sweep("gmres_step", dtype, has_double);
    sweep.arrays.insert(sweep.arrays.end(), {vector_at("j", updates("u")), vector_at("(j + 1)", updates("w"))});
    sweep.joined = text(locate({"lengths", "onto_u", "onto_w"}), R"(const real whole = scalar_re(onto_u[j]);
real rest = whole;
scalar along = onto_w[j];
for (int k = 0; k < j; ++k) {
    const scalar had = scalar_mul(scalar_conj(onto_u[k]), scalar_mul(lengths[k], lengths[k]));
    rest -= scalar_re(scalar_mul(had, onto_u[k]));
    along = scalar_sub(along, scalar_mul(had, onto_w[k]));
}
const real inverse = whole > 0 ? 1 / sqrt(whole) : 0;
const int is_new = rest > )",
                        has_double ? "1e-14" : "1e-6f", R"( * whole;
along = is_new ? scalar_mul(along, scalar_of(1 / rest)) : scalar_of(0);)");
    sweep.prepare = "const scalar off = scalar_mul(along, scalar_of(-1));";
    sweep.loop = {.name = "q",
                  .of = "basis",
                  .distance = distance,
                  .count = "j",
                  .element = "u = plus_by(u, onto_u[number], q);\nw = plus_by(w, onto_w[number], q);"};
    sweep.sums = {"uu", "ww"};
    sweep.element = "w = scaled(inverse, plus_by(w, off, u));\nuu += dot_re(u, u);\nww += dot_re(w, w);";
    if (is_scaled) {
        sweep.arrays.insert(sweep.arrays.end(), {shared("d"), writes("z")});
        sweep.element += "\nz = times(d, w);";
    }
    sweep.finish = text("{\n", locate({"h", "directions", "cosines", "sines", "g"}),
                        R"(GLOBAL_MEM scalar *const last = h + j * (m + 1);
const real norm = sqrt(ww), length = is_new ? sqrt(uu) : 0;
lengths[j] = scalar_of(length);
for (int k = 0; k < j; ++k) {
    const scalar by = scalar_mul(lengths[k], scalar_of(-inverse));
    last[k] = scalar_mul(onto_w[k], by);
    directions[j * m + k] = scalar_mul(onto_u[k], by);
}
last[j] = scalar_mul(along, scalar_of(length * inverse));
directions[j * m + j] = scalar_of(length * inverse);
if (j == 0) g[0] = scalar_of(state->residual);
)",
                        rotate(dtype, has_double), "}");
    return sweep;
}

/// A loop over a row of a triangular matrix and the solution, which loads eight elements of each at a time and updates
/// `rest` with their products by the function `use`.
std::string along_row(const char* first, const char* element, const char* use) {
    return text("for (int base = ", first, R"(; base < used; base += 8) {
    scalar factor[8], found[8];
UNROLL
    for (int i = 0; i < 8; ++i) {
        const int at_i = base + i < used ? base + i : used - 1;
        factor[i] = )",
                element, R"(;
        found[i] = solution[at_i];
    }
UNROLL
    for (int i = 0; i < 8; ++i) {
        if (base + i < used) rest = )",
                use, R"((rest, scalar_mul(factor[i], found[i]));
    }
}
)");
}

/// The coefficients of the solution: of the u, then of the basis vectors.
SweepRequest back_substitute(DType dtype, bool has_double) {
    SweepRequest sweep = new_gmres_sweep("gmres_back_substitute", dtype, has_double);
    sweep.skip = "";
    sweep.finish = text(locate({"h", "directions", "g", "solution", "lengths"}), R"(const int used = state->used;
for (int k = used - 1; k >= 0; --k) {
    scalar rest = g[k];
)",
                        along_row("k + 1", "h[at_i * (m + 1) + k]", "scalar_sub"),
                        R"(    solution[k] = scalar_div(rest, h[k * (m + 1) + k]);
}
for (int k = 0; k < used; ++k) {
    scalar rest = scalar_of(0);
)",
                        along_row("k", "directions[at_i * m + k]", "scalar_add"),
                        R"(    solution[k] = scalar_div(rest, lengths[k]);
})");
    return sweep;
}

/// The sum of the basis vectors with these coefficients, added to x or stored for the preconditioner.
template <Preconditioning m>
SweepRequest combine(DType dtype, bool has_double) {
    constexpr bool onto_x = m != Preconditioning::general;
    SweepRequest sweep = new_gmres_sweep(onto_x ? "gmres_add_to_x" : "gmres_combine", dtype, has_double);
    sweep.skip = "state->used == 0";
    sweep.prepare = locate({"solution"});
    sweep.loop = {.name = "q", .of = "basis", .distance = distance, .count = "state->used"};
    if (onto_x) {
        sweep.arrays.push_back(updates("x"));
        const bool is_scaled = m == Preconditioning::diagonal;
        if (is_scaled) sweep.arrays.push_back(shared("d"));
        sweep.loop.element = text("x = plus_by(x, solution[number], ", is_scaled ? "times(d, q)" : "q", ");");
    } else {
        SweepArray u = writes("u");
        u.start = "zero()";
        sweep.arrays.push_back(u);
        sweep.loop.element = "u = plus_by(u, solution[number], q);";
    }
    return sweep;
}
template <Preconditioning m>
struct Combine {
    static SweepRequest request(DType dtype, bool has_double) { return combine<m>(dtype, has_double); }
};

SweepRequest add_update(DType dtype, bool has_double) {
    SweepRequest sweep = new_sweep("gmres_add", dtype, has_double);
    sweep.skip = "state->used == 0";
    sweep.arrays = {updates("x"), reads("z")};
    sweep.element = "x = plus(x, 1, z);";
    return sweep;
}

/// Iterations per cycle.
std::int64_t cycle_of(const System& system) {
    return std::min({system.options.restart, system.b.shape()[0], system.options.max_iterations});
}

class Gmres : public Solver {
   public:
    explicit Gmres(const System& system)
        : Solver(system, true, cycle_of(system) / set_of(system.b.dtype()) + 1), m_(cycle_of(system)) {
        const AnyArray all(space_.context(), space_.dtype(), {m_ + 1, space_.columns(), space_.pitch()});
        all.buffer().view(all.offset_bytes(), all.size_bytes()).fill(std::uint32_t{0});
        all_ = all;
        for (std::int64_t k = 0; k <= m_; ++k) basis_.push_back(all(k));
        r_ = basis_[0];
        const std::int64_t scalar_bytes = is_complex(space_.dtype()) ? 16 : 8;
        work_ = AnyArray(space_.context(), dtype_of<std::uint8_t>(), {scalar_bytes * work_size(m_) * space_.columns()});
        if (preconditioning_ != Preconditioning::none) z_ = space_.vectors();
        products_ = Sweep(space_, products);
        step_ = Sweep(space_, is_scaled() ? step<true> : step<false>);
        back_substitute_ = Sweep(space_, back_substitute);
        combine_ = Sweep(space_, sweep_for<Combine>(preconditioning_));
        if (preconditioning_ == Preconditioning::general) add_ = Sweep(space_, add_update);
    }

   private:
    bool is_scaled() const { return preconditioning_ == Preconditioning::diagonal; }

    void begin() override { j_ = 0; }

    std::int64_t period() const override { return 0; }

    void iterate() override {
        if (j_ == m_) {
            settle();
            find_residual();
        }
        const AnyArray &u = basis_[static_cast<std::size_t>(j_)], &w = basis_[static_cast<std::size_t>(j_ + 1)];
        const bool is_plain = preconditioning_ == Preconditioning::none;
        // Within a cycle, the previous step has stored the product of u with the diagonal.
        if (!is_plain && !(is_scaled() && j_ > 0)) multiply(system_.options.preconditioner, u, z_);
        multiply(system_.a, is_plain ? u : z_, w);
        orthogonalise();
        ++j_;
    }

    std::array<std::int32_t, 3> numbers() const {
        return {static_cast<std::int32_t>(space_.columns()), static_cast<std::int32_t>(m_),
                static_cast<std::int32_t>(j_)};
    }

    void orthogonalise() {
        const auto [columns, m, j] = numbers();
        products_(space_, {&all_, &work_}, std::array{columns, m, j, j / set_of(space_.dtype()) + 1});
        if (is_scaled()) return step_(space_, {&all_, &work_, &diagonal_, &z_}, numbers());
        step_(space_, {&all_, &work_}, numbers());
    }

    void settle() override {
        back_substitute_(space_, {&all_, &work_}, numbers());
        j_ = 0;
        switch (preconditioning_) {
            case Preconditioning::none: return combine_(space_, {&all_, &work_, &x_}, numbers());
            case Preconditioning::diagonal: return combine_(space_, {&all_, &work_, &x_, &diagonal_}, numbers());
            case Preconditioning::general: break;
        }
        combine_(space_, {&all_, &work_, &z_}, numbers());
        multiply(system_.options.preconditioner, z_, product_);
        add_(space_, x_, product_);
    }

    std::int64_t m_, j_ = 0;
    AnyArray all_, work_, z_;
    std::vector<AnyArray> basis_;
    Sweep products_, step_, back_substitute_, combine_, add_;
};

}  // namespace

std::vector<SweepRequest> gmres_sweeps(DType dtype, bool has_double) {
    std::vector<SweepRequest> all;
    for (const SweepText text : {products, step<false>, step<true>, back_substitute, combine<Preconditioning::none>,
                                 combine<Preconditioning::diagonal>, combine<Preconditioning::general>, add_update})
        all.push_back(text(dtype, has_double));
    return all;
}

std::unique_ptr<Solver> new_gmres(const System& system) { return std::make_unique<Gmres>(system); }

}  // namespace gemel::solving
