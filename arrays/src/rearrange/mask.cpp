#include <gemel/arrays/mask.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"
#include "generated/declared_arguments.hpp"
#include "rearrange/mask_kernels.hpp"
#include "rearrange/moving.hpp"

#include <array>
#include <span>

namespace gemel {
namespace {

bool is_long(const AnyArray& mask) { return mask.size() > static_cast<std::size_t>(max_in_32_bits); }

void require_mask(std::string_view who, const AnyArray& mask, const AnyArray& x) {
    require_context(who, "the mask", mask, x);
    if (mask.dtype().kind() != DType::Kind::boolean)
        throw ArgumentError(text(who, ": the mask has elements of ", mask.dtype().name(),
                                 ", expected bool; `mask != 0` is such a mask"));
}

void require_mask_of(std::string_view who, const AnyArray& mask, const AnyArray& x) {
    require_writable(who, x);
    require_mask(who, mask, x);
    if (!(mask.shape() == x.shape()))
        throw ArgumentError(text(who, ": the mask has shape ", to_string(mask.shape()), ", the array ",
                                 to_string(x.shape()), "; broadcast_to() repeats a mask"));
}

/// The values in x's type; copied if they share memory with x.
AnyArray values_for(std::string_view who, const AnyArray& values, const AnyArray& x) {
    require_context(who, "the array of values", values, x);
    if (values.size() == 0) throw ArgumentError(text(who, ": expected at least one value, got none"));
    return apart_from(x, converted_values(who, "the array of values", values, x.dtype()));
}

}  // namespace

void put_mask(const AnyArray& x, const AnyArray& mask, const AnyArray& values) {
    require_mask_of("put_mask", mask, x);
    if (x.size() == 0) return;
    AnyArray from = as_moved(values_for("put_mask", values, x));
    const AnyArray to = as_moved(x), where = apart_from(x, mask);
    if (from.size() == 1) from = from.reshape({}).broadcast_to(x.shape());
    if (from.shape() == x.shape()) {
        put_mask_kernel(ValueForm::each)(where, to, from);
    } else {
        put_mask_kernel(ValueForm::repeated)(where, to, without_gaps(from), static_cast<std::int64_t>(from.size()));
    }
}

void detail::put_mask_bytes(std::string_view who, const AnyArray& x, const AnyArray& mask, const void* element) {
    require_mask_of(who, mask, x);
    if (x.size() == 0) return;
    const AnyArray to = as_moved(x), where = apart_from(x, mask);
    put_mask_kernel(ValueForm::one)
        .run({}, std::array{CallArgument(where), CallArgument(to), CallArgument(moved_value(x.dtype(), element))});
}

void place(const AnyArray& x, const AnyArray& mask, const AnyArray& values) {
    require_mask_of("place", mask, x);
    if (x.size() == 0) return;
    const AnyArray to = as_moved(x), where = apart_from(x, mask);
    const AnyArray from = as_moved(without_gaps(values_for("place", values, x)));
    const auto count = as_argument(static_cast<std::int64_t>(from.size()));
    place_scan(is_long(mask))
        .run({}, std::array{CallArgument(where), CallArgument(to), CallArgument(from), CallArgument(count)});
}

}  // namespace gemel
