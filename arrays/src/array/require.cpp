#include "array/require.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel {

void refuse_empty(std::string_view who, std::string_view what) {
    throw ArgumentError(text(who, ": ", what, " is an empty handle; assign an array to it first"));
}

void require_context(std::string_view who, std::string_view what, const AnyArray& array, const Context& context,
                     std::string_view than) {
    require_array(who, what, array);
    if (!(array.context() == context))
        throw ArgumentError(
            text(who, ": ", what, " is in another context than ", than, "; copy_to(context) copies it there"));
}

void require_context(std::string_view who, std::string_view what, const AnyArray& array, const AnyArray& first) {
    require_context(who, what, array, first.context(), "the first array");
}

void refuse_repeated_axis(std::string_view who, std::int64_t axis) {
    throw ArgumentError(text(who, ": axis ", axis, " is given twice; name each axis once"));
}

}  // namespace gemel
