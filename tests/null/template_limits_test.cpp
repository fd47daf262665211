/// Templates whose loops, lists and searches run into their limits. Not among the sanitized suites, which take minutes
/// for the two million rounds that a template may have.
#include <gemel/codegen/template.hpp>

#include "template_support.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gemel;
using namespace gemel::testing;
using codegen::Template;

TEST_SUITE_BEGIN("codegen");

TEST_CASE("a template has a limit of rounds and of steps") {
    CHECK(has(error_of("{% for a in range(5000) %}{% for b in range(5000) %}{% endfor %}{% endfor %}"), "rounds"));
    // Lists that share their parts, twice the same without being one object.
    std::string shared;
    for (int i = 0; i < 100; ++i) shared += "{% set x = [x, x] %}{% set y = [y, y] %}";
    const std::string unlike = "{% set x = [1] %}{% set y = [1] %}" + shared + "{{ x == y }}";
    codegen::TemplateOptions few;
    few.max_steps = 1 << 16;
    for (const std::string& endless :
         {unlike, std::string("{{ range(1000000)|length }}"), std::string("{{ range(60000)|unique|length }}"),
          std::string("{% for a in range(1000) %}{{ range(1000)|length }}{% endfor %}"),
          std::string("{% for a in range(1000) %}{% set b = 'x' * 10**5 %}{% endfor %}")})
        CHECK_THROWS_WITH_AS(Template(endless, "t", few).render(), doctest::Contains("steps"), codegen::TemplateError);
    CHECK(Template("{{ range(20000)|length }}", "t", few).render() == "20000");
}

TEST_CASE("looking through text counts where each letter begins what is looked for") {
    codegen::TemplateOptions few;
    few.max_steps = 1 << 16;
    const std::string looking = "{% set a = 'x' * 400000 %}{% set b = 'x' * 200000 ~ 'y' %}";
    for (const std::string& search : {std::string("{{ b in a }}"), std::string("{{ a|replace(b, 'z')|length }}"),
                                      std::string("{{ a == a }}"), std::string("{{ a < a }}")})
        CHECK_THROWS_WITH_AS(
            Template(looking + "{% for i in range(10) %}" + search + "{% endfor %}", "t", few).render(),
            doctest::Contains("steps"), codegen::TemplateError);
    CHECK(Template(looking + "{{ b in a }}{{ 'yz' in b ~ 'z' }}{{ (a ~ b)|replace(b, 'z')|length }}", "t").render() ==
          "falsetrue400001");
}

TEST_CASE("what would exhaust the machine is an error") {
    CHECK(has(error_of("{{ range(1000000000000)|length }}"), "elements"));
    CHECK(has(error_of("{{ range(10**9) }}"), "elements"));
    CHECK(has(error_of("{{ 'x' * 1000000000000 }}"), "too long"));
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += '(';
    CHECK(has(error_of("{{ " + deep + " }}"), "nested deeper"));
    std::string chain = "1";
    for (int i = 0; i < 100000; ++i) chain += "+1";
    CHECK(has(error_of("{{ " + chain + " }}"), "nested deeper"));
    std::string blocks;
    for (int i = 0; i < 100000; ++i) blocks += "{% if 1 %}";
    CHECK(has(error_of(blocks), "nested deeper"));
    std::string nested;
    for (int i = 0; i < 100000; ++i) nested += "{% set x = [x] %}";
    CHECK(has(error_of("{% set x = [1] %}" + nested), "nested deeper"));
}

TEST_SUITE_END();
