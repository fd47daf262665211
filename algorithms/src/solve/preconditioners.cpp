#include <gemel/algorithms/solve/preconditioners.hpp>

#include "generated/kernel_family.hpp"
#include "solve/preconditioner_kernels.hpp"
#include "solve_kernels.hpp"

#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace gemel::solving {
namespace {

std::string real_name(DType dtype) {
    const bool is_wide = dtype.size_bytes() == (dtype.kind() == DType::Kind::complex ? 16 : 8);
    return is_wide ? "double" : "float";
}

/// Functions for arithmetic of elements, and of elements with real coefficients.
std::string arithmetic(DType dtype) {
    return solve_kernels::block_functions().render(
        {{"type", dtype}, {"is_complex", dtype.kind() == DType::Kind::complex}, {"part", real_name(dtype)}});
}

}  // namespace

ElementwiseKernel invert_blocks_kernel(DType dtype) {
    const std::string type = dtype.name();
    return ElementwiseKernel(text(type, " *a, ", type, " *inverse, int32_t *singular, int32_t m"),
                             solve_kernels::invert_blocks().render({{"type", type}, {"real", real_name(dtype)}}),
                             "invert_blocks", {.preamble = arithmetic(dtype)});
}

ElementwiseKernel multiply_blocks_kernel(DType dtype) {
    const std::string type = dtype.name();
    return ElementwiseKernel(text(type, " *out, const ", type, " *u, const ", type, " *inverse, int32_t m"),
                             solve_kernels::multiply_blocks().render({{"type", type}}), "multiply_blocks",
                             {.preamble = arithmetic(dtype)});
}

ElementwiseKernel chebyshev_begin_kernel(DType dtype) {
    const std::string type = dtype.name();
    return ElementwiseKernel(
        text("const ", type, " *u, ", type, " *r, ", type, " *d, ", type, " *x, ", real_name(dtype), " inverse"),
        "r[i] = u[i]; d[i] = plus(number(0), inverse, u[i]); x[i] = d[i];", "chebyshev_begin",
        {.preamble = arithmetic(dtype)});
}

ElementwiseKernel chebyshev_step_kernel(DType dtype) {
    const std::string type = dtype.name();
    return ElementwiseKernel(text("const ", type, " *s, ", type, " *r, ", type, " *d, ", type, " *x, ",
                                  real_name(dtype), " keep, ", real_name(dtype), " add"),
                             "r[i] = plus(r[i], -1, s[i]); d[i] = plus(plus(number(0), keep, d[i]), add, r[i]); "
                             "x[i] = plus(x[i], 1, d[i]);",
                             "chebyshev_step", {.preamble = arithmetic(dtype)});
}

ElementwiseKernel power_begin_kernel(DType dtype) {
    return ElementwiseKernel(
        text(dtype.name(), " *v"),
        "const uint32_t h = (uint32_t)i * 2654435761u; v[i] = number(((h >> 16) % 1024) / 512.0f - 1.0f);",
        "power_begin", {.preamble = arithmetic(dtype)});
}

namespace {

using Make = ElementwiseKernel (*)(DType);
const ElementwiseKernel& kernel_of(Make make, DType dtype) {
    static auto& family =
        *new KernelFamily<std::pair<std::uintptr_t, std::pair<int, std::uint32_t>>, ElementwiseKernel>;
    return family.find({reinterpret_cast<std::uintptr_t>(make), {static_cast<int>(dtype.kind()), dtype.size_bytes()}},
                       [&] { return make(dtype); });
}

/// A real coefficient in the precision of the elements.
struct Coefficient {
    Coefficient(DType dtype, double number)
        : value(number), narrow(static_cast<float>(number)), is_wide(real_name(dtype) == "double") {}
    CallArgument argument() const { return is_wide ? CallArgument(value) : CallArgument(narrow); }
    double value;
    float narrow;
    bool is_wide;
};

template <class... A>
void call(const ElementwiseKernel& kernel, const CallOptions& options, const A&... arguments) {
    const std::array<CallArgument, sizeof...(A)> packed{CallArgument(arguments)...};
    kernel.run(options, packed);
}

}  // namespace
}  // namespace gemel::solving

