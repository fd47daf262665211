#include "kernel_file.hpp"

#include <gemel/codegen/template.hpp>
#include <gemel/codegen/tuning_value.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/text.hpp>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace gemel::tools {
namespace {

std::string trimmed(const std::string& word) {
    constexpr const char* blanks = " \t\r";
    const std::size_t first = word.find_first_not_of(blanks);
    return first == std::string::npos ? "" : word.substr(first, word.find_last_not_of(blanks) - first + 1);
}

/// The words between commas that are not in brackets.
std::vector<std::string> list_of(const std::string& value) {
    std::vector<std::string> words(1);
    int depth = 0;
    for (const char c : value) {
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (c == ',' && depth <= 0)
            words.emplace_back();
        else
            words.back() += c;
    }
    for (std::string& word : words) word = trimmed(word);
    std::erase(words, std::string());
    return words;
}

template <class... Parts>
[[noreturn]] void refuse(const std::string& place, const Parts&... parts) {
    throw Error(text(place, ": ", parts...));
}

codegen::Value parameter_value(const std::string& place, const std::string& word) {
    codegen::Value value = tune::value_of_word(word);
    const std::size_t digits = word.starts_with('-') ? 1 : 0;
    const bool is_integer = word.size() > digits && word.find_first_not_of("0123456789", digits) == std::string::npos;
    if (is_integer && !value.is_signed()) refuse(place, "expected integers from -2^63 to 2^63 - 1, got ", word);
    return value;
}

tune::Parameter parameter_of(const std::string& place, const std::string& value) {
    const std::size_t equals = std::min(value.find('='), value.size());
    tune::Parameter parameter{.name = trimmed(value.substr(0, equals)), .values = {}};
    if (equals < value.size())
        for (const std::string& word : list_of(value.substr(equals + 1)))
            parameter.values.push_back(parameter_value(place, word));
    const char* const missing = equals == value.size()     ? "'='"
                                : parameter.name.empty()   ? "name"
                                : parameter.values.empty() ? "value"
                                                           : nullptr;
    if (missing) refuse(place, "expected \"// tune parameter NAME = VALUE, VALUE, ...\", got no ", missing);
    return parameter;
}

TuneComment axes_of(const std::string& place, const std::string& value) {
    TuneComment comment{place, list_of(value)};
    if (comment.words.size() > 3) refuse(place, "expected the extents of at most 3 axes, got ", comment.words.size());
    return comment;
}

/// Adds the contents of a comment, which is "KEY VALUE".
void read_comment(KernelFile& file, const std::string& place, const std::string& comment) {
    const std::string key = comment.substr(0, comment.find(' '));
    const std::string value = trimmed(comment.substr(key.size()));
    if (key == "parameter")
        file.parameters.push_back(parameter_of(place, value));
    else if (key == "constraint")
        file.constraints.push_back(value);
    else if (key == "kernel")
        file.kernel = value;
    else if (key == "grid")
        file.grid = axes_of(place, value);
    else if (key == "block")
        file.block = axes_of(place, value);
    else if (key == "arguments")
        file.arguments = {place, list_of(value)};
    else
        refuse(place, "expected kernel, parameter, constraint, grid, block or arguments after \"tune\"");
}

/// The value of an expression, as text.
std::string evaluated(const std::string& place, const std::string& expression, const codegen::Values& values = {}) {
    try {
        return codegen::render("{{ " + expression + " }}", values);
    } catch (const codegen::TemplateError& error) {
        refuse(place, error.what());
    }
}

/// A number, with a range that depends on its type. @param expected  for the message
template <class T>
T number_of(const std::string& place, const std::string& word, const std::string& expected) {
    T value{};
    const char* const end = word.data() + word.size();
    const auto [stop, failure] = std::from_chars(word.data(), end, value);
    if (failure != std::errc() || stop != end) refuse(place, "expected ", expected, ", got '", word, "'");
    return value;
}

/// The value of an expression as an integer; floating-point numbers are rounded towards 0.
template <class T>
T integer_of(const std::string& place, const std::string& expression, const std::string& expected,
             const codegen::Values& values = {}) {
    return number_of<T>(place, evaluated(place, "(" + expression + ") | int", values), expected);
}

std::int64_t at_least(std::int64_t minimum, const std::string& place, const std::string& expression,
                      const codegen::Values& values = {}) {
    const std::string expected = text("an integer from ", minimum, " to 2^63 - 1 as the value of ", expression);
    const auto value = integer_of<std::int64_t>(place, expression, expected, values);
    if (value < minimum) refuse(place, "expected ", expected, ", got ", value);
    return value;
}

AnyArray array_of(const std::string& place, const std::string& word) {
    const std::size_t open = word.find('[');
    const std::string type = trimmed(word.substr(0, open));
    const DType dtype = parse_type(type);
    if (dtype.empty())
        refuse(place, "the argument \"", word, "\": expected an element type such as float, got '", type, "'");
    if (!word.ends_with(']')) refuse(place, "the argument \"", word, "\": expected TYPE[COUNT], got no ']' at the end");
    const std::string count = word.substr(open + 1, word.size() - open - 2);
    const AnyArray array(current_context(), dtype, Shape{at_least(0, place, count)});
    if (dtype.is_floating())
        array.fill(0.5);
    else
        array.fill(std::int64_t{0});
    return array;
}

tune::TunedArgument value_of(const std::string& place, const std::string& word) {
    const std::size_t blank = word.find(' ');
    if (blank == std::string::npos)
        refuse(place, "the argument \"", word, "\": expected TYPE[COUNT] or TYPE VALUE, such as \"int32_t 3\"");
    const std::string type = word.substr(0, blank), value = word.substr(blank + 1);
    const std::string expected = "a value of " + type;
    if (type == "float") return number_of<float>(place, evaluated(place, value), expected);
    if (type == "double") return number_of<double>(place, evaluated(place, value), expected);
    if (type == "int" || type == "int32_t") return integer_of<std::int32_t>(place, value, expected);
    if (type == "int64_t") return integer_of<std::int64_t>(place, value, expected);
    if (type == "uint32_t") return integer_of<std::uint32_t>(place, value, expected);
    if (type == "uint64_t") return integer_of<std::uint64_t>(place, value, expected);
    refuse(place, "the argument \"", word,
           "\": expected a value of float, double, int32_t, int64_t, uint32_t or uint64_t");
}

}  // namespace

