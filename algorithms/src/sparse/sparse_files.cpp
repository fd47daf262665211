/// SciPy's .npz files of sparse matrices.
#include <gemel/algorithms/sparse_files.hpp>

#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/compress.hpp>
#include <gemel/arrays/any_expr.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/arrays/expression.hpp>
#include <gemel/arrays/npy.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace gemel::sparse {
namespace {

/// One open file: every error names it.
class Archive {
   public:
    Archive(const Context& context, const std::filesystem::path& path, DType dtype)
        : context_(context), path_(path), file_(path), dtype_(dtype) {}

    AnyMatrix matrix() const {
        if (!file_.contains("format")) refuse("it has no array 'format', which scipy.sparse.save_npz writes");
        const std::string format = file_.load_word("format");
        const Shape shape = read_shape();
        if (format == "csr" || format == "csc")
            return named([&] {
                return detail::compressed(format == "csc", shape, indices("indptr"), indices("indices"), values(1), {});
            });
        if (format == "coo")
            return named([&] { return detail::coo(shape, indices("row"), indices("col"), values(1), {}); });
        if (format == "dia") return diagonals(shape);
        refuse(text("its format is '", format, "', expected csr, csc, coo or dia; convert it with tocsr()"));
    }

   private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(text("sparse::load_npz: '", path_.string(), "': ", what));
    }
    /// Adds the file's name to errors about its arrays.
    template <class Make>
    AnyMatrix named(const Make& make) const {
        try {
            return make();
        } catch (const ArgumentError& error) {
            if (std::string_view(error.what()).starts_with("sparse::load_npz: '")) throw;
            throw ArgumentError(text("sparse::load_npz: '", path_.string(), "': ", error.what()));
        } catch (const OutOfMemory& error) {
            throw OutOfMemory(text("sparse::load_npz: '", path_.string(), "': ", error.what()));
        }
    }

    AnyArray load(const char* name) const { return file_.load(context_, name); }

    Shape read_shape() const {
        const AnyArray shape = load("shape");
        if (shape.rank() != 1 || shape.size() != 2 || !shape.dtype().is_integer())
            refuse(text("its 'shape' has shape ", to_string(shape.shape()), " of ", shape.dtype().name(),
                        ", expected two integers"));
        const std::vector<std::int64_t> extents = shape.astype(dtype_of<std::int64_t>()).get<std::int64_t>();
        if (extents[0] < 0 || extents[1] < 0)
            refuse(text("its shape is (", extents[0], ", ", extents[1], "), expected extents of at least 0"));
        return {extents[0], extents[1]};
    }

    AnyArray indices(const char* name) const {
        const AnyArray array = load(name);
        if (array.rank() != 1 || !array.dtype().is_integer())
            refuse(text("its '", name, "' has shape ", to_string(array.shape()), " of ", array.dtype().name(),
                        ", expected one axis of integers"));
        return array;
    }

    AnyArray values(std::size_t rank) const {
        const AnyArray array = load("data");
        if (array.rank() != rank)
            refuse(text("its 'data' has shape ", to_string(array.shape()), ", expected ", rank,
                        rank == 1 ? " axis" : " axes"));
        if (array.dtype().kind() == DType::Kind::complex && dtype_.kind() != DType::Kind::complex)
            throw ArgumentError(text("sparse::load_npz: '", path_.string(), "': its values are ", array.dtype().name(),
                                     ", which ", dtype_.name(), " cannot hold; load a matrix of ",
                                     array.dtype().name()));
        return array.dtype() == dtype_ ? array : array.astype(dtype_);
    }

    /// SciPy's data[d, j] belongs to column j of diagonal d.
    AnyMatrix diagonals(const Shape& shape) const {
        const AnyArray data = values(2), offsets = indices("offsets");
        if (static_cast<std::int64_t>(offsets.size()) != data.shape()[0])
            refuse(text("it has ", offsets.size(), " offsets for ", data.shape()[0], " diagonals"));
        const std::int64_t length = data.shape()[1], slots = data.shape()[0] * length;
        const AnyArray rows(context_, dtype_of<std::int64_t>(), Shape{slots}), columns = rows.copy();
        const AnyArray is_entry(context_, dtype_of<std::uint8_t>(), Shape{slots});
        if (slots > 0)
            diagonal_position_kernel()(rows, columns, is_entry, offsets.astype(dtype_of<std::int64_t>()), length,
                                       shape[0], shape[1]);
        return named([&] { return from_slots(shape, rows, columns, data.ravel(), is_entry).to(Format::dia); });
    }

    AnyMatrix from_slots(const Shape& shape, const AnyArray& rows, const AnyArray& columns, const AnyArray& data,
                         const AnyArray& is_entry) const {
        AnyArray filled(context_, dtype_of<bool>(), data.shape());
        if (data.size() > 0) filled.assign((data != 0) & (is_entry != 0));
        return detail::coo(shape, compress(rows, filled), compress(columns, filled), compress(data, filled), {});
    }

    const Context& context_;
    const std::filesystem::path& path_;
    const NpzFile file_;
    const DType dtype_;
};

using Arrays = std::map<std::string, AnyArray>;

void add_diagonals(Arrays& arrays, const MatrixState& matrix) {
    const Entries& a = matrix.entries;
    const std::int64_t diagonals = matrix.form.diagonals;
    arrays["offsets"] = diagonals == 0 ? AnyArray(a.context, a.index(), Shape{0}) : matrix.form.offsets;
    const AnyArray data = zeros(a.context, a.value(), Shape{diagonals, a.columns});
    if (data.size() > 0 && a.rows > 0)
        shift_diagonals_kernel()(data, matrix.form.values, matrix.form.offsets, a.rows, a.columns);
    arrays["data"] = data;
}

}  // namespace

void detail::save_npz(const std::filesystem::path& path, const AnyMatrix& matrix) {
    const MatrixState& state = matrix.state("sparse::save_npz");
    const Entries& a = state.entries;
    Arrays arrays{{"shape", to_gpu(a.context, std::vector<std::int64_t>{a.rows, a.columns})}};
    std::string format = "csr";
    if (state.format == Format::dia) {
        format = "dia";
        add_diagonals(arrays, state);
    } else {
        arrays["data"] = a.values;
        if (state.format == Format::coo) {
            format = "coo";
            arrays["row"] = state.form.row_numbers;
            arrays["col"] = a.numbers;
        } else {
            arrays["indptr"] = a.starts;
            arrays["indices"] = a.numbers;
        }
    }
    gemel::save_npz(path, arrays, {{"format", format}});
}

AnyMatrix detail::load_npz(const Context& context, const std::filesystem::path& path, DType dtype) {
    return Archive(context, path, dtype).matrix();
}

}  // namespace gemel::sparse
