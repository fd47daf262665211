#include "call.hpp"

#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/half.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

namespace gemel {

using codegen::Access;
using codegen::ArrayUse;

// Declarations

void DeclaredArguments::refuse(const std::string& what) const {
    throw ArgumentError(gemel::text(kind, " '", name, "': ", what));
}

void DeclaredArguments::refuse(std::size_t argument, const std::string& what) const {
    refuse(gemel::text("argument ", argument + 1, " (", parameters[argument].name, ") ", what));
}

std::string DeclaredArguments::text() const {
    std::vector<std::string> parts;
    for (const Parameter& p : parameters) parts.push_back(p.text());
    return name + "(" + join(parts) + ")";
}

bool is_open_type(const Parameter& p) {
    return p.dtype.empty() && !p.type.empty() && p.type[0] >= 'A' && p.type[0] <= 'Z' &&
           std::all_of(p.type.begin() + 1, p.type.end(), [](char c) { return c >= '0' && c <= '9'; });
}

DeclaredArguments declare_arguments(std::string kind, std::string name, std::vector<Parameter> parameters,
                                    const std::vector<const codegen::Snippet*>& snippets, const std::string& preamble) {
    DeclaredArguments declared{
        .kind = std::move(kind), .name = std::move(name), .parameters = std::move(parameters), .uses = {}};
    const auto identifier = [](const std::string& s) {
        return !s.empty() && !(s[0] >= '0' && s[0] <= '9') &&
               std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    };
    if (!identifier(declared.name)) declared.refuse("the name is no C identifier, which a kernel's name must be");
    if (declared.parameters.size() > most_call_arguments)
        declared.refuse(text("has ", declared.parameters.size(), " arguments; at most ", most_call_arguments,
                             " are possible. Put values into a struct."));
    std::vector<std::string> arrays;
    for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
        Parameter& p = declared.parameters[i];
        if (p.name == "i") declared.refuse("an argument is called 'i', which is the index");
        if (p.is_pointer) {
            if (p.space == Parameter::Space::shared || p.space == Parameter::Space::constant)
                declared.refuse(i, "is a pointer to other than device memory");
            p.space = Parameter::Space::global;
            arrays.push_back(p.name);
        }
        declared.has_open_types |= p.dtype.empty();
        ArrayUse use;
        if (p.is_pointer) {
            for (const codegen::Snippet* snippet : snippets) use = use | snippet->use_of(p.name);
            // What a preamble's macros do with an array cannot be seen.
            if (!use.element && !use.elsewhere && !use.bare) use.bare = true;
            if (p.is_const && (use.element_written || use.elsewhere_written))
                declared.refuse(i, "is declared const, but the snippet writes to it");
        }
        declared.uses.push_back(use);
    }
    if (arrays.empty()) declared.refuse("no argument is an array; at least one must be, as in \"float *x\"");
    declared.order_free = preamble.empty();  // its macros might use i
    for (const codegen::Snippet* snippet : snippets) declared.order_free &= !snippet->uses_index(arrays);
    for (const ArrayUse& use : declared.uses) declared.order_free &= !use.elsewhere && !use.bare;
    return declared;
}

std::vector<Parameter> bind_types(const DeclaredArguments& declared,
                                  const std::vector<std::pair<std::string, DType>>& types) {
    std::vector<Parameter> bound = declared.parameters;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        Parameter& p = bound[i];
        if (!p.dtype.empty()) continue;
        const auto found = std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.first == p.type; });
        if (found == types.end()) {
            if (is_open_type(p))
                declared.refuse(i, text("is of the open type ", p.type, ", and nothing says what that stands for"));
            declared.refuse(i, text("is of the type '", p.type,
                                    "', which is no type of the kernel language; a struct's type is "
                                    "known by an array or value of it, or by VectorArg and ScalarArg"));
        }
        p.dtype = found->second;
        p.type = found->second.name();
    }
    return bound;
}

// Values

