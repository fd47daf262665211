/// Prints values of templates.
#include <gemel/codegen/value.hpp>

#include <gemel/core/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace gemel::codegen {

namespace {

/// The shortest digits that read back equal, in Python's form: 100000.0, 1e-05, 1e+16.
std::string number_text(double value) {
    if (std::isnan(value)) return "NAN";
    if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
    char buffer[400];
    const double size = std::fabs(value);
    const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
    std::string digits(buffer, end);
    if (is_plain && digits.find('.') == std::string::npos) digits += ".0";
    return digits;
}

/// Shared parts can make the text of a list very long.
constexpr std::size_t longest_text = std::size_t{1} << 26;

void append(std::string& out, const Value& value, bool is_inside) {
    if (out.size() > longest_text) throw ArgumentError("Value: expected at most 64 MiB as text, got more");
    if (value.is_list()) {
        out += '[';
        for (const Value& element : value.as_list()) {
            if (&element != &value.as_list().front()) out += ", ";
            append(out, element, true);
        }
        out += ']';
    } else if (value.is_map()) {
        out += '{';
        bool is_first = true;
        for (const auto* entry : value.entries()) {
            if (!std::exchange(is_first, false)) out += ", ";
            append(out, Value(entry->first), true);
            out += ": ";
            append(out, entry->second, true);
        }
        out += '}';
    } else if (value.is_string() && is_inside) {
        out += '\'';
        for (const char c : value.as_string()) {
            if (c == '\\' || c == '\'') out += '\\';
            if (c == '\n') {
                out += "\\n";
            } else {
                out += c;
            }
        }
        out += '\'';
    } else {
        out += value.is_none() && is_inside ? "none" : value.text();
    }
}

}  // namespace

/// Unlimited nesting would exhaust the stack when a value is printed, compared or destroyed.
struct Value::Nested {
    static constexpr int deepest = 200;

    template <class Container>
    struct With : Container {
        explicit With(Container&& elements, int depth) : Container(std::move(elements)), depth(depth) {}
        int depth;
        std::vector<const Map::value_type*> order;  ///< of a map's entries; empty: ordered by name
    };

    static const Value& element(const Value& value) { return value; }
    static const Value& element(const Map::value_type& entry) { return entry.second; }

    template <class Container>
    static std::shared_ptr<With<Container>> make(Container elements) {
        int depth = 1;
        for (const auto& part : elements) depth = std::max(depth, element(part).depth() + 1);
        if (depth > deepest)
            throw ArgumentError("Value: lists and maps are nested deeper than " + std::to_string(deepest) +
                                " levels; flatten them");
        return std::make_shared<With<Container>>(std::move(elements), depth);
    }
};

Value::Value(List list) : data_(std::shared_ptr<const List>(Nested::make(std::move(list)))) {}
Value::Value(Map map) : data_(std::shared_ptr<const Map>(Nested::make(std::move(map)))) {}

Value Value::ordered_map(std::vector<std::pair<std::string, Value>> entries) {
    Map map;
    std::vector<std::string> names;
    for (auto& [name, value] : entries)
        if (map.insert_or_assign(name, std::move(value)).second) names.push_back(std::move(name));
    const std::shared_ptr<Nested::With<Map>> made = Nested::make(std::move(map));
    for (const std::string& name : names) made->order.push_back(&*made->find(name));
    Value value;
    value.data_ = std::shared_ptr<const Map>(made);
    return value;
}

std::vector<const Value::Map::value_type*> Value::entries() const {
    const auto& map = static_cast<const Nested::With<Map>&>(as_map());
    if (!map.order.empty()) return map.order;
    std::vector<const Map::value_type*> all;
    for (const Map::value_type& entry : map) all.push_back(&entry);
    return all;
}

double Value::shortest(float value) {
    double result = value;
    char digits[64];
    const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    if (std::isfinite(value)) std::from_chars(digits, end, result);
    return result;
}

int Value::depth() const {
    if (is_list()) return static_cast<const Nested::With<List>&>(as_list()).depth;
    if (is_map()) return static_cast<const Nested::With<Map>&>(as_map()).depth;
    return 0;
}

std::string Value::kind() const {
    static const char* const names[] = {"none",    "a bool",   "an integer", "an integer",
                                        "a float", "a string", "a list",     "a map"};
    return names[data_.index()];
}

bool Value::truth() const {
    if (is_none()) return false;
    if (is_bool()) return as_bool();
    if (is_signed()) return as_signed() != 0;
    if (is_unsigned()) return true;
    if (is_floating()) return as_floating() != 0;
    if (is_string()) return !as_string().empty();
    return is_list() ? !as_list().empty() : !as_map().empty();
}

std::string Value::text() const {
    if (is_none()) return {};
    if (is_bool()) return as_bool() ? "true" : "false";
    if (is_signed()) return std::to_string(as_signed());
    if (is_unsigned()) return std::to_string(as_unsigned());
    if (is_floating()) return number_text(as_floating());
    if (is_string()) return as_string();
    std::string out;
    append(out, *this, false);
    return out;
}

}  // namespace gemel::codegen
