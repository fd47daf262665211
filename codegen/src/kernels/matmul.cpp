#include <gemel/codegen/matmul.hpp>

#include "matmul_kernels.hpp"

#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {
namespace {

constexpr int per_thread = 4;  ///< rows and columns of the result that one thread of a block computes

/// Fills one kernel.
class Matmul {
   public:
    Matmul(DType dtype, const MatmulLayout& layout, const Dialect& dialect)
        : dtype_(dtype),
          layout_(layout),
          held_(matmul_accumulator(dtype)),
          tile_(matmul_tile(dtype, layout)),
          storage_(storage_type(dtype, dialect)),
          type_(held_.name()),
          kernel_(dialect) {}

    std::string text() {
        Values values{{"storage", storage_},
                      {"type", type_},
                      {"zero", is_complex() ? type_ + "_new(0, 0)" : "0"},
                      {"serial", layout_.serial},
                      {"edge", layout_.edge},
                      {"block", layout_.serial ? 1 : layout_.edge * layout_.edge},
                      {"own", per_thread},
                      {"side", tile_.rows},
                      {"pitch", tile_.rows + 1},
                      {"depth", held_.size_bytes() > 8 ? 8 : 16},
                      {"tile_rows", tile_.rows},
                      {"tile_columns", tile_.columns}};
        values["body"] = layout_.serial ? serial_body(values) : block_body(values);
        return kernel_.finish(kernel_.fill(matmul_kernels::product(), values));
    }

   private:
    bool is_complex() const { return held_.kind() == DType::Kind::complex; }
    std::string load(const std::string& element) const {
        const std::string value = load_text(dtype_, element);
        return held_ == dtype_ || dtype_.is_floating() ? value : gemel::text("(", type_, ")", value);
    }
    std::string store(const std::string& value) const {
        if (dtype_.kind() == DType::Kind::boolean) return value + " != 0";
        if (dtype_.is_integer() && dtype_.size_bytes() < 4) return gemel::text("(", storage_, ")", value);
        return store_text(dtype_, value);
    }
    std::string add_product(const std::string& sum, const std::string& a, const std::string& b) const {
        if (is_complex()) return gemel::text(sum, " = c_add(", sum, ", c_mul(", a, ", ", b, "));");
        if (dtype_.kind() == DType::Kind::boolean) return gemel::text(sum, " |= ", a, " & ", b, ";");
        const std::string wraps = wrapping_cast(held_);
        if (wraps.empty()) return gemel::text(sum, " += ", a, " * ", b, ";");
        return gemel::text(sum, " = (", type_, ")(", wraps, sum, " + ", wraps, a, " * ", wraps, b, ");");
    }

    std::string block_body(Values values) {
        const std::string sum = gemel::text("sums[r * ", per_thread, " + k]");
        const Values a{{"name", "a"},
                       {"depth_is_fast", layout_.a_by_columns},
                       {"first", "first_row"},
                       {"extent", "rows"},
                       {"loaded", load("a[(begin + d) * a_column + s * a_row]")}};
        const Values b{{"name", "b"},
                       {"depth_is_fast", !layout_.b_by_columns},
                       {"first", "first_column"},
                       {"extent", "columns"},
                       {"loaded", load("b[(begin + d) * b_row + s * b_column]")}};
        values["factors"] = Value::List{a, b};
        values["add_product"] = add_product(sum, "a_part[r]", "b_part[k]");
        values["stored"] = store(sum);
        return kernel_.fill(matmul_kernels::block(), std::move(values));
    }

    std::string serial_body(Values values) {
        const std::string sum = gemel::text("sums[r * ", tile_.columns, " + k]");
        values["b_next"] = load("b[d * b_row + k]");
        values["b_loaded"] = load("b[d * b_row + k * b_column]");
        values["a_loaded"] = load("a[r * a_row + d * a_column]");
        values["add_product"] = add_product(sum, "factor", "line[k]");
        values["stored"] = store(sum);
        return kernel_.fill(matmul_kernels::serial(), std::move(values));
    }

    DType dtype_;
    MatmulLayout layout_;
    DType held_;
    MatmulTile tile_;
    std::string storage_, type_;
    KernelText kernel_;
};

}  // namespace

DType matmul_accumulator(DType dtype) {
    if (dtype.is_floating() && dtype.size_bytes() == 2) return dtype_of<float>();
    if (dtype.kind() == DType::Kind::boolean || (dtype.is_integer() && dtype.size_bytes() < 4))
        return dtype_of<std::int32_t>();
    return dtype;
}

MatmulTile matmul_tile(DType dtype, const MatmulLayout& layout) {
    if (!layout.serial) return {per_thread * layout.edge, per_thread * layout.edge};
    return {4, 256 / matmul_accumulator(dtype).size_bytes()};
}

std::size_t matmul_shared_bytes(DType dtype, const MatmulLayout& layout) {
    if (layout.serial) return 0;
    const std::size_t item = matmul_accumulator(dtype).size_bytes(), depth = item > 8 ? 8 : 16;
    return 2 * depth * (per_thread * layout.edge + 1) * item;
}

std::string matmul_source(DType dtype, const MatmulLayout& layout, const Dialect& dialect) {
    return Matmul(dtype, layout, dialect).text();
}

}  // namespace gemel::codegen
