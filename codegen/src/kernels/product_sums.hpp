/// Sums of products in kernels: the type of sums, and how elements are loaded, multiplied, added and stored.
#pragma once

#include <gemel/codegen/writer.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/text.hpp>

#include <cstdint>
#include <string>

namespace gemel::codegen {

/// The type of sums: float for 16-bit floats, int32 for small integers and bools, otherwise the type itself.
inline DType product_accumulator(DType dtype) {
    if (dtype.is_16_bit_float()) return dtype_of<float>();
    if (dtype.kind() == DType::Kind::boolean || (dtype.is_integer() && dtype.size_bytes() < 4))
        return dtype_of<std::int32_t>();
    return dtype;
}

struct ProductSums {
    ProductSums(DType elements, const Dialect& dialect)
        : dtype(elements),
          held(product_accumulator(elements)),
          storage(storage_type(elements, dialect)),
          type(held.name()) {}

    DType dtype, held;
    std::string storage, type;  ///< the type of an element in memory, and of a sum

    bool is_complex() const { return held.kind() == DType::Kind::complex; }
    std::string zero() const { return is_complex() ? type + "_new(0, 0)" : "0"; }
    /// A stored element as a factor.
    std::string load(const std::string& element) const {
        const std::string value = load_text(dtype, element);
        return held == dtype || dtype.is_floating() ? value : gemel::text("(", type, ")", value);
    }
    /// A sum as a stored element.
    std::string store(const std::string& value) const {
        if (dtype.kind() == DType::Kind::boolean) return gemel::text("(", value, ") != 0");
        if (dtype.is_integer() && dtype.size_bytes() < 4) return gemel::text("(", storage, ")(", value, ")");
        return store_text(dtype, value);
    }
    /// The statement that adds another sum.
    std::string add_sum(const std::string& sum, const std::string& other) const {
        if (is_complex()) return gemel::text(sum, " = c_add(", sum, ", ", other, ");");
        if (dtype.kind() == DType::Kind::boolean) return gemel::text(sum, " |= ", other, ";");
        const std::string wraps = wrapping_cast(held);
        if (wraps.empty()) return gemel::text(sum, " += ", other, ";");
        return gemel::text(sum, " = (", type, ")(", wraps, sum, " + ", wraps, other, ");");
    }
    /// The statement that adds a product: integers wrap around, bools are "or".
    std::string add(const std::string& sum, const std::string& a, const std::string& b) const {
        if (is_complex()) return gemel::text(sum, " = c_add(", sum, ", c_mul(", a, ", ", b, "));");
        if (dtype.kind() == DType::Kind::boolean) return gemel::text(sum, " |= ", a, " & ", b, ";");
        const std::string wraps = wrapping_cast(held);
        if (wraps.empty()) return gemel::text(sum, " += ", a, " * ", b, ";");
        return gemel::text(sum, " = (", type, ")(", wraps, sum, " + ", wraps, a, " * ", wraps, b, ");");
    }
};

}  // namespace gemel::codegen