KernelFile read_kernel_file(const std::string& name) {
    if (std::error_code failure; std::filesystem::is_directory(name, failure))
        throw Error(text(name, " is a folder; give a kernel file"));
    std::ifstream in(name);
    KernelFile file;
    file.source.assign(std::istreambuf_iterator<char>(in), {});
    if (!in.good() && file.source.empty()) throw Error(text("cannot read ", name, "; give a kernel file"));
    std::istringstream lines(file.source);
    int number = 0;
    for (std::string given; std::getline(lines, given);) {
        ++number;
        constexpr std::string_view start = "// tune ";
        const std::string line = trimmed(given);
        if (line.starts_with(start))
            read_comment(file, text(name, ":", number, ": \"", line, "\""), line.substr(start.size()));
    }
    for (const auto& [what, is_missing] :
         {std::pair{"kernel NAME", file.kernel.empty()}, std::pair{"parameter NAME = VALUES", file.parameters.empty()},
          std::pair{"grid EXPRESSIONS", file.grid.words.empty()},
          std::pair{"block EXPRESSIONS", file.block.words.empty()},
          std::pair{"arguments LIST", file.arguments.words.empty()}})
        if (is_missing) throw Error(text(name, ": expected a line \"// tune ", what, "\", got none; add it"));
    return file;
}

Dim3 extents(const TuneComment& comment, const tune::Point& point) {
    const codegen::Values values{point.values().begin(), point.values().end()};
    std::array<std::int64_t, 3> extent{1, 1, 1};
    for (std::size_t axis = 0; axis < comment.words.size(); ++axis)
        extent[axis] = at_least(1, comment.place, comment.words[axis], values);
    return {extent[0], extent[1], extent[2]};
}

std::vector<tune::TunedArgument> arguments_of(const TuneComment& comment) {
    std::vector<tune::TunedArgument> arguments;
    for (const std::string& word : comment.words)
        if (word.find('[') != std::string::npos)
            arguments.emplace_back(array_of(comment.place, word));
        else
            arguments.push_back(value_of(comment.place, word));
    return arguments;
}

}  // namespace gemel::tools
