/// Values of templates: integers, floating-point numbers, strings, bools, and lists and maps of these.
#pragma once

#include <gemel/core/dtype.hpp>
#include <gemel/core/export.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gemel::codegen {

/// A value of a template. Converts from 3, 2.5, "text", true, {1, 2, 3}, a vector, a map, and a DType (as its name);
/// other types do not compile. Cheap to copy: lists and maps are shared.
class Value {
   public:
    using List = std::vector<Value>;
    using Map = std::map<std::string, Value>;

    Value() = default;
    template <std::same_as<bool> T>
    Value(T value) : data_(value) {}
    template <std::integral T>
        requires(!std::same_as<T, bool> && !std::same_as<T, char>)
    Value(T value) {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
            if (value > static_cast<std::uint64_t>(INT64_MAX)) {
                data_ = static_cast<std::uint64_t>(value);
                return;
            }
        }
        data_ = static_cast<std::int64_t>(value);
    }
    template <std::same_as<char> T>
    Value(T value) : data_(std::string(1, value)) {}
    template <std::same_as<double> T>
    Value(T value) : data_(value) {}
    /// A float becomes the shortest decimal number that reads back equal: 0.1f is 0.1, not 0.10000000149011612.
    template <std::same_as<float> T>
    Value(T value) : data_(shortest(value)) {}
    template <class T>
        requires(std::is_convertible_v<const T&, std::string_view> && !std::is_same_v<T, std::nullptr_t>)
    Value(const T& text) : data_(std::string(std::string_view(text))) {}
    Value(const DType& dtype) : data_(dtype.name()) {}
    Value(std::initializer_list<Value> list) : Value(List(list)) {}
    /// @throws ArgumentError for lists and maps nested deeper than 200 levels
    GEMEL_API Value(List list);
    GEMEL_API Value(Map map);
    /// A map over which templates iterate in this order; over a Map they iterate by name. If a name occurs twice, the
    /// first entry gives the position and the last the value.
    GEMEL_API static Value ordered_map(std::vector<std::pair<std::string, Value>> entries);
    template <class T>
        requires(!std::same_as<T, Value> && std::is_constructible_v<Value, const T&>)
    Value(const std::map<std::string, T>& map) : Value(Map(map.begin(), map.end())) {}
    /// Any other range of types that convert to Value: std::vector<int>, std::array<std::string, 3>.
    template <std::ranges::input_range R>
        requires(!std::is_convertible_v<const R&, std::string_view> && !std::is_convertible_v<const R&, Map> &&
                 !std::same_as<R, Value> && !std::same_as<R, List> &&
                 std::is_constructible_v<Value, std::ranges::range_value_t<R>>)
    Value(const R& range) : Value(list_of(range)) {}

    bool is_none() const { return std::holds_alternative<std::monostate>(data_); }
    bool is_bool() const { return std::holds_alternative<bool>(data_); }
    bool is_integer() const { return is_signed() || is_unsigned(); }
    bool is_floating() const { return std::holds_alternative<double>(data_); }
    bool is_string() const { return std::holds_alternative<std::string>(data_); }
    bool is_list() const { return std::holds_alternative<std::shared_ptr<const List>>(data_); }
    bool is_map() const { return std::holds_alternative<std::shared_ptr<const Map>>(data_); }
    /// Integers are stored as int64_t, or as uint64_t above its range.
    bool is_signed() const { return std::holds_alternative<std::int64_t>(data_); }
    bool is_unsigned() const { return std::holds_alternative<std::uint64_t>(data_); }

    bool as_bool() const { return std::get<bool>(data_); }
    std::int64_t as_signed() const { return std::get<std::int64_t>(data_); }
    std::uint64_t as_unsigned() const { return std::get<std::uint64_t>(data_); }
    double as_floating() const { return std::get<double>(data_); }
    const std::string& as_string() const { return std::get<std::string>(data_); }
    const List& as_list() const { return *std::get<std::shared_ptr<const List>>(data_); }
    const Map& as_map() const { return *std::get<std::shared_ptr<const Map>>(data_); }
    /// A map's entries in iteration order; they live as long as the map.
    GEMEL_API std::vector<const Map::value_type*> entries() const;

    /// "an integer", "a list": for messages.
    GEMEL_API std::string kind() const;
    /// The truth value for `if`: false for none, false, zero and empty strings, lists and maps.
    GEMEL_API bool truth() const;
    /// The value as kernel source: `true` and `false`; floating-point numbers in the shortest form that reads back
    /// equal, with a point or an exponent, or as INFINITY and NAN; lists as "[1, 2]". None is empty.
    GEMEL_API std::string text() const;

   private:
    GEMEL_API static double shortest(float value);
    struct Nested;  ///< a list or map with its depth
    int depth() const;

    template <class R>
    static List list_of(const R& range) {
        List list;
        for (std::ranges::range_value_t<R> element : range) list.push_back(Value(std::move(element)));
        return list;
    }

    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::shared_ptr<const List>,
                 std::shared_ptr<const Map>>
        data_;
};

/// Names and their values.
using Values = Value::Map;

}  // namespace gemel::codegen
