"""Operands of random calls: values with ties and with all that is peculiar about a type, in arrays of many layouts. For
numpy_algorithms.py."""
import random

import numpy as np

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")
NUMBERS = ("bool",) + INTEGERS + FLOATS
FEW = ("float32", "int32")
SIZES = (0, 1, 2, 3, 16, 31, 32, 33, 64, 127, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097)
LARGE = 2**20 + 3


class Operands:
    def __init__(self, seed, few):
        self.random = random.Random(seed)
        self.few = few
        self.arrays = {}

    def type_of(self, types):
        known = [t for t in types if t in FEW] if self.few else list(types)
        return self.random.choice(known or list(types))

    def size(self):
        if not self.few and self.random.random() < 0.003:
            return LARGE
        return self.random.choice(SIZES) if self.random.random() < 0.5 else self.random.randrange(3000)

    def shape_or_scalar(self):
        return () if self.random.random() < 0.05 else self.shape()

    def shape(self):
        kind = self.random.random()
        if kind < 0.5:
            return (self.size(),)
        if kind < 0.85:
            rows = self.random.choice((0, 1, 2, 3, 7, 8, 9, 40))
            return (rows, min(self.size(), 4097)) if self.random.random() < 0.7 else (self.random.randrange(300), rows)
        return tuple(self.random.choice((1, 2, 5, 9, 33)) for _ in range(3))

    def drawn(self, shape, dtype, spread=None, special=True):
        """Values with ties; floats are multiples of 1/4, so that sums are exact."""
        generator = np.random.default_rng(self.random.getrandbits(32))
        spread = spread or self.random.choice((3, 40, 1000))
        if dtype == "bool":
            return generator.integers(0, 2, shape).astype(bool)
        if dtype in INTEGERS:
            info = np.iinfo(dtype)
            low, high = max(info.min, -spread), min(info.max, spread)
            value = generator.integers(low, high, shape, endpoint=True).astype(dtype)
            if special and value.size and self.random.random() < 0.3:
                value.flat[:3] = info.max
                value.flat[-2:] = info.min
            return value
        if dtype.startswith("complex"):
            return (self.drawn(shape, "float64", 3, special) + 1j * self.drawn(shape, "float64", 3, False)).astype(dtype)
        value = (generator.integers(-spread, spread, shape, endpoint=True) / 4).astype(dtype)
        if special and value.size and self.random.random() < 0.3:
            for number in (np.nan, np.inf, -np.inf, -0.0, 0.0):
                value.flat[self.random.randrange(value.size)] = number
        return value

    def viewed(self, value, broadcasts=True):
        """A value in a larger array, as the steps of a view that give it."""
        steps, kind = [], self.random.random()
        if value.ndim and kind < 0.25:
            axis = self.random.randrange(value.ndim)
            start, step = self.random.choice(((1, 1), (0, 2), (3, 2), (0, 3)))
            extents = list(value.shape)
            extents[axis] = start + step * extents[axis]
            base = np.zeros(extents, value.dtype)
            where = [slice(None)] * value.ndim
            where[axis] = slice(start, None, step)
            base[tuple(where)] = value
            steps.append(f"s{axis}:{start}:{step}")
        elif value.ndim and kind < 0.4:
            axis = self.random.randrange(value.ndim)
            base = np.flip(value, axis).copy()
            steps.append(f"s{axis}:-1:-1")
        elif value.ndim > 1 and kind < 0.6:
            base = np.ascontiguousarray(value.T)
            steps.append("t")
        elif value.ndim > 1 and broadcasts and kind < 0.65 and value.shape[0] > 0:
            value = np.broadcast_to(value[:1], value.shape)
            base = np.ascontiguousarray(value[0])
            steps.append(f"b{value.shape[0]}")
        else:
            base = np.asfortranarray(value) if self.random.random() < 0.2 else np.ascontiguousarray(value)
            base = base.reshape(value.shape)
        return value, self.named(base, steps)

    def named(self, base, steps=()):
        key = f"a{len(self.arrays)}"
        self.arrays[key] = base
        return "/".join([key, *steps])

    def operand(self, shape, dtype, **more):
        return self.viewed(self.drawn(shape, dtype, **more))

    def vector(self, dtype, **more):
        return self.operand((self.size(),), dtype, **more)

    def axis_of(self, x):
        axis = self.random.randrange(x.ndim)
        return axis, (axis if self.random.random() < 0.5 else axis - x.ndim)

    def maybe(self, **options):
        return {name: value for name, value in options.items() if self.random.random() < 0.5}
