#include <gemel/arrays/image.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel::detail {

void refuse_image_rank(unsigned rank, bool layered, std::size_t given) {
    throw ArgumentError(text(
        "Image: expected ", rank + layered, rank + layered == 1 ? " axis" : " axes", layered ? ", layers first" : "",
        ", got ", given, "; name the number of dimensions: Image<T, ", layered && given > 1 ? given - 1 : given, ">"));
}

}  // namespace gemel::detail
