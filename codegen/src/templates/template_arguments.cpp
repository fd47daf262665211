/// Arguments of filters, tests and functions of templates.
#include "templates/template_filters.hpp"

#include <gemel/core/text.hpp>

namespace gemel::codegen {

std::optional<Value> TemplateArguments::take(const std::string& name) {
    if (taken_ < positional_.size()) return positional_[taken_++];
    for (std::size_t i = 0; i < named_.size(); ++i) {
        if (named_[i].first != name) continue;
        const Value value = named_[i].second;
        named_.erase(named_.begin() + static_cast<std::ptrdiff_t>(i));
        return value;
    }
    return std::nullopt;
}

Value TemplateArguments::need(const std::string& name) {
    if (const std::optional<Value> value = take(name)) return *value;
    fail("needs the argument '" + name + "'");
}

std::string TemplateArguments::need_string(const std::string& name) {
    const Value value = need(name);
    if (!value.is_string()) fail(gemel::text("takes a string as '", name, "', not ", value.kind()));
    return value.as_string();
}

std::int64_t TemplateArguments::take_integer(const std::string& name, std::int64_t otherwise) {
    const std::optional<Value> value = take(name);
    return value ? integer_of(site_, *value, "'" + name + "'") : otherwise;
}

bool TemplateArguments::take_bool(const std::string& name) {
    const std::optional<Value> value = take(name);
    return value && value->truth();
}

std::vector<Value> TemplateArguments::take_rest() {
    std::vector<Value> rest(positional_.begin() + static_cast<std::ptrdiff_t>(taken_), positional_.end());
    taken_ = positional_.size();
    return rest;
}

void TemplateArguments::finish() const {
    if (taken_ < positional_.size())
        fail(gemel::text("takes ", taken_, " argument", taken_ == 1 ? "" : "s", ", got ", positional_.size()));
    if (!named_.empty()) fail("has no argument '" + named_.front().first + "'");
}

}  // namespace gemel::codegen
