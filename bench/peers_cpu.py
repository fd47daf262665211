"""NumPy (one thread, its dot and products as many as there are cores) and, where it is installed, PyOpenCL on PoCL, for the workloads that gemel's benchmarks run on CPU devices.

    peers_cpu.py                  for 2^20 and 2^24 elements
    peers_cpu.py SIZE...          for these numbers of elements; up to 10000 only the rows of small arrays

One JSON line each: median wall time of a call with its result complete. PyOpenCL's buffers are staggered by 4352 bytes, without
which arrays that agree modulo 4 KiB would slow it down.
"""
import json
import math
import sys
import time

import numpy as np

SMALL = 10000


def report(peer, name, call):
    """Fifteen calls after three, or as many as two seconds have; the median."""
    times = []
    while len(times) < 3 or len(times) < 18 and sum(times) < 2:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    measured = sorted(times[min(3, len(times) // 2) :])
    print(json.dumps({"peer": peer, "name": name, "us": round(1e6 * measured[len(measured) // 2], 1)}), flush=True)


def numpy_peer(n, size):
    rng = np.random.default_rng(1)
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    report("NumPy", "5*x + 6*y by operators" + size, lambda: 5 * x + 6 * y)
    if n <= SMALL:
        return
    z, i = np.empty_like(x), rng.integers(0, 9, n, np.int32)
    j = np.empty_like(i)
    report("NumPy", "axpy f32" + size, lambda: np.add(np.multiply(x, np.float32(2), out=z), y, out=z))
    report("NumPy", "sum f32" + size, lambda: x.sum())
    report("NumPy", "dot f32" + size, lambda: np.dot(x, y))
    report("NumPy", "sum(x*y) f32" + size, lambda: (x * y).sum())
    report("NumPy", "argmax f32" + size, lambda: x.argmax())
    report("NumPy", "inclusive scan f32" + size, lambda: np.cumsum(x, out=z))
    report("NumPy", "inclusive scan i32" + size, lambda: np.cumsum(i, out=j))
    keys = rng.integers(0, 2**32, n, np.uint32)
    report("NumPy", "sort u32" + size, lambda: np.sort(keys))
    report("NumPy", "sort f32" + size, lambda: np.sort(x))
    report("NumPy", "argsort u32" + size, lambda: np.argsort(keys))

    def by_key():
        order = np.argsort(keys, kind="stable")
        return keys[order], i[order]

    report("NumPy", "sort u32 with u32" + size, by_key)
    groups = (x * 1000).astype(np.int32)
    report("NumPy", "unique u32" + size, lambda: np.unique(keys))
    report("NumPy", "unique i32, 1000 values" + size, lambda: np.unique(groups))
    report("NumPy", "histogram f32, 256 bins" + size, lambda: np.histogram(x, 256, (0.0, 1.0)))
    report("NumPy", "bincount i32, 1000 bins" + size, lambda: np.bincount(groups))


def numpy_products():
    rng = np.random.default_rng(1)
    a, b = rng.random((1024, 1024), np.float32), rng.random((1024, 1024), np.float32)
    report("NumPy", "matmul f32 1024 x 1024", lambda: a @ b)
    report("NumPy", "matmul f32 1024 x 1024, b transposed", lambda: a @ b.T)


def pyopencl_peer(n, size):
    import pyopencl as cl
    import pyopencl.array
    from pyopencl.elementwise import ElementwiseKernel
    from pyopencl.reduction import ReductionKernel
    from pyopencl.scan import InclusiveScanKernel

    devices = [d for p in cl.get_platforms() if "Portable" in p.name for d in p.get_devices()]
    context = cl.Context(devices[:1])
    queue = cl.CommandQueue(context)
    rng = np.random.default_rng(1)

    def array(host, place):
        base = cl.array.empty(queue, host.nbytes + 65536, np.uint8)
        staggered = cl.array.Array(queue, host.shape, host.dtype, data=base.data, offset=4352 * place)
        staggered.set(host)
        return staggered

    done = queue.finish
    x, y = array(rng.random(n, np.float32), 0), array(rng.random(n, np.float32), 1)
    report("PyOpenCL", "5*x + 6*y by operators" + size, lambda: (5 * x + 6 * y, done()))
    if n <= SMALL:
        return
    z, i, j = array(np.zeros(n, np.float32), 2), array(np.ones(n, np.int32), 3), array(np.zeros(n, np.int32), 4)
    axpy = ElementwiseKernel(context, "float a, float *x, float *y, float *z", "z[i] = a*x[i] + y[i]")
    total = ReductionKernel(context, np.float32, "0", "a+b", "x[i]", "float *x")
    dot = ReductionKernel(context, np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    scan32 = InclusiveScanKernel(context, np.int32, "a+b", neutral="0")
    scan = InclusiveScanKernel(context, np.float32, "a+b", neutral="0")
    report("PyOpenCL", "axpy f32" + size, lambda: (axpy(2, x, y, z), done()))
    report("PyOpenCL", "sum f32" + size, lambda: (total(x), done()))
    report("PyOpenCL", "dot f32" + size, lambda: (dot(x, y), done()))
    report("PyOpenCL", "sum(x*y) f32" + size, lambda: (cl.array.sum(x * y), done()))
    report("PyOpenCL", "inclusive scan f32" + size, lambda: (scan(x, z), done()))
    report("PyOpenCL", "inclusive scan i32" + size, lambda: (scan32(i, j), done()))


def name_of(n):
    """As gemel's benchmarks write it: 2^20, 10^7, 1000."""
    for base in (2, 10):
        exponent = round(math.log(n, base))
        if base**exponent == n and n > SMALL:
            return f" {base}^{exponent}"
    return f" {n}"


for n in [int(word) for word in sys.argv[1:]] or [1 << 20, 1 << 24]:
    numpy_peer(n, name_of(n))
    try:
        pyopencl_peer(n, name_of(n))
    except ImportError as error:
        print(f"without PyOpenCL: {error}", file=sys.stderr)
numpy_products()
