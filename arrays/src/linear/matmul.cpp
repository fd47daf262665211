#include <gemel/arrays/matmul.hpp>

#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "linear/matmul_layout.hpp"
#include "tune/online.hpp"
#include "tune/tuning_table.hpp"

#include <gemel/arrays/reductions.hpp>
#include <gemel/codegen/identifier.hpp>
#include <gemel/codegen/matmul.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

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

Argument value_argument(const NamedArgument& given) {
    Argument argument;
    argument.dtype = given.dtype();
    argument.bytes = given.dtype().size_bytes();
    argument.data = given.value();
    std::memcpy(argument.value, given.value(), argument.bytes);
    return argument;
}

/// What tells the compiled products apart.
struct ProductKey {
    DType dtype = {};
    codegen::MatmulLayout layout = {};
    std::string epilogue = {}, preamble = {}, names = {};
    boost::container::small_vector<DType, 4> types = {};  ///< of the epilogue's arguments
    friend bool operator==(const ProductKey&, const ProductKey&) = default;
};

/// Refuses names that the kernel has for something else.
void check_name(const std::string& name) {
    constexpr std::string_view known[] = {"value", "row", "column", "matrix", "before", "as_float", "as_uint"};
    std::string why = codegen::why_no_name(name);
    if (std::ranges::find(known, name) != std::end(known)) why = "every epilogue knows";
    if (!why.empty())
        throw ArgumentError(
            text("matmul: the epilogue's argument '", name, "' is named by a word that ", why, "; rename it"));
}

/// The arguments of an epilogue as a kernel takes them: arrays in C order from where their memory begins, 16-bit floats
/// as float. Arrays that overlap the target are copied: it is written while they are read.
std::vector<NamedArgument> plain_arguments(const MatmulOptions& options, const AnyArray& target) {
    std::vector<NamedArgument> plain;
    for (const NamedArgument& given : options.arguments) {
        check_name(given.name());
        const AnyArray& array = given.array();
        if (given.is_value()) {
            plain.push_back(given);
            continue;
        }
        if (array.empty())
            throw ArgumentError(
                text("matmul: the epilogue's argument '", given.name(), "' is an empty handle, without an array"));
        if (!(array.context() == target.context()))
            throw ArgumentError(text("matmul: the epilogue's argument '", given.name(),
                                     "' is of another context; copy_to(context) brings it over"));
        const bool is_short = array.dtype().is_floating() && array.dtype().size_bytes() == 2;
        const bool is_plain = array.is_contiguous() && begin_of(array) == 0;
        if (is_short)
            plain.emplace_back(given.name(), array.astype(dtype_of<float>()));
        else
            plain.emplace_back(given.name(), is_plain && !target.may_overlap(array) ? array : array.copy());
    }
    return plain;
}

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
        const GeneratedText text{codegen::matmul_source(request_of(key, arguments), key.layout, context.dialect())};
        auto variant = std::make_shared<Variant>();
        variant->kernel = context.compile(text, CompileOptions{.name = "matmul"}).kernel("matmul");
        variant->block = codegen::matmul_block(key.layout);
        return variant;
    });
}

/// The operands of one kernel, (batch, rows, inner) and (batch, inner, columns), copied where that costs less than it
/// saves.
struct Factors {
    codegen::MatmulForm form;
    AnyArray a, b;
    std::int64_t batch, rows, inner, columns;

    Factors(codegen::MatmulForm as, const AnyArray& left, const AnyArray& right) : form(as), a(left), b(right) {
        const bool has_slots = form >= codegen::MatmulForm::threads;
        // Copying a factor costs little beside multiplying by it.
        const bool wants_rows = form == codegen::MatmulForm::serial && right.strides()[2] != 1 && left.shape()[1] > 4;
        if (has_slots && !has_lines(left)) a = left.copy(Order::C);
        if (wants_rows || (has_slots && !has_lines(right))) b = right.copy(Order::C);
        batch = a.shape()[0], rows = a.shape()[1], inner = a.shape()[2], columns = b.shape()[2];
    }
    codegen::Workload work(DType dtype) const {
        return {.count = static_cast<std::size_t>(rows * columns) * static_cast<std::size_t>(inner),
                .item_bytes = static_cast<std::uint32_t>(dtype.size_bytes()),
                .arrays = static_cast<std::uint32_t>(form),
                .outputs = static_cast<std::size_t>(batch)};
    }
};

