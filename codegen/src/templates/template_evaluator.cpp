/// Evaluates the expressions in templates.
#include "templates/template_evaluator.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <set>

namespace gemel::codegen {

using Kind = TemplateExpression::Kind;

bool TemplateNames::set_member(const std::string& map, const std::string& name, const Value& value) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->find(map);
        if (found == scope->end()) continue;
        if (!found->second.is_map()) return false;
        std::vector<std::pair<std::string, Value>> changed;
        for (const auto* entry : found->second.entries()) changed.push_back(*entry);
        changed.emplace_back(name, value);
        found->second = Value::ordered_map(std::move(changed));
        return true;
    }
    return false;
}

const Value* TemplateNames::find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (const auto found = scope->find(name); found != scope->end()) return &found->second;
    for (const Values* values : {&given_, &bound_})
        if (const auto found = values->find(name); found != values->end()) return &found->second;
    return nullptr;
}

std::vector<std::string> TemplateNames::all() const {
    std::set<std::string> names;
    for (const auto& scope : scopes_)
        for (const auto& [name, unused] : scope) names.insert(name);
    for (const Values* values : {&given_, &bound_})
        for (const auto& [name, unused] : *values) names.insert(name);
    return {names.begin(), names.end()};
}

namespace {

Value range(TemplateArguments& arguments) {
    const std::int64_t first = integer_of(arguments.site(), arguments.need("stop"), "range's limit");
    const std::optional<Value> second = arguments.take("stop");
    const std::int64_t begin = second ? first : 0;
    const std::int64_t end = second ? integer_of(arguments.site(), *second, "range's limit") : first;
    const std::int64_t step = arguments.take_integer("step", 1);
    arguments.finish();
    if (step == 0) arguments.fail("expected a step other than 0");
    Value::List list;
    for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
        if (list.size() >= static_cast<std::size_t>(max_elements))
            arguments.fail(text("has more than ", max_elements, " elements"));
        arguments.site().spend(1);
        list.push_back(Value(i));
        if (__builtin_add_overflow(i, step, &i)) break;
    }
    return list;
}

/// Filters that return an element, and an undefined value, which `default` replaces, if there is none.
bool picks_element(const std::string& filter) {
    return filter == "first" || filter == "last" || filter == "min" || filter == "max";
}

bool has_no_elements(const Value& value) {
    return (value.is_list() || value.is_map() || value.is_string()) && !value.truth();
}

}  // namespace

Value TemplateEvaluator::evaluate(const TemplateExpression& node) const {
    const auto operand = [&](std::size_t i) { return evaluate(*node.operands[i]); };
    site(node).spend(1);
    switch (node.kind) {
        case Kind::constant: return node.value;
        case Kind::name:
        case Kind::attribute:
        case Kind::item: {
            const std::optional<Value> found = find(node);
            return found ? *found : missing(node);
        }
        case Kind::list: {
            Value::List list;
            for (const ExpressionPointer& element : node.operands) list.push_back(evaluate(*element));
            return list;
        }
        case Kind::map: {
            std::vector<std::pair<std::string, Value>> entries;
            for (std::size_t i = 0; i + 1 < node.operands.size(); i += 2) {
                std::string name = operand(i).text();
                entries.emplace_back(std::move(name), operand(i + 1));
            }
            return Value::ordered_map(std::move(entries));
        }
        case Kind::unary: return apply_unary(site(node), node.text, operand(0));
        case Kind::binary: {
            const Value left = operand(0);
            return apply_binary(site(node), node.text, left, operand(1));
        }
        case Kind::logical: {
            const Value left = operand(0);
            return left.truth() == (node.text == "or") ? left : operand(1);
        }
        case Kind::comparison: {
            Value left = operand(0);
            for (std::size_t i = 0; i < node.names.size(); ++i) {
                const Value right = operand(i + 1);
                if (!apply_comparison(site(node), node.names[i], left, right)) return false;
                left = right;
            }
            return true;
        }
        case Kind::conditional:
            if (operand(1).truth()) return operand(0);
            return node.operands[2] ? operand(2) : Value(std::string());
        case Kind::slice: return slice(node);
        case Kind::call: return call(node);
        case Kind::filter: return filter(node);
        case Kind::test: return test(node);
    }
    return {};
}

