"""Writes what NumPy 2 makes of every operator on a type and each of others: numpy_grid.py FOLDER LEFT_TYPE TYPE...

One .npz per pair (A_B.npz), one with numbers of Python (A_weak.npz), and one for the type alone (A.npz); for each case the inputs and
the output, `op.a`, `op.b`, `op.out`. Left out is what has no defined answer: integer division by zero and of the least number by
-1, negative powers of integers (NumPy raises), shifts beyond the width, large powers, complex zero to a negative power (NumPy:
NaN; C: infinity), and square and conj of bools. What NumPy refuses has no case.
"""
import sys
import warnings

import numpy as np

folder, a_type, types = sys.argv[1], sys.argv[2], sys.argv[3:]
warnings.simplefilter("ignore")
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.true_divide,
    "floor_divide": np.floor_divide, "remainder": np.remainder, "power": np.power, "minimum": np.minimum,
    "maximum": np.maximum, "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "left_shift": np.left_shift, "right_shift": np.right_shift, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "atan2": np.arctan2, "hypot": np.hypot, "ldexp": np.ldexp,
}
UNARY = {
    "negative": np.negative, "positive": np.positive, "invert": np.invert, "abs": np.abs, "logical_not": np.logical_not,
    "square": np.square, "real": np.real, "imag": np.imag, "conj": np.conj, "isnan": np.isnan, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "sin": np.sin, "exp": np.exp, "sqrt": np.sqrt,
    "frexp_mantissa": lambda x: np.frexp(x)[0], "frexp_exponent": lambda x: np.frexp(x)[1],
    "modf_fraction": lambda x: np.modf(x)[0], "modf_whole": lambda x: np.modf(x)[1],
}
WEAK = {"true": True, "int": 3, "float": 2.5, "complex": 1.5 - 2j, "large": 16777217, "huge": 1e300}
NOT_FIRST = ("left_shift", "right_shift", "power", "ldexp")


def left(name):
    t = np.dtype(name)
    if t.kind == "b":
        return np.array([0, 1, 1, 0, 1, 0, 0, 1], dtype=t)
    if t.kind in "iu":
        info = np.iinfo(t)
        return np.array([7, info.max, info.min, 100, 0, 3, 1, info.max // 3], dtype=t)
    values = np.array([0.5, -7.25, 3, 1, 0, 0.1, -2, 100], dtype=t)
    return values + np.array([1j, 0, -2j, 0.5j, 0, -1j, 0, 3j], dtype=t) if t.kind == "c" else values


def right(name):
    t = np.dtype(name)
    if t.kind == "b":
        return np.array([0, 0, 1, 1, 1, 1, 0, 0], dtype=t)
    if t.kind == "u":
        return np.array([2, 200, 3, 50, 1, 3, 0, 7], dtype=t)
    if t.kind == "i":
        return np.array([-2, 100, 3, 0, -5, 3, 1, 7], dtype=t)
    values = np.array([-2, 3.5, 0.75, 0.1, 4, 0.1, 1, -3], dtype=t)
    return values + np.array([0, 1j, 2j, -0.5j, 1j, 0, -1j, 0.25j], dtype=t) if t.kind == "c" else values


def suited(op, a, b):
    """The second operand, without the values that have no answer."""
    whole = np.dtype(a.dtype).kind in "biu" and np.dtype(b.dtype).kind in "biu"
    if whole and op in ("floor_divide", "remainder"):
        return np.where(b == 0, np.array(1, b.dtype), b)
    if whole and op == "power":
        return np.abs(b) % np.array(8, b.dtype) if b.dtype.kind != "b" else b
    if whole and op.endswith("shift"):
        return np.abs(b) % np.array(8, b.dtype) if b.dtype.kind != "b" else b
    if op == "power" and "c" in (a.dtype.kind, b.dtype.kind):
        return np.where(a == 0, np.array(1, b.dtype), b)
    return b


def add_case(cases, key, function, *inputs):
    try:
        out = function(*inputs)
    except (TypeError, ValueError, OverflowError):
        return
    for place, value in zip("ab", inputs):
        if isinstance(value, np.ndarray):
            cases[f"{key}.{place}"] = value
    cases[f"{key}.out"] = np.asarray(out)


a = left(a_type)
for b_type in types:
    cases = {}
    for op, function in BINARY.items():
        add_case(cases, op, function, a, suited(op, a, right(b_type)))
    np.savez(f"{folder}/{a_type}_{b_type}.npz", **cases)
cases = {}
for kind, number in WEAK.items():
    for op, function in BINARY.items():
        if kind in ("large", "huge") and (op == "power" or op.endswith("shift")):
            continue
        base = np.where(a == 0, np.array(1, a.dtype), a) if op == "power" else a
        add_case(cases, f"{op}/{kind}", function, base, number)
        if op not in NOT_FIRST:
            divisor = np.where(a == 0, np.array(1, a.dtype), a) if op in ("floor_divide", "remainder") else a
            add_case(cases, f"{op}/{kind} first", lambda x, f=function: f(number, x), divisor)
np.savez(f"{folder}/{a_type}_weak.npz", **cases)
cases = {}
for op, function in UNARY.items():
    if a_type == "bool" and op in ("square", "conj"):
        continue  # int8 in NumPy, bool in gemel
    add_case(cases, op, function, right(a_type) if op in ("exp", "sin", "square") else a)
np.savez(f"{folder}/{a_type}.npz", **cases)
print(f"NumPy {np.__version__}: {a_type} beside {len(types)} types")
