/// An array whose element type is known only at run time: what GPUArray<T> is made of.
#pragma once

#include <gemel/arrays/element.hpp>
#include <gemel/arrays/shape.hpp>
#include <gemel/arrays/slice.hpp>
#include <gemel/core/argument.hpp>
#include <gemel/core/buffer.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gemel {

struct Layout;
class AnyExpr;

/// Whether leading axes of extent 1 that the target array lacks are dropped or refused.
enum class LeadingAxes : std::uint8_t { refused, dropped };

/// Elements of one type in device memory, laid out by shape and strides. A handle: copies share the memory.
/// Functions that write elements are const, because they do not change the handle.
class GEMEL_API AnyArray {
   public:
    AnyArray() = default;
    /// An array over existing memory.
    /// @param offset_bytes  of the element at index (0, ..., 0), from the start of `buffer`
    /// @param strides       in elements
    /// @throws ArgumentError if an element would lie outside the buffer, or misaligned
    AnyArray(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset_bytes = 0);
    /// A new, uninitialised array. @throws OutOfMemory, ArgumentError for a negative extent
    AnyArray(const Context& context, DType dtype, Shape shape, Order order = Order::C);
    AnyArray(const AnyArray&) = default;
    AnyArray(AnyArray&& other) noexcept
        : buffer_(std::move(other.buffer_)),
          dtype_(other.dtype_),
          shape_(std::move(other.shape_)),
          strides_(std::move(other.strides_)),
          offset_bytes_(std::exchange(other.offset_bytes_, 0)),
          size_(std::exchange(other.size_, 0)) {}
    AnyArray& operator=(const AnyArray&) & = default;
    AnyArray& operator=(AnyArray&& other) & noexcept;

    /// True for a default-constructed or released handle. An array without elements is not empty in this sense.
    bool empty() const { return buffer_.empty(); }
    const Shape& shape() const { return shape_; }
    const Strides& strides() const { return strides_; }
    std::size_t rank() const { return shape_.rank(); }
    /// The number of elements.
    std::size_t size() const { return size_; }
    /// size() times the size of an element, in bytes; gaps between elements are not counted.
    std::size_t size_bytes() const { return size_ * dtype_.size_bytes(); }
    DType dtype() const { return dtype_; }
    /// @throws ArgumentError if the handle is empty
    Context context() const { return buffer_.context(); }
    const Buffer& buffer() const { return buffer_; }
    /// The offset of element (0, ..., 0) from the start of `buffer()`, in bytes.
    std::size_t offset_bytes() const { return offset_bytes_; }
    bool is_contiguous(Order order = Order::C) const { return gemel::is_contiguous(shape_, strides_, order); }
    /// True if several indices refer to one element, as after broadcast_to(); such an array can only be read. Exact for
    /// up to two axes; with more, interlocking strides given by hand may be missed.
    bool repeats() const;

    // Views. They share the memory: writing through one shows in all. Nothing is launched.

    /// A view: `a(1, slice({}, {}, -1), ellipsis, newaxis)` is Python's `a[1, ::-1, ..., None]`. An integer removes its
    /// axis; axes without an index stay as they are. @throws ArgumentError for an integer out of range and for too many
    /// indices
    template <IndexLike... I>
    AnyArray operator()(const I&... indices) const {
        const std::array<Index, sizeof...(I)> packed{Index(indices)...};
        return view(packed);
    }
    AnyArray view(std::span<const Index> indices) const;
    /// The same elements in another shape; one extent may be -1. A view if strides can describe it, else a copy (check
    /// with is_view_of()). @param order  in which elements are counted in both shapes
    /// @throws ArgumentError if the numbers of elements differ
    AnyArray reshape(const Shape& shape, Order order = Order::C) const;
    /// The elements along one axis: a view of a contiguous array, else a copy.
    AnyArray ravel(Order order = Order::C) const { return reshape({-1}, order); }
    /// The axes in reverse.
    AnyArray transpose() const;
    /// The axes in this order: axis k of the result is axis `axes[k]`. @throws ArgumentError unless a permutation
    AnyArray permute(const Axes& axes) const;
    /// Without the axes of extent 1, or without these of them. @throws ArgumentError if one has another extent
    AnyArray squeeze() const;
    AnyArray squeeze(const Axes& axes) const;
    /// A read-only view: axes of extent 1 and missing leading axes are repeated, as in NumPy.
    /// @throws ArgumentError if another extent differs
    AnyArray broadcast_to(const Shape& shape) const;
    /// The elements a[i, i + offset] over two axes, as a last axis. Writable, unlike NumPy's.
    AnyArray diagonal(Integer offset = 0, Integer axis1 = 0, Integer axis2 = 1) const;
    /// The real parts of complex elements; any other array as it is.
    AnyArray real() const;
    /// The imaginary parts of complex elements; of any other array new zeros.
    AnyArray imag() const;
    /// A view of the same bytes as elements of another type. If the element sizes differ, the last axis must be
    /// contiguous, and its extent is scaled. @throws ArgumentError if the bytes are not a multiple of the new size
    AnyArray view_as(DType dtype) const;

