"""The other side of numpy_files.cpp: checks what gemel wrote, writes what gemel reads."""
import sys

import numpy as np

mode, folder = sys.argv[1:]
NAMES = ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128").split()
PARTICLE = np.dtype([("charge", "i1"), ("mass", "f8"), ("position", "f4", (3,))], align=True)


def numbers(name):
    values = np.arange(24).reshape(2, 3, 4)
    if name == "bool":
        return values % 2 == 1
    values = values.astype(name)
    return values - np.array(1j, dtype=name) if name.startswith("complex") else values


def particles():
    values = np.zeros(4, dtype=PARTICLE)
    for i in range(4):
        values[i] = (-i, 0.5 * i, (i, i + 1, i + 2))
    return values


def same(what, a, b, fortran=False):
    assert a.dtype == b.dtype, (what, a.dtype, b.dtype)
    assert a.shape == b.shape, (what, a.shape, b.shape)
    assert (a == b).all(), what
    if fortran:
        assert a.flags.f_contiguous and not a.flags.c_contiguous, what


if mode == "check":
    archive = np.load(f"{folder}/all.npz")
    assert sorted(archive.files) == sorted(NAMES + ["particles"]), archive.files
    for name in NAMES:
        same(name, np.load(f"{folder}/{name}.npy"), numbers(name))
        same(name, np.load(f"{folder}/{name}_fortran.npy"), numbers(name).T, fortran=True)
        same(name, archive[name], numbers(name))
    for read in (np.load(f"{folder}/particles.npy"), archive["particles"]):
        for field in PARTICLE.names:
            assert (read[field] == particles()[field]).all(), field
        assert read.dtype.itemsize == PARTICLE.itemsize, read.dtype
    assert np.load(f"{folder}/scalar.npy").shape == ()
    assert np.load(f"{folder}/empty.npy").shape == (0, 5)
    assert np.load(f"{folder}/float32.npy", mmap_mode="r")[1, 2, 3] == 23
else:
    everything = {name: numbers(name) for name in NAMES}
    for name, values in everything.items():
        np.save(f"{folder}/{name}.npy", values)
        np.save(f"{folder}/{name}_fortran.npy", np.asfortranarray(values.T))
        np.save(f"{folder}/{name}_swapped.npy", values.astype(values.dtype.newbyteorder(">")))
    np.savez(f"{folder}/stored.npz", **everything)
    np.savez_compressed(f"{folder}/deflated.npz", **everything)
    np.save(f"{folder}/particles.npy", particles())
    packed = np.dtype([(name, PARTICLE[name]) for name in PARTICLE.names])
    np.save(f"{folder}/packed_particles.npy", particles().astype(packed))
    np.save(f"{folder}/swapped_particles.npy", particles().astype(packed.newbyteorder(">")))
    with open(f"{folder}/version3.npy", "wb") as file:
        np.lib.format.write_array(file, np.array([1, 2], dtype="f4"), version=(3, 0))
print(f"{mode}: NumPy {np.__version__}")
