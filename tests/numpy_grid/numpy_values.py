"""Values as NumPy 2 computes them, each element with a bound of what rounding can have moved it by: for numpy_rows.py.

`error` is 0 where both sides must agree in every bit: for integers and truth values, and for floating-point numbers that are
multiples of 1/8, small enough for their type to hold all of their sums. What depends on more than that - the place of the largest
of rounded values, whether one is zero, halves that overflow on the way - is Undecidable."""
import numpy as np

BITS = {"float16": 11, "float32": 24, "float64": 53}


class Undecidable(Exception):
    pass


class Empty(Exception):
    """NumPy refuses: there is no element to choose."""


def finite(x):
    return np.where(np.isfinite(x), x, 0).astype(np.float64)


def is_float(dtype):
    return np.dtype(dtype).kind == "f"


def short(v, magnitude=None):
    """Whether a number and sums up to a magnitude are exact."""
    magnitude = np.abs(v) if magnitude is None else magnitude
    return (v * 8 == np.rint(v * 8)) & (magnitude * 8 < 2.0 ** BITS[v.dtype.name])


class Value:
    def __init__(self, value, error=0.0):
        self.value = np.asarray(value)
        self.error = np.broadcast_to(np.where(np.isfinite(self.value), error, 0), self.value.shape).astype(np.float64)

    @property
    def dtype(self):
        return self.value.dtype

    def size(self):
        return finite(np.abs(self.value.astype(np.float64)))

    def must_be_exact(self):
        if self.error.any():
            raise Undecidable
        return self

    def must_have_a_sign(self):
        if ((self.error > 0) & (self.size() <= self.error)).any():
            raise Undecidable
        return self


def result(value, error, *parts, ulps=1.0, is_exact=None):
    """What an operation gives: `error` comes from its operands, `ulps` are its own."""
    value = np.asarray(value)
    if not is_float(value.dtype):
        return Value(value)
    if value.dtype == np.float16 and not np.isfinite(value).all():
        if all(np.isfinite(p.value).all() for p in parts):
            raise Undecidable  # NumPy's halves overflow on the way, gemel's are floats there
    unit = 2.0 ** -BITS[value.dtype.name]
    own = finite(np.abs(value.astype(np.float64))) * unit * ulps + float(np.finfo(value.dtype).smallest_subnormal) * 4
    with_own = np.where(is_exact, 0, own) if is_exact is not None else own
    return Value(value, error + np.where(np.asarray(error) > 0, own, with_own))


def arithmetic(sign, a, b):
    v, w = a.value, b.value
    if sign == "*":
        for x, y in ((a, b), (b, a)):  # something times an infinity
            if ((x.error > 0) & (x.size() <= x.error) & ~np.isfinite(y.value)).any():
                raise Undecidable
        error = a.size() * b.error + b.size() * a.error + a.error * b.error
        value = v * w
    else:
        error = a.error + b.error
        value = v + w if sign == "+" else v - w
    exact = short(value) if is_float(value.dtype) else None
    return result(value, error, a, b, is_exact=exact)


def divided(a, b):
    """Zeros of floating-point numbers have signs, which sums and extremes leave open."""
    if (is_float(b.dtype) and (b.value == 0).any()) or (b.size() <= 2 * b.error).any() and b.error.any():
        raise Undecidable
    a.must_have_a_sign()
    below = np.where(b.size() > 0, b.size(), 1) - b.error
    return result(a.value / b.value, (a.error + a.size() * b.error / below) / below, a, b, ulps=4)


def extreme(name, a, b):
    value = getattr(np, name)(a.value, b.value)
    return Value(value, np.maximum(a.error, b.error))


def compared(sign, a, b):
    a.must_be_exact(), b.must_be_exact()
    v, w = a.value, b.value
    return Value({"<": lambda: v < w, ">": lambda: v > w, "==": lambda: v == w, "!=": lambda: v != w,
                  "<=": lambda: v <= w, ">=": lambda: v >= w}[sign]())


def chosen(c, a, b):
    return Value(np.where(c.value, a.value, b.value), np.where(c.value, a.error, b.error))


