/// Products of two matrices on CPU devices: one thread per chunk of rows, with a mark for each column.
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "sparse/state.hpp"
#include "sparse_kernels.hpp"

#include <gemel/arrays/cumulative.hpp>
#include <gemel/arrays/reductions.hpp>
#include <gemel/codegen/sparse.hpp>
#include <gemel/core/module.hpp>

#include <algorithm>
#include <limits>

namespace gemel::sparse {
namespace {

std::string text_of(DType value, DType index) {
    return sparse_kernels::multiply_rows().render(
        {{"index", index}, {"element", value}, {"is_complex", value.kind() == DType::Kind::complex}});
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
