/// Expressions over arrays that are not contiguous: broadcasts of any axes, slices, steps, arrays read backwards,
/// results written into slices, and reductions of all these. One JSON line per cell; bench/forms_peers.py times PyTorch
/// and NumPy over the same cells. Each result is compared with the same expression of contiguous copies.
///
///     forms_grid [--small] [--only TEXT] [--list]
///
/// --small: shapes for CPU devices; --only: cells whose name holds TEXT; --list: names the cells and runs nothing.
#include "harness.hpp"

#include <gemel/arrays/join.hpp>
#include <gemel/arrays/rearrange.hpp>

#include <functional>
#include <string>
#include <vector>

namespace {

using namespace bench;
using gemel::AnyArray;
using gemel::AnyExpr;
using gemel::slice;

/// What the expressions are made of: x; vectors along the second axis (channel) and the last (row); what is constant
/// along the second axis (lines), the last (column), and all (one).
struct Operands {
    AnyArray x, channel, lines, row, column, one;
};

struct Form {
    std::string name;
    double traffic;  ///< elements read and written, in units of those of x
    std::function<AnyArray(const Operands&)> run;
    bool is_for_whole_numbers = true;
};

gemel::Slice all() { return slice(); }
std::int64_t extent(const AnyArray& x, std::size_t axis) { return x.shape()[axis]; }
AnyArray cut(const AnyArray& x) { return x(all(), all(), slice(1, extent(x, 2))); }
AnyArray rows_cut(const AnyArray& x) { return x(all(), slice(1, extent(x, 1))); }
AnyArray rows_before(const AnyArray& x) { return x(all(), slice(0, extent(x, 1) - 1)); }
AnyArray second_rows(const AnyArray& x) { return x(all(), slice(0, extent(x, 1), 2)); }
AnyArray second_columns(const AnyArray& x) { return x(all(), all(), slice(0, extent(x, 2), 2)); }

std::vector<Form> broadcasts() {
    return {{"x * channel", 2, [](const Operands& o) { return (AnyExpr(o.x) * o.channel).eval(); }},
            {"x * lines", 2, [](const Operands& o) { return (AnyExpr(o.x) * o.lines).eval(); }},
            {"x * column", 2, [](const Operands& o) { return (AnyExpr(o.x) * o.column).eval(); }},
            {"x * one", 2, [](const Operands& o) { return (AnyExpr(o.x) * o.one).eval(); }},
            {"(x - channel) * row + lines", 2,
             [](const Operands& o) { return ((AnyExpr(o.x) - o.channel) * o.row + o.lines).eval(); }},
            {"column * row", 1, [](const Operands& o) { return (AnyExpr(o.column) * o.row).eval(); }}};
}

std::vector<Form> slices() {
    return {
        {"x[:, :, 1:] + 1", 2, [](const Operands& o) { return (AnyExpr(cut(o.x)) + 1).eval(); }},
        {"x[:, ::2] + 1", 1, [](const Operands& o) { return (AnyExpr(second_rows(o.x)) + 1).eval(); }},
        {"x[:, :, ::2] + 1", 1.5, [](const Operands& o) { return (AnyExpr(second_columns(o.x)) + 1).eval(); }},
        {"x[:, :, ::-1] + 1", 2, [](const Operands& o) { return (AnyExpr(gemel::flip(o.x, 2)) + 1).eval(); }},
        {"x[:, 1:] - x[:, :-1]", 2,
         [](const Operands& o) { return (AnyExpr(rows_cut(o.x)) - rows_before(o.x)).eval(); }},
        {"x[:, 1:] twice", 4, [](const Operands& o) { return gemel::concatenate({rows_cut(o.x), rows_cut(o.x)}, 1); }},
        {"x[:, :, 1:] twice", 4, [](const Operands& o) { return gemel::concatenate({cut(o.x), cut(o.x)}, 2); }}};
}

std::vector<Form> reductions() {
    return {
        {"sum of x * channel along 1", 1, [](const Operands& o) { return gemel::sum(AnyExpr(o.x) * o.channel, 1); }},
        {"mean of x * row", 1, [](const Operands& o) { return gemel::mean(AnyExpr(o.x) * o.row); }, false},
        {"sum of x along 0 and 2", 1, [](const Operands& o) { return gemel::sum(o.x, {0, 2}); }},
        {"sum of x[:, :, 1:] along 0", 1, [](const Operands& o) { return gemel::sum(cut(o.x), 0); }},
        {"sum of x[:, :, 1:] along 2", 1, [](const Operands& o) { return gemel::sum(cut(o.x), 2); }},
        {"argmax of x[:, :, 1:] along 2", 1, [](const Operands& o) { return gemel::argmax(cut(o.x), 2); }},
        {"var of x[:, :, 1:] along 2", 1, [](const Operands& o) { return gemel::var(cut(o.x), 2); }, false}};
}

struct Cell {
    std::string type;
    std::array<std::int64_t, 3> shape;
    Form form;
    std::string name() const {
        return type + " (" + std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + ", " +
               std::to_string(shape[2]) + ") " + form.name;
    }
};

std::vector<Cell> grid(const GridOptions& options) {
    using Shapes = std::vector<std::array<std::int64_t, 3>>;
    const Shapes shapes = options.small ? Shapes{{4, 256, 4096}, {64, 1337, 49}, {101, 103, 401}}
                                        : Shapes{{32, 1024, 4096}, {2048, 1337, 49}, {511, 513, 511}};
    std::vector<Cell> cells;
    for (const char* type : {"float", "half", "int8"})
        for (const auto& shape : shapes)
            for (const auto& family : {broadcasts(), slices(), reductions()})
                for (const Form& form : family)
                    if (form.is_for_whole_numbers || std::string(type) != "int8") cells.push_back({type, shape, form});
    std::erase_if(cells, [&](const Cell& cell) { return cell.name().find(options.only) == std::string::npos; });
    return cells;
}

/// Numbers from -8 to 8 in steps of a quarter; whole ones for int8.
Operands operands_of(const Cell& cell) {
    const auto [a, b, c] = cell.shape;
    const AnyArray values =
        (AnyExpr(gemel::random::Philox(1).integers<std::int32_t>({a * b * c}, -32, 33)) * 0.25).eval();
    const gemel::DType dtype = cell.type == "float"  ? gemel::dtype_of<float>()
                               : cell.type == "half" ? gemel::dtype_of<gemel::half>()
                                                     : gemel::dtype_of<std::int8_t>();
    const AnyArray x = values.astype(dtype);
    const auto part = [&](std::int64_t d, std::int64_t e, std::int64_t f) {
        return x(slice(0, d * e * f)).copy().reshape({d, e, f});
    };
    return {x.reshape({a, b, c}), part(1, b, 1), part(a, 1, c), part(1, 1, c), part(a, b, 1), part(1, 1, 1)};
}

/// The same operands as contiguous arrays of the shape of x.
Operands spread_out(const Operands& o) {
    const auto spread = [&](const AnyArray& array) { return array.broadcast_to(o.x.shape()).copy(); };
    return {o.x, spread(o.channel), spread(o.lines), spread(o.row), spread(o.column), spread(o.one)};
}

/// The largest difference, relative to values above 1, from the same form of contiguous copies in double.
double largest_error(const Cell& cell, const Operands& o, const AnyArray& got) {
    const bool is_float = cell.type != "int8";
    const Operands whole = spread_out(o);
    const auto wide = [&](const AnyArray& array) { return is_float ? array.astype(gemel::dtype_of<double>()) : array; };
    const AnyArray exact = cell.form.run(
        {wide(whole.x), wide(whole.channel), wide(whole.lines), wide(whole.row), wide(whole.column), wide(whole.one)});
    const AnyExpr away = abs(AnyExpr(got.astype(gemel::dtype_of<double>())) - exact) / (1.0 + abs(AnyExpr(exact)));
    return gemel::GPUArray<double>(gemel::max(away)).item();
}

/// Of elements that are rounded once; 16-bit floats have 11 bits.
double allowed_error(const Cell& cell) { return cell.type == "float" ? 1e-5 : cell.type == "half" ? 1e-3 : 0; }

}  // namespace

