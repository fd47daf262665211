#include "solve/solver.hpp"
#include "solve_kernels.hpp"

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

/// Basis vectors per set of operands. The products of each with u and w make eight sums.
int set_of(DType dtype) { return is_complex(dtype) ? 2 : 4; }

/// The number of scalars per column: the triangular matrix h and the directions, both by columns; rotations; solution;
/// the lengths of the basis vectors, which are not normalised; for each basis vector the coefficients with which it is
/// added to u and to w = A M u, and in place of those of u itself, u* u and u* w; the right-hand side g.
std::int64_t work_size(std::int64_t m) { return m * (2 * m + 8) + 1; }
std::string locate(std::initializer_list<std::string_view> names) {
    constexpr std::array<std::pair<std::string_view, const char*>, 9> offsets{{{"h", "0"},
                                                                               {"directions", "m * (m + 1)"},
                                                                               {"cosines", "(int64_t)m * (2 * m + 1)"},
                                                                               {"sines", "(int64_t)m * (2 * m + 2)"},
                                                                               {"solution", "(int64_t)m * (2 * m + 3)"},
                                                                               {"lengths", "(int64_t)m * (2 * m + 4)"},
                                                                               {"onto_u", "(int64_t)m * (2 * m + 5)"},
                                                                               {"onto_w", "(int64_t)m * (2 * m + 6)"},
                                                                               {"g", "(int64_t)m * (2 * m + 7)"}}};
    std::vector<std::string> declared;
    for (const auto& [name, offset] : offsets)
        if (std::ranges::find(names, name) != names.end())
            declared.push_back(text("GLOBAL_MEM scalar *const ", name,
                                    " = work + column * ((int64_t)m * (2 * m + 8) + 1) + ", offset, ";"));
    return join(declared, "\n");
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
    codegen::Value::List vectors;
    for (int i = 0; i < count; ++i) {
        const std::string q = text("q", i), qu = text("qu", i), qw = text("qw", i),
                          k = text("(set * ", count, " + ", i, ")");
        sweep.arrays.push_back(vector_at(text("(", k, " < j ? ", k, " : j)"), reads(q.c_str())));
        const std::string add_to_qu = add_dot(sweep, qu, q, "u"), add_to_qw = add_dot(sweep, qw, q, "w");
        vectors.push_back(codegen::Values{{"k", k},
                                          {"add_to_qu", add_to_qu},
                                          {"add_to_qw", add_to_qw},
                                          {"qu", dot_of(sweep, qu)},
                                          {"qw", dot_of(sweep, qw)}});
    }
    fill(sweep, solve_kernels::gmres_products(),
         {{"vectors", std::move(vectors)}, {"pointers", locate({"lengths", "onto_u", "onto_w"})}});
    return sweep;
}

template <bool is_scaled>
SweepRequest step(DType dtype, bool has_double) {
    SweepRequest sweep = new_gmres_sweep("gmres_step", dtype, has_double);
    sweep.arrays.insert(sweep.arrays.end(), {vector_at("j", updates("u")), vector_at("(j + 1)", updates("w"))});
    sweep.loop = {.name = "q", .of = "basis", .distance = distance, .count = "j"};
    sweep.sums = {"uu", "ww"};
    if (is_scaled) sweep.arrays.insert(sweep.arrays.end(), {shared("d"), writes("z")});
    fill(sweep, solve_kernels::gmres_step(),
         {{"coefficients", locate({"lengths", "onto_u", "onto_w"})},
          {"triangle", locate({"h", "directions", "cosines", "sines", "g"})},
          {"new_above", has_double ? "1e-14" : "1e-6f"},
          {"singular_above", has_double && has_wide_parts(dtype) ? "1e-14" : "5e-6f"},
          {"is_scaled", is_scaled}});
    return sweep;
}

SweepRequest back_substitute(DType dtype, bool has_double) {
    SweepRequest sweep = new_gmres_sweep("gmres_back_substitute", dtype, has_double);
    sweep.skip = "";
    fill(sweep, solve_kernels::gmres_back_substitute(),
         {{"pointers", locate({"h", "directions", "g", "solution", "lengths"})}});
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
