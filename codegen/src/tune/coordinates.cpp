#include "tune/coordinates.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace gemel::tune {
namespace {

constexpr std::size_t most_quantities = 8, most_examples = 256, most_known = std::size_t{1} << 14;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

int depth_change(char c) { return c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0; }

/// Removes parentheses that have no partner, and those around the whole.
std::string_view bare(std::string_view text) {
    for (;;) {
        text = trimmed(text);
        int depth = 0;
        bool encloses = text.size() > 1 && text.front() == '(';
        for (std::size_t i = 0; i < text.size(); ++i) {
            depth += depth_change(text[i]);
            encloses = encloses && (depth > 0 || i + 1 == text.size());
        }
        if (depth > 0 && text.front() == '(')
            text.remove_prefix(1);
        else if (depth < 0 && text.back() == ')')
            text.remove_suffix(1);
        else if (depth == 0 && encloses)
            text = text.substr(1, text.size() - 2);
        else
            return text;
    }
}

/// The parts of an expression between "and", "or" and "not".
std::vector<std::string_view> clauses_of(std::string_view expression) {
    std::vector<std::string_view> clauses;
    std::size_t begin = 0;
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = 0; at < expression.size();) {
        std::size_t end = at;
        while (end < expression.size() && is_part(expression[end])) ++end;
        const std::string_view word = expression.substr(at, end - at);
        if (word == "and" || word == "or" || word == "not") {
            clauses.push_back(bare(expression.substr(begin, at - begin)));
            begin = end;
        }
        at = std::max(end, at + 1);
    }
    clauses.push_back(bare(expression.substr(begin)));
    return clauses;
}

/// Templates of both sides of the inequalities in a constraint. Some may not be expressions.
std::vector<std::string> comparisons_of(std::string_view constraint) {
    std::vector<std::string> all;
    if (constraint.find_first_of("'\"") != std::string_view::npos) return all;
    for (const std::string_view clause : clauses_of(constraint)) {
        std::vector<std::string> sides(1);
        int depth = 0;
        for (const char c : clause) {
            depth += depth_change(c);
            if (depth == 0 && (c == '<' || c == '>'))
                sides.emplace_back();
            else if (c != '=' || !sides.back().empty())
                sides.back() += c;
        }
        for (std::size_t i = 0; i + 1 < sides.size(); ++i)
            all.push_back("{{ " + sides[i] + " }} {{ " + sides[i + 1] + " }}");
    }
    return all;
}

/// The logarithm of the ratio of the two numbers that a template prints.
std::optional<double> ratio(const codegen::Template& text, const codegen::Values& values) try {
    const std::string printed = text.render(values);
    char* rest = nullptr;
    const double left = std::strtod(printed.c_str(), &rest);
    if (rest == printed.c_str() || *rest != ' ') return std::nullopt;
    const double right = std::strtod(rest, &rest);
    if (*rest != '\0' || !(left > 0) || !(right > 0)) return std::nullopt;
    const double log = std::log2(left / right);
    return std::isfinite(log) ? std::optional(log) : std::nullopt;
} catch (const codegen::TemplateError&) {
    return std::nullopt;
}

std::uint8_t spread(double value, double lowest, double highest) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp((value - lowest) / (highest - lowest), 0.0, 1.0)));
}

bool holds_number(const codegen::Value& value) { return value.is_integer() || value.is_floating(); }

}  // namespace

CoordinateSystem::CoordinateSystem(const Space& space) : space_(space), values_(space.facts()) {
    for (const Parameter& parameter : space.parameters())
        is_word_.push_back(!std::all_of(parameter.values.begin(), parameter.values.end(), holds_number));
    std::vector<std::size_t> examples;
    for (std::size_t i = 0; i < std::min(most_examples, space.size()); ++i)
        examples.push_back(space.size() <= most_examples ? i : i * (space.size() - 1) / (most_examples - 1));
    for (const std::string& constraint : space.constraints())
        for (const std::string& text : comparisons_of(constraint)) try {
                if (quantities_.size() < most_quantities) add_quantity(codegen::Template(text), examples);
            } catch (const codegen::TemplateError&) {
                continue;  // a part of a larger expression
            }
}

void CoordinateSystem::add_quantity(const codegen::Template& text, const std::vector<std::size_t>& examples) {
    std::vector<double> ratios;
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (const std::size_t point : examples) {
        set_values(space_.choices(point));
        const auto one = ratio(text, values_);
        if (!one) return;
        ratios.push_back(*one);
        lowest = std::min(lowest, *one);
        highest = std::max(highest, *one);
    }
    if (!(highest - lowest > 1e-6)) return;
    Coordinates dimension, reversed;
    for (const double one : ratios) {
        dimension.push_back(spread(one, lowest, highest));
        reversed.push_back(spread(-one, -highest, -lowest));
    }
    const auto equals = [&](const Coordinates& other) { return other == dimension || other == reversed; };
    if (std::any_of(dimensions_.begin(), dimensions_.end(), equals)) return;
    for (std::size_t k = 0; k < space_.parameters().size(); ++k) {
        Coordinates own;
        for (const std::size_t point : examples) own.push_back(of_parameters(space_.choices(point))[k]);
        if (equals(own)) return;
    }
    dimensions_.push_back(std::move(dimension));
    quantities_.push_back({text, lowest, highest});
    is_word_.push_back(false);
}

void CoordinateSystem::set_values(const std::vector<std::uint32_t>& choices) const {
    for (std::size_t k = 0; k < choices.size(); ++k)
        values_[space_.parameters()[k].name] = space_.parameters()[k].values[choices[k]];
}

Coordinates CoordinateSystem::of_parameters(const std::vector<std::uint32_t>& choices) const {
    Coordinates out(choices.size());
    for (std::size_t k = 0; k < choices.size(); ++k) {
        const double steps = static_cast<double>(space_.parameters()[k].values.size() - 1);
        out[k] = is_word_[k] ? static_cast<std::uint8_t>(choices[k]) : steps > 0 ? spread(choices[k], 0, steps) : 0;
    }
    return out;
}

const Coordinates& CoordinateSystem::at(std::size_t point) const {
    if (const auto found = known_.find(point); found != known_.end()) return found->second;
    if (known_.size() >= most_known) known_.clear();
    const std::vector<std::uint32_t> choices = space_.choices(point);
    Coordinates out = of_parameters(choices);
    if (!quantities_.empty()) set_values(choices);
    for (const Quantity& quantity : quantities_)
        out.push_back(
            spread(ratio(quantity.text, values_).value_or(quantity.lowest), quantity.lowest, quantity.highest));
    return known_[point] = std::move(out);
}

}  // namespace gemel::tune