namespace {

template <class To, class From>
bool fits(From value, To& to) {
    if constexpr (std::is_same_v<To, bool>) {
        to = value != From(0);
        return value == From(0) || value == From(1);
    } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        to = static_cast<To>(value);
        if constexpr (std::is_same_v<From, bool>)
            return true;
        else
            return std::in_range<To>(value);
    } else if constexpr (std::is_integral_v<To>) {
        // Bounds that are powers of two are exact in floating point.
        const From low = static_cast<From>(std::numeric_limits<To>::min());
        const From high = std::ldexp(From(1), std::numeric_limits<To>::digits);
        if (!(value >= low && value < high) || value != std::trunc(value)) return false;
        to = static_cast<To>(value);
        return true;
    } else if constexpr (std::is_integral_v<From>) {
        to = static_cast<To>(value);
        if constexpr (std::is_same_v<From, bool>)
            return true;
        else
            return std::abs(to) < std::ldexp(To(1), 63) && static_cast<From>(to) == value;
    } else {
        to = static_cast<To>(value);
        return std::isfinite(to) || !std::isfinite(value);
    }
}

/// Calls `f` with a value of the C++ type that a real dtype describes.
template <class F>
bool with_real(const DType& dtype, const std::byte* bytes, F&& f) {
    const auto as = [&]<class T>(T value) {
        std::memcpy(&value, bytes, sizeof(T));
        return f(value);
    };
    if (dtype.lanes() != 1) return false;
    switch (dtype.kind()) {
        case DType::Kind::boolean: return as(bool{});
        case DType::Kind::signed_integer:
            switch (dtype.size_bytes()) {
                case 1: return as(std::int8_t{});
                case 2: return as(std::int16_t{});
                case 4: return as(std::int32_t{});
                default: return as(std::int64_t{});
            }
        case DType::Kind::unsigned_integer:
            switch (dtype.size_bytes()) {
                case 1: return as(std::uint8_t{});
                case 2: return as(std::uint16_t{});
                case 4: return as(std::uint32_t{});
                default: return as(std::uint64_t{});
            }
        case DType::Kind::floating:
            if (dtype.size_bytes() == 2) {
                half h;
                std::memcpy(&h, bytes, sizeof h);
                return f(static_cast<float>(h));
            }
            return dtype.size_bytes() == 4 ? as(float{}) : as(double{});
        case DType::Kind::bfloat: {
            bfloat16 b;
            std::memcpy(&b, bytes, sizeof b);
            return f(static_cast<float>(b));
        }
        default: return false;
    }
}

template <class To>
bool convert_to(Argument& to, const DType& from, const std::byte* bytes) {
    To value{};
    if (!with_real(from, bytes, [&](auto given) { return fits(given, value); })) return false;
    std::memcpy(to.value, &value, sizeof value);
    to.bytes = sizeof value;
    return true;
}

/// 16-bit floats reach the kernel as the float that they are computed in, rounded to what they can hold.
template <class Narrow>
bool convert_to_narrow(Argument& to, const DType& from, const std::byte* bytes) {
    float value = 0;
    if (!with_real(from, bytes, [&](auto given) { return fits(given, value); })) return false;
    const float rounded = static_cast<float>(Narrow(value));
    if (std::isfinite(value) && !std::isfinite(rounded)) return false;
    std::memcpy(to.value, &rounded, sizeof rounded);
    to.bytes = sizeof rounded;
    to.dtype = dtype_of<float>();
    return true;
}

template <class Real>
bool convert_to_complex(Argument& to, const DType& from, const std::byte* bytes) {
    std::complex<Real> value;
    if (from.kind() == DType::Kind::complex) {
        const DType part(DType::Kind::floating, from.size_bytes() / 2);
        Real re{}, im{};
        if (!with_real(part, bytes, [&](auto given) { return fits(given, re); }) ||
            !with_real(part, bytes + part.size_bytes(), [&](auto given) { return fits(given, im); }))
            return false;
        value = {re, im};
    } else {
        Real re{};
        if (!with_real(from, bytes, [&](auto given) { return fits(given, re); })) return false;
        value = {re, Real(0)};
    }
    std::memcpy(to.value, &value, sizeof value);
    to.bytes = sizeof value;
    to.kind = Argument::Kind::scalar;
    return true;
}

