"""NumPy (one thread) and, where it is installed, PyOpenCL on PoCL, for the workloads that gemel's benchmarks run on CPU devices.

One JSON line each: median wall time of a call with its result complete. PyOpenCL's buffers are staggered by 4352 bytes, without
which arrays that agree modulo 4 KiB would slow it down.
"""
import json
import time

import numpy as np


def report(peer, name, call):
    for _ in range(3):
        call()
    times = []
    for _ in range(15):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    print(json.dumps({"peer": peer, "name": name, "us": round(1e6 * sorted(times)[7], 1)}), flush=True)


def numpy_peer(n, size):
    rng = np.random.default_rng(1)
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    z, i = np.empty_like(x), rng.integers(0, 9, n, np.int32)
    j = np.empty_like(i)
    report("NumPy", "axpy f32" + size, lambda: np.add(np.multiply(x, np.float32(2), out=z), y, out=z))
    report("NumPy", "sum f32" + size, lambda: x.sum())
    report("NumPy", "dot f32" + size, lambda: np.dot(x, y))
    report("NumPy", "5*x + 6*y by operators" + size, lambda: 5 * x + 6 * y)
    report("NumPy", "sum(x*y) f32" + size, lambda: (x * y).sum())
    report("NumPy", "argmax f32" + size, lambda: x.argmax())
    report("NumPy", "inclusive scan f32" + size, lambda: np.cumsum(x, out=z))
    report("NumPy", "inclusive scan i32" + size, lambda: np.cumsum(i, out=j))


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

    x, y = array(rng.random(n, np.float32), 0), array(rng.random(n, np.float32), 1)
    z, i, j = array(np.zeros(n, np.float32), 2), array(np.ones(n, np.int32), 3), array(np.zeros(n, np.int32), 4)
    axpy = ElementwiseKernel(context, "float a, float *x, float *y, float *z", "z[i] = a*x[i] + y[i]")
    total = ReductionKernel(context, np.float32, "0", "a+b", "x[i]", "float *x")
    dot = ReductionKernel(context, np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    scan32 = InclusiveScanKernel(context, np.int32, "a+b", neutral="0")
    scan = InclusiveScanKernel(context, np.float32, "a+b", neutral="0")
    done = queue.finish
    report("PyOpenCL", "axpy f32" + size, lambda: (axpy(2, x, y, z), done()))
    report("PyOpenCL", "sum f32" + size, lambda: (total(x), done()))
    report("PyOpenCL", "dot f32" + size, lambda: (dot(x, y), done()))
    report("PyOpenCL", "5*x + 6*y by operators" + size, lambda: (5 * x + 6 * y, done()))
    report("PyOpenCL", "sum(x*y) f32" + size, lambda: (cl.array.sum(x * y), done()))
    report("PyOpenCL", "inclusive scan f32" + size, lambda: (scan(x, z), done()))
    report("PyOpenCL", "inclusive scan i32" + size, lambda: (scan32(i, j), done()))


for exponent in (20, 24):
    numpy_peer(1 << exponent, f" 2^{exponent}")
    try:
        pyopencl_peer(1 << exponent, f" 2^{exponent}")
    except ImportError:
        pass
