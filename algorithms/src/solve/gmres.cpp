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

/// Whether elements, or their parts, are doubles.
bool has_wide_parts(DType dtype) { return dtype.size_bytes() == (is_complex(dtype) ? 16 : 8); }

/// Basis vectors that one sweep projects on: as many as there are sums.
int chunk_of(DType dtype) { return is_complex(dtype) ? 4 : 8; }

/// Scalars of one column: the triangular matrix by columns, rotations, right-hand side, solution, the basis vectors'
/// factors (they are kept as they come, and one over their norm beside them), and coefficients from sweep to sweep.
std::int64_t work_size(std::int64_t m, int chunk) { return m * (m + 1) + 5 * m + 2 + chunk; }
std::string locate(std::initializer_list<std::string_view> names) {
    constexpr std::array<std::pair<std::string_view, const char*>, 7> places{{{"h", "0"},
                                                                              {"cosines", "m * (m + 1)"},
                                                                              {"sines", "m * (m + 2)"},
                                                                              {"g", "m * (m + 3)"},
                                                                              {"solution", "m * (m + 4) + 1"},
                                                                              {"factors", "m * (m + 5) + 1"},
                                                                              {"coefficients", "m * (m + 6) + 2"}}};
    std::string declared;
    for (const auto& [name, place] : places)
        if (std::ranges::find(names, name) != names.end())
            declared +=
                text("GLOBAL_MEM scalar *const ", name, " = work + (int64_t)column * work_size + ", place, ";\n");
    return declared;
}

SweepRequest new_gmres_sweep(const char* name, DType dtype, bool has_double) {
    SweepRequest sweep = new_sweep(name, dtype, has_double);
    sweep.arrays = {{.name = "basis", .access = SweepArray::Access::whole},
                    {.name = "work", .access = SweepArray::Access::whole, .type = "scalar"}};
    sweep.numbers = {"columns", "m", "work_size", "j"};
    return sweep;
}

/// w, the last of the basis vectors so far. The kernel is given the basis once more: parts of a buffer beside the whole
/// are nothing that OpenCL defines.
SweepArray next_vector() {
    SweepArray w = updates("w");
    w.begin = "(int64_t)(j + 1) * columns * pitch";
    return w;
}

/// What the sweep before has found is taken off w: `before` vectors from number `previous` on.
std::string take_off(int chunk) {
    return text(
        "UNROLL\nfor (int k = 0; k < ", chunk,
        "; ++k) {\n    if (k < before) w = plus_by(w, off[k], basis[(int64_t)(previous + k) * columns * pitch + "
        "place]);\n}\n");
}
std::string coefficients_off(int chunk) {
    return text(locate({"factors", "coefficients"}), "scalar off[", chunk, "];\nUNROLL\nfor (int k = 0; k < ", chunk,
                R"(; ++k) {
    off[k] = k < before ? scalar_mul(scalar_of(-1), scalar_mul(coefficients[k], factors[previous + k])) : scalar_of(0);
})");
}

/// w less its parts along the last vectors, and its parts along the next ones. At the first of an iteration w = A M v
/// gets the factor that v lacks.
SweepRequest project(DType dtype, bool has_double) {
    const int chunk = chunk_of(dtype);
    SweepRequest sweep = new_gmres_sweep("gmres_project", dtype, has_double);
    sweep.arrays.push_back(next_vector());
    for (const char* number : {"previous", "before", "first", "count", "is_first", "is_second_pass"})
        sweep.numbers.push_back(number);
    sweep.prepare =
        coefficients_off(chunk) + "\nconst scalar factor = j == 0 ? scalar_of(1 / state->residual) : factors[j];";
    sweep.element = "if (is_first) w = plus_by(zero(), factor, w);\n" + take_off(chunk);
    std::string stored;
    for (int k = 0; k < chunk; ++k) {
        const std::string sum = text("part", k);
        const std::string dot =
            add_dot(sweep, sum, text("basis[(int64_t)(first + ", k, ") * columns * pitch + place]"), "w");
        sweep.element += text("if (", k, " < count) {\n", dot, "}\n");
        stored += text("if (", k, " < count) {\n    coefficients[", k, "] = scalar_mul(", dot_of(sweep, sum),
                       ", factors[first + ", k, "]);\n    h[j * (m + 1) + first + ", k,
                       "] = is_second_pass ? scalar_add(h[j * (m + 1) + first + ", k, "], coefficients[", k,
                       "]) : coefficients[", k, "];\n}\n");
    }
    sweep.finish = text("{\n", locate({"h", "g", "factors", "coefficients"}), R"(if (j == 0 && is_first) {
    g[0] = scalar_of(state->residual);
    factors[0] = scalar_of(1 / state->residual);
}
)",
                        stored, "}");
    return sweep;
}

