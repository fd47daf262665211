#include <gemel/arrays/matmul.hpp>

#include "array/byte_bounds.hpp"
#include "array/require.hpp"
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "linear/matmul_choice.hpp"
#include "linear/matmul_epilogue.hpp"
#include "linear/matmul_maps.hpp"
#include "linear/matmul_pack.hpp"
#include "tune/online.hpp"
#include "tune/tuning_table.hpp"

#include <gemel/arrays/reductions.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/codegen/snippet.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gemel {
namespace {

[[noreturn]] void refuse(const AnyArray& a, const AnyArray& b, const std::string& why) {
    throw ArgumentError(
        text("matmul: operands of the shapes ", to_string(a.shape()), " and ", to_string(b.shape()), ": ", why));
}

/// The broadcast shape of the axes before the matrices.
Shape batch_shape(const AnyArray& a, const AnyArray& b) {
    Shape batch;
    for (std::size_t back = std::max(a.rank(), b.rank()); back > 2; --back) {
        const std::int64_t left = back <= a.rank() ? a.shape()[a.rank() - back] : 1;
        const std::int64_t right = back <= b.rank() ? b.shape()[b.rank() - back] : 1;
        if (left != right && left != 1 && right != 1) refuse(a, b, "the batch axes cannot be broadcast to one shape");
        batch.push_back(left == 1 ? right : left);
    }
    return batch;
}

/// The same matrices with one axis before them; a view if their offsets have a constant stride.
AnyArray as_batch(const AnyArray& x, const Shape& batch) {
    Shape shape = batch;
    shape.push_back(x.shape()[x.rank() - 2]);
    shape.push_back(x.shape()[x.rank() - 1]);
    return x.broadcast_to(shape).reshape(
        Shape{static_cast<std::int64_t>(batch.count()), shape[batch.rank()], shape.back()});
}

/// Identifies the compiled products.
struct ProductKey {
    DType dtype = {};
    codegen::MatmulLayout layout = {};
    std::string epilogue = {}, preamble = {}, names = {};
    boost::container::small_vector<DType, 4> types = {};  ///< of the epilogue's arguments
    std::uint32_t sharers = 0;                            ///< above 0: the kernel that adds parts
    bool wide = false;                                    ///< of that kernel: 64-bit indices
    friend bool operator==(const ProductKey&, const ProductKey&) = default;
};

codegen::MatmulRequest request_of(const ProductKey& key, const std::vector<NamedArgument>& arguments) {
    codegen::MatmulRequest request{.dtype = key.dtype, .epilogue = key.epilogue, .preamble = key.preamble};
    for (const NamedArgument& a : arguments) {
        if (a.is_value())
            request.arguments.push_back(ScalarArg(a.dtype(), a.name()));
        else
            request.arguments.push_back(VectorArg(a.dtype(), a.name(), true));
    }
    return request;
}

std::shared_ptr<Variant> find_variant(const Context& context, const ProductKey& key,
                                      const std::vector<NamedArgument>& arguments) {
    static const std::uint64_t id = KernelCache::new_generator();
    return KernelCache::of(context).find<Variant>(VariantKey<ProductKey>{id, key}, [&] {
        const auto request = request_of(key, arguments);
        const GeneratedText text{
            key.sharers > 0 ? codegen::matmul_add_parts_source(request, key.sharers, key.wide, context.dialect())
                            : codegen::matmul_source(request, key.layout, context.dialect())};
        auto variant = std::make_shared<Variant>();
        const int registers = max_registers(context.device().info(), key.dtype, key.layout);
        const CompileOptions compile{.jit = {.max_registers = registers}, .name = "matmul"};
        variant->kernel = context.compile(text, compile).kernel(key.sharers > 0 ? "matmul_add_parts" : "matmul");
        variant->block = key.sharers > 0 ? codegen::matmul_add_parts_block : codegen::matmul_block(key.layout);
        return variant;
    });
}

/// The operands of one kernel, (batch, rows, inner) and (batch, inner, columns), copied if that pays.
struct Factors {
    codegen::MatmulForm form;
    AnyArray a, b;
    std::int64_t batch, rows, inner, columns;

