/// What a kernel can be cut by: parameters with their values, and the points that its constraints leave.
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

/// A name and what may stand for it, in ascending order where there is one: neighbours are tried before others.
struct Parameter {
    std::string name;
    std::vector<codegen::Value> values;
};

/// A value for each parameter.
class GEMEL_API Point {
   public:
    using Values = std::vector<std::pair<std::string, codegen::Value>>;

    Point() = default;
    explicit Point(Values values) : values_(std::move(values)) {}

    /// An integer, or 0 or 1 for a truth value. @throws ArgumentError if there is no such parameter, or of another kind
    std::int64_t operator[](std::string_view name) const;
    /// Whatever it is. @throws ArgumentError if there is no such parameter
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

/// The points of a space that satisfy all constraints, numbered from 0. The numbers follow the values as digits of a
/// number, the first parameter's highest.
class GEMEL_API Space {
   public:
    static constexpr std::size_t max_points = std::size_t{1} << 20;

    /// @param constraints  expressions of templates (docs/templates.md) over parameters and `facts`, such as
    ///                     "block * items <= 2048", "block % 32 == 0 or kind == 'serial'"
    /// @throws ArgumentError for names that are no names or come twice, parameters without values or with one value
    ///         twice, constraints that cannot be evaluated, spaces that are too large, and if no point is left
    explicit Space(std::vector<Parameter> parameters, const std::vector<std::string>& constraints = {},
                   const codegen::Values& facts = {});

    /// How many points satisfy the constraints.
    std::size_t size() const { return ranks_.size(); }
    const std::vector<Parameter>& parameters() const { return parameters_; }
    Point point(std::size_t index) const;
    /// Which value of each parameter: places in Parameter::values.
    std::vector<std::uint32_t> choices(std::size_t index) const;
    /// The number of a point, if it is one of these.
    std::optional<std::size_t> find(const Point& point) const;
    std::optional<std::size_t> find(std::span<const std::uint32_t> choices) const;
    /// The number of the nearest point: parameters that are missing in `point` count nothing.
    std::size_t nearest(const Point& point) const;
    /// How far apart two values of a parameter are, from 0 to 1. Words are equal or not.
    double distance(std::size_t parameter, std::uint32_t a, std::uint32_t b) const;

   private:
    std::uint64_t rank(std::span<const std::uint32_t> choices) const;

    std::vector<Parameter> parameters_;
    std::vector<bool> is_ordered_;
    std::vector<std::uint64_t> ranks_;  ///< of the valid points, ascending
};

/// What constraints and templates can say about a device: `device.max_threads_per_block`, `device.type == 'gpu'`,
/// `device.has_double`. The names are those of DeviceInfo; facts that the driver does not tell are not there.
GEMEL_API codegen::Values device_facts(const DeviceInfo& device);

}  // namespace gemel::tune
