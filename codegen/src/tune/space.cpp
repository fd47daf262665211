#include <gemel/codegen/template.hpp>
#include <gemel/codegen/tuning_space.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

namespace gemel::tune {

std::int64_t Point::operator[](std::string_view name) const {
    const codegen::Value& found = value(name);
    if (found.is_bool()) return found.as_bool() ? 1 : 0;
    if (found.is_signed()) return found.as_signed();
    throw ArgumentError(text("tune: the parameter '", name, "' is ", found.kind(), " (", found.text(),
                             "); expected a 64-bit integer; point.value(\"", name, "\") returns any kind"));
}

const codegen::Value& Point::value(std::string_view name) const {
    std::vector<std::string> names;
    for (const auto& [own, value] : values_) {
        if (own == name) return value;
        names.push_back(own);
    }
    throw ArgumentError(text("tune: there is no parameter '", name, "'; there are ", join(names)));
}

bool Point::equals(const Point& other) const { return to_string(*this) == to_string(other); }

std::string to_string(const Point& point) {
    std::string out;
    for (const auto& [name, value] : point.values()) out += text(out.empty() ? "" : " ", name, "=", value.text());
    return out;
}

namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool mentions(std::string_view expression, std::string_view name) {
    for (std::size_t at = expression.find(name); at != std::string_view::npos; at = expression.find(name, at + 1)) {
        const bool begins = at == 0 || !is_word_character(expression[at - 1]);
        const std::size_t end = at + name.size();
        if (begins && (end == expression.size() || !is_word_character(expression[end]))) return true;
    }
    return false;
}

/// A constraint, evaluated as soon as all its parameters have values.
class Constraint {
   public:
    Constraint(const std::string& expression, const std::vector<Parameter>& parameters)
        : template_(wrapped(expression), text("constraint \"", expression, "\"")) {
        for (std::size_t k = 0; k < parameters.size(); ++k)
            if (mentions(expression, parameters[k].name)) last_ = k;
    }
    /// The last parameter that it uses.
    std::size_t last() const { return last_; }
    bool holds(const codegen::Values& values) const { return template_.render(values) == "1"; }

   private:
    static std::string wrapped(const std::string& expression) {
        if (expression.find("%}") != std::string::npos)
            throw ArgumentError(text("tune: the constraint \"", expression, "\" is not an expression; remove \"%}\""));
        return "{% if " + expression + " %}1{% endif %}";
    }
    codegen::Template template_;
    std::size_t last_ = 0;
};

void check(const std::vector<Parameter>& parameters) {
    if (parameters.empty()) throw ArgumentError("tune: expected a space of at least one parameter, got none");
    std::set<std::string> names;
    std::uint64_t combinations = 1;
    for (const Parameter& parameter : parameters) {
        const std::string& name = parameter.name;
        const bool is_name = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                             std::all_of(name.begin(), name.end(), is_word_character) && name != "device";
        if (!is_name)
            throw ArgumentError(text("tune: '", name, "' cannot name a parameter; use letters, digits and _"));
        if (!names.insert(name).second)
            throw ArgumentError(text("tune: there are two parameters '", name, "'; rename one"));
        if (parameter.values.empty())
            throw ArgumentError(text("tune: the parameter '", name, "' has no values; give at least one"));
        std::set<std::string> values;
        for (const codegen::Value& value : parameter.values) {
            if (value.is_none() || value.is_list() || value.is_map())
                throw ArgumentError(
                    text("tune: a value of '", name, "' is ", value.kind(), "; expected a number, a word or a bool"));
            const std::string word = value.text();
            const bool is_word = !word.empty() && word.find_first_of(" \t\n\r=|") == std::string::npos;
            if (!is_word)
                throw ArgumentError(text(
                    "tune: the value '", word, "' of '", name,
                    "' is not a single word; points are stored as name=value, so it must not have spaces, '=' or '|'"));
            if (!values.insert(word).second)
                throw ArgumentError(
                    text("tune: the parameter '", name, "' has the value ", word, " twice; remove one"));
        }
        if (combinations > (std::uint64_t{1} << 62) / parameter.values.size())
            throw ArgumentError("tune: the space has more than 2^62 combinations; remove values");
        combinations *= parameter.values.size();
    }
}

/// Enumerates all combinations, and prunes branches where a constraint fails.
class Enumeration {
   public:
    Enumeration(const std::vector<Parameter>& parameters, const std::vector<std::string>& constraints,
                const codegen::Values& facts, std::vector<std::uint64_t>& ranks)
        : parameters_(parameters), values_(facts), ranks_(ranks), due_(parameters.size()) {
        for (const std::string& expression : constraints) {
            Constraint constraint(expression, parameters);
            due_[constraint.last()].push_back(std::move(constraint));
        }
    }
    void run(std::size_t depth = 0, std::uint64_t rank = 0) {
        if (depth == parameters_.size()) {
            if (ranks_.size() == Space::max_points)
                throw ArgumentError(text("tune: the space has more than ", Space::max_points,
                                         " points; remove values or add constraints"));
            ranks_.push_back(rank);
            return;
        }
        const Parameter& parameter = parameters_[depth];
        for (std::size_t k = 0; k < parameter.values.size(); ++k) {
            values_[parameter.name] = parameter.values[k];
            const auto holds = [&](const Constraint& constraint) { return constraint.holds(values_); };
            if (std::all_of(due_[depth].begin(), due_[depth].end(), holds))
                run(depth + 1, rank * parameter.values.size() + k);
        }
        values_.erase(parameter.name);
    }