std::optional<Value> TemplateEvaluator::find(const TemplateExpression& node) const {
    if (node.kind == Kind::name) {
        const Value* value = names_.find(node.text);
        return value ? std::optional<Value>(*value) : std::nullopt;
    }
    if (node.kind == Kind::attribute || node.kind == Kind::item) {
        const std::optional<Value> base = find(*node.operands[0]);
        if (!base) return std::nullopt;
        const Value index = node.kind == Kind::item ? evaluate(*node.operands[1]) : Value(node.text);
        return find_item(site(node), *base, index);
    }
    if (node.kind == Kind::conditional) {
        const ExpressionPointer& chosen = node.operands[evaluate(*node.operands[1]).truth() ? 0 : 2];
        return chosen ? find(*chosen) : std::nullopt;
    }
    if (node.kind == Kind::filter && picks_element(node.text)) {
        const Value input = evaluate(*node.operands[0]);
        TemplateArguments given = arguments(node, node.text);
        if (has_no_elements(input)) return std::nullopt;
        return apply_filter(node.text, input, given);
    }
    return evaluate(node);
}

std::optional<Value> TemplateEvaluator::find_item(const TemplateSite& site, const Value& base,
                                                  const Value& index) const {
    if (base.is_map()) {
        const auto found = base.as_map().find(index.text());
        return found == base.as_map().end() ? std::nullopt : std::optional<Value>(found->second);
    }
    if (!base.is_list() && !base.is_string()) return std::nullopt;
    if (index.is_string()) return std::nullopt;
    const auto size = static_cast<std::int64_t>(base.is_list() ? base.as_list().size() : base.as_string().size());
    std::int64_t i = integer_of(site, index, "an index");
    if (i < 0) i += size;
    if (i < 0 || i >= size) return std::nullopt;
    const auto at = static_cast<std::size_t>(i);
    return base.is_list() ? base.as_list()[at] : Value(base.as_string()[at]);
}

Value TemplateEvaluator::missing(const TemplateExpression& node) const {
    if (node.kind == Kind::name) {
        const std::vector<std::string> known = names_.all();
        site(node).fail(text("there is no value for '", node.text, "'; there ",
                             known.empty() ? "are none at all" : "are " + join(known)));
    }
    const Value base = evaluate(*node.operands[0]);
    if (node.kind == Kind::attribute) {
        if (!base.is_map()) site(node).fail(text(base.kind(), " has no member '", node.text, "'"));
        std::vector<std::string> known;
        for (const auto& [name, unused] : base.as_map()) known.push_back(name);
        site(node).fail(text("the map has no member '", node.text, "'; it has ", known.empty() ? "none" : join(known)));
    }
    const Value index = evaluate(*node.operands[1]);
    if (base.is_list() || base.is_string())
        site(node).fail(text("the index ", index.text(), " lies outside of ", base.kind(), " of length ",
                             base.is_list() ? base.as_list().size() : base.as_string().size()));
    if (base.is_map()) site(node).fail(text("the map has no '", index.text(), "'"));
    site(node).fail(text(base.kind(), " cannot be indexed"));
}

Value TemplateEvaluator::slice(const TemplateExpression& node) const {
    const Value base = evaluate(*node.operands[0]);
    const TemplateSite here = site(node);
    if (!base.is_list() && !base.is_string())
        here.fail(text("expected a list or a string to slice, found ", base.kind()));
    const auto size = static_cast<std::int64_t>(base.is_list() ? base.as_list().size() : base.as_string().size());
    const auto limit = [&](std::size_t which, std::int64_t otherwise, std::int64_t lowest, std::int64_t highest) {
        if (!node.operands[which]) return otherwise;
        const Value value = evaluate(*node.operands[which]);
        if (value.is_none()) return otherwise;
        const std::int64_t i = integer_of(here, value, "a limit of a slice");
        return std::clamp(i < 0 ? i + size : i, lowest, highest);
    };
    const std::int64_t step = node.operands[3] ? integer_of(here, evaluate(*node.operands[3]), "a slice's step") : 1;
    if (step == 0) here.fail("expected a slice's step other than 0");
    const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    const std::int64_t begin = limit(1, step > 0 ? lowest : highest, lowest, highest);
    const std::int64_t end = limit(2, step > 0 ? highest : lowest, lowest, highest);
    Value::List list;
    std::string string;
    for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
        here.spend(1);
        if (base.is_list()) list.push_back(base.as_list()[static_cast<std::size_t>(i)]);
        if (base.is_string()) string += base.as_string()[static_cast<std::size_t>(i)];
        if (__builtin_add_overflow(i, step, &i)) break;
    }
    return base.is_list() ? Value(std::move(list)) : Value(string);
}

