#include "generated/bound_call.hpp"

#include "array/byte_bounds.hpp"
#include "array/merge_axes.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <numeric>

namespace gemel {

using codegen::ArrayUse;

BoundCall::BoundCall(const DeclaredArguments& declared, std::span<const CallArgument> arguments)
    : declared_(declared), arguments_(arguments) {
    const std::size_t expected = declared.parameters.size();
    if (arguments.size() != expected)
        declared.refuse(text("expected ", expected, expected == 1 ? " argument" : " arguments", ", got ",
                             arguments.size(), ": ", declared.text()));
    arrays_.resize(expected);
    for (std::size_t i = 0; i < expected; ++i) check_argument(i, arguments[i]);
    check_shapes();
    check_aliasing();
    if (declared.has_open_types)
        for (std::size_t i = 0; i < expected; ++i)
            if (declared.parameters[i].dtype.empty()) open_types_.push_back(open_dtype(i));
}

bool BoundCall::may_write(std::size_t i) const {
    const ArrayUse& use = declared_.uses[i];
    return use.element_written || (use.element_address && !declared_.parameters[i].is_const);
}

void BoundCall::check_argument(std::size_t i, const CallArgument& argument) {
    const Parameter& p = declared_.parameters[i];
    const ArrayUse& use = declared_.uses[i];
    Array& a = arrays_[i];
    if (is_sampled(p)) return check_sampled(i, argument);
    if (!p.is_pointer) {
        if (argument.array || argument.value.kind == Argument::Kind::memory)
            declared_.refuse(i, text("is declared '", p.text(), "', a value, but got an array"));
        if (!p.dtype.empty()) return;
        if (argument.value.dtype.empty())
            declared_.refuse(i, "is a struct of unknown layout; declare it with GEMEL_STRUCT");
        if (!is_open_type(p) && argument.value.dtype.name() != p.type)
            declared_.refuse(i, text("is declared '", p.text(), "', but got ", argument.value.dtype.name()));
        return;
    }
    if (!argument.array)
        declared_.refuse(i,
                         text("is declared '", p.text(), "', an array, but got ",
                              argument.value.kind == Argument::Kind::memory ? "a Buffer; GPUArray makes an array of it"
                                                                            : "a value"));
    const AnyArray& array = *argument.array;
    if (array.empty()) declared_.refuse(i, "is an empty handle; assign an array to it first");
    const DType& dtype = array.dtype();
    if (p.dtype.empty() ? !is_open_type(p) && dtype.name() != p.type : !(dtype == p.dtype))
        declared_.refuse(i, text("is declared '", p.text(), "', but got an array of ", dtype.name(),
                                 "; astype() converts, or leave the type open (T)"));
    a.array = &array;
    a.is_element = use.element;
    a.offset_bytes = array.buffer().offset_bytes() + array.offset_bytes();
    if (leading_ && array.buffer().context_id() != leading_->buffer().context_id())
        declared_.refuse(i, text("is of another context (", array.context().device().id(), ") than ", leading_name(),
                                 " (", context().device().id(), "); copy_to(context) copies an array there"));
    if (!leading_ || (use.element && !shape_)) leading_ = &array;
    if (use.element) {
        if (!shape_) shape_ = &array.shape();
        item_bytes_ = std::max(item_bytes_, dtype.size_bytes());
        ++array_count_;
    }
    if (use.bare && !array.is_contiguous())
        declared_.refuse(
            i, text("has gaps between its elements (shape ", to_string(array.shape()), ", strides ",
                    to_string(array.strides()),
                    "), but the snippet uses it as a pointer; pass .copy(), or touch it as ", p.name, "[...] only"));
    if (array.rank() > max_axes) declared_.refuse(i, text("has ", array.rank(), " axes, expected at most ", max_axes));
    // An element with several indices cannot be written by several threads.
    if (!may_write(i) || !array.repeats()) return;
    for (std::size_t axis = 0; axis < array.rank(); ++axis)
        if (array.strides()[axis] == 0 && array.shape()[axis] > 1)
            declared_.refuse(
                i, text("is written, but is a broadcast array: axis ", axis, " of shape ", to_string(array.shape()),
                        " has the stride 0; copy() makes an array with its own elements"));
    declared_.refuse(
        i, text("is written, but several indices lead to one of its elements (shape ", to_string(array.shape()),
                ", strides ", to_string(array.strides()), "); copy() makes an array with its own elements"));
}

void BoundCall::check_sampled(std::size_t i, const CallArgument& argument) const {
    const Parameter& p = declared_.parameters[i];
    const bool is_texture = p.space == Parameter::Space::texture;
    if (!argument.array && argument.value.kind == (is_texture ? Argument::Kind::texture : Argument::Kind::image))
        return;
    declared_.refuse(i, text("is declared '", p.text(), "', but got ", argument.array ? "an array" : "something else",
                             is_texture ? "; gemel::Texture(array, sampler) makes a texture of an array or an image"
                                        : "; pass a gemel::Image"));
}

void BoundCall::check_shapes() {
    if (!shape_) shape_ = &leading_->shape();
    count_ = leading_->size();
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Array& a = arrays_[i];
        if (!a.array) continue;
        const AnyArray& array = *a.array;
        if (!a.is_element) {
            // Used with other subscripts only. If it has gaps, subscripts are resolved by its layout.
            if (!declared_.uses[i].elsewhere || array.is_contiguous()) continue;
            if (!(array.shape() == *shape_))
                declared_.refuse(i, text("has gaps between its elements and the shape ", to_string(array.shape()),
                                         ", which differs from ", to_string(*shape_), "; pass .copy()"));
            a.is_element = true;
            all_contiguous_ = false;
            continue;
        }
        const bool contiguous = array.is_contiguous();
        if (!(array.shape() == *shape_)) {
            if (array.size() != count_)
                declared_.refuse(i, text("has ", counted(array.size(), "element"), ", shape ", to_string(array.shape()),
                                         ", but ", leading_name(), " has ", count_, ", shape ", to_string(*shape_)));
            if (!contiguous || !leading_->is_contiguous())
                declared_.refuse(i, text("has the shape ", to_string(array.shape()), ", but ", leading_name(), " has ",
                                         to_string(*shape_), "; arrays of different shapes must be contiguous"));
        }
        all_contiguous_ &= contiguous;
    }
}

