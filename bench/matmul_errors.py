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


def main(folder):
    torch.backends.cuda.matmul.allow_tf32 = False
    rows = {}
    for line in (folder / "errors.jsonl").read_text().splitlines():
        cell = json.loads(line)
        rows.setdefault((cell["number"], cell["case"]), {})[cell["precision"]] = cell
    print("| case | exact | split | cuBLAS | split / cuBLAS |")
    print("|---|---|---|---|---|")
    missed = 0
    for (number, name), row in rows.items():
        largest, mean = errors(numpy.load(folder / f"{number}_a.npy"), numpy.load(folder / f"{number}_b.npy"))
        cells = [f"{row[p]['largest']:.1e} ({row[p]['root_mean_square']:.1e})" for p in ("exact", "split")]
        # Where cuBLAS makes no error at all there is nothing to divide by.
        ratio = row["split"]["largest"] / largest if largest > 0 else float(row["split"]["largest"] > 0) * float("inf")
        missed += not ratio <= 1
        mark = "**" if not ratio <= 1 else ""
        print(f"| {name} | {cells[0]} | {cells[1]} | {largest:.1e} ({mean:.1e}) | {mark}{ratio:.2f}{mark} |")
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (pathlib.Path(sys.argv[1]) / "errors.jsonl").exists():
        sys.exit("usage: matmul_errors.py DIR    DIR has errors.jsonl, the output of: matmul_errors DIR")
    sys.exit(main(pathlib.Path(sys.argv[1])))
