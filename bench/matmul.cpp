/// Products of matrices by size, type, precision and layout. One JSON line per cell; bench/matmul_peers.py times
/// PyTorch and NumPy over the same cells.
///
///     matmul_grid [--small] [--only TEXT] [--list]
///
/// --small: up to 1024, for CPU devices; --only: cells whose name holds TEXT; --list: names the cells and runs nothing.
#include "harness.hpp"

#include <gemel/arrays/matmul.hpp>

#include <string>
#include <vector>

namespace {

using namespace bench;
using gemel::AnyArray;
using gemel::Precision;

struct Cell {
    std::string type, precision;
    std::int64_t batch, rows, inner, columns;
    bool turned;  ///< b is given as a transposed array
    std::string name() const {
        return type + (precision == "exact" ? "" : " " + precision) + " " +
               (batch == 1 ? "" : std::to_string(batch) + " x ") + std::to_string(rows) + " x " +
               std::to_string(inner) + " x " + std::to_string(columns) + (turned ? ", b transposed" : "");
    }
    double flops() const { return 2.0 * static_cast<double>(batch * rows) * static_cast<double>(inner * columns); }
};

std::vector<Cell> grid(bool small, const std::string& only) {
    const std::pair<const char*, const char*> kinds[] = {{"float", "exact"},    {"float", "split"},
                                                         {"float", "tensor"},   {"half", "exact"},
                                                         {"bfloat16", "exact"}, {"double", "exact"}};
    std::vector<Cell> cells;
    for (const auto& [type, precision] : kinds) {
        for (const std::int64_t n : {256, 512, 768, 1000, 1024, 1536, 2048, 4096, 8192}) {
            if (small && n > 1024) continue;
            cells.push_back({type, precision, 1, n, n, n, false});
            if (n == 1024 || n == 4096) cells.push_back({type, precision, 1, n, n, n, true});
        }
        const std::int64_t many = small ? 256 : 4096;
        cells.push_back({type, precision, many, 64, 64, 64, false});
        cells.push_back({type, precision, 1, 16 * many, 64, 64, false});
        cells.push_back({type, precision, 1, 64, 16 * many, 64, false});
        cells.push_back({type, precision, 1, 16, many, many, false});
        cells.push_back({type, precision, 1, many, many, 16, false});
    }
    std::erase_if(cells, [&](const Cell& cell) { return cell.name().find(only) == std::string::npos; });
    return cells;
}

AnyArray operand(const Cell& cell, std::int64_t rows, std::int64_t columns) {
    const gemel::DType dtype = cell.type == "half"       ? gemel::dtype_of<gemel::half>()
                               : cell.type == "bfloat16" ? gemel::dtype_of<gemel::bfloat16>()
                               : cell.type == "double"   ? gemel::dtype_of<double>()
                                                         : gemel::dtype_of<float>();
    const gemel::GPUArray<float> x = gemel::random::randn<float>({cell.batch, rows, columns});
    const AnyArray all = x.astype(dtype);
    return cell.batch == 1 ? all(0) : all;
}

}  // namespace

int main(int argc, char** argv) {
    const GridOptions options = grid_options(argc, argv);
    if (options.list) {
        for (const Cell& cell : grid(options.small, options.only))
            print_line({{"cell", cell.name()},
                        {"type", cell.type},
                        {"precision", cell.precision},
                        {"shape", {cell.batch, cell.rows, cell.inner, cell.columns}},
                        {"turned", cell.turned}});
        return 0;
    }
    const gemel::Context context = gemel::default_context();
    const gemel::Device device = context.device();
    const bool on_gpu = device.info().type == gemel::DeviceInfo::Type::gpu;
    for (const Cell& cell : grid(options.small, options.only)) {
        const AnyArray a = operand(cell, cell.rows, cell.inner);
        const AnyArray b =
            cell.turned ? operand(cell, cell.columns, cell.inner).transpose() : operand(cell, cell.inner, cell.columns);
        const gemel::MatmulOptions how{.precision = cell.precision == "split"    ? Precision::split
                                                    : cell.precision == "tensor" ? Precision::tensor
                                                                                 : Precision::exact};
        const AnyArray c = gemel::matmul(a, b, how);
        const auto call = [&] { gemel::matmul_into(c, a, b, how); };
        const double us = time_of(context, call, on_gpu, calls_for(time_of(context, call, on_gpu)));
        // Beside the same in double, a few rows and columns of the last matrix.
        const gemel::DType exact = gemel::dtype_of<double>();
        const auto last = [&](const AnyArray& x) { return cell.batch == 1 ? x : x(-1); };
        const AnyArray few_a = last(a)(gemel::slice(0, 8)).astype(exact),
                       few_b = last(b)(gemel::slice(), gemel::slice(0, 8)).astype(exact);
        const AnyArray wrong = gemel::matmul(few_a, few_b) - last(c)(gemel::slice(0, 8), gemel::slice(0, 8));
        const double error = gemel::GPUArray<double>(gemel::max(abs(gemel::AnyExpr(wrong)))).item();
        print_line({{"cell", cell.name()},
                    {"device", device.id()},
                    {"name", device.name()},
                    {"us", rounded(us, 2)},
                    {"tflop_per_s", rounded(cell.flops() / us / 1e6, 2)},
                    {"largest_error", error}});
    }
}
