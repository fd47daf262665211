"""Random expressions with reductions in them, and what NumPy 2 makes of each: for numpy_rows.cpp.

    numpy_rows.py FOLDER CASES SEED

FOLDER receives arrays.npz, the operands; expected.npz, per case the results and what each element may differ by (errors of
rounding, numpy_values.py); and cases.txt, a line per case with words between tabs:

    number   "ok", or "refused" where NumPy refuses   form   operands (name=array/layout, between commas)   text   option

Forms: value (the expression alone), pair (option: a second text, evaluated together with the first), into (written into an array
whose layout is the option), reduced (option: a function, axes between commas or "all", 1 to keep them as extents of 1).

A tree is evaluated on ten sets of operands of one rank, so that most of them use kernels that are there: the same shape with other
numbers, infinities and NaN, then other extents, among them 0 and 1."""
import random
import sys
import warnings

import numpy as np
import numpy_values as of
from numpy_values import Empty, Undecidable, Value

EXTENTS = {1: (2, 7, 33, 131, 700), 2: (2, 3, 7, 16, 33, 70, 131), 3: (2, 3, 5, 7, 16, 33), 4: (2, 3, 4, 5, 9)}
TYPES = ("float32", "float32", "float64", "int32", "uint8", "int8", "bool", "float16")
SETS = 10


class Node:
    """A text, and how its value follows from those of its parts."""

    def __init__(self, text, function=None, *parts):
        self.text, self.function, self.parts = text, function, parts

    def find(self, known):
        if self not in known:
            known[self] = self.function(*[part.find(known) for part in self.parts])
        return known[self]


class Operand:
    def __init__(self, name, dtype, is_kept):
        self.name, self.dtype, self.is_kept = name, dtype, is_kept
        self.node = Node(name)

    def shape_in(self, shape):
        """The row and the column lack axes or have extent 1 where the operand does not follow the others."""
        if self.name == "row":
            return shape[-1:]
        return tuple(extent if keep else 1 for extent, keep in zip(shape, self.is_kept))