namespace gemel::solve::detail {
namespace {

using namespace gemel::solving;

void check_given(const char* who, const AnyArray& array, std::size_t rank, const char* shape) {
    if (array.empty()) throw ArgumentError(text(who, ": the array is an empty handle; make one first"));
    if (array.rank() != rank)
        throw ArgumentError(text(who, ": the array has the shape ", to_string(array.shape()), ", expected ", shape));
}

/// The largest ratio |A v| / |v| in 20 steps of the power method.
double largest_ratio(const AnyOperator& a, const Context& context) {
    const ContextScope scope(context);
    const bool together = a.columns() == Columns::together;
    const Shape shape = together ? Shape{a.shape()[0], 1} : Shape{a.shape()[0]};
    AnyArray v(context, a.dtype(), shape), w(context, a.dtype(), shape);
    call(kernel_of(power_begin_kernel, a.dtype()), {}, v);
    const auto size = [](const AnyArray& x) { return std::get<double>(AnyArray(norm(x)).item()); };
    double ratio = 0, before = size(v);
    for (int k = 0; k < 20; ++k) {
        a.multiply_into(w, v);
        const double after = size(w);
        if (!(before > 0) || !(after > 0) || !std::isfinite(after)) return after == 0 ? 0 : after / before;
        ratio = std::max(ratio, after / before);
        v.assign(AnyExpr(w) / after);
        before = size(v);
    }
    return ratio;
}

}  // namespace

AnyOperator jacobi(const AnyArray& diagonal) {
    check_given("solve::jacobi", diagonal, 1, "(n,)");
    const AnyArray inverse = AnyExpr(1) / AnyExpr(diagonal);
    const AnyArray converted = inverse.dtype() == diagonal.dtype() ? inverse : inverse.astype(diagonal.dtype());
    const AnyExpr size = abs(AnyExpr(converted));
    const AnyArray bad = count_nonzero(logical_not(logical_and(isfinite(size), size > 0)));
    const std::int64_t count = bad.item<std::int64_t>();
    if (count > 0)
        throw ArgumentError(
            text("solve::jacobi: ", count, " of ", diagonal.size(),
                 " elements of the diagonal are 0 or not finite; replace them, or use another preconditioner"));
    return AnyOperator(converted);
}

AnyOperator block_jacobi(const AnyArray& blocks) {
    const char* const who = "solve::block_jacobi";
    check_given(who, blocks, 3, "(count, m, m)");
    const std::int64_t count = blocks.shape()[0], m = blocks.shape()[1];
    if (blocks.shape()[2] != m || m < 1 || m > 32)
        throw ArgumentError(text(who, ": the blocks have the shape ", to_string(blocks.shape()),
                                 ", expected (count, m, m) with m from 1 to 32"));
    const AnyArray work = blocks.copy(Order::C), inverse(blocks.context(), blocks.dtype(), blocks.shape());
    const GPUArray<std::int32_t> singular(blocks.context(), Shape{count});
    const auto extent = static_cast<std::int32_t>(m);
    if (count > 0)
        call(kernel_of(invert_blocks_kernel, blocks.dtype()), {.range = IndexRange{.stop = count}}, work, inverse,
             singular, extent);
    const std::vector<std::int32_t> found = singular.get();
    for (std::size_t k = 0; k < found.size(); ++k)
        if (found[k] != 0)
            throw ArgumentError(
                text(who, ": block ", k, " of ", count, " is singular or not finite; choose other blocks"));
    return AnyOperator(
        blocks.dtype(), Shape{count * m, count * m},
        [inverse, extent, total = count * m](const AnyArray& u, const AnyArray& out) {
            call(kernel_of(multiply_blocks_kernel, u.dtype()), {.range = IndexRange{.stop = total}}, out, u, inverse,
                 extent);
        },
        Columns::one_by_one);
}

AnyOperator chebyshev(const AnyOperator& a, const AnyArray& like, const ChebyshevOptions& options) {
    const char* const who = "solve::chebyshev";
    if (a.empty()) throw ArgumentError(text(who, ": the operator is empty; give a matrix or a function"));
    if (like.empty()) throw ArgumentError(text(who, ": `like` is an empty handle, expected an array of A's context"));
    if (a.shape()[0] != a.shape()[1])
        throw ArgumentError(
            text(who, ": the operator has the shape ", to_string(a.shape()), ", expected a square operator"));
    if (options.degree < 1) throw ArgumentError(text(who, ": .degree is ", options.degree, ", expected at least 1"));
    double highest = options.highest, lowest = options.lowest;
    if (highest == 0) highest = a.shape()[0] == 0 ? 1 : 1.2 * largest_ratio(a, like.context());
    if (lowest == 0) lowest = highest / 30;
    if (!(lowest > 0) || !(lowest < highest) || !std::isfinite(highest))
        throw ArgumentError(text(who, ": .lowest is ", lowest, " and .highest is ", highest,
                                 ", expected 0 < lowest < highest; 0 lets chebyshev find them"));
    const double theta = (highest + lowest) / 2, delta = (highest - lowest) / 2, sigma = theta / delta;
    const auto apply = [a, theta, delta, sigma, degree = options.degree](const AnyArray& u, const AnyArray& out) {
        const DType dtype = u.dtype();
        const AnyArray r(u.context(), dtype, u.shape()), s(u.context(), dtype, u.shape(), Order::F),
            d(u.context(), dtype, u.shape(), Order::F);
        const Coefficient first(dtype, 1 / theta);
        call(kernel_of(chebyshev_begin_kernel, dtype), {}, u, r, d, out, first.argument());
        double rho = 1 / sigma;
        for (int k = 1; k < degree; ++k) {
            a.multiply_into(s, d);
            const double next = 1 / (2 * sigma - rho);
            const Coefficient keep(dtype, next * rho), add(dtype, 2 * next / delta);
            call(kernel_of(chebyshev_step_kernel, dtype), {}, s, r, d, out, keep.argument(), add.argument());
            rho = next;
        }
    };
    return AnyOperator(a.dtype(), a.shape(), apply, a.columns());
}

}  // namespace gemel::solve::detail
