#include "sparse/product_checks.hpp"

#include "array/require.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <bit>

namespace gemel::sparse {
namespace {

constexpr const char* who = product_name;

void require_operand(const char* name, const AnyArray& array, const Entries& own, std::int64_t extent) {
    require_context(who, name, array, own.context, "the matrix");
    if (!(array.dtype() == own.value()))
        throw ArgumentError(text(who, ": ", name, " has elements of ", array.dtype().name(), ", the matrix of ",
                                 own.value().name(), "; astype() converts"));
    if ((array.rank() != 1 && array.rank() != 2) || array.shape()[0] != extent)
        throw ArgumentError(text(who, ": ", name, " has shape ", to_string(array.shape()), ", expected (", extent,
                                 ",) or (", extent, ", k) for a matrix of shape ", to_string(own.shape()),
                                 "; reshape() it or slice it"));
}

void require_tuning(const ProductTuning& tuning) {
    if (tuning.width > 32 || (tuning.width && !std::has_single_bit(tuning.width)))
        throw ArgumentError(text(who, ": the tuning's width is ", tuning.width, ", expected 1, 2, 4, 8, 16 or 32"));
    if (tuning.block > 256 || (tuning.block && !std::has_single_bit(tuning.block)))
        throw ArgumentError(text(who, ": the tuning's block is ", tuning.block, ", expected a power of 2 up to 256"));
}

void require_dot(const AnyMultiply& options, const Entries& own, const AnyArray& x) {
    const AnyArray &with = options.dot_with, &dot = options.dot;
    if (with.empty() && dot.empty()) return;
    if (with.empty() || dot.empty())
        throw ArgumentError(text(
            who, ": expected both dot_with and dot, or neither; dot_with is a vector, dot an element for the result"));
    for (const AnyArray* array : {&with, &dot})
        if (!(array->dtype() == own.value()) || !(array->context() == own.context))
            throw ArgumentError(text(who, ": expected dot_with and dot in the matrix's element type, ",
                                     own.value().name(), ", and context; astype() and copy_to(context) convert"));
    if (x.rank() != 1 || !(with.shape() == Shape{own.rows}) || dot.rank() != 0)
        throw ArgumentError(text(who, ": dot_with has shape ", to_string(with.shape()), " and dot ",
                                 to_string(dot.shape()), ", expected (", own.rows, ",) and () for one vector x"));
}

}  // namespace

void require_product(const Entries& own, const AnyArray& y, const AnyArray& x, const AnyMultiply& given) {
    require_operand("x", x, own, own.columns);
    require_operand("y", y, own, own.rows);
    if (x.rank() != y.rank() || (x.rank() == 2 && x.shape()[1] != y.shape()[1]))
        throw ArgumentError(text(who, ": x has shape ", to_string(x.shape()), " and y ", to_string(y.shape()),
                                 "; for this x, y needs the shape ",
                                 to_string(x.rank() == 2 ? Shape{own.rows, x.shape()[1]} : Shape{own.rows})));
    if (y.repeats())
        throw ArgumentError(
            text(who, ": y repeats elements, as after broadcast_to, and can only be read; copy() gives each its own"));
    require_tuning(given.tuning);
    require_dot(given, own, x);
}

}  // namespace gemel::sparse
