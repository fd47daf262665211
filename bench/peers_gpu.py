"""CuPy, cuRAND (through CuPy) and PyTorch, where they are installed, for the workloads that gemel's benchmarks run on an NVIDIA GPU.

One JSON line each. Large arrays: device time of a call by events, median of 21 rounds; arrays change from call to call, so that none
of them is found in a cache. Calls of 1000 elements: wall time of a call, the device idle at the end.
"""
import json
import time

LARGE = 1 << 28
CACHE_BYTES = 256 << 20


def report(peer, name, microseconds):
    print(json.dumps({"peer": peer, "name": name, "us": round(microseconds, 2)}), flush=True)


def median(times):
    return sorted(times)[len(times) // 2]


def device_time(call, event, elapsed, finish):
    def one_round():
        start = event()
        for k in range(calls):
            call(k)
        stop = event()
        finish()
        return 1e3 * elapsed(start, stop) / calls

    calls = 5
    once = max(one_round(), 0.5)
    calls = int(min(max(2000 / once, 2), 200))
    return median([one_round() for _ in range(21)])


def wall_time(call, finish):
    times = []
    for _ in range(41):
        start = time.perf_counter()
        for k in range(200):
            call(k)
        finish()
        times.append(1e6 * (time.perf_counter() - start) / 200)
    return median(times)


def rotation(make, n):
    return [make(n) for _ in range(min(max(CACHE_BYTES // (4 * n), 1), 64))]


TRANSPOSES = [((16384, 16384), (1, 0)), ((1 << 26, 4), (1, 0)), ((4, 1 << 26), (1, 0))]
TRANSPOSES += [((1000, 1003, 257), axes) for axes in ((0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))]
# gemel's names of types and the peers'
TYPES = {"uint8_t": "uint8", "uint16_t": "int16", "float": "float32", "double": "float64", "cdouble": "complex128"}


def transposes(device, zeros, copy, free):
    """Copies into C order of arrays whose axes are permuted: the cells of layouts.cpp."""
    for name, dtype in TYPES.items():
        for shape, axes in TRANSPOSES:
            x = zeros(shape, dtype)
            device(f"transpose {name} {shape} {axes}", copy(x, axes))
            del x
            free()


def cupy_peer():
    import cupy as cp
    from cupy.cuda import curand

    def event():
        e = cp.cuda.Event()
        e.record()
        return e

    def finish():
        cp.cuda.get_current_stream().synchronize()

    def timed(call):
        return device_time(call, event, cp.cuda.get_elapsed_time, finish)

    def device(name, call):
        report("CuPy", name, timed(call))

    philox = cp.random.Generator(cp.random.Philox4x3210(1))
    direct = curand.createGenerator(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
    curand.setStream(direct, cp.cuda.get_current_stream().ptr)

    axpy = cp.ElementwiseKernel("float32 a, float32 x, float32 y", "float32 z", "z = a * x + y", "axpy")
    for exponent in (20, 24, 28):
        n, size = 1 << exponent, f" 2^{exponent}"
        make = lambda n: cp.random.random(n, dtype=cp.float32)
        x, y, z = rotation(make, n), rotation(make, n), rotation(make, n)
        at = lambda arrays, k: arrays[k % len(arrays)]
        device("axpy f32" + size, lambda k: axpy(cp.float32(2), at(x, k), at(y, k), at(z, k)))
        device("5*x + 6*y by operators" + size, lambda k: 5 * at(x, k) + 6 * at(y, k))
        device("sum f32" + size, lambda k: at(x, k).sum())
        device("dot f32" + size, lambda k: cp.dot(at(x, k), at(y, k)))
        device("sum(x*y) f32" + size, lambda k: (at(x, k) * at(y, k)).sum())
        device("argmax f32" + size, lambda k: at(x, k).argmax())
        device("inclusive scan f32" + size, lambda k: cp.cumsum(at(x, k), out=at(z, k)))
        device("uniform f32" + size, lambda k: philox.random(dtype=cp.float32, out=at(z, k)))
        report("cuRAND", "uniform f32" + size, timed(lambda k: curand.generateUniform(direct, at(z, k).data.ptr, n)))
        report("cuRAND", "normal f32" + size, timed(lambda k: curand.generateNormal(direct, at(z, k).data.ptr, n, 0, 1)))
        del x, y, z
        cp.get_default_memory_pool().free_all_blocks()
    pool = cp.get_default_memory_pool()
    transposes(device, cp.zeros, lambda x, axes: lambda k: cp.ascontiguousarray(x.transpose(axes)), pool.free_all_blocks)
    x, y = cp.ones(1000, cp.float32), cp.ones(1000, cp.float32)
    report("CuPy", "expression 5*x + 6*y, with its new array", wall_time(lambda k: 5 * x + 6 * y, finish))
    report("CuPy", "sum(x*y), 1000 elements", wall_time(lambda k: (x * y).sum(), finish))


def pytorch_peer():
    import torch

    def event():
        e = torch.cuda.Event(enable_timing=True)
        e.record()
        return e

    def device(name, call):
        report("PyTorch", name, device_time(call, event, lambda a, b: a.elapsed_time(b), torch.cuda.synchronize))

    for exponent in (20, 24, 28):
        n, size = 1 << exponent, f" 2^{exponent}"
        make = lambda n: torch.rand(n, device="cuda")
        x, y = rotation(make, n), rotation(make, n)
        at = lambda arrays, k: arrays[k % len(arrays)]
        device("axpy f32" + size, lambda k: torch.add(at(y, k), at(x, k), alpha=2))
        device("5*x + 6*y by operators" + size, lambda k: 5 * at(x, k) + 6 * at(y, k))
        device("sum f32" + size, lambda k: at(x, k).sum())
        device("dot f32" + size, lambda k: torch.dot(at(x, k), at(y, k)))
        device("sum(x*y) f32" + size, lambda k: (at(x, k) * at(y, k)).sum())
        device("argmax f32" + size, lambda k: at(x, k).argmax())
        device("inclusive scan f32" + size, lambda k: torch.cumsum(at(x, k), 0))
        device("uniform f32" + size, lambda k: at(x, k).uniform_())
        del x, y
        torch.cuda.empty_cache()
    make = lambda shape, dtype: torch.zeros(shape, dtype=getattr(torch, dtype), device="cuda")
    transposes(device, make, lambda x, axes: lambda k: x.permute(axes).contiguous(), torch.cuda.empty_cache)
    x, y = torch.ones(1000, device="cuda"), torch.ones(1000, device="cuda")
    report("PyTorch", "expression 5*x + 6*y, with its new array", wall_time(lambda k: 5 * x + 6 * y, torch.cuda.synchronize))
    report("PyTorch", "sum(x*y), 1000 elements", wall_time(lambda k: (x * y).sum(), torch.cuda.synchronize))


for peer in (cupy_peer, pytorch_peer):
    try:
        peer()
    except ImportError:
        pass
