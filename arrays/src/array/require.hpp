/// Checks that many functions share, so that they word their messages alike.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/core/context.hpp>

#include <cstdint>
#include <string_view>

namespace gemel {

// Each throws ArgumentError in the name of `who`; `what` says which argument it is about, e.g. "the mask".
[[noreturn]] void refuse_empty(std::string_view who, std::string_view what);
/// Refuses an empty handle.
inline void require_array(std::string_view who, std::string_view what, const AnyArray& array) {
    if (array.empty()) refuse_empty(who, what);
}
/// Refuses an empty handle, and an array of another context than `than` has.
void require_context(std::string_view who, std::string_view what, const AnyArray& array, const Context& context,
                     std::string_view than);
void require_context(std::string_view who, std::string_view what, const AnyArray& array, const AnyArray& first);
[[noreturn]] void refuse_repeated_axis(std::string_view who, std::int64_t axis);

/// The next step after operands that cannot be broadcast.
inline constexpr std::string_view broadcast_rule = "; extents must be equal or 1, from the last axis on";

}  // namespace gemel
