#include "solve/solver.hpp"
#include "solve_kernels.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace gemel::solving {
namespace {

using codegen::SweepRequest;

// Lanczos vectors are stored unnormalised, as q with nu, its norm in M. With z = M q, v = z / nu is the vector that
// Paige and Saunders multiply by A. So no norm needs to be known before a product. The step of x follows one sweep
// after its rotation: state->used is not 0 while a step is pending, and says which vectors it uses.

/// The first Lanczos vector, the residual scaled to length 1.
template <Preconditioning m>
struct Begin {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_begin", dtype, has_double);
        sweep.arrays = {reads("r"), writes("q"), writes("older"), writes("w"), writes("w_older")};
        if (m == Preconditioning::diagonal) sweep.arrays.insert(sweep.arrays.end(), {shared("d"), writes("z")});
        if (m != Preconditioning::general) sweep.sums = {"qz"};
        fill(sweep, solve_kernels::minres_begin(),
             {{"is_scaled", m == Preconditioning::diagonal},
              {"is_general", m == Preconditioning::general},
              {"start", solve_kernels::minres_start().render()}});
        return sweep;
    }
};

/// The sums of s = A z that a step needs, in the order in which products with sparse matrices leave them.
struct Products {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_products", dtype, has_double);
        sweep.arrays = {reads("z"), reads("s")};
        sweep.sums = {"zs", "other", "ss"};
        sweep.element = "zs += dot_re(z, s);\nss += dot_re(s, s);";
        return sweep;
    }
};

/// A diagonal element of the triangular factor that is smaller than this part of its column is rounding.
std::string rotation(DType dtype) {
    return solve_kernels::minres_rotation().render({{"singular_above", has_wide_parts(dtype) ? "1e-15" : "5e-7f"}});
}

/// The pending step of x and r, and the next Lanczos vector, which replaces the one before last. Every block combines
/// the product's sums.
template <Preconditioning m>
struct Step {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_step", dtype, has_double);
        sweep.arrays = {updates("x"), updates("r"),       updates("older"), reads("q"),
                        reads("s"),   updates("w_older"), reads("w")};
        if (m != Preconditioning::general) sweep.numbers = {"parity"};
        if (m == Preconditioning::general) {
            sweep.arrays.push_back(reads("before"));
        } else {
            sweep.joins = {"zs", "other", "ss"};
            sweep.sums = {"qz", "rr", "rq"};
        }
        if (m == Preconditioning::diagonal) {
            sweep.arrays.insert(sweep.arrays.end(), {shared("d"), writes("z")});
            sweep.sums.push_back("qq");
        }
        fill(sweep, solve_kernels::minres_step(),
             {{"is_scaled", m == Preconditioning::diagonal},
              {"is_general", m == Preconditioning::general},
              {"pending", solve_kernels::minres_pending().render()},
              {"rotation", rotation(dtype)}});
        return sweep;
    }
};

/// With a general preconditioner: all inner products and the rotation at the end of an iteration, with s = A z for the
/// next one.
struct Rotate {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_rotate", dtype, has_double);
        sweep.arrays = {reads("q"), reads("z"), reads("s"), reads("r")};
        sweep.numbers = {"parity", "is_first"};
        sweep.sums = {"qz", "zs", "ss", "rr", "rq", "qq"};
        fill(sweep, solve_kernels::minres_rotate(),
             {{"start", solve_kernels::minres_start().render()}, {"rotation", rotation(dtype)}});
        return sweep;
    }
};

/// The pending step of x, when the iteration ends.
template <Preconditioning m>
struct Settle {
    static SweepRequest request(DType dtype, bool has_double) {
        SweepRequest sweep = new_sweep("minres_settle", dtype, has_double);
        sweep.skip = "state->used == 0";
        sweep.arrays = {updates("x"), reads("q_even"), reads("q_odd"), reads("w_even"), reads("w_odd")};
        if (m == Preconditioning::diagonal) sweep.arrays.push_back(shared("d"));
        fill(sweep, solve_kernels::minres_settle(),
             {{"is_scaled", m == Preconditioning::diagonal}, {"pending", solve_kernels::minres_pending().render()}});
        return sweep;
    }
};

