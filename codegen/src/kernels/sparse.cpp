#include <gemel/codegen/sparse.hpp>

#include "sparse_bins.hpp"
#include "sparse_kernels.hpp"
#include "sparse_text.hpp"

#include <gemel/codegen/block.hpp>
#include <gemel/core/text.hpp>

namespace gemel::codegen {
namespace {

constexpr int vector_tile = 8;      ///< several, serial: vectors at a time
constexpr int diagonal_tile = 256;  ///< diagonals, serial: rows at a time
constexpr int sum_lanes = 16;       ///< serial: running sums side by side

/// Fills the kernel templates for one layout.
class Product {
   public:
    Product(const SparseLayout& layout, KernelText& kernel)
        : layout_(layout), type_(layout.value.name()), index_(layout.index.name()), kernel_(kernel) {}

    std::string text() {
        Values values = all_values();
        const std::string kernels = body(values);
        return kernel_.finish(functions_ + kernels);
    }

    SparsePart part() {
        Values values = all_values();
        fill_form(values);
        return {.functions = functions_,
                .arrays = arrays(),
                .sizes = sizes(),
                .shared = shared_sums_ + shared(),
                .work = kernel_.fill(sparse_kernels::part(), values)};
    }

   private:
    Values all_values() {
        Values values{{"type", type_},
                      {"index", index_},
                      {"zero", zero()},
                      {"block", static_cast<int>(layout_.serial ? 1 : layout_.block)},
                      {"width", static_cast<int>(layout_.width)},
                      {"warps", layout_.warps && layout_.width > 1},
                      {"items", static_cast<int>(layout_.items)},
                      {"slice", static_cast<int>(sparse_slice)},
                      {"ordered", layout_.ordered}};
        values["parameters"] = kernel_.fill(sparse_kernels::parameters(), values);
        add_dot(values);
        add_sums(values);
        return values;
    }

    bool is_complex() const { return layout_.value.kind() == DType::Kind::complex; }
    std::string zero() const { return is_complex() ? type_ + "_new(0, 0)" : "0"; }
    std::string times(const std::string& a, const std::string& b) const {
        return is_complex() ? gemel::text("c_mul(", a, ", ", b, ")") : gemel::text(a, " * ", b);
    }
    std::string plus(const std::string& a, const std::string& b) const {
        return is_complex() ? gemel::text("c_add(", a, ", ", b, ")") : gemel::text(a, " + ", b);
    }
    std::string add_to(const std::string& sum, const std::string& a, const std::string& b) const {
        return gemel::text(sum, " = ", plus(sum, times(a, b)), ";");
    }
    std::string is_not_zero(const std::string& value) const {
        return is_complex() ? gemel::text("(", value, ".re != 0 || ", value, ".im != 0)") : gemel::text(value, " != 0");
    }
    std::string store(const std::string& total) const {
        const std::string scaled_total = times("alpha", total);
        return kernel_.fill(
            sparse_kernels::store(),
            {{"total", total},
             {"scaled", layout_.scaled},
             {"beta_is_not_zero", is_not_zero("beta")},
             {"with_y", plus(scaled_total, times("beta", "y[row]"))},
             {"scaled_total", scaled_total},
             {"has_sums", layout_.sums != SparseSums::none && !is_tiled()},
             {"add_sums", sums_},
             {"has_dot", layout_.dot},
             {"add_dot", plus("dot", times(is_complex() ? "c_conj(dot_with[row])" : "dot_with[row]", "y[row]"))}});
    }

    /// The part of the dot product of y with a vector that the block computes.
    void add_dot(Values& values) {
        values["dot_parameters"] = "";
        values["begin_dot"] = "";
        values["end_dot"] = "";
        if (!layout_.dot) return;
        const std::string own = gemel::text("GLOBAL_MEM const ", type_, " *RESTRICT dot_with,\n"),
                          parts = gemel::text("GLOBAL_MEM ", type_, " *RESTRICT dots,\n");
        values["dot_parameters"] = gemel::text(",\n", own, parts, "int64_t dot_begin");
        Values own_values = values;
        own_values["serial"] = layout_.serial;
        if (!layout_.serial) {
            functions_ += gemel::text("WITHIN_KERNEL ", type_, " dot_reduce(", type_, " a, ", type_, " b) { return ",
                                      plus("a", "b"), "; }\n\n");
            own_values["reduce"] = pieces::ReduceInSharedMemory{.values = {{"dot", "shared_dots", "dot_reduce"}},
                                                                .block = static_cast<int>(layout_.block)}
                                       .text(kernel_);
        }
        values["begin_dot"] = kernel_.fill(sparse_kernels::begin_dot(), own_values);
        values["end_dot"] = kernel_.fill(sparse_kernels::end_dot(), own_values);
    }