TemplateArguments TemplateEvaluator::arguments(const TemplateExpression& node, std::string what) const {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    const std::size_t first_named = node.operands.size() - node.names.size();
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
        Value value = evaluate(*node.operands[i]);
        if (i < first_named) {
            positional.push_back(std::move(value));
        } else {
            named.emplace_back(node.names[i - first_named], std::move(value));
        }
    }
    return {site(node), std::move(what), std::move(positional), std::move(named)};
}

Value TemplateEvaluator::call(const TemplateExpression& node) const {
    const TemplateExpression& callee = *node.operands[0];
    if (callee.kind == Kind::name && callee.text == "range") {
        TemplateArguments given = arguments(node, "range");
        return range(given);
    }
    if (callee.kind == Kind::name && callee.text == "namespace") {
        const std::size_t first_named = node.operands.size() - node.names.size();
        if (first_named > 1) site(node).fail("'namespace' takes named values: namespace(count=0)");
        std::vector<std::pair<std::string, Value>> entries;
        for (std::size_t i = first_named; i < node.operands.size(); ++i)
            entries.emplace_back(node.names[i - first_named], evaluate(*node.operands[i]));
        return Value::ordered_map(std::move(entries));
    }
    if (callee.kind == Kind::attribute) {
        const Value base = evaluate(*callee.operands[0]);
        TemplateArguments given = arguments(node, callee.text);
        const bool is_of_loop = callee.operands[0]->kind == Kind::name && callee.operands[0]->text == "loop";
        if (is_of_loop && names_.last_change() && (callee.text == "cycle" || callee.text == "changed"))
            return call_of_loop(callee, given);
        if (base.is_map() && (callee.text == "items" || callee.text == "keys" || callee.text == "values")) {
            given.finish();
            Value::List list;
            for (const auto* entry : base.entries())
                list.push_back(callee.text == "keys"     ? Value(entry->first)
                               : callee.text == "values" ? entry->second
                                                         : Value(Value::List{Value(entry->first), entry->second}));
            return list;
        }
        site(callee).fail(text(base.kind(), " has no function '", callee.text, "'"));
    }
    if (callee.kind == Kind::name)
        site(callee).fail(text("there is no function '", callee.text, "'; there are range and namespace"));
    site(node).fail("this cannot be called");
}

Value TemplateEvaluator::call_of_loop(const TemplateExpression& callee, TemplateArguments& given) const {
    const std::vector<Value> values = given.take_rest();
    given.finish();
    if (callee.text == "changed") {
        std::optional<Value>& last = *names_.last_change();
        const Value now(values);
        if (last && equal(site(callee), *last, now)) return false;
        last = now;
        return true;
    }
    if (values.empty()) given.fail("expected a sequence with at least one element");
    const std::optional<Value> index = find_item(site(callee), evaluate(*callee.operands[0]), Value("index0"));
    const std::int64_t round = index ? integer_of(site(callee), *index, "loop.index0") : -1;
    if (round < 0) site(callee).fail("'loop' was assigned in this loop; rename the variable");
    return values[static_cast<std::size_t>(round) % values.size()];
}

Value TemplateEvaluator::filter(const TemplateExpression& node) const {
    TemplateArguments given = arguments(node, node.text);
    if (node.text != "default" && node.text != "d") return apply_filter(node.text, evaluate(*node.operands[0]), given);
    const std::optional<Value> value = find(*node.operands[0]);
    const Value otherwise = given.take("default_value").value_or(Value(std::string()));
    const bool also_false = given.take_bool("boolean");
    given.finish();
    return value && (!also_false || value->truth()) ? *value : otherwise;
}

bool TemplateEvaluator::test(const TemplateExpression& node) const {
    if (node.text == "defined") return find(*node.operands[0]).has_value();
    if (node.text == "undefined") return !find(*node.operands[0]).has_value();
    TemplateArguments given = arguments(node, node.text);
    return apply_test(node.text, evaluate(*node.operands[0]), given);
}

}  // namespace gemel::codegen
