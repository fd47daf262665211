/// Reports of searches: trials as JSON, and its numbers and strings.
#pragma once

#include <gemel/arrays/tune.hpp>

#include <span>
#include <string>
#include <string_view>

namespace gemel::tune {

std::string json_string(std::string_view text);
std::string json_number(double value);
std::string json_value(const codegen::Value& value);
/// {"block": 64, "kind": "fast"}
std::string json_point(const Point& point);
/// In version 1.0.0 of the T4 results format.
std::string t4_json(std::span<const Trial> trials);

}  // namespace gemel::tune
