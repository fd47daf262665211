#include <gemel/codegen/matmul.hpp>

#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::codegen {
namespace {

constexpr int per_thread = 4;  ///< rows and columns of the result that one thread of a block computes

/// Prints one kernel.
class Matmul {
   public:
    Matmul(DType dtype, const MatmulLayout& layout, const Dialect& dialect)
        : dtype_(dtype),
          layout_(layout),
          held_(matmul_accumulator(dtype)),
          tile_(matmul_tile(dtype, layout)),
          storage_(storage_type(dtype, dialect)),
          type_(held_.name()),
          writer_(dialect) {}

    std::string print() {
        const std::string in = writer_.global_pointer(storage_, true), out = writer_.global_pointer(storage_, false);
        std::vector<std::string> parameters{in + "a", in + "b", out + "c"};
        for (const char* name : {"a_begin", "a_matrix", "a_row", "a_column", "b_begin", "b_matrix", "b_row", "b_column",
                                 "c_begin", "rows", "columns", "inner", "tiles_across", "tiles_down"})
            parameters.push_back(text("int64_t ", name));
        writer_.open_kernel("matmul", parameters, layout_.serial ? 1 : layout_.edge * layout_.edge);
        layout_.serial ? serial_body() : block_body();
        writer_.close();
        return writer_.take();
    }

   private:
    std::string zero() const { return is_complex() ? text(type_, "_new(0, 0)") : "0"; }
    bool is_complex() const { return held_.kind() == DType::Kind::complex; }
    std::string load(const std::string& element) const {
        const std::string value = load_text(dtype_, element);
        return held_ == dtype_ || dtype_.is_floating() ? value : text("(", type_, ")", value);
    }
    std::string store(const std::string& value) const {
        if (dtype_.kind() == DType::Kind::boolean) return text(value, " != 0");
        if (dtype_.is_integer() && dtype_.size_bytes() < 4) return text("(", storage_, ")", value);
        return store_text(dtype_, value);
    }
    std::string add_product(const std::string& sum, const std::string& a, const std::string& b) const {
        if (is_complex()) return text(sum, " = c_add(", sum, ", c_mul(", a, ", ", b, "));");
        if (dtype_.kind() == DType::Kind::boolean) return text(sum, " |= ", a, " & ", b, ";");
        const std::string wraps = wrapping_cast(held_);
        if (wraps.empty()) return text(sum, " += ", a, " * ", b, ";");
        return text(sum, " = (", type_, ")(", wraps, sum, " + ", wraps, a, " * ", wraps, b, ");");
    }

    /// Which tile of which matrix this block has.
    void find_tile() {
        writer_.line("const int64_t tile = ", writer_.block_id(), " % (tiles_across * tiles_down);");
        writer_.line("const int64_t matrix = ", writer_.block_id(), " / (tiles_across * tiles_down);");
        // A core goes down a matrix, so that its columns of b stay in the cache.
        const char* const row = layout_.serial ? "tile % tiles_down" : "tile / tiles_across";
        const char* const column = layout_.serial ? "tile / tiles_down" : "tile % tiles_across";
        writer_.line("const int64_t first_row = ", row, " * ", tile_.rows, ";");
        writer_.line("const int64_t first_column = ", column, " * ", tile_.columns, ";");
        writer_.line("a += a_begin + matrix * a_matrix + first_row * a_row;");
        writer_.line("b += b_begin + matrix * b_matrix + first_column * b_column;");
        writer_.line("c += c_begin + (matrix * rows + first_row) * columns + first_column;");
    }

    /// A tile of `depth` by `side` elements of one factor to shared memory; zeros where the matrix has none.
    void load_tile(const char* name, std::uint32_t depth, std::uint32_t side, bool depth_is_fast, const char* along,
                   const char* across, const std::string& first, const char* extent) {
        writer_.unroll();
        const std::uint32_t block = layout_.edge * layout_.edge;
        writer_.open("for (int k = 0; k < ", depth * side / block, "; ++k)");
        writer_.line("const int e = thread + k * ", block, ";");
        if (depth_is_fast) {
            writer_.line("const int d = e % ", depth, ", s = e / ", depth, ";");
        } else {
            writer_.line("const int s = e % ", side, ", d = e / ", side, ";");
        }
        writer_.line("const int inside = ", first, " + s < ", extent, " && begin + d < inner;");
        writer_.line(name, "_tile[d * ", side + 1, " + s] = inside ? ",
                     load(text(name, "[(begin + d) * ", along, " + s * ", across, "]")), " : ", zero(), ";");
        writer_.close();
    }

