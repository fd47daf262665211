/// What the tests of templates share.
#pragma once

#include <gemel/codegen/template.hpp>

#include <doctest/doctest.h>

#include <string>

namespace gemel::testing {

using codegen::render;
using codegen::TemplateError;
using codegen::Value;
using codegen::Values;

inline const Values& values() {
    static const Values all{{"n", 8},
                            {"name", "float"},
                            {"xs", {1, 2, 3}},
                            {"pairs", {{"a", 1}, {"b", 2}}},
                            {"m", Value::Map{{"k", 1}, {"z", 2}}},
                            {"half_of", 2.5},
                            {"yes", true}};
    return all;
}

/// What an expression prints.
inline std::string shown(const std::string& expression) { return render("{{ " + expression + " }}", values()); }

inline void check_shown(const std::string& expression, const std::string& expected) {
    CHECK_MESSAGE(shown(expression) == expected, expression, " is ", shown(expression));
}

inline std::string error_of(const std::string& text, const Values& given = values()) {
    try {
        const std::string result = render(text, given);
        return "no error, but: " + result;
    } catch (const TemplateError& error) {
        return error.what();
    }
}

inline bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

}  // namespace gemel::testing