int main(int argc, char** argv) try {
    const GridOptions options = grid_options(argc, argv);
    if (options.list) {
        for (const Cell& cell : grid(options))
            print_line({{"cell", cell.name()}, {"form", cell.form.name}, {"type", cell.type}, {"shape", cell.shape}});
        return 0;
    }
    const gemel::Context context = gemel::default_context();
    const gemel::Device device = context.device();
    const bool on_gpu = device.info().type == gemel::DeviceInfo::Type::gpu;
    int wrong = 0;
    for (const Cell& cell : grid(options)) {
        const Operands operands = operands_of(cell);
        AnyArray result;
        const double us = time_of(context, [&] { result = cell.form.run(operands); }, on_gpu);
        const double error = largest_error(cell, operands, result);
        if (!(error <= allowed_error(cell))) {
            std::fprintf(stderr, "%s: error %g, more than %g\n", cell.name().c_str(), error, allowed_error(cell));
            ++wrong;
        }
        const double bytes = cell.form.traffic * static_cast<double>(operands.x.size_bytes());
        print_line({{"cell", cell.name()},
                    {"device", device.id()},
                    {"name", device.name()},
                    {"us", rounded(us, 2)},
                    {"gb_per_s", rounded(bytes / us / 1e3, 1)},
                    {"largest_error", error}});
    }
    return wrong > 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
