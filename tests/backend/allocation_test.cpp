/// Counts what a warm launch takes from the heap, which must be nothing. A program of its own: it replaces operator
/// new.
#include <gemel/core/text.hpp>
#include <gemel/gemel.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

/// Of the calling thread, so that a driver's threads do not count; libraries with heaps of their own do not either.
thread_local long allocations = 0;

void* counted(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
    throw std::bad_alloc();
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes); }
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return counted(bytes); }
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return ++allocations, std::malloc(bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return ++allocations, std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

constexpr const char* source = R"(
KERNEL void blend(GLOBAL_MEM float *out, GLOBAL_MEM const float *in, float s, int n, double shift)
{
    if (LID_0 < n) out[LID_0] = s * in[LID_0] + (float)shift;
}
KERNEL void nothing() {})";

/// Prints what a call allocates once it is warm. Returns whether that is anything.
template <class Call>
int check(const char* what, const Call& call) {
    for (int warm = 0; warm < 3; ++warm) call();
    const long before = allocations;
    for (int k = 0; k < 100; ++k) call();
    const long made = allocations - before;
    std::printf("%-28s %ld allocations in 100 calls\n", what, made);
    return made != 0;
}

int check_launches(const gemel::Context& context) {
    const gemel::Module module = context.compile(source);
    const gemel::Kernel blend = module.kernel("blend"), nothing = module.kernel("nothing");
    const gemel::Buffer out = context.allocate(4096), in = context.allocate(4096);
    const gemel::Stream stream = context.create_stream();
    int failures = 0;
    failures += check("launch without arguments", [&] { nothing({.grid = {1}, .block = {1}}); });
    failures +=
        check("launch with five arguments", [&] { blend({.grid = {1}, .block = {64}}, out, in, 2.0f, 64, 0.5); });
    failures += check("launch on a stream",
                      [&] { blend({.grid = {1}, .block = {64}, .stream = stream}, out, in, 2.0f, 64, 0.5); });
    {
        const gemel::StreamScope scope(stream);
        failures += check("launch on the current stream",
                          [&] { blend({.block = {64}, .threads = {64}}, out, in, 2.0f, 64, 0.5); });
    }
    const gemel::PreparedLaunch prepared = blend.prepare({.grid = {1}, .block = {64}}, out, in, 2.0f, 64, 0.5);
    failures += check("prepared with arguments", [&] { prepared(); });
    const gemel::Graph graph = gemel::capture(stream, [&] {
        blend({.grid = {1}, .block = {64}}, out, in, 2.0f, 64, 0.5);
        stream.fill(in, 1.0f);
        nothing({.grid = {1}, .block = {1}});
    });
    failures += check("a graph of three nodes", [&] { graph.launch(); });
    return failures;
}

int check_array_kernels() {
    using gemel::GPUArray, gemel::Shape, gemel::slice;
    const gemel::ElementwiseKernel axpy("float a, const float *x, const float *y, float *z", "z[i] = a*x[i] + y[i]",
                                        "axpy");
    const gemel::ElementwiseKernel open("T a, const T *x, U *z", "z[i] = a*x[i]", "open");
    const auto x = gemel::full<float>(Shape{32, 64}, 1), y = gemel::full<float>(Shape{32, 64}, 2),
               z = gemel::zeros<float>(Shape{32, 64});
    const auto left = x(slice(), slice(1, 33)), right = z(slice(), slice(32)), middle = y(slice(), slice(2, 34));
    int failures = 0;
    failures += check("element-wise kernel", [&] { axpy(2, x, y, z); });
    failures += check("element-wise, strided", [&] { axpy(2, left, middle, right); });
    failures += check("element-wise, open types", [&] { open(2, x, z); });
    failures +=
        check("element-wise, a range", [&] { axpy({.range = gemel::IndexRange{.start = 3, .step = 2}}, 2, x, y, z); });
    const gemel::ReductionKernel<float> sum({.arguments = "const float *x", .neutral = "0", .reduce_expr = "a+b"});
    const auto total = gemel::zeros<float>(Shape{});
    failures += check("reduction, output given", [&] { sum({.out = &total}, x); });
    return failures;
}

int check_expressions() {
    const auto x = gemel::linspace<float>(0.f, 1.f, 1000), y = gemel::linspace<float>(1.f, 2.f, 1000),
               z = gemel::empty_like(x);
    int failures = 0;
    failures += check("expression into an array", [&] { z.assign(5 * x + sin(y)); });
    failures += check("expression in place", [&] { z += 2 * x; });
    const auto row = gemel::linspace<float>(0.f, 1.f, 50), grid = x.reshape({20, 50}),
               table = gemel::zeros<float>({20, 50});
    const gemel::Function<float(float, float)> smooth("smooth", "a, b", "return a * a / (b + 1);");
    failures += check("expression, user's function", [&] { z.assign(smooth(x, 2 * y) + 1); });
    const gemel::GPUArray<float> waves = x.copy();
    failures += check("expression, shared part", [&] { z.assign(sin(waves) * sin(waves) + 1e300); });
    failures += check("expression, broadcast", [&] { table.assign(5 * grid + sin(row)); });
    return failures;
}

/// The minimum of several calls. A new array has a block of its own, and now and then it lies at an address where none
/// has been before, so that the call is remembered anew.
template <class Call>
long warm_allocations(const Call& call) {
    long min_made = 1000;
    for (int round = 0; round < 10; ++round) {
        const long before = allocations;
        call();
        min_made = std::min(min_made, allocations - before);
    }
    return min_made;
}

/// A new array's own block is all that an expression may allocate for it.
int check_new_array() {
    const auto x = gemel::linspace<float>(0.f, 1.f, 1000), y = gemel::linspace<float>(1.f, 2.f, 1000);
    const long array = warm_allocations([&] { gemel::empty<float>({1000}); }),
               expression = warm_allocations([&] { (5 * x + sin(y)).eval(); });
    std::printf("%-28s %ld allocations, of which its array's %ld\n", "expression as a new array", expression, array);
    return expression > array;
}

int check_counting() {
    const long before = allocations;
    ::operator delete(::operator new(1));  // a call that no compiler leaves out
    if (allocations == before + 1) return 0;
    std::puts("operator new is not counted");
    return 1;
}

}  // namespace

int main() try {
    const gemel::Context context = gemel::default_context();
    std::printf("on %s\n", context.device().name().c_str());
    int failures = check_launches(context);
    {
        const gemel::ContextScope scope(context);
        failures += check_array_kernels() + check_expressions() + check_new_array();
    }
    failures += check_counting();
    context.synchronize();
    return failures ? 1 : 0;
} catch (const gemel::BackendUnavailable& error) {
    std::printf("skipped: %s\n", error.what());
    return 77;
}