class Tree:
    """One expression over operands of some types and of one rank."""

    def __init__(self, random_numbers, rank):
        self.random, self.rank = random_numbers, rank
        self.operands = [self.operand("x", (True,) * rank)]
        if self.chance(0.6):
            self.operands.append(self.operand("y", (True,) * rank))
        if self.chance(0.4):
            self.operands.append(self.operand("row", (False,) * (rank - 1) + (True,)))
        if rank > 1 and self.chance(0.4):
            self.operands.append(self.operand("column", tuple(self.chance(0.6) for _ in range(rank - 1)) + (False,)))
        shape = tuple(self.random.choice(EXTENTS[rank]) for _ in range(rank))
        self.first = {}
        for one in self.operands:
            self.first[one.node] = Value(np.ones(one.shape_in(shape), one.dtype))
        self.made = []

    def chance(self, probability):
        return self.random.random() < probability

    def operand(self, name, is_kept):
        return Operand(name, self.random.choice(TYPES), is_kept)

    def node(self, text, function, *parts):
        node = Node(text, function, *parts)
        try:
            node.find(self.first)  # for its type
        except Undecidable:
            return parts[0]
        self.made.append(node)
        return node

    def dtype(self, node):
        return node.find(self.first).dtype

    def is_float(self, node):
        return of.is_float(self.dtype(node))

    def is_bool(self, node):
        return self.dtype(node) == bool

    def axes(self, x, one):
        rank = x.find(self.first).value.ndim
        chosen = [axis for axis in range(rank) if self.chance(0.5)]
        self.random.shuffle(chosen)
        if one:
            chosen = chosen[:1]
        if not chosen or self.chance(0.15):
            return None, ""
        signed = [axis - rank if self.chance(0.5) else axis for axis in chosen]
        return tuple(signed), "".join(f", {axis}" for axis in signed)

    def reducible(self, x):
        """A function, and what it is applied to."""
        name = self.random.choice(["sum", "sum", "max", "min", "mean", "var", "stddev", "norm", "prod", "argmax", "argmin",
                                   "any", "all", "count_nonzero"])
        if name == "prod" and not self.is_bool(x):
            x = self.node(f"sign({x.text})", of.signs, x)
        return name, x

    def reduction(self, x):
        name, x = self.reducible(x)
        axes, words = self.axes(x, name.startswith("arg"))
        return self.node(f"{name}({x.text}{words})", lambda v: of.reduced(name, v, axes), x)

    def leaf(self):
        if self.made and self.chance(0.25):
            return self.random.choice(self.made)  # what is named twice is computed once
        return self.random.choice(self.operands).node

    def two(self, operations):
        left = self.tree((operations - 1) // 2)
        right = self.tree(operations - 1 - (operations - 1) // 2)
        kind = self.random.randrange(8)
        if kind < 5:
            sign = self.random.choice("+*" if self.is_bool(left) and self.is_bool(right) else "+-*")
            return self.node(f"({left.text} {sign} {right.text})", lambda a, b: of.arithmetic(sign, a, b), left, right)
        if kind == 5:
            name = self.random.choice(("minimum", "maximum"))
            return self.node(f"{name}({left.text}, {right.text})", lambda a, b: of.extreme(name, a, b), left, right)
        if kind == 6:
            sign = self.random.choice(("<", ">", "==", "!=", "<=", ">="))
            condition = self.node(f"({left.text} {sign} {right.text})", lambda a, b: of.compared(sign, a, b), left, right)
            return self.node(f"where({condition.text}, {left.text}, {right.text})", of.chosen, condition, left, right)
        return self.node(f"({left.text} / {right.text})", of.divided, left, right)

    def one(self, x):
        def number(sign, value):
            return lambda v: of.arithmetic(sign, v, Weak(value))

        t, kind = x.text, self.random.randrange(8)
        if kind == 0:
            return self.node(f"({t} + 1)", number("+", 1), x)
        if kind == 1:
            return self.node(f"({t} * 0.5)", number("*", 0.5), x)
        if kind == 2:
            return self.node(f"maximum({t}, 2)", lambda v: of.extreme("maximum", v, Weak(2)), x)
        if kind == 3 or not self.is_float(x):
            return self.node(f"float({t})", lambda v: of.converted(v, "float32"), x)
        size = self.node(f"abs({t})", lambda v: Value(np.abs(v.value), v.error), x)
        if kind == 4:
            return self.node(f"exp(-{size.text})", lambda v: of.exponential(Value(-v.value, v.error)), size)
        more = self.node(f"(1 + {size.text})", lambda v: of.arithmetic("+", v, Weak(1)), size)
        if kind == 5:
            return self.node(f"({t} / {more.text})", of.divided, x, more)
        function, word = self.random.choice(((of.root_of, "sqrt"), (of.logarithm, "log")))
        return self.node(f"{word}({more.text})", function, more)

    def softmax(self, x):
        axes, words = self.axes(x, False)
        largest = self.node(f"max({x.text}{words})", lambda v: of.reduced("max", v, axes), x)
        shifted = self.node(f"({x.text} - {largest.text})", lambda a, b: of.arithmetic("-", a, b), x, largest)
        e = self.node(f"exp({shifted.text})", of.exponential, shifted)
        total = self.node(f"sum({e.text}{words})", lambda v: of.reduced("sum", v, axes), e)
        return self.node(f"({e.text} / {total.text})", of.divided, e, total)

    def tree(self, operations):
        if operations <= 0:
            return self.leaf()
        kind = self.random.randrange(20)
        if kind < 8:
            return self.reduction(self.tree(operations - 1))
        if kind < 14:
            return self.two(operations)
        x = self.tree(operations - 1)
        return self.softmax(x) if kind == 14 and self.is_float(x) else self.one(x)

    def root(self):
        result = self.reduction(self.tree(self.random.randrange(1, 5)))
        if self.chance(0.7):
            other = self.tree(self.random.randrange(0, 3))
            sign = "+" if self.is_bool(result) and self.is_bool(other) else "-"
            result = self.node(f"({other.text} {sign} {result.text})", lambda a, b: of.arithmetic(sign, a, b), other, result)
        return result


class Weak(Value):
    """A number, which has no part in the type of the result."""

    def __init__(self, number):
        super().__init__(np.asarray(number))
        self.value = number

    def size(self):
        return abs(float(self.value))


class Cases:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arrays, self.expected, self.lines = {}, {}, []

    def drawn(self, shape, dtype, special):
        generator = np.random.default_rng(self.random.getrandbits(32))
        if dtype == "bool":
            return generator.integers(0, 2, shape).astype(bool)
        if dtype.startswith("float") and self.random.random() < 0.3:
            value = np.asarray(generator.normal(0, 2, shape)).astype(dtype)
        else:
            value = np.asarray(generator.integers(0 if dtype == "uint8" else -6, 7, shape)).astype(dtype)
        if special and dtype.startswith("float") and value.size:
            for _ in range(self.random.choice((1, 1, 5))):
                value.flat[self.random.randrange(value.size)] = self.random.choice((np.nan, np.inf, -np.inf))
            if self.random.random() < 0.3:
                value[self.random.randrange(value.shape[0])] = -np.inf
        elif special and dtype.startswith(("int", "uint")) and value.size:
            value.flat[self.random.randrange(value.size)] = np.iinfo(dtype).max
        return value

    def stored(self, value):
        """The array as numpy_rows.cpp finds its layout again: c, f (other order), s (every second element), n (backwards)."""
        layout = "cccfsn"[self.random.randrange(6)]
        key = f"a{len(self.arrays)}"
        self.arrays[key] = np.repeat(value, 2, axis=-1) if layout == "s" else value[::-1].copy() if layout == "n" else value
        return f"{key}/{layout}"

    def shapes(self, rank):
        """Of one tree's sets."""
        def drawn():
            return tuple(self.random.choice(EXTENTS[rank]) for _ in range(rank))
        first = drawn()
        sets = [first] * (SETS - 4) + [drawn()]
        for extent in (0, 1):
            at = self.random.randrange(rank)
            sets.append(tuple(extent if axis == at else e for axis, e in enumerate(drawn())))
        sets.append(tuple(self.random.choice((0, 1, 1, 3)) for _ in range(rank)))
        return sets

    def form(self, tree):
        """How the tree's result is asked for: the form, its option, and the nodes that are compared."""
        root = tree.root()
        kind = self.random.randrange(6)
        if kind == 0:
            other = tree.root()
            return "pair", root.text, other.text, (root, other), None
        if kind == 1:
            return "into", root.text, self.random.choice("cfsn"), (root,), None
        if kind == 2:
            name, inner = tree.reducible(root)
            axes, _ = tree.axes(inner, name.startswith("arg"))
            keep = self.random.randrange(2)
            outer = tree.node("outer", lambda v: of.reduced(name, v, axes), inner)
            if outer is inner:
                return "value", inner.text, "", (inner,), None
            option = f"{name} {'all' if axes is None else ','.join(map(str, axes))} {keep}"
            return "reduced", inner.text, option, (outer,), None if keep else (axes or tuple(range(inner.find(tree.first).value.ndim)))
        return "value", root.text, "", (root,), None

    def of_tree(self):
        tree = Tree(self.random, self.random.choice((1, 2, 2, 2, 3, 3, 4)))
        form, text, option, roots, dropped = self.form(tree)
        if any(root.function is None for root in roots) or len(text) > 2000:
            return
        for k, shape in enumerate(self.shapes(tree.rank)):
            values = {one.node: Value(self.drawn(one.shape_in(shape), one.dtype, k % 3 == 2)) for one in tree.operands}
            try:
                found, state = [root.find(dict(values)) for root in roots], "ok"
            except Undecidable:
                continue
            except Empty:
                found, state = [], "refused"
            name = str(len(self.lines))
            for letter, one in zip("ef", found):
                value, error = one.value, 2 * one.error
                if dropped is not None:
                    value, error = np.squeeze(value, axis=dropped), np.squeeze(error, axis=dropped)
                self.expected[letter + name] = value
                if error.any():
                    self.expected[f"tolerance_{letter}{name}"] = error
            operands = ",".join(f"{one.name}={self.stored(values[one.node].value)}" for one in tree.operands)
            self.lines.append("\t".join((name, state, form, operands, text, option)))


def main():
    folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    cases = Cases(seed)
    while len(cases.lines) < count:
        cases.of_tree()
    np.savez(f"{folder}/arrays.npz", **cases.arrays)
    np.savez(f"{folder}/expected.npz", **cases.expected)
    with open(f"{folder}/cases.txt", "w") as file:
        file.write("\n".join(cases.lines) + "\n")


main()