/// The last parts are taken off, the norm found, and the column of the matrix rotated into a triangle.
SweepRequest rotate(DType dtype, bool has_double) {
    const int chunk = chunk_of(dtype);
    SweepRequest sweep = new_gmres_sweep("gmres_rotate", dtype, has_double);
    sweep.arrays.push_back(next_vector());
    for (const char* number : {"previous", "before"}) sweep.numbers.push_back(number);
    sweep.prepare = coefficients_off(chunk);
    sweep.element = take_off(chunk) + "ww += dot_re(w, w);";
    sweep.sums = {"ww"};
    sweep.finish = text(
        "{\n", locate({"h", "cosines", "sines", "g", "factors"}), R"(GLOBAL_MEM scalar *const last = h + j * (m + 1);
const real norm = sqrt(ww);
real column_size = norm;
for (int k = 0; k <= j; ++k) column_size = fmax(column_size, scalar_size(last[k]));
scalar upper = last[0];
for (int base = 0; base < j; base += 8) {
    // Eight at a time are loaded, so that one waits for memory once.
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
const real size = scalar_size(upper), length = hypot(size, norm);
++state->iterations;
if (!(length > )",
        has_double && has_wide_parts(dtype) ? "1e-14" : "5e-6f", R"( * column_size) || !isfinite(length)) {
    stop_column(state, isfinite(length) ? 6 : 2, length);
} else {
    const scalar direction = size > 0 ? scalar_div(upper, scalar_of(size)) : scalar_of(1);
    cosines[j] = scalar_of(size / length);
    sines[j] = scalar_mul(direction, scalar_of(norm / length));
    last[j] = scalar_mul(direction, scalar_of(length));
    g[j + 1] = scalar_mul(scalar_of(-1), scalar_mul(scalar_conj(sines[j]), g[j]));
    g[j] = scalar_mul(cosines[j], g[j]);
    factors[j + 1] = scalar_of(norm > 0 ? 1 / norm : 0);
    state->used = j + 1;
    see_residual(state, scalar_size(g[j + 1]));
}
})");
    return sweep;
}

/// The coefficients of the basis vectors in the solution.
SweepRequest back_substitute(DType dtype, bool has_double) {
    SweepRequest sweep = new_gmres_sweep("gmres_back_substitute", dtype, has_double);
    sweep.skip = "";
    sweep.finish = text(locate({"h", "g", "solution", "factors"}), R"(const int used = state->used;
for (int k = used - 1; k >= 0; --k) {
    scalar rest = g[k];
    for (int base = k + 1; base < used; base += 8) {
        scalar factor[8], found[8];
UNROLL
        for (int i = 0; i < 8; ++i) {
            const int at_i = base + i < used ? base + i : used - 1;
            factor[i] = h[at_i * (m + 1) + k];
            found[i] = solution[at_i];
        }
UNROLL
        for (int i = 0; i < 8; ++i) {
            if (base + i < used) rest = scalar_sub(rest, scalar_mul(factor[i], found[i]));
        }
    }
    solution[k] = scalar_div(rest, h[k * (m + 1) + k]);
}
for (int k = 0; k < used; ++k) solution[k] = scalar_mul(solution[k], factors[k]);)");
    return sweep;
}

/// What they add up to: onto x, or as a vector for the preconditioner.
template <bool onto_x>
SweepRequest combine(DType dtype, bool has_double) {
    SweepRequest sweep = new_gmres_sweep(onto_x ? "gmres_add_to_x" : "gmres_combine", dtype, has_double);
    sweep.skip = "";
    sweep.arrays.push_back(onto_x ? updates("x") : writes("u"));
    sweep.prepare = text(locate({"solution"}), "const int used = state->used;");
    sweep.element = text("element sum = ", onto_x ? "x" : "zero()", R"(;
for (int k = 0; k < used; ++k) sum = plus_by(sum, solution[k], basis[(int64_t)k * columns * pitch + place]);
)",
                         onto_x ? "x" : "u", " = sum;");
    return sweep;
}