bool convert(const DType& to, Argument& result, const DType& from, const std::byte* bytes) {
    if (to.lanes() != 1) return false;
    const bool is_signed = to.kind() == DType::Kind::signed_integer;
    switch (to.kind()) {
        case DType::Kind::boolean: return convert_to<bool>(result, from, bytes);
        case DType::Kind::signed_integer:
        case DType::Kind::unsigned_integer:
            switch (to.size_bytes()) {
                case 1:
                    return is_signed ? convert_to<std::int8_t>(result, from, bytes)
                                     : convert_to<std::uint8_t>(result, from, bytes);
                case 2:
                    return is_signed ? convert_to<std::int16_t>(result, from, bytes)
                                     : convert_to<std::uint16_t>(result, from, bytes);
                case 4:
                    return is_signed ? convert_to<std::int32_t>(result, from, bytes)
                                     : convert_to<std::uint32_t>(result, from, bytes);
                default:
                    return is_signed ? convert_to<std::int64_t>(result, from, bytes)
                                     : convert_to<std::uint64_t>(result, from, bytes);
            }
        case DType::Kind::floating:
            if (to.size_bytes() == 2) return convert_to_narrow<half>(result, from, bytes);
            return to.size_bytes() == 4 ? convert_to<float>(result, from, bytes)
                                        : convert_to<double>(result, from, bytes);
        case DType::Kind::bfloat: return convert_to_narrow<bfloat16>(result, from, bytes);
        case DType::Kind::complex:
            return to.size_bytes() == 8 ? convert_to_complex<float>(result, from, bytes)
                                        : convert_to_complex<double>(result, from, bytes);
        default: return false;
    }
}

}  // namespace

Argument convert_value(const DeclaredArguments& declared, std::size_t index, const DType& to, const Argument& from) {
    const bool narrow = to.is_floating() && to.size_bytes() == 2;
    if (from.dtype == to && !narrow) return from;
    const auto* bytes = from.kind == Argument::Kind::scalar ? from.value : static_cast<const std::byte*>(from.data);
    Argument result;
    result.dtype = to;
    if ((from.kind != Argument::Kind::scalar && from.kind != Argument::Kind::structure) || from.dtype.empty() ||
        !convert(to, result, from.dtype, bytes)) {
        std::string value;
        if (from.kind == Argument::Kind::scalar)
            with_real(from.dtype, bytes, [&](auto v) {
                value = text(", ", +v);
                return true;
            });
        declared.refuse(index, text("is declared ", to.name(), ", which cannot hold the value given (",
                                    from.dtype.empty() ? "of a type without a name" : from.dtype.name(), value, ")"));
    }
    return result;
}

// A call

Call::Call(const DeclaredArguments& declared, std::span<const CallArgument> arguments)
    : declared_(declared), arguments_(arguments) {
    const std::size_t expected = declared.parameters.size();
    if (arguments.size() != expected)
        declared.refuse(text("expected ", expected, expected == 1 ? " argument" : " arguments", ", got ",
                             arguments.size(), ": ", declared.text()));
    for (std::size_t i = 0; i < expected; ++i) check_argument(i, arguments[i]);
    check_shapes();
    check_aliasing();
}

void Call::check_argument(std::size_t i, const CallArgument& argument) {
    const Parameter& p = declared_.parameters[i];
    const ArrayUse& use = declared_.uses[i];
    Array& a = arrays_[i];
    a = {};
    if (!p.is_pointer) {
        if (argument.array || argument.value.kind == Argument::Kind::memory)
            declared_.refuse(i, text("is declared '", p.text(), "', a value, but got an array"));
        if (!p.dtype.empty()) return;
        if (argument.value.dtype.empty())
            declared_.refuse(i, "is a struct without a GEMEL_STRUCT, which would tell its type");
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
    if (array.empty()) declared_.refuse(i, "is an empty handle, without an array");
    const DType& dtype = array.dtype();
    if (p.dtype.empty() ? !is_open_type(p) && dtype.name() != p.type : !(dtype == p.dtype))
        declared_.refuse(i, text("is declared '", p.text(), "', but got an array of ", dtype.name(),
                                 "; astype() converts, or leave the type open (T)"));
    a.array = &array;
    a.access = Access::pointer;
    a.is_element = use.element;
    a.offset_bytes = array.buffer().offset_bytes() + array.offset_bytes();
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
    if (array.rank() > most_call_axes)
        declared_.refuse(i, text("has ", array.rank(), " axes; at most ", most_call_axes, " are possible"));
    // Elements of one place in memory cannot be written by several threads.
    if (use.element_written && array.size() > 0)
        for (std::size_t axis = 0; axis < array.rank(); ++axis)
            if (array.strides()[axis] == 0 && array.shape()[axis] > 1)
                declared_.refuse(i, text("is written, but is a broadcast array: axis ", axis, " of shape ",
                                         to_string(array.shape()), " has the stride 0; copy() makes a whole one"));
}

void Call::check_shapes() {
    if (!shape_) shape_ = &leading_->shape();
    count_ = leading_->size();
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Array& a = arrays_[i];
        if (!a.array) continue;
        const AnyArray& array = *a.array;
        if (!a.is_element) {
            // Reached by other subscripts only: where it has gaps, subscripts are found through its layout.
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
                declared_.refuse(i, text("has ", array.size(), " elements, shape ", to_string(array.shape()), ", but ",
                                         leading_name(), " has ", count_, ", shape ", to_string(*shape_)));
            if (!contiguous || !leading_->is_contiguous())
                declared_.refuse(i, text("has the shape ", to_string(array.shape()), ", but ", leading_name(), " has ",
                                         to_string(*shape_), "; arrays of different shapes must be contiguous"));
        }
        all_contiguous_ &= contiguous;
    }
}

