#include "linear/matmul_pack.hpp"

#include "array/byte_bounds.hpp"
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "linear/matmul_layout.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <vector>

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
struct PackingLines {
    AnyArray x;
    std::int64_t lines, line_step, depth_step;
    codegen::MatmulReads reads;

    PackingLines(const AnyArray& operand, bool is_left) : x(operand) {
        const std::size_t line_axis = is_left ? 1 : 2, depth_axis = is_left ? 2 : 1;
        lines = x.shape()[line_axis];
        line_step = x.strides()[line_axis], depth_step = x.strides()[depth_axis];
        reads.along = depth_step == 1 || x.shape()[depth_axis] == 1;
        reads.wide = reads.along && begin_address(x) % 16 == 0 && (lines == 1 || line_step % 4 == 0) &&
                     (x.shape()[0] == 1 || x.strides()[0] % 4 == 0);
    }
};

/// Both operands, divided into stretches along the summed axis.
struct PackingOperands {
    PackingLines a, b;
    std::int64_t matrices, inner, stretches;

    PackingOperands(const AnyArray& left, const AnyArray& right, std::uint32_t depth)
        : a(left, true),
          b(right, false),
          matrices(left.shape()[0]),
          inner(left.shape()[2]),
          stretches((inner + depth - 1) / depth) {}
    Context context() const { return a.x.context(); }
    AnyArray allocate(std::int64_t count) const { return {context(), a.x.dtype(), Shape{count}}; }
    /// Launches with these arrays and numbers after the operands and their layout, and with so many blocks for each.
    void launch(const Variant& variant, std::int64_t a_blocks, std::int64_t b_blocks,
                const std::vector<const AnyArray*>& arrays, const std::vector<std::int64_t>& more) const {
        ArgumentList list;
        list.add(whole_memory(a.x));
        list.add(whole_memory(b.x));
        for (const AnyArray* array : arrays) list.add(whole_memory(*array));
        std::vector<std::int64_t> numbers;
        for (const PackingLines* own : {&a, &b})
            numbers.insert(numbers.end(),
                           {begin_of(own->x), own->x.strides()[0], own->line_step, own->depth_step, own->lines});
        numbers.insert(numbers.end(), {inner, stretches, a_blocks});
        numbers.insert(numbers.end(), more.begin(), more.end());
        for (const std::int64_t& number : numbers) list.add(as_argument(number));
        variant.kernel.launch({.grid = {a_blocks + b_blocks}, .block = {variant.block}}, list.span());
    }
};

/// The largest and smallest magnitudes of all stretches, in shares that are enough to fill the device.
struct Ranges {
    std::int64_t a_shares, b_shares;
    AnyArray of;

    Ranges(const PackingOperands& operands, std::uint32_t depth) {
        static const std::uint64_t id = KernelCache::new_generator();
        const Context context = operands.context();
        const std::int64_t all = operands.matrices * operands.stretches,
                           wanted = 4 * std::int64_t{KernelCache::of(context).info().compute_units};
        const auto shares = [&](const PackingLines& own) {
            return std::clamp<std::int64_t>((wanted + all - 1) / all, 1, std::max<std::int64_t>(own.lines / 128, 1));
        };
        a_shares = shares(operands.a), b_shares = shares(operands.b);
        of = AnyArray(context, dtype_of<std::uint32_t>(), Shape{all * (a_shares + b_shares) * 3});
        const codegen::MatmulRange range{.depth = depth, .a = operands.a.reads, .b = operands.b.reads};
        const auto variant = find(context, range, "matmul_range", codegen::matmul_range_source, id);
        operands.launch(*variant, all * a_shares, all * b_shares, {&of}, {a_shares, b_shares});
    }
};

std::int64_t units_of(std::int64_t lines) {
    return (lines + codegen::matmul_unit_lines - 1) / codegen::matmul_unit_lines;
}

std::array<PackedOperand, 2> packed_units(const AnyArray& a, const AnyArray& b, std::uint32_t parts,
                                          std::int64_t a_lines, std::int64_t b_lines) {
    static const std::uint64_t id = KernelCache::new_generator();
    const std::uint32_t depth = codegen::matmul_packed_depth(parts);
    const PackingOperands operands(a, b, depth);
    const codegen::MatmulPack pack{.parts = parts, .a = operands.a.reads, .b = operands.b.reads};
    const auto variant = find(a.context(), pack, "matmul_pack", codegen::matmul_pack_source, id);
    const std::int64_t a_units = units_of(a_lines), b_units = units_of(b_lines),
                       slots = operands.matrices * operands.stretches;
    // A part of a unit takes 8 KiB: 32 floats of a line, or 64 numbers of 16 bits.
    const std::int64_t unit =
        slots * codegen::matmul_unit_lines * codegen::matmul_unit_depth * codegen::matmul_stored_parts(parts);
    std::array<PackedOperand, 2> packed{PackedOperand{operands.allocate(a_units * unit), {}},
                                        PackedOperand{operands.allocate(b_units * unit), {}}};
    std::vector<const AnyArray*> arrays{&packed[0].words, &packed[1].words};
    std::vector<std::int64_t> numbers{a_units, b_units};
    AnyArray ranges;
    if (parts > 1) {
        const Ranges found(operands, depth);
        ranges = found.of;
        for (PackedOperand& operand : packed) {
            operand.scales = operands.allocate(slots);
            arrays.push_back(&operand.scales);
        }
        arrays.push_back(&ranges);
        numbers.insert(numbers.end(), {found.a_shares, found.b_shares, slots * found.a_shares});
    }
    operands.launch(*variant, a_units * slots, b_units * slots, arrays, numbers);
    return packed;
}

std::array<PackedOperand, 2> packed_halves(const AnyArray& a, const AnyArray& b, std::uint32_t depth) {
    static const std::uint64_t id = KernelCache::new_generator();
    const PackingOperands operands(a, b, codegen::matmul_unit_depth);
    const codegen::MatmulPackHalves pack{.depth = depth, .a = operands.a.reads, .b = operands.b.reads};
    const auto variant = find(a.context(), pack, "matmul_pack_halves", codegen::matmul_pack_halves_source, id);
    const Ranges ranges(operands, codegen::matmul_unit_depth);
    const std::int64_t a_units = units_of(operands.a.lines), b_units = units_of(operands.b.lines),
                       all = operands.matrices * operands.stretches;
    const auto allocate = [&](const PackingLines& own) {
        return PackedOperand{operands.allocate(all * own.lines * codegen::matmul_unit_depth), operands.allocate(all)};
    };
    const std::array<PackedOperand, 2> packed{allocate(operands.a), allocate(operands.b)};
    operands.launch(*variant, a_units * all, b_units * all,
                    {&packed[0].words, &packed[1].words, &packed[0].scales, &packed[1].scales, &ranges.of},
                    {a_units, b_units, ranges.a_shares, ranges.b_shares, all * ranges.a_shares});
    return packed;
}

}  // namespace

std::array<PackedOperand, 2> packed_operands(const AnyArray& a, const AnyArray& b, const codegen::MatmulLayout& layout,
                                             std::int64_t a_lines, std::int64_t b_lines) {
    if (layout.form == codegen::MatmulForm::packed) return packed_units(a, b, layout.packed_parts, a_lines, b_lines);
    if (layout.form == codegen::MatmulForm::halves) return packed_halves(a, b, layout.tile.depth);
    return {};
}

}  // namespace gemel
