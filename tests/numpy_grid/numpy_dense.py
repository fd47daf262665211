"""Contractions and convolutions as NumPy and SciPy compute them: for numpy_dense.cpp.

    numpy_dense.py FOLDER EINSUMS CONVOLUTIONS SEED

A line of cases.txt: a case's name, what it is, its options. arrays.npz has for each case operands (name_0, name_1 ...), the
result in the widest type of its kind (name_r), and what its tolerance is relative to: the same of absolute values (name_m)."""
import pathlib
import string
import sys

import numpy as np

TYPES = ("float32", "float32", "float32", "int32", "complex64", "float64", "int8", "float16", "bool", "complex128")


def widest(dtype):
    return {"f": "float64", "c": "complex128"}.get(np.dtype(dtype).kind, dtype)


def numbers(rng, shape, dtype):
    if dtype == "bool":
        return rng.random(shape) < 0.3
    values = rng.integers(-3, 4, shape)
    if np.dtype(dtype).kind in "fc":
        values = values / 4
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-3, 4, shape) / 4
    return np.asarray(values).astype(dtype)


class Maker:
    def __init__(self, folder, seed):
        self.folder, self.rng = folder, np.random.default_rng(seed)
        self.arrays, self.lines = {}, []

    def stored(self, array):
        """The array as numpy_dense.cpp finds its layout again: c, f (other order), s (every second element), n (backwards)."""
        layout = "cccfsn"[self.rng.integers(6)] if array.ndim else "c"
        if layout == "s":
            return layout, np.repeat(array, 2, axis=-1)
        if layout == "n":
            return layout, np.ascontiguousarray(array[::-1])
        return layout, array

    def add(self, kind, operands, result, magnitude, options):
        name = f"c{len(self.lines)}"
        layouts = ""
        for k, operand in enumerate(operands):
            layout, self.arrays[f"{name}_{k}"] = self.stored(operand)
            layouts += layout
        self.arrays[f"{name}_r"], self.arrays[f"{name}_m"] = result, magnitude
        self.lines.append(f"{name} {kind} {layouts} {options}")

    def term(self, labels, extents):
        """Labels of an operand and its shape."""
        rng = self.rng
        count = rng.integers(0, min(5, len(labels) + 1))
        chosen = list(rng.choice(labels, count, replace=False)) if count else []
        shape = [1 if rng.random() < 0.08 else extents[label] for label in chosen]
        if chosen and len(chosen) < 4 and rng.random() < 0.15:
            at = rng.integers(len(chosen) + 1)
            again = rng.integers(len(chosen))
            chosen.insert(at, chosen[again])
            shape.insert(at, shape[again])
        return chosen, shape

    def einsum(self):
        rng = self.rng
        while True:
            count = rng.choice([1, 2, 3, 4, 5, 8], p=[0.2, 0.4, 0.2, 0.1, 0.06, 0.04])
            labels = list(rng.choice(list(string.ascii_letters), rng.integers(1, 8), replace=False))
            extents = {label: int(rng.choice([0, 1, 2, 3, 4, 5, 7, 20], p=[0.01, 0.06, 0.2, 0.2, 0.2, 0.15, 0.1, 0.08]))
                       for label in labels}
            if np.prod([max(e, 1) for e in extents.values()], dtype=float) < 1e5:
                break
        dots = [int(e) for e in rng.choice([1, 2, 3], rng.integers(1, 3))] if rng.random() < 0.25 else None
        terms, shapes = [], []
        for _ in range(count):
            chosen, shape = self.term(labels, extents)
            if dots is not None and rng.random() < 0.7:
                own = [e if rng.random() < 0.8 else 1 for e in dots[rng.integers(len(dots)):]]
                at = rng.integers(len(chosen) + 1)
                chosen.insert(at, "...")
                shape[at:at] = own
            terms.append("".join(chosen))
            shapes.append(shape)
        subscripts = ",".join(terms)
        used = sorted(set(subscripts) - set(",."))
        if rng.random() < 0.75:
            out = list(rng.permutation(used)[:rng.integers(0, len(used) + 1)])
            if "..." in subscripts:
                out.insert(rng.integers(len(out) + 1), "...")
            subscripts += "->" + "".join(out)
        dtype = TYPES[rng.integers(len(TYPES))]
        types = [dtype] * count
        if rng.random() < 0.1:
            types = [str(rng.choice(["int8", "int32", "float32", "complex64"])) for _ in range(count)]
        operands = [numbers(rng, shape, t) for shape, t in zip(shapes, types)]
        common = np.result_type(*operands)
        result = np.einsum(subscripts, *operands, dtype=widest(common), casting="unsafe", optimize="greedy" if count > 2 else False)
        magnitude = np.einsum(subscripts, *[abs(o).astype("float64") for o in operands], optimize="greedy" if count > 2 else False)
        if rng.random() < 0.3:
            subscripts = subscripts.replace(",", " , ").replace("->", " ->")
        order = rng.choice(["automatic", "automatic", "greedy", "left_to_right"])
        self.add("einsum", operands, np.asarray(result).astype(widest(common)), magnitude, f"{common} {order} {subscripts}")

    def save(self):
        np.savez(self.folder / "arrays.npz", **self.arrays)
        (self.folder / "cases.txt").write_text("\n".join(self.lines) + "\n")


if __name__ == "__main__":
    maker = Maker(pathlib.Path(sys.argv[1]), int(sys.argv[4]))
    for _ in range(int(sys.argv[2])):
        maker.einsum()
    maker.save()
