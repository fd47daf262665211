/// Matrix Market files, read and written as text.
#include "exchange/npy_file.hpp"
#include "exchange/output_file.hpp"
#include "sparse/state.hpp"

#include <gemel/algorithms/sparse_files.hpp>
#include <gemel/arrays/creation.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace gemel::sparse {
namespace {

/// The contents of the first line.
struct Kind {
    bool is_array = false, is_pattern = false, is_complex = false, is_integer = false;
    enum class Symmetry : std::uint8_t { general, symmetric, skew, hermitian } symmetry = Symmetry::general;
};

/// Whether a number that no double holds is too small rather than too large.
bool is_below_one(std::string_view digits) {
    long double value = 1;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return std::abs(value) < 1;
}

/// Reads a text by lines and words. Errors name the file and the line.
class LineReader {
   public:
    LineReader(const std::filesystem::path& path, std::string_view text) : path_(path), rest_(text) {}

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(text("sparse::load_mtx: '", path_.string(), "', line ", number_, ": ", what));
    }
    /// The next line, whatever it contains. @returns false at the end
    bool next() {
        if (rest_.empty()) return false;
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        ++number_;
        return true;
    }
    /// The next line that is neither empty nor a comment. @returns false at the end
    bool next_content() {
        while (next()) {
            skip_blanks();
            if (!line_.empty() && line_[0] != '%') return true;
        }
        return false;
    }
    std::string_view word() {
        skip_blanks();
        const std::size_t end = std::min(line_.find_first_of(" \t\r"), line_.size());
        const std::string_view found = line_.substr(0, end);
        line_.remove_prefix(end);
        return found;
    }
    template <class N>
    N number(const char* what) {
        std::string_view digits = word();
        const std::string_view whole = digits;
        if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
        N value{};
        const char* const last = digits.data() + digits.size();
        const auto [end, error] = std::from_chars(digits.data(), last, value);
        if (std::is_floating_point_v<N> && error == std::errc::result_out_of_range && end == last &&
            is_below_one(digits))
            return N{};
        if (error != std::errc() || end != last)
            refuse(whole.empty() ? text(what, " is missing") : text("'", whole, "' is not a valid ", what));
        return value;
    }
    void end_line() {
        if (const std::string_view more = word(); !more.empty())
            refuse(text("'", more, "' follows the last number of the line"));
    }
    /// Checks that only comments follow.
    void end_file() {
        if (next_content()) refuse("expected no more entries than the size line says");
    }

   private:
    void skip_blanks() { line_.remove_prefix(std::min(line_.find_first_not_of(" \t\r"), line_.size())); }

    const std::filesystem::path& path_;
    std::string_view rest_, line_;
    std::size_t number_ = 0;
};

std::string lower(std::string_view word) {
    std::string small(word);
    for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return small;
}

Kind read_kind(LineReader& lines) {
    if (!lines.next() || lower(lines.word()) != "%%matrixmarket")
        lines.refuse("it is not a Matrix Market file: expected %%MatrixMarket at the beginning");
    if (const std::string object = lower(lines.word()); object != "matrix")
        lines.refuse(text("it holds a '", object, "', expected a matrix"));
    const std::string format = lower(lines.word()), field = lower(lines.word()), symmetry = lower(lines.word());
    if (format != "coordinate" && format != "array")
        lines.refuse(text("its format is '", format, "', expected coordinate or array"));
    if (field != "real" && field != "double" && field != "integer" && field != "unsigned-integer" &&
        field != "complex" && field != "pattern")
        lines.refuse(text("its field is '", field, "', expected real, integer, complex or pattern"));
    using Symmetry = Kind::Symmetry;
    Kind kind{.is_array = format == "array",
              .is_pattern = field == "pattern",
              .is_complex = field == "complex",
              .is_integer = field == "integer" || field == "unsigned-integer"};
    if (symmetry == "symmetric")
        kind.symmetry = Symmetry::symmetric;
    else if (symmetry == "skew-symmetric")
        kind.symmetry = Symmetry::skew;
    else if (symmetry == "hermitian")
        kind.symmetry = Symmetry::hermitian;
    else if (symmetry != "general")
        lines.refuse(
            text("its symmetry is '", symmetry, "', expected general, symmetric, skew-symmetric or hermitian"));
    if (kind.symmetry == Symmetry::hermitian && !kind.is_complex)
        lines.refuse(text("expected the symmetry symmetric for the field ", field, ", got hermitian"));
    if (kind.is_array && kind.is_pattern)
        lines.refuse("expected the format coordinate for the field pattern, got array");
    return kind;
}

