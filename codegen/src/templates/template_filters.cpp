/// Filters and tests of templates.
#include "templates/template_filters.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

namespace gemel::codegen {

namespace {

using Arguments = TemplateArguments;

std::string cased(std::string text, bool to_upper) {
    for (char& c : text) {
        if (to_upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        if (!to_upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

std::string trimmed(const std::string& text, const std::string& set) {
    const std::size_t from = text.find_first_not_of(set);
    return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(set) - from + 1);
}
constexpr const char* blanks = " \t\r\n\f\v";

/// The value that an element has at `path`: names of members and indices, separated by points. Otherwise `otherwise`,
/// if given.
Value member(Arguments& arguments, const Value& element, const std::string& path,
             const std::optional<Value>& otherwise = std::nullopt) {
    Value found = element;
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t end = std::min(path.find('.', from), path.size());
        const std::string name = path.substr(from, end - from);
        std::size_t index = 0;
        const auto read = std::from_chars(name.data(), name.data() + name.size(), index);
        const bool is_index = found.is_list() && read.ec == std::errc() && read.ptr == name.data() + name.size() &&
                              index < found.as_list().size();
        if (!is_index && !(found.is_map() && found.as_map().contains(name))) {
            if (otherwise) return *otherwise;
            arguments.fail("finds no '" + name + "' in an element");
        }
        const Value next = is_index ? found.as_list()[index] : found.as_map().at(name);
        found = next;
        from = end + 1;
    }
    return found;
}

Value::List elements(Arguments& arguments, const Value& input) {
    return elements_of(arguments.site(), input, "to filter");
}

/// The elements, or their members `attribute` if it is given and not none.
Value::List members(Arguments& arguments, const Value& input) {
    Value::List list = elements(arguments, input);
    if (const Value name = arguments.take("attribute").value_or(Value()); !name.is_none())
        for (Value& element : list) element = member(arguments, element, name.text());
    return list;
}

Value join_filter(const Value& input, Arguments& arguments) {
    const std::optional<Value> separator = arguments.take("d");
    std::string result;
    bool is_first = true;
    for (const Value& element : members(arguments, input)) {
        if (!std::exchange(is_first, false) && separator) result += separator->text();
        result += element.text();
        if (result.size() > max_bytes) arguments.fail(text("gives a text above ", max_bytes >> 20, " MiB"));
    }
    return result;
}

Value replace_filter(const Value& input, Arguments& arguments) {
    const std::string old = arguments.need("old").text(), replacement = arguments.need("new").text();
    std::int64_t count = arguments.take_integer("count", -1);
    const std::string all = input.text();
    if (old.empty()) arguments.fail("cannot replace the empty string");
    std::string result;
    std::size_t from = 0;
    for (; count != 0; --count) {
        const std::size_t at = find_text(arguments.site(), all, old, from);
        if (at == std::string::npos) break;
        result.append(all, from, at - from).append(replacement);
        from = at + old.size();
        if (result.size() > max_bytes) arguments.fail(text("gives a text above ", max_bytes >> 20, " MiB"));
    }
    return result.append(all, from);
}

Value indent_filter(const Value& input, Arguments& arguments) {
    const Value width = arguments.take("width").value_or(Value(4));
    const bool first = arguments.take_bool("first"), blank = arguments.take_bool("blank");
    const std::int64_t count = width.is_string() ? 0 : integer_of(arguments.site(), width, "'width'");
    if (count < 0 || count > 1000) arguments.fail("takes a width from 0 to 1000");
    const std::string margin =
        width.is_string() ? width.as_string() : std::string(static_cast<std::size_t>(count), ' ');
    const std::string all = input.text();
    std::string result;
    for (std::size_t from = 0; from <= all.size();) {
        const std::size_t end = std::min(all.find('\n', from), all.size());
        if ((from > 0 || first) && (blank || end > from)) result += margin;
        result.append(all, from, end - from);
        if (end < all.size()) result += '\n';
        from = end + 1;
        if (result.size() > max_bytes) arguments.fail(text("gives a text above ", max_bytes >> 20, " MiB"));
    }
    return result;
}

Value end_filter(const Value& input, Arguments& arguments, bool is_last) {
    const Value::List list = elements(arguments, input);
    if (list.empty()) arguments.fail("the sequence is empty");
    return is_last ? list.back() : list.front();
}

/// The key by which elements are compared: their `attribute` if it is given; case-insensitive unless requested
/// otherwise.
Value::List keys_of(Arguments& arguments, const Value::List& list, bool is_case_sensitive) {
    const Value attribute = arguments.take("attribute").value_or(Value());
    Value::List keys;
    for (const Value& element : list) {
        Value key = attribute.is_none() ? element : member(arguments, element, attribute.text());
        keys.push_back(key.is_string() && !is_case_sensitive ? Value(cased(key.as_string(), false)) : std::move(key));
    }
    return keys;
}

Value extreme_filter(const Value& input, Arguments& arguments, bool is_max) {
    const bool is_case_sensitive = arguments.take_bool("case_sensitive");
    const Value::List list = elements(arguments, input), keys = keys_of(arguments, list, is_case_sensitive);
    if (list.empty()) arguments.fail("the sequence is empty");
    std::size_t best = 0;
    for (std::size_t i = 1; i < list.size(); ++i)
        if (is_max ? less(arguments.site(), keys[best], keys[i]) : less(arguments.site(), keys[i], keys[best]))
            best = i;
    return list[best];
}

Value sum_filter(const Value& input, Arguments& arguments) {
    const Value::List list = members(arguments, input);
    Value total = arguments.take("start").value_or(Value(0));
    for (const Value& element : list) total = apply_binary(arguments.site(), "+", total, element);
    return total;
}

Value sort_filter(const Value& input, Arguments& arguments) {
    const bool is_reversed = arguments.take_bool("reverse"), is_case_sensitive = arguments.take_bool("case_sensitive");
    const Value::List list = elements(arguments, input), keys = keys_of(arguments, list, is_case_sensitive);
    std::vector<std::size_t> order(list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return is_reversed ? less(arguments.site(), keys[b], keys[a]) : less(arguments.site(), keys[a], keys[b]);
    });
    Value::List sorted;
    for (const std::size_t i : order) sorted.push_back(list[i]);
    return sorted;
}

Value reverse_filter(const Value& input, Arguments& arguments) {
    Value::List list = elements(arguments, input);
    std::reverse(list.begin(), list.end());
    if (!input.is_string()) return list;
    return std::string(input.as_string().rbegin(), input.as_string().rend());
}

Value unique_filter(const Value& input, Arguments& arguments) {
    const bool is_case_sensitive = arguments.take_bool("case_sensitive");
    const Value::List list = elements(arguments, input), keys = keys_of(arguments, list, is_case_sensitive);
    Value::List result, seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (std::any_of(seen.begin(), seen.end(),
                        [&](const Value& key) { return equal(arguments.site(), key, keys[i]); }))
            continue;
        seen.push_back(keys[i]);
        result.push_back(list[i]);
    }
    return result;
}

Value map_filter(const Value& input, Arguments& arguments) {
    Value::List list = elements(arguments, input);
    if (arguments.positional().empty()) {
        const std::string attribute = arguments.need("attribute").text();
        const std::optional<Value> otherwise = arguments.take("default");
        for (Value& element : list) element = member(arguments, element, attribute, otherwise);
        return list;
    }
    const std::string filter = arguments.need_string("filter");
    const std::vector<Value> rest = arguments.take_rest();
    for (Value& element : list) {
        Arguments inner(arguments.site(), filter, rest, {});
        element = apply_filter(filter, element, inner);
    }
    return list;
}

/// Elements that pass, or fail, a test: select("odd"), selectattr("size", "ge", 2). Without a test: true elements.
Value select_filter(const Value& input, Arguments& arguments, bool is_reject, bool by_attribute) {
    const std::string attribute = by_attribute ? arguments.need_string("attribute") : "";
    std::vector<Value> rest = arguments.take_rest();
    std::string test;
    if (!rest.empty()) {
        if (!rest.front().is_string()) arguments.fail("takes a test's name, not " + rest.front().kind());
        test = rest.front().as_string();
        rest.erase(rest.begin());
    }
    Value::List result;
    for (const Value& element : elements(arguments, input)) {
        const Value tested = by_attribute ? member(arguments, element, attribute) : element;
        Arguments inner(arguments.site(), test, rest, {});
        if ((test.empty() ? tested.truth() : apply_test(test, tested, inner)) != is_reject) result.push_back(element);
    }
    return result;
}

Value batch_filter(const Value& input, Arguments& arguments) {
    const std::int64_t count = integer_of(arguments.site(), arguments.need("linecount"), "'linecount'");
    const std::optional<Value> fill = arguments.take("fill_with");
    if (count < 1 || count > max_elements) arguments.fail(text("takes a length from 1 to ", max_elements));
    Value::List result, row;
    for (const Value& element : elements(arguments, input)) {
        row.push_back(element);
        if (static_cast<std::int64_t>(row.size()) == count) result.push_back(Value(std::exchange(row, {})));
    }
    if (row.empty()) return result;
    if (fill) row.resize(static_cast<std::size_t>(count), *fill);
    result.push_back(Value(std::move(row)));
    return result;
}

/// The pairs of a map in the order of its names, case-insensitive, or of its values.
Value dictsort_filter(const Value& input, Arguments& arguments) {
    if (!input.is_map()) arguments.fail("takes a map, not " + input.kind());
    const bool is_case_sensitive = arguments.take_bool("case_sensitive");
    const std::optional<Value> given = arguments.take("by");
    const std::string by = given ? given->text() : "key";
    const bool is_reversed = arguments.take_bool("reverse");
    if (by != "key" && by != "value") arguments.fail("takes 'key' or 'value' as 'by', not '" + by + "'");
    std::vector<std::pair<Value, Value>> pairs;  // the key, and the pair
    for (const auto* entry : input.entries()) {
        const Value key = by == "key" ? Value(entry->first) : entry->second;
        const bool is_folded = key.is_string() && !is_case_sensitive;
        pairs.emplace_back(is_folded ? Value(cased(key.text(), false)) : key,
                           Value(Value::List{Value(entry->first), entry->second}));
    }
    std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
        return is_reversed ? less(arguments.site(), b.first, a.first) : less(arguments.site(), a.first, b.first);
    });
    Value::List list;
    for (auto& [key, pair] : pairs) list.push_back(std::move(pair));
    return list;
}

