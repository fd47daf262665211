/// Compile errors for people. The logs are what the compilers wrote, verbatim.
#include "compile/compiler_log.hpp"
#include "compile/diagnostics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace gemel;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void check(const Complaint& complaint, const std::string& file, int line, int column, const std::string& message,
           bool is_error = true) {
    CHECK(complaint.file == file);
    CHECK(complaint.line == line);
    CHECK(complaint.column == column);
    CHECK(complaint.message == message);
    CHECK(complaint.is_error == is_error);
}

const std::string cuda_text =
    "extern \"C\" __global__ void f(float* y) {\n"
    "    int i = threadIdx.x;\n"
    "    y[i] = x;\n"
    "\ty[i] = undefined_thing + 1;\n"
    " int unused;\n"
    "}\n";

// NVRTC 13.0
const std::string nvrtc_log = R"log(kernel(3): error: identifier "x" is undefined
      y[i] = x;
             ^

kernel(4): error: identifier "undefined_thing" is undefined
  	y[i] = undefined_thing + 1;
  	       ^

kernel(5): warning #177-D: variable "unused" was declared but never referenced
   int unused;
       ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

2 errors detected in the compilation of "kernel".
)log";

// NVRTC 13.0
const std::string nvrtc_include_log = R"log(bad.h(2): error: identifier "nowhere" is undefined
    return nowhere;
           ^

kernel(3): error: identifier "x" is undefined
    y[0]=x;
         ^

2 errors detected in the compilation of "kernel".
)log";

// NVRTC 13.0
const std::string nvrtc_overload_log =
    R"log(default_program(3): error: no instance of overloaded function "g" matches the argument list
            argument types are: (const char [2])
    y[0]=g("a");__shared__ float big[100000]; big[0]=1; y[1]=big[3];}
         ^
default_program(1): note #3322-D: number of parameters of function "g(float, float)" does not match the call
  __device__ float g(int); __device__ float g(float, float);
                                            ^
default_program(1): note #3326-D: function "g(int)" does not match because argument #1 does not match parameter
  __device__ float g(int); __device__ float g(float, float);
                   ^

1 error detected in the compilation of "default_program".
)log";

// PoCL 3.1
const std::string pocl_log =
    R"log(error: /home/me/.cache/pocl/kcache/tempfile_jTX7Ak.cl:3:12: use of undeclared identifier 'x'
error: /home/me/.cache/pocl/kcache/tempfile_jTX7Ak.cl:4:9: use of undeclared identifier 'undefined_thing'
Device pthread-skylake-avx512 failed to build the program
)log";

// Mesa 22.3, rusticl
const std::string rusticl_log = R"log(In file included from input.cl:1:
./bad.h:1:8: error: unknown type name '__device__'
input.cl:2:38: error: use of undeclared identifier 'g'
input.cl:2:52: error: expected ';' after expression
Error executing LLVM compilation action.
)log";

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("NVRTC's complaints are read with the column of the caret") {
    const auto complaints = parse_compiler_log(nvrtc_log);
    REQUIRE(complaints.size() == 3);
    check(complaints[0], "kernel", 3, 12, "identifier \"x\" is undefined");
    check(complaints[1], "kernel", 4, 9, "identifier \"undefined_thing\" is undefined");
    check(complaints[2], "kernel", 5, 6, "variable \"unused\" was declared but never referenced", false);
}

TEST_CASE("NVRTC's longer messages are one message and its notes are left out") {
    const auto complaints = parse_compiler_log(nvrtc_overload_log);
    REQUIRE(complaints.size() == 1);
    check(complaints[0], "default_program", 3, 8,
          "no instance of overloaded function \"g\" matches the argument list argument types are: (const char [2])");
}

TEST_CASE("NVRTC's complaint about the end of a text has no line") {
    const auto complaints = parse_compiler_log(R"log(At end of source: error: expected a "}"
kernel(1): note #3196-D: to match this "{"
  extern "C" __global__ void f(float* y) {
                                         ^

1 error detected in the compilation of "kernel".
)log");
    REQUIRE(complaints.size() == 1);
    check(complaints[0], "", 0, 0, "expected a \"}\"");
}

TEST_CASE("NVRTC's catastrophic errors are errors") {
    const auto complaints = parse_compiler_log(R"log(kernel(1): catastrophic error: cannot open source file "missing.h"
  #include "missing.h"
                      ^

1 catastrophic error detected in the compilation of "kernel".
Compilation terminated.
)log");
    REQUIRE(complaints.size() == 1);
    check(complaints[0], "kernel", 1, 21, "cannot open source file \"missing.h\"");
}

