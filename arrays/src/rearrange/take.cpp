#include <gemel/arrays/take.hpp>
#include <gemel/core/text.hpp>

#include "array/layout.hpp"
#include "generated/declared_arguments.hpp"
#include "rearrange/index_kernels.hpp"
#include "rearrange/moving.hpp"
#include "rearrange/take_axes.hpp"

#include <algorithm>
#include <utility>

namespace gemel {
namespace {

void require_indices(std::string_view who, const AnyArray& indices, const AnyArray& like) {
    require_context(who, "the array of indices", indices, like);
    if (!indices.dtype().is_integer() || indices.dtype().lanes() != 1)
        throw ArgumentError(text(who, ": indices of type ", indices.dtype().name(), ", expected integers",
                                 indices.dtype().kind() == DType::Kind::boolean
                                     ? "; compress() and put_mask() take masks"
                                     : "; astype() converts"));
}

/// Throws for the first index out of bounds, in C order.
[[noreturn]] void refuse_index(std::string_view who, const AnyArray& indices, std::int64_t extent) {
    std::vector<std::int64_t> values(indices.size());
    indices.astype(dtype_of<std::int64_t>()).get_bytes(values.data());
    const bool is_signed = indices.dtype().kind() == DType::Kind::signed_integer;
    const auto is_out = [&](std::int64_t k) {
        return is_signed ? k < -extent || k >= extent
                         : static_cast<std::uint64_t>(k) >= static_cast<std::uint64_t>(extent);
    };
    const auto found = std::find_if(values.begin(), values.end(), is_out);
    auto rest = found - values.begin();
    Shape position = indices.shape();
    for (std::size_t axis = position.rank(); axis-- > 0;) {
        const std::int64_t here = rest % indices.shape()[axis];
        rest /= indices.shape()[axis];
        position[axis] = here;
    }
    const std::string value = is_signed ? text(*found) : text(static_cast<std::uint64_t>(*found));
    throw ArgumentError(text(who, ": index ", value, ", at ", to_string(position),
                             " of the indices, is out of bounds for ", extent, extent == 1 ? " element" : " elements",
                             "; OutOfBounds::wrap or OutOfBounds::clip accepts any index"));
}

/// Checks that there are elements to take and, if required, that all indices are in bounds.
void check_indices(std::string_view who, const AnyArray& indices, std::int64_t extent, OutOfBounds mode) {
    if (indices.size() == 0) return;
    if (extent == 0) throw ArgumentError(text(who, ": ", indices.size(), " indices into an array without elements"));
    if (mode != OutOfBounds::raise) return;
    const AnyArray found(indices.context(), dtype_of<std::int32_t>(), Shape{1});
    std::int32_t any = 0;
    found.fill_bytes(&any);
    index_check_kernel(indices.dtype(), extent > max_in_32_bits)(indices, extent, found);
    found.get_bytes(&any);
    if (any) refuse_index(who, indices, extent);
}

/// The arguments of one launch of a kernel that computes positions.
class Launch {
   public:
    Launch(const AnyArray& indices, std::int64_t extent, OutOfBounds mode)
        : form_{.index = indices.dtype(), .clips = mode == OutOfBounds::clip, .wide_index = extent > max_in_32_bits},
          extent_(extent) {}

    IndexForm& form() { return form_; }
    void add(const AnyArray& array) { arguments_.push_back(CallArgument(array)); }
    void add(const Argument& value) { arguments_.push_back(CallArgument(value)); }
    void run(const ElementwiseKernel& kernel, const CountedAxes& axes) {
        add(as_argument(extent_));
        for (std::size_t axis = 1; axis < form_.rank; ++axis) add(as_argument(axes.extents[axis]));
        for (std::size_t axis = 0; axis < form_.rank; ++axis) add(as_argument(axes.steps[axis]));
        kernel.run({}, arguments_);
    }

