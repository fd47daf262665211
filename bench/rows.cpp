/// Rows in one pass: softmax and standardize from plain operators, by row length, columns and type; of 2^20 elements by
/// the library's functions, in calls that follow each other, so that the host's work counts. One JSON line per cell;
/// bench/rows_peers.py times PyTorch and NumPy over the same cells.
///
///     rows_grid [--small] [--only TEXT] [--list]
///
/// --small: 2^22 elements, for CPU devices; --only: cells whose name holds TEXT; --list: names the cells and runs
/// nothing.
#include "harness.hpp"

#include <gemel/arrays/lazy.hpp>

#include <string>
#include <vector>

namespace {

using namespace bench;
using gemel::AnyArray;
using gemel::AnyExpr;

struct Cell {
    std::string operation, type;
    std::int64_t rows, columns;
    int axis;
    std::string name() const {
        return operation + " " + type + " (" + std::to_string(rows) + ", " + std::to_string(columns) + ") along " +
               std::to_string(axis);
    }
    bool is_short() const { return rows * columns <= std::int64_t{1} << 20; }
};

std::vector<Cell> grid(bool small, const std::string& only) {
    const std::int64_t elements = std::int64_t{1} << (small ? 22 : 27);
    std::vector<Cell> cells;
    for (const char* type : {"float", "bfloat16"})
        for (const char* operation : {"softmax", "standardize"}) {
            for (const int exponent : {10, 12, 14, 15, 16, 17, 18, 20}) {
                const std::int64_t length = std::int64_t{1} << exponent;
                if (!small || exponent <= 16) cells.push_back({operation, type, elements / length, length, 1});
            }
            for (const std::int64_t length : {3, 10, 20, 31, 63, 127, 257, 1021, 2047, 3001, 8191, 16383})
                cells.push_back({operation, type, elements / length, length, 1});
            for (const std::int64_t length : {1 << 9, 1 << 12})
                cells.push_back({operation, type, length, elements / length, 0});
            for (const std::int64_t length : {1 << 8, 1 << 10, 1 << 14})
                cells.push_back({operation, type, (1 << 20) / length, length, 1});
            cells.push_back({operation, type, 1 << 10, 1 << 10, 0});
        }
    std::erase_if(cells, [&](const Cell& cell) { return cell.name().find(only) == std::string::npos; });
    return cells;
}

/// From operators, as a user writes them.
AnyExpr expression_of(const Cell& cell, const AnyArray& x) {
    namespace lazy = gemel::lazy;
    if (cell.operation == "softmax") {
        const AnyExpr e = exp(AnyExpr(x) - lazy::max(x, cell.axis));
        return e / lazy::sum(e, cell.axis);
    }
    const AnyExpr centred = AnyExpr(x) - lazy::mean(x, cell.axis);
    return centred / sqrt(lazy::mean(centred * centred, cell.axis) + 1e-5);
}

template <class T>
void evaluate_anew(const Cell& cell, const AnyArray& x, AnyArray& y) {
    const gemel::GPUArray<T> typed(x);
    y = cell.operation == "softmax" ? gemel::softmax(typed, cell.axis).eval()
                                    : gemel::standardize(typed, cell.axis, 1e-5).eval();
}

/// The time of a call, and the values in y.
double measure(const Cell& cell, const gemel::Context& context, const AnyArray& x, AnyArray& y, bool on_gpu) {
    if (!cell.is_short()) {
        const AnyExpr e = expression_of(cell, x);
        return time_of(context, [&] { y.assign(e); }, on_gpu);
    }
    const auto call = [&] {
        cell.type == "float" ? evaluate_anew<float>(cell, x, y) : evaluate_anew<gemel::bfloat16>(cell, x, y);
    };
    return time_of(context, call, on_gpu, 40);
}

}  // namespace

int main(int argc, char** argv) {
    const GridOptions options = grid_options(argc, argv);
    if (options.list) {
        for (const Cell& cell : grid(options.small, options.only))
            print_line({{"cell", cell.name()},
                        {"operation", cell.operation},
                        {"type", cell.type},
                        {"shape", {cell.rows, cell.columns}},
                        {"axis", cell.axis}});
        return 0;
    }
    const gemel::Context context = gemel::default_context();
    const gemel::Device device = context.device();
    const bool on_gpu = device.info().type == gemel::DeviceInfo::Type::gpu;
    for (const Cell& cell : grid(options.small, options.only)) {
        const gemel::DType dtype = cell.type == "float" ? gemel::dtype_of<float>() : gemel::dtype_of<gemel::bfloat16>();
        const AnyArray values = gemel::random::Philox(1).normal<float>({cell.rows, cell.columns});
        const AnyArray x = values.astype(dtype);
        AnyArray y(context, dtype, x.shape());
        const double us = measure(cell, context, x, y, on_gpu);
        // Beside the same in double, row by row of a few.
        const AnyArray few = cell.axis == 1 ? x(gemel::slice(0, 2)) : x(gemel::slice(), gemel::slice(0, 8));
        const AnyArray got = cell.axis == 1 ? y(gemel::slice(0, 2)) : y(gemel::slice(), gemel::slice(0, 8));
        const AnyArray exact = expression_of(cell, few.astype(gemel::dtype_of<double>())).eval();
        const AnyExpr wrong = abs(AnyExpr(got) - exact) / (1e-6 + abs(AnyExpr(exact)));
        const double error = gemel::GPUArray<double>(gemel::max(wrong)).item();
        const double bytes = 2.0 * static_cast<double>(x.size_bytes());
        const std::string plan = gemel::explain(expression_of(cell, x));
        print_line({{"cell", cell.name()},
                    {"device", device.id()},
                    {"name", device.name()},
                    {"us", rounded(us, 2)},
                    {"gb_per_s", rounded(bytes / us / 1e3, 1)},
                    {"kernels", std::stoi(plan)},
                    {"cut", plan.substr(plan.find('\n') + 1)},
                    {"largest_relative_error", error}});
    }
}