    Factors(codegen::MatmulForm as, const AnyArray& left, const AnyArray& right) : form(as), a(left), b(right) {
        const bool has_slots = form >= codegen::MatmulForm::threads;
        // Copying an operand costs little compared with the product.
        const bool wants_rows = form == codegen::MatmulForm::serial && right.strides()[2] != 1 && left.shape()[1] > 4;
        if ((has_slots && !has_lines(left)) || !begins_at_element(left)) a = left.copy(Order::C);
        if (wants_rows || (has_slots && !has_lines(right)) || !begins_at_element(right)) b = right.copy(Order::C);
        batch = a.shape()[0], rows = a.shape()[1], inner = a.shape()[2], columns = b.shape()[2];
    }
    codegen::Workload work(DType dtype) const {
        return {.count = static_cast<std::size_t>(rows * columns) * static_cast<std::size_t>(inner),
                .item_bytes = static_cast<std::uint32_t>(dtype.size_bytes()),
                .arrays = static_cast<std::uint32_t>(form),
                .outputs = static_cast<std::size_t>(batch)};
    }
};

/// Forms without slots take only a tuner's numbers. A caller's are for single warps, unless they name warp groups.
codegen::MatmulTuning tuning_of(const Factors& f, DType dtype, KernelCache& cache, const MatmulOptions& options) {
    const DeviceInfo& device = cache.info();
    codegen::MatmulTuning given = f.form >= codegen::MatmulForm::threads ? options.tuning : codegen::MatmulTuning{};
    if (!(given == codegen::MatmulTuning{})) given.unit_warps = std::max(given.unit_warps, 1u);
    // Warp groups wait for at least one slot, and tensor maps have no empty axes.
    if (f.inner == 0) return matmul_choice(cache, dtype, f.form, f.a, f.b, 1)->tile;
    const auto choice = matmul_choice(cache, dtype, f.form, f.a, f.b, given.unit_warps);
    const bool may_pack = can_pack(device, dtype, f.form);
    // Single warps multiply packed halves of split products.
    const auto wants_groups = [&](const codegen::MatmulTuning& t) {
        return t.unit_warps == 4 || (t.packs != 0 && f.form != codegen::MatmulForm::split);
    };
    const auto may_group = [&](const codegen::MatmulTuning& t) {
        return t.packs != 0 || f.form == codegen::MatmulForm::split ? may_pack : choice->may_group;
    };
    if (wants_groups(options.tuning) && !may_group(options.tuning))
        throw ArgumentError(
            "matmul: unit_warps is 4 or packs 1, but these operands are not multiplied that way: expected a device "
            "with warp groups (DeviceInfo::has_warp_groups), 16-bit floats and lines that begin at multiples of 16 "
            "bytes; or tensor maps as well (has_tensor_maps), 16-bit floats, double or Precision::tensor, such lines "
            "that do not run backwards and, of float, an operand with stride 1 along the summed axis; or warp groups "
            "with tensor maps or shared_memory_static_bytes, and Precision::split, or packs = 1 for float, with any "
            "operands. Leave unit_warps and packs out");
    const TuningTable& table = cache.tunings(f.a.context());
    const auto heuristic = [&](const DeviceInfo&, const codegen::Workload& work) {
        const bool other = names_tile(given) || (!table.empty() && names_tile(table.find<codegen::MatmulTuning>(work)));
        return other ? choice->unsliced : choice->tile;
    };
    const codegen::MatmulTuning chosen = choose_tuning(given, device, table, f.work(dtype), heuristic);
    if (!wants_groups(chosen) || may_group(chosen)) {
        // A stored tile may be that of operands in another order.
        const bool is_stored = !table.empty() && options.tuning == codegen::MatmulTuning{} && !TuningHook::current();
        return is_stored && !has_tile(device, dtype, f.form, f.a, f.b, chosen) ? choice->tile : chosen;
    }
    return merge(given, matmul_choice(cache, dtype, f.form, f.a, f.b, 1)->tile);
}

/// The offset of an array of matrices, and its three strides, for a kernel.
std::array<std::int64_t, 4> offset_and_strides(const AnyArray& x) {
    return {begin_of(x), x.strides()[0], x.strides()[1], x.strides()[2]};
}

/// The arguments of a kernel that stores elements of c.
struct Storing {
    std::vector<NamedArgument> arguments;
    ProductKey key;

