#include "generated/kernel_cache.hpp"
#include "generated/kernel_family.hpp"
#include "solve/preconditioner_kernels.hpp"
#include "solve_kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/solve/preconditioners.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace gemel::solving {
namespace {

std::string real_arithmetic(DType dtype) {
    return solve_kernels::approximate_inverse_functions().render(
        {{"type", dtype},
         {"is_complex", dtype.kind() == DType::Kind::complex},
         {"part", dtype.kind() != DType::Kind::complex ? dtype.name()
                  : dtype.size_bytes() == 16           ? "double"
                                                       : "float"}});
}

}  // namespace

ElementwiseKernel approximate_inverse_kernel(DType dtype, DType index, DType own_index) {
    const std::string type = dtype.name(), a = index.name(), g = own_index.name();
    return ElementwiseKernel(text("const ", a, " *a_starts, const ", a, " *a_columns, const ", type,
                                  " *a_values, const ", g, " *starts, const ", g, " *columns, ", type, " *g, ", type,
                                  " *work, int32_t *wrong, int64_t first, int64_t most, int64_t lane, "
                                  "int64_t stride"),
                             solve_kernels::approximate_inverse().render(), "approximate_inverse",
                             {.preamble = real_arithmetic(dtype)});
}

namespace {

const ElementwiseKernel& kernel_of(DType dtype, DType index, DType own_index) {
    static auto& family =
        *new KernelFamily<std::pair<std::pair<int, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>>,
                          ElementwiseKernel>;
    return family.find(
        {{static_cast<int>(dtype.kind()), dtype.size_bytes()}, {index.size_bytes(), own_index.size_bytes()}},
        [&] { return approximate_inverse_kernel(dtype, index, own_index); });
}

/// Longer rows are truncated to the entries nearest to the diagonal. A row costs a third of its length cubed.
constexpr std::int64_t max_in_a_row = 64;
constexpr std::size_t work_bytes = std::size_t{64} << 20;

/// The values of G on its pattern, row by row.
AnyArray factor_values(const char* who, const sparse::Entries& a, const sparse::Entries& own) {
    const AnyArray g(a.context, a.value(), Shape{own.count});
    const GPUArray<std::int32_t> wrong(a.context, Shape{a.rows});
    const std::int64_t longest = std::min(own.longest_row, max_in_a_row), slots = longest * (longest + 1) / 2;
    const bool is_cpu = KernelCache::of(a.context).info().type == DeviceInfo::Type::cpu;
    const std::int64_t at_once = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(work_bytes / a.value().size_bytes()) / std::max<std::int64_t>(slots, 1), 1, a.rows);
    const AnyArray work(a.context, a.value(), Shape{at_once * std::max<std::int64_t>(slots, 1)});
    // On GPUs, neighbouring threads access neighbouring memory.
    const std::int64_t lane = is_cpu ? slots : 1, stride = is_cpu ? 1 : at_once;
    for (std::int64_t first = 0; first < a.rows; first += at_once) {
        const std::array<CallArgument, 12> arguments{
            CallArgument(a.starts),     CallArgument(a.numbers),   CallArgument(a.values),
            CallArgument(own.starts),   CallArgument(own.numbers), CallArgument(g),
            CallArgument(work),         CallArgument(wrong),       CallArgument(first),
            CallArgument(max_in_a_row), CallArgument(lane),        CallArgument(stride)};
        kernel_of(a.value(), a.index(), own.index())
            .run({.range = IndexRange{.stop = std::min(at_once, a.rows - first)}}, arguments);
    }
    const std::vector<std::int32_t> found = wrong.get();
    for (std::size_t row = 0; row < found.size(); ++row) {
        if (found[row] == 1)
            throw ArgumentError(text(who, ": row ", row,
                                     " has no entry on the diagonal, so A is not positive definite; "
                                     "the diagonal's entries must be stored"));
        if (found[row] == 2)
            throw ArgumentError(text(who, ": A is not positive definite: row ", row,
                                     " and the rows of its columns show it; use minres or gmres for such a matrix"));
    }
    return g;
}

}  // namespace
}  // namespace gemel::solving

namespace gemel::solve::detail {

AnyOperator approximate_inverse(const sparse::AnyMatrix& a, const ApproximateInverseOptions& options) {
    using namespace gemel::solving;
    const char* const who = "solve::approximate_inverse";
    if (a.empty()) throw ArgumentError(text(who, ": the matrix is an empty handle; make one first"));
    const sparse::Entries& entries = a.state(who).entries;
    if (entries.rows != entries.columns)
        throw ArgumentError(
            text(who, ": the matrix has the shape ", to_string(a.shape()), ", expected a square matrix"));
    if (options.power != 1 && options.power != 2)
        throw ArgumentError(text(who, ": .power is ", options.power, ", expected 1, or 2 for the pattern of A * A"));
    if (entries.rows == 0)
        return AnyOperator(a.dtype(), a.shape(), [](const AnyArray&, const AnyArray&) {}, Columns::one_by_one);
    const ContextScope scope(a.context());
    const sparse::AnyMatrix pattern = sparse::lower_part(options.power == 1 ? a : a.times(a));
    const sparse::Entries& own = pattern.state(who).entries;
    const AnyArray values = factor_values(who, entries, own);
    const auto with_values = [&](const sparse::AnyMatrix& of, const AnyArray& to) {
        const sparse::MatrixOptions wide{.wide_indices = of.row_starts().dtype().size_bytes() == 8};
        return sparse::detail::compressed(false, a.shape(), of.row_starts(), of.column_indices(), to, wide);
    };
    const sparse::AnyMatrix factor = with_values(pattern, values);
    sparse::AnyMatrix turned = factor.transpose();
    if (a.dtype().kind() == DType::Kind::complex) turned = with_values(turned, conj(AnyExpr(turned.values())));
    return AnyOperator(
        a.dtype(), a.shape(),
        [g = factor.to(sparse::Format::automatic), t = turned.to(sparse::Format::automatic)](const AnyArray& u,
                                                                                             const AnyArray& out) {
            const AnyArray between(u.context(), u.dtype(), u.shape());
            g.multiply_into(between, u);
            t.multiply_into(out, between);
        },
        Columns::one_by_one);
}

}  // namespace gemel::solve::detail
