#include "dense/convolution.hpp"

#include "array/byte_bounds.hpp"
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <bit>
#include <memory>

namespace gemel::dense {
namespace {

using codegen::ConvolutionBorder;
using codegen::ConvolutionLayout;

std::int64_t parts(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

/// The power of 2 that is at least `wanted`, within bounds.
std::uint32_t enough(std::int64_t wanted, std::uint32_t least, std::uint32_t most) {
    return std::bit_ceil(static_cast<std::uint32_t>(std::clamp<std::int64_t>(wanted, least, most)));
}

void set(std::uint32_t& value, std::uint32_t given) {
    if (given) value = given;
}

/// Sets the threads of a block and the results of each thread.
void cut_into_blocks(ConvolutionLayout& layout, const Convolution& work, std::uint32_t max_threads) {
    const std::uint32_t threads = std::min(256u, std::bit_floor(std::max(max_threads, 1u)));
    layout.along_rows = layout.filter_rows == 1 && layout.filter_columns > 1;
    if (layout.along_rows) {
        layout.own = 5;  // odd: neighbouring threads then read from different banks of shared memory
        layout.across = enough(parts(work.result_columns, layout.own), 8, threads);
        layout.down = enough(work.result_rows, 1, threads / layout.across);
        layout.piece_columns = std::min(layout.filter_columns, 16u);
        layout.piece_rows = 1;
        return;
    }
    // Each weight is read from shared memory once for all results of a thread.
    const bool is_bank = layout.filters >= 4 && codegen::convolution_accumulator(layout.dtype).size_bytes() <= 4;
    layout.own = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(work.result_rows, 1, is_bank && work.result_rows >= 32 ? 8 : 4));
    layout.across = enough(work.result_columns, 8, 32);
    layout.down = enough(parts(work.result_rows, layout.own), 1, std::max(threads / layout.across, 1u));
    layout.piece_rows = std::min(layout.filter_rows, 16u);
    layout.piece_columns = std::min(layout.filter_columns, 32u);
}

/// Sets the tile of a serial thread: 2 KiB of sums.
void cut_into_tiles(ConvolutionLayout& layout, const Convolution& work) {
    const auto item = static_cast<std::uint32_t>(codegen::convolution_accumulator(layout.dtype).size_bytes());
    layout.down = 1;
    layout.own = static_cast<std::uint32_t>(std::clamp<std::int64_t>(work.result_rows, 1, 8));
    layout.across = enough(work.result_columns, 8, std::bit_floor(2048 / item / layout.own));
    layout.piece_rows = std::min(layout.filter_rows, 16u);
    layout.piece_columns = std::min(layout.filter_columns, 64u);
    layout.side_by_side = work.images.strides()[3] == 1;
}

/// Reduces pieces and tiles until the memory for one block holds them.
void fit(ConvolutionLayout& layout, std::size_t budget) {
    constexpr std::uint32_t max_window = 64;  // registers
    const auto window = [&] {
        const std::uint32_t step = layout.along_rows ? layout.step_columns : layout.step_rows;
        return (layout.own - 1) * step + (layout.along_rows ? layout.piece_columns : layout.piece_rows);
    };
    const auto halve = [](std::uint32_t& value, std::uint32_t least) {
        if (value <= least) return false;
        value = std::max((value + 1) / 2, least);
        return true;
    };
    while (!layout.serial && layout.own > 1 && window() > max_window) --layout.own;
    while (codegen::convolution_shared_bytes(layout) > budget) {
        std::uint32_t& longer = layout.piece_rows > layout.piece_columns ? layout.piece_rows : layout.piece_columns;
        if (!halve(longer, 4) && !halve(layout.down, 1) && !halve(layout.across, 8) && !halve(layout.own, 1) &&
            !halve(layout.filters, 1) && !halve(layout.across, 1) && !halve(longer, 1))
            break;
    }
}

std::shared_ptr<Variant> find_variant(const Context& context, const ConvolutionLayout& layout) {
    static const std::uint64_t id = KernelCache::new_generator();
    return KernelCache::of(context).find<Variant>(VariantKey<ConvolutionLayout>{id, layout}, [&] {
        const GeneratedText text{codegen::convolution_source(layout, context.dialect())};
        auto variant = std::make_shared<Variant>();
        variant->kernel = context.compile(text, CompileOptions{.name = "convolution"}).kernel("convolution");
        variant->block = layout.serial ? 1 : layout.across * layout.down;
        return variant;
    });
}

Argument outside_value(const char* who, DType dtype, AnyNumber fill) {
    detail::element_bytes(who, dtype, fill);  // checks that the fill is a value of the images' type
    if (dtype.kind() == DType::Kind::boolean) fill = std::int64_t{1};
    Argument argument;
    argument.dtype = codegen::convolution_accumulator(dtype);
    const auto bytes = detail::element_bytes(who, argument.dtype, fill);
    std::copy(bytes.begin(), bytes.end(), argument.value);
    argument.bytes = argument.dtype.size_bytes();
    return argument;
}

}  // namespace

namespace {

/// PoCL 5.0 loses a thread's sums at barriers of its block: seen in all nine variants of the kernel that were tried.
bool loses_sums(const DeviceInfo& info) {
    return info.platform == "Portable Computing Language" && info.driver_version.starts_with("5.");
}

}  // namespace

ConvolutionLayout convolution_layout(const Convolution& work, const ConvolveTuning& tuning, const DeviceInfo& info) {
    ConvolutionLayout layout{.dtype = work.images.dtype(), .conjugate = work.conjugate, .border = work.border};
    layout.serial = tuning.serial < 0 ? info.type == DeviceInfo::Type::cpu : tuning.serial > 0 || loses_sums(info);
    layout.filter_rows = static_cast<std::uint32_t>(work.filters.shape()[2]);
    layout.filter_columns = static_cast<std::uint32_t>(work.filters.shape()[3]);
    // Not even a full result has this many positions: any larger step gives the same single result.
    const auto step = [&](std::int64_t given, std::size_t axis) {
        return static_cast<std::uint32_t>(std::min(given, work.images.shape()[axis] + work.filters.shape()[axis]));
    };
    layout.step_rows = step(work.step_rows, 2);
    layout.step_columns = step(work.step_columns, 3);
    const std::int64_t count = work.filters.shape()[0];
    const std::int64_t most = codegen::convolution_accumulator(layout.dtype).size_bytes() > 8 ? 4 : 8;
    layout.filters = static_cast<std::uint32_t>(parts(count, parts(count, most)));
    if (layout.serial)
        cut_into_tiles(layout, work);
    else
        cut_into_blocks(layout, work, info.max_threads_per_block);
    set(layout.filters, tuning.filters);
    set(layout.own, tuning.own);
    set(layout.across, tuning.across);
    if (!layout.serial) set(layout.down, tuning.down);
    set(layout.piece_rows, std::min(tuning.piece_rows, layout.filter_rows));
    set(layout.piece_columns, std::min(tuning.piece_columns, layout.filter_columns));
    constexpr std::size_t shared = 32 * 1024, own_memory = 64 * 1024;
    fit(layout, layout.serial ? own_memory : std::min<std::size_t>(shared, info.shared_memory_per_block_bytes));
    return layout;
}

AnyArray run_convolution(const char* who, const Convolution& work, const ConvolveTuning& tuning) {
    const auto at_element = [](const AnyArray& array) {
        return begins_at_element(array) ? array : array.copy(Order::C);
    };
    const AnyArray images = at_element(work.images), filters = at_element(work.filters);
    const Context context = images.context();
    const std::int64_t count = images.shape()[0], bank = filters.shape()[0];
    const AnyArray results(context, images.dtype(), Shape{count, bank, work.result_rows, work.result_columns});
    if (results.size() == 0) return results;
    if (images.size() == 0) {  // there are no channels
        const std::vector<std::byte> zero(images.dtype().size_bytes());
        results.fill_bytes(zero.data());
        return results;
    }
    const ConvolutionLayout layout = convolution_layout(work, tuning, KernelCache::of(context).info());
    const auto variant = find_variant(context, layout);
    const codegen::ConvolutionTile tile = codegen::convolution_tile(layout);
    const std::int64_t across = parts(work.result_columns, tile.columns), down = parts(work.result_rows, tile.rows),
                       groups = parts(bank, layout.filters);
    ArgumentList list;
    for (const AnyArray* array : {&images, &filters, &results}) list.add(whole_memory(*array));
    const auto& from = images.strides();
    const auto& by = filters.strides();
    const std::int64_t numbers[] = {begin_of(images),
                                    from[0],
                                    from[1],
                                    from[2],
                                    from[3],
                                    begin_of(filters),
                                    by[0],
                                    by[1],
                                    by[2],
                                    by[3],
                                    begin_of(results),
                                    images.shape()[1],
                                    images.shape()[2],
                                    images.shape()[3],
                                    bank,
                                    work.result_rows,
                                    work.result_columns,
                                    work.first_row,
                                    work.first_column,
                                    across,
                                    down,
                                    groups};
    for (const std::int64_t& number : numbers) list.add(as_argument(number));
    const bool has_fill = layout.border == ConvolutionBorder::constant;
    const Argument fill = has_fill ? outside_value(who, images.dtype(), work.fill) : Argument{};
    if (has_fill) list.add(fill);
    variant->kernel.launch({.grid = {count * groups * across * down}, .block = {variant->block}}, list.span());
    return results;
}

}  // namespace gemel::dense
