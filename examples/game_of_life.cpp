/// Conway's game of life: neighbours are views of one board, and a generation is one expression.
#include <gemel/gemel.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using Board = gemel::GPUArray<std::uint8_t>;
using gemel::slice;

/// One generation; the cells of the rim stay empty.
static void step(const Board& board) {
    // The inner part of the board, moved by a row and a column: a view, nothing is copied.
    const auto moved = [&](int row, int column) {
        const auto range = [](int by) { return by < 1 ? slice(1 + by, -1 + by) : slice(2, {}); };
        return board(range(row), range(column));
    };
    const Board cells = moved(0, 0);
    const Board neighbours = moved(-1, -1) + moved(-1, 0) + moved(-1, 1) + moved(0, -1) + moved(0, 1) + moved(1, -1) +
                             moved(1, 0) + moved(1, 1);
    cells &= neighbours == 2;
    cells |= neighbours == 3;
}

int main() {
    // A glider, which moves by a row and a column in four generations.
    const Board board = gemel::zeros<std::uint8_t>({64, 64});
    const Board glider = gemel::to_gpu(std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1, 1, 1, 1}, {3, 3});
    board(slice(1, 4), slice(1, 4)).assign(glider);

    const Board seen = board.copy();
    for (int generation = 0; generation < 200; ++generation) {
        step(board);
        seen |= board;
    }

    const Board expected = gemel::zeros_like(board);
    expected(slice(51, 54), slice(51, 54)).assign(glider);
    const bool good = gemel::all(board == expected).item();
    std::printf("%s: after 200 generations the glider is %s, and %lld cells were alive at some time\n", good ? "ok" : "wrong",
                good ? "50 rows and columns further" : "not where it should be",
                static_cast<long long>(gemel::count_nonzero(seen).item()));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
