/// Templates: where their operators, maps and filters follow Python's and Jinja2's (3.1) in what is easily got wrong.
#include "template_support.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace gemel;
using namespace gemel::testing;
using codegen::Template;

TEST_SUITE_BEGIN("codegen");

TEST_CASE("division and powers and comparisons are Python's") {
    check_shown("1 // 0.1", "9.0");
    check_shown("-1 // 0.1", "-10.0");
    check_shown("7.5 // -2", "-4.0");
    check_shown("1 % 0.1", "0.09999999999999995");
    check_shown("0.0 % -3", "-0.0");
    check_shown("-0.0 // 3", "-0.0");
    check_shown("2 ** -1", "0.5");
    CHECK(has(error_of("{{ 0 ** -1 }}"), "0 has no negative powers"));
    CHECK(has(error_of("{{ 0.0 ** -1 }}"), "0 has no negative powers"));
    CHECK(has(error_of("{{ (-8) ** 0.5 }}"), "this power of a negative number is not real"));
    CHECK(has(error_of("{{ 10.0 ** 400 }}"), "does not fit a double"));
    check_shown("9007199254740993 == 9007199254740992.0", "false");
    check_shown("9007199254740993 > 9007199254740992.0", "true");
    check_shown("9007199254740992.0 < 9007199254740993", "true");
    check_shown("18446744073709551615 < 18446744073709551616.0", "true");
    check_shown("-9223372036854775808 == -9223372036854775808.0", "true");
    check_shown("3 < 3.5 < 4 and -3 > -3.5 and 1 < 1e300 and -1 > -1e300", "true");
    check_shown("9007199254740993 in [9007199254740992.0]", "false");
    const Values nan{{"nan", std::nan("")}};
    CHECK(render("{{ nan == nan }} {{ nan < 1 }} {{ 1 <= nan }} {{ 1 != nan }}", nan) == "false false false true");
}

TEST_CASE("maps keep the order in which a template makes them") {
    check_shown("{'z': 1, 'a': 2}", "{'z': 1, 'a': 2}");
    check_shown("{'z': 1, 'a': 2, 'z': 3}.items()|list", "[['z', 3], ['a', 2]]");
    check_shown("{'z': 1, 'a': 2}.keys()|join", "za");
    check_shown("{'z': 1, 'a': 2}.values()|join", "12");
    check_shown("{'z': 1, 'a': 2}|items|first|first", "z");
    check_shown("{'z': 1, 'a': 2}|list", "['z', 'a']");
    check_shown("{'z': 1, 'a': 2} == {'a': 2, 'z': 1}", "true");
    CHECK(render("{% set n = namespace(z=1, a=2) %}{% set n.k = 3 %}{% set n.z = 4 %}{{ n }}") ==
          "{'z': 4, 'a': 2, 'k': 3}");
    const Value map = Value::ordered_map({{"z", 1}, {"a", 2}, {"z", 3}});
    CHECK(render("{% for k, v in m.items() %}{{ k }}{{ v }}{% endfor %}", {{"m", map}}) == "z3a2");
    CHECK(render("{{ m }}", {{"m", Value::Map{{"z", 1}, {"a", 2}}}}) == "{'a': 2, 'z': 1}");
    CHECK(map.entries().front()->first == "z");
    CHECK(Value::ordered_map({}).entries().empty());
}

TEST_CASE("what filters find nothing in takes a default") {
    const Values empty{{"e", Value::List{}}};
    CHECK(render("{{ e|first|default('x') }}{{ e|last|d('y') }}{{ e|max|d('z') }}", empty) == "xyz");
    CHECK(render("{{ e|min is defined }} {{ ''|first|d('x') }}", empty) == "false x");
    CHECK(render("{{ ('a' if false)|d('q') }}{{ (u if true else 1)|d('r') }}") == "qr");
    CHECK(render("{{ [3]|first|d(4) }}{{ ('a' if true else u)|d('q') }}") == "3a");
    CHECK(has(error_of("{{ e|first }}", empty), "the sequence is empty"));
    CHECK(has(error_of("{{ e|first(1)|d(2) }}", {{"e", {1}}}), "takes 0 arguments"));
}

