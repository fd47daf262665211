"""Random calls of sorts, selections, groups, order statistics, searches and sets, and what NumPy 2 makes of each: for
numpy_algorithms.cpp.

    numpy_algorithms.py FOLDER CASES SEED few|all

FOLDER receives arrays.npz, the arrays that operands are views of; expected.npz, the results; and cases.txt: per line a case's
number, its function, its operands (array and steps of its view, separated by commas), its options (name=value, separated by
blanks), how many results there are and how far each may be from NumPy's, separated by tabs. `few` draws from two element
types, so that few kernels are compiled.

A step of a view is t (transposed), s<axis>:<start>:<step> (a slice), or b<n> (broadcast along a new first axis)."""
import sys
import warnings

import numpy as np

sys.dont_write_bytecode = True
from numpy_operands import FLOATS, INTEGERS, NUMBERS, Operands

METHODS = ("linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
           "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased")


class Case:
    def __init__(self, function, operands, options, results, distance=0.0):
        self.function, self.operands, self.options = function, operands, options
        self.results, self.distance = [np.asarray(r) for r in results], distance


class Cases(Operands):
    # Sorts.

    @staticmethod
    def places(x, axis, descending):
        if not descending:
            return np.argsort(x, axis=axis, kind="stable")
        flipped = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
        return np.flip(x.shape[axis] - 1 - flipped, axis)

    def sorted_operand(self):
        dtype = self.type_of(NUMBERS + ("complex64", "complex128"))
        if self.random.random() < 0.06:  # a few long rows, most of which begin between multiples of 16 bytes
            return self.operand((self.random.randrange(2, 9), self.random.randrange(8193, 12000)), dtype)
        return self.operand(self.shape(), dtype)

    def strategy(self):
        if self.few or self.random.random() < 0.75:
            return {}
        return {"strategy": "three_passes"}

    def sort(self):
        x, name = self.sorted_operand()
        axis, given = self.axis_of(x)
        down = self.random.random() < 0.4
        order = self.places(x, axis, down)
        options = {"axis": given, "descending": int(down), **self.strategy()}
        if self.random.random() < 0.5:
            return Case("argsort", [name], options, [order])
        return Case("sort", [name], options, [np.take_along_axis(x, order, axis)])

    def sort_by_key(self):
        x, name = self.sorted_operand()
        axis, given = self.axis_of(x)
        down = self.random.random() < 0.4
        order = self.places(x, axis, down)
        names, results = [name], [np.take_along_axis(x, order, axis)]
        for _ in range(self.random.choice((1, 2, 7) if not self.few else (1,))):
            v, value = self.operand(x.shape, self.type_of(NUMBERS + ("complex128",)))
            names.append(value)
            results.append(np.take_along_axis(v, order, axis))
        return Case("sort_by_key", names, {"axis": given, "descending": int(down)}, results)

    def lexsort(self):
        shape = self.shape()
        keys = [self.operand(shape, self.type_of(NUMBERS), spread=3) for _ in range(self.random.choice((1, 2, 3)))]
        axis, given = self.axis_of(keys[0][0])
        return Case("lexsort", [name for _, name in keys], {"axis": given}, [np.lexsort([value for value, _ in keys], axis)])

    def starts_of(self, n):
        count = self.random.choice((0, 1, 5, 300))
        inner = sorted(self.random.randrange(n + 1) for _ in range(count))
        return np.array([0] + inner, self.random.choice(("int32", "int64")))

    def sort_segments(self):
        x, name = self.vector(self.type_of(NUMBERS))
        starts = self.starts_of(x.size)
        result = x.copy()
        for begin, end in zip(starts, list(starts[1:]) + [x.size]):
            result[begin:end] = np.sort(result[begin:end], kind="stable")
        return Case("sort_segments", [name, self.named(starts)], {}, [result])

    # Selections.

    def select(self):
        x, name = self.operand(self.shape(), self.type_of(NUMBERS + ("complex64",)))
        mask, mask_name = self.operand(x.shape, "bool")
        function = self.random.choice(("copy_if", "remove_if", "partition"))
        results = {"copy_if": [x[mask]], "remove_if": [x[~mask]], "partition": [x[mask], x[~mask]]}[function]
        return Case(function, [name, mask_name], self.strategy(), results)

    def compress(self):
        x, name = self.operand(self.shape(), self.type_of(NUMBERS))
        axis, given = self.axis_of(x)
        length = self.random.choice((x.shape[axis], x.shape[axis] // 2))
        mask, mask_name = self.operand((length,), "bool")
        return Case("compress", [name, mask_name], {"axis": given}, [np.compress(mask, x, axis=axis)])

    def nonzero(self):
        x, name = self.operand(self.shape(), self.type_of(NUMBERS), spread=3)
        if self.random.random() < 0.5:
            return Case("flatnonzero", [name], {}, [np.flatnonzero(x)])
        return Case("nonzero", [name], {}, list(np.nonzero(x)))

    def runs(self):
        x, name = self.operand(self.shape(), self.type_of(NUMBERS), spread=2)
        flat = x.ravel()
        first = np.ones(flat.size, bool)
        first[1:] = flat[1:] != flat[:-1]
        begins = np.flatnonzero(first)
        if self.random.random() < 0.5:
            return Case("unique_consecutive", [name], self.strategy(), [flat[begins]])
        return Case("run_lengths", [name], self.strategy(), [flat[begins], np.diff(np.append(begins, flat.size))])

    # Sets and searches.

    def unique(self):
        x, name = self.operand(self.shape_or_scalar(), self.type_of(NUMBERS + ("complex64", "complex128")))
        values, index, inverse, counts = np.unique(x, True, True, True)
        return Case("unique", [name], {}, [values, index, inverse.reshape(x.shape), counts])

    def sets(self):
        dtype = self.type_of(NUMBERS + ("complex64", "complex128"))
        a, a_name = self.vector(dtype)
        b, b_name = self.vector(dtype if self.random.random() < 0.7 else self.type_of(NUMBERS))
        function = self.random.choice(("union1d", "intersect1d", "setdiff1d", "isin"))
        if function == "isin":
            invert = self.random.random() < 0.3
            return Case("isin", [a_name, b_name], {"invert": int(invert)}, [np.isin(a, b, invert=invert)])
        common = np.result_type(a, b)
        if function == "setdiff1d" and common.kind != "c":
            values = np.unique(a)
            return Case(function, [a_name, b_name], {}, [values[np.isin(values, b, invert=True)]])
        a, b = a.astype(common if function != "setdiff1d" else a.dtype), b.astype(common)
        if common.kind != "c":
            return Case(function, [a_name, b_name], {}, [getattr(np, function)(a, b)])
        # Which of several complex NaN stands for all: by sorting the first of them, by NumPy's hashing any.
        values = np.unique(np.concatenate([a, b]) if function == "union1d" else a, return_index=True)[0]
        if function != "union1d":
            values = values[np.isin(values, b, invert=function == "setdiff1d")]
        return Case(function, [a_name, b_name], {}, [values])

    def searchsorted(self):
        dtype = self.type_of(NUMBERS + ("complex64", "complex128"))
        a = np.sort(self.drawn((self.size(),), dtype))
        v, name = self.operand(self.shape_or_scalar(), dtype if self.random.random() < 0.7 else self.type_of(NUMBERS))
        side = self.random.choice(("left", "right"))
        common = np.result_type(a, v)
        result = np.searchsorted(a.astype(common), v.astype(common), side)
        _, a_name = self.viewed(a)
        return Case("searchsorted", [a_name, name], {"right": int(side == "right")}, [result])

    def merge(self):
        dtype = self.type_of(NUMBERS)
        a, b = np.sort(self.drawn((self.size(),), dtype)), np.sort(self.drawn((self.size(),), dtype))
        names = [self.viewed(x)[1] for x in (a, b)]
        return Case("merge", names, {}, [np.sort(np.concatenate([a, b]), kind="stable")])

    def digitize(self):
        x, name = self.operand(self.shape_or_scalar(), self.type_of(INTEGERS + FLOATS))
        edges = np.unique(self.drawn((self.random.choice((1, 2, 9, 70)),), "float64", special=False))
        if self.random.random() < 0.3:
            edges = edges[::-1]
        right = self.random.random() < 0.5
        return Case("digitize", [name, self.named(edges.copy())], {"right": int(right)}, [np.digitize(x, edges, right)])

    # Groups.

    def keyed(self):
        n = self.size()
        generator = np.random.default_rng(self.random.getrandbits(32))
        steps = generator.integers(0, self.random.choice((2, 3, 50)), n) == 0
        keys = (np.cumsum(steps) % 100).astype(self.type_of(("int32", "uint8", "int64", "float32")))
        begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if n else np.zeros(0, int)
        values = self.drawn((n,), self.type_of(("int32", "float32", "float64", "int64")), 40, False)
        return keys, values, begins

    def reduce_by_key(self):
        keys, values, begins = self.keyed()
        function = self.random.choice(("sum", "max"))
        operation = np.add if function == "sum" else np.maximum
        found = operation.reduceat(values, begins) if values.size else values
        names = [self.viewed(keys)[1], self.viewed(values)[1]]
        return Case("reduce_by_key", names, {"operation": function}, [keys[begins], found.astype(values.dtype)])

    def scan_by_key(self):
        keys, values, begins = self.keyed()
        exclusive = self.random.random() < 0.5
        result = np.zeros_like(values)
        for begin, end in zip(begins, list(begins[1:]) + [values.size]):
            sums = np.cumsum(values[begin:end], dtype=values.dtype)
            result[begin:end] = sums - values[begin:end] if exclusive else sums
        names = [self.viewed(keys)[1], self.viewed(values)[1]]
        return Case("scan_by_key", names, {"exclusive": int(exclusive)}, [result])

    def segment_reduce(self):
        x, name = self.vector(self.type_of(("int32", "float32", "float64")), spread=40, special=False)
        starts = self.starts_of(x.size)
        sums = [x[begin:end].sum() for begin, end in zip(starts[:-1], starts[1:])]
        return Case("segment_reduce", [name, self.named(starts)], {}, [np.array(sums, x.dtype)])

    def bincount(self):
        dtype = self.type_of(("bool", "uint8", "int16", "int32", "int64", "uint32", "uint64"))
        n = self.size()
        numbers = np.abs(self.drawn((n,), "int32", self.random.choice((3, 100, 20000)), False))
        x = numbers.astype(bool) if dtype == "bool" else (numbers % 120 if dtype == "uint8" else numbers).astype(dtype)
        x, name = self.viewed(x)
        options = self.maybe(minlength=self.random.choice((0, 10, 5000)))
        minlength = options.get("minlength", 0)
        if self.random.random() < 0.5:
            return Case("bincount", [name], options, [np.bincount(x.astype("int64"), minlength=minlength)])
        w, weights = self.operand((n,), self.type_of(NUMBERS), special=False)
        sums = np.bincount(x.astype("int64"), w.astype("float64"), minlength)
        options["deterministic"] = int(self.random.random() < 0.5)
        return Case("bincount_weights", [name, weights], options, [sums.astype("float64")])

    def bins_of(self):
        count = self.random.choice((1, 2, 10, 64, 300, 5000 if not self.few else 64))
        width = self.random.choice((0.25, 0.5, 1.0, 3.0))
        low = float(self.random.randrange(-300, 100))
        return count, (low, low + count * width)

    def histogram_between_floats(self):
        """Floats at, and beside, edges that no float equals."""
        edges = np.sort(np.random.default_rng(self.random.getrandbits(32)).normal(size=self.random.choice((2, 3, 10, 100))))
        x = edges.astype("float32")[np.random.default_rng(self.random.getrandbits(32)).integers(0, edges.size, self.size())]
        x, name = self.viewed(np.nextafter(x, np.float32(self.random.choice((-9, 0, 9))) if self.random.random() < 0.5 else x))
        counts, _ = np.histogram(x.astype("float64"), edges)
        rounded = edges.astype("float32")
        rounded = np.where(rounded < edges, np.nextafter(rounded, np.float32("inf")), rounded)
        last = np.float32(edges[-1])
        rounded[-1] = np.nextafter(last, np.float32("-inf")) if last > edges[-1] else last
        return Case("histogram", [name, self.named(edges)], {}, [counts, rounded])

    def histogram(self):
        if self.random.random() < 0.15:
            return self.histogram_between_floats()
        dtype = self.type_of(INTEGERS + FLOATS)
        x, name = self.operand(self.shape(), dtype, special=False)
        if dtype.startswith("float") and x.size and self.random.random() < 0.3:
            x, name = self.operand(x.shape, dtype)
        given = x.astype("float32") if dtype == "float16" else x
        edge_type = given.dtype if dtype.startswith("float") else np.dtype("float64")
        names, options, kind = [name], {}, self.random.random()
        count, bounds = self.bins_of()
        finite = np.isfinite(given.astype("float64")).all()
        if kind < 0.3 and finite:
            options["bins"], more = count, {"bins": count}
        elif kind < 0.75:
            options.update(bins=count, low=bounds[0], high=bounds[1])
            more = {"bins": count, "range": bounds}
        else:
            edges = np.sort(self.drawn((self.random.choice((2, 3, 10, 100)),), "float64", 400, False)).astype(edge_type)
            names.append(self.named(edges))
            more = {"bins": edges}
        if not finite:  # NumPy's fast path sorts such values wrongly out of bounds
            given = given[np.isfinite(given)]
        counts, edges = np.histogram(given, **more)
        weigh = self.random.random()
        if weigh > 0.6 or not finite:
            return Case("histogram", names, options, [counts, edges.astype(edge_type)])
        options["density"] = int(weigh < 0.2)
        if weigh > 0.1:
            w, weights = self.operand(x.shape, self.type_of(("float32", "float64", "int32", "uint8", "float16")), spread=40,
                                      special=False)
            names.append(weights)
            options["weights"] = 1
            more["weights"] = w.astype("float64")
            if abs(w.astype("float64")).sum() == 0 or np.histogram(given, **more)[0].sum() == 0:
                options["density"] = 0
        options["deterministic"] = int(self.random.random() < 0.3)
        counts, edges = np.histogram(given, density=bool(options["density"]), **more)
        scale = np.abs(counts[np.isfinite(counts)]).max(initial=0.0) * 1e-14 if options["density"] else 0.0
        return Case("histogram_weights", names, options, [counts.astype("float64"), edges.astype(edge_type)], float(scale))

    def histogramdd(self):
        dtype = self.type_of(("int32", "float32", "float64", "uint8"))
        columns = self.random.choice((1, 2, 3))
        points, name = self.operand((min(self.size(), 5000), columns), dtype, spread=40, special=False)
        bins, ranges = [], []
        for _ in range(columns):
            bins.append(self.random.choice((1, 3, 8)))
            low = float(self.random.randrange(-20, 5))
            ranges.append((low, low + 4.0 * bins[-1]))
        counts, edges = np.histogramdd(points, bins, ranges)
        edge_type = np.dtype(dtype) if dtype.startswith("float") else np.dtype("float64")
        options = {"bins": ":".join(map(str, bins)), "ranges": ":".join(f"{a}:{b}" for a, b in ranges)}
        return Case("histogramdd", [name], options, [counts.astype("int64")] + [e.astype(edge_type) for e in edges])

    # Order statistics.

    def ends(self):
        x, name = self.operand(self.shape(), self.type_of(NUMBERS))
        largest = self.random.random() < 0.5
        function = self.random.choice(("topk", "extremes", "kth"))
        options = {"largest": int(largest)}
        axis, given = self.axis_of(x)
        if function == "extremes" and self.random.random() < 0.5:
            of, axis = x.ravel(), 0
        else:
            of = x
            options["axis"] = given
        n = of.shape[axis]
        k = min(n, self.random.choice((0, 1, 2, 5, 15, 16, 17, 100, n)))
        options["k"] = k
        order = self.places(of, axis, largest)
        if function == "kth":
            if k == n:
                return None
            return Case("kth", [name], options, [np.take(np.sort(of, axis=axis, kind="stable"), k, axis=axis)])
        order = np.take(order, range(k), axis=axis)
        return Case(function, [name], options, [np.take_along_axis(of, order, axis), order])

    def quantile(self):
        dtype = self.type_of(INTEGERS + FLOATS)
        x, name = self.operand(self.shape(), dtype, special=False)
        if x.size and dtype.startswith("float") and self.random.random() < 0.2:
            value = x.copy()
            value.flat[self.random.randrange(x.size)] = np.nan
            x, name = self.viewed(value, broadcasts=False)
        axis, given = self.axis_of(x)
        options = self.maybe(axis=given, keepdims=1)
        reduced = axis if "axis" in options else None
        if x.size == 0:
            return None
        work = x.astype("float32") if dtype == "float16" else x
        result = work.dtype if dtype.startswith("float") else np.dtype("float64")
        method = self.random.choice(METHODS)
        parts = [self.random.randrange(65) / 64 for _ in range(self.random.choice((1, 1, 3)))]
        options.update(method=METHODS.index(method), parts=":".join(map(str, parts)))
        q = parts
        if len(parts) == 1 and self.random.random() < 0.5:
            options["scalar"], q = 1, parts[0]
        found = np.quantile(work.astype("float64"), q, axis=reduced, method=method, keepdims="keepdims" in options)
        scale = float(np.abs(work[np.isfinite(work)].astype("float64")).max(initial=0.0))
        return Case("quantile", [name], options, [np.asarray(found).astype(result)],
                    scale * (1e-15 if result == np.float64 else 1e-6))

    def median(self):
        dtype = self.type_of(INTEGERS + FLOATS)
        x, name = self.operand(self.shape(), dtype)
        if x.size == 0:
            return None
        axis, given = self.axis_of(x)
        options = self.maybe(axis=given, keepdims=1)
        work = x.astype("float32") if dtype == "float16" else x
        found = np.median(work, axis=axis if "axis" in options else None, keepdims="keepdims" in options)
        return Case("median", [name], options, [found])

    def case(self):
        makers = [self.sort, self.sort, self.sort_by_key, self.lexsort, self.sort_segments, self.select, self.select,
                  self.compress, self.nonzero, self.runs, self.unique, self.sets, self.sets, self.searchsorted, self.merge,
                  self.digitize, self.reduce_by_key, self.scan_by_key, self.segment_reduce, self.bincount, self.histogram,
                  self.histogram, self.histogramdd, self.ends, self.ends, self.quantile, self.quantile,
                  self.median]
        made = None
        while made is None:
            made = self.random.choice(makers)()
        return made


def main():
    folder, count, seed, few = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "few"
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    cases, expected, lines = Cases(seed, few), {}, []
    for number in range(count):
        case = cases.case()
        for k, result in enumerate(case.results):
            expected[f"e{number}_{k}"] = result
        options = " ".join(f"{name}={value}" for name, value in case.options.items())
        lines.append(f"{number}\t{case.function}\t{','.join(case.operands)}\t{options}\t{len(case.results)}\t{case.distance!r}")
    used = {operand.split("/")[0] for line in lines for operand in line.split("\t")[2].split(",")}
    np.savez(f"{folder}/arrays.npz", **{name: value for name, value in cases.arrays.items() if name in used})
    np.savez(f"{folder}/expected.npz", **expected)
    with open(f"{folder}/cases.txt", "w") as file:
        file.write("\n".join(lines) + "\n")


main()
