/// Element types of arrays and scalars, on the host and in kernel text.
#pragma once

#include <gemel/core/export.hpp>
#include <gemel/core/half.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace gemel {

struct StructLayout;

/// A value type, known at run time. Cheap to copy; two are equal if they describe the same type.
class DType {
   public:
    enum class Kind : std::uint8_t {
        none,
        boolean,
        signed_integer,
        unsigned_integer,
        floating,
        bfloat,
        complex,
        structure
    };

    constexpr DType() = default;
    constexpr DType(Kind kind, std::uint32_t size_bytes, std::uint8_t lanes = 1)
        : kind_(kind), lanes_(lanes), size_bytes_(size_bytes) {}
    /// A struct type; `layout` must outlive every use (reflection keeps it for the life of the process).
    constexpr DType(const StructLayout* layout, std::uint32_t size_bytes)
        : kind_(Kind::structure), size_bytes_(size_bytes), layout_(layout) {}

    constexpr Kind kind() const { return kind_; }
    /// Bytes of one value, all lanes and padding included.
    constexpr std::uint32_t size_bytes() const { return size_bytes_; }
    /// 1 for scalars; 2, 3, 4, 8 or 16 for vector types.
    constexpr std::uint8_t lanes() const { return lanes_; }
    /// Lanes including padding: 4 for a vector of three.
    constexpr std::uint8_t lane_places() const { return lanes_ == 3 ? 4 : lanes_; }
    /// The type of one lane; for a scalar the type itself.
    constexpr DType lane() const { return lanes_ == 1 ? *this : DType(kind_, size_bytes_ / lane_places()); }
    /// Fields of a struct type, else null.
    constexpr const StructLayout* layout() const { return layout_; }
    constexpr bool empty() const { return kind_ == Kind::none; }
    constexpr bool is_integer() const { return kind_ == Kind::signed_integer || kind_ == Kind::unsigned_integer; }
    constexpr bool is_floating() const { return kind_ == Kind::floating || kind_ == Kind::bfloat; }
    /// half or bfloat16: stored in 16 bits, computed in float.
    constexpr bool is_16_bit_float() const { return is_floating() && size_bytes() == 2; }

    /// The name in portable kernel text: "float", "int32_t", "uint8_t", "cfloat", "float4", a struct's own name.
    /// bool is "bool"; as an array element it is stored as one byte.
    GEMEL_API std::string name() const;

    friend constexpr bool operator==(const DType& a, const DType& b) {
        return a.kind_ == b.kind_ && a.lanes_ == b.lanes_ && a.size_bytes_ == b.size_bytes_ && a.layout_ == b.layout_;
    }

   private:
    Kind kind_ = Kind::none;
    std::uint8_t lanes_ = 1;
    std::uint32_t size_bytes_ = 0;
    const StructLayout* layout_ = nullptr;
};

/// One member of a struct type. Offsets and sizes in bytes; `count` > 1 for a fixed array.
struct StructField {
    std::string name;
    DType dtype;
    std::size_t offset_bytes = 0;
    std::size_t count = 1;
};

/// The memory layout of a C++ aggregate, equal on host and device.
struct StructLayout {
    std::string name;
    std::size_t size_bytes = 0;
    std::size_t alignment_bytes = 1;
    std::vector<StructField> fields;
};

/// Maps a C++ type to its DType; specialise it to add a type.
template <class T>
struct DTypeOf {};

template <class T>
    requires std::is_integral_v<T>
struct DTypeOf<T> {
    static constexpr DType value{std::is_same_v<T, bool> ? DType::Kind::boolean
                                 : std::is_signed_v<T>   ? DType::Kind::signed_integer
                                                         : DType::Kind::unsigned_integer,
                                 sizeof(T)};
};
template <>
struct DTypeOf<float> {
    static constexpr DType value{DType::Kind::floating, 4};
};
template <>
struct DTypeOf<double> {
    static constexpr DType value{DType::Kind::floating, 8};
};
template <>
struct DTypeOf<half> {
    static constexpr DType value{DType::Kind::floating, 2};
};
template <>
struct DTypeOf<bfloat16> {
    static constexpr DType value{DType::Kind::bfloat, 2};
};
template <>
struct DTypeOf<std::complex<float>> {
    static constexpr DType value{DType::Kind::complex, 8};
};
template <>
struct DTypeOf<std::complex<double>> {
    static constexpr DType value{DType::Kind::complex, 16};
};

/// C++ types that have a DType.
template <class T>
concept HasDType = requires {
    { DTypeOf<std::remove_cv_t<T>>::value } -> std::convertible_to<DType>;
};

/// False for void. Other types that cannot be elements fail to compile.
template <class T>
consteval bool check_element() {
    constexpr bool is_known = HasDType<T>;
    static_assert(is_known || !std::is_class_v<T>,
                  "this class is not an element type: name a struct's fields with GEMEL_STRUCT(...), in its own "
                  "namespace and before its first use");
    static_assert(is_known || !std::is_enum_v<T>, "an enumeration is not an element type: use its underlying type");
    static_assert(is_known || !std::is_pointer_v<T>, "a pointer is not an element type: use an index");
    static_assert(is_known || !std::is_same_v<T, long double>, "no device has long double: use double");
    return is_known || std::is_class_v<T> || std::is_enum_v<T> || std::is_pointer_v<T> ||
           std::is_same_v<T, long double>;
}

/// HasDType for functions that accept no other class: the compiler prints one reason instead of a list of candidates.
template <class T>
concept ElementType = check_element<std::remove_cv_t<T>>();

/// The DType of a C++ type, e.g. `dtype_of<float>()`.
template <ElementType T>
constexpr DType dtype_of() {
    if constexpr (HasDType<T>) {
        return DTypeOf<std::remove_cv_t<T>>::value;
    } else {
        return {};  // refused already: one message is enough
    }
}

using cfloat = std::complex<float>;
using cdouble = std::complex<double>;

}  // namespace gemel
