#include "select/selecting.hpp"

#include "rearrange/moving.hpp"

#include <gemel/codegen/promotion.hpp>
#include <gemel/codegen/snippet.hpp>

namespace gemel::selecting {

AnyArray room_for(const AnyArray& x, DType dtype, std::size_t count) {
    return AnyArray(x.context(), dtype, Shape{static_cast<std::int64_t>(count)});
}

GPUArray<std::int64_t> new_count(const AnyArray& x, const Stream& stream) {
    const GPUArray<std::int64_t> count(x.context(), Shape{});
    if (x.size() == 0) {
        const OnStream scope(stream);
        count.fill(0);
    }
    return count;
}

AnyArray first_of(const AnyArray& values, std::int64_t count) {
    const AnyArray exact = values(slice(0, count));
    return 2 * static_cast<std::size_t>(count) < values.size() ? exact.copy() : exact;
}

void require_double(const char* who, const AnyArray& x) {
    const Device device = x.context().device();
    if (!device.info().has_double)
        throw ArgumentError(text(who, ": weights and densities need double, which device ", device.info().name,
                                 " lacks; count without weights and divide the counts"));
}

namespace {

std::string equal_numbers(DType dtype) {
    return dtype.kind() == DType::Kind::complex ? "(a.re == b.re) && (a.im == b.im)" : "(a == b)";
}

std::string as_function(const std::string& expression) {
    return text("WITHIN_KERNEL int same_key(T a, T b) { return ", expression, "; }\n");
}

}  // namespace

std::string equality(const char* who, DType dtype, const std::string& equal_expr) {
    if (!equal_expr.empty()) return as_function(text("(", codegen::Snippet(equal_expr).text(), ") != 0"));
    if (!is_number(dtype))
        throw ArgumentError(text(who, ": elements of ", dtype.name(),
                                 " have no ==; say when two are equal: {.equal_expr = \"a.id == b.id\"}"));
    return as_function(equal_numbers(dtype));
}

std::string equality_with_nan(DType dtype) {
    if (dtype.kind() == DType::Kind::complex)  // as NumPy: a NaN in either part makes the number one
        return as_function(
            text(equal_numbers(dtype), " || ((a.re != a.re || a.im != a.im) && (b.re != b.re || b.im != b.im))"));
    return as_function(dtype.is_floating() ? "(a == b || (a != a && b != b))" : equal_numbers(dtype));
}

AnyArray flat(const AnyArray& x) { return x.reshape({-1}); }

}  // namespace gemel::selecting

namespace gemel {

AnyArray AnySelection::array() const { return selecting::first_of(values, count.item()); }
AnyArray AnyPartition::first() const { return selecting::first_of(held, count.item()); }
AnyArray AnyPartition::second() const {
    return selecting::first_of(others, static_cast<std::int64_t>(others.size()) - count.item());
}
AnyArray AnyRuns::values() const { return selecting::first_of(all_values, count.item()); }
GPUArray<std::int64_t> AnyRuns::lengths() const {
    return GPUArray<std::int64_t>(selecting::first_of(all_lengths, count.item()));
}

}  // namespace gemel
