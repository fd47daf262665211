/// Products with vectors: checks, the kernel variant for the format, its launch.
#include "array/byte_bounds.hpp"
#include "generated/argument_list.hpp"
#include "generated/kernel_cache.hpp"
#include "sparse/kernels.hpp"
#include "sparse/product_checks.hpp"
#include "sparse/product_tuning.hpp"
#include "sparse/product_variant.hpp"
#include "sparse/state.hpp"
#include "tune/online.hpp"

#include <gemel/arrays/call_argument.hpp>
#include <gemel/codegen/sparse.hpp>

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace gemel::sparse {
namespace {

using codegen::SparseForm;
using codegen::SparseLayout;

// No heap memory: solvers call products in a loop.
using Arrays = boost::container::static_vector<Argument, 9>;
using Sizes = boost::container::static_vector<std::int64_t, 7>;

bool is_number_of(const AnyNumber& number, double value) {
    return std::visit([&](const auto& v) { return cdouble(v) == cdouble(value); }, number);
}

void dot_product(const AnyMultiply& options, const AnyArray& y) {
    AnyArray result;
    dot_kernel(y.dtype()).run({.out = options.dot}, std::array{CallArgument(options.dot_with), CallArgument(y)},
                              {&result, 1});
}

/// One product of contiguous arrays that share no memory.
class Product {
   public:
    Product(const MatrixState& matrix, const AnyArray& y, const AnyArray& x, const AnyMultiply& options,
            OnlineTrial* trial = nullptr, const SolverSums* sums = nullptr)
        : matrix_(matrix),
          own_(matrix.entries),
          y_(y),
          x_(x),
          options_(options),
          alpha_(options.alpha),
          beta_(options.beta),
          given_(options.tuning),
          trial_(trial),
          sums_(sums),
          cache_(KernelCache::of(own_.context)) {
        layout_.value = own_.value();
        layout_.index = own_.index();
        layout_.serial = given_.serial < 0 ? cache_.info().type == DeviceInfo::Type::cpu : given_.serial > 0;
        layout_.scaled = !is_number_of(alpha_, 1) || !is_number_of(beta_, 0);
        layout_.warps = cache_.info().has_cross_block_visibility;
    }

    /// @returns the number of blocks that have stored sums
    std::int64_t run_summing() {
        layout_.sums = sums_->diagonal.empty() ? codegen::SparseSums::products : codegen::SparseSums::scaled;
        layout_.double_sums = cache_.info().has_double;
        multiply();
        return summing_blocks_;
    }

    /// The launch of this product, as a part of another kernel.
    ProductPart part() {
        ProductPart part;
        part_ = &part;
        run_summing();
        return part;
    }

    void run() {
        multiply();
        if (trial_ && is_cut_) trial_->end();
        if (!options_.dot.empty() && !is_dot_done_) dot_product(options_, y_);
    }

   private:
    void multiply() {
        if (own_.count == 0) return scale_y();
        if (x_.rank() == 2) return several();
        switch (matrix_.format) {
            case Format::coo: return coo();
            case Format::ell: return slices(false);
            case Format::sell: return slices(true);
            case Format::dia: return diagonals();
            case Format::packeted: return packeted();
            case Format::binned: return binned();
            default: return csr();
        }
    }

    /// y = beta y, if the matrix has no entries or they are added later; beta 0 sets y to 0, whatever it holds.
    void scale_y() const {
        if (is_number_of(beta_, 0)) return y_.fill(0);
        const Argument number = element_argument(own_.value(), beta_);
        beta_kernel(own_.value()).run({}, std::array{CallArgument(y_), CallArgument(number)});
    }

    std::int64_t units() const { return std::max<std::int64_t>(cache_.info().compute_units, 1); }

    /// Chooses the tuning for this form of kernel.
    void cut(SparseForm form) {
        tuning_ =
            product_tuning(matrix_, {.form = form, .serial = layout_.serial, .is_packed = layout_.packed_columns},
                           {.strategy = form == SparseForm::rows ? given_.strategy : codegen::SparseStrategy::automatic,
                            .block = layout_.serial ? 0 : given_.block,
                            .width = form == SparseForm::rows && !layout_.serial ? given_.width : 0});
        layout_.form = form;
        if (!layout_.serial)
            layout_.block = std::min(tuning_.block, std::bit_floor(std::max(cache_.info().max_threads_per_block, 1u)));
        if (trial_ && !is_cut_) trial_->begin({});
        is_cut_ = true;
    }

    /// Launches `threads` threads; or, if serial, one per chunk of rows, whose size is a multiple of `multiple`.
    void launch(Arrays arrays, Sizes sizes, std::int64_t threads, std::int64_t multiple) {
        layout_.dot = !options_.dot.empty() && x_.rank() == 1 && !matrix_.form.rest;
        if (part_) {
            *part_ = {
                .layout = layout_, .arrays = {arrays.begin(), arrays.end()}, .sizes = {sizes.begin(), sizes.end()}};
            return;
        }
        const auto variant = find_variant(own_.context, layout_);
        std::int64_t pieces = units() * std::max(tuning_.chunks_per_unit, 1u);
        if (sums_) pieces = std::min(pieces, sums_->capacity);
        std::int64_t chunk = (own_.rows + pieces - 1) / pieces;
        chunk = (std::max<std::int64_t>(chunk, 64) + multiple - 1) / multiple * multiple;
        std::int64_t blocks =
            layout_.serial ? (own_.rows + chunk - 1) / chunk : (threads + variant->block - 1) / variant->block;
        sizes.push_back(chunk);
        if (sums_) {
            const std::int64_t rounds = (blocks + sums_->capacity - 1) / sums_->capacity;
            blocks = summing_blocks_ = (blocks + rounds - 1) / rounds;
        }
        if (!layout_.dot) return launch(variant->kernel, variant->block, blocks, std::move(arrays), sizes);
        const AnyArray parts(own_.context, own_.value(), Shape{blocks});
        dot_parts_ = &parts;
        launch(variant->kernel, variant->block, blocks, std::move(arrays), sizes);
        dot_parts_ = nullptr;
        AnyArray result;
        parts_kernel(own_.value()).run({.out = options_.dot}, std::array{CallArgument(parts)}, {&result, 1});
        is_dot_done_ = true;
    }

    void launch(const Kernel& kernel, std::uint32_t block, std::int64_t blocks, Arrays arrays,
                const Sizes& sizes) const {
        ArgumentList list;
        for (const Argument& array : arrays) list.add(array);
        list.add(whole_memory(x_));
        list.add(whole_memory(y_));
        list.add(element_argument(own_.value(), alpha_));
        list.add(element_argument(own_.value(), beta_));
        list.add(as_argument(x_begin_));
        list.add(as_argument(y_begin_));
        for (const std::int64_t& size : sizes) list.add(as_argument(size));
        const std::int64_t dot_begin = dot_parts_ ? begin_of(options_.dot_with) : 0;
        if (dot_parts_) {
            list.add(whole_memory(options_.dot_with));
            list.add(dot_parts_->argument());
            list.add(as_argument(dot_begin));
        }
        if (sums_) add_sums(list);
        kernel.launch({.grid = {blocks}, .block = {block}}, list.span());
    }

    void add_sums(ArgumentList& list) const {
        list.add(whole_memory(sums_->with));
        if (!sums_->diagonal.empty()) list.add(whole_memory(sums_->diagonal));
        list.add(as_argument(sums_->sums));
        list.add(as_argument(sums_->skip));
        list.add(as_argument(with_begin_));
        if (!sums_->diagonal.empty()) list.add(as_argument(diagonal_begin_));
        list.add(as_argument(sums_->sums_begin));
        list.add(as_argument(sums_->skip_at));
    }

    void csr() {
        cut(SparseForm::rows);
        if (tuning_.strategy == codegen::SparseStrategy::merge && !sums_) return merge();
        rows(own_.starts, own_.numbers, own_.values);
    }

    void rows(const AnyArray& starts, const AnyArray& numbers, const AnyArray& values) {
        if (!layout_.serial && tuning_.strategy == codegen::SparseStrategy::stream) {
            layout_.form = SparseForm::stream;
            layout_.items = tuning_.items;
            return launch({starts.argument(), numbers.argument(), values.argument()}, {own_.rows, own_.columns},
                          own_.rows, 1);
        }
        layout_.form = SparseForm::rows;
        layout_.width = layout_.serial ? 1 : std::min(tuning_.width, layout_.block);
        if (layout_.block < 32) layout_.warps = false;
        launch({starts.argument(), numbers.argument(), values.argument()}, {own_.rows, own_.columns},
               own_.rows * layout_.width, 1);
    }

    void merge() {
        layout_.form = SparseForm::merge;
        if (!layout_.serial) layout_.items = tuning_.items;
        const std::int64_t work = own_.rows + own_.count;
        std::int64_t tile = std::int64_t{layout_.block} * layout_.items;
        const std::int64_t pieces = units() * std::max(tuning_.chunks_per_unit, 1u);
        if (layout_.serial) tile = std::max<std::int64_t>((work + pieces - 1) / pieces, 1024);
        const MergePlan plan = matrix_.plan(tile);
        const AnyArray carries(own_.context, own_.value(), Shape{plan.tiles});
        launch_tiles({own_.starts.argument(), own_.numbers.argument(), own_.values.argument(),
                      plan.tile_rows.argument(), carries.argument()},
                     plan, carries);
    }

    /// Launches a block or a serial thread per tile.
    void launch_tiles(Arrays arrays, const MergePlan& plan, const AnyArray& carries) const {
        const auto variant = find_variant(own_.context, layout_);
        launch(variant->kernel, variant->block, plan.tiles, std::move(arrays), {own_.rows, own_.count, plan.tile});
        add_carries(*variant, plan, carries);
    }

    /// Adds what tiles have of rows that they leave open.
    void add_carries(const ProductVariant& variant, const MergePlan& plan, const AnyArray& carries) const {
        ArgumentList list;
        list.add(plan.tile_rows.argument());
        list.add(carries.argument());
        list.add(whole_memory(y_));
        list.add(element_argument(own_.value(), alpha_));
        for (const std::int64_t& number : {y_begin_, own_.rows, plan.tiles}) list.add(as_argument(number));
        variant.carries.launch({.grid = {(plan.tiles + layout_.block - 1) / layout_.block}, .block = {layout_.block}},
                               list.span());
    }

    /// Products window by window of columns, in chunks, and their sums, in tiles of rows and entries.
    void binned() {
        const Bins& bins = *matrix_.form.bins;
        if (layout_.serial || !can_multiply_bins(cache_.info(), own_.value())) return csr();
        layout_.form = SparseForm::binned;
        layout_.block = codegen::sparse_bin_block;
        layout_.items = codegen::sparse_bin_items(own_.value());
        const AnyArray products(own_.context, own_.value(), Shape{bins.slots}),
            carries(own_.context, own_.value(), Shape{bins.plan.tiles}),
            signals = zeros(own_.context, dtype_of<std::uint32_t>(), Shape{codegen::sparse_bin_signals(bins.slabs)});
        Arrays arrays;
        for (const AnyArray* array : {&own_.starts, &matrix_.form.numbers, &matrix_.form.values, &bins.positions,
                                      &bins.sources, &bins.work, &products, &signals, &carries})
            arrays.push_back(array->argument());
        const auto variant = find_variant(own_.context, layout_);
        for (std::size_t k = 0; k + 1 < bins.launches.size(); ++k)
            launch(variant->kernel, variant->block, bins.launches[k + 1] - bins.launches[k], arrays,
                   {own_.rows, own_.count, bins.plan.tile, own_.columns, bins.slab_tiles, codegen::sparse_bin_ring,
                    bins.launches[k]});
        add_carries(*variant, bins.plan, carries);
    }

    void slices(bool ordered) {
        const Form& form = matrix_.form;
        cut(SparseForm::slices);
        layout_.ordered = ordered;
        Arrays arrays{form.lengths.argument(), form.numbers.argument(), form.values.argument()};
        if (ordered) {
            arrays.push_back(form.slice_starts.argument());
            arrays.push_back(form.order.argument());
        }
        launch(std::move(arrays), {own_.rows}, own_.rows, codegen::sparse_slice);
    }

    void diagonals() {
        const Form& form = matrix_.form;
        cut(SparseForm::diagonals);
        if (!layout_.serial && form.diagonals <= 16) layout_.width = static_cast<std::uint32_t>(form.diagonals);
        launch({form.offsets.argument(), form.values.argument()}, {own_.rows, own_.columns, form.diagonals}, own_.rows,
               256);
    }

    void packeted() {
        const Form& form = matrix_.form;
        layout_.packed_columns = true;
        if (!form.rest || form.numbers.size() > 0) cut(SparseForm::rows);
        if (!form.rest) return rows(own_.starts, form.numbers, own_.values);
        // The rest adds to y; run() computes the dot product afterwards.
        const AnyMultiply more{.alpha = alpha_, .beta = std::int64_t{1}, .tuning = given_};
        if (form.numbers.size() == 0) {
            scale_y();
        } else {
            rows(form.starts, form.numbers, form.values);
        }
        Product(*form.rest, y_, x_, more).run();
    }

    void coo() const {
        scale_y();
        const Argument number = element_argument(own_.value(), alpha_);
        coo_scan(own_.value(), own_.index())
            .run({.deterministic = true},
                 std::array{CallArgument(matrix_.form.row_numbers), CallArgument(own_.numbers),
                            CallArgument(own_.values), CallArgument(x_), CallArgument(y_), CallArgument(number)});
    }

    void several() {
        cut(SparseForm::several);
        const std::int64_t vectors = x_.shape()[1];
        launch({own_.starts.argument(), own_.numbers.argument(), own_.values.argument()}, {own_.rows, vectors},
               own_.rows * vectors, 1);
    }

    const MatrixState& matrix_;
    const Entries& own_;
    const AnyArray &y_, &x_;
    const AnyMultiply& options_;
    const AnyNumber &alpha_, &beta_;
    const ProductTuning& given_;
    OnlineTrial* const trial_;
    const SolverSums* const sums_;
    std::int64_t summing_blocks_ = 0;
    ProductPart* part_ = nullptr;  ///< receives the launch instead of launching
    codegen::SparseTuning tuning_ = {};
    bool is_cut_ = false;
    const AnyArray* dot_parts_ = nullptr;  ///< set during a launch that also sums the dot product
    bool is_dot_done_ = false;
    KernelCache& cache_;
    SparseLayout layout_ = {};
    const std::int64_t x_begin_ = begin_of(x_), y_begin_ = begin_of(y_);
    const std::int64_t with_begin_ = sums_ ? begin_of(sums_->with) : 0;
    const std::int64_t diagonal_begin_ = sums_ && !sums_->diagonal.empty() ? begin_of(sums_->diagonal) : 0;
};

/// Online tuning tries one configuration per call. With a rest there are two products, of which the second adds to the
/// first: these are not tuned online.
void multiply_contiguous(const MatrixState& matrix, const AnyArray& y, const AnyArray& x, const AnyMultiply& options) {
    if (matrix.form.rest) return Product(matrix, y, x, options).run();
    run_tuned(matrix.entries.context, KernelCache::of(matrix.entries.context),
              [&](OnlineTrial* trial) { Product(matrix, y, x, options, trial).run(); });
}

}  // namespace

void multiply(const MatrixState& matrix, const AnyArray& y, const AnyArray& x, const AnyMultiply& given) {
    const Entries& own = matrix.entries;
    require_product(own, y, x, given);
    if (y.size() == 0) {
        if (!given.dot.empty()) given.dot.fill(0);
        return;
    }
    const auto is_plain = [](const AnyArray& array) { return array.is_contiguous() && begins_at_element(array); };
    const AnyArray from = is_plain(x) ? x : x.copy(Order::C);
    const bool is_apart = is_plain(y) && !y.may_overlap(from);
    AnyArray to = y;
    if (!is_apart) to = is_number_of(given.beta, 0) ? AnyArray(own.context, own.value(), y.shape()) : y.copy(Order::C);
    // If the dot product's vector is y itself, it is the result y.
    const bool is_fused = given.dot.empty() || (is_plain(given.dot_with) && !given.dot_with.may_overlap(y));
    if (is_fused) {
        multiply_contiguous(matrix, to, from, given);
    } else {
        const AnyMultiply without{.alpha = given.alpha, .beta = given.beta, .tuning = given.tuning};
        multiply_contiguous(matrix, to, from, without);
    }
    if (!is_apart) y.assign(to);
    if (!is_fused) dot_product(given, y);
}

bool can_sum(const MatrixState& matrix) {
    const Entries& own = matrix.entries;
    if (own.count == 0 || own.rows != own.columns) return false;
    switch (matrix.format) {
        case Format::ell:
        case Format::sell:
        case Format::dia: return true;
        case Format::csr: break;
        default: return false;  // coo and packeted with a rest add to y more than once
    }
    const bool serial = KernelCache::of(own.context).info().type == DeviceInfo::Type::cpu;
    return product_tuning(matrix, {.form = SparseForm::rows, .serial = serial}, {}).strategy !=
           codegen::SparseStrategy::merge;
}

ProductPart summing_part(const MatrixState& matrix, bool is_scaled) {
    AnyMultiply parallel;
    parallel.tuning.serial = 0;
    const AnyArray& any = matrix.entries.values;  // the positions of vectors are arguments of the launch
    SolverSums sums;
    sums.with = any;
    if (is_scaled) sums.diagonal = any;
    ProductPart part = Product(matrix, any, any, parallel, nullptr, &sums).part();
    part.slots = matrix.format == Format::csr ? matrix.entries.count : matrix.form.values.size();
    return part;
}

std::int64_t multiply_summing(const MatrixState& matrix, const AnyArray& y, const AnyArray& x, const SolverSums& sums) {
    const AnyMultiply plain;
    return Product(matrix, y, x, plain, nullptr, &sums).run_summing();
}

}  // namespace gemel::sparse
