"""Random expressions with reductions in them, and what NumPy 2 makes of each: for numpy_rows.cpp.

    numpy_rows.py FOLDER CASES SEED

FOLDER receives arrays.npz, the operands; expected.npz, a result per case; and cases.txt: per line a case's number, its largest
distance from NumPy, its operands (name=array, separated by commas) and its text, separated by tabs.

A value is exact if all numbers in it are integers that its type holds: then both sides must agree in every bit, and places of
extremes and truth values may be asked for. Others come with the largest magnitude met on the way, which rounding errors are
measured by."""
import random
import sys
import warnings

import numpy as np

EXTENTS = (1, 2, 3, 7, 16, 33, 70, 131)
TYPES = ("float32", "float64", "int32", "uint8", "bool", "float16")
EXACT_BELOW = {"float16": 2**9, "float32": 2**22, "float64": 2**50}
PRECISION = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-11}


class Value:
    def __init__(self, text, value, exact, scale, precision):
        self.text, self.value, self.exact = text, np.asarray(value), exact
        finite = np.abs(self.value[np.isfinite(self.value)].astype(np.float64))
        self.scale = max(scale, float(finite.max()) if finite.size else 0.0, 1.0)
        name = self.value.dtype.name
        self.precision = max(precision, PRECISION.get(name, 0.0))
        self.exact = exact and self.scale < EXACT_BELOW.get(name, 2**62)


def follow(text, value, *parts, exact=True):
    return Value(text, value, exact and all(p.exact for p in parts), max(p.scale for p in parts),
                 max(p.precision for p in parts))


class Cases:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arrays = {}

    def operand(self, shape, name):
        dtype = self.random.choice(TYPES)
        generator = np.random.default_rng(self.random.getrandbits(32))
        if dtype == "bool":
            value = generator.integers(0, 2, shape).astype(bool)
        else:
            value = generator.integers(0 if dtype == "uint8" else -6, 7, shape).astype(dtype)
        if dtype.startswith("float") and value.size and self.random.random() < 0.15:
            value.flat[self.random.randrange(value.size)] = self.random.choice((np.nan, np.inf, -np.inf))
        if value.ndim > 1 and self.random.random() < 0.3:
            value = np.asfortranarray(value)
        key = f"a{len(self.arrays)}"
        self.arrays[key] = value
        return key, Value(name, value, True, 0.0, 0.0)

    def axes(self, rank, one):
        chosen = [axis for axis in range(rank) if self.random.random() < 0.5]
        if one:
            chosen = chosen[:1]
        if not chosen or self.random.random() < 0.15:
            return None, ""
        signed = [axis - rank if self.random.random() < 0.5 else axis for axis in chosen]
        return tuple(signed), "".join(f", {axis}" for axis in signed)

    def reduced(self, x):
        functions = ["sum", "max", "min", "mean", "var", "stddev", "norm"]
        if x.exact:
            functions += ["argmax", "argmin", "any", "all", "count_nonzero", "sum", "max"]
        name = self.random.choice(functions)
        one = name.startswith("arg")
        axes, words = self.axes(x.value.ndim, one)
        if one and axes is not None:
            axes = axes[0]
        v, text = x.value, f"{name}({x.text}{words})"
        if v.dtype == bool and name in ("max", "min"):
            return follow(text, getattr(np, name)(v, axis=axes, keepdims=True), x)
        if name in ("max", "min", "sum", "any", "all", "argmax", "argmin"):
            return follow(text, getattr(np, name)(v, axis=axes, keepdims=True), x)
        if name == "count_nonzero":
            return follow(text, np.count_nonzero(v, axis=axes, keepdims=True), x)
        # In double, rounded to the type that NumPy gives: its own variance of halves overflows on the way.
        result = v.dtype if v.dtype.kind == "f" else np.dtype("float64")
        wide = v.astype(np.float64)
        found = {"mean": lambda: np.mean(wide, axis=axes, keepdims=True), "var": lambda: np.var(wide, axis=axes, keepdims=True),
                 "stddev": lambda: np.std(wide, axis=axes, keepdims=True),
                 "norm": lambda: np.sqrt(np.sum(wide * wide, axis=axes, keepdims=True))}[name]()
        grown = follow(text, found.astype(result), x, exact=False)
        if name == "var":
            grown.scale = max(grown.scale, x.scale**2)
        return grown

    def tree(self, leaves, operations):
        if operations <= 0:
            return self.random.choice(leaves)
        kind = self.random.randrange(10)
        if kind < 4:
            return self.reduced(self.tree(leaves, operations - 1))
        if kind < 7:
            left = self.tree(leaves, (operations - 1) // 2)
            right = self.tree(leaves, operations - 1 - (operations - 1) // 2)
            both_bool = left.value.dtype == bool and right.value.dtype == bool
            sign = self.random.choice("+*" if both_bool else "+-*")
            a, b = left.value, right.value
            value = a + b if sign == "+" else a - b if sign == "-" else a * b
            return follow(f"({left.text} {sign} {right.text})", value, left, right)
        x = self.tree(leaves, operations - 1)
        v, t = x.value, x.text
        if kind == 7:
            if v.dtype == bool:
                return follow(f"({t} + 1)", v + 1, x)
            return follow(f"maximum({t}, 2)", np.maximum(v, 2), x)
        if kind == 8 and v.dtype.kind == "f":
            return follow(f"exp(-abs({t}))", np.exp(-np.abs(v)), x, exact=False)
        if v.dtype.kind == "f":
            return follow(f"({t} / (1 + abs({t})))", v / (1 + np.abs(v)), x, exact=False)
        return follow(f"({t} * 0.5)", v * 0.5, x, exact=False)

    def case(self):
        shape = tuple(self.random.choice(EXTENTS) for _ in range(self.random.choice((1, 2, 2, 2, 3))))
        names = [self.operand(shape, "x")]
        if self.random.random() < 0.6:
            names.append(self.operand(shape, "y"))
        if self.random.random() < 0.4:
            names.append(self.operand(shape[-1:], "row"))
        if len(shape) > 1 and self.random.random() < 0.4:
            names.append(self.operand(shape[:-1] + (1,), "column"))
        leaves = [value for _, value in names]
        result = self.reduced(self.tree(leaves, self.random.randrange(1, 5)))
        if self.random.random() < 0.7:
            other = self.tree(leaves, self.random.randrange(0, 3))
            both_bool = other.value.dtype == bool and result.value.dtype == bool
            value = other.value + result.value if both_bool else other.value - result.value
            result = follow(f"({other.text} {'+' if both_bool else '-'} {result.text})", value, other, result)
        operands = ",".join(f"{value.text}={key}" for key, value in names)
        distance = 0.0 if result.exact else result.scale * result.precision
        return result.value, f"{distance!r}\t{operands}\t{result.text}"


def main():
    folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    cases, expected, lines = Cases(seed), {}, []
    while len(lines) < count:
        value, line = cases.case()
        if value.dtype == np.float16 and not np.isfinite(value).all():
            continue  # NumPy's halves overflow on the way, gemel's are floats there
        expected[f"e{len(lines)}"] = value
        lines.append(f"{len(lines)}\t{line}")
    np.savez(f"{folder}/arrays.npz", **cases.arrays)
    np.savez(f"{folder}/expected.npz", **expected)
    with open(f"{folder}/cases.txt", "w") as file:
        file.write("\n".join(lines) + "\n")


main()
