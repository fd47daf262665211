/// What codegen prints for CUDA is compiled to machine code, for three architectures.
#include "../codegen_programs.hpp"
#include "../nvrtc.hpp"

#include <doctest/doctest.h>

using namespace gemel;
using namespace codegen_programs;

namespace {

void check_compiles(const std::string& name, const std::string& text) {
    for (const char* architecture : some_of({"sm_75", "sm_80", "sm_90"})) {
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, architecture);
        CHECK_MESSAGE(result.succeeded, name, " for ", architecture, "\n", result.log);
        CHECK_MESSAGE(result.log.find("warning") == std::string::npos, name, " for ", architecture, "\n", result.log);
    }
}

}  // namespace

TEST_SUITE_BEGIN("codegen");

TEST_CASE("printed trees compile without a warning") {
    for (const auto& [name, text] : codegen_programs::all(Dialect::cuda())) check_compiles(name, text);
}

TEST_CASE("tables of 16-bit floats and complex numbers compile without a warning") {
    check_compiles("tables", special_tables().source(Dialect::cuda()));
}

TEST_CASE("filled templates compile with their line directives") {
    const cg::Template kernel(add_template, "add.template");
    check_compiles(
        "template",
        kernel.with({{"type_name", "float"}, {"block_size", 8}, {"thread_block_size", 64}}).source(Dialect::cuda()));
}

TEST_CASE("a mistake in a template is reported at the template's line") {
    const cg::Template kernel(
        "KERNEL void f(GLOBAL_MEM float *x)\n{\n{% for i in range(9) %}\n    x[{{ i }}] = {{ i }} +;\n{% endfor "
        "%}\n}\n",
        "broken");
    const std::string text = kernel.source(Dialect::cuda());
    const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), text) + text, "sm_90");
    CHECK(!result.succeeded);
    CHECK_MESSAGE(result.log.find("broken(4): error") != std::string::npos, result.log);
    CHECK_MESSAGE(result.log.find("broken(5)") == std::string::npos, result.log);
}

TEST_CASE("a struct that lies otherwise on the device does not compile") {
    StructLayout layout = *dtype_of<science::Spin>().layout();
    const std::string right = cg::struct_declaration(layout, Dialect::cuda());
    for (const char* number : {"== 8", "== 4", "== 6"}) {
        std::string wrong = right;
        wrong.replace(wrong.find(number), 4, "== 7");
        const Nvrtc::Result result = Nvrtc::instance()->compile(prelude(Dialect::cuda(), wrong) + wrong, "sm_90");
        CHECK(!result.succeeded);
        CHECK_MESSAGE(result.log.find("Spin_has_") != std::string::npos, result.log);
    }
    check_compiles("struct", right);
}

TEST_SUITE_END();