/// Where forms have no slots only a tuner's numbers count. Numbers that a caller gives are about single warps, unless
/// they say more; what groups of four warps cannot multiply, single warps do, unless the caller says no.
codegen::MatmulTuning tuning_of(const Factors& f, DType dtype, KernelCache& cache, const MatmulOptions& options) {
    const DeviceInfo& device = cache.info();
    const bool has_slots = f.form >= codegen::MatmulForm::threads;
    codegen::MatmulTuning given = has_slots ? options.tuning : codegen::MatmulTuning{};
    if (!(given == codegen::MatmulTuning{})) given.unit_warps = std::max(given.unit_warps, 1u);
    const bool may_group = has_slots && has_group_tiles(device, dtype, f.form, f.a, f.b);
    if (options.tuning.unit_warps == 4 && !may_group)
        throw ArgumentError(
            "matmul: unit_warps is 4, but no groups of four warps multiply these: expected a device with warp groups "
            "(DeviceInfo::has_warp_groups), 16-bit floats or Precision::tensor, and rows that begin at multiples of 16 "
            "bytes; leave unit_warps out");
    const auto heuristic = [&](const DeviceInfo& on, const codegen::Workload&) {
        return matmul_heuristic(on, dtype, f.form, f.a, f.b, given.unit_warps);
    };
    const codegen::MatmulTuning chosen =
        choose_tuning(given, device, cache.tunings(f.a.context()), f.work(dtype), heuristic);
    if (chosen.unit_warps != 4 || may_group) return chosen;
    return merge(given, matmul_heuristic(device, dtype, f.form, f.a, f.b, 1));
}

/// Chooses how the factors are multiplied and does it. A `trial` marks where the launch begins and ends.
void multiply(const AnyArray& c, const Factors& f, const MatmulOptions& options, OnlineTrial* trial) {
    const Context context = c.context();
    KernelCache& cache = KernelCache::of(context);
    const codegen::MatmulTuning tuning = tuning_of(f, c.dtype(), cache, options);
    const std::vector<NamedArgument> arguments = plain_arguments(options, c);
    ProductKey key{.dtype = c.dtype(),
                   .layout = matmul_layout(cache.info(), c.dtype(), f.form, f.a, f.b, tuning),
                   .epilogue = options.epilogue,
                   .preamble = options.preamble};
    for (const NamedArgument& argument : arguments) {
        key.names += argument.name() + (argument.is_value() ? "," : "*,");
        key.types.push_back(argument.dtype());
    }
    const auto variant = find_variant(context, key, arguments);
    const codegen::MatmulTile tile = codegen::matmul_tile(c.dtype(), key.layout);
    const std::int64_t across = (f.columns + tile.columns - 1) / tile.columns,
                       down = (f.rows + tile.rows - 1) / tile.rows;
    ArgumentList list;
    for (const AnyArray* array : {&f.a, &f.b, &c}) list.add(whole_memory(*array));
    for (const NamedArgument& argument : arguments)
        list.add(argument.is_value() ? value_argument(argument) : whole_memory(argument.array()));
    const std::int64_t numbers[] = {begin_of(f.a), f.a.strides()[0], f.a.strides()[1], f.a.strides()[2],
                                    begin_of(f.b), f.b.strides()[0], f.b.strides()[1], f.b.strides()[2],
                                    begin_of(c),   c.strides()[0],   c.strides()[1],   c.strides()[2],
                                    f.rows,        f.columns,        f.inner,          across,
                                    down};
    for (const std::int64_t& number : numbers) list.add(as_argument(number));
    LaunchConfig config{.grid = {f.batch * across * down}, .block = {variant->block}};
    if (!codegen::matmul_is_static(c.dtype(), key.layout))
        config.shared_bytes = codegen::matmul_shared_bytes(c.dtype(), key.layout);
    if (trial) trial->begin({});
    variant->kernel.launch(config, list.span());
    if (trial) trial->end();
}

