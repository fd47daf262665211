/// The texts of the solvers' sweeps, for the solvers and for tests that compile them.
#pragma once

#include <gemel/codegen/chain.hpp>
#include <gemel/codegen/sweep.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace gemel::solving {

/// Why a column stops before it has converged. Kernels write these numbers.
enum class Stop : std::int32_t {
    none = 0,
    right_side,      ///< the norm of b is not finite
    not_finite,      ///< the residual, or a number on the way to it
    diverged,        ///< the residual is 1e12 times the first one
    indefinite,      ///< cg: p* A p is not positive
    preconditioner,  ///< r* M r is not positive
    singular,        ///< a rotation or a projection without a pivot
    shadow,          ///< bicgstab: r is orthogonal to the first residual; the iteration may start again
    stabiliser,      ///< bicgstab: the step of the minimal residual is 0; the iteration may start again
};
inline constexpr Stop first_soft_stop = Stop::shadow;

/// The state of one column, as the host sees it. Kernels call it sweep_state and keep more in it.
struct ColumnState {
    double target = 0, residual = 0, b_norm = 0, start = -1, figure = 0, tolerance = 0, absolute = 0;
    std::int32_t done = 0, iterations = 0, stop = 0, limit = 0, used = 0, last_stop = 0;
};
/// Of the device's sweep_state.
GEMEL_API std::size_t state_bytes(DType dtype, bool has_double);
GEMEL_API ColumnState read_state(const std::byte* from, bool has_double);
/// Where an array of sweep_states, seen as integers of 32 bits, says of a column that it is done.
std::int64_t done_at(std::int64_t column, DType dtype, bool has_double);
GEMEL_API void write_state(std::byte* to, const ColumnState& state, bool has_double);

/// The kind of preconditioner: none, applied within the sweeps, or applied by its own launches.
enum class Preconditioning : std::uint8_t { none, diagonal, general };

/// Makes the sweep expect its state in a block's shared memory.
void keep_state_in_blocks(codegen::SweepRequest& sweep, bool has_double);

/// A sweep with the preamble for a type: `element` is the type of elements, `real` that of sums, `scalar` that of
/// coefficients; dot_re(a, b) and dot_im(a, b) of conj(a) b; plus(y, c, x) is y + c x for a real c, plus_by() for a
/// scalar; times(a, b) of two elements; scalar_... functions; see_residual(state, squared).
codegen::SweepRequest new_sweep(const char* name, DType dtype, bool has_double);
inline bool is_complex(DType dtype) { return dtype.kind() == DType::Kind::complex; }

codegen::SweepArray reads(const char* name);
codegen::SweepArray writes(const char* name);
codegen::SweepArray updates(const char* name);
/// A vector that all columns share.
codegen::SweepArray shared(const char* name);

/// Adds sums for conj(a) b: `<sum>_re`, and `<sum>_im` of complex elements. @returns the statement that adds to them
std::string add_dot(codegen::SweepRequest& sweep, const std::string& sum, const std::string& a, const std::string& b);
/// These sums as a scalar.
std::string dot_of(const codegen::SweepRequest& sweep, const std::string& sum);

/// r = b - product, its norm, and whether it is small enough.
codegen::SweepRequest residual_sweep(DType dtype, bool has_double);

GEMEL_API std::vector<codegen::SweepRequest> cg_sweeps(DType dtype, bool has_double);
/// Iterations of cg in one launch: without a preconditioner, or with a diagonal.
GEMEL_API codegen::ChainRequest cg_chain(DType dtype, bool has_double, bool is_scaled);
std::vector<codegen::SweepRequest> bicgstab_sweeps(DType dtype, bool has_double);
std::vector<codegen::SweepRequest> minres_sweeps(DType dtype, bool has_double);
std::vector<codegen::SweepRequest> gmres_sweeps(DType dtype, bool has_double);
/// All sweeps.
GEMEL_API std::vector<codegen::SweepRequest> all_sweeps(DType dtype, bool has_double);

}  // namespace gemel::solving
