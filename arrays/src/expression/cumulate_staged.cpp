#include "expression/cumulate_staged.hpp"

#include "array/byte_bounds.hpp"
#include "expression/cumulate_columns.hpp"
#include "expression/expression_kernel.hpp"
#include "expression_kernels.hpp"
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace gemel {
namespace {

constexpr std::int64_t sector_bytes = 32;

/// The variant of the kernel.
struct StagedColumns {
    detail::Cumulating combining;
    DType from, to;
    int block, rows;  ///< threads; rows that are stored at once
    bool resumes;     ///< columns are in pieces
    bool one_strip;   ///< a block has whole rows
    bool wide;        ///< 64-bit indices
    DType running() const { return to.is_16_bit_float() ? dtype_of<float>() : to; }
    friend bool operator==(const StagedColumns&, const StagedColumns&) = default;
};

std::int64_t sector_of(const DType& dtype) { return std::max<std::int64_t>(sector_bytes / dtype.size_bytes(), 1); }

std::string source_of(const StagedColumns& columns, const Dialect& dialect) {
    const std::string loaded = codegen::load_text(columns.from, "x[wanted * inner]");
    const bool is_complex = columns.to.kind() == DType::Kind::complex;
    codegen::KernelText kernel(dialect);
    const std::string functions = kernel.fill(expression_kernels::cumulate_functions(),
                                              {{"index", columns.wide ? "int64_t" : "int32_t"},
                                               {"running", codegen::value_type(columns.running())},
                                               {"combined", combined(columns.running(), columns.combining)}});
    return kernel.finish(functions + '\n' +
                         kernel.fill(expression_kernels::cumulate_staged(),
                                     {{"from", codegen::storage_type(columns.from, dialect)},
                                      {"to", codegen::storage_type(columns.to, dialect)},
                                      {"loaded", is_complex ? loaded : text("(running)(", loaded, ")")},
                                      {"stored", codegen::store_text(columns.to, "total")},
                                      {"sector", sector_of(columns.to)},
                                      {"block", columns.block},
                                      {"rows", columns.rows},
                                      {"resumes", columns.resumes},
                                      {"one_strip", columns.one_strip}}));
}

std::shared_ptr<Variant> variant_of(const Context& context, const StagedColumns& columns) {
    static const std::uint64_t id = KernelCache::new_generator();
    return KernelCache::of(context).find<Variant>(VariantKey<StagedColumns>{id, columns}, [&] {
        auto variant = std::make_shared<Variant>();
        const GeneratedText text{source_of(columns, context.dialect())};
        variant->kernel = context.compile(text, {.name = name_of(columns.combining)}).kernel("cumulate_staged");
        variant->block = static_cast<std::uint32_t>(columns.block);
        return variant;
    });
}

std::int64_t rounded_up(std::int64_t number, std::int64_t to) { return (number + to - 1) / to * to; }

}  // namespace

bool is_staged(const AnyArray& x, const AnyArray& out, const ColumnPieces& columns) {
    const auto item = static_cast<std::int64_t>(out.dtype().size_bytes());
    // With fewer threads, memory idles while a block waits at its barriers: 16411 columns of floats take twice as long.
    const bool keeps_busy = columns.outer * columns.pieces * columns.inner * item >= 200'000;
    // Blocks wait at barriers once per piece, too: three rows of floats take 2.6 times as long.
    const bool is_long = std::min(columns.rows, columns.piece_rows) >= 32;
    // A block has a strip of columns and a sector of the next one.
    const bool has_blocks = KernelCache::of(out).info().max_threads_per_block >= 128;
    return keeps_busy && is_long && has_blocks && columns.inner >= 32 && columns.inner * item % sector_bytes != 0 &&
           begins_at_element(x);
}

void cumulate_staged(detail::Cumulating kind, const AnyArray& x, const ColumnPieces& columns, const AnyArray& scanned,
                     const AnyArray& out) {
    const Context context = out.context();
    const DeviceInfo& device = KernelCache::of(context).info();
    const std::int64_t most = std::min<std::int64_t>(device.max_threads_per_block, 256),
                       sector = sector_of(out.dtype()), inner = columns.inner;
    // Strips of a row are about equally long. A block has the columns of its strip and one sector of the next one.
    const std::int64_t strips = inner <= most ? 1 : (inner + most - sector - 1) / (most - sector);
    const std::int64_t width = strips == 1 ? inner : rounded_up((inner + strips - 1) / strips, sector);
    const std::int64_t block = rounded_up(strips == 1 ? inner : width + sector, 32);
    const auto item = static_cast<std::int64_t>(out.dtype().size_bytes());
    const StagedColumns form{.combining = kind,
                             .from = x.dtype(),
                             .to = out.dtype(),
                             .block = static_cast<int>(block),
                             .rows = static_cast<int>(std::clamp<std::int64_t>(64 / item, 1, 16)),
                             .resumes = !scanned.empty(),
                             .one_strip = strips == 1,
                             .wide = x.size() >= std::size_t{1} << 30};
    const auto variant = variant_of(context, form);
    ArgumentList list;
    const auto add = [&](const AnyArray& array) {
        list.add(whole_memory(array));
        list.add(as_argument(begin_of(array)));
    };
    add(x);
    if (form.resumes) add(scanned);
    add(out);
    for (const std::int64_t size : {columns.rows, inner, width, strips, columns.piece_rows, columns.pieces})
        list.add(index_argument(form.wide, size));
    variant->kernel.launch({.grid = {strips * columns.pieces * columns.outer}, .block = {variant->block}}, list.span());
}

}  // namespace gemel
