"""Contractions, convolutions and products of matrices as NumPy and SciPy compute them: for numpy_dense.cpp.

    numpy_dense.py FOLDER EINSUMS CONVOLUTIONS PRODUCTS SEED all|few

A line of cases.txt: a case's name, what it is, its layouts, the result's type, its options. arrays.npz has for each case
operands (name_0, name_1 ...), the result in the widest type of its kind (name_r), and what its tolerance is relative to: the
same of absolute values (name_m)."""
import pathlib
import string
import sys

import numpy as np
import scipy.signal

TYPES = ("float32", "float32", "float32", "int32", "complex64", "float64", "int8", "float16", "bool", "complex128")

# Every type and precision in turn, so that a few cases have them all.
PRODUCTS = (*((t, "exact") for t in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                                     "bfloat16", "float32", "float64", "complex64", "complex128")),
            ("float32", "split"), ("float32", "tensor"), ("mixed", "exact"))
# Of products: around the edges of tiles.
EXTENTS = (1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129)


def widest(dtype):
    return {"f": "float64", "c": "complex128"}.get(np.dtype(dtype).kind, dtype)


def factor(rng, shape, dtype, inner):
    """Integers of the whole range, whose sums wrap around; bools of which half the sums are true; floats whose sums are rounded."""
    if dtype == "bool":
        return rng.random(shape) < (0.7 / max(inner, 1)) ** 0.5
    if np.dtype(dtype).kind in "iu":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def product(a, b, common):
    """What float64 is compared with has fewer errors of its own: a long double, where that is longer."""
    if common.kind == "b":
        return np.matmul(a, b)
    if common.kind in "iu":
        return np.matmul(a.astype("int64"), b.astype("int64")).astype(common)
    wide = {"float64": np.longdouble, "complex128": np.clongdouble}.get(common.name, widest(common))
    return np.matmul(a.astype(wide), b.astype(wide)).astype(widest(common))


def numbers(rng, shape, dtype):
    if dtype == "bool":
        return rng.random(shape) < 0.3
    values = rng.integers(-3, 4, shape)
    if np.dtype(dtype).kind in "fc":
        values = values / 4
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-3, 4, shape) / 4
    return np.asarray(values).astype(dtype)


def image_times_filter(image, weights, mode, border, fill, flipped):
    """scipy.signal's convolve2d and correlate2d (which would conjugate once more), and other borders by numpy.pad."""
    if flipped:
        weights = weights[::-1, ::-1]
    if mode == "valid":
        return scipy.signal.correlate2d(image, weights.conj(), "valid")
    before, behind = [], []
    for k in weights.shape:
        first = k - 1 if mode == "full" else k // 2 if flipped else (k - 1) // 2
        before.append(first)
        behind.append((k - 1 if mode == "full" else k - 1 - first))
    options = {"constant_values": fill} if border == "constant" else {}
    padded = np.pad(image, list(zip(before, behind)), border, **options)
    result = scipy.signal.correlate2d(padded, weights.conj(), "valid")
    if border in ("constant", "wrap", "symmetric"):
        boundary = {"constant": "fill", "wrap": "wrap", "symmetric": "symm"}[border]
        if flipped:
            own = scipy.signal.convolve2d(image, weights[::-1, ::-1], mode, boundary, fill)
        else:
            own = scipy.signal.correlate2d(image, weights.conj(), mode, boundary, fill)
        if min(image.shape[0] - weights.shape[0], image.shape[1] - weights.shape[1]) >= 0:
            assert np.allclose(own, result)
    return result


