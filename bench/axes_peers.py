"""PyTorch on CUDA, or NumPy (one thread), over the cells that `axes_grid --list` names.

    axes_grid --list | axes_peers.py torch
    axes_grid --small --list | axes_peers.py numpy

One JSON line per cell: the median of device times of a call by events for PyTorch, the shortest wall time for NumPy, as axes_grid does.
A library that is not installed prints nothing."""
import functools
import json
import math
import sys
import time

CACHE_BYTES = 128 << 20
TYPES = {"float": "float32", "double": "float64", "half": "float16", "int8": "int8"}
ITEM_BYTES = {"float": 4, "double": 8, "half": 2, "int8": 1}


def median(times):
    return sorted(times)[len(times) // 2]


def report(peer, cell, microseconds):
    print(json.dumps({"peer": peer, "cell": cell["cell"], "us": round(microseconds, 2)}), flush=True)


class Torch:
    name = "PyTorch"

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("PyTorch finds no CUDA device")
        self.torch = torch

    def memory(self, name, elements):
        self.torch.cuda.empty_cache()
        if name == "int8":
            return self.torch.randint(-16, 16, (elements,), dtype=self.torch.int8, device="cuda")
        return self.torch.rand(elements, dtype=getattr(self.torch, TYPES[name]), device="cuda") - 0.5

    def view(self, memory, start, stop, cell):
        x = memory[start:stop].view(cell["stored"])
        return x.permute(*reversed(range(x.dim()))) if cell["operand"] == "transposed" else x.expand(cell["shape"])

    def call(self, cell, row):
        torch, axes = self.torch, cell["axes"]
        return {
            "sum": lambda x: torch.sum(x, axes),
            "max": lambda x: torch.amax(x, axes),
            "argmax": lambda x: torch.argmax(x, axes[0]),
            "var": lambda x: torch.var(x, axes, correction=0),
            "cumsum": lambda x: torch.cumsum(x, axes[0]),
            "sum of exp(x)": lambda x: torch.sum(torch.exp(x), axes),
            "sum of x*row": lambda x: torch.sum(x * row, axes),
        }[cell["operation"]]

    def microseconds(self, call, operands):
        torch = self.torch

        def one_round(calls):
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for k in range(calls):
                call(operands[k % len(operands)])
            stop.record()
            torch.cuda.synchronize()
            return 1e3 * start.elapsed_time(stop) / calls

        # Some cells take seconds, which one call shows well enough.
        one_round(1)
        once = one_round(1)
        if once > 5e4:
            return once
        calls = int(min(max(1000 / max(one_round(3), 0.5), 2), 100))
        return median([one_round(calls) for _ in range(7)])


class NumPy:
    name = "NumPy"

    def __init__(self):
        import numpy

        self.np = numpy

    def memory(self, name, elements):
        rng = self.np.random.default_rng(1)
        if name == "int8":
            return rng.integers(-16, 16, elements, self.np.int8)
        return (rng.random(elements, self.np.float32) - self.np.float32(0.5)).astype(TYPES[name])

    def view(self, memory, start, stop, cell):
        x = memory[start:stop].reshape(cell["stored"])
        return x.T if cell["operand"] == "transposed" else self.np.broadcast_to(x, cell["shape"])

    def call(self, cell, row):
        np, axes = self.np, tuple(cell["axes"])
        return {
            "sum": lambda x: x.sum(axes),
            "max": lambda x: x.max(axes),
            "argmax": lambda x: x.argmax(axes[0]),
            "var": lambda x: x.var(axes),
            "cumsum": lambda x: x.cumsum(axes[0]),
            "sum of exp(x)": lambda x: np.exp(x).sum(axes),
            "sum of x*row": lambda x: (x * row).sum(axes),
        }[cell["operation"]]

    def microseconds(self, call, operands):
        call(operands[0])
        times = []
        while len(times) < 3 or len(times) < 30 and sum(times) < 0.2:
            start = time.perf_counter()
            call(operands[(len(times) + 1) % len(operands)])
            times.append(time.perf_counter() - start)
        return 1e6 * min(times)


def run(peer, cells):
    most = {}
    for cell in cells:
        most[cell["type"]] = max(most.get(cell["type"], 0), math.prod(cell["stored"]))

    # One type's memory at a time.
    @functools.lru_cache(maxsize=1)
    def memory(name):
        return peer.memory(name, most[name])

    for cell in cells:
        x, n = memory(cell["type"]), math.prod(cell["stored"])
        step = (n + 63) // 64 * 64
        places = min(CACHE_BYTES // (step * ITEM_BYTES[cell["type"]]), (most[cell["type"]] - n) // step + 1, 64)
        operands = [peer.view(x, k * step, k * step + n, cell) for k in range(max(places, 1))]
        try:
            report(peer.name, cell, peer.microseconds(peer.call(cell, x[: cell["shape"][-1]]), operands))
        except RuntimeError as error:
            print(f"{peer.name}: {cell['cell']}: {error}", file=sys.stderr)


def main():
    if sys.argv[1:] not in (["torch"], ["numpy"]):
        sys.exit("usage: axes_grid --list | axes_peers.py torch|numpy")
    try:
        peer = Torch() if sys.argv[1] == "torch" else NumPy()
    except ImportError as error:
        print(f"without {sys.argv[1]}: {error}", file=sys.stderr)
        return
    run(peer, [json.loads(line) for line in sys.stdin])


main()