const std::string& Call::leading_name() const {
    std::size_t i = 0;
    while (arrays_[i].array != leading_) ++i;
    return declared_.parameters[i].name;
}

namespace {

/// The bytes that an array's elements lie between, from the start of the allocation.
std::pair<std::int64_t, std::int64_t> reach(const AnyArray& array, std::size_t offset_bytes) {
    std::int64_t low = 0, high = 0;
    for (std::size_t axis = 0; axis < array.rank(); ++axis) {
        const std::int64_t step = array.strides()[axis] * (array.shape()[axis] - 1);
        (step < 0 ? low : high) += step;
    }
    const auto item = static_cast<std::int64_t>(array.dtype().size_bytes()),
               first = static_cast<std::int64_t>(offset_bytes);
    return {first + low * item, first + (high + 1) * item};
}

/// Whether interleaved elements never meet, as in x[::2] and x[1::2].
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

void Call::check_aliasing() const {
    for (std::size_t w = 0; w < arguments_.size(); ++w) {
        if (!arrays_[w].array || !declared_.uses[w].element_written) continue;
        const AnyArray& written = *arrays_[w].array;
        for (std::size_t r = 0; r < arguments_.size(); ++r) {
            if (r == w || !arrays_[r].array || arrays_[r].array->buffer().block() != written.buffer().block()) continue;
            const AnyArray& read = *arrays_[r].array;
            if (read.size() == 0 || written.size() == 0) continue;
            const ArrayUse& use = declared_.uses[r];
            const bool same = arrays_[r].offset_bytes == arrays_[w].offset_bytes && read.shape() == written.shape() &&
                              read.strides() == written.strides() &&
                              read.dtype().size_bytes() == written.dtype().size_bytes();
            // Another array's own element is read before it is written, by the same thread.
            if (same && !use.elsewhere && !use.bare) continue;
            const auto [read_low, read_high] = reach(read, arrays_[r].offset_bytes);
            const auto [low, high] = reach(written, arrays_[w].offset_bytes);
            if (read_high <= low || high <= read_low ||
                interleaved(written, arrays_[w].offset_bytes, read, arrays_[r].offset_bytes))
                continue;
            declared_.refuse(
                w, text("is written and shares memory with argument ", r + 1, " (", declared_.parameters[r].name,
                        ") element by different element, so that the result would depend on the order of "
                        "threads; pass a copy() of one of them"));
        }
    }
}

/// Axes are dropped and merged as far as all arrays allow; where the order does not matter they are sorted first.
void Call::collapse() {
    const std::size_t rank = shape_->rank();
    std::array<std::size_t, most_call_axes> axes;
    std::size_t used = 0;
    for (std::size_t axis = 0; axis < rank; ++axis)
        if ((*shape_)[axis] != 1) axes[used++] = axis;
    if (declared_.order_free && used > 1) {
        // By the steps of the arrays, the first that tells two axes apart deciding.
        const auto goes_before = [&](std::size_t a, std::size_t b) {
            for (std::size_t i = 0; i < arguments_.size(); ++i) {
                if (!arrays_[i].is_element || !(arrays_[i].array->shape() == *shape_)) continue;
                const auto step = [&](std::size_t axis) { return std::abs(arrays_[i].array->strides()[axis]); };
                if (step(a) != step(b)) return step(a) > step(b);
            }
            return false;
        };
        // By insertion: std::stable_sort takes memory from the heap.
        for (std::size_t k = 1; k < used; ++k)
            for (std::size_t at = k; at > 0 && goes_before(axes[at], axes[at - 1]); --at)
                std::swap(axes[at], axes[at - 1]);
    }
    rank_ = 0;
    std::array<std::size_t, most_call_axes> last;  // of the axes merged into one, the fastest
    for (std::size_t k = 0; k < used; ++k) {
        const std::int64_t extent = (*shape_)[axes[k]];
        bool merges = rank_ > 0;
        for (std::size_t i = 0; merges && i < arguments_.size(); ++i) {
            if (!arrays_[i].is_element || !(arrays_[i].array->shape() == *shape_)) continue;
            const Strides& s = arrays_[i].array->strides();
            merges = s[last[rank_ - 1]] == s[axes[k]] * extent;
        }
        if (merges) {
            extents_[rank_ - 1] *= extent;
            last[rank_ - 1] = axes[k];
        } else {
            extents_[rank_] = extent;
            last[rank_++] = axes[k];
        }
    }
    if (rank_ == 0) extents_[rank_++] = 1, last[0] = 0;
    strides_.clear();
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Array& a = arrays_[i];
        if (!a.is_element) continue;
        bool linear = true;
        std::int64_t step = 1;
        const std::size_t begin = strides_.size();
        strides_.resize(begin + static_cast<std::size_t>(rank_));
        for (int axis = rank_ - 1; axis >= 0; --axis) {
            const bool own = a.array->shape() == *shape_ && rank > 0;
            const std::int64_t stride = own ? a.array->strides()[last[axis]] : step;
            strides_[begin + static_cast<std::size_t>(axis)] = stride;
            linear &= stride == step || extents_[axis] == 1;
            step *= extents_[axis];
        }
        a.access = linear ? Access::linear : Access::strided;
        if (linear) strides_.resize(begin);
    }
    layout_values_.clear();
    if (strides_.empty()) {
        rank_ = 0;
        return;
    }
    layout_values_.assign(extents_.begin(), extents_.begin() + rank_);
    layout_values_.insert(layout_values_.end(), strides_.begin(), strides_.end());
}

