/// Templates in Jinja2's syntax: what they print, what they refuse, which line is whose.
#include <gemel/codegen/template.hpp>
#include <gemel/core/source.hpp>

#include "compile/diagnostics.hpp"
#include "template_support.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

using namespace gemel;
using namespace gemel::testing;
using codegen::Template;

namespace {

template <class T>
concept MakesValue = std::is_constructible_v<Value, T>;

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("values are what they are made from") {
    CHECK(Value("text").is_string());
    CHECK(Value(std::string("text")).text() == "text");
    CHECK(Value(true).is_bool());
    CHECK(Value(3).is_integer());
    CHECK(Value(std::size_t{3}).is_integer());
    CHECK(Value(std::int8_t{-3}).text() == "-3");
    CHECK(Value('x').text() == "x");
    CHECK(Value(3.0f).text() == "3.0");
    CHECK(Value(dtype_of<std::int64_t>()).text() == "int64_t");
    CHECK(Value({1, 2, 3}).as_list().size() == 3);
    CHECK(Value(std::vector<int>{1, 2}).text() == "[1, 2]");
    CHECK(Value(std::vector<std::string>{"a", "b"}).text() == "['a', 'b']");
    CHECK(Value(std::array{0.5, 1.0}).text() == "[0.5, 1.0]");
    CHECK(Value(std::vector<bool>{true, false}).text() == "[true, false]");
    CHECK(Value(std::map<std::string, int>{{"a", 1}}).text() == "{'a': 1}");
    CHECK(Value().is_none());
    static_assert(!MakesValue<int*>);
    static_assert(!MakesValue<const void*>);
    static_assert(!MakesValue<std::nullptr_t>);
    static_assert(!MakesValue<long double>);
}

TEST_CASE("64-bit integers are exact") {
    const Values extremes{{"lowest", std::numeric_limits<std::int64_t>::min()},
                          {"highest", std::numeric_limits<std::int64_t>::max()},
                          {"widest", std::numeric_limits<std::uint64_t>::max()}};
    CHECK(render("{{ lowest }} {{ highest }} {{ widest }}", extremes) ==
          "-9223372036854775808 9223372036854775807 18446744073709551615");
    CHECK(render("{{ highest + 1 }} {{ widest - 1 }} {{ -highest - 1 }}", extremes) ==
          "9223372036854775808 18446744073709551614 -9223372036854775808");
    CHECK(render("{{ 9007199254740993 * 3 }}") == "27021597764222979");
    CHECK(render("{{ 2 ** 63 }} {{ 3 ** 40 }}") == "9223372036854775808 12157665459056928801");
    for (const char* too_far : {"{{ widest + 1 }}", "{{ lowest - 1 }}", "{{ widest * widest }}", "{{ 2 ** 64 }}",
                                "{{ 3 ** 1000000000 }}", "{{ lowest // -1 * 4 }}", "{{ 18446744073709551616 }}"})
        CHECK_MESSAGE(has(error_of(too_far, extremes), "fit 64 bits"), too_far);
}

TEST_CASE("floating-point numbers read back equal and look like such") {
    CHECK(shown("0.1") == "0.1");
    CHECK(shown("1.0") == "1.0");
    CHECK(shown("100000.0") == "100000.0");
    CHECK(shown("1e16") == "1e+16");
    CHECK(shown("1e-5") == "1e-05");
    CHECK(shown("-0.0") == "-0.0");
    CHECK(render("{{ x }} {{ x * 3 }} {{ x == 0.1 }}", {{"x", 0.1f}}) == "0.1 0.30000000000000004 true");
    CHECK(render("{{ xs }}", {{"xs", std::vector<float>{1e-5f, -0.0f, 16777216, 1e30f}}}) ==
          "[1e-05, -0.0, 16777216.0, 1e+30]");
    CHECK(render("{{ x }}", {{"x", -HUGE_VALF}}) == "-INFINITY");
    for (const float x : {0.1f, 1.0f / 3, 1e-45f, 1.1754944e-38f, 3.4028235e38f, 16777215.0f})
        CHECK(std::stod(Value(x).text()) == Value(x).as_floating());
    for (const float x : {0.1f, 1.0f / 3, 3.4028235e38f}) CHECK(std::stof(Value(x).text()) == x);
    CHECK(render("{{ x }}", {{"x", -HUGE_VAL}}) == "-INFINITY");
    CHECK(render("{{ x }}", {{"x", std::nan("")}}) == "NAN");
}

TEST_CASE("arithmetic follows Python") {
    for (const auto& [expression, expected] : std::vector<std::pair<std::string, std::string>>{
             {"1 + 2 * 3", "7"},   {"(1 + 2) * 3", "9"},    {"7 // 2", "3"},
             {"-7 // 2", "-4"},    {"7 % -3", "-2"},        {"-7 % 3", "2"},
             {"7 / 2", "3.5"},     {"8 / 2", "4.0"},        {"2 ** 10", "1024"},
             {"2 ** -1", "0.5"},   {"2 ** 3 ** 2", "64"},   {"-2 ** 2", "4"},
             {"5.5 // 2", "2.0"},  {"-5.5 % 2", "0.5"},     {"n - 1 - 1", "6"},
             {"-n|abs", "8"},      {"0x10 + 0b11", "19"},   {"1_000", "1000"},
             {"'ab' * 2", "abab"}, {"yes + 1", "2"},        {"'a' ~ 1 ~ 2.5", "a12.5"},
             {"'x' + 'y'", "xy"},  {"[1] + [2]", "[1, 2]"}, {"1 -1", "0"},
             {"- -n", "8"}})
        check_shown(expression, expected);
}

TEST_CASE("conditions compare and combine") {
    for (const char* truth : {"1 < 2 < 3",
                              "not 1 == 2",
                              "2 in xs",
                              "5 not in xs",
                              "'lo' in name",
                              "n > 4 and n < 10",
                              "n == 8.0",
                              "'a' < 'b'",
                              "[1, 2] < [1, 3]",
                              "n is even",
                              "n is not odd",
                              "n is divisibleby 4",
                              "n is defined",
                              "nothing is not defined",
                              "none is none",
                              "xs is iterable",
                              "name is string",
                              "'k' in m",
                              "[1, [2]] == (1, (2,))",
                              "1 != 'a'"})
        CHECK_MESSAGE(shown(truth) == "true", truth);
    for (const char* falsehood : {"1 < 3 < 2", "nothing is defined", "0 or 0.0 and 1 > 2", "xs == [1, 2]", "not yes"})
        CHECK_MESSAGE(!Value(shown(falsehood) == "true").as_bool(), falsehood);
    CHECK(shown("n and 0 or 7") == "7");
    CHECK(shown("'big' if n > 4 else 'small'") == "big");
    CHECK(shown("1 if 0 else 2 if 0 else 3") == "3");
}

TEST_CASE("lists and strings and maps are indexed and sliced") {
    CHECK(shown("xs[0] + xs[-1]") == "4");
    CHECK(shown("xs[1:]") == "[2, 3]");
    CHECK(shown("xs[:-1]") == "[1, 2]");
    CHECK(shown("xs[::-1]") == "[3, 2, 1]");
    CHECK(shown("name[1:3]") == "lo");
    CHECK(shown("m.k + m['z']") == "3");
    CHECK(shown("{'a': {'b': 3}}.a.b") == "3");
    CHECK(shown("pairs[1][0]") == "b");
    CHECK(shown("[xs, ()]") == "[[1, 2, 3], []]");
}

TEST_CASE("filters do what Jinja's do") {
    for (const auto& [expression, expected] : std::vector<std::pair<std::string, std::string>>{
             {"xs|join(', ')", "1, 2, 3"},
             {"xs|join", "123"},
             {"name|upper", "FLOAT"},
             {"'AB'|lower", "ab"},
             {"name|length", "5"},
             {"xs|first", "1"},
             {"xs|last", "3"},
             {"xs|sum", "6"},
             {"xs|max - xs|min", "2"},
             {"half_of|int", "2"},
             {"'0x1f'|int(base=16)", "31"},
             {"'x'|int(7)", "7"},
             {"n|float", "8.0"},
             {"n|string ~ '!'", "8!"},
             {"nothing|default('x')", "x"},
             {"0|default(4, true)", "4"},
             {"m.q|d(5)", "5"},
             {"'a b c'|replace(' ', '_', 1)", "a_b c"},
             {"'  a '|trim", "a"},
             {"'a\\nb'|indent(2)", "a\n  b"},
             {"'a\\n\\nb'|indent(1, first=true)", " a\n\n b"},
             {"2.567|round(2)", "2.57"},
             {"2.5|round|int", "2"},
             {"2.1|round(method='ceil')", "3.0"},
             {"[3, 1, 2]|sort(reverse=true)|join", "321"},
             {"[1, 1, 2]|unique|list|length", "2"},
             {"['a', 'b']|map('upper')|join", "AB"},
             {"[{'x': 1}, {'x': 2}]|map(attribute='x')|sum", "3"},
             {"[{'x': 1}, {'x': 2}]|join('+', attribute='x')", "1+2"},
             {"'abc'|reverse", "cba"},
             {"'0x%08x'|format(n)", "0x00000008"},
             {"'%-4d|%6.2f|%s'|format(n, half_of, name)", "8   |  2.50|float"}})
        check_shown(expression, expected);
}

TEST_CASE("loops go through ranges and lists") {
    CHECK(render("{% for i in range(4) %}{{ i }},{% endfor %}") == "0,1,2,3,");
    CHECK(
        render("{% for i in range(2, 9, 3) %}{{ i }},{% endfor %}{% for i in range(3, 0, -1) %}{{ i }}{% endfor %}") ==
        "2,5,8,321");
    CHECK(render("{% for x in xs %}{{ loop.index }}{{ loop.index0 }}{{ loop.length }}{% if loop.first %}f{% endif %}"
                 "{% if not loop.last %}, {% endif %}{% endfor %}",
                 values()) == "103f, 213, 323");
    CHECK(render("{% for a, b in pairs %}{{ a }}={{ b }};{% endfor %}", values()) == "a=1;b=2;");
    CHECK(render("{% for k, v in m.items() %}{{ k }}{{ v }}{% endfor %}", values()) == "k1z2");
    CHECK(render("{% for x in [] %}a{% else %}none{% endfor %}") == "none");
    CHECK(render("{% for x in xs if x != 2 %}{{ x }}/{{ loop.length }} {% endfor %}", values()) == "1/2 3/2 ");
    CHECK(render("{% for x in xs %}{% for y in xs %}{{ x * y }} {% endfor %}{{ loop.index }};{% endfor %}", values()) ==
          "1 2 3 1;2 4 6 2;3 6 9 3;");
    CHECK(render("{% for x in xs %}{{ loop.cycle('a', 'b') }}{{ loop.revindex }}{% endfor %}", values()) == "a3b2a1");
    CHECK(render("{% for x in xs %}{{ loop.previtem if not loop.first }}<{{ x }}>{{ loop.nextitem | default('.') }} "
                 "{{ loop.revindex0 }};{% endfor %}",
                 values()) == "<1>2 2;1<2>3 1;2<3>. 0;");
    // Inner loops are no deeper ones: only Jinja2's recursive loops are.
    CHECK(render("{% for x in [1] %}{{ loop.depth }}{% for y in [1] %}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}"
                 "{% endfor %}") == "110");
}

TEST_CASE("a loop knows whether a value has changed since it was last asked") {
    const Values given{{"xs", {1, 1, 2, 2, 3}}};
    CHECK(render("{% for x in xs %}{% if loop.changed(x) %}{{ x }}{% endif %}{% endfor %}", given) == "123");
    CHECK(render("{% for x in xs %}{{ loop.changed(x) }}{{ loop.changed(x, 1) }},{% endfor %}", given) ==
          "truetrue,truetrue,truetrue,truetrue,truetrue,");  // one memory for all
    CHECK(render("{% for x in xs %}{% if loop.changed(x) %}{{ x }}{% for c in 'aab' %}{% if loop.changed(c) %}{{ c }}"
                 "{% endif %}{% endfor %}{% endif %}{% endfor %}",
                 given) == "1ab2ab3ab");
    CHECK(render("{% for x in xs %}{{ loop.changed() }} {% endfor %}", given) == "true false false false false ");
    CHECK(has(error_of("{% for x in xs %}{{ loop.changed(v=x) }}{% endfor %}"), "'changed'"));
    CHECK(has(error_of("{% for x in xs %}{% set loop = 3 %}{{ loop.cycle(1) }}{% endfor %}"),
              "was assigned in this loop"));
    CHECK(has(error_of("{{ loop.changed(1) }}", {{"loop", Value::Map{}}}), "a map has no function 'changed'"));
}

TEST_CASE("set gives names that end with their loop") {
    CHECK(render("{% set y = n * 2 %}{{ y }}", values()) == "16");
    CHECK(render("{% set a, b = 1, 2 %}{{ b }}{{ a }}") == "21");
    CHECK(render("{% set y = 1 %}{% for i in xs %}{% set y = y + i %}{{ y }}{% endfor %}{{ y }}", values()) == "2341");
    CHECK(render("{% if n %}{% set y = 5 %}{% endif %}{{ y }}", values()) == "5");
    CHECK(render("{% set block %}x{{ n }}{% endset %}[{{ block }}]", values()) == "[x8]");
}

TEST_CASE("conditions choose") {
    const char* const text = "{% if n > 10 %}a{% elif n == 9 %}b{% elif n == 8 %}c{% else %}d{% endif %}";
    CHECK(render(text, {{"n", 11}}) == "a");
    CHECK(render(text, {{"n", 9}}) == "b");
    CHECK(render(text, {{"n", 8}}) == "c");
    CHECK(render(text, {{"n", 1}}) == "d");
}

TEST_CASE("comments and raw blocks and braces of C") {
    CHECK(render("a{# {{ x }} {% if %} #}b") == "ab");
    CHECK(render("{% raw %}{{ x }}{% if %}{% endraw %}") == "{{ x }}{% if %}");
    CHECK(render("float x[] = { {1}, {2} }; y %} z }}") == "float x[] = { {1}, {2} }; y %} z }}");
    CHECK(render("{{ {'a': {'b': 1}}['a']['b'] }}}") == "1}");
}

TEST_CASE("a minus in a tag takes blanks away") {
    CHECK(render("a\n{%- for i in range(2) -%}\n  x{{ i }}\n{%- endfor -%}\nb") == "ax0x1b");
    CHECK(render("a\n{% for i in range(2) %}\n  x{{ i }}\n{% endfor %}\nb") == "a\n\n  x0\n\n  x1\n\nb");
    CHECK(render("  {{- 1 -}}  a") == "1a");
    CHECK(render("x {%- raw -%} {{ y }} {%- endraw -%} z") == "x{{ y }}z");
    const Template neat("a\n  {% for i in range(2) %}\n  x{{ i }}\n  {% endfor %}\nb\n", "t",
                        {.trim_blocks = true, .lstrip_blocks = true});
    CHECK(neat.render() == "a\n  x0\n  x1\nb\n");
}

TEST_CASE("errors name line and column and what was expected") {
    try {
        render("int a;\nx = {{ 1 + }};\n");
        FAIL("no error");
    } catch (const TemplateError& error) {
        CHECK(error.line() == 2);
        CHECK(error.column() == 12);
        CHECK(std::string(error.what()) ==
              "template:2:12: expected an expression, found '}}'\n"
              "    x = {{ 1 + }};\n"
              "               ^");
    }
    CHECK_THROWS_AS(Template("{{ x", "t"), ArgumentError);
    CHECK(has(error_of("{{ absent }}", {{"b", 1}, {"a", 2}}), "1:4: there is no value for 'absent'; there are a, b"));
    CHECK(has(error_of("{% for i in range(2) %}\n{{ i }}"),
              "1:4: 'for' is not closed: expected '{% else %}' or '{% endfor %}'"));
    CHECK(has(error_of("{% if n %}{% endfor %}"), "1:14: 'endfor' closes nothing here"));
    CHECK(has(error_of("{% while n %}"), "expected 'for', 'if', 'set' or 'raw', found 'while'"));
    CHECK(has(error_of("{{ n | shout }}"), "there is no filter 'shout'; there are abs, "));
    CHECK(has(error_of("{{ n is round }}"), "there is no test 'round'"));
    CHECK(has(error_of("{{ n + name }}"), "'+' does not take an integer and a string; '~' puts"));
    CHECK(has(error_of("{{ n / 0 }}"), "1:6: division by zero"));
    CHECK(has(error_of("{{ xs[3] }}"), "1:6: the index 3 lies outside of a list of length 3"));
    CHECK(has(error_of("{{ m.q }}"), "the map has no member 'q'; it has k, z"));
    CHECK(has(error_of("{{ n.q }}"), "an integer has no member 'q'"));
    CHECK(has(error_of("{% for a, b in xs %}{% endfor %}"), "expected a list of 2 elements, found an integer"));
    CHECK(has(error_of("{% for a in n %}{% endfor %}"), "expected a list to go through, found an integer"));
    CHECK(has(error_of("{{ 'abc }}"), "this string is not closed"));
    CHECK(has(error_of("a{# b"), "1:2: this comment is not closed"));
    CHECK(has(error_of("{% raw %} a"), "expected '{% endraw %}'"));
    CHECK(has(error_of("{{ 'x'|int }}"), "cannot make an integer of 'x'"));
    CHECK(has(error_of("{{ xs|join(', ', 'x', 3) }}"), "'join'"));
    CHECK(has(error_of("{{ name|upper(3) }}"), "'upper' takes 0 arguments, got 1"));
    CHECK(has(error_of("{{ ? }}"), "unexpected character '?'"));
    CHECK(has(error_of("{{ (1 }}"), "expected ',' or ')', found '}}'"));
}

// Loops and lists that run into their limits stand in template_limits_test.cpp: sanitizers take minutes for them.
TEST_CASE("complaints show as much of a long line as can be read") {
    const std::string wide(3000000, 'w'), message = error_of(wide + "{{ nothing }}" + wide);
    CHECK(has(message, ":1:3000004: there is no value for 'nothing'"));
    CHECK(message.size() < 500);
    const std::size_t shown = message.find("\n    ") + 5, mark = message.find("\n    ", shown) + 5;
    CHECK(message.compare(shown + (message.size() - 1 - mark), 7, "nothing") == 0);  // the mark stands below it
    CHECK(has(message, "...ww"));
    CHECK(error_of(std::string(1000000, ' ') + "{{ " + std::string(100000, 'n') + " }}").size() < 3000);
}

TEST_CASE("every line of the result knows the template's line") {
    const codegen::Rendered rendered = codegen::render_with_lines(
        "a\n{% for i in range(2) %}\n  x{{ i }}\n{% endfor -%}\n\nb {{ t }} c\nd", {{"t", "1\n2"}}, "t");
    CHECK(rendered.text == "a\n\n  x0\n\n  x1\nb 1\n2 c\nd");
    CHECK(rendered.lines == std::vector<int>{1, 2, 3, 2, 3, 6, 6, 7});
    CHECK(codegen::render_with_lines("").lines.empty());
    CHECK(rendered.source(Dialect::cuda()) ==
          "#line 1 \"t\"\na\n\n  x0\n\n#line 3 \"t\"\n  x1\n#line 6 \"t\"\nb 1\n#line 6 \"t\"\n2 c\nd");
}

TEST_CASE("directives keep out of comments and continued lines") {
    const codegen::Rendered rendered =
        codegen::render_with_lines("{% for i in range(2) %}#define A{{ i }} \\\n  1\n/* x\n{% endfor %}y */", {}, "t");
    const std::string source = rendered.source(Dialect::opencl());
    CHECK(!has(source, "\\\n#line"));
    CHECK(source == "#line 1 \"t\"\n#define A0 \\\n  1\n/* x\n#define A1 \\\n  1\n/* x\ny */");
}

TEST_CASE("complaints of compilers are shown at the template's line") {
    const Template kernel(
        "KERNEL void f(GLOBAL_MEM float *x)\n{\n    {%- for i in range(3) %}\n    x[{{ i }}] = y;\n    {%- endfor "
        "%}\n}\n",
        "fill \"it\"");
    const std::string program = kernel.source(Dialect::cuda());
    const std::string message = render(
        CompileReport{"kernel", "a device", program,
                      "fill 'it'(4): error: identifier \"y\" is undefined\n      x[0] = y;\n             ^\n", "", ""});
    CHECK_MESSAGE(has(message, "fill 'it':4:12: identifier \"y\" is undefined"), message);
    CHECK_MESSAGE(has(message, "  > 4 |     x[0] = y;\n      |            ^\n"), message);
}

TEST_CASE("templates are filled many times and can have values bound") {
    const Template kernel("{{ dialect|default('any') }} {{ n }} {{ m }}", "t");
    CHECK(kernel.render({{"n", 1}, {"m", 2}}) == "any 1 2");
    CHECK(kernel.with({{"n", 3}}).render({{"m", 4}}) == "any 3 4");
    CHECK(kernel.with({{"n", 3}, {"m", 5}}).source(Dialect::opencl()) == "#line 1 \"t\"\nopencl 3 5");
    CHECK_THROWS_AS(kernel.render({{"n", 1}}), TemplateError);
    static_assert(SourceProvider<Template> && SourceProvider<codegen::Rendered>);
}

TEST_CASE("sequences are picked from and arranged") {
    check_shown("xs | select('odd') | list", "[1, 3]");
    check_shown("xs | reject('odd') | list", "[2]");
    check_shown("[0, 1, '', 'a'] | select | list", "[1, 'a']");
    check_shown("xs | select('gt', 1) | join(',')", "2,3");
    check_shown("[{'n': 1}, {'n': 2}] | selectattr('n', 'ge', 2) | list", "[{'n': 2}]");
    check_shown("[{'n': 1}, {'n': 2}] | rejectattr('n', 'eq', 2) | list", "[{'n': 1}]");
    check_shown("[1, 2, 3, 4, 5] | batch(2)", "[[1, 2], [3, 4], [5]]");
    check_shown("xs | batch(2, 0)", "[[1, 2], [3, 0]]");
    check_shown("{'b': 1, 'A': 2} | dictsort", "[['A', 2], ['b', 1]]");
    check_shown("{'b': 1, 'A': 2} | dictsort(by='value', reverse=true)", "[['A', 2], ['b', 1]]");
    check_shown("'two words, so-called' | title", "Two Words, So-Called");
    CHECK(has(error_of("{{ xs | batch(0) }}"), "takes a length from 1"));
    CHECK(has(error_of("{{ xs | select('odder') }}"), "there is no test 'odder'"));
}

TEST_CASE("characters may be written by their numbers") {
    check_shown(R"("\x41\x7e")", "A~");
    check_shown(R"("\xe9")", "\xc3\xa9");
    check_shown(R"("\xg1")", "\\xg1");
}

TEST_CASE("what a namespace holds outlives a loop") {
    CHECK(
        render("{% set ns = namespace(sum=0) %}{% for x in xs %}{% set ns.sum = ns.sum + x %}{% endfor %}{{ ns.sum }}",
               values()) == "6");
    CHECK(has(error_of("{% set m.k = 2 %}"), "there is no namespace 'm'"));
    CHECK(has(error_of("{% set none.k = 2 %}"), "there is no namespace 'none'"));
    CHECK(has(error_of("{{ namespace(1) }}"), "takes named values"));
}

TEST_SUITE_END();