SweepRequest add_update(DType dtype, bool has_double) {
    SweepRequest sweep = new_sweep("gmres_add", dtype, has_double);
    sweep.skip = "state->used == 0";
    sweep.arrays = {updates("x"), reads("z")};
    sweep.element = "x = plus(x, 1, z);";
    return sweep;
}

class Gmres : public Solver {
   public:
    explicit Gmres(const System& system)
        : Solver(system, true), m_(std::min({system.options.restart, space_.n(), system.options.max_iterations})) {
        const AnyArray all(space_.context(), space_.dtype(), {m_ + 1, space_.columns(), space_.pitch()});
        all.buffer().view(all.offset_bytes(), all.size_bytes()).fill(std::uint32_t{0});
        all_ = all;
        for (std::int64_t k = 0; k <= m_; ++k) basis_.push_back(all(k));
        r_ = basis_[0];
        chunk_ = chunk_of(space_.dtype());
        const std::size_t scalar_bytes = is_complex(space_.dtype()) ? 16 : 8;
        work_size_ = work_size(m_, chunk_);
        work_ = AnyArray(space_.context(), dtype_of<std::uint8_t>(),
                         {static_cast<std::int64_t>(scalar_bytes) * work_size_ * space_.columns()});
        if (preconditioning_ != Preconditioning::none) u_ = space_.vectors();
        project_ = Sweep(space_, project);
        rotate_ = Sweep(space_, rotate);
        back_substitute_ = Sweep(space_, back_substitute);
        combine_ = Sweep(space_, u_.empty() ? combine<true> : combine<false>);
        if (!u_.empty()) add_ = Sweep(space_, add_update);
    }

   private:
    void begin() override { j_ = 0; }

    std::int64_t period() const override { return 0; }

    void iterate() override {
        if (j_ == m_) {
            settle();
            find_residual();
        }
        const AnyArray &v = basis_[static_cast<std::size_t>(j_)], &w = basis_[static_cast<std::size_t>(j_ + 1)];
        if (preconditioning_ != Preconditioning::none) multiply(system_.options.preconditioner, v, u_);
        multiply(system_.a, preconditioning_ == Preconditioning::none ? v : u_, w);
        orthogonalise();
        ++j_;
    }

    /// Twice, each time chunk by chunk: what one pass leaves of the others is as small as rounding.
    void orthogonalise() {
        const std::array<const AnyArray*, 3> arrays{&all_, &work_, &all_};
        const auto columns = static_cast<std::int32_t>(space_.columns()), m = static_cast<std::int32_t>(m_);
        const auto work_size = static_cast<std::int32_t>(work_size_), j = static_cast<std::int32_t>(j_);
        std::int32_t previous = 0, before = 0;
        for (const std::int32_t pass : {0, 1})
            for (std::int32_t first = 0; first <= j; first += chunk_) {
                const std::int32_t count = std::min(j + 1 - first, chunk_), is_first = pass == 0 && first == 0;
                const std::array numbers{columns, m, work_size, j, previous, before, first, count, is_first, pass};
                project_(space_, arrays, numbers);
                previous = first;
                before = count;
            }
        rotate_(space_, arrays, std::array{columns, m, work_size, j, previous, before});
    }

    void settle() override {
        const std::array numbers{static_cast<std::int32_t>(space_.columns()), static_cast<std::int32_t>(m_),
                                 static_cast<std::int32_t>(work_size_), static_cast<std::int32_t>(j_)};
        back_substitute_(space_, std::array<const AnyArray*, 2>{&all_, &work_}, numbers);
        combine_(space_, std::array<const AnyArray*, 3>{&all_, &work_, u_.empty() ? &x_ : &u_}, numbers);
        if (!u_.empty()) {
            multiply(system_.options.preconditioner, u_, product_);
            add_(space_, x_, product_);
        }
        j_ = 0;
    }

    std::int64_t m_, j_ = 0, work_size_ = 0;
    std::int32_t chunk_ = 8;
    AnyArray all_, work_, u_;
    std::vector<AnyArray> basis_;
    Sweep project_, rotate_, back_substitute_, combine_, add_;
};

}  // namespace

std::vector<SweepRequest> gmres_sweeps(DType dtype, bool has_double) {
    std::vector<SweepRequest> all;
    for (const SweepText text : {project, rotate, back_substitute, combine<true>, combine<false>, add_update})
        all.push_back(text(dtype, has_double));
    return all;
}

std::unique_ptr<Solver> new_gmres(const System& system) { return std::make_unique<Gmres>(system); }

}  // namespace gemel::solving