    /// Serial forms that compute the totals of several rows at a time.
    bool is_tiled() const {
        return layout_.serial && (layout_.form == SparseForm::slices || layout_.form == SparseForm::diagonals);
    }

    /// The real part of conj(a) b.
    std::string dot_re(const std::string& a, const std::string& b) const {
        const std::string real = layout_.double_sums ? "(double)" : "(float)";
        if (!is_complex()) return gemel::text(real, a, " * ", real, b);
        return gemel::text(real, a, ".re * ", real, b, ".re + ", real, a, ".im * ", real, b, ".im");
    }

    /// Sums instead of a dot product: their parameters, what a row adds, and the loop of a block over pieces of rows.
    void add_sums(Values& values) {
        values["begin_pieces"] = "";
        values["end_pieces"] = "";
        values["piece"] = "(int64_t)GID_0";
        values["add_tile"] = "";
        if (layout_.sums == SparseSums::none) return;
        const bool is_scaled = layout_.sums == SparseSums::scaled;
        const std::string real = layout_.double_sums ? "double" : "float";
        const std::string vector = gemel::text("GLOBAL_MEM const ", type_, " *RESTRICT ");
        values["dot_parameters"] =
            gemel::text(",\n", vector, "w,\n", is_scaled ? vector + "factors,\n" : "", "GLOBAL_MEM ", real,
                        " *RESTRICT sums,\nGLOBAL_MEM const int *RESTRICT skip,\nint64_t w_begin,\n",
                        is_scaled ? "int64_t factors_begin,\n" : "", "int64_t sums_begin,\nint64_t skip_at");
        // PoCL 3.1 executes nothing after a barrier that a block may skip by returning early.
        const std::string skip = layout_.serial || layout_.warps ? "if (skip[skip_at]) return;\n" : "";
        const std::string offsets = gemel::text("w += w_begin;\n", is_scaled ? "factors += factors_begin;\n" : "");
        Values row{{"type", type_},
                   {"other", is_scaled ? times("factors[row]", "w[row]") : "w[row]"},
                   {"same", is_scaled ? times("factors[row]", "total") : "total"},
                   {"mu", dot_re("own", "total")},
                   {"delta", dot_re("other", "total")},
                   {"gamma", dot_re("same", "total")},
                   {"lane", !layout_.serial ? ""
                            : is_tiled()    ? "_lanes[lane]"
                                            : gemel::text("_lanes[row % ", sum_lanes, "]")},
                   {"lanes", sum_lanes},
                   {"row_of_lane", layout_.form == SparseForm::slices && layout_.ordered ? "order[first + r + lane]"
                                                                                         : "first + r + lane"}};
        sums_ = kernel_.fill(sparse_kernels::sums(), row);
        if (is_tiled()) {
            row["add_sums"] = sums_;
            values["add_tile"] = kernel_.fill(sparse_kernels::sums_tile(), row);
        }
        const std::vector<std::string> names{"mu", "delta", "gamma"};
        Values block{{"names", names}, {"real", real}, {"serial", layout_.serial}, {"lanes", sum_lanes}};
        if (!layout_.serial) {
            pieces::ReduceInSharedMemory reduce{.values = {}, .block = static_cast<int>(layout_.block)};
            for (const std::string& name : names) {
                shared_sums_ =
                    gemel::text("LOCAL_MEM ", real, " shared_", name, "[", layout_.block, "];\n", shared_sums_);
                reduce.values.push_back({name, "shared_" + name, "add_parts"});
            }
            functions_ +=
                gemel::text("WITHIN_KERNEL ", real, " add_parts(", real, " a, ", real, " b) { return a + b; }\n\n");
            block["reduce"] = reduce.text(kernel_);
            const std::uint32_t rows = layout_.form == SparseForm::rows ? layout_.block / layout_.width : layout_.block;
            values["begin_pieces"] =
                gemel::text("for (int64_t piece = GID_0; piece * ", rows, " < rows; piece += GDIM_0) {");
            values["end_pieces"] = "}";
            values["piece"] = "piece";
        }
        const std::string begin = kernel_.fill(sparse_kernels::begin_sums(), block);
        values["begin_sums"] = begin;
        values["begin_dot"] = shared_sums_ + skip + offsets + begin;
        values["end_dot"] = kernel_.fill(sparse_kernels::end_sums(), block);
    }

    std::string body(Values values) {
        switch (layout_.form) {
            case SparseForm::merge:
            case SparseForm::binned: return merge(values);
            case SparseForm::several: return several(values);
            default: return layout_.serial && layout_.form != SparseForm::stream ? serial(values) : blocks(values);
        }
    }