class Minres : public Solver {
   public:
    explicit Minres(const System& system) : Solver(system) {
        for (std::array<AnyArray, 2>* vectors : {&q_, &w_}) *vectors = {space_.vectors(), space_.vectors()};
        switch (preconditioning_) {
            case Preconditioning::none: z_ = q_; break;
            case Preconditioning::diagonal: z_[0] = space_.vectors(), z_[1] = z_[0]; break;
            case Preconditioning::general: z_ = {space_.vectors(), space_.vectors()};
        }
        begin_ = Sweep(space_, sweep_for<Begin>(preconditioning_));
        step_ = Sweep(space_, sweep_for<Step>(preconditioning_));
        settle_ = Sweep(space_, sweep_for<Settle>(preconditioning_));
        if (is_general()) rotate_ = Sweep(space_, Rotate::request);
        if (!is_general() && !sums_products()) products_ = Sweep(space_, Products::request);
    }

   private:
    bool is_general() const { return preconditioning_ == Preconditioning::general; }

    void begin() override {
        parity_ = 0;
        if (preconditioning_ == Preconditioning::diagonal)
            return begin_(space_, r_, q_[0], q_[1], w_[0], w_[1], diagonal_, z_[0]);
        begin_(space_, r_, q_[0], q_[1], w_[0], w_[1]);
        if (is_general()) rotate(0, true);
    }

    std::int64_t period() const override { return 2; }  // the vectors alternate

    void iterate() override {
        const std::size_t now = parity_, next = 1 - now;
        parity_ = next;
        const AnyArray& s = product_;
        const std::array<const AnyArray*, 7> common{&x_, &r_, &q_[next], &q_[now], &s, &w_[next], &w_[now]};
        const auto step = [&](std::initializer_list<const AnyArray*> more, std::span<const std::int32_t> numbers) {
            std::array<const AnyArray*, 9> all{};
            std::ranges::copy(more, std::ranges::copy(common, all.begin()).out);
            step_(space_, std::span(all).first(common.size() + more.size()), numbers);
        };
        if (is_general()) {
            step({&z_[next]}, {});
            return rotate(next, false);
        }
        const std::array numbers{static_cast<std::int32_t>(now), static_cast<std::int32_t>(multiply_summing_z(now))};
        if (preconditioning_ == Preconditioning::diagonal) return step({&diagonal_, &z_[next]}, numbers);
        step({}, numbers);
    }

    /// s = A z and its sums. @returns the number of blocks that have left sums
    std::int64_t multiply_summing_z(std::size_t which) {
        const AnyArray &z = z_[which], &s = product_;
        if (sums_products()) return multiply_summing(z, s, z, {});
        multiply(system_.a, z, s);
        products_(space_, z, s);
        return space_.groups();
    }

    /// z = M q and s = A z, then the inner products and the rotation.
    void rotate(std::size_t which, bool is_first) {
        multiply(system_.options.preconditioner, q_[which], z_[which]);
        multiply(system_.a, z_[which], product_);
        const std::array numbers{static_cast<std::int32_t>(1 - which), static_cast<std::int32_t>(is_first)};
        rotate_(space_, {&q_[which], &z_[which], &product_, &r_}, numbers);
    }

    void settle() override {
        const std::array<AnyArray, 2>& q = is_general() ? z_ : q_;
        if (preconditioning_ == Preconditioning::diagonal)
            return settle_(space_, x_, q[0], q[1], w_[0], w_[1], diagonal_);
        settle_(space_, x_, q[0], q[1], w_[0], w_[1]);
    }

    // Before an iteration, q_[parity_] is the last Lanczos vector and w_[parity_] the last direction computed.
    std::array<AnyArray, 2> q_, w_, z_;
    std::size_t parity_ = 0;
    Sweep begin_, products_, step_, rotate_, settle_;
};

template <Preconditioning m>
void add(std::vector<SweepRequest>& all, DType dtype, bool has_double) {
    for (const SweepText text : {Begin<m>::request, Step<m>::request, Settle<m>::request})
        all.push_back(text(dtype, has_double));
}

}  // namespace

std::vector<SweepRequest> minres_sweeps(DType dtype, bool has_double) {
    std::vector<SweepRequest> all{Products::request(dtype, has_double), Rotate::request(dtype, has_double)};
    add<Preconditioning::none>(all, dtype, has_double);
    add<Preconditioning::diagonal>(all, dtype, has_double);
    add<Preconditioning::general>(all, dtype, has_double);
    return all;
}

std::unique_ptr<Solver> new_minres(const System& system) { return std::make_unique<Minres>(system); }

}  // namespace gemel::solving
