"""SciPy over the cells that `sparse_grid --small --list` names, with the same matrices.

    sparse_grid --small --list | sparse_peers.py scipy

One JSON line per cell: wall time, the median. Without SciPy it prints nothing."""
import json
import sys
import time

ROUNDS = 9


def median(times):
    return sorted(times)[len(times) // 2]


def clock(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def microseconds(call):
    call()
    return median([clock(call) for _ in range(ROUNDS)])


class Matrices:
    """Those of bench/sparse_matrices.hpp."""

    def __init__(self):
        import numpy as np

        self.np = np

    def mixed(self, x):
        np = self.np
        with np.errstate(over="ignore"):
            x = np.asarray(x, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
            x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
            return x ^ x >> np.uint64(31)

    def bits_of(self, row, k):
        with self.np.errstate(over="ignore"):
            return self.mixed(self.np.asarray(row, self.np.uint64) * self.np.uint64(0x10001) + self.mixed(k))

    def fraction(self, bits):
        return ((bits >> self.np.uint64(40)).astype(self.np.float64) + 0.5) / 16777216.0

    def random_rows(self, n, length):
        np = self.np
        counts = length(self.fraction(self.bits_of(np.arange(n), np.uint64(0)))).astype(np.int64)
        rows = np.repeat(np.arange(n), counts)
        k = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
        bits = self.bits_of(rows, k)
        return rows, (bits % np.uint64(n)).astype(np.int64), 0.5 + self.fraction(bits)

    def laplacian(self, n):
        import scipy.sparse as sp

        line = sp.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(n, n))
        across = sp.diags([-1.0, -1.0], [-1, 1], shape=(n, n))
        m = (sp.kron(sp.identity(n), line) + sp.kron(across, sp.identity(n))).tocoo()
        return m.row, m.col, m.data

    def power_law(self, n):
        np = self.np

        def length(u):
            fourth = np.sqrt(np.sqrt(u))
            return np.minimum(np.floor(7.4 / (fourth * fourth * np.sqrt(fourth))), n / 16)

        return self.random_rows(n, length)

    def banded(self, n):
        np = self.np
        rows, columns = np.repeat(np.arange(n), 33), (np.arange(n)[:, None] + np.arange(-16, 17)).ravel()
        inside = (columns >= 0) & (columns < n)
        rows, columns = rows[inside], columns[inside]
        return rows, columns, 0.5 + self.fraction(self.bits_of(rows, columns))

    def triples(self, kind, size):
        np = self.np
        if kind == "short rows":
            return self.random_rows(size, lambda u: 1 + np.floor(8 * u))
        if kind == "long rows":
            return self.random_rows(size, lambda u: np.full(len(u), size // 4))
        return {"laplacian": self.laplacian, "power law": self.power_law, "banded": self.banded}[kind](size)


def scipy_cells(cells):
    import numpy as np
    import scipy.sparse as sp
    import scipy.sparse.linalg as la

    matrices, kept = Matrices(), {}
    for cell in cells:
        key = cell["kind"], cell["size"], cell["type"]
        if key not in kept:
            dtype = {"float": np.float32, "double": np.float64}[cell["type"]]
            rows, columns, values = matrices.triples(cell["kind"], cell["size"])
            n = cell["size"] ** 2 if cell["kind"] == "laplacian" else cell["size"]
            csr = sp.csr_array((values.astype(dtype), (rows.astype(np.int32), columns.astype(np.int32))), shape=(n, n))
            kept = {key: (csr, (matrices.fraction(matrices.mixed(np.arange(n))) - 0.5).astype(dtype))}
        csr, x = kept[key]
        what = cell["operation"]
        formats = [csr]
        if cell["kind"] in ("laplacian", "banded") and what.startswith(("automatic", "cg")):
            formats.append(csr.todia())
        if what == "csr product":
            us = microseconds(lambda: csr @ x)
        elif what == "automatic product":  # in the faster of SciPy's formats
            us = min(microseconds(lambda: a @ x) for a in formats)
        elif what.startswith("cg iteration"):
            def solve(a, iterations):
                return clock(lambda: la.cg(a, x, rtol=0, atol=0, maxiter=iterations))

            us = min(median([(solve(a, 120) - solve(a, 20)) / 100 for _ in range(5)]) for a in formats)
        elif what == "csr to coo":
            us = microseconds(csr.tocoo)
        elif what == "csr to dia":
            us = microseconds(csr.todia)
        elif what == "transpose":
            us = microseconds(lambda: csr.T.tocsr())
        elif what == "from triples":
            m = csr.tocoo()
            order = np.random.default_rng(7).permutation(m.nnz)
            rows, columns, values = m.row[order], m.col[order], m.data[order]
            us = microseconds(lambda: sp.csr_array((values, (rows, columns)), shape=csr.shape))
        elif what == "times itself":
            us = microseconds(lambda: csr @ csr)
        else:
            continue  # SciPy has no such format
        print(json.dumps({"peer": "SciPy", "cell": cell["cell"], "us": round(us, 2)}), flush=True)


def main():
    cells = [json.loads(line) for line in sys.stdin]
    try:
        {"scipy": scipy_cells}[sys.argv[1]](cells)
    except ImportError as error:
        print(f"sparse_peers: {error}", file=sys.stderr)


main()
