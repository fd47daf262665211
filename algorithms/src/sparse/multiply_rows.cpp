/// Products of two matrices on CPU devices: one thread per chunk of rows, with a mark for each column.
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "sparse/state.hpp"

#include <gemel/arrays/cumulative.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <limits>

namespace gemel::sparse {
namespace {

/// One thread per chunk of rows.
constexpr const char* kernels_text = R"(
KERNEL REQD_WG_SIZE(1, 1, 1) void count_entries(
        GLOBAL_MEM const index_type *RESTRICT a_starts,
        GLOBAL_MEM const index_type *RESTRICT a_numbers,
        GLOBAL_MEM const index_type *b_starts,
        GLOBAL_MEM const index_type *b_numbers,
        GLOBAL_MEM index_type *RESTRICT marks,
        GLOBAL_MEM int64_t *RESTRICT lengths,
        int64_t rows,
        int64_t columns)
{
    const int64_t share = (rows + GDIM_0 - 1) / GDIM_0, first = GID_0 * share;
    const int64_t last = first + share < rows ? first + share : rows;
    marks += GID_0 * columns;
    for (int64_t row = first; row < last; ++row) {
        int64_t length = 0;
        for (index_type i = a_starts[row]; i < a_starts[row + 1]; ++i) {
            const index_type end = b_starts[a_numbers[i] + 1];
            for (index_type k = b_starts[a_numbers[i]]; k < end; ++k) {
                length += marks[b_numbers[k]] != row;
                marks[b_numbers[k]] = (index_type)row;
            }
        }
        lengths[row] = length;
    }
}

KERNEL REQD_WG_SIZE(1, 1, 1) void multiply_entries(
        GLOBAL_MEM const index_type *RESTRICT a_starts,
        GLOBAL_MEM const index_type *RESTRICT a_numbers,
        GLOBAL_MEM const element *a_values,
        GLOBAL_MEM const index_type *b_starts,
        GLOBAL_MEM const index_type *b_numbers,
        GLOBAL_MEM const element *b_values,
        GLOBAL_MEM index_type *RESTRICT marks,
        GLOBAL_MEM const index_type *RESTRICT starts,
        GLOBAL_MEM index_type *RESTRICT numbers,
        GLOBAL_MEM element *RESTRICT values,
        int64_t rows,
        int64_t columns)
{
    const int64_t share = (rows + GDIM_0 - 1) / GDIM_0, first = GID_0 * share;
    const int64_t last = first + share < rows ? first + share : rows;
    marks += GID_0 * columns;
    for (int64_t row = first; row < last; ++row) {
        // A mark below `begin` was set by an earlier row.
        const index_type begin = starts[row];
        index_type end = begin;
        for (index_type i = a_starts[row]; i < a_starts[row + 1]; ++i) {
            const index_type stop = b_starts[a_numbers[i] + 1];
            for (index_type k = b_starts[a_numbers[i]]; k < stop; ++k) {
                const index_type column = b_numbers[k], at = marks[column];
                const element product = TIMES(a_values[i], b_values[k]);
                if (at >= begin) {
                    values[at] = PLUS(values[at], product);
                } else {
                    marks[column] = end;
                    numbers[end] = column;
                    values[end] = product;
                    ++end;
                }
            }
        }
        // Shell's sort, by columns.
        index_type gap = 1;
        while (gap < (end - begin) / 3) gap = 3 * gap + 1;
        for (; gap > 0; gap /= 3) {
            for (index_type k = begin + gap; k < end; ++k) {
                const index_type column = numbers[k];
                const element value = values[k];
                index_type to = k;
                for (; to >= begin + gap && numbers[to - gap] > column; to -= gap) {
                    numbers[to] = numbers[to - gap];
                    values[to] = values[to - gap];
                }
                numbers[to] = column;
                values[to] = value;
            }
        }
    }
}
)";

std::string text_of(DType value, DType index) {
    const bool is_complex = value.kind() == DType::Kind::complex;
    return text("typedef ", index.name(), " index_type;\ntypedef ", value.name(), " element;\n#define TIMES(a, b) ",
                is_complex ? "c_mul(a, b)" : "((a) * (b))", "\n#define PLUS(a, b) ",
                is_complex ? "c_add(a, b)" : "((a) + (b))", kernels_text);
}

struct RowProduct : Variant {
    Kernel multiply{nullptr};
};

std::shared_ptr<RowProduct> find_kernels(const Entries& a) {
    static const std::uint64_t id = KernelCache::new_generator();
    const codegen::SparseLayout key{.value = a.value(), .index = a.index(), .serial = true};
    return KernelCache::of(a.context).find<RowProduct>(VariantKey<codegen::SparseLayout>{id, key}, [&] {
        const Module module =
            a.context.compile(text_of(a.value(), a.index()), CompileOptions{.name = "sparse_multiply_rows"});
        auto kernels = std::make_shared<RowProduct>();
        kernels->kernel = module.kernel("count_entries");
        kernels->multiply = module.kernel("multiply_entries");
        return kernels;
    });
}

}  // namespace

std::optional<Entries> multiply_by_rows(const Entries& a, const Entries& b) {
    const DeviceInfo& device = KernelCache::of(a.context).info();
    if (device.type != DeviceInfo::Type::cpu || !(a.index() == b.index()) || a.count == 0 || b.count == 0) return {};
    // Each thread has a mark per column; the number of threads is limited so that there are not more marks than
    // entries.
    const std::int64_t most = (a.count + b.count) / std::max<std::int64_t>(b.columns, 1);
    if (most == 0) return {};
    const std::int64_t pieces = std::min<std::int64_t>(std::max<std::int64_t>(device.compute_units, 1), most);
    const auto kernels = find_kernels(a);
    const AnyArray marks(a.context, a.index(), Shape{pieces, b.columns});
    const GPUArray<std::int64_t> lengths(a.context, Shape{a.rows});
    const auto launch = [&](const Kernel& kernel, std::initializer_list<const AnyArray*> arrays) {
        marks.fill(-1);
        ArgumentList list;
        for (const AnyArray* array : arrays) list.add(array->argument());
        for (const std::int64_t& size : {a.rows, b.columns}) list.add(as_argument(size));
        kernel.launch({.grid = {pieces}, .block = {1}}, list.span());
    };
    launch(kernels->kernel, {&a.starts, &a.numbers, &b.starts, &b.numbers, &marks, &lengths});
    const std::int64_t total = sum(lengths).item();
    if (a.index().size_bytes() == 4 && total > std::numeric_limits<std::int32_t>::max() - (1 << 20)) return {};
    const AnyArray starts(a.context, a.index(), Shape{a.rows + 1}), numbers(a.context, a.index(), Shape{total}),
        values(a.context, a.value(), Shape{total});
    starts(slice(0, 1)).fill(0);
    starts(slice(1, {})).assign(cumsum(AnyArray(lengths), 0, dtype_of<std::int64_t>()).astype(a.index()));
    if (total > 0)
        launch(kernels->multiply, {&a.starts, &a.numbers, &a.values, &b.starts, &b.numbers, &b.values, &marks, &starts,
                                   &numbers, &values});
    return with_starts(a.context, {a.rows, b.columns}, starts, numbers, values);
}

}  // namespace gemel::sparse