/// Axes of one group, those of extent 1 left out, neighbours merged where all arrays (and the flat index) allow.
void Call::collapse_group(std::span<const std::size_t> axes, std::pmr::vector<Axis>& merged) const {
    const auto merges = [&](std::size_t slow, std::size_t fast) {
        const std::int64_t extent = (*shape_)[fast];
        for (std::size_t i = 0; i < arguments_.size(); ++i)
            if (arrays_[i].is_element &&
                arrays_[i].array->strides()[slow] != arrays_[i].array->strides()[fast] * extent)
                return false;
        return index_strides_.empty() || index_strides_[slow] == index_strides_[fast] * extent;
    };
    for (const std::size_t axis : axes) {
        if ((*shape_)[axis] == 1) continue;
        if (!merged.empty() && merges(merged.back().axis, axis)) {
            merged.back() = {axis, merged.back().extent * (*shape_)[axis]};
        } else {
            merged.push_back({axis, (*shape_)[axis]});
        }
    }
    if (merged.empty()) merged.push_back({most_call_axes, 1});
}

bool Call::choose_reduction_layout(std::span<const bool> reduced, bool linear_addresses) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (!arrays_[i].array) continue;
        if (arrays_[i].is_element && !(arrays_[i].array->shape() == *shape_))
            declared_.refuse(i, text("has the shape ", to_string(arrays_[i].array->shape()), ", which differs from ",
                                     to_string(*shape_), "; over axes all arrays must have one shape"));
        if (declared_.uses[i].elsewhere && !arrays_[i].array->is_contiguous())
            declared_.refuse(
                i, "has gaps between its elements, and the snippet touches it otherwise than as [i]; pass .copy()");
    }
    sliced_ = packed_ = false;
    lanes_ = 1;
    head_ = 0;
    std::array<std::size_t, most_call_axes> groups[2];
    std::size_t counts[2] = {0, 0};
    for (std::size_t axis = 0; axis < shape_->rank(); ++axis) {
        const int group = reduced[axis] ? 0 : 1;
        groups[group][counts[group]++] = axis;
    }
    if (!declared_.order_free) index_strides_ = contiguous_strides(*shape_);
    std::pmr::vector<Axis> inner{&resource_}, outer{&resource_};
    collapse_group({groups[0].data(), counts[0]}, inner);
    collapse_group({groups[1].data(), counts[1]}, outer);
    rank_ = static_cast<int>(inner.size());
    kept_rank_ = static_cast<int>(outer.size());
    layout_values_.clear();
    for (const Axis& axis : inner) layout_values_.push_back(axis.extent);
    for (const Axis& axis : outer) layout_values_.push_back(axis.extent);
    wide_ = count_ >= (std::size_t{1} << 31) - (std::size_t{1} << 20);
    std::int64_t least_inner = INT64_MAX, least_outer = INT64_MAX;
    const auto add = [&](const auto& strides) {
        for (const Axis& axis : inner) layout_values_.push_back(axis.axis == most_call_axes ? 0 : strides[axis.axis]);
        for (const Axis& axis : outer) layout_values_.push_back(axis.axis == most_call_axes ? 0 : strides[axis.axis]);
    };
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Array& a = arrays_[i];
        if (!a.array) continue;
        a.offset = !linear_addresses && a.offset_bytes != 0;
        if (!a.is_element) continue;
        a.access = Access::strided;
        const Strides& strides = a.array->strides();
        add(strides);
        for (const Axis& axis : inner)
            if (axis.extent > 1) least_inner = std::min(least_inner, std::abs(strides[axis.axis]));
        for (const Axis& axis : outer)
            if (axis.extent > 1) least_outer = std::min(least_outer, std::abs(strides[axis.axis]));
        const auto [low, high] = reach(*a.array, 0);
        wide_ |= (high - low) / static_cast<std::int64_t>(a.array->dtype().size_bytes()) >= std::int64_t{1} << 31;
    }
    if (!index_strides_.empty()) add(index_strides_);
    return least_outer < least_inner;
}

