/// Evaluates the expressions of a template.
#pragma once

#include "templates/template_filters.hpp"

#include <map>
#include <optional>
#include <vector>

namespace gemel::codegen {

/// The names in scope: the caller's values, names that the template has set, loop variables. The innermost takes
/// precedence.
class TemplateNames {
   public:
    TemplateNames(const Values& given, const Values& bound) : given_(given), bound_(bound) { open(); }

    void open() { scopes_.emplace_back(); }
    void close() { scopes_.pop_back(); }
    void set(const std::string& name, Value value) { scopes_.back()[name] = std::move(value); }
    /// Sets a member of a map that the template created, in place; false if there is no map of this name.
    bool set_member(const std::string& map, const std::string& name, const Value& value);
    const Value* find(const std::string& name) const;
    std::vector<std::string> all() const;

    void open_loop() { loops_.emplace_back(); }
    void close_loop() { loops_.pop_back(); }
    /// The last argument of loop.changed in the innermost loop, empty before its first call; null outside of loops.
    std::optional<Value>* last_change() { return loops_.empty() ? nullptr : &loops_.back(); }

   private:
    const Values &given_, &bound_;
    std::vector<std::map<std::string, Value>> scopes_;
    std::vector<std::optional<Value>> loops_;
};

class TemplateEvaluator {
   public:
    TemplateEvaluator(const TemplateText& source, TemplateNames& names, TemplateWork& work)
        : source_(source), names_(names), work_(work) {}

    /// @throws TemplateError, also for a name without a value
    Value evaluate(const TemplateExpression& node) const;

   private:
    /// Empty for a name, a member or an element that does not exist; other errors are thrown.
    std::optional<Value> find(const TemplateExpression& node) const;
    std::optional<Value> find_item(const TemplateSite& site, const Value& base, const Value& index) const;
    Value missing(const TemplateExpression& node) const;
    Value slice(const TemplateExpression& node) const;
    Value call(const TemplateExpression& node) const;
    Value call_of_loop(const TemplateExpression& callee, TemplateArguments& given) const;
    Value filter(const TemplateExpression& node) const;
    bool test(const TemplateExpression& node) const;
    TemplateArguments arguments(const TemplateExpression& node, std::string what) const;
    TemplateSite site(const TemplateExpression& node) const { return {source_, node.position, work_}; }

    const TemplateText& source_;
    TemplateNames& names_;
    TemplateWork& work_;
};

}  // namespace gemel::codegen