TEST_CASE("elements are compared and found by what they call their attributes") {
    check_shown("[{'a': 3}, {'a': 1}]|min(attribute='a')", "{'a': 1}");
    check_shown("[{'a': 3}, {'a': 1}]|max(attribute='a')", "{'a': 3}");
    check_shown("['B', 'a', 'b']|sort", "['a', 'B', 'b']");
    check_shown("['B', 'a']|sort(case_sensitive=true)", "['B', 'a']");
    check_shown("['B', 'a']|min", "a");
    check_shown("['B', 'a']|min(true)", "B");
    check_shown("['B', 'a', 'b']|unique", "['B', 'a']");
    check_shown("['B', 'a', 'b']|unique(true)|length", "3");
    check_shown("[{'a': 1}, {'a': 1}]|unique(attribute='a')", "[{'a': 1}]");
    check_shown("[2, 1]|sort(attribute=none)|join(attribute=none)", "12");
    check_shown("[{'a': 1}, {}]|map(attribute='a', default=7)", "[1, 7]");
    check_shown("[{'a': {'b': 1}}, {}]|map(attribute='a.b', default=7)", "[1, 7]");
    check_shown("[[1, 2], [3, 4]]|map(attribute=1)", "[2, 4]");
    check_shown("[[1, 2], [3, 4]]|sum(attribute=1)", "6");
    CHECK(has(error_of("{{ [{}]|map(attribute='a') }}"), "finds no 'a' in an element"));
    CHECK(has(error_of("{{ [[1]]|map(attribute=1) }}"), "finds no '1' in an element"));
}

TEST_CASE("numbers are read and rounded as in Python") {
    for (const auto& [expression, expected] :
         std::vector<std::pair<std::string, std::string>>{{"'12.7'|int", "12"},
                                                          {"'-12.7'|int", "-12"},
                                                          {"'1e3'|int", "1000"},
                                                          {"' 0x1f '|int(base=0)", "31"},
                                                          {"'-0X1f'|int(base=16)", "-31"},
                                                          {"'12.5'|int(0, 16)", "12"},
                                                          {"'inf'|int(5)", "5"},
                                                          {"'--1'|int(5)", "5"},
                                                          {"'18446744073709551615'|int", "18446744073709551615"},
                                                          {"42|round", "42"},
                                                          {"2.5|round", "2.0"},
                                                          {"45|round(-1)", "40"},
                                                          {"55|round(-1)", "60"},
                                                          {"-45|round(-1)", "-40"},
                                                          {"-46|round(-1)", "-50"},
                                                          {"42|round(-3)", "0"},
                                                          {"1250.0|round(-2)", "1200.0"},
                                                          {"1350.5|round(-2)", "1400.0"},
                                                          {"-1250.5|round(-2)", "-1300.0"},
                                                          {"1234|round(-2, 'floor')", "1200.0"},
                                                          {"1234.5|round(-2, 'ceil')", "1300.0"},
                                                          {"5|round(0, 'ceil')", "5.0"},
                                                          {"3.0|round(-300)", "0.0"},
                                                          {"9007199254740993|round(-1)", "9007199254740990"},
                                                          {"7|round(-20)", "0"}})
        check_shown(expression, expected);
    CHECK(has(error_of("{{ '12.x'|int }}"), "cannot make an integer of '12.x'"));
}

TEST_CASE("a raw block keeps the line end behind its tag") {
    const codegen::TemplateOptions trim{.trim_blocks = true}, strip{.lstrip_blocks = true};
    CHECK(Template("{% raw %}\nx\n{% endraw %}\ny", "t", trim).render() == "\nx\ny");
    CHECK(Template("{% raw -%}\n\n  x\n{% endraw %}\n\ny", "t", trim).render() == "x\n\ny");
    CHECK(Template("a\n  {% raw %}x\n  {% endraw %}\ny", "t", strip).render() == "a\nx\n\ny");
}

TEST_SUITE_END();