TEST_CASE("complaints in the forms of clang are read") {
    const auto complaints = parse_compiler_log(
        "kernel:1:56: error: use of undeclared identifier 'x'\n"
        "<kernel>:3:5: warning: expression result unused\n    1 + 2;\n    ~ ^ ~\n"
        "/a path/my: file.cl:12:7: fatal error: 'missing.h' file not found\r\n"
        "kernel:9: error: no column\n"
        "kernel:2:1: note: expanded from macro 'M'\n"
        "2 errors generated.\n");
    REQUIRE(complaints.size() == 4);
    check(complaints[0], "kernel", 1, 56, "use of undeclared identifier 'x'");
    check(complaints[1], "<kernel>", 3, 5, "expression result unused", false);
    check(complaints[2], "/a path/my: file.cl", 12, 7, "'missing.h' file not found");
    check(complaints[3], "kernel", 9, 0, "no column");
}

TEST_CASE("PoCL's complaints with the severity first are read") {
    const auto complaints = parse_compiler_log(pocl_log);
    REQUIRE(complaints.size() == 2);
    check(complaints[0], "/home/me/.cache/pocl/kcache/tempfile_jTX7Ak.cl", 3, 12, "use of undeclared identifier 'x'");
    check(complaints[1], "/home/me/.cache/pocl/kcache/tempfile_jTX7Ak.cl", 4, 9,
          "use of undeclared identifier 'undefined_thing'");
}

TEST_CASE("lines that are no complaints are not taken for any") {
    for (const std::string log : {
             "",
             "\n\n",
             "ptxas error   : Entry function 'f' uses too much shared data (0x61a80 bytes, 0xc000 max)",
             "Error(s) while linking: \nCannot find symbol g in kernel library",
             "(file=input,line=0,column=0,index=0): Unresolved external reference to \"g\".\n\nMissing module.",
             "error: something without a place",
             "kernel(x): error: no number",
             "(3): error: no file",
             ":3:5: error: no file",
             "kernel(3) error: no colon",
             "kernel(99999999999999999999): error: no such line",
             "error:",
             ": error: ",
         }) {
        CAPTURE(log);
        CHECK(parse_compiler_log(log).empty());
    }
}

TEST_CASE("a compile error shows the lines around each complaint") {
    const std::string shown = render({"kernel", "NVIDIA H200 (cuda:0)", cuda_text, nvrtc_log,
                                      "--gpu-architecture=sm_90 -DN=16", "/home/me/.cache/gemel/src/0123.cu"});
    CHECK(shown ==
          "'kernel' did not compile for NVIDIA H200 (cuda:0): 2 errors and 1 warning\n"
          "\n"
          "kernel:3:12: identifier \"x\" is undefined\n"
          "    1 | extern \"C\" __global__ void f(float* y) {\n"
          "    2 |     int i = threadIdx.x;\n"
          "  > 3 |     y[i] = x;\n"
          "      |            ^\n"
          "    4 | \ty[i] = undefined_thing + 1;\n"
          "    5 |  int unused;\n"
          "    6 | }\n"
          "\n"
          "kernel:4:9: identifier \"undefined_thing\" is undefined\n"
          "    1 | extern \"C\" __global__ void f(float* y) {\n"
          "    2 |     int i = threadIdx.x;\n"
          "    3 |     y[i] = x;\n"
          "  > 4 | \ty[i] = undefined_thing + 1;\n"
          "      | \t       ^\n"
          "    5 |  int unused;\n"
          "    6 | }\n"
          "\n"
          "kernel:5:6: warning: variable \"unused\" was declared but never referenced\n"
          "    2 |     int i = threadIdx.x;\n"
          "    3 |     y[i] = x;\n"
          "    4 | \ty[i] = undefined_thing + 1;\n"
          "  > 5 |  int unused;\n"
          "      |      ^\n"
          "    6 | }\n"
          "\n"
          "options: --gpu-architecture=sm_90 -DN=16\n"
          "the whole source is in /home/me/.cache/gemel/src/0123.cu\n");
}

TEST_CASE("a compile error from PoCL shows the program's own name") {
    const std::string shown = render({"axpy", "pthread (opencl:0)", cuda_text, pocl_log, "", ""});
    CHECK(shown.starts_with("'axpy' did not compile for pthread (opencl:0): 2 errors\n\naxpy:3:12: use of"));
    CHECK(has(shown, "  > 3 |     y[i] = x;\n      |            ^\n"));
    CHECK_FALSE(has(shown, "tempfile"));
    CHECK_FALSE(has(shown, "options"));
    CHECK_FALSE(has(shown, "whole source"));
}