    Storing(const AnyArray& c, const MatmulOptions& options)
        : arguments(epilogue_arguments(options, c)),
          key{.dtype = c.dtype(), .epilogue = options.epilogue, .preamble = options.preamble} {
        for (const NamedArgument& argument : arguments) {
            key.names += argument.name() + (argument.is_value() ? "," : "*,");
            key.types.push_back(argument.dtype());
        }
    }
    void add_to(ArgumentList& list) const {
        for (const NamedArgument& argument : arguments)
            list.add(argument.is_value() ? value_argument(argument) : whole_memory(argument.array()));
    }
};

void launch(const Variant& variant, std::int64_t blocks, std::size_t shared_bytes, ArgumentList& list,
            std::span<const std::int64_t> numbers, bool overlap = true) {
    for (const std::int64_t& number : numbers) list.add(as_argument(number));
    variant.kernel.launch(
        {.grid = {blocks}, .block = {variant.block}, .shared_bytes = shared_bytes, .overlap = overlap}, list.span());
}

/// Computes c from the sums (batch * parts, rows, columns).
void add_parts(const AnyArray& c, const AnyArray& sums, std::int64_t parts, const Storing& storing) {
    const std::uint32_t sharers = codegen::matmul_part_sharers(KernelCache::of(c.context()).info(), parts);
    ProductKey key = storing.key;
    key.sharers = sharers;
    key.wide = c.size() >= std::size_t{1} << 31;
    const auto variant = find_variant(c.context(), key, storing.arguments);
    ArgumentList list;
    list.add(whole_memory(sums));
    list.add(whole_memory(c));
    storing.add_to(list);
    const std::array<std::int64_t, 4> to = offset_and_strides(c);
    const auto count = static_cast<std::int64_t>(c.size()), per_block = std::int64_t{variant->block / sharers};
    const std::int64_t numbers[] = {to[0], to[1], to[2], to[3], c.shape()[1], c.shape()[2], parts, count};
    launch(*variant, (count + per_block - 1) / per_block, 0, list, numbers);
}

/// The division of a product into blocks.
struct Cut {
    std::int64_t part_depth, parts, across, down;
    std::int64_t tile_rows, tile_columns;

