#include "linear/matmul_pack.hpp"

#include "array/byte_bounds.hpp"
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "linear/matmul_layout.hpp"

#include <gemel/codegen/matmul.hpp>

#include <algorithm>
#include <initializer_list>
#include <memory>

namespace gemel {
namespace {

/// A kernel that packs, or prepares it; `source` is of codegen.
template <class Pack>
std::shared_ptr<Variant> find(const Context& context, const Pack& pack, const char* name,
                              std::string (*source)(const Pack&, const Dialect&), std::uint64_t id) {
    return KernelCache::of(context).find<Variant>(VariantKey<Pack>{id, pack}, [&] {
        auto variant = std::make_shared<Variant>();
        const GeneratedText text{source(pack, context.dialect())};
        variant->kernel = context.compile(text, CompileOptions{.name = name}).kernel(name);
        variant->block = codegen::matmul_pack_block;
        return variant;
    });
}

/// An operand of a product as lines: rows of the left one, columns of the right one.
struct Lines {
    AnyArray x;
    std::int64_t lines, inner, line_step, depth_step;
    bool along, wide;

    Lines(const AnyArray& operand, bool is_left) : x(operand) {
        const std::size_t line_axis = is_left ? 1 : 2, depth_axis = is_left ? 2 : 1;
        lines = x.shape()[line_axis], inner = x.shape()[depth_axis];
        line_step = x.strides()[line_axis], depth_step = x.strides()[depth_axis];
        along = depth_step == 1 || inner == 1;
        wide = along && begin_address(x) % 16 == 0 && (lines == 1 || line_step % 4 == 0) &&
               (x.shape()[0] == 1 || x.strides()[0] % 4 == 0);
    }
    std::int64_t stretches() const { return (inner + codegen::matmul_unit_depth - 1) / codegen::matmul_unit_depth; }
    std::int64_t units() const { return (lines + codegen::matmul_unit_lines - 1) / codegen::matmul_unit_lines; }
    /// Launches with these arrays, the operand's layout and these numbers.
    void launch(const Variant& variant, std::int64_t blocks, std::initializer_list<const AnyArray*> arrays,
                std::initializer_list<std::int64_t> more) const {
        ArgumentList list;
        list.add(whole_memory(x));
        for (const AnyArray* array : arrays) list.add(whole_memory(*array));
        const std::int64_t layout[] = {begin_of(x), x.strides()[0], line_step, depth_step, lines, inner};
        for (const std::int64_t& number : layout) list.add(as_argument(number));
        for (const std::int64_t& number : more) list.add(as_argument(number));
        variant.kernel.launch({.grid = {blocks}, .block = {variant.block}}, list.span());
    }
};

/// The largest and smallest magnitudes of all stretches, in shares that are enough to fill the device.
struct Ranges {
    std::int64_t shares;
    AnyArray of;

    explicit Ranges(const Lines& operand) {
        static const std::uint64_t id = KernelCache::new_generator();
        const Context context = operand.x.context();
        const std::int64_t stretches = operand.stretches(), all = operand.x.shape()[0] * stretches,
                           wanted = 4 * std::int64_t{KernelCache::of(context).info().compute_units};
        shares = std::clamp<std::int64_t>((wanted + all - 1) / all, 1, std::max<std::int64_t>(operand.lines / 128, 1));
        of = AnyArray(context, dtype_of<std::uint32_t>(), Shape{all * shares * 2});
        // One kernel for all depths of a slot.
        const codegen::MatmulPackHalves pack{.along = operand.along, .wide = operand.wide};
        const auto variant = find(context, pack, "matmul_range", codegen::matmul_range_source, id);
        operand.launch(*variant, all * shares, {&of}, {stretches, shares});
    }
};

PackedHalves pack_halves(const Lines& operand, const Ranges& own, const Ranges& other,
                         const codegen::MatmulPackHalves& pack) {
    static const std::uint64_t id = KernelCache::new_generator();
    const Context context = operand.x.context();
    const std::int64_t batch = operand.x.shape()[0], stretches = operand.stretches(), units = operand.units();
    const PackedHalves packed{
        AnyArray(context, operand.x.dtype(), Shape{batch * operand.lines * stretches * codegen::matmul_unit_depth}),
        AnyArray(context, operand.x.dtype(), Shape{batch * stretches})};
    const auto variant = find(context, pack, "matmul_pack_halves", codegen::matmul_pack_halves_source, id);
    operand.launch(*variant, batch * units * stretches, {&packed.words, &packed.scales, &own.of, &other.of},
                   {units, stretches, own.shares, other.shares});
    return packed;
}

}  // namespace

AnyArray packed_factor(const AnyArray& x, std::uint32_t parts, bool is_left, std::int64_t lines) {
    static const std::uint64_t id = KernelCache::new_generator();
    const Lines operand(x, is_left);
    const codegen::MatmulPack pack{.parts = parts, .along = operand.along, .wide = operand.wide};
    const auto variant = find(x.context(), pack, "matmul_pack", codegen::matmul_pack_source, id);
    const std::int64_t units = lines / codegen::matmul_unit_lines, depth = codegen::matmul_packed_depth(parts),
                       slots = (operand.inner + depth - 1) / depth, blocks = x.shape()[0] * units * slots;
    // A part of a unit takes 8 KiB: 32 floats of a line, or 64 bfloat16s.
    const AnyArray packed(x.context(), x.dtype(),
                          Shape{blocks * codegen::matmul_unit_lines * codegen::matmul_unit_depth * parts});
    operand.launch(*variant, blocks, {&packed}, {units, slots});
    return packed;
}

std::array<PackedHalves, 2> packed_halves(const AnyArray& a, const AnyArray& b, std::uint32_t depth) {
    const Lines left(a, true), right(b, false);
    const codegen::MatmulPackHalves a_pack{.depth = depth, .along = left.along, .wide = left.wide},
        b_pack{.depth = depth, .along = right.along, .wide = right.wide};
    const Ranges a_ranges(left), b_ranges(right);
    return {pack_halves(left, a_ranges, b_ranges, a_pack), pack_halves(right, b_ranges, a_ranges, b_pack)};
}

}  // namespace gemel
