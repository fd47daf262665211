#include "sort/sort_checks.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel::sorting {

bool has_order(const DType& dtype) { return dtype.lanes() == 1 && !dtype.layout(); }

void check_order(std::string_view who, const DType& dtype) {
    if (!has_order(dtype))
        throw ArgumentError(text(who, ": elements of type ", dtype.name(),
                                 " have no order of their own: SortKernel sorts them by a key or by a comparison"));
}

}  // namespace gemel::sorting