/// c = a b, of (batch, rows, columns), (batch, rows, inner) and (batch, inner, columns).
void multiply(const AnyArray& c, const AnyArray& left, const AnyArray& right, const MatmulOptions& options) {
    if (c.size() == 0) return;
    KernelCache& cache = KernelCache::of(c.context());
    const Factors factors(matmul_form(cache.info(), c.dtype(), options.precision), left, right);
    run_tuned(c.context(), cache, [&](OnlineTrial* trial) { multiply(c, factors, options, trial); });
}

/// Refuses what cannot be multiplied.
void check_operands(const AnyArray& a, const AnyArray& b) {
    for (const AnyArray* given : {&a, &b}) {
        if (given->empty()) throw ArgumentError("matmul: an operand is an empty handle, without an array");
        if (!is_number(given->dtype()))
            throw ArgumentError(
                text("matmul: an operand has elements of ", given->dtype().name(), ", which are no numbers"));
    }
    if (!(a.context() == b.context()))
        throw ArgumentError("matmul: the operands are of different contexts; copy_to(context) brings one to the other");
    if (a.rank() == 0 || b.rank() == 0) refuse(a, b, "one has no axis; * multiplies by a number");
    if (a.shape().back() != b.shape()[b.rank() == 1 ? 0 : b.rank() - 2])
        refuse(a, b, "the last axis of the first must be as long as the last but one of the second");
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
    /// c as a batch of matrices: a view, or an empty handle where its steps allow none.
    AnyArray as_product(const AnyArray& c) const {
        const Shape whole{a.shape()[0], a.shape()[1], b.shape()[2]};
        if (c.is_contiguous()) return c.reshape(whole);
        if (batch.rank() > 1) return {};
        AnyArray view = is_column ? c(ellipsis, newaxis) : c;
        if (is_row) view = is_column ? view : view(ellipsis, newaxis, slice());
        return view.rank() == 2 ? view(newaxis, slice(), slice()) : view;
    }
};

}  // namespace

namespace detail {

AnyArray matmul(const AnyArray& a, const AnyArray& b, DType dtype, const MatmulOptions& options) {
    check_operands(a, b);
    if (dtype.empty()) dtype = promote(a.dtype(), b.dtype());
    std::optional<StreamScope> scope;
    if (!options.stream.empty()) scope.emplace(options.stream);
    if ((a.rank() == 1 || b.rank() == 1) && options.epilogue.empty()) {
        // A reduction reads the matrix once, and products of 16-bit floats are not rounded.
        const AnyExpr product = (b.rank() == 1 ? a : a(slice(), newaxis)) * b;
        return reduce(ReductionKind::sum, product.view(), dtype, b.rank() == 1 ? -1 : -2, false, "matmul");
    }
    const Operands operands(a, b, dtype);
    const AnyArray c(a.context(), dtype, operands.shape());
    multiply(operands.as_product(c), operands.a, operands.b, options);
    return c;
}

void matmul_into(const AnyArray& c, const AnyArray& a, const AnyArray& b, const MatmulOptions& options) {
    if (c.empty()) throw ArgumentError("matmul_into: the target is an empty handle, without an array");
    check_operands(a, b);
    const DType dtype = promote(a.dtype(), b.dtype());
    std::optional<StreamScope> scope;
    if (!options.stream.empty()) scope.emplace(options.stream);
    const Operands operands(a, b, dtype);
    if (!(c.context() == a.context())) throw ArgumentError("matmul_into: the target is of another context");
    if (c.shape() != operands.shape() || c.dtype() != dtype)
        throw ArgumentError(text("matmul_into: the target is ", c.dtype().name(), " ", to_string(c.shape()),
                                 ", the product ", dtype.name(), " ", to_string(operands.shape())));
    for (std::size_t axis = 0; axis < c.rank(); ++axis)
        if (c.strides()[axis] == 0 && c.shape()[axis] > 1)
            throw ArgumentError("matmul_into: elements of the target share memory; write into an array of its own");
    const AnyArray product = operands.as_product(c);
    if (!product.empty() && !c.may_overlap(operands.a) && !c.may_overlap(operands.b))
        return multiply(product, operands.a, operands.b, options);
    const AnyArray whole = c.copy(Order::C);  // with what `before` reads
    multiply(operands.as_product(whole), operands.a, operands.b, options);
    c.assign(whole);
}

}  // namespace detail
}  // namespace gemel
