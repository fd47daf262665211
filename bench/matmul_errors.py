#!/usr/bin/env python3
"""Errors of PyTorch's (cuBLAS's) float product on the operands that matmul_errors has saved, beside gemel's.

  build/gpu/bin/matmul_errors DIR > DIR/errors.jsonl && python3 bench/matmul_errors.py DIR

Prints a table: the largest error and its root mean square, in units of the sum of |a||b|. Ends non-zero if an error of
`split` is larger than cuBLAS's.
"""
import json
import pathlib
import sys

import numpy
import torch


def errors(a, b):
    """The largest error of torch's product and its root mean square."""
    right = a.astype(numpy.float64) @ b.astype(numpy.float64)
    sizes = numpy.abs(a.astype(numpy.float64)) @ numpy.abs(b.astype(numpy.float64))
    got = (torch.from_numpy(a).cuda() @ torch.from_numpy(b).cuda()).cpu().numpy().astype(numpy.float64)
    error = numpy.abs(got - right) / sizes
    return error.max(), numpy.sqrt((error**2).mean())


def ratio(error, of_cublas):
    """Where cuBLAS makes no error at all there is nothing to divide by."""
    return error / of_cublas if of_cublas > 0 else float("inf") if error > 0 else 0.0


def main(folder):
    torch.backends.cuda.matmul.allow_tf32 = False
    rows = {}
    for line in (folder / "errors.jsonl").read_text().splitlines():
        cell = json.loads(line)
        rows.setdefault((cell["number"], cell["case"]), {})[cell["way"]] = cell
    ways = list(next(iter(rows.values())))
    print("| case | " + " | ".join(ways) + " | cuBLAS | / cuBLAS |")
    print("|---" * (len(ways) + 3) + "|")
    missed = 0
    for (number, name), row in rows.items():
        largest, mean = errors(numpy.load(folder / f"{number}_a.npy"), numpy.load(folder / f"{number}_b.npy"))
        cells = [f"{row[way]['largest']:.1e} ({row[way]['root_mean_square']:.1e})" for way in ways]
        ratios = [ratio(row[way]["largest"], largest) for way in ways if way != "exact"]
        missed += sum(not one <= 1 for one in ratios)
        marked = [f"{one:.2f}" if one <= 1 else f"**{one:.2f}**" for one in ratios]
        print(f"| {name} | {' | '.join(cells)} | {largest:.1e} ({mean:.1e}) | {', '.join(marked)} |")
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (pathlib.Path(sys.argv[1]) / "errors.jsonl").exists():
        sys.exit("usage: matmul_errors.py DIR    DIR has errors.jsonl, the output of: matmul_errors DIR")
    sys.exit(main(pathlib.Path(sys.argv[1])))
