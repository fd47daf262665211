/// Operators of templates: Python's, on exact 64-bit integers.
#pragma once

#include "templates/template_nodes.hpp"

namespace gemel::codegen {

/// The steps of one rendering: expressions evaluated, elements and comparisons, blocks of text. They are limited, so
/// that every template terminates.
struct TemplateWork {
    std::uint64_t most, done = 0;
};

/// The position of an operation, for error messages.
struct TemplateSite {
    const TemplateText& source;
    Position position;
    TemplateWork& work;

    void spend(std::size_t steps) const {
        work.done += steps;
        if (work.done > work.most)
            fail("the template takes more than " + std::to_string(work.most) + " steps (TemplateOptions::max_steps)");
    }
    /// Text counts in blocks.
    void spend_bytes(std::size_t bytes) const { spend(bytes / 16); }
    [[noreturn]] void fail(const std::string& message) const { throw source.error(position, message); }
};

/// Maximum elements of a list, and rounds of all loops of a template; more indicate an error in the template.
constexpr std::int64_t max_elements = std::int64_t{1} << 24;
constexpr std::int64_t max_rounds = std::int64_t{1} << 21;
/// Maximum bytes of a string, and of a rendered template.
constexpr std::size_t max_bytes = std::size_t{1} << 28;

/// "+", "-", "*", "/", "//", "%", "**", "~"
Value apply_binary(const TemplateSite& site, const std::string& name, const Value& a, const Value& b);
/// "-", "+", "not"
Value apply_unary(const TemplateSite& site, const std::string& name, const Value& a);
/// "==", "!=", "<", ">", "<=", ">=", "in", "not in"
bool apply_comparison(const TemplateSite& site, const std::string& name, const Value& a, const Value& b);

/// The position of `one` in a text, from a position on; npos if there is none. Takes linear time, which counts as
/// steps.
std::size_t find_text(const TemplateSite& site, const std::string& all, const std::string& one, std::size_t from = 0);

bool equal(const TemplateSite& site, const Value& a, const Value& b);
bool less(const TemplateSite& site, const Value& a, const Value& b);

bool is_number(const Value& value);
/// @throws TemplateError if it is not a number
double floating_of(const TemplateSite& site, const Value& value);
/// @param what  for the message: "range's limit"
std::int64_t integer_of(const TemplateSite& site, const Value& value, const std::string& what);
/// The elements of a list, characters of a string, names of a map.
Value::List elements_of(const TemplateSite& site, const Value& value, const std::string& what);

}  // namespace gemel::codegen