    // Elements. Enqueued on the thread's current stream, or the context's default stream.

    /// A new array with the same elements, in the same order of axes in memory if this array has no gaps, else in C
    /// order.
    AnyArray copy() const;
    AnyArray copy(Order order) const;
    /// A new array with converted elements, also if the type is the same. Out of range or NaN to integer is undefined,
    /// as in C. @throws ArgumentError for complex to real (take real()), and where no conversion exists
    AnyArray astype(DType dtype) const;
    /// A new array with the same elements in another context, which may be of another backend. Blocks unless the
    /// contexts are the same.
    AnyArray copy_to(const Context& context) const;
    /// Writes the elements of `other`, broadcast to this shape and converted where NumPy's same_kind allows, into this
    /// array. The arrays may overlap.
    /// @throws ArgumentError if shapes or types do not fit, or the array repeats elements
    void assign(const AnyArray& other) const;
    /// The same for a lazy expression: one kernel, unless an operand overlaps this array at other positions. Leading
    /// axes of extent 1 that this array lacks are dropped, here and above, as in NumPy.
    void assign(const AnyExpr& expression) const;
    /// Sets all elements to a number, as GPUArray::fill(). @throws ArgumentError if the element type cannot hold it or
    /// is not numeric, or the array repeats elements
    template <NumberElement V>
    void fill(const V& value) const {
        fill(detail::widest(value));
    }
    void fill(const AnyNumber& value) const;
    /// Sets all elements to the value whose bytes are given. @throws ArgumentError if the array repeats elements
    void fill_bytes(const void* element) const;
    /// All elements to host memory, and from it, in C order of the indices without gaps. Blocks.
    void get_bytes(void* to) const;
    /// All elements; those of bool as bytes. Blocks. @throws ArgumentError if the elements are of another type
    template <HasDType T>
    std::vector<HostElement<T>> get() const {
        require_dtype(dtype_of<T>());
        std::vector<HostElement<T>> values(size());
        get_bytes(values.data());
        return values;
    }
    /// The element of an array of size 1. Blocks. @throws ArgumentError if the array has another number of elements or
    /// another type
    template <HasDType T>
    T item() const {
        require_dtype(dtype_of<T>());
        require_single();
        HostElement<T> value;
        get_bytes(&value);
        return static_cast<T>(value);
    }
    /// The same for any number type, as the widest type of its kind: `std::get<double>(sum(x).item())`.
    AnyNumber item() const;
    void set_bytes(const void* from) const;

    /// Blocks until no stream uses the memory any more.
    void wait() const {
        if (!buffer_.empty()) buffer_.wait();
    }
    /// As an argument of a hand-written kernel. @throws ArgumentError if the elements have gaps between them
    Argument argument() const;
    /// Whether the two may share an element. Compares byte ranges: may be true for interleaved views.
    bool may_overlap(const AnyArray& other) const;
    /// Whether the two share an allocation.
    bool is_view_of(const AnyArray& other) const;
    /// Returns the memory to the pool now. Other handles of it throw when they are used afterwards.
    void release();

   protected:
    Layout layout() const;
    AnyArray with_layout(Layout layout) const;
    // Each throws ArgumentError if the condition does not hold.
    void require_memory(const char* who) const;
    void require_writable(const char* who) const;
    void require_dtype(DType dtype) const;
    void require_count(std::size_t count, const char* who) const;
    void require_shape(const Shape& shape, const char* who) const;
    void require_single() const;

    Buffer buffer_;
    DType dtype_;
    Shape shape_;
    Strides strides_;
    std::size_t offset_bytes_ = 0;
    std::size_t size_ = 0;
};

}  // namespace gemel