template <class T>
struct Triples {
    std::vector<std::int64_t> rows, columns;
    std::vector<T> values;

    void add(std::int64_t row, std::int64_t column, T value) {
        rows.push_back(row), columns.push_back(column), values.push_back(value);
    }
    /// Adds an entry and its mirror image.
    void add(std::int64_t row, std::int64_t column, T value, Kind::Symmetry symmetry) {
        add(row, column, value);
        if (symmetry == Kind::Symmetry::general || row == column) return;
        if (symmetry == Kind::Symmetry::skew) value = -value;
        if constexpr (is_complex<T>)
            if (symmetry == Kind::Symmetry::hermitian) value = std::conj(value);
        add(column, row, value);
    }
};

template <class T>
T read_value(LineReader& lines, const Kind& kind) {
    using Real = RealOf<T>;
    if (kind.is_pattern) return T(1);
    const auto number = lines.number<double>("value");
    if (kind.is_integer && number != std::trunc(number)) lines.refuse(text("the value ", number, " is no integer"));
    const auto real = static_cast<Real>(number);
    if (!kind.is_complex) return T(real);
    const auto imaginary = static_cast<Real>(lines.number<double>("imaginary part"));
    if constexpr (is_complex<T>) return T(real, imaginary);
    return T(imaginary);  // not reached: complex files are refused for real matrices
}

template <class T>
void read_coordinates(LineReader& lines, const Kind& kind, const Shape& shape, std::int64_t count,
                      Triples<T>& triples) {
    for (std::int64_t k = 0; k < count; ++k) {
        if (!lines.next_content()) lines.refuse(text("the file ends after ", k, " of ", count, " entries"));
        const auto row = lines.number<std::int64_t>("row"), column = lines.number<std::int64_t>("column");
        if (row < 1 || row > shape[0] || column < 1 || column > shape[1])
            lines.refuse(text("the entry is at row ", row, " and column ", column, ", outside 1 to ", shape[0],
                              " and 1 to ", shape[1]));
        const T value = read_value<T>(lines, kind);
        lines.end_line();
        if (row == column && kind.symmetry == Kind::Symmetry::skew && value != T(0))
            lines.refuse(text("the entry at row ", row, " and column ", column,
                              " is not 0, as those of skew-symmetric matrices are on the diagonal"));
        triples.add(row - 1, column - 1, value, kind.symmetry);
    }
}

/// Column by column; of a symmetric matrix the lower half, without the diagonal if symmetry makes that zero.
template <class T>
void read_array(LineReader& lines, const Kind& kind, const Shape& shape, Triples<T>& triples) {
    const bool is_general = kind.symmetry == Kind::Symmetry::general;
    const std::int64_t above = kind.symmetry == Kind::Symmetry::skew ? 1 : 0;
    for (std::int64_t column = 0; column < shape[1]; ++column)
        for (std::int64_t row = is_general ? 0 : column + above; row < shape[0]; ++row) {
            if (!lines.next_content())
                lines.refuse(text("the file ends before the value at row ", row + 1, " and column ", column + 1));
            const T value = read_value<T>(lines, kind);
            lines.end_line();
            if (value != T(0)) triples.add(row, column, value, kind.symmetry);
        }
}

