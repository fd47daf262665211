/// A vector addition whose loop is unrolled in a syntax tree, for a type known at run time (figure 5b of PyCUDA's
/// paper).
#include <gemel/gemel.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace cg = gemel::codegen;

int main() {
    constexpr unsigned blocks = 10;
    constexpr int thread_block_size = 64, block_size = 8, n = blocks * thread_block_size * block_size;
    const gemel::GPUArray<float> a = gemel::random::rand<float>({n}), b = gemel::random::rand<float>({n});
    const gemel::GPUArray<float> c = gemel::zeros_like(a);

    const gemel::DType dtype = a.dtype();
    const cg::Expression idx = cg::var("idx"), tgt = cg::var("tgt"), op1 = cg::var("op1"), op2 = cg::var("op2");
    cg::Statements body{
        cg::declare<std::int32_t>("idx", cg::thread_id(0) + thread_block_size * block_size * cg::block_id(0))};
    for (int i = 0; i < block_size; ++i) {
        const cg::Expression at = idx + i * thread_block_size;
        body.push_back(cg::assign(tgt[at], op1[at] + op2[at]));
    }
    const cg::Function add =
        cg::kernel("add",
                   {cg::global_pointer(dtype, "tgt"), cg::global_pointer(cg::constant(dtype), "op1"),
                    cg::global_pointer(cg::constant(dtype), "op2")},
                   body);

    const gemel::Module module = gemel::default_context().compile(add);
    module.kernel("add")({.grid = {blocks}, .block = {thread_block_size}}, c, a, b);

    const bool good = gemel::max(gemel::abs(c - (a + b))).item() == 0;
    std::printf("%s: %d sums, %d by each thread\n", good ? "ok" : "wrong", n, block_size);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