void Call::choose_layout(const codegen::Tuning& tuning, bool sliced, bool linear_addresses, std::size_t count) {
    sliced_ = sliced;
    wide_ = count_ >= (std::size_t{1} << 31) - (std::size_t{1} << 20);
    if (all_contiguous_) {
        for (std::size_t i = 0; i < arguments_.size(); ++i)
            if (arrays_[i].is_element) arrays_[i].access = Access::linear;
    } else {
        collapse();
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Array& a = arrays_[i];
        if (!a.array) continue;
        a.offset = !linear_addresses && a.offset_bytes != 0;
        if (!wide_ && (a.access == Access::strided || declared_.uses[i].elsewhere)) {
            const auto [low, high] = reach(*a.array, 0);
            wide_ = (high - low) / static_cast<std::int64_t>(a.array->dtype().size_bytes()) >= std::int64_t{1} << 31;
        }
    }
    packed_ = false;
    lanes_ = 1;
    head_ = 0;
    if (tuning.access_bytes < 2 || rank_ > 0 || sliced) return;
    // Wide accesses, where elements are numbers that nobody takes the address of.
    std::array<bool, most_call_arguments> packs;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        packs[i] = arrays_[i].access == Access::linear && !declared_.uses[i].element_address;
        if (!packs[i]) continue;
        const DType d = arrays_[i].array->dtype();
        packs[i] =
            d.kind() != DType::Kind::structure && d.size_bytes() <= 16 && (d.size_bytes() & (d.size_bytes() - 1)) == 0;
    }
    const auto address = [&](std::size_t i) {
        const Array& a = arrays_[i];
        return linear_addresses ? a.array->buffer().native_handle() + a.offset_bytes : a.offset_bytes;
    };
    const auto item_bytes = [&](std::size_t i) { return std::size_t{arrays_[i].array->dtype().size_bytes()}; };
    // The length of a pack follows from the arrays that are moved in packs, and the alignment that these need from the
    // length: those that do not have it are left out, until all that remain have.
    for (bool settled = false; !settled;) {
        std::size_t largest = 0, smallest = 16;
        // The first array that is written, else the first, decides how many elements come before the packs.
        std::size_t deciding = most_call_arguments;
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            if (!packs[i]) continue;
            largest = std::max(largest, item_bytes(i));
            smallest = std::min(smallest, item_bytes(i));
            if (deciding == most_call_arguments ||
                (declared_.uses[i].element_written && !declared_.uses[deciding].element_written))
                deciding = i;
        }
        head_ = 0;
        lanes_ = 1;
        if (largest == 0) return;
        const std::size_t access = tuning.access_bytes;
        const std::size_t lanes =
            std::max({std::size_t{1}, access / largest, std::min<std::size_t>(4, access) / smallest});
        const auto alignment = [&](std::size_t i) { return std::min<std::size_t>(16, lanes * item_bytes(i)); };
        const std::size_t past = address(deciding) % alignment(deciding);
        if (past % item_bytes(deciding) != 0) return;
        lanes_ = static_cast<int>(lanes);
        head_ = past ? std::min((alignment(deciding) - past) / item_bytes(deciding), count) : 0;
        settled = true;
        for (std::size_t i = 0; i < arguments_.size(); ++i)
            if (packs[i] && (address(i) + head_ * item_bytes(i)) % alignment(i) != 0) packs[i] = settled = false;
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (packs[i]) arrays_[i].access = Access::packed;
    packed_ = true;
}

