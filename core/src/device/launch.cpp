/// Launch sizes.
#include <gemel/core/launch.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel {

void Dim3::refuse_negative(long long value) {
    throw ArgumentError(text("Dim3: a grid, block or thread count cannot be negative, got ", value));
}

std::string to_string(const Dim3& dim) {
    std::string result = std::to_string(dim[0]);
    if (dim[1] != 1 || dim[2] != 1) result += text(" x ", dim[1]);
    if (dim[2] != 1) result += text(" x ", dim[2]);
    return result;
}

}  // namespace gemel
