"""PyTorch on CUDA (cuBLAS), or NumPy, over the cells that `matmul_grid --list` names.

    matmul_grid --list | matmul_peers.py torch
    matmul_grid --small --list | matmul_peers.py numpy

One JSON line per cell: device time of a call by events for PyTorch, wall time for NumPy; medians of times of several calls in a row. float is cuBLAS's own float product
beside `exact` and `split`, and tf32 beside `tensor`. NumPy has no 16-bit products by BLAS: those cells are left out."""
import json
import sys
import time

ROUNDS = 9


def report(peer, cell, microseconds):
    flops = 2.0
    for extent in cell["shape"]:
        flops *= extent
    print(json.dumps({"peer": peer, "cell": cell["cell"], "us": round(microseconds, 2),
                      "tflop_per_s": round(flops / microseconds / 1e6, 2)}), flush=True)


def median_of(call, microseconds):
    """Of times of several calls that follow each other: as many as take 400 us."""
    def median(calls):
        def several():
            for _ in range(calls):
                call()
        times = [microseconds(several) / calls for _ in range(ROUNDS + 2)][2:]
        return sorted(times)[len(times) // 2]

    return median(min(max(int(400 / median(1)), 1), 40))


def extents(cell):
    batch, rows, inner, columns = cell["shape"]
    front = [] if batch == 1 else [batch]
    return front + [rows, inner], front + ([columns, inner] if cell["turned"] else [inner, columns])


def torch_cells(cells):
    import torch

    def microseconds(call):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3

    names = {"float": "float32", "half": "float16", "double": "float64"}
    for cell in cells:
        dtype = getattr(torch, names.get(cell["type"], cell["type"]))
        torch.backends.cuda.matmul.allow_tf32 = cell["precision"] == "tensor"
        a, b = (torch.randn(shape, device="cuda").to(dtype) for shape in extents(cell))
        if cell["turned"]:
            b = b.transpose(-1, -2)
        out = torch.matmul(a, b)
        report("PyTorch", cell, median_of(lambda: torch.matmul(a, b, out=out), microseconds))


def numpy_cells(cells):
    import numpy as np

    def microseconds(call):
        start = time.perf_counter()
        call()
        return (time.perf_counter() - start) * 1e6

    for cell in cells:
        if cell["type"] not in ("float", "double") or cell["precision"] != "exact":
            continue
        dtype = {"float": np.float32, "double": np.float64}[cell["type"]]
        a, b = (np.random.default_rng(1).standard_normal(shape).astype(dtype) for shape in extents(cell))
        if cell["turned"]:
            b = b.swapaxes(-1, -2)
        out = np.matmul(a, b)
        report("NumPy", cell, median_of(lambda: np.matmul(a, b, out=out), microseconds))


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("torch", "numpy"):
        sys.exit("usage: matmul_grid --list | matmul_peers.py torch|numpy")
    cells = [json.loads(line) for line in sys.stdin if line.strip()]
    try:
        {"torch": torch_cells, "numpy": numpy_cells}[sys.argv[1]](cells)
    except ImportError as error:
        print(f"matmul_peers.py: {error}", file=sys.stderr)


main()
