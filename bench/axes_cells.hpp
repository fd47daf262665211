/// The grid of bench/axes.cpp: which operations run over which shapes, along which axes.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace bench {

using Extents = std::vector<std::int64_t>;

/// How an operand lies in memory, whose shape is `stored(cell)`.
enum class Operand { plain, transposed, first_repeats, last_repeats };

/// One figure of the grid.
struct Cell {
    std::string operation;  ///< sum, max, argmax, var, cumsum, "sum of exp(x)", "sum of x*row"
    std::string type;       ///< float, double, half, int8
    Extents shape;          ///< of the operand as the operation sees it
    std::vector<int> axes;
    Operand operand = Operand::plain;
};

inline std::int64_t product(const Extents& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// The array in memory: reversed axes for a transposed operand, an extent of 1 where elements repeat.
inline Extents stored(const Cell& cell) {
    Extents shape = cell.shape;
    if (cell.operand == Operand::transposed) shape.assign(cell.shape.rbegin(), cell.shape.rend());
    if (cell.operand == Operand::first_repeats) shape.front() = 1;
    if (cell.operand == Operand::last_repeats) shape.back() = 1;
    return shape;
}

inline std::string operand_name(Operand operand) {
    switch (operand) {
        case Operand::plain: return "";
        case Operand::transposed: return "transposed";
        case Operand::first_repeats: return "first axis broadcast";
        case Operand::last_repeats: return "last axis broadcast";
    }
    return "";
}

template <class T>
std::string joined(const std::vector<T>& numbers) {
    std::string text;
    for (const T number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

/// E.g. "sum float (256, 4096, 256) axis 1".
inline std::string name_of(const Cell& cell) {
    std::string text =
        cell.operation + " " + cell.type + " (" + joined(cell.shape) + (cell.shape.size() == 1 ? ",)" : ")");
    if (cell.operand != Operand::plain) text += " " + operand_name(cell.operand);
    return text + (cell.axes.size() == 1 ? " axis " : " axes ") + joined(cell.axes);
}

/// Cells are added by operations, types, shapes; every axis of a shape is one cell.
class Grid {
   public:
    void every_axis(const std::vector<std::string>& operations, const std::string& type,
                    const std::vector<Extents>& shapes, Operand operand = Operand::plain) {
        for (const auto& operation : operations)
            for (const auto& shape : shapes)
                for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
                    cells_.push_back({operation, type, shape, {axis}, operand});
    }
    void several_axes(const std::vector<std::string>& operations, const Extents& shape,
                      const std::vector<std::vector<int>>& choices) {
        for (const auto& operation : operations)
            for (const auto& axes : choices) cells_.push_back({operation, "float", shape, axes});
    }
    std::vector<Cell> cells() && { return std::move(cells_); }

   private:
    std::vector<Cell> cells_;
};

inline const std::vector<std::string> all_operations = {"sum", "max", "argmax", "var", "cumsum"};

/// For GPUs: 2^28, 2^24 and 2^20 elements, and odd extents near these.
inline std::vector<Cell> large_grid() {
    constexpr std::int64_t mi = 1 << 20, ki = 1 << 10;
    Grid grid;
    grid.every_axis(all_operations, "float",
                    {{256 * mi},
                     {64 * mi, 4},
                     {4, 64 * mi},
                     {16 * ki, 16 * ki},
                     {16381, 16411},
                     {256, 4 * ki, 256},
                     {251, 4099, 257},
                     {mi, 256},
                     {256, mi},
                     {1000003, 263},
                     {3, 89478485},
                     {64, 64, 64, 1024},
                     {63, 65, 61, 1021}});
    for (const Extents& shape : {Extents{256, 4 * ki, 256}, Extents{251, 4099, 257}})
        grid.several_axes({"sum", "var"}, shape, {{0, 1}, {1, 2}, {0, 2}});
    for (const Extents& shape : {Extents{64, 64, 64, 1024}, Extents{63, 65, 61, 1021}})
        grid.several_axes({"sum", "var"}, shape, {{0, 2}, {1, 3}});
    const std::vector<Extents> some = {{64 * mi, 4}, {4, 64 * mi}, {16 * ki, 16 * ki}, {251, 4099, 257}};
    grid.every_axis({"sum of exp(x)"}, "float", some);
    grid.every_axis({"sum of x*row"}, "float", {{16 * ki, 16 * ki}, {1000003, 263}});
    grid.every_axis({"sum", "argmax", "cumsum"}, "float", {{16 * ki, 16 * ki}, {16381, 16411}, {256, 4 * ki, 256}},
                    Operand::transposed);
    grid.every_axis({"sum"}, "float", {{16 * ki, 16 * ki}}, Operand::first_repeats);
    grid.every_axis({"sum"}, "float", {{16 * ki, 16 * ki}}, Operand::last_repeats);
    grid.every_axis({"sum", "argmax", "var", "cumsum"}, "double", some);
    grid.every_axis({"sum", "max", "var", "cumsum"}, "half", some);
    grid.every_axis({"sum", "max", "argmax"}, "int8", some);
    const std::vector<Extents> short_rows = {{8388593, 31}, {262139, 1021}};
    grid.every_axis({"sum", "max", "argmax", "var"}, "float", short_rows);
    grid.every_axis({"sum", "max", "argmax", "var"}, "half", short_rows);
    grid.every_axis({"sum", "max", "argmax"}, "int8", short_rows);
    grid.every_axis(all_operations, "float",
                    {{4 * mi, 4},
                     {4, 4 * mi},
                     {4 * ki, 4 * ki},
                     {4093, 4099},
                     {256, 256, 256},
                     {251, 257, 263},
                     {64 * ki, 256},
                     {256, 64 * ki},
                     {3, 5592405},
                     {32, 32, 16, 1024}});
    grid.every_axis(all_operations, "float",
                    {{256 * ki, 4},
                     {4, 256 * ki},
                     {ki, ki},
                     {1021, 1031},
                     {101, 103, 101},
                     {16, 16, 16, 256},
                     {3, 349525},
                     {4 * ki, 256},
                     {256, 4 * ki}});
    for (const char* type : {"double", "half"})
        grid.every_axis({"sum", "var"}, type, {{256 * ki, 4}, {4, 256 * ki}, {ki, ki}});
    return std::move(grid).cells();
}

/// For CPU devices: 10^6 to 5 * 10^6 elements.
inline std::vector<Cell> small_grid() {
    Grid grid;
    grid.every_axis(all_operations, "float",
                    {{4000000},
                     {1000000, 4},
                     {4, 1000000},
                     {2048, 2048},
                     {2039, 2053},
                     {4096, 1000},
                     {1000, 4096},
                     {128, 256, 128},
                     {127, 257, 131},
                     {10007, 263},
                     {3, 1398101},
                     {64, 32, 16, 128}});
    grid.several_axes({"sum", "var"}, {128, 256, 128}, {{0, 1}, {1, 2}, {0, 2}});
    grid.several_axes({"sum", "var"}, {64, 32, 16, 128}, {{0, 2}, {1, 3}});
    grid.every_axis({"sum of exp(x)"}, "float", {{1000000, 4}, {4, 1000000}, {4096, 1000}, {127, 257, 131}});
    grid.every_axis({"sum of x*row"}, "float", {{2048, 2048}, {10007, 263}});
    grid.every_axis({"sum", "argmax", "cumsum"}, "float", {{2048, 2048}, {2039, 2053}}, Operand::transposed);
    grid.every_axis({"sum"}, "float", {{2048, 2048}}, Operand::first_repeats);
    grid.every_axis({"sum"}, "float", {{2048, 2048}}, Operand::last_repeats);
    const std::vector<Extents> some = {{1000000, 4}, {4096, 1000}, {127, 257, 131}};
    grid.every_axis({"sum", "argmax", "var", "cumsum"}, "double", some);
    grid.every_axis({"sum", "max"}, "half", some);
    grid.every_axis({"sum", "max", "argmax"}, "int8", some);
    return std::move(grid).cells();
}

}  // namespace bench
