/// The requests of the solvers' sweeps, for the solvers and for tests that compile them.
#pragma once

#include <gemel/codegen/chain.hpp>
#include <gemel/codegen/sweep.hpp>
#include <gemel/codegen/template.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace gemel::solving {

/// Why a column stopped before it converged. Kernels write these numbers.
enum class Stop : std::int32_t {
    none = 0,
    right_side,      ///< the norm of b is not finite
    not_finite,      ///< the residual or an intermediate number is not finite
    diverged,        ///< the residual exceeds 1e12 times the first one
    indefinite,      ///< cg: p* A p is not positive
    preconditioner,  ///< r* M r is not positive
    singular,        ///< a pivot of a rotation or a projection is 0
    shadow,          ///< bicgstab: r is orthogonal to the first residual; the iteration may restart
    stabiliser,      ///< bicgstab: the minimal-residual step is 0; the iteration may restart
};
inline constexpr Stop first_soft_stop = Stop::shadow;

/// The part of a column's state that the host reads. Kernels call the state sweep_state; it has further members.
struct ColumnState {
    double target = 0, residual = 0, b_norm = 0, start = -1, figure = 0, tolerance = 0, absolute = 0;
    std::int32_t done = 0, iterations = 0, stop = 0, limit = 0, used = 0, last_stop = 0;
};
/// The size of a sweep_state.
GEMEL_API std::size_t state_bytes(DType dtype, bool has_double);
GEMEL_API ColumnState read_state(const std::byte* from, bool has_double);
/// The index of a column's `done` in an array of sweep_states viewed as 32-bit integers.
std::int64_t done_at(std::int64_t column, DType dtype, bool has_double);
GEMEL_API void write_state(std::byte* to, const ColumnState& state, bool has_double);

/// The kind of preconditioner: none, applied within the sweeps, or applied by its own launches.
enum class Preconditioning : std::uint8_t { none, diagonal, general };

/// Changes the sweep's preamble for a state in shared memory.
void keep_state_in_blocks(codegen::SweepRequest& sweep, bool has_double);

/// A sweep with the preamble for an element type. It declares the types `element`, `real` (of sums) and `scalar` (of
/// coefficients) and these functions: dot_re(a, b) and dot_im(a, b), the parts of conj(a) b; plus(y, c, x) = y + c x
/// for a real c, and plus_by() for a scalar c; times(a, b) of elements; arithmetic scalar_...(); see_residual(state,
/// residual), which decides whether the column is done.
codegen::SweepRequest new_sweep(const char* name, DType dtype, bool has_double);
/// Sets the sweep's statements, of its loop too, to the template's parts: `part` is "joined", "prepare", "loop",
/// "element" or "finish".
void fill(codegen::SweepRequest& sweep, const codegen::Template& kernel, codegen::Values values = {});
inline bool is_complex(DType dtype) { return dtype.kind() == DType::Kind::complex; }
/// Whether elements, or the parts of complex elements, are doubles.
inline bool has_wide_parts(DType dtype) { return dtype.size_bytes() == (is_complex(dtype) ? 16 : 8); }

codegen::SweepArray reads(const char* name);
codegen::SweepArray writes(const char* name);
codegen::SweepArray updates(const char* name);
/// A vector that all columns share.
codegen::SweepArray shared(const char* name);

/// Declares the sums of conj(a) b: `<sum>_re`, and for complex elements `<sum>_im`.
/// @returns the statements that add an element to them
std::string add_dot(codegen::SweepRequest& sweep, const std::string& sum, const std::string& a, const std::string& b);
/// The scalar of these sums.
std::string dot_of(const codegen::SweepRequest& sweep, const std::string& sum);

/// r = b - product, its norm, the target, and whether the column is done.
codegen::SweepRequest residual_sweep(DType dtype, bool has_double);

GEMEL_API std::vector<codegen::SweepRequest> cg_sweeps(DType dtype, bool has_double);
/// Many iterations of cg in one launch, without a preconditioner or with a diagonal one.
GEMEL_API codegen::ChainRequest cg_chain(DType dtype, bool has_double, bool is_scaled);
std::vector<codegen::SweepRequest> bicgstab_sweeps(DType dtype, bool has_double);
std::vector<codegen::SweepRequest> minres_sweeps(DType dtype, bool has_double);
std::vector<codegen::SweepRequest> gmres_sweeps(DType dtype, bool has_double);
/// All sweeps.
GEMEL_API std::vector<codegen::SweepRequest> all_sweeps(DType dtype, bool has_double);

}  // namespace gemel::solving
