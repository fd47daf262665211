#include "expression/cumulate_narrow.hpp"

#include "array/byte_bounds.hpp"
#include "expression/cumulate_columns.hpp"
#include "expression/expression_kernel.hpp"
#include "expression_kernels.hpp"
#include "generated/kernel_family.hpp"

#include <gemel/arrays/scan_kernel.hpp>
#include <gemel/codegen/writer.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <string>
#include <tuple>

namespace gemel {
namespace {

/// The variant of the kernel.
struct Kind {
    detail::Cumulating combining;
    DType from, to;
    int width;       ///< elements per row
    bool segmented;  ///< there are several matrices, one after another
    bool wide;       ///< rows are counted in 64 bits
    int access = 0;  ///< bytes per access, 8 or 16; 0: element by element
    DType running() const { return to.is_16_bit_float() ? dtype_of<float>() : to; }
};

/// A row as one value, which is scanned.
DType row_type(const DType& running, int width) {
    static auto& layouts = *new KernelFamily<std::tuple<std::string, int>, StructLayout>;
    const auto elements = static_cast<std::size_t>(width);
    const std::size_t alignment =
        running.kind() == DType::Kind::complex ? running.size_bytes() / 2 : running.size_bytes();
    const StructLayout& layout = layouts.find({std::string(running.name()), width}, [&] {
        return StructLayout{.name = text("gemel_row_", running.name(), "_", width),
                            .size_bytes = elements * running.size_bytes(),
                            .alignment_bytes = alignment,
                            .fields = {{.name = "of", .dtype = running, .offset_bytes = 0, .count = elements}}};
    });
    return DType(&layout, static_cast<std::uint32_t>(layout.size_bytes));
}

/// The type of stored elements. No kernel takes a pointer to bool.
std::string stored(const DType& dtype) {
    return dtype.kind() == DType::Kind::boolean ? "uint8_t" : std::string(dtype.name());
}

/// Functions that combine, load and store rows: by wide accesses if rows are stored in the type of the scan and
/// aligned.
std::string row_functions(const Kind& kind, const std::string& name, const std::string& row) {
    const DType running = kind.running();
    const std::string element = codegen::value_type(running), loaded = codegen::load_text(kind.from, "x[c]");
    const bool is_complex = kind.to.kind() == DType::Kind::complex;
    const std::int64_t words = kind.access ? kind.width * std::int64_t{kind.to.size_bytes()} / kind.access : 0;
    return expression_kernels::cumulate_rows().render(
        {{"name", name},
         {"row", row},
         {"element", element},
         {"from", stored(kind.from)},
         {"to", stored(kind.to)},
         {"width", kind.width},
         {"combined", combined(running, kind.combining)},
         {"words", words},
         {"word", kind.access == 16 ? "uint4" : "uint2"},
         {"loaded", is_complex ? loaded : text("(", element, ")(", loaded, ")")},
         {"stored", codegen::store_text(kind.to, "row.of[c]")}});
}

int access_of(const Kind& kind, const AnyArray& x) {
    const std::uint32_t bytes = static_cast<std::uint32_t>(kind.width) * kind.to.size_bytes();
    if (!(kind.from == kind.to) || !(kind.to == kind.running()) || bytes % 8 != 0) return 0;
    const int access = bytes % 16 == 0 ? 16 : 8;
    return begin_address(x) % static_cast<std::uint64_t>(access) == 0 ? access : 0;
}

Scan make_scan(const Kind& kind) {
    const DType running = kind.running(), row = row_type(running, kind.width);
    const std::string type = row.layout()->name, name = name_of(kind.combining), width = std::to_string(kind.width);
    ScanSpec spec{.name = name};
    spec.preamble = row_functions(kind, name, type);
    const std::string row_start = text("(int64_t)i * ", width);
    spec.input_expr = text(name, "_load(x + ", row_start, ")");
    spec.scan_expr = name + "_rows(a, b)";
    spec.output_statement = text(name, "_store(out + ", row_start, ", item)");
    std::vector<Parameter> arguments{VectorArg(kind.from, "x", true), VectorArg(kind.to, "out")};
    if (kind.segmented) {
        arguments.push_back(ScalarArg(kind.wide ? dtype_of<std::int64_t>() : dtype_of<std::int32_t>(), "rows"));
        spec.is_segment_start_expr = "i % rows == 0";
    }
    return Scan(std::move(arguments), row, spec);
}

}  // namespace

bool is_narrow(const AnyArray& out, std::int64_t inner) {
    const bool is_sixteen_bits = out.dtype().is_16_bit_float();
    const std::int64_t bytes = is_sixteen_bits ? 4 : out.dtype().size_bytes();
    return inner > 1 && inner * bytes <= 32 && out.context().device().info().has_cross_block_visibility;
}

void cumulate_narrow(detail::Cumulating combining, const AnyArray& x, std::int64_t rows, std::int64_t inner,
                     const AnyArray& out) {
    static auto& family =
        *new KernelFamily<std::tuple<detail::Cumulating, std::string, std::string, int, bool, bool, int>, Scan>;
    const std::int64_t count = static_cast<std::int64_t>(x.size()) / inner;
    Kind kind{.combining = combining,
              .from = x.dtype(),
              .to = out.dtype(),
              .width = static_cast<int>(inner),
              .segmented = count != rows,
              .wide = count >= std::int64_t{1} << 30};
    kind.access = access_of(kind, x);
    const Scan& scan = family.find({combining, std::string(kind.from.name()), std::string(kind.to.name()), kind.width,
                                    kind.segmented, kind.wide, kind.access},
                                   [&] { return make_scan(kind); });
    const ScanOptions options{.count = static_cast<std::size_t>(count)};
    if (!kind.segmented) return scan.run(options, std::array{CallArgument(x), CallArgument(out)});
    const CallArgument length = kind.wide ? CallArgument(rows) : CallArgument(static_cast<std::int32_t>(rows));
    scan.run(options, std::array{CallArgument(x), CallArgument(out), length});
}

}  // namespace gemel