    /// The array that columns index: x, or the window of the row's packet.
    const char* operand() const { return layout_.packed_columns ? "part" : "x"; }
    std::string column_type() const { return layout_.packed_columns ? "uint16_t" : index_; }
    void name_columns(Values& values) {
        values["column"] = column_type();
        values["window"] = layout_.packed_columns ? kernel_.fill(sparse_kernels::window(),
                                                                 {{"packet", static_cast<int>(sparse_packet_rows)},
                                                                  {"columns", static_cast<int>(sparse_window)},
                                                                  {"type", type_}})
                                                  : "";
    }
    /// Adds most entries of a row that ends at `end`, for serial forms. The total is zero before.
    std::string long_row(const char* end) {
        return kernel_.fill(
            sparse_kernels::long_row(),
            {{"end", end},
             {"type", type_},
             {"zero", zero()},
             {"add_part", add_to("parts[u]", "values[k + u]", gemel::text(operand(), "[columns[k + u]]"))},
             {"joined", plus(plus("parts[0]", "parts[1]"), plus("parts[2]", "parts[3]"))}});
    }
    /// Copies entries to shared memory, for forms that read them in storage order.
    void stage(Values& values) {
        values["tile"] = static_cast<int>(layout_.block * layout_.items);
        values["staged_product"] = times("value[n]", gemel::text(operand(), "[column[n]]"));
        values["add_staged"] = plus("total", "products[e]");
        values["staged"] = kernel_.fill(sparse_kernels::staged(), values);
    }

    /// The parameters for the arrays of the form.
    std::string arrays() const {
        const auto array = [](const std::string& type, const char* name) {
            return gemel::text("GLOBAL_MEM const ", type, " *RESTRICT ", name, ",\n");
        };
        switch (layout_.form) {
            case SparseForm::diagonals: return array(index_, "offsets") + array(type_, "values");
            case SparseForm::slices:
                return array(index_, "lengths") + array(index_, "columns") + array(type_, "values") +
                       (layout_.ordered ? array("int64_t", "slice_starts") + array(index_, "order") : std::string());
            default: return array(index_, "starts") + array(column_type(), "columns") + array(type_, "values");
        }
    }
    std::string sizes() const {
        switch (layout_.form) {
            case SparseForm::slices: return "int64_t rows,\n";
            case SparseForm::diagonals: return "int64_t rows,\nint64_t column_count,\nint64_t diagonals,\n";
            default: return "int64_t rows,\nint64_t column_count,\n";
        }
    }
    std::string shared() const {
        if (layout_.form == SparseForm::stream)
            return gemel::text("LOCAL_MEM ", type_, " products[", layout_.block * layout_.items, "];");
        if (layout_.form == SparseForm::rows && layout_.width > 1 && !layout_.warps)
            return gemel::text("LOCAL_MEM ", type_, " totals[", layout_.block, "];");
        return {};
    }

    /// The work of a block on a piece of rows, by its threads.
    void fill_form(Values& values) {
        values["threads"] = "";
        switch (layout_.form) {
            case SparseForm::stream: return stream(values);
            case SparseForm::slices: return slices(values);
            case SparseForm::diagonals: return diagonals(values);
            default: return rows(values);
        }
    }
    std::string blocks(Values& values) {
        fill_form(values);
        values["arrays"] = arrays();
        values["sizes"] = sizes();
        values["shared"] = shared();
        return kernel_.fill(sparse_kernels::product(), values);
    }

    void stream(Values& values) {
        name_columns(values);
        stage(values);
        values["store"] = store("total");
        values["rows_of_piece"] = kernel_.fill(sparse_kernels::stream(), values);
    }

    void rows(Values& values) {
        name_columns(values);
        values["add_product"] = add_to("total", "values[k]", gemel::text(operand(), "[columns[k]]"));
        values["store"] = store("total");
        values["reduce"] = "";
        const bool by_warps = layout_.warps && layout_.width > 1;
        values["threads"] = gemel::text(by_warps ? "const int lane = thread % 32;\n" : "",
                                        "const int position = thread % ", layout_.width, ";");
        if (layout_.width > 1) {
            const pieces::Item item{.name = "sum", .type = type_, .bytes = layout_.value.size_bytes()};
            if (layout_.warps) functions_ += pieces::Exchange{.item = item}.text(kernel_) + "\n";
            functions_ += gemel::text("WITHIN_KERNEL ", type_, " sum_reduce(", type_, " a, ", type_, " b) { return ",
                                      plus("a", "b"), "; }\n\n");
            values["reduce"] = layout_.warps
                                   ? pieces::ReduceByShuffles{.values = {{"total", "sum", "sum_reduce"}},
                                                              .width = static_cast<int>(layout_.width)}
                                         .text(kernel_)
                                   : pieces::ReduceInSharedMemory{.values = {{"total", "totals", "sum_reduce"}},
                                                                  .block = static_cast<int>(layout_.width),
                                                                  .place = "position"}
                                         .text(kernel_);
        }
        values["rows_of_piece"] = kernel_.fill(sparse_kernels::rows(), values);
    }