   private:
    const std::vector<Parameter>& parameters_;
    codegen::Values values_;
    std::vector<std::uint64_t>& ranks_;
    std::vector<std::vector<Constraint>> due_;
};

bool is_number(const codegen::Value& value) { return value.is_integer() || value.is_floating(); }

}  // namespace

Space::Space(std::vector<Parameter> parameters, const std::vector<std::string>& constraints,
             const codegen::Values& facts)
    : parameters_(std::move(parameters)), constraints_(constraints), facts_(facts) {
    check(parameters_);
    for (const Parameter& parameter : parameters_)
        is_ordered_.push_back(std::all_of(parameter.values.begin(), parameter.values.end(), is_number));
    Enumeration(parameters_, constraints, facts, ranks_).run();
    if (ranks_.empty())
        throw ArgumentError(
            text("tune: no point satisfies the constraints \"", join(constraints, "\", \""), "\"; relax one of them"));
}

std::vector<std::uint32_t> Space::choices(std::size_t index) const {
    std::vector<std::uint32_t> out(parameters_.size());
    std::uint64_t rest = ranks_.at(index);
    for (std::size_t k = parameters_.size(); k-- > 0;) {
        out[k] = static_cast<std::uint32_t>(rest % parameters_[k].values.size());
        rest /= parameters_[k].values.size();
    }
    return out;
}

Point Space::point(std::size_t index) const {
    const std::vector<std::uint32_t> chosen = choices(index);
    Point::Values values;
    for (std::size_t k = 0; k < parameters_.size(); ++k)
        values.emplace_back(parameters_[k].name, parameters_[k].values[chosen[k]]);
    return Point(std::move(values));
}

std::uint64_t Space::rank(std::span<const std::uint32_t> choices) const {
    std::uint64_t rank = 0;
    for (std::size_t k = 0; k < parameters_.size(); ++k) rank = rank * parameters_[k].values.size() + choices[k];
    return rank;
}

std::optional<std::size_t> Space::find(std::span<const std::uint32_t> choices) const {
    const std::uint64_t wanted = rank(choices);
    const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), wanted);
    if (found == ranks_.end() || *found != wanted) return std::nullopt;
    return static_cast<std::size_t>(found - ranks_.begin());
}

std::optional<std::size_t> Space::find(const Point& point) const {
    std::vector<std::uint32_t> chosen;
    if (point.values().size() != parameters_.size()) return std::nullopt;
    for (const Parameter& parameter : parameters_) {
        const auto named = std::find_if(point.values().begin(), point.values().end(),
                                        [&](const auto& entry) { return entry.first == parameter.name; });
        if (named == point.values().end()) return std::nullopt;
        const std::string word = named->second.text();
        const auto found = std::find_if(parameter.values.begin(), parameter.values.end(),
                                        [&](const codegen::Value& value) { return value.text() == word; });
        if (found == parameter.values.end()) return std::nullopt;
        chosen.push_back(static_cast<std::uint32_t>(found - parameter.values.begin()));
    }
    return find(chosen);
}

double Space::distance(std::size_t parameter, std::uint32_t a, std::uint32_t b) const {
    if (a == b) return 0;
    if (!is_ordered_[parameter]) return 1;
    const double steps = static_cast<double>(parameters_[parameter].values.size() - 1);
    return (a > b ? a - b : b - a) / steps;
}

namespace {

double as_number(const codegen::Value& value) {
    return value.is_floating() ? value.as_floating()
           : value.is_signed() ? static_cast<double>(value.as_signed())
                               : static_cast<double>(value.as_unsigned());
}

/// The index of the nearest value.
std::uint32_t nearest_choice(const Parameter& parameter, bool is_ordered, const codegen::Value& wanted) {
    std::uint32_t best = 0;
    double best_gap = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < parameter.values.size(); ++k) {
        const codegen::Value& value = parameter.values[k];
        double gap = value.text() == wanted.text() ? 0 : 1e300;
        if (is_ordered && is_number(wanted)) gap = std::abs(as_number(value) - as_number(wanted));
        if (gap < best_gap) best_gap = gap, best = k;
    }
    return best;
}

}  // namespace

std::size_t Space::nearest(const Point& point) const {
    if (const auto exact = find(point)) return *exact;
    std::vector<std::optional<std::uint32_t>> wanted(parameters_.size());
    for (const auto& [name, value] : point.values())
        for (std::size_t k = 0; k < parameters_.size(); ++k)
            if (parameters_[k].name == name) wanted[k] = nearest_choice(parameters_[k], is_ordered_[k], value);
    std::size_t best = 0;
    double best_gap = std::numeric_limits<double>::infinity();
    for (std::size_t index = 0; index < size(); ++index) {
        const std::vector<std::uint32_t> chosen = choices(index);
        double gap = 0;
        for (std::size_t k = 0; k < chosen.size(); ++k)
            if (wanted[k]) gap += distance(k, chosen[k], *wanted[k]);
        if (gap < best_gap) best_gap = gap, best = index;
    }
    return best;
}

}  // namespace gemel::tune
