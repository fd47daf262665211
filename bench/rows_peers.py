"""PyTorch on CUDA (eager, and compiled where the compiler is there), or NumPy, over the cells that `rows_grid --list` names.

    rows_grid --list | rows_peers.py torch
    rows_grid --small --list | rows_peers.py numpy

One JSON line per cell: device time of a call by events for PyTorch, of 40 calls that follow each other up to 2^20 elements; wall time for
NumPy; medians. A library that is not installed prints nothing."""
import json
import sys
import time

ROUNDS = 15


def median(times):
    return sorted(times)[len(times) // 2]


def report(peer, cell, microseconds):
    print(json.dumps({"peer": peer, "cell": cell["cell"], "us": round(microseconds, 2)}), flush=True)


def torch_cells(cells):
    import torch

    def softmax(x, axis):
        return torch.softmax(x, axis)

    def standardize(x, axis):
        centred = x - x.mean(axis, keepdim=True)
        return centred / torch.sqrt((centred * centred).mean(axis, keepdim=True) + 1e-5)

    functions = {"softmax": softmax, "standardize": standardize}

    def microseconds(call, calls):
        times = []
        for k in range(-3, ROUNDS):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(calls):
                call()
            end.record()
            end.synchronize()
            if k >= 0:
                times.append(begin.elapsed_time(end) * 1e3 / calls)
        return median(times)

    for cell in cells:
        x = torch.randn(cell["shape"], device="cuda", dtype=getattr(torch, {"float": "float32"}.get(cell["type"], cell["type"])))
        function, axis = functions[cell["operation"]], cell["axis"]
        calls = 40 if x.numel() <= 1 << 20 else 1
        report("PyTorch", cell, microseconds(lambda: function(x, axis), calls))
        try:
            compiled = torch.compile(function)
            report("torch.compile", cell, microseconds(lambda: compiled(x, axis), calls))
        except Exception as error:  # no compiler on the machine
            print(f"torch.compile: {type(error).__name__}", file=sys.stderr)


def numpy_cells(cells):
    import numpy as np

    def softmax(x, axis):
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    def standardize(x, axis):
        centred = x - x.mean(axis, keepdims=True)
        return centred / np.sqrt((centred * centred).mean(axis, keepdims=True) + np.float32(1e-5))

    functions = {"softmax": softmax, "standardize": standardize}
    for cell in cells:
        if cell["type"] != "float":
            continue
        x = np.random.default_rng(1).standard_normal(cell["shape"], dtype=np.float32)
        times = []
        for _ in range(7):
            start = time.perf_counter()
            functions[cell["operation"]](x, cell["axis"])
            times.append((time.perf_counter() - start) * 1e6)
        report("NumPy", cell, median(times))


def main():
    cells = [json.loads(line) for line in sys.stdin]
    try:
        {"torch": torch_cells, "numpy": numpy_cells}[sys.argv[1]](cells)
    except ImportError as error:
        print(f"rows_peers: {error}", file=sys.stderr)


main()
