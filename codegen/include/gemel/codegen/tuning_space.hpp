/// The search space of a tuning: parameters, their values, and the points that satisfy all constraints.
#pragma once

#include <gemel/codegen/value.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gemel::tune {

/// A parameter and its values, ascending if they are ordered: searches try neighbours first.
struct Parameter {
    std::string name;
    std::vector<codegen::Value> values;
};

/// A value of each parameter.
class GEMEL_API Point {
   public:
    using Values = std::vector<std::pair<std::string, codegen::Value>>;

    Point() = default;
    explicit Point(Values values) : values_(std::move(values)) {}

    /// An integer value; 0 or 1 for a bool. @throws ArgumentError if there is no such parameter, or its value is of
    /// another kind
    std::int64_t operator[](std::string_view name) const;
    /// A value of any kind. @throws ArgumentError if there is no such parameter
    const codegen::Value& value(std::string_view name) const;
    const Values& values() const { return values_; }
    bool empty() const { return values_.empty(); }
    friend bool operator==(const Point& a, const Point& b) { return a.equals(b); }

   private:
    bool equals(const Point& other) const;
    Values values_;
};

/// "block_size=64 per_thread=4"
GEMEL_API std::string to_string(const Point& point);

/// The points that satisfy all constraints, numbered from 0 in lexicographic order: the last parameter varies fastest.
class GEMEL_API Space {
   public:
    static constexpr std::size_t max_points = std::size_t{1} << 20;

    /// @param constraints  template expressions (docs/templates.md) of parameters and `facts`, such as
    ///                     "block * items <= 2048", "block % 32 == 0 or kind == 'serial'"
    /// @throws ArgumentError for names that are invalid or occur twice, parameters without values or with equal values,
    ///         constraints that cannot be evaluated, spaces with too many points, and if no point satisfies all
    ///         constraints
    explicit Space(std::vector<Parameter> parameters, const std::vector<std::string>& constraints = {},
                   const codegen::Values& facts = {});

    /// The number of points.
    std::size_t size() const { return ranks_.size(); }
    const std::vector<Parameter>& parameters() const { return parameters_; }
    const std::vector<std::string>& constraints() const { return constraints_; }
    /// The values that constraints use besides parameters.
    const codegen::Values& facts() const { return facts_; }
    Point point(std::size_t index) const;
    /// The index of each parameter's value in Parameter::values.
    std::vector<std::uint32_t> choices(std::size_t index) const;
    /// The number of a point, if it belongs to the space.
    std::optional<std::size_t> find(const Point& point) const;
    std::optional<std::size_t> find(std::span<const std::uint32_t> choices) const;
    /// The number of the nearest point. Parameters that `point` lacks are ignored.
    std::size_t nearest(const Point& point) const;
    /// The distance of two values of a parameter, from 0 to 1. Strings have distance 0 or 1.
    double distance(std::size_t parameter, std::uint32_t a, std::uint32_t b) const;

   private:
    std::uint64_t rank(std::span<const std::uint32_t> choices) const;

    std::vector<Parameter> parameters_;
    std::vector<std::string> constraints_;
    codegen::Values facts_;
    std::vector<bool> is_ordered_;
    std::vector<std::uint64_t> ranks_;  ///< of the valid points, ascending
};

/// The properties of a device for constraints and templates: `device.max_threads_per_block`, `device.type == 'gpu'`,
/// `device.has_double`. The names are those of DeviceInfo. Properties that the driver does not report are missing.
GEMEL_API codegen::Values device_facts(const DeviceInfo& device);

}  // namespace gemel::tune