    void block_body() {
        const std::uint32_t side = tile_.rows, depth = this->depth();
        writer_.shared_array(type_, "a_tile", depth * (side + 1));
        writer_.shared_array(type_, "b_tile", depth * (side + 1));
        find_tile();
        writer_.line("const int thread = ", writer_.thread_id(), ";");
        writer_.line("const int row = thread / ", layout_.edge, ", column = thread % ", layout_.edge, ";");
        writer_.line(type_, " sums[", per_thread * per_thread, "];");
        writer_.unroll();
        writer_.line("for (int k = 0; k < ", per_thread * per_thread, "; ++k) sums[k] = ", zero(), ";");
        writer_.open("for (int64_t begin = 0; begin < inner; begin += ", depth, ")");
        load_tile("a", depth, side, layout_.a_by_columns, "a_column", "a_row", "first_row", "rows");
        load_tile("b", depth, side, !layout_.b_by_columns, "b_row", "b_column", "first_column", "columns");
        writer_.barrier();
        writer_.unroll();
        writer_.open("for (int d = 0; d < ", depth, "; ++d)");
        writer_.line(type_, " a_part[", per_thread, "], b_part[", per_thread, "];");
        writer_.unroll();
        writer_.open("for (int k = 0; k < ", per_thread, "; ++k)");
        writer_.line("a_part[k] = a_tile[d * ", side + 1, " + row + k * ", layout_.edge, "];");
        writer_.line("b_part[k] = b_tile[d * ", side + 1, " + column + k * ", layout_.edge, "];");
        writer_.close();
        for_each_sum(
            [&] { writer_.line(add_product(text("sums[r * ", per_thread, " + k]"), "a_part[r]", "b_part[k]")); });
        writer_.close();
        writer_.barrier();
        writer_.close();
        for_each_sum([&] {
            writer_.line("const int own_row = row + r * ", layout_.edge, ", own_column = column + k * ", layout_.edge,
                         ";");
            writer_.line("if (first_row + own_row < rows && first_column + own_column < columns)");
            writer_.line("    c[own_row * columns + own_column] = ", store(text("sums[r * ", per_thread, " + k]")),
                         ";");
        });
    }

    template <class Body>
    void for_each_sum(const Body& body) {
        writer_.unroll();
        writer_.open("for (int r = 0; r < ", per_thread, "; ++r)");
        writer_.unroll();
        writer_.open("for (int k = 0; k < ", per_thread, "; ++k)");
        body();
        writer_.close();
        writer_.close();
    }

    void serial_body() {
        find_tile();
        writer_.line("const int own_rows = rows - first_row < ", tile_.rows,
                     " ? (int)(rows - first_row) : ", tile_.rows, ";");
        writer_.line("const int own_columns = columns - first_column < ", tile_.columns,
                     " ? (int)(columns - first_column) : ", tile_.columns, ";");
        writer_.line(type_, " sums[", tile_.rows * tile_.columns, "];");
        writer_.line("for (int k = 0; k < ", tile_.rows * tile_.columns, "; ++k) sums[k] = ", zero(), ";");
        // Loops of known length become vector instructions.
        writer_.open("if (own_rows == ", tile_.rows, " && own_columns == ", tile_.columns, " && b_column == 1)");
        accumulate(text(tile_.rows), text(tile_.columns), "k");
        writer_.close();
        writer_.open("else");
        accumulate("own_rows", "own_columns", "k * b_column");
        writer_.close();
        writer_.open("for (int r = 0; r < own_rows; ++r)");
        writer_.line("for (int k = 0; k < own_columns; ++k) c[r * columns + k] = ",
                     store(text("sums[r * ", tile_.columns, " + k]")), ";");
        writer_.close();
    }

    void accumulate(const std::string& rows, const std::string& columns, const std::string& b_index) {
        const std::string each = text("for (int k = 0; k < ", columns, "; ++k) ");
        writer_.open("for (int64_t d = 0; d < inner; ++d)");
        writer_.line(type_, " line[", tile_.columns, "];");
        writer_.line(each, "line[k] = ", load(text("b[d * b_row + ", b_index, "]")), ";");
        writer_.open("for (int r = 0; r < ", rows, "; ++r)");
        writer_.line("const ", type_, " factor = ", load("a[r * a_row + d * a_column]"), ";");
        writer_.line(each, add_product(text("sums[r * ", tile_.columns, " + k]"), "factor", "line[k]"));
        writer_.close();
        writer_.close();
    }

    std::uint32_t depth() const { return held_.size_bytes() > 8 ? 8 : 16; }

    DType dtype_;
    MatmulLayout layout_;
    DType held_;
    MatmulTile tile_;
    std::string storage_, type_;
    Writer writer_;
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
    return Matmul(dtype, layout, dialect).print();
}

}  // namespace gemel::codegen
