/// A vector addition whose loop is unrolled by a template (figure 5a of PyCUDA's paper).
#include <gemel/gemel.hpp>

#include <cstdio>
#include <cstdlib>

constexpr const char* add_template = R"(
KERNEL void add(GLOBAL_MEM {{ type_name }} *tgt,
                GLOBAL_MEM const {{ type_name }} *op1,
                GLOBAL_MEM const {{ type_name }} *op2)
{
    int idx = LID_0 + {{ thread_block_size }} * {{ block_size }} * GID_0;
    {%- for i in range(block_size) %}
    {%- set offset = i * thread_block_size %}
    tgt[idx + {{ offset }}] = op1[idx + {{ offset }}] + op2[idx + {{ offset }}];
    {%- endfor %}
})";

int main() {
    constexpr unsigned blocks = 10;
    constexpr int thread_block_size = 64, block_size = 8, n = blocks * thread_block_size * block_size;
    const gemel::GPUArray<float> a = gemel::random::rand<float>({n}), b = gemel::random::rand<float>({n});
    const gemel::GPUArray<float> c = gemel::zeros_like(a);

    // Complaints of a compiler name the template's lines.
    const gemel::codegen::Template add(add_template, "add.template");
    const gemel::Module module = gemel::default_context().compile(
        add.with({{"type_name", a.dtype()}, {"block_size", block_size}, {"thread_block_size", thread_block_size}}));
    module.kernel("add")({.grid = {blocks}, .block = {thread_block_size}}, c, a, b);

    const bool good = gemel::max(gemel::abs(c - (a + b))).item() == 0;
    std::printf("%s: %d sums, %d by each thread\n", good ? "ok" : "wrong", n, block_size);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
