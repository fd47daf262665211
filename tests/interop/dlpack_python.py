"""Exchanges arrays with NumPy (through host memory), CuPy and PyTorch (without a copy) by DLPack.

python3 dlpack_python.py LIBRARY. Ends with 77 if none of the three is there.
"""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.last_error.restype = library.backend_name.restype = ctypes.c_char_p
library.give.restype = ctypes.c_void_p
library.take.argtypes = [ctypes.c_void_p, ctypes.c_int]
library.fill.argtypes = [ctypes.c_int, ctypes.c_float]
library.element.restype = ctypes.c_float
library.address.restype = ctypes.c_ulonglong

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
NAMES = (b"dltensor", b"dltensor_versioned")
USED = (b"used_dltensor", b"used_dltensor_versioned")


def checked(result):
    if not result:
        raise RuntimeError(library.last_error().decode())
    return result


class Given:
    """An array of gemel as the Python array protocol wants it."""

    def __init__(self, array, device=None, on_host=False):
        self.array, self.device, self.on_host = array, device, on_host

    def __dlpack_device__(self):
        return (1, 0) if self.on_host else self.device

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        versioned = int(max_version is not None and max_version[0] >= 1)
        pointer = checked(library.give(self.array, versioned, int(self.on_host)))
        return python.PyCapsule_New(pointer, NAMES[versioned], None)


def taken(exporter, **options):
    capsule = exporter.__dlpack__(**options)
    versioned = int(python.PyCapsule_IsValid(capsule, NAMES[1]))
    pointer = python.PyCapsule_GetPointer(capsule, NAMES[versioned])
    python.PyCapsule_SetName(capsule, USED[versioned])
    return checked(library.take(pointer, versioned))


def exchange(name, module, from_dlpack, values_of, pointer_of, make, synchronize):
    """Both ways without a copy: what one side writes the other sees."""
    array = checked(library.make_array(2, 3))
    theirs = from_dlpack(Given(array, (2, 0)))
    assert values_of(theirs) == [[0, 1, 2], [3, 4, 5]], theirs
    assert pointer_of(theirs) == library.address(array), "it was copied"
    checked(library.fill(array, 7))
    assert values_of(theirs) == [[7, 7, 7], [7, 7, 7]], theirs
    turned = from_dlpack(Given(checked(library.transposed(array)), (2, 0)))
    assert tuple(turned.shape) == (3, 2)
    theirs[1, 2] = 9
    synchronize()
    assert library.element(array, 5) == 9
    assert values_of(turned)[2][1] == 9
    library.drop(array)  # the memory lives on with theirs
    assert values_of(theirs)[1] == [7, 7, 9]

    mine = make()
    synchronize()
    for view in (mine, mine.T, mine[1:, ::2]):
        back = taken(view)
        assert library.address(back) == pointer_of(view), "it was copied"
        flat = [value for row in values_of(view) for value in row]
        assert [library.element(back, i) for i in range(len(flat))] == flat
    whole = taken(mine)
    del mine, view
    checked(library.fill(whole, 3))
    assert library.element(whole, 0) == 3
    print(f"{name} {module.__version__}: ok")


exchanged = 0
backend = library.backend_name().decode()
if not backend:
    print("skipped:", library.last_error().decode())
    sys.exit(77)

try:
    import numpy
except ImportError:
    print("skipped: there is no NumPy")
else:
    array = checked(library.make_array(2, 3))
    theirs = numpy.from_dlpack(Given(array, on_host=True))
    assert theirs.tolist() == [[0, 1, 2], [3, 4, 5]], theirs
    library.drop(array)
    assert theirs.tolist() == [[0, 1, 2], [3, 4, 5]], theirs
    del theirs
    for values in (numpy.arange(6, dtype="f4").reshape(2, 3), numpy.arange(6, dtype="f4").reshape(2, 3).T,
                   numpy.arange(12, dtype="f4").reshape(3, 4)[::-1, ::2]):
        back = taken(values)
        assert [library.element(back, i) for i in range(values.size)] == values.ravel().tolist()
    print(f"NumPy {numpy.__version__}: ok")
    exchanged += 1

if backend == "cuda":
    try:
        import cupy
    except ImportError:
        print("skipped: there is no CuPy")
    else:
        exchange("CuPy", cupy, cupy.from_dlpack, lambda a: a.get().tolist(), lambda a: a.data.ptr,
                 lambda: cupy.arange(12, dtype="f4").reshape(3, 4), cupy.cuda.Device().synchronize)
        exchanged += 1
    try:
        import torch
    except ImportError:
        print("skipped: there is no PyTorch")
    else:
        exchange("PyTorch", torch, torch.from_dlpack, lambda a: a.tolist(), lambda a: a.data_ptr(),
                 lambda: torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4), torch.cuda.synchronize)
        exchanged += 1
sys.exit(0 if exchanged else 77)