    Cut(const Factors& f, DType dtype, const codegen::MatmulLayout& layout, const codegen::MatmulTuning& tuning) {
        const codegen::MatmulTile tile = codegen::matmul_tile(dtype, layout);
        tile_rows = tile.rows, tile_columns = tile.columns;
        part_depth = matmul_part_depth(tuning, f.inner);
        parts = layout.in_parts ? (f.inner + part_depth - 1) / part_depth : 1;
        across = (f.columns + tile.columns - 1) / tile.columns;
        down = (f.rows + tile.rows - 1) / tile.rows;
    }
};

/// The launches of a product; the last one stores the elements of c.
void launch_all(const AnyArray& c, const Factors& f, const MatmulOptions& options, const codegen::MatmulLayout& layout,
                const codegen::MatmulTuning& tuning, OnlineTrial* trial) {
    const Context context = c.context();
    const Cut cut(f, c.dtype(), layout, tuning);
    const Storing storing(c, options);
    // Sums of parts are stored unrounded.
    ProductKey key = layout.in_parts ? ProductKey{.dtype = c.dtype()} : storing.key;
    key.layout = layout;
    const auto variant = find_variant(context, key, layout.in_parts ? std::vector<NamedArgument>{} : storing.arguments);
    const AnyArray sums = layout.in_parts ? AnyArray(context, codegen::matmul_accumulator(c.dtype()),
                                                     Shape{f.batch * cut.parts, f.rows, f.columns})
                                          : c;
    if (trial) trial->begin({});
    ArgumentList list;
    std::optional<MappedOperand> mapped_a, mapped_b;
    if (layout.form == codegen::MatmulForm::mapped) {
        list.add(mapped_a.emplace(f.a, layout, true).argument());
        list.add(mapped_b.emplace(f.b, layout, false).argument());
    } else {
        list.add(whole_memory(f.a));
        list.add(whole_memory(f.b));
    }
    list.add(whole_memory(sums));
    if (!layout.in_parts) storing.add_to(list);
    const std::array<PackedOperand, 2> packed =
        packed_operands(f.a, f.b, layout, cut.down * cut.tile_rows, cut.across * cut.tile_columns);
    for (const auto part : {&PackedOperand::words, &PackedOperand::scales})
        for (const PackedOperand& operand : packed)
            if (!(operand.*part).empty()) list.add(whole_memory(operand.*part));
    const std::array<std::int64_t, 4> a = offset_and_strides(f.a), b = offset_and_strides(f.b),
                                      to = offset_and_strides(sums);
    const std::int64_t tiles = f.batch * cut.parts * cut.across * cut.down;
    if (tiles >= std::int64_t{1} << 31)
        throw ArgumentError(text("matmul: the product has ", tiles,
                                 " tiles in one launch, expected fewer than 2^31; multiply fewer "
                                 "matrices at once, or in fewer parts"));
    const std::int64_t numbers[] = {a[0],    a[1],       a[2],     a[3],      b[0],           b[1],   b[2],
                                    b[3],    to[0],      to[1],    to[2],     to[3],          f.rows, f.columns,
                                    f.inner, cut.across, cut.down, cut.parts, cut.part_depth, tiles};
    const std::size_t count = layout.form >= codegen::MatmulForm::packed ? 20 : layout.in_parts ? 19 : 17;
    const std::size_t shared_bytes =
        codegen::matmul_is_static(c.dtype(), layout) ? 0 : codegen::matmul_shared_bytes(c.dtype(), layout);
    const DeviceInfo& device = KernelCache::of(context).info();
    const std::int64_t blocks = launched_blocks(device, layout, tiles);
    launch(*variant, blocks, shared_bytes, list, std::span(numbers).first(count), may_overlap(device, blocks, layout));
    if (layout.in_parts) add_parts(c, sums, cut.parts, storing);
    if (trial) trial->end();
}

/// Chooses how to multiply, and multiplies. A `trial` marks the beginning and the end of the launches.
void multiply(const AnyArray& c, const Factors& f, const MatmulOptions& options, OnlineTrial* trial) {
    KernelCache& cache = KernelCache::of(c.context());
    const codegen::MatmulTuning tuning = tuning_of(f, c.dtype(), cache, options);
    const auto by = [&](const codegen::MatmulTuning& tile) {
        launch_all(c, f, options, matmul_layout(cache.info(), c.dtype(), f.form, f.a, f.b, tile), tile, trial);
    };
    try {
        by(tuning);
    } catch (const OutOfMemory&) {  // for packed operands; single warps need no memory
        if ((tuning.unit_warps != 4 && tuning.packs == 0) || options.tuning.unit_warps == 4 ||
            options.tuning.packs != 0)
            throw;
        by(matmul_choice(cache, c.dtype(), f.form, f.a, f.b, 1)->tile);
    }
}

/// c = a b, of (batch, rows, columns), (batch, rows, inner) and (batch, inner, columns).
void multiply(const AnyArray& c, const AnyArray& left, const AnyArray& right, const MatmulOptions& options) {
    if (c.size() == 0) return;
    KernelCache& cache = KernelCache::of(c.context());
    const Precision precision = precision_for(options.precision, options.tuning, left.shape()[2]);
    const Factors factors(matmul_form(cache.info(), c.dtype(), precision), left, right);
    run_tuned(c.context(), cache, [&](OnlineTrial* trial) { multiply(c, factors, options, trial); });
}

/// Refuses operands that cannot be multiplied.
void check_operands(const AnyArray& a, const AnyArray& b) {
    for (const AnyArray* given : {&a, &b}) {
        require_array("matmul", "an operand", *given);
        if (!codegen::is_number(given->dtype()))
            throw ArgumentError(
                text("matmul: an operand has elements of ", given->dtype().name(), ", expected numbers"));
    }
    if (!(a.context() == b.context()))
        throw ArgumentError("matmul: the operands are in different contexts; copy_to(context) copies one to the other");
    if (a.rank() == 0 || b.rank() == 0) refuse(a, b, "expected at least one axis of each; * multiplies by a number");
    if (a.shape().back() != b.shape()[b.rank() == 1 ? 0 : b.rank() - 2])
        refuse(a, b, "expected the last extent of the first to equal the last but one of the second");
}

/// The operands as batches of matrices of one type, and the product's shape.
struct Operands {
    AnyArray a, b;
    Shape batch;
    bool is_row, is_column;

