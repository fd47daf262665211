/// C++ aggregates as element types and kernel arguments: GEMEL_STRUCT.
///
///     struct Particle { float x, y, z; double mass; std::int32_t id; };
///     GEMEL_STRUCT(Particle, x, y, z, mass, id)
///
/// Write GEMEL_STRUCT after the struct, in its namespace. It only names the fields; types, order and padding come from
/// the type (Boost.PFR). The program does not compile if a field is missing, misspelt, out of order or named like a
/// keyword of C, OpenCL C or CUDA C++, or if a struct without a GEMEL_STRUCT is used as an element. Fields may be
/// numbers, half, bfloat16, std::complex, enumerations, std::array of these, and other structs with a GEMEL_STRUCT. In
/// kernels an array of arrays is one array in row-major order.
#pragma once

#include <gemel/codegen/identifier.hpp>
#include <gemel/codegen/struct_declaration.hpp>
#include <gemel/core/dtype.hpp>

#include <boost/pfr/core.hpp>
#include <boost/pfr/tuple_size.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gemel::codegen {

/// Selects, by argument-dependent lookup, the function that GEMEL_STRUCT defines for T.
template <class T>
struct StructTag {};

/// The fields of T in the order of GEMEL_STRUCT's list.
template <class T, class... Fields>
struct StructFields {
    const char* name;
    std::array<const char*, sizeof...(Fields)> names;
    std::array<std::size_t, sizeof...(Fields)> offsets_bytes;
};

template <class T, class Field>
struct StructFieldOf {
    const char* name;
    std::size_t offset_bytes;
};

template <class T, class Field>
constexpr StructFieldOf<T, Field> struct_field(const char* name, Field T::*, std::size_t offset_bytes) {
    return {name, offset_bytes};
}

template <class T, class... Fields>
constexpr StructFields<T, Fields...> struct_fields(const char* name, const StructFieldOf<T, Fields>&... fields) {
    return {name, {fields.name...}, {fields.offset_bytes...}};
}

template <class T>
concept ReflectedStruct = std::is_class_v<T> && requires { gemel_struct_fields(StructTag<T>{}); };

/// The element type of a field and the number of its elements: 1, or those of an array.
template <class T>
struct StructElement {
    using type = T;
    static constexpr std::size_t count = 1;
    static constexpr bool is_array = false;
};
template <class T>
    requires std::is_enum_v<T>
struct StructElement<T> : StructElement<std::underlying_type_t<T>> {};
template <class T, std::size_t n>
struct StructElement<std::array<T, n>> {
    using type = typename StructElement<T>::type;
    static constexpr std::size_t count = n * StructElement<T>::count;
    static constexpr bool is_array = true;
};

template <class Field>
consteval bool check_struct_field() {
    using Value = std::remove_cv_t<Field>;
    using Element = typename StructElement<Value>::type;
    constexpr bool is_pointer =
        std::is_pointer_v<Element> || std::is_member_pointer_v<Element> || std::is_null_pointer_v<Element>;
    constexpr bool is_known = HasDType<Element>;
    static_assert(!std::is_reference_v<Field>, "GEMEL_STRUCT: a field is a reference, which a device cannot follow");
    static_assert(!is_pointer, "GEMEL_STRUCT: a field is a pointer, which a device cannot follow; use an index");
    static_assert(!std::is_array_v<Value>, "GEMEL_STRUCT: a field is a built-in array; use std::array");
    static_assert(!std::is_same_v<Element, long double>, "GEMEL_STRUCT: no device has long double; use double");
    static_assert(!StructElement<Value>::is_array || StructElement<Value>::count > 1,
                  "GEMEL_STRUCT: a field is an array of fewer than two elements; use a plain field");
    static_assert(is_known || std::is_reference_v<Field> || is_pointer || std::is_array_v<Value> ||
                      std::is_same_v<Element, long double>,
                  "GEMEL_STRUCT: a field is of a class that has no GEMEL_STRUCT of its own");
    return is_known && !std::is_reference_v<Field> && !std::is_array_v<Value>;
}

/// Do the listed fields have the types that reflection finds, in that order?
template <class T, class... Fields, std::size_t... i>
constexpr bool has_struct_types(const StructFields<T, Fields...>&, std::index_sequence<i...>) {
    return (std::is_same_v<std::remove_cv_t<Fields>, std::remove_cv_t<boost::pfr::tuple_element_t<i, T>>> && ...);
}

/// Compares the list of fields with the type itself.
template <class T, class... Fields>
consteval bool check_struct(const StructFields<T, Fields...>& fields) {
    static_assert(std::is_aggregate_v<T>,
                  "GEMEL_STRUCT: only aggregates can be reflected (no constructors, no private members)");
    static_assert(std::is_trivially_copyable_v<T>, "GEMEL_STRUCT: the struct is not trivially copyable");
    static_assert(std::is_standard_layout_v<T>,
                  "GEMEL_STRUCT: the struct has no standard layout (virtual functions or bases)");
    if constexpr (std::is_aggregate_v<T> && (check_struct_field<Fields>() && ...)) {
        constexpr bool is_complete = boost::pfr::tuple_size_v<T> == sizeof...(Fields);
        static_assert(is_complete, "GEMEL_STRUCT: the list does not name all fields of the struct");
        if constexpr (is_complete)
            if (!has_struct_types(fields, std::index_sequence_for<Fields...>{})) return false;
        for (std::size_t i = 1; i < sizeof...(Fields); ++i)
            if (fields.offsets_bytes[i - 1] >= fields.offsets_bytes[i]) return false;
    }
    return true;
}