const std::string& BoundCall::leading_name() const {
    std::size_t i = 0;
    while (arrays_[i].array != leading_) ++i;
    return declared_.parameters[i].name;
}

namespace {

/// Whether the elements interleave and never coincide, as in x[::2] and x[1::2].
bool interleaved(const AnyArray& a, std::size_t a_offset, const AnyArray& b, std::size_t b_offset) {
    std::int64_t step = 0;
    for (const AnyArray* array : {&a, &b})
        for (std::size_t axis = 0; axis < array->rank(); ++axis)
            if (array->shape()[axis] > 1)
                step = std::gcd(step, array->strides()[axis] * static_cast<std::int64_t>(array->dtype().size_bytes()));
    if (step == 0) return false;
    const auto apart = static_cast<std::int64_t>(b_offset) - static_cast<std::int64_t>(a_offset);
    const std::int64_t rest = (apart % step + step) % step;
    return rest >= static_cast<std::int64_t>(a.dtype().size_bytes()) &&
           rest + static_cast<std::int64_t>(b.dtype().size_bytes()) <= step;
}

}  // namespace

void BoundCall::check_aliasing() {
    for (std::size_t w = 0; w < arguments_.size(); ++w) {
        const bool scattered = declared_.uses[w].elsewhere_written;
        if (!arrays_[w].array || (!may_write(w) && !scattered)) continue;
        const AnyArray& written = *arrays_[w].array;
        for (std::size_t r = 0; r < arguments_.size(); ++r) {
            if (r == w || !arrays_[r].array || arrays_[r].array->buffer().block() != written.buffer().block()) continue;
            const AnyArray& read = *arrays_[r].array;
            if (read.size() == 0 || written.size() == 0) continue;
            const ArrayUse& use = declared_.uses[r];
            const bool same = arrays_[r].offset_bytes == arrays_[w].offset_bytes && read.shape() == written.shape() &&
                              read.strides() == written.strides() &&
                              read.dtype().size_bytes() == written.dtype().size_bytes();
            // The other array's element is read by the same thread before it is written, from registers; unless the
            // snippet reads it after writing it through the other name.
            if (same && !scattered && !use.elsewhere && !use.bare) {
                const DType& dtype = read.dtype();
                const bool always_in_registers = dtype.kind() == DType::Kind::boolean || dtype.is_16_bit_float();
                if (use.element_read_late && always_in_registers)
                    declared_.refuse(w, text("is written and then read as argument ", r + 1, " (",
                                             declared_.parameters[r].name, "), which is the same array, of ",
                                             dtype.name(), "; use one name for it, or pass a copy()"));
                reads_what_it_writes_ |= use.element_read_late;
                continue;
            }
            if (!overlap(byte_bounds(read, arrays_[r].offset_bytes), byte_bounds(written, arrays_[w].offset_bytes)) ||
                interleaved(written, arrays_[w].offset_bytes, read, arrays_[r].offset_bytes))
                continue;
            declared_.refuse(
                w, text("is written and shares memory with argument ", r + 1, " (", declared_.parameters[r].name,
                        ") at different indices, so that the result would depend on the order of threads; pass a "
                        "copy() of one of them"));
        }
    }
}

/// The type of an argument's open type: that of the arrays, or of the first value if there are none.
DType BoundCall::open_dtype(std::size_t i) const {
    if (arrays_[i].array) return arrays_[i].array->dtype();
    const auto shares_type = [&](std::size_t k) {
        return declared_.parameters[k].type == declared_.parameters[i].type;
    };
    for (std::size_t k = 0; k < arguments_.size(); ++k)
        if (arrays_[k].array && shares_type(k)) return arrays_[k].array->dtype();
    std::size_t first = 0;
    while (!shares_type(first)) ++first;
    return arguments_[first].value.dtype;
}

std::vector<Parameter> BoundCall::parameters() const {
    std::vector<std::pair<std::string, DType>> types;
    // Arrays first: a value decides an open type only if no array does.
    for (const bool arrays : {true, false})
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            const Parameter& p = declared_.parameters[i];
            if (!p.dtype.empty() || (arrays_[i].array != nullptr) != arrays) continue;
            const DType dtype = open_dtype(i);
            const auto known =
                std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.first == p.type; });
            if (known == types.end()) {
                types.push_back({p.type, dtype});
            } else if (arrays && !(known->second == dtype)) {
                declared_.refuse(i, text("binds ", p.type, " to ", dtype.name(),
                                         ", but an earlier argument binds it to ", known->second.name()));
            }
        }
    return bind_types(declared_, types);
}

}  // namespace gemel
