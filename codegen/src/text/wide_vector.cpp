/// Vectors of eight and sixteen elements in OpenCL C.
#include <gemel/codegen/wide_vector.hpp>

#include <gemel/core/text.hpp>

namespace gemel::codegen {

std::string load_wide(DType vector, const std::string& pointer) {
    return gemel::text("vload", int{vector.lanes()}, "(0, ", pointer, ")");
}

std::string store_wide(DType vector, const std::string& value, const std::string& pointer) {
    return gemel::text("vstore", int{vector.lanes()}, "(", value, ", 0, ", pointer, ")");
}

std::string call_in_wide_double(DType vector, const std::string& function, const std::string& x) {
    const int lanes = vector.lanes();
    return gemel::text("convert_float", lanes, "(", function, "(convert_double", lanes, "(", x, ")))");
}

}  // namespace gemel::codegen
