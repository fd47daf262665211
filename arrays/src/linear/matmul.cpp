#include <gemel/arrays/matmul.hpp>

#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"

#include <gemel/arrays/reductions.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <optional>

namespace gemel {
namespace {

[[noreturn]] void refuse(const AnyArray& a, const AnyArray& b, const std::string& why) {
    throw ArgumentError(
        text("matmul: operands of the shapes ", to_string(a.shape()), " and ", to_string(b.shape()), ": ", why));
}

/// The shape of the axes in front of the matrices, broadcast.
Shape batch_shape(const AnyArray& a, const AnyArray& b) {
    Shape batch;
    for (std::size_t back = std::max(a.rank(), b.rank()); back > 2; --back) {
        const std::int64_t left = back <= a.rank() ? a.shape()[a.rank() - back] : 1;
        const std::int64_t right = back <= b.rank() ? b.shape()[b.rank() - back] : 1;
        if (left != right && left != 1 && right != 1)
            refuse(a, b, "the axes in front cannot be broadcast to one shape");
        batch.push_back(left == 1 ? right : left);
    }
    return batch;
}

/// The same matrices under one axis in front; a view where these can be reached by equal steps.
AnyArray as_batch(const AnyArray& x, const Shape& batch) {
    Shape shape = batch;
    shape.push_back(x.shape()[x.rank() - 2]);
    shape.push_back(x.shape()[x.rank() - 1]);
    return x.broadcast_to(shape).reshape(
        Shape{static_cast<std::int64_t>(batch.count()), shape[batch.rank()], shape.back()});
}

/// Where the first element lies, in elements.
std::int64_t begin_of(const AnyArray& x) {
    return static_cast<std::int64_t>((x.buffer().offset_bytes() + x.offset_bytes()) / x.dtype().size_bytes());
}

/// What tells the compiled products apart.
struct ProductLayout {
    DType dtype = {};
    codegen::MatmulLayout cut = {};
    friend bool operator==(const ProductLayout&, const ProductLayout&) = default;
};

/// The largest tiles whose threads and shared memory the device has.
codegen::MatmulLayout choose_layout(const DeviceInfo& info, DType dtype) {
    codegen::MatmulLayout layout;
    layout.serial = info.type == DeviceInfo::Type::cpu;
    while (!layout.serial && (layout.edge * layout.edge > info.max_threads_per_block ||
                              codegen::matmul_shared_bytes(dtype, layout) > info.shared_memory_per_block_bytes)) {
        layout.edge /= 2;
        layout.serial = layout.edge < 4;
    }
    return layout;
}

std::shared_ptr<Variant> find_variant(const Context& context, const ProductLayout& layout) {
    static const std::uint64_t id = KernelCache::new_generator();
    return KernelCache::of(context).find<Variant>(VariantKey<ProductLayout>{id, layout}, [&] {
        const GeneratedText text{codegen::matmul_source(layout.dtype, layout.cut, context.dialect())};
        auto variant = std::make_shared<Variant>();
        variant->kernel = context.compile(text, CompileOptions{.name = "matmul"}).kernel("matmul");
        variant->block = layout.cut.serial ? 1 : layout.cut.edge * layout.cut.edge;
        return variant;
    });
}

/// (batch, rows, inner) times (batch, inner, columns).
AnyArray multiply(const AnyArray& a, const AnyArray& right, DType dtype) {
    const Context context = a.context();
    codegen::MatmulLayout layout = choose_layout(KernelCache::of(context).info(), dtype);
    // Copying a factor costs little beside multiplying by it.
    const AnyArray b = layout.serial && right.strides()[2] != 1 && a.shape()[1] > 4 ? right.copy(Order::C) : right;
    layout.a_by_columns = std::abs(a.strides()[2]) <= std::abs(a.strides()[1]);
    layout.b_by_columns = std::abs(b.strides()[2]) <= std::abs(b.strides()[1]);

    const std::int64_t batch = a.shape()[0], rows = a.shape()[1], inner = a.shape()[2], columns = b.shape()[2];
    const AnyArray out(context, dtype, Shape{batch, rows, columns});
    if (out.size() == 0) return out;
    const auto variant = find_variant(context, {dtype, layout});
    const codegen::MatmulTile tile = codegen::matmul_tile(dtype, layout);
    const std::int64_t across = (columns + tile.columns - 1) / tile.columns, down = (rows + tile.rows - 1) / tile.rows;
    ArgumentList list;
    for (const AnyArray* array : {&a, &b, &out}) list.add(whole_memory(*array));
    const std::int64_t numbers[] = {
        begin_of(a),    a.strides()[0], a.strides()[1], a.strides()[2], begin_of(b), b.strides()[0], b.strides()[1],
        b.strides()[2], begin_of(out),  rows,           columns,        inner,       across,         down};
    for (const std::int64_t& number : numbers) list.add(as_argument(number));
    variant->kernel.launch({.grid = {batch * across * down}, .block = {variant->block}}, list.span());
    return out;
}

}  // namespace

AnyArray matrix_product(const AnyArray& given_a, const AnyArray& given_b, DType dtype) {
    for (const AnyArray* given : {&given_a, &given_b}) {
        if (given->empty()) throw ArgumentError("matmul: an operand is an empty handle, without an array");
        if (!is_number(given->dtype()))
            throw ArgumentError(
                text("matmul: an operand has elements of ", given->dtype().name(), ", which are no numbers"));
    }
    if (!(given_a.context() == given_b.context()))
        throw ArgumentError("matmul: the operands are of different contexts; copy_to(context) brings one to the other");
    if (dtype.empty()) dtype = promote(given_a.dtype(), given_b.dtype());
    if (given_a.rank() == 0 || given_b.rank() == 0)
        refuse(given_a, given_b, "one has no axis; * multiplies by a number");
    const bool is_row = given_a.rank() == 1, is_column = given_b.rank() == 1;
    if (given_a.shape().back() != given_b.shape()[is_column ? 0 : given_b.rank() - 2])
        refuse(given_a, given_b, "the last axis of the first must be as long as the last but one of the second");
    if (is_row || is_column) {  // a reduction reads the matrix once, and products of 16-bit floats are not rounded
        const AnyExpr product = (is_column ? given_a : given_a(slice(), newaxis)) * given_b;
        return reduce(ReductionKind::sum, product.view(), dtype, is_column ? -1 : -2, false, "matmul");
    }
    const auto converted = [&](const AnyArray& x) { return x.dtype() == dtype ? x : x.astype(dtype); };
    const AnyArray a = converted(given_a), b = converted(given_b);
    Shape shape = batch_shape(a, b);
    const AnyArray product = multiply(as_batch(a, shape), as_batch(b, shape), dtype);
    shape.push_back(a.shape()[a.rank() - 2]);
    shape.push_back(b.shape().back());
    return product.reshape(shape);
}

}  // namespace gemel