/// Capitalises each word.
Value title_filter(const Value& input, Arguments&) {
    std::string all = cased(input.text(), false);
    bool begins = true;
    for (char& c : all) {
        if (begins && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        begins = std::string_view(blanks).find(c) != std::string_view::npos ||
                 std::string_view("-([{<").find(c) != std::string_view::npos;
    }
    return all;
}

Value items_filter(const Value& input, Arguments& arguments) {
    if (!input.is_map()) arguments.fail("takes a map, not " + input.kind());
    Value::List list;
    for (const auto* entry : input.entries()) list.push_back(Value(Value::List{Value(entry->first), entry->second}));
    return list;
}

Value length_filter(const Value& input, Arguments& arguments) {
    if (input.is_string()) return input.as_string().size();
    return elements(arguments, input).size();
}

using Filter = Value (*)(const Value&, Arguments&);

const std::map<std::string, Filter, std::less<>>& filters() {
    static const auto& table = *new std::map<std::string, Filter, std::less<>>{
        {"abs", abs_filter},
        {"batch", batch_filter},
        {"capitalize",
         [](const Value& input, Arguments&) -> Value {
             const std::string all = cased(input.text(), false);
             return cased(all.substr(0, 1), true) + (all.empty() ? "" : all.substr(1));
         }},
        {"count", length_filter},
        {"dictsort", dictsort_filter},
        {"first", [](const Value& input, Arguments& arguments) { return end_filter(input, arguments, false); }},
        {"float", float_filter},
        {"format", format_filter},
        {"indent", indent_filter},
        {"int", int_filter},
        {"items", items_filter},
        {"join", join_filter},
        {"last", [](const Value& input, Arguments& arguments) { return end_filter(input, arguments, true); }},
        {"length", length_filter},
        {"list", [](const Value& input, Arguments& arguments) -> Value { return elements(arguments, input); }},
        {"lower", [](const Value& input, Arguments&) -> Value { return cased(input.text(), false); }},
        {"map", map_filter},
        {"max", [](const Value& input, Arguments& arguments) { return extreme_filter(input, arguments, true); }},
        {"min", [](const Value& input, Arguments& arguments) { return extreme_filter(input, arguments, false); }},
        {"reject", [](const Value& v, Arguments& arguments) { return select_filter(v, arguments, true, false); }},
        {"rejectattr", [](const Value& v, Arguments& arguments) { return select_filter(v, arguments, true, true); }},
        {"replace", replace_filter},
        {"reverse", reverse_filter},
        {"round", round_filter},
        {"select", [](const Value& v, Arguments& arguments) { return select_filter(v, arguments, false, false); }},
        {"selectattr", [](const Value& v, Arguments& arguments) { return select_filter(v, arguments, false, true); }},
        {"sort", sort_filter},
        {"string", [](const Value& input, Arguments&) -> Value { return input.text(); }},
        {"sum", sum_filter},
        {"title", title_filter},
        {"trim",
         [](const Value& input, Arguments& arguments) -> Value {
             const std::optional<Value> set = arguments.take("chars");
             return trimmed(input.text(), set ? set->text() : blanks);
         }},
        {"unique", unique_filter},
        {"upper", [](const Value& input, Arguments&) -> Value { return cased(input.text(), true); }},
    };
    return table;
}

using Test = bool (*)(const Value&, Arguments&);

bool is_even(const Value& input, Arguments& arguments) {
    return integer_of(arguments.site(), input, "what is tested") % 2 == 0;
}

template <const char* const& op>
bool compares(const Value& input, Arguments& arguments) {
    return apply_comparison(arguments.site(), op, input, arguments.need("other"));
}
constexpr const char *equals = "==", *differs = "!=", *is_less = "<", *is_at_most = "<=", *is_greater = ">",
                     *is_at_least = ">=";

const std::map<std::string, Test, std::less<>>& tests() {
    static const auto& table = *new std::map<std::string, Test, std::less<>>{
        {"boolean", [](const Value& input, Arguments&) { return input.is_bool(); }},
        {"divisibleby",
         [](const Value& input, Arguments& arguments) {
             return equal(arguments.site(), apply_binary(arguments.site(), "%", input, arguments.need("num")), 0);
         }},
        {"eq", compares<equals>},
        {"even", is_even},
        {"float", [](const Value& input, Arguments&) { return input.is_floating(); }},
        {"ge", compares<is_at_least>},
        {"gt", compares<is_greater>},
        {"integer", [](const Value& input, Arguments&) { return input.is_integer(); }},
        {"iterable",
         [](const Value& input, Arguments&) { return input.is_list() || input.is_map() || input.is_string(); }},
        {"le", compares<is_at_most>},
        {"lt", compares<is_less>},
        {"mapping", [](const Value& input, Arguments&) { return input.is_map(); }},
        {"ne", compares<differs>},
        {"none", [](const Value& input, Arguments&) { return input.is_none(); }},
        {"number", [](const Value& input, Arguments&) { return is_number(input); }},
        {"odd", [](const Value& input, Arguments& arguments) { return !is_even(input, arguments); }},
        {"string", [](const Value& input, Arguments&) { return input.is_string(); }},
    };
    return table;
}

template <class Table>
auto find(const Table& table, const char* what, const std::string& name, const Arguments& arguments) {
    const auto found = table.find(name);
    if (found != table.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [word, unused] : table) known.push_back(word);
    arguments.site().fail(text("there is no ", what, " '", name, "'; there are ", join(known)));
}

}  // namespace

Value apply_filter(const std::string& name, const Value& input, TemplateArguments& arguments) {
    const TemplateSite& site = arguments.site();
    site.spend(1);
    if (input.is_string()) site.spend_bytes(input.as_string().size());
    const Value result = find(filters(), "filter", name, arguments)(input, arguments);
    if (result.is_string()) site.spend_bytes(result.as_string().size());
    arguments.finish();
    return result;
}

bool apply_test(const std::string& name, const Value& input, TemplateArguments& arguments) {
    const bool result = find(tests(), "test", name, arguments)(input, arguments);
    arguments.finish();
    return result;
}

}  // namespace gemel::codegen