/// A struct's name without its namespaces.
constexpr std::string_view struct_name(std::string_view name) {
    if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
    while (name.starts_with(' ')) name.remove_prefix(1);
    return name;
}

template <class T, class... Fields>
const StructLayout& make_struct_layout(const StructFields<T, Fields...>& fields) {
    StructLayout layout{.name = std::string(struct_name(fields.name)),
                        .size_bytes = sizeof(T),
                        .alignment_bytes = alignof(T),
                        .fields = {}};
    std::size_t i = 0;
    const auto add = [&]<class Field>(std::type_identity<Field>) {
        using Element = StructElement<std::remove_cv_t<Field>>;
        layout.fields.push_back({.name = fields.names[i],
                                 .dtype = dtype_of<typename Element::type>(),
                                 .offset_bytes = fields.offsets_bytes[i],
                                 .count = Element::count});
        ++i;
    };
    (add(std::type_identity<Fields>{}), ...);
    return intern_layout(std::move(layout));
}

/// The DType of a struct. Created on first use, so that constructors of static objects may use it, too.
template <class T>
struct StructDType {
    operator DType() const {
        static const StructLayout* const layout = &make_struct_layout(gemel_struct_fields(StructTag<T>{}));
        return DType(layout, sizeof(T));
    }
};

}  // namespace gemel::codegen

namespace gemel {

template <codegen::ReflectedStruct T>
struct DTypeOf<T> {
    static constexpr codegen::StructDType<T> value{};
};

}  // namespace gemel

// GEMEL_EACH_FIELD(WITH, T, a, b, c) -> WITH(T, a) WITH(T, b) WITH(T, c), for up to 85 fields.
#define GEMEL_PARENTHESES ()
#define GEMEL_EXPAND(...) GEMEL_EXPAND_3(GEMEL_EXPAND_3(GEMEL_EXPAND_3(GEMEL_EXPAND_3(__VA_ARGS__))))
#define GEMEL_EXPAND_3(...) GEMEL_EXPAND_2(GEMEL_EXPAND_2(GEMEL_EXPAND_2(GEMEL_EXPAND_2(__VA_ARGS__))))
#define GEMEL_EXPAND_2(...) GEMEL_EXPAND_1(GEMEL_EXPAND_1(GEMEL_EXPAND_1(GEMEL_EXPAND_1(__VA_ARGS__))))
#define GEMEL_EXPAND_1(...) __VA_ARGS__
#define GEMEL_EACH_FIELD(WITH, T, ...) GEMEL_EXPAND(GEMEL_EACH_FIELD_AGAIN(WITH, T, __VA_ARGS__))
#define GEMEL_EACH_FIELD_AGAIN(WITH, T, field, ...) \
    WITH(T, field) __VA_OPT__(GEMEL_EACH_FIELD_LATER GEMEL_PARENTHESES(WITH, T, __VA_ARGS__))
#define GEMEL_EACH_FIELD_LATER() GEMEL_EACH_FIELD_AGAIN

#define GEMEL_ONE_FIELD(T, field) , ::gemel::codegen::struct_field<T>(#field, &T::field, __builtin_offsetof(T, field))
#define GEMEL_CHECK_FIELD(T, field) \
    static_assert(!::gemel::codegen::keyword_language(#field), \
                  "GEMEL_STRUCT(" #T "): '" #field \
                  "' is a keyword of C, OpenCL C or CUDA C++ and cannot be a field there: rename it"); \
    static_assert(!::std::string_view(#field).starts_with("gemel_padding_"), \
                  "GEMEL_STRUCT(" #T "): '" #field "' is called like the padding between fields: rename it");

/// Makes an aggregate an element type; see the top of this file.
#define GEMEL_STRUCT(T, ...) \
    static_assert(!::gemel::codegen::keyword_language(::gemel::codegen::struct_name(#T)), \
                  "GEMEL_STRUCT(" #T "): the struct is called as a keyword of C, OpenCL C or CUDA C++: rename it"); \
    GEMEL_EACH_FIELD(GEMEL_CHECK_FIELD, T, __VA_ARGS__) \
    [[maybe_unused]] constexpr auto gemel_struct_fields(::gemel::codegen::StructTag<T>) { \
        return ::gemel::codegen::struct_fields(#T GEMEL_EACH_FIELD(GEMEL_ONE_FIELD, T, __VA_ARGS__)); \
    } \
    static_assert(::gemel::codegen::check_struct(gemel_struct_fields(::gemel::codegen::StructTag<T>{})), \
                  "GEMEL_STRUCT(" #T "): the fields are not listed in the order of the struct"); \
    static_assert(::gemel::codegen::ReflectedStruct<T>, \
                  "GEMEL_STRUCT(" #T ") must stand in the struct's own namespace, before its type is used");
