/// Shapes and strides: small vectors of 64-bit integers.
#pragma once

#include <gemel/core/export.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gemel {

/// Integer types except bool.
template <class I>
concept IntegerType = std::integral<I> && !std::same_as<I, bool>;

/// A parameter that takes an integer of any type: an axis, an offset, a count. Floating-point numbers, which would lose
/// their fraction, and bools do not compile.
class Integer {
   public:
    template <IntegerType I>
    constexpr Integer(I value) : value_(static_cast<std::int64_t>(value)) {
        if (std::cmp_greater(value, INT64_MAX)) refuse(static_cast<std::uint64_t>(value));
    }
    template <class V>
        requires(std::is_arithmetic_v<V> && !IntegerType<V>)
    Integer(V) = delete;  // expected an integer
    constexpr operator std::int64_t() const { return value_; }

   private:
    [[noreturn]] GEMEL_API static void refuse(std::uint64_t value);
    std::int64_t value_;
};

/// A list of integers, one per axis. Up to 8 are stored in the object itself; more take an allocation.
class GEMEL_API AxisVector {
   public:
    AxisVector() = default;
    explicit AxisVector(std::span<const std::int64_t> values) { assign(values); }
    AxisVector(const AxisVector& other) { assign(other.span()); }
    AxisVector(AxisVector&& other) noexcept
        : few_(other.few_), many_(std::move(other.many_)), size_(std::exchange(other.size_, 0)) {}
    AxisVector& operator=(const AxisVector& other) {
        if (this != &other) assign(other.span());
        return *this;
    }
    AxisVector& operator=(AxisVector&& other) noexcept {
        few_ = other.few_;
        many_ = std::move(other.many_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::int64_t* data() { return size_ <= inline_size ? few_.data() : many_.data(); }
    const std::int64_t* data() const { return size_ <= inline_size ? few_.data() : many_.data(); }
    std::int64_t& operator[](std::size_t axis) { return data()[axis]; }
    std::int64_t operator[](std::size_t axis) const { return data()[axis]; }
    std::int64_t back() const { return data()[size_ - 1]; }
    std::int64_t* begin() { return data(); }
    std::int64_t* end() { return data() + size_; }
    const std::int64_t* begin() const { return data(); }
    const std::int64_t* end() const { return data() + size_; }
    std::span<const std::int64_t> span() const { return {data(), size_}; }

    void push_back(std::int64_t value) { insert(size_, value); }
    void insert(std::size_t axis, std::int64_t value);
    void erase(std::size_t axis);
    void resize(std::size_t size, std::int64_t value = 0);

    friend bool operator==(const AxisVector& a, const AxisVector& b) {
        if (a.size_ != b.size_) return false;
        for (std::size_t i = 0; i < a.size_; ++i)
            if (a[i] != b[i]) return false;
        return true;
    }

   protected:
    void assign(std::span<const std::int64_t> values);
    static std::int64_t checked(std::unsigned_integral auto value) {
        if (std::cmp_greater(value, INT64_MAX)) refuse_large(value);
        return static_cast<std::int64_t>(value);
    }
    static std::int64_t checked(std::signed_integral auto value) { return value; }

   private:
    [[noreturn]] static void refuse_large(std::uint64_t value);
    static constexpr std::size_t inline_size = 8;
    std::array<std::int64_t, inline_size> few_{};
    std::vector<std::int64_t> many_;
    std::size_t size_ = 0;
};

/// The extents of an array, slowest axis first: `Shape{3, 4}` has 3 rows of 4. `Shape{}` is that of a single value.
/// Takes any integers; some functions accept one extent of -1, which is computed from the number of elements.
class GEMEL_API Shape : public AxisVector {
   public:
    Shape() = default;
    template <IntegerType... I>
        requires(sizeof...(I) > 0)
    Shape(I... extents) : AxisVector(std::array<std::int64_t, sizeof...(I)>{checked(extents)...}) {}
    explicit Shape(std::span<const std::int64_t> extents) : AxisVector(extents) {}

    std::size_t rank() const { return size(); }
    /// The number of elements, 1 for rank 0. @throws ArgumentError if an extent is negative or the product too large
    std::size_t count() const;
};

/// Steps from element to element along each axis, in elements; negative and zero are legal.
class GEMEL_API Strides : public AxisVector {
   public:
    Strides() = default;
    template <IntegerType... I>
        requires(sizeof...(I) > 0)
    Strides(I... strides) : AxisVector(std::array<std::int64_t, sizeof...(I)>{checked(strides)...}) {}
    explicit Strides(std::span<const std::int64_t> strides) : AxisVector(strides) {}
};

/// A list of axes; negative values count from the last.
class GEMEL_API Axes : public AxisVector {
   public:
    Axes() = default;
    template <IntegerType... I>
        requires(sizeof...(I) > 0)
    Axes(I... axes) : AxisVector(std::array<std::int64_t, sizeof...(I)>{checked(axes)...}) {}
    explicit Axes(std::span<const std::int64_t> axes) : AxisVector(axes) {}
};

/// Memory order of a new array: C, last axis fastest; F, first axis fastest.
enum class Order : std::uint8_t { C, F };

/// The strides of an array without gaps.
GEMEL_API Strides contiguous_strides(const Shape& shape, Order order = Order::C);
/// Whether the elements lie without gaps in that order. Extents of 1 and empty arrays do not matter, as in NumPy.
GEMEL_API bool is_contiguous(const Shape& shape, const Strides& strides, Order order = Order::C);

/// "(3, 4)", "(5,)", "()"
GEMEL_API std::string to_string(const AxisVector& values);
GEMEL_API std::ostream& operator<<(std::ostream& out, const AxisVector& values);

}  // namespace gemel
