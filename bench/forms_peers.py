"""PyTorch on CUDA, or NumPy (one thread), over the cells that `forms_grid --list` names.

    forms_grid --list | forms_peers.py torch
    forms_grid --small --list | forms_peers.py numpy

One JSON line per cell: device time of a call by events for PyTorch, wall time for NumPy, medians, as forms_grid does.
A library that is not installed prints nothing."""
import json
import sys
import time

ROUNDS = 15
FORMS = {
    "x * channel": lambda o: o.x * o.channel,
    "x * lines": lambda o: o.x * o.lines,
    "x * column": lambda o: o.x * o.column,
    "x * one": lambda o: o.x * o.one,
    "(x - channel) * row + lines": lambda o: (o.x - o.channel) * o.row + o.lines,
    "column * row": lambda o: o.column * o.row,
    "x[:, :, 1:] + 1": lambda o: o.x[:, :, 1:] + 1,
    "x[:, ::2] + 1": lambda o: o.x[:, ::2] + 1,
    "x[:, :, ::2] + 1": lambda o: o.x[:, :, ::2] + 1,
    "x[:, :, ::-1] + 1": lambda o: o.backwards(o.x) + 1,
    "x[:, 1:] - x[:, :-1]": lambda o: o.x[:, 1:] - o.x[:, :-1],
    "x[:, 1:] twice": lambda o: o.join((o.x[:, 1:], o.x[:, 1:]), 1),
    "x[:, :, 1:] twice": lambda o: o.join((o.x[:, :, 1:], o.x[:, :, 1:]), 2),
    "sum of x * channel along 1": lambda o: (o.x * o.channel).sum(1),
    "mean of x * row": lambda o: (o.x * o.row).mean(),
    "sum of x along 0 and 2": lambda o: o.x.sum((0, 2)),
    "sum of x[:, :, 1:] along 0": lambda o: o.x[:, :, 1:].sum(0),
    "sum of x[:, :, 1:] along 2": lambda o: o.x[:, :, 1:].sum(2),
    "argmax of x[:, :, 1:] along 2": lambda o: o.x[:, :, 1:].argmax(2),
    "var of x[:, :, 1:] along 2": lambda o: o.variance(o.x[:, :, 1:]),
}


def median(times):
    return sorted(times)[len(times) // 2]


class Operands:
    def __init__(self, x, shape):
        a, b, c = shape
        self.x = x.reshape(shape)

        def part(*lengths):
            return self.copy(x[: lengths[0] * lengths[1] * lengths[2]].reshape(lengths))

        self.channel, self.lines, self.row = part(1, b, 1), part(a, 1, c), part(1, 1, c)
        self.column, self.one = part(a, b, 1), part(1, 1, 1)


class Torch(Operands):
    peer = "PyTorch"

    def __init__(self, cell):
        import torch

        self.torch = torch
        count = cell["shape"][0] * cell["shape"][1] * cell["shape"][2]
        numbers = torch.randint(-32, 33, (count,), device="cuda").to(torch.float32) * 0.25
        super().__init__(numbers.to({"float": torch.float32, "half": torch.float16, "int8": torch.int8}[cell["type"]]), cell["shape"])
        self.join = torch.cat

    def copy(self, x):
        return x.clone()

    def backwards(self, x):
        return self.torch.flip(x, (2,))

    def variance(self, x):
        return self.torch.var(x, 2, correction=0)

    def microseconds(self, call):
        torch, times = self.torch, []
        for k in range(-3, ROUNDS):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            call()
            end.record()
            end.synchronize()
            if k >= 0:
                times.append(begin.elapsed_time(end) * 1e3)
        return median(times)


class NumPy(Operands):
    peer = "NumPy"

    def __init__(self, cell):
        import numpy as np

        count = cell["shape"][0] * cell["shape"][1] * cell["shape"][2]
        numbers = np.random.default_rng(1).integers(-32, 33, count).astype(np.float32) * 0.25
        super().__init__(numbers.astype({"float": np.float32, "half": np.float16, "int8": np.int8}[cell["type"]]), cell["shape"])
        self.join = np.concatenate

    def copy(self, x):
        return x.copy()

    def backwards(self, x):
        return x[:, :, ::-1]

    def variance(self, x):
        return x.var(2)

    def microseconds(self, call):
        times = []
        for _ in range(7):
            start = time.perf_counter()
            call()
            times.append((time.perf_counter() - start) * 1e6)
        return median(times)


def main():
    kind = {"torch": Torch, "numpy": NumPy}[sys.argv[1]]
    try:
        for line in sys.stdin:
            cell = json.loads(line)
            operands, form = kind(cell), FORMS[cell["form"]]
            microseconds = operands.microseconds(lambda: form(operands))
            print(json.dumps({"peer": kind.peer, "cell": cell["cell"], "us": round(microseconds, 2)}), flush=True)
    except ImportError as error:
        print(f"forms_peers: {error}", file=sys.stderr)


main()