    Operands(const AnyArray& left, const AnyArray& right, DType dtype)
        : is_row(left.rank() == 1), is_column(right.rank() == 1) {
        const AnyArray x = is_row ? left(newaxis, slice()) : left, y = is_column ? right(slice(), newaxis) : right;
        batch = batch_shape(x, y);
        a = as_batch(x.dtype() == dtype ? x : x.astype(dtype), batch);
        b = as_batch(y.dtype() == dtype ? y : y.astype(dtype), batch);
    }
    Shape shape() const {
        Shape all = batch;
        if (!is_row) all.push_back(a.shape()[1]);
        if (!is_column) all.push_back(b.shape()[2]);
        return all;
    }
    /// c as a batch of matrices: a view, or an empty handle if its strides allow none.
    AnyArray as_product(const AnyArray& c) const {
        const Shape whole{a.shape()[0], a.shape()[1], b.shape()[2]};
        if (c.is_contiguous()) return c.reshape(whole);
        if (batch.rank() > 1) return {};
        AnyArray view = is_column ? c(ellipsis, newaxis) : c;
        if (is_row) view = is_column ? view : view(ellipsis, newaxis, slice());
        return view.rank() == 2 ? view(newaxis, slice(), slice()) : view;
    }
};

/// A product with a vector, or with a matrix of one row or column: a reduction reads the other matrix once, and does
/// not round products of 16-bit floats. Empty for other products.
std::optional<AnyArray> by_reduction(const AnyArray& a, const AnyArray& b, DType dtype) {
    const auto sum = [&](const AnyExpr& products, int axis, bool keepdims) {
        return reduce(ReductionKind::sum, products.view(), dtype, axis, keepdims, "matmul");
    };
    if (b.rank() == 1) return sum(a * b, -1, false);
    if (a.rank() == 1) return sum(a(slice(), newaxis) * b, -2, false);
    batch_shape(a, b);  // refuses batches that cannot be broadcast
    if (b.shape().back() == 1) return sum(a * b(ellipsis, newaxis, slice(), 0), -1, true);
    if (a.shape()[a.rank() - 2] == 1) return sum(a(ellipsis, 0, slice(), newaxis) * b, -2, true);
    return std::nullopt;
}

}  // namespace

namespace detail {

AnyArray matmul(const AnyArray& a, const AnyArray& b, DType dtype, const MatmulOptions& options) {
    check_operands(a, b);
    if (dtype.empty()) dtype = codegen::promote(a.dtype(), b.dtype());
    std::optional<StreamScope> scope;
    if (!options.stream.empty()) scope.emplace(options.stream);
    if (options.epilogue.empty() && (a.rank() == 1 || b.rank() == 1 || options.tuning == codegen::MatmulTuning{}))
        if (auto product = by_reduction(a, b, dtype)) return *std::move(product);
    if (options.epilogue.find("before") != std::string::npos && codegen::Snippet(options.epilogue).uses("before"))
        throw ArgumentError("matmul: `before` in an epilogue is the target's element; matmul_into() has a target");
    const Operands operands(a, b, dtype);
    const AnyArray c(a.context(), dtype, operands.shape());
    multiply(operands.as_product(c), operands.a, operands.b, options);
    return c;
}

void matmul_into(const AnyArray& c, const AnyArray& a, const AnyArray& b, const MatmulOptions& options) {
    require_array("matmul_into", "the target", c);
    check_operands(a, b);
    const DType dtype = codegen::promote(a.dtype(), b.dtype());
    std::optional<StreamScope> scope;
    if (!options.stream.empty()) scope.emplace(options.stream);
    const Operands operands(a, b, dtype);
    if (!(c.context() == a.context()))
        throw ArgumentError("matmul_into: the target is in another context than the operands; allocate it in theirs");
    if (c.shape() != operands.shape() || c.dtype() != dtype)
        throw ArgumentError(text("matmul_into: the target is ", c.dtype().name(), " ", to_string(c.shape()),
                                 ", the product ", dtype.name(), " ", to_string(operands.shape())));
    if (c.repeats())
        throw ArgumentError("matmul_into: the target has several indices for one element; write into a copy()");
    const AnyArray product = operands.as_product(c);
    if (!product.empty() && begins_at_element(c) && !c.may_overlap(operands.a) && !c.may_overlap(operands.b))
        return multiply(product, operands.a, operands.b, options);
    const AnyArray whole = c.copy(Order::C);  // including the elements that `before` reads
    multiply(operands.as_product(whole), operands.a, operands.b, options);
    c.assign(whole);
}

}  // namespace detail
}  // namespace gemel