TEST_CASE("complaints about included files come without lines of the program") {
    const std::string cuda =
        render({"kernel", "GPU", "#include \"bad.h\"\nvoid f(float* y) {\n  y[0]=x;\n}\n", nvrtc_include_log, "", ""});
    CHECK(has(cuda, "\nbad.h:2:10: identifier \"nowhere\" is undefined\n\nkernel:3:8:"));
    const std::string opencl =
        render({"kernel", "CPU", "#include \"bad.h\"\nvoid f() { g(3); y[0] = 1 }\n", rusticl_log, "", ""});
    CHECK(has(opencl, ": 3 errors\n\n./bad.h:1:8: unknown type name '__device__'\n\nkernel:2:38:"));
}

TEST_CASE("the program is recognised by its name and by where it was kept") {
    const auto shows_lines = [](const std::string& name, const std::string& file, const std::string& kept) {
        return has(render({name, "GPU", "one\ntwo\n", file + ":2:1: error: bad\n", "", kept}), "  > 2 | two\n");
    };
    CHECK(shows_lines("my kernel", "my kernel", ""));
    CHECK(shows_lines("a \"b\"", "a 'b'", ""));
    CHECK(shows_lines("x", "/tmp/kept.cl", "/tmp/kept.cl"));
    CHECK(shows_lines("x", "<kernel>", ""));
    CHECK(shows_lines("x", "input.cl", ""));
    CHECK_FALSE(shows_lines("x", "y", ""));
    CHECK_FALSE(shows_lines("x", "/usr/include/x", ""));
}

TEST_CASE("errors come before warnings and the number shown is limited") {
    std::string log;
    for (int i = 1; i <= 20; ++i) {
        log += "kernel:" + std::to_string(i) + ":1: " + (i % 2 == 0 ? "error: e" : "warning: w") + std::to_string(i) +
               "\n";
    }
    std::string source;
    for (int i = 1; i <= 20; ++i) {
        source += "line " + std::to_string(i) + "\n";
    }
    const std::string shown = render({"kernel", "GPU", source, log, "", ""});
    CHECK(has(shown, ": 10 errors and 10 warnings\n"));
    CHECK(has(shown, "kernel:2:1: e2\n"));
    CHECK(has(shown, "kernel:16:1: e16\n"));
    CHECK_FALSE(has(shown, "e18"));
    CHECK_FALSE(has(shown, "warning: w"));
    CHECK(has(shown, "\nand 12 more\n"));
    // Numbers are aligned.
    CHECK(has(shown, "     9 | line 9\n  > 10 | line 10\n       | ^\n    11 | line 11\n"));
}

TEST_CASE("a complaint about the end of the text shows its last lines") {
    const std::string missing =
        render({"kernel", "GPU", "void f() {\n  g();\n", "At end of source: error: expected a \"}\"\n", "", ""});
    CHECK(has(missing, "\nkernel, at its end: expected a \"}\"\n    1 | void f() {\n  > 2 |   g();\n"));
    const std::string after = render({"kernel", "GPU", "one\ntwo\n", "kernel:3:1: error: expected '}'\n", "", ""});
    CHECK(has(after, "\nkernel:3:1: expected '}'\n    1 | one\n    2 | two\n"));
    const std::string beyond = render({"kernel", "GPU", "one\n", "kernel:7:1: error: bad\n", "", ""});
    CHECK(beyond == "'kernel' did not compile for GPU: 1 error\n\nkernel:7:1: bad\n");
    CHECK(has(render({"kernel", "GPU", "", "kernel:1:1: error: bad\n", "", ""}), "kernel:1:1: bad\n"));
}

TEST_CASE("a log without complaints is shown as it is") {
    const std::string ptxas =
        render({"kernel", "GPU", "text", "ptxas error   : Entry function 'f' uses too much shared data\n", "-O3", ""});
    CHECK(ptxas ==
          "'kernel' did not compile for GPU\n\nThe compiler said:\n"
          "    ptxas error   : Entry function 'f' uses too much shared data\n\noptions: -O3\n");
    CHECK(has(render({"kernel", "GPU", "text", " \n", "", ""}), "The compiler said nothing."));
    std::string log;
    for (int i = 0; i < 100; ++i) {
        log += "some line " + std::to_string(i) + "\n";
    }
    const std::string shown = render({"kernel", "GPU", "text", log, "", ""});
    CHECK(has(shown, "some line 39\n"));
    CHECK_FALSE(has(shown, "some line 40\n"));
    CHECK(has(shown, "and 60 more lines\n"));
    // A warning does not say why the build failed.
    CHECK(
        has(render({"kernel", "GPU", "text", "kernel:1:1: warning: odd\nlink failed\n", "", ""}), "    link failed\n"));
}

