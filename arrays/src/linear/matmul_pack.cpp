#include "linear/matmul_pack.hpp"

#include "array/byte_bounds.hpp"
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "linear/matmul_layout.hpp"

#include <gemel/codegen/matmul.hpp>

#include <memory>

namespace gemel {
namespace {

std::shared_ptr<Variant> find_pack(const Context& context, const codegen::MatmulPack& pack) {
    static const std::uint64_t id = KernelCache::new_generator();
    return KernelCache::of(context).find<Variant>(VariantKey<codegen::MatmulPack>{id, pack}, [&] {
        const GeneratedText text{codegen::matmul_pack_source(pack, context.dialect())};
        auto variant = std::make_shared<Variant>();
        variant->kernel = context.compile(text, CompileOptions{.name = "matmul_pack"}).kernel("matmul_pack");
        variant->block = codegen::matmul_pack_block;
        return variant;
    });
}

}  // namespace

AnyArray packed_factor(const AnyArray& x, std::uint32_t parts, bool is_left, std::int64_t lines) {
    const std::size_t line_axis = is_left ? 1 : 2, depth_axis = is_left ? 2 : 1;
    const std::int64_t inner = x.shape()[depth_axis], line_step = x.strides()[line_axis];
    const bool along = x.strides()[depth_axis] == 1 || inner == 1;
    const bool wide = begin_address(x) % 16 == 0 && (x.shape()[line_axis] == 1 || line_step % 4 == 0) &&
                      (x.shape()[0] == 1 || x.strides()[0] % 4 == 0);
    const auto variant = find_pack(x.context(), {.parts = parts, .along = along, .wide = along && wide});
    const std::int64_t slots = (inner + codegen::matmul_unit_depth - 1) / codegen::matmul_unit_depth,
                       units = lines / codegen::matmul_unit_lines, blocks = x.shape()[0] * units * slots;
    const AnyArray packed(x.context(), x.dtype(),
                          Shape{blocks * codegen::matmul_unit_lines * codegen::matmul_unit_depth * parts});
    ArgumentList list;
    list.add(whole_memory(x));
    list.add(whole_memory(packed));
    const std::int64_t numbers[] = {begin_of(x),          x.strides()[0], line_step, x.strides()[depth_axis],
                                    x.shape()[line_axis], inner,          units,     slots};
    for (const std::int64_t& number : numbers) list.add(as_argument(number));
    variant->kernel.launch({.grid = {blocks}, .block = {variant->block}}, list.span());
    return packed;
}

}  // namespace gemel