codegen::KernelLayout Call::layout() const {
    codegen::KernelLayout layout;
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        layout.arguments.push_back(
            {arrays_[i].array ? arrays_[i].access : Access::none, arrays_[i].array && arrays_[i].offset});
    layout.rank = rank_;
    layout.wide_index = wide_;
    layout.sliced = sliced_;
    return layout;
}

/// What an argument's open type stands for: what the arrays say, a value's own type if there are none.
DType Call::open_dtype(std::size_t i) const {
    if (arrays_[i].array) return arrays_[i].array->dtype();
    for (std::size_t k = 0; k < arguments_.size(); ++k)
        if (arrays_[k].array && declared_.parameters[k].type == declared_.parameters[i].type)
            return arrays_[k].array->dtype();
    return arguments_[i].value.dtype;
}

std::vector<Parameter> Call::parameters() const {
    std::vector<std::pair<std::string, DType>> types;
    // Arrays first: a value says what a type stands for only where no array does.
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
                declared_.refuse(i, text("makes ", p.type, " stand for ", dtype.name(),
                                         ", but an argument before it for ", known->second.name()));
            }
        }
    return bind_types(declared_, types);
}

void Call::add_to(CallKey& key) const {
    key.add(static_cast<std::uint64_t>(kept_rank_));
    std::uint64_t word = static_cast<std::uint64_t>(rank_) | (wide_ ? 64u : 0u) | (sliced_ ? 128u : 0u) |
                         static_cast<std::uint64_t>(lanes_) << 8;
    int shift = 16;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (!arrays_[i].array) continue;
        if (shift > 60) key.add(word), word = 0, shift = 0;
        word |= (static_cast<std::uint64_t>(arrays_[i].access) | (arrays_[i].offset ? 8u : 0u)) << shift;
        shift += 4;
    }
    key.add(word);
    if (!declared_.has_open_types) return;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (!declared_.parameters[i].dtype.empty()) continue;
        const DType dtype = open_dtype(i);
        key.add(static_cast<std::uint64_t>(dtype.kind()) | std::uint64_t{dtype.lanes()} << 8 |
                std::uint64_t{dtype.size_bytes()} << 16);
        key.add(reinterpret_cast<std::uintptr_t>(dtype.layout()));
    }
}

Argument Call::index(std::int64_t value) const {
    return wide_ ? as_argument(value) : as_argument(static_cast<std::int32_t>(value));
}

void Call::pack(ArgumentList& into) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        const Array& a = arrays_[i];
        if (!a.array) {
            const Parameter& p = declared_.parameters[i];
            const DType to = p.dtype.empty() ? open_dtype(i) : p.dtype;
            into.add(convert_value(declared_, i, to, arguments_[i].value));
            continue;
        }
        Argument out;
        out.kind = Argument::Kind::memory;
        out.block = a.array->buffer().block().get();
        out.offset_bytes = a.offset ? 0 : a.offset_bytes;
        out.bytes = a.array->size_bytes();
        into.add(out);
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (arrays_[i].array && arrays_[i].offset)
            into.add(as_argument(static_cast<std::int64_t>(arrays_[i].offset_bytes)));
    if (rank_ == 0) return;
    const std::size_t item = wide_ ? 8 : 4;
    layout_bytes_.resize(layout_values_.size() * item);
    std::byte* at = layout_bytes_.data();
    for (const std::int64_t value : layout_values_) {
        const auto narrow = static_cast<std::int32_t>(value);
        std::memcpy(at, wide_ ? static_cast<const void*>(&value) : &narrow, item);
        at += item;
    }
    Argument out;
    out.kind = Argument::Kind::structure;
    out.data = layout_bytes_.data();
    out.bytes = layout_bytes_.size();
    into.add(out);
}

}  // namespace gemel