   private:
    IndexForm form_;
    std::int64_t extent_;
    std::vector<CallArgument> arguments_;
};

/// The maximum number of arguments of a kernel that counts through these axes: two arrays, the indices, a number of
/// values, extents and strides.
bool are_too_many(const CountedAxes& axes) { return 4 + 2 * axes.extents.rank() > max_call_arguments; }

std::int64_t product(const Shape& shape, std::size_t first, std::size_t count) {
    std::int64_t product = 1;
    for (std::size_t axis = first; axis < first + count; ++axis) product *= shape[axis];
    return product;
}

/// Checks the arrays of a multi_take or multi_put: at least one, of one shape and context.
void require_alike(std::string_view who, std::span<const AnyArray> arrays) {
    if (arrays.empty()) throw ArgumentError(text(who, ": expected at least one array, got an empty list"));
    for (const AnyArray& array : arrays) {
        require_array(who, "an array of the list", array);
        require_context(who, "an array of the list", array, arrays[0]);
        if (!(array.shape() == arrays[0].shape()))
            throw ArgumentError(text(who, ": arrays of the shapes ", to_string(arrays[0].shape()), " and ",
                                     to_string(array.shape()), "; expected equal shapes"));
    }
}

/// Checks the number of values: as many as indices, or one, or fewer than indices.
struct Values {
    AnyArray array;
    ValueForm form = ValueForm::each;
};

Values values_for(std::string_view who, const AnyArray& x, const AnyArray& indices, const AnyArray& values) {
    require_context(who, "the array of values", values, x);
    if (values.size() == 0)
        throw ArgumentError(
            text(who, ": got no values for ", counted(indices.size(), "position"), "; give at least one value"));
    const AnyArray apart = apart_from(x, converted_values(who, "the array of values", values, x.dtype()));
    if (apart.shape() == indices.shape()) return {apart, ValueForm::each};
    const auto count = static_cast<std::int64_t>(indices.size());
    const AnyArray row = apart.ravel();
    if (row.size() >= indices.size()) {
        return {row(slice(count)).reshape(indices.shape()), ValueForm::each};
    }
    if (row.size() == 1) return {row.reshape({}).broadcast_to(indices.shape()), ValueForm::each};
    return {without_gaps(row), ValueForm::repeated};
}

void put_values(const AnyArray& x, const AnyArray& given_indices, const AnyArray* values, const void* element,
                OutOfBounds mode, bool is_checked) {
    const char* const who = "put";
    if (given_indices.size() == 0) return;
    const AnyArray indices = apart_from(x, given_indices);
    const auto extent = static_cast<std::int64_t>(x.size());
    const Values from = values ? values_for(who, x, indices, *values) : Values{};
    if (!is_checked) check_indices(who, indices, extent, mode);
    const CountedAxes axes = counted_axes(x, 0, x.rank());
    if (are_too_many(axes)) {
        const AnyArray whole = x.copy(Order::C);
        put_values(whole, indices, values ? &from.array : nullptr, element, mode, true);
        return x.assign(whole);
    }
    Launch launch(indices, extent, mode);
    launch.form().wide_position = is_far(x);
    launch.form().rank = axes.is_run() ? 0 : axes.extents.rank();
    const AnyArray to = as_moved(axes.is_run() ? whole_run(x) : first_element(x));
    launch.add(to);
    if (!values) {
        launch.add(moved_value(x.dtype(), element));
        launch.add(indices);
        return launch.run(put_kernel(launch.form(), 1, ValueForm::one), axes);
    }
    const AnyArray moved = as_moved(from.array);
    launch.add(moved);
    launch.add(indices);
    if (from.form == ValueForm::repeated) launch.add(as_argument(static_cast<std::int64_t>(moved.size())));
    launch.run(put_kernel(launch.form(), 1, from.form), axes);
}

}  // namespace

AnyArray take_axes(std::string_view who, const AnyArray& x, std::size_t first, std::size_t count,
                   const AnyArray& indices, OutOfBounds mode) {
    const std::size_t last = first + count, index_rank = indices.rank();
    const std::int64_t extent = product(x.shape(), first, count);
    // As in NumPy, indices are not checked if an axis before them has extent 0.
    if (product(x.shape(), 0, first) > 0) check_indices(who, indices, extent, mode);
    // The axes of the result: those of x before, those of the indices, those of x after. If an operand lacks an axis,
    // its stride is 0.
    Shape shape;
    Strides x_steps, index_steps;
    const auto add_axis = [&](std::int64_t n, std::int64_t x_step, std::int64_t index_step) {
        shape.push_back(n);
        x_steps.push_back(x_step);
        index_steps.push_back(index_step);
    };
    for (std::size_t axis = 0; axis < first; ++axis) add_axis(x.shape()[axis], x.strides()[axis], 0);
    for (std::size_t axis = 0; axis < index_rank; ++axis) add_axis(indices.shape()[axis], 0, indices.strides()[axis]);
    for (std::size_t axis = last; axis < x.rank(); ++axis) add_axis(x.shape()[axis], x.strides()[axis], 0);
    const AnyArray result(x.context(), x.dtype(), shape);
    if (result.size() == 0) return result;

    const CountedAxes axes = counted_axes(x, first, count);
    if (are_too_many(axes)) {
        const OutOfBounds checked = mode == OutOfBounds::raise ? OutOfBounds::wrap : mode;
        return take_axes(who, x.copy(Order::C), first, count, indices, checked);
    }
    const bool has_other_axes = result.size() != indices.size();
    Launch launch(indices, extent, mode);
    launch.form().wide_position = is_far(x);
    launch.form().rank = axes.is_run() ? 0 : axes.extents.rank();
    const AnyArray to = as_moved(result);
    const AnyArray from = as_moved(has_other_axes  ? relaid(x, shape, x_steps)
                                   : axes.is_run() ? whole_run(x)
                                                   : first_element(x));
    const AnyArray spread = relaid(indices, shape, index_steps);
    launch.add(to);
    launch.add(from);
    launch.add(spread);
    launch.run(take_kernel(launch.form(), 1, has_other_axes), axes);
    return result;
}

AnyArray take(const AnyArray& x, const AnyArray& indices, std::optional<Integer> axis, OutOfBounds mode) {
    require_array("take", "the array", x);
    require_indices("take", indices, x);
    const bool is_single_value = x.rank() == 0 && axis && (*axis == 0 || *axis == -1);  // allowed, as in NumPy
    if (!axis || is_single_value) return take_axes("take", x, 0, x.rank(), indices, mode);
    return take_axes("take", x, checked_axis(*axis, x.rank(), "take"), 1, indices, mode);
}

void put(const AnyArray& x, const AnyArray& indices, const AnyArray& values, OutOfBounds mode) {
    require_writable("put", x);
    require_indices("put", indices, x);
    put_values(x, indices, &values, nullptr, mode, false);
}

void detail::put_bytes(const AnyArray& x, const AnyArray& indices, const void* element, OutOfBounds mode) {
    require_writable("put", x);
    require_indices("put", indices, x);
    put_values(x, indices, nullptr, element, mode, false);
}

std::vector<AnyArray> multi_take(std::span<const AnyArray> arrays, const AnyArray& indices, OutOfBounds mode) {
    require_alike("multi_take", arrays);
    require_indices("multi_take", indices, arrays[0]);
    const auto extent = static_cast<std::int64_t>(arrays[0].size());
    check_indices("multi_take", indices, extent, mode);
    std::vector<AnyArray> results, to, from;
    for (const AnyArray& array : arrays) {
        results.emplace_back(array.context(), array.dtype(), indices.shape());
        to.push_back(as_moved(results.back()));
        if (indices.size() > 0) from.push_back(as_moved(whole_run(without_gaps(array))));
    }
    if (indices.size() == 0) return results;
    for (std::size_t begin = 0; begin < arrays.size(); begin += max_moved_arrays) {
        const std::size_t end = std::min(begin + max_moved_arrays, arrays.size());
        Launch launch(indices, extent, mode);
        launch.form().wide_position = extent > max_in_32_bits;
        for (std::size_t a = begin; a < end; ++a) {
            launch.add(to[a]);
            launch.add(from[a]);
        }
        launch.add(indices);
        launch.run(take_kernel(launch.form(), end - begin, false), {});
    }
    return results;
}

void multi_put(std::span<const AnyArray> arrays, const AnyArray& indices, std::span<const AnyArray> values,
               OutOfBounds mode) {
    require_alike("multi_put", arrays);
    require_indices("multi_put", indices, arrays[0]);
    if (arrays.size() != values.size())
        throw ArgumentError(text("multi_put: ", arrays.size(), " arrays, but ", values.size(), " of values"));
    for (const AnyArray& array : arrays) require_writable("multi_put", array);
    std::vector<AnyArray> sources;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        require_context("multi_put", "an array of values", values[a], arrays[0]);
        sources.push_back(converted_values("multi_put", "an array of values", values[a], arrays[a].dtype()));
    }
    const auto extent = static_cast<std::int64_t>(arrays[0].size());
    check_indices("multi_put", indices, extent, mode);
    if (indices.size() == 0) return;
    // Sources that overlap any target are copied first.
    AnyArray positions = indices;
    for (const AnyArray& array : arrays) {
        positions = apart_from(array, positions);
        for (AnyArray& source : sources) source = apart_from(array, source);
    }
    std::vector<AnyArray> to, from;
    const auto flush = [&] {
        if (to.empty()) return;
        Launch launch(positions, extent, mode);
        launch.form().wide_position = extent > max_in_32_bits;
        for (std::size_t a = 0; a < to.size(); ++a) {
            launch.add(to[a]);
            launch.add(from[a]);
        }
        launch.add(positions);
        launch.run(put_kernel(launch.form(), to.size(), ValueForm::each), {});
        to.clear();
        from.clear();
    };
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        if (!arrays[a].is_contiguous() || sources[a].size() < positions.size()) {
            put_values(arrays[a], positions, &sources[a], nullptr, mode, true);
            continue;
        }
        to.push_back(as_moved(whole_run(arrays[a])));
        from.push_back(as_moved(values_for("multi_put", arrays[a], positions, sources[a]).array));
        if (to.size() == max_moved_arrays) flush();
    }
    flush();
}

}  // namespace gemel
