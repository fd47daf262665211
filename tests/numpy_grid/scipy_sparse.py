"""Sparse matrices as SciPy makes, stores and multiplies them: for scipy_sparse.cpp.

    scipy_sparse.py make FOLDER SEED     files of matrices, and what SciPy makes of them
    scipy_sparse.py check FOLDER         reads what scipy_sparse.cpp wrote

A line of cases.txt: a case's name, its file, its element type. arrays.npz has for each case x, block and right (operands) and
y, blocks, turned, sum, product and dense (results), behind the case's name."""
import pathlib
import sys

import numpy as np
import scipy.io
import scipy.sparse as sp

TYPES = ("float32", "float64", "complex64", "complex128")


def numbers(rng, shape, dtype):
    values = rng.integers(-9, 10, shape) / 4
    if dtype.startswith("complex"):
        values = values + 1j * rng.integers(-9, 10, shape) / 4
    return values.astype(dtype)


def scattered(rng, rows, columns, count, dtype):
    """With duplicates and empty rows."""
    if rows * columns == 0:
        return sp.coo_matrix((rows, columns), dtype=dtype)
    row, column = rng.integers(0, rows, count), rng.integers(0, columns, count)
    row[row % 5 == 3] = 0
    return sp.coo_matrix((numbers(rng, count, dtype), (row, column)), shape=(rows, columns))


def banded(rng, rows, columns, dtype):
    offsets = np.array([-3, 0, 1, 7])
    return sp.dia_matrix((numbers(rng, (4, columns), dtype), offsets), shape=(rows, columns))


class Maker:
    def __init__(self, folder, seed):
        self.folder, self.rng = folder, np.random.default_rng(seed)
        self.arrays, self.lines = {}, []

    def add(self, file, dtype, matrix):
        name = f"c{len(self.lines)}"
        self.lines.append(f"{name} {file} {dtype}")
        a = matrix.tocsr().astype(dtype)
        rows, columns = a.shape
        x, block = numbers(self.rng, columns, dtype), numbers(self.rng, (columns, 3), dtype)
        right = scattered(self.rng, rows, columns, 2 * rows, dtype).toarray()
        back = numbers(self.rng, rows, dtype)
        b = sp.csr_matrix(right)
        results = dict(x=x, block=block, right=right, back=back, y=a @ x, blocks=a @ block, turned=a.T @ back,
                       sum=(a + b).toarray(), product=(a @ b.T).toarray(), dense=a.toarray())
        self.arrays.update({f"{name}_{key}": value.astype(dtype) for key, value in results.items()})

    def file(self, suffix):
        return f"m{len(self.lines)}.{suffix}"

    def npz(self, matrix, dtype):
        name = self.file("npz")
        sp.save_npz(self.folder / name, matrix, compressed=len(self.lines) % 2 == 0)
        self.add(name, dtype, matrix)

    def mtx(self, matrix, dtype, **options):
        name = self.file("mtx")
        scipy.io.mmwrite(self.folder / name, matrix, **options)
        self.add(name, dtype, scipy.io.mmread(self.folder / name) if sp.issparse(matrix)
                 else sp.coo_matrix(scipy.io.mmread(self.folder / name)))

    def make(self):
        rng = self.rng
        shapes = [(0, 4), (4, 0), (1, 1), (40, 40), (70, 23), (12, 90)]
        for k, (rows, columns) in enumerate(shapes):
            dtype = TYPES[k % 4]
            self.npz(scattered(rng, rows, columns, 3 * rows, dtype).asformat(("csr", "csc", "coo")[k % 3]), dtype)
        self.npz(scattered(rng, 33, 44, 200, "float64").tocsc(), "float32")
        self.npz(scattered(rng, 33, 44, 200, "complex64").tocoo(), "complex128")
        unsorted = sp.csr_matrix(([1.0, 2.0, 3.0], [4, 1, 1], [0, 3, 3]), shape=(2, 6))
        self.npz(unsorted, "float64")
        for rows, columns in ((30, 30), (20, 45), (45, 20)):
            self.npz(banded(rng, rows, columns, "float32"), "float32")
        self.npz(banded(rng, 25, 25, "complex128"), "complex128")
        square = scattered(rng, 25, 25, 80, "float64").toarray()
        for k, symmetry in enumerate(("general", "symmetric", "skew-symmetric")):
            symmetric = {"general": square, "symmetric": square + square.T, "skew-symmetric": square - square.T}[symmetry]
            self.mtx(sp.coo_matrix(symmetric), TYPES[k], symmetry=symmetry)
            self.mtx(sp.coo_matrix((symmetric * 4).astype(int)), TYPES[k + 1], symmetry=symmetry, field="integer")
        hermitian = scattered(rng, 20, 20, 70, "complex128").toarray()
        self.mtx(sp.coo_matrix(hermitian + hermitian.conj().T), "complex64", symmetry="hermitian")
        self.mtx(sp.coo_matrix(hermitian), "complex128", symmetry="general")
        self.mtx(sp.coo_matrix(square), "float32", field="pattern", symmetry="general")
        self.mtx(square[:7, :4], "float64")
        self.mtx(square + square.T, "float64", symmetry="symmetric")
        np.savez(self.folder / "arrays.npz", **self.arrays)
        (self.folder / "cases.txt").write_text("\n".join(self.lines) + "\n")


def check(folder):
    arrays, wrong, files = np.load(folder / "arrays.npz"), 0, 0
    for line in (folder / "cases.txt").read_text().splitlines():
        name, _, dtype = line.split()
        expected = arrays[f"{name}_dense"]
        for path in sorted(folder.glob(f"out_{name}_*")):
            files += 1
            read = sp.load_npz(path) if path.suffix == ".npz" else scipy.io.mmread(path)
            same = read.shape == expected.shape and np.array_equal(read.toarray().astype(dtype), expected)
            if path.suffix == ".npz":
                same = same and read.dtype == np.dtype(dtype) and read.format == path.stem.split("_")[-1]
            if not same:
                wrong += 1
                print(f"{path.name}: SciPy reads another matrix, {read!r}")
    print(f"{files} files, {wrong} wrong")
    sys.exit(wrong > 0 or files == 0)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        Maker(pathlib.Path(sys.argv[2]), int(sys.argv[3])).make()
    else:
        check(pathlib.Path(sys.argv[2]))
