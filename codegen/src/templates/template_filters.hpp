/// Filters ("x | upper") and tests ("x is odd") of templates.
#pragma once

#include "templates/template_arithmetic.hpp"

#include <optional>

namespace gemel::codegen {

/// The arguments of a filter, test or function.
class TemplateArguments {
   public:
    TemplateArguments(const TemplateSite& site, std::string what, std::vector<Value> positional,
                      std::vector<std::pair<std::string, Value>> named)
        : site_(site), what_(std::move(what)), positional_(std::move(positional)), named_(std::move(named)) {}

    const TemplateSite& site() const { return site_; }
    [[noreturn]] void fail(const std::string& message) const { site_.fail("'" + what_ + "' " + message); }
    const std::vector<Value>& positional() const { return positional_; }

    /// The next argument, by position or by name, if it is given.
    std::optional<Value> take(const std::string& name);
    Value need(const std::string& name);
    std::string need_string(const std::string& name);
    std::int64_t take_integer(const std::string& name, std::int64_t otherwise);
    bool take_bool(const std::string& name);
    std::vector<Value> take_rest();
    /// @throws TemplateError if an argument has not been used
    void finish() const;

   private:
    TemplateSite site_;
    std::string what_;
    std::vector<Value> positional_;
    std::vector<std::pair<std::string, Value>> named_;
    std::size_t taken_ = 0;
};

/// @throws TemplateError listing the filters
Value apply_filter(const std::string& name, const Value& input, TemplateArguments& arguments);
/// Filters in other files: `format`, and those of numbers.
Value format_filter(const Value& input, TemplateArguments& arguments);
Value abs_filter(const Value& input, TemplateArguments& arguments);
Value float_filter(const Value& input, TemplateArguments& arguments);
Value int_filter(const Value& input, TemplateArguments& arguments);
Value round_filter(const Value& input, TemplateArguments& arguments);
bool apply_test(const std::string& name, const Value& input, TemplateArguments& arguments);

}  // namespace gemel::codegen
