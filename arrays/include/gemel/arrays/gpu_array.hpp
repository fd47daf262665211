/// GPUArray<T>: the n-dimensional array.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/element.hpp>
#include <gemel/arrays/host_view.hpp>
#include <gemel/core/host_buffer.hpp>
#include <gemel/core/stream.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// Host ranges that set() reads from and get() writes to; elements of bool are bytes.
template <class R, class T>
concept HostRangeOf = HostRange<R> && (std::same_as<std::ranges::range_value_t<R>, HostElement<T>> ||
                                       std::same_as<std::ranges::range_value_t<R>, T>);

/// Arrays and expressions of a known type that is not T.
template <class X, class T>
concept OtherElements = requires { typename X::value_type; } && !std::same_as<typename X::value_type, T> &&
                        (std::derived_from<X, AnyArray> || requires(const X& x) { x.any(); });

/// Host ranges that set() and get() refuse: of another element type, or constant.
template <class R, class T>
concept OtherHostRange = std::ranges::range<std::remove_cvref_t<R>> &&
                         !std::derived_from<std::remove_cvref_t<R>, AnyArray> && !HostRangeOf<R, T>;

template <ElementType T>
class GPUArray;

namespace detail {
template <HasDType T, class E>
void write_expression(const GPUArray<T>& to, const E& expression, LeadingAxes leading);
}

/// An n-dimensional array on a device. A cheap handle: copies and views share the memory, which is freed with the last
/// of them. `a = b` makes `a` another handle of b's memory; fill(), assign() and set() write elements. Members without
/// a comment are documented at AnyArray.
template <ElementType T>
class GPUArray : public AnyArray {
   public:
    using value_type = T;

    GPUArray() { dtype_ = dtype_of<T>(); }
    /// A new, uninitialised array.
    GPUArray(const Context& context, Shape shape, Order order = Order::C)
        : AnyArray(context, dtype_of<T>(), std::move(shape), order) {}
    /// An array over existing memory; see AnyArray.
    GPUArray(Buffer buffer, Shape shape, Strides strides, std::size_t offset_bytes = 0)
        : AnyArray(std::move(buffer), dtype_of<T>(), std::move(shape), std::move(strides), offset_bytes) {}
    /// A typed handle of the same array, or the values of an expression. @throws ArgumentError if the elements are of
    /// another type
    template <class A>
        requires std::same_as<std::remove_cvref_t<A>, AnyArray>
    explicit GPUArray(A&& array) : AnyArray(std::forward<A>(array)) {
        require_dtype(dtype_of<T>());
    }
    template <std::same_as<AnyExpr> E>
    explicit GPUArray(const E& expression) : GPUArray(AnyArray(expression)) {}
    template <OtherElements<T> X>
    explicit GPUArray(const X&) = delete;  // of another element type: x.astype<T>(), or astype<T>(x) of an expression
    GPUArray(const GPUArray&) = default;
    GPUArray(GPUArray&&) noexcept = default;
    GPUArray& operator=(const GPUArray&) & = default;
    GPUArray& operator=(GPUArray&&) & noexcept = default;

    // Views: they share the memory.
    template <IndexLike... I>
    GPUArray operator()(const I&... indices) const {
        const std::array<Index, sizeof...(I)> packed{Index(indices)...};
        return view(packed);
    }
    GPUArray view(std::span<const Index> indices) const { return GPUArray(AnyArray::view(indices)); }
    /// A view if strides can describe the new shape, else a copy.
    GPUArray reshape(const Shape& shape, Order order = Order::C) const {
        return GPUArray(AnyArray::reshape(shape, order));
    }
    GPUArray ravel(Order order = Order::C) const { return GPUArray(AnyArray::ravel(order)); }
    GPUArray transpose() const { return GPUArray(AnyArray::transpose()); }
    GPUArray permute(const Axes& axes) const { return GPUArray(AnyArray::permute(axes)); }
    GPUArray squeeze() const { return GPUArray(AnyArray::squeeze()); }
    GPUArray squeeze(const Axes& axes) const { return GPUArray(AnyArray::squeeze(axes)); }
    GPUArray broadcast_to(const Shape& shape) const { return GPUArray(AnyArray::broadcast_to(shape)); }
    GPUArray diagonal(Integer offset = 0, Integer axis1 = 0, Integer axis2 = 1) const {
        return GPUArray(AnyArray::diagonal(offset, axis1, axis2));
    }
    GPUArray<RealOf<T>> real() const { return GPUArray<RealOf<T>>(AnyArray::real()); }
    /// A view of the imaginary parts; for real elements a new array of zeros.
    GPUArray<RealOf<T>> imag() const { return GPUArray<RealOf<T>>(AnyArray::imag()); }
    using AnyArray::view_as;
    template <ElementType U>
    GPUArray<U> view_as() const {
        return GPUArray<U>(AnyArray::view_as(dtype_of<U>()));
    }

    // Copies: new memory.
    GPUArray copy() const { return GPUArray(AnyArray::copy()); }
    GPUArray copy(Order order) const { return GPUArray(AnyArray::copy(order)); }
    using AnyArray::astype;
    template <ElementType U>
    GPUArray<U> astype() const {
        static_assert(!is_complex<T> || is_complex<U> || std::is_same_v<U, bool>,
                      "astype from complex to real would drop the imaginary parts: take real() first");
        return GPUArray<U>(AnyArray::astype(dtype_of<U>()));
    }
    GPUArray copy_to(const Context& context) const { return GPUArray(AnyArray::copy_to(context)); }