TEST_CASE("long lines are cut around the column") {
    const std::string line = std::string(1000, 'a') + "BAD" + std::string(1000, 'b');
    const std::string shown = render({"kernel", "GPU", line + "\n", "kernel:1:1001: error: no\n", "", ""});
    std::istringstream lines(shown);
    std::string code;
    std::string caret;
    while (std::getline(lines, code) && !has(code, "BAD")) {}
    REQUIRE(std::getline(lines, caret));
    CHECK(code.size() < 200);
    CHECK(code.find("BAD") == caret.find('^'));
    CHECK(has(code, "| ...aaa"));
    CHECK(code.ends_with("bbb..."));
    CHECK(render({"kernel", "GPU", line, std::string(100000, 'x'), "", ""}).size() < 1000);
}

TEST_CASE("the caret counts characters where the compiler counts bytes") {
    // Two bytes and three bytes: the compiler's column is 3 more than what is seen.
    const std::string shown = render({"kernel", "GPU", "/*\u00e9\u2192*/ x\n", "kernel:1:11: error: no\n", "", ""});
    CHECK(has(shown, "  > 1 | /*\u00e9\u2192*/ x\n      |        ^\n"));
}

TEST_CASE("the text of a compile error stays short") {
    std::string log;
    for (int i = 1; i <= 1000; ++i) {
        log += "kernel:50:3: error: again\n";
    }
    std::string source;
    for (int i = 1; i <= 100; ++i) {
        source += std::string(5000, 'x') + "\n";
    }
    const std::string shown = render({"kernel", "GPU", source, log, "", ""});
    CHECK(count_lines(shown) < 100);
    CHECK(shown.size() < 20000);
}

TEST_CASE("a log that counts lines of the whole text is renumbered by its line directives") {
    const std::string whole =
        "#define A 1\n#define B 2\n#line 1 \"my_program\"\nKERNEL void f() {\n    a = undeclared;\n#line 7 "
        "\"template\"\n"
        "    b = undeclared;\n}\n";
    // NVIDIA's OpenCL of driver 580: the name of the directive and the line of the text.
    CHECK(gemel::renumber_log("my_program:5:9: error: use of undeclared identifier\n", whole) ==
          "my_program:2:9: error: use of undeclared identifier\n");
    CHECK(gemel::renumber_log("template:7:9: error: x\nno place here\n", whole) ==
          "template:7:9: error: x\nno place here\n");
    CHECK(gemel::renumber_log("<kernel>:1:1: error: x\n", whole) == "<kernel>:1:1: error: x\n");
    CHECK(gemel::renumber_log("other:99:1: error: x\n", whole) == "other:99:1: error: x\n");
}

TEST_CASE("a complaint inside a macro stands where the macro is used") {
    const auto complaints = parse_compiler_log(
        "error: my.tpl:6:10 <Spelling=my.tpl:3:4>: use of undeclared identifier 'oops'\n"
        "my.tpl:7:2 <Spelling=my.tpl:3:4>: error: expected expression\n");
    REQUIRE(complaints.size() == 2);
    check(complaints[0], "my.tpl", 6, 10, "use of undeclared identifier 'oops'");
    check(complaints[1], "my.tpl", 7, 2, "expected expression");
}

TEST_CASE("of lines with one number that is marked which reaches as far as the column") {
    const std::string shown = render({.name = "my.tpl",
                                      .device = "a device",
                                      .text = "#line 7 \"my.tpl\"\n\n#line 7 \"my.tpl\"\n    y = oops;\n",
                                      .log = "my.tpl:7:9: error: use of undeclared identifier 'oops'\n",
                                      .options = "",
                                      .kept_source = ""});
    CHECK_MESSAGE(has(shown, "  > 7 |     y = oops;"), shown);
}

TEST_CASE("of lines with one number that is marked which the complaint is about") {
    const auto shown = [](const std::string& log) {
        return render({.name = "my.tpl",
                       .device = "a device",
                       .text = "#line 7 \"my.tpl\"\n    y = first;  \n#line 7 \"my.tpl\"\n    z = oops;\n",
                       .log = log,
                       .options = "",
                       .kept_source = ""});
    };
    const std::string expected = "  > 7 |     z = oops;\n      |         ^\n";
    const std::string by_word = shown("error: my.tpl:7:9: use of undeclared identifier 'oops'\n");
    CHECK_MESSAGE(has(by_word, expected), by_word);
    const std::string by_line = shown("my.tpl(7): error: it is wrong\n      z = oops;\n          ^\n");
    CHECK_MESSAGE(has(by_line, expected), by_line);
}

TEST_SUITE_END();
