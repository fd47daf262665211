#include "expression/cumulate_columns.hpp"

#include "expression/cumulate_narrow.hpp"
#include "expression/cumulate_staged.hpp"
#include "expression/expression_kernel.hpp"
#include "expression_kernels.hpp"
#include "generated/kernel_family.hpp"

#include <gemel/arrays/elementwise_kernel.hpp>
#include <gemel/codegen/type.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <string>
#include <tuple>

namespace gemel {
namespace {

enum class Pass : std::uint8_t {
    whole,    ///< (first, x, out): whole columns; `first` is their first row
    totals,   ///< (x, totals)
    results,  ///< (scanned totals, x, out)
    tiles,    ///< (first, x, out): for CPUs, along rows of `tile` columns; `first` is the first row of each tile
};

struct Kind {
    detail::Cumulating combining;
    bool wide;
    DType from, to;
    int together = 8;  ///< elements of a column that a thread loads at once
    DType running() const { return to.is_16_bit_float() ? dtype_of<float>() : to; }
};

/// Columns that a CPU's thread processes together, so that the compiler vectorises over them.
constexpr std::int64_t tile = 256;

/// The pass in the template.
const char* word_of(Pass pass) { return pass == Pass::whole ? "whole" : pass == Pass::totals ? "totals" : "results"; }

ElementwiseKernel make_kernel(Pass pass, const Kind& kind) {
    const DType index = kind.wide ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>();
    const std::string running = codegen::value_type(kind.running());
    const std::string cast = kind.to.kind() == DType::Kind::complex ? "" : "(running)";
    std::vector<Parameter> arguments;
    if (pass == Pass::whole || pass == Pass::tiles) arguments.push_back(VectorArg(kind.from, "first", true));
    if (pass == Pass::results) arguments.push_back(VectorArg(kind.running(), "scanned", true));
    arguments.push_back(VectorArg(kind.from, "x", true));
    arguments.push_back(pass == Pass::totals ? VectorArg(kind.running(), "totals") : VectorArg(kind.to, "out"));
    for (const char* name : {"rows", "inner", "piece_rows", "pieces"}) arguments.push_back(ScalarArg(index, name));
    const std::string body = pass == Pass::tiles
                                 ? expression_kernels::cumulate_tiles().render({{"tile", tile}, {"cast", cast}})
                                 : expression_kernels::cumulate_columns().render(
                                       {{"pass", word_of(pass)}, {"unroll", kind.together}, {"cast", cast}});
    ElementwiseOptions options;
    options.preamble =
        expression_kernels::cumulate_functions().render({{"index", codegen::value_type(index)},
                                                         {"running", running},
                                                         {"combined", combined(kind.running(), kind.combining)}});
    return ElementwiseKernel(std::move(arguments), body, name_of(kind.combining), std::move(options));
}

const ElementwiseKernel& kernel_of(Pass pass, const Kind& kind) {
    static auto& family =
        *new KernelFamily<std::tuple<Pass, detail::Cumulating, bool, int, std::string, std::string>, ElementwiseKernel>;
    return family.find(
        {pass, kind.combining, kind.wide, kind.together, std::string(kind.from.name()), std::string(kind.to.name())},
        [&] { return make_kernel(pass, kind); });
}

/// The number of threads that hides the memory latency of the device.
std::int64_t wanted_threads(const DeviceInfo& device) {
    if (device.type == DeviceInfo::Type::cpu) return std::int64_t{device.compute_units} * 1024;
    return std::int64_t{device.compute_units} * device.max_threads_per_compute_unit.value_or(2048) / 2;
}

/// Whether a thread per column keeps memory busy, if it loads 32 elements at once. Pieces of columns are read twice,
/// for their totals and for the results. Many planes of short rows need more loads under way than a few of long rows.
bool keeps_memory_busy(const DeviceInfo& device, std::int64_t columns, std::int64_t outer, std::int64_t item) {
    return 32 * item * columns >= (outer == 1 ? 15'000 : 30'000) * std::int64_t{device.compute_units};
}

/// How many elements a thread loads at once. Few threads load many. With enough threads, latency is hidden. If rows do
/// not begin at sectors of memory, two warps write parts of one sector: the more rows a thread writes at once, the more
/// sectors leave the cache half written, unless the warps are neighbours in one block. Measured on an H200 and an H100.
int elements_together(std::int64_t inner, std::int64_t item, std::int64_t rows, std::int64_t threads, bool is_whole) {
    constexpr std::int64_t sector = 32, enough = 100'000, plenty = 1'000'000, short_row = 512;
    // double (251, 4099, 257) along axis 1 on an H100: 2245 us with 16 at once, 2817 with 32.
    if (is_whole && threads < enough && rows >= 128)
        return static_cast<int>(std::min<std::int64_t>(32, (inner <= short_row ? 128 : 256) / item));
    if (inner * item % sector == 0 || threads < enough || (is_whole && inner <= short_row)) return 8;
    return threads < plenty ? 2 : 1;
}

}  // namespace

void cumulate_columns(detail::Cumulating combining, const AnyArray& x, std::size_t axis, const AnyArray& out) {
    const Shape& shape = x.shape();
    std::int64_t outer = 1, inner = 1;
    for (std::size_t a = 0; a < axis; ++a) outer *= shape[a];
    for (std::size_t a = axis + 1; a < shape.rank(); ++a) inner *= shape[a];
    const std::int64_t rows = shape[axis], columns = outer * inner;
    if (columns == 0 || rows == 0) return;
    Kind kind{combining, x.size() >= std::size_t{1} << 30, x.dtype(), out.dtype()};
    const Device own = out.context().device();
    const DeviceInfo& device = own.info();
    const bool on_gpu = device.type != DeviceInfo::Type::cpu;
    const auto run = [&](Pass pass, std::int64_t piece_rows, std::int64_t pieces, auto&&... arrays) {
        const auto size = [&](std::int64_t number) {
            return kind.wide ? CallArgument(number) : CallArgument(static_cast<std::int32_t>(number));
        };
        // Neighbouring threads have neighbouring columns: the packs of one thread would be far from those of the next.
        const CallOptions options{.tuning = {.block = pass == Pass::tiles ? 1u : 0u, .access_bytes = 1}};
        kernel_of(pass, kind)(options, arrays..., size(rows), size(inner), size(piece_rows), size(pieces));
    };
    const AnyArray planes = x.reshape({outer, rows, inner});
    if (!on_gpu && inner >= 16)
        return run(Pass::tiles, rows, (inner + tile - 1) / tile, planes(slice(), 0, slice({}, {}, tile)), x, out);
    if (on_gpu && is_narrow(out, inner)) return cumulate_narrow(combining, x, rows, inner, out);
    // Each thread of a piece has enough rows to outweigh the additional launches.
    const auto item = static_cast<std::int64_t>(out.dtype().size_bytes());
    const std::int64_t wished =
        on_gpu && keeps_memory_busy(device, columns, outer, item)
            ? 1
            : std::clamp<std::int64_t>(wanted_threads(device) / columns, 1, std::max<std::int64_t>(rows / 64, 1));
    const std::int64_t piece_rows = (rows + wished - 1) / wished, pieces = (rows + piece_rows - 1) / piece_rows;
    const ColumnPieces cut{outer, rows, inner, piece_rows, pieces};
    const bool staged = on_gpu && is_staged(x, out, cut);
    if (on_gpu && !staged) kind.together = elements_together(inner, item, rows, columns * pieces, pieces == 1);
    if (pieces == 1 && staged) return cumulate_staged(combining, x, cut, {}, out);
    if (pieces == 1) return run(Pass::whole, rows, 1, planes(slice(), 0), x, out);
    const AnyArray totals(out.context(), kind.running(), Shape{outer, pieces, inner});
    run(Pass::totals, piece_rows, pieces, x, totals);
    const AnyArray scanned(out.context(), kind.running(), totals.shape());
    cumulate_columns(combining, totals, 1, scanned);
    if (staged) return cumulate_staged(combining, x, cut, scanned, out);
    run(Pass::results, piece_rows, pieces, scanned, x, out);
}

}  // namespace gemel