    std::string merge(Values& values) {
        values["add_product"] = add_to("total", "values[k]", "x[columns[k]]");
        values["long_row"] = long_row("end");
        values["long_piece"] = long_row("last_entry");
        stage(values);
        values["binned"] = layout_.form == SparseForm::binned;
        values["store"] = store("total");
        values["add_sums"] = plus("a.sum", "b.sum");
        values["add_open"] = plus("open_rows[thread - 1].sum", "total");
        values["add_before"] = plus("before.sum", "total");
        const std::size_t alignment = is_complex() ? layout_.value.size_bytes() / 2 : layout_.value.size_bytes();
        const pieces::Item item{
            .name = "open_row", .type = "open_row", .bytes = alignment + layout_.value.size_bytes()};
        const bool shuffles = layout_.warps && !layout_.serial && layout_.block >= 32;
        values["shuffles"] = shuffles;
        if (layout_.form == SparseForm::binned) fill_bins(values, layout_.value, kernel_);
        values["exchange"] = shuffles ? pieces::Exchange{.item = item}.text(kernel_) : std::string();
        const std::uint32_t resident = layout_.form == SparseForm::binned && shuffles ? sparse_bin_resident : 0;
        values["resident"] = pieces::ResidentBlocks{.block = static_cast<int>(layout_.block), .count = resident}.text();
        const int block = static_cast<int>(layout_.block);
        values["scan"] =
            pieces::ScanInSharedMemory{.item = item, .shared = "open_rows", .count = gemel::text(block), .block = block}
                .text(kernel_);
        Values carried = values;
        carried["block"] = block;
        carried["add_carry"] = plus("total", "carries[tile]");
        carried["added"] = plus("y[y_begin + row]", layout_.scaled ? times("alpha", "total") : "total");
        return kernel_.fill(layout_.serial ? sparse_kernels::merge_serial() : sparse_kernels::merge(), values) + "\n" +
               kernel_.fill(sparse_kernels::carries(), carried);
    }

    void slices(Values& values) {
        values["add_product"] = add_to("total", "values[k]", "x[columns[k]]");
        values["add_four"] = add_to("total", "value[u]", "x[at[u]]");
        values["store"] = store("total");
        values["rows_of_piece"] = kernel_.fill(sparse_kernels::slices(), values);
    }

    /// Adds a product unless its entry is zero.
    std::string add_entry(const std::string& total, const std::string& other) const {
        return gemel::text(total, " = ", is_not_zero("value"), " ? ", plus(total, times("value", other)), " : ", total,
                           ";");
    }

    void diagonals(Values& values) {
        values["add_product"] = add_entry("total", "x[at]");
        values["add_known"] = add_entry("total", "other[d]");
        values["store"] = store("total");
        values["rows_of_piece"] = kernel_.fill(sparse_kernels::diagonals(), values);
    }

    /// Threads that process many rows each.
    std::string serial(Values& values) {
        if (layout_.form == SparseForm::rows) {
            name_columns(values);
            values["add_product"] = add_to("total", "values[k]", gemel::text(operand(), "[columns[k]]"));
            values["store"] = store("total");
            values["long_row"] = long_row("end");
            return kernel_.fill(sparse_kernels::rows_serial(), values);
        }
        values["store"] = store("totals[r]");
        if (layout_.form == SparseForm::slices) {
            values["add_product"] = add_to("totals[r]", "values[k]", "x[columns[k]]");
            return kernel_.fill(sparse_kernels::slices_serial(), values);
        }
        values["tile"] = diagonal_tile;
        values["add_product"] = add_entry("totals[r]", "part[r]");
        return kernel_.fill(sparse_kernels::diagonals_serial(), values);
    }

    std::string several(Values& values) {
        values["tile"] = vector_tile;
        values["add_product"] = layout_.serial ? add_to("totals[r]", "value", "part[r]")
                                               : add_to("total", "values[k]", "x[columns[k] * vectors]");
        values["store"] = store(layout_.serial ? "totals[r]" : "total");
        return kernel_.fill(layout_.serial ? sparse_kernels::several_serial() : sparse_kernels::several(), values);
    }

    SparseLayout layout_;
    std::string type_, index_;
    std::string functions_;    ///< before the kernels
    std::string sums_;         ///< what a row adds to the sums
    std::string shared_sums_;  ///< the shared arrays in which a block adds the sums
    KernelText& kernel_;
};

}  // namespace

std::string sparse_source(const SparseLayout& layout, const Dialect& dialect) {
    KernelText kernel(dialect);
    return Product(layout, kernel).text();
}

SparsePart sparse_part(const SparseLayout& layout, KernelText& kernel) { return Product(layout, kernel).part(); }

}  // namespace gemel::codegen