    // Writing.
    /// Sets all elements to `value`. @throws ArgumentError if T cannot hold it, or the array is a broadcast view
    /// @time enqueued, one launch or one fill
    template <ValueFor<T> V>
    void fill(const V& value) const {
        const T element = detail::element_of<T>(value, "fill");
        fill_bytes(&element);
    }
    /// Copies the elements of `other`, broadcast to this shape and converted within their kind (float to double, not to
    /// int). The arrays may overlap. @time enqueued
    template <ElementType U>
    void assign(const GPUArray<U>& other) const {
        if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
            static_assert(codegen::is_same_kind(dtype_of<U>(), dtype_of<T>()),
                          "assign: no conversion of the same kind (float to integer, signed to unsigned): use astype");
        static_assert(!is_complex<U> || is_complex<T>, "assign: complex to real: take real() first");
        AnyArray::assign(other);
    }
    /// Evaluates a lazy expression into this array by one kernel. The expression may read this array element by
    /// element; an operand that overlaps it in another way (shifted, reversed) adds a temporary array and a copy.
    template <class E>
        requires requires(const E& expression) {
            expression.eval();
            typename E::value_type;
        }
    void assign(const E& expression) const {
        detail::write_expression(*this, expression, LeadingAxes::dropped);
    }
    /// The same for an array or expression whose type is known at run time only. @throws ArgumentError if shape, kind
    /// or context do not match
    template <class A>
        requires(std::same_as<A, AnyArray> || std::same_as<A, AnyExpr>)
    void assign(const A& other) const {
        AnyArray::assign(other);
    }

    // Between host and device. Host elements are in C order of the indices, independent of the array's strides.
    /// All elements as a vector; bools as bytes. Blocks.
    std::vector<HostElement<T>> get() const {
        std::vector<HostElement<T>> values(size());
        get_bytes(values.data());
        return values;
    }
    /// Into a host range of exactly as many elements. @throws ArgumentError with both counts
    template <HostRangeOf<T> R>
        requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>)
    void get(R&& to) const {
        require_count(std::ranges::size(to), "get");
        get_bytes(std::ranges::data(to));
    }
    template <OtherHostRange<T> R>
    void get(R&&) const = delete;  // not a contiguous range of HostElement<T>: get() without arguments gives a vector
    /// Into host memory of this shape with any strides. @throws ArgumentError if the shapes differ
    void get(const HostView<HostElement<T>>& to) const {
        require_shape(to.shape(), "get");
        scatter(to.data(), to.shape(), to.strides(), get().data(), sizeof(T));
    }
    void get(const HostView<bool>& to) const
        requires std::same_as<T, bool>
    {
        require_shape(to.shape(), "get");
        scatter(to.data(), to.shape(), to.strides(), get().data(), sizeof(bool));
    }
    /// The element of an array of size 1. Blocks. @throws ArgumentError if the array has another number of elements
    T item() const {
        require_single();
        HostElement<T> value;
        get_bytes(&value);
        return static_cast<T>(value);
    }
    /// From a host range of exactly as many elements. @throws ArgumentError with both counts
    template <HostRangeOf<T> R>
    void set(const R& from) const {
        require_count(std::ranges::size(from), "set");
        set_bytes(std::ranges::data(from));
    }
    template <OtherHostRange<T> R>
    void set(const R&) const = delete;  // not a contiguous range of HostElement<T>: assign(to_gpu(range).astype<T>())
    /// From host memory of this shape. @throws ArgumentError if the shapes differ
    template <class U>
        requires(std::same_as<std::remove_const_t<U>, HostElement<T>> || std::same_as<std::remove_const_t<U>, T>)
    void set(const HostView<U>& from) const {
        require_shape(from.shape(), "set");
        std::vector<HostElement<T>> values(size());
        gather(values.data(), from.data(), from.shape(), from.strides(), sizeof(T));
        set_bytes(values.data());
    }
    /// From the elements of an mdspan. (get() accepts an mdspan through HostView.)
    template <StridedSpan M>
    void set(const M& from) const {
        set(HostView(from));
    }

    /// Enqueues a download. Call `stream.synchronize()` or `to.wait()` before reading the values.
    /// @param to  page-locked memory of size() elements @throws ArgumentError with both counts
    void get_async(const HostBuffer<HostElement<T>>& to, const Stream& stream) const {
        require_count(to.size(), "get_async");
        if (size() == 0) return;
        const StreamScope scope(stream);
        const GPUArray source = is_contiguous() ? *this : copy(Order::C);
        stream.copy(to, source.memory());
    }
    HostBuffer<HostElement<T>> get_async(const Stream& stream) const {
        HostBuffer<HostElement<T>> to(context(), size());
        get_async(to, stream);
        return to;
    }
    /// Enqueues an upload. Do not change `from` before it has finished. @throws ArgumentError with both counts
    void set_async(const HostBuffer<HostElement<T>>& from, const Stream& stream) const {
        require_count(from.size(), "set_async");
        require_writable("set_async");
        if (size() == 0) return;
        const StreamScope scope(stream);
        const GPUArray target = is_contiguous() ? *this : GPUArray(context(), shape());
        stream.copy(target.memory(), from);
        if (!is_contiguous()) assign(target);
    }

   private:
    /// The memory of a contiguous array.
    Buffer memory() const { return buffer_.view(offset_bytes_, size_bytes()); }
    template <ElementType U>
    friend class GPUArray;
};

}  // namespace gemel