class Maker:
    def __init__(self, folder, seed):
        self.folder, self.rng = folder, np.random.default_rng(seed)
        self.arrays, self.lines = {}, []

    def stored(self, array, choice):
        """The array as numpy_dense.cpp finds its layout again: c, f (other order), t (the last two axes change places),
        s (every second element), n (backwards), m (the last axis backwards)."""
        layout = choice[self.rng.integers(len(choice))] if array.ndim else "c"
        if layout == "t" and array.ndim == 1:
            layout = "c"
        if layout == "t":
            return layout, np.ascontiguousarray(np.swapaxes(array, -1, -2))
        if layout == "s":
            return layout, np.repeat(array, 2, axis=-1)
        if layout == "n":
            return layout, np.ascontiguousarray(array[::-1])
        if layout == "m":
            return layout, np.ascontiguousarray(array[..., ::-1])
        return layout, array

    def add(self, kind, operands, result, magnitude, options, choice="cccfsn"):
        name = f"c{len(self.lines)}"
        layouts = ""
        for k, operand in enumerate(operands):
            layout, self.arrays[f"{name}_{k}"] = self.stored(operand, choice)
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

    def options(self, is_full=False):
        """mode, border, fill, stride and whether the kernel is the one for CPU devices."""
        rng = self.rng
        mode = str(rng.choice(["full", "same", "valid"]))
        border = str(rng.choice(["constant", "constant", "constant", "wrap", "symmetric", "reflect", "edge"]))
        fill = int(rng.choice([0, 0, 2])) if border == "constant" and mode != "valid" else 0
        stride = [int(rng.choice([1, 1, 2, 3])), int(rng.choice([1, 1, 2]))] if rng.random() < 0.3 else [1, 1]
        return mode, border, fill, stride, int(rng.integers(2))

    def convolution_type(self):
        return TYPES[self.rng.integers(len(TYPES))]

    def row(self):
        """One axis, as numpy.convolve; or along an axis of several."""
        rng, dtype = self.rng, self.convolution_type()
        mode, border, fill, stride, serial = self.options()
        taps = int(rng.choice([1, 2, 3, 3, 8, 37]))
        rank = int(rng.integers(1, 4))
        axis = int(rng.integers(rank))
        shape = [int(e) for e in rng.choice([1, 2, 5, 17], rank)]
        shape[axis] = int(rng.choice([taps, taps + 1, 40, 300]))
        x, kernel = numbers(rng, shape, dtype), numbers(rng, taps, dtype)
        plain = rank == 1 and border == "constant" and fill == 0 and stride[1] == 1
        if plain and rng.random() < 0.3:
            x, kernel = kernel, x  # they change places

        def compute(x, kernel):
            if plain:
                return np.convolve(x, kernel, mode)
            rows = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
            out = image_times_filter(rows, kernel[None, :], mode, border, fill, True)[:, ::stride[1]]
            return np.moveaxis(out.reshape([*np.delete(x.shape, axis), out.shape[1]]), -1, axis)

        self.convolved("convolve", [x, kernel], compute, mode, border, fill, stride, serial, axis)

    def image(self):
        """Two axes, banks of filters, channels, and filters that are a column times a row."""
        rng, dtype = self.rng, self.convolution_type()
        mode, border, fill, stride, serial = self.options()
        rows, columns = [(1, 1), (3, 3), (3, 3), (5, 5), (2, 4), (5, 1), (20, 3), (1, 7)][rng.integers(8)]
        size = [int(rng.choice([rows, 13, 40])), int(rng.choice([columns, 20, 70]))]
        kind = str(rng.choice(["correlate2d", "convolve2d", "separable"], p=[0.45, 0.4, 0.15]))
        if mode == "valid":
            size = [max(size[0], rows), max(size[1], columns)]
        batch = [int(e) for e in rng.choice([1, 2, 3], rng.integers(0, 2))]
        if kind == "separable":
            fill = 0
            operands = [numbers(rng, batch + size, dtype), numbers(rng, rows, dtype), numbers(rng, columns, dtype)]
        else:
            form = int(rng.choice([2, 3, 4]))
            channels = [int(rng.choice([1, 3]))] if form == 4 else []
            bank = [int(rng.choice([1, 3, 5, 11]))] if form > 2 else []
            operands = [numbers(rng, batch + channels + size, dtype), numbers(rng, bank + channels + [rows, columns], dtype)]

        def compute(images, *filters):
            flipped = kind != "correlate2d"
            bank = np.outer(*filters) if kind == "separable" else filters[0]
            if bank.dtype.kind == "c" and not flipped:
                bank = bank.conj()
            form = bank.ndim
            four = bank.reshape([-1, bank.shape[1] if form == 4 else 1, *bank.shape[-2:]])
            flat = images.reshape([-1, four.shape[1], *images.shape[-2:]])
            out = np.stack([np.stack([sum(image_times_filter(channel, weights, mode, border, fill, flipped)
                                          for channel, weights in zip(image, f)) for f in four]) for image in flat])
            out = out[:, :, ::stride[0], ::stride[1]]
            return out.reshape([*batch, *(bank.shape[:1] if form > 2 else []), *out.shape[-2:]])

        self.convolved(kind, operands, compute, mode, border, fill, stride, serial, 0)

    def convolved(self, kind, operands, compute, mode, border, fill, stride, serial, axis):
        dtype = operands[0].dtype
        exact = dtype.kind in "bi"
        wide = "int64" if exact else widest(dtype)
        result = compute(*[o.astype(wide) for o in operands])
        magnitude = compute(*[abs(o.astype(wide)).astype("float64") for o in operands])
        result = (result != 0) if dtype.kind == "b" else result.astype(dtype if exact else wide)
        self.add(kind, operands, result, magnitude,
                 f"{dtype} {mode} {border} {fill} {stride[0]} {stride[1]} {serial} {axis}")

    def factors(self, dtype, n, inner, m):
        """Matrices, vectors or batches that are broadcast."""
        rng = self.rng
        whole = [int(e) for e in rng.choice([2, 3], rng.choice([0, 1, 2], p=[0.5, 0.35, 0.15]))]
        batches = [[e if rng.random() < 0.8 else 1 for e in whole[rng.integers(len(whole) + 1):]] for _ in range(2)]
        left = [inner] if rng.random() < 0.08 else [*batches[0], n, inner]
        right = [inner] if rng.random() < 0.08 else [*batches[1], inner, m]
        if dtype == "mixed":
            types = rng.choice(["int8", "int32", "float16", "float32", "complex64"], 2)
            return [numbers(rng, shape, t) for shape, t in zip((left, right), types)]
        if dtype == "bfloat16":  # NumPy has none: the upper halves of floats
            floats = [factor(rng, shape, "float32", inner) for shape in (left, right)]
            return [(f.view("uint32") & 0xFFFF0000).view("float32") for f in floats]
        return [factor(rng, shape, dtype, inner) for shape in (left, right)]

    def matmul(self, number):
        rng = self.rng
        dtype, precision = PRODUCTS[number % len(PRODUCTS)]
        n, inner, m = (int(rng.choice([0, 257, 300], p=[0.1, 0.5, 0.4]) if rng.random() < 0.06 else rng.choice(EXTENTS))
                       for _ in range(3))
        operands = self.factors(dtype, n, inner, m)
        common = np.result_type(*operands)
        result = product(*operands, common)
        magnitude = np.matmul(*[abs(o.astype(widest(common))).astype("float64") for o in operands])
        name = dtype if dtype == "bfloat16" else common
        self.add("matmul", operands, np.asarray(result), np.asarray(magnitude), f"{name} {precision} {inner}", "cctfsnm")

    def save(self):
        np.savez(self.folder / "arrays.npz", **self.arrays)
        (self.folder / "cases.txt").write_text("\n".join(self.lines) + "\n")


if __name__ == "__main__":
    if sys.argv[6] == "few":
        TYPES = ("float32", "float32", "int32", "complex64")
    maker = Maker(pathlib.Path(sys.argv[1]), int(sys.argv[5]))
    for _ in range(int(sys.argv[2])):
        maker.einsum()
    for n in range(int(sys.argv[3])):
        maker.row() if n % 3 == 0 else maker.image()
    for n in range(int(sys.argv[4])):
        maker.matmul(n)
    maker.save()