template <class T>
AnyMatrix read(const Context& context, const std::filesystem::path& path, std::string_view content) {
    LineReader lines(path, content);
    const Kind kind = read_kind(lines);
    if (kind.is_complex && !is_complex<T>)
        throw ArgumentError(text("sparse::load_mtx: '", path.string(), "': its values are complex, which ",
                                 dtype_of<T>().name(), " cannot hold; load a matrix of complex numbers"));
    if (!lines.next_content()) lines.refuse("expected the size line, got the end of the file");
    const auto rows = lines.number<std::int64_t>("number of rows"),
               columns = lines.number<std::int64_t>("number of columns");
    const std::int64_t count = kind.is_array ? 0 : lines.number<std::int64_t>("number of entries");
    lines.end_line();
    if (rows < 0 || columns < 0 || count < 0) lines.refuse("expected sizes of at least 0");
    if (kind.symmetry != Kind::Symmetry::general && rows != columns)
        lines.refuse(
            text("a matrix of ", rows, " rows and ", columns, " columns cannot be symmetric; expected equal numbers"));
    Triples<T> triples;
    if (kind.is_array) {
        read_array(lines, kind, {rows, columns}, triples);
    } else {
        read_coordinates(lines, kind, {rows, columns}, count, triples);
    }
    lines.end_file();
    const auto named = [&](const Error& error) {
        return text("sparse::load_mtx: '", path.string(), "': ", error.what());
    };
    try {
        return detail::coo({rows, columns}, to_gpu(context, triples.rows), to_gpu(context, triples.columns),
                           to_gpu(context, triples.values), {});
    } catch (const ArgumentError& error) {
        throw ArgumentError(named(error));
    } catch (const OutOfMemory& error) {
        throw OutOfMemory(named(error));
    }
}

template <class N>
void append(std::string& line, N value) {
    char digits[64];
    line.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <class T>
void write(const std::filesystem::path& path, const Entries& a) {
    npy::OutputFile file(path);
    std::string line = text("%%MatrixMarket matrix coordinate ", is_complex<T> ? "complex" : "real", " general\n",
                            a.rows, " ", a.columns, " ", a.count, "\n");
    const auto starts = a.starts.astype(dtype_of<std::int64_t>()).get<std::int64_t>();
    const auto columns = a.numbers.astype(dtype_of<std::int64_t>()).get<std::int64_t>();
    const std::vector<T> values = a.values.get<T>();
    for (std::int64_t row = 0; row < a.rows; ++row)
        for (auto k = static_cast<std::size_t>(starts[static_cast<std::size_t>(row)]);
             k < static_cast<std::size_t>(starts[static_cast<std::size_t>(row) + 1]); ++k) {
            append(line, row + 1);
            line += ' ';
            append(line, columns[k] + 1);
            line += ' ';
            if constexpr (is_complex<T>) {
                append(line, values[k].real());
                line += ' ';
                append(line, values[k].imag());
            } else {
                append(line, values[k]);
            }
            line += '\n';
            if (line.size() > 65536) {
                file.write(line.data(), line.size());
                line.clear();
            }
        }
    file.write(line.data(), line.size());
    file.close();
}

}  // namespace

void detail::save_mtx(const std::filesystem::path& path, const AnyMatrix& matrix) {
    const Entries& entries = matrix.state("sparse::save_mtx").entries;
    if (entries.value() == dtype_of<float>()) return write<float>(path, entries);
    if (entries.value() == dtype_of<double>()) return write<double>(path, entries);
    if (entries.value() == dtype_of<cfloat>()) return write<cfloat>(path, entries);
    write<cdouble>(path, entries);
}

AnyMatrix detail::load_mtx(const Context& context, const std::filesystem::path& path, DType dtype) {
    const std::vector<std::byte> bytes = npy::with_error_prefix("sparse::load_mtx", "", path, [&] {
        npy::InputFile file(path);
        return file.read(0, file.size_bytes());
    });
    const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (dtype == dtype_of<float>()) return read<float>(context, path, content);
    if (dtype == dtype_of<double>()) return read<double>(context, path, content);
    if (dtype == dtype_of<cfloat>()) return read<cfloat>(context, path, content);
    return read<cdouble>(context, path, content);
}

}  // namespace gemel::sparse
