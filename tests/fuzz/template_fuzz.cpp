/// Any text whatever as a template and as a pattern for substitution: a result or a gemel::Error, in bounded time.
#include <gemel/codegen/substitute.hpp>
#include <gemel/codegen/template.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using gemel::codegen::Value;
using gemel::codegen::Values;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Values values{{"n", 8},
                               {"wide", UINT64_MAX},
                               {"low", INT64_MIN},
                               {"x", 2.5},
                               {"name", "float"},
                               {"xs", {1, 2, 3}},
                               {"pairs", {{"a", 1}, {"b", 2}}},
                               {"m", Value::Map{{"k", 1}, {"z", {1.5, "s"}}}},
                               {"yes", true},
                               {"none", Value()}};
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    gemel::codegen::TemplateOptions options;
    options.trim_blocks = size % 2 == 1;
    options.lstrip_blocks = size % 4 >= 2;
    options.max_steps = 1 << 16;
    try {
        const gemel::codegen::Template kernel{std::string(text), "fuzz", options};
        (void)kernel.render_with_lines(values).source(gemel::Dialect::cuda());
    } catch (const gemel::Error&) {}
    try {
        (void)gemel::codegen::substitute(text, {{"n", "8"}, {"name", "float"}});
    } catch (const gemel::Error&) {}
    return 0;
}