def exponential(x):
    if (finite(x.value) > 20).any():
        raise Undecidable
    value = np.exp(x.value)
    return result(value, finite(value) * np.expm1(x.error), x, ulps=8)


def root_of(x):
    """Of 1 and more."""
    return result(np.sqrt(x.value), x.error, x, ulps=4)


def logarithm(x):
    """Of 1 and more."""
    return result(np.log(x.value), x.error, x, ulps=8)


def signs(x):
    x.must_have_a_sign()
    return Value(np.sign(x.value))


def converted(x, dtype):
    value = x.value.astype(dtype)
    return result(value, x.error, x, is_exact=(value.astype(x.dtype) == x.value) if is_float(dtype) else None)


def summed(x, dtype, axes):
    """The sum in a floating-point type with its error; of n numbers in any order."""
    value = np.sum(x.value, axis=axes, keepdims=True, dtype=dtype)
    total = np.sum(x.size(), axis=axes, keepdims=True)
    count = x.value.size / max(value.size, 1)
    unit = 2.0 ** -BITS[np.dtype(dtype).name]
    error = np.sum(x.error, axis=axes, keepdims=True)
    all_short = np.all(short(x.value.astype(dtype)) | ~np.isfinite(x.value), axis=axes, keepdims=True)
    is_exact = all_short & (error == 0) & short(value.astype(dtype), total)
    return value, error + np.where(is_exact, 0, (4 + 2 * np.sqrt(count)) * unit * total), total


def reduced(name, x, axes):
    v = x.value
    if name in ("argmax", "argmin", "min", "max"):
        if name.startswith("arg"):
            x.must_be_exact()
            axes = axes if axes is None else axes[0]
        try:
            value = getattr(np, name)(v, axis=axes, keepdims=True)
        except ValueError:
            raise Empty from None
        if name.startswith("arg") or not x.error.size:
            return Value(value)
        return Value(value, np.max(x.error, axis=axes, keepdims=True, initial=0))
    if name in ("any", "all", "count_nonzero"):
        x.must_have_a_sign()
        return Value(getattr(np, name)(v, axis=axes, keepdims=True))
    if name == "prod":  # of signs and truth values, which have no fraction
        return Value(np.prod(x.must_be_exact().value, axis=axes, keepdims=True))
    if name == "sum":
        if not is_float(v.dtype):
            return Value(np.sum(v, axis=axes, keepdims=True))
        value, error, _ = summed(x, v.dtype, axes)
        return result(value, error, x, is_exact=error == 0)
    return averaged(name, x, axes)


def averaged(name, x, axes):
    """In double, rounded to the type that NumPy gives: its own variance of halves overflows on the way."""
    dtype = x.dtype if is_float(x.dtype) else np.dtype("float64")
    wide = Value(x.value.astype(np.float64), x.error)
    unit = 2.0 ** -BITS["float32" if dtype == np.float16 else dtype.name]
    value, error, total = summed(wide, np.float64, axes)
    count = max(x.value.size / max(value.size, 1), 1)
    slack = (4 + 2 * np.sqrt(count)) * unit
    if name == "mean":
        return result(np.mean(wide.value, axis=axes, keepdims=True).astype(dtype), (error + slack * total) / count, x)
    if name == "norm":
        square = np.sum(wide.value ** 2, axis=axes, keepdims=True)
        moved = np.sum(2 * x.size() * x.error + x.error ** 2, axis=axes, keepdims=True) + slack * finite(square)
    else:
        square = np.var(wide.value, axis=axes, keepdims=True)
        largest = np.max(x.size(), axis=axes, keepdims=True, initial=0)
        each = np.mean((x.error + (error + slack * total) / count + 4 * unit * largest) ** 2, axis=axes, keepdims=True)
        moved = finite(2 * np.sqrt(finite(square) * finite(each)) + finite(each) + slack * finite(square))
    if name == "var":
        return result(square.astype(dtype), moved, x)
    root = np.sqrt(square)
    by_root = np.divide(moved, finite(root), out=np.full_like(moved, np.inf), where=finite(root) > 0)
    return result(root.astype(dtype), np.minimum(np.sqrt(moved), by_root), x, ulps=4)
