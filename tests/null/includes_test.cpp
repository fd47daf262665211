/// Which files a kernel's text depends on.
#include "compile/includes.hpp"

#include <gemel/core/error.hpp>

#include <doctest/doctest.h>

#include "compile/option_files.hpp"
#include "scratch.hpp"

using namespace gemel;
using namespace gemel::testing;

namespace {

/// A folder "one" and a folder "two" with headers in them.
struct Folders {
    ScratchFolder scratch;
    std::filesystem::path one = scratch / "one", two = scratch / "two";

    void write(const std::string& name, std::string_view content) const { write_file(scratch / name, content); }

    Includes follow(std::string_view text, const std::filesystem::path& directory_of_text = {}) const {
        return follow_includes(text,
                               {.named = {one, two}, .of_text = directory_of_text, .perhaps = {}, .of_compiler = {}});
    }

    /// The files found, relative to the scratch folder.
    std::vector<std::string> names(std::string_view text, const std::filesystem::path& directory_of_text = {}) const {
        std::vector<std::string> out;
        for (const auto& file : follow(text, directory_of_text).files) {
            out.push_back(file.path.lexically_relative(scratch.path()).string());
        }
        return out;
    }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("included files are found in the order of the folders") {
    const Folders folders;
    folders.write("one/a.h", "int a;");
    folders.write("two/a.h", "wrong");
    folders.write("two/b.h", "int b;\n");
    const Includes found =
        folders.follow("#include <a.h>\n  #  include\t\"b.h\"\n#include <cuda_fp16.h>\n#include \"no.h\"\n");
    REQUIRE(found.files.size() == 2);
    CHECK(found.files[0].path == folders.one / "a.h");
    CHECK(found.files[0].text == "int a;");
    CHECK(found.files[1].text == "int b;\n");
    CHECK(found.unresolved == Names{"cuda_fp16.h", "no.h"});
    CHECK(found.cacheable);
    CHECK(found.why_not.empty());
}

TEST_CASE("quoted names are searched beside the includer first and bracketed ones are not") {
    const Folders folders;
    folders.write("one/a.h", "");
    folders.write("main/a.h", "#include \"sub/b.h\"");
    folders.write("main/sub/b.h", "#include \"c.h\"\n#include <d.h>");
    folders.write("main/sub/c.h", "");
    folders.write("main/sub/d.h", "wrong");
    folders.write("two/c.h", "wrong");
    folders.write("two/d.h", "");
    CHECK(folders.names("#include \"a.h\"", folders.scratch / "main") ==
          Names{"main/a.h", "main/sub/b.h", "main/sub/c.h", "two/d.h"});
    CHECK(folders.names("#include <a.h>", folders.scratch / "main") == Names{"one/a.h"});
    CHECK(folders.names("#include \"a.h\"") == Names{"one/a.h"});
}

TEST_CASE("each file comes once and cycles end") {
    const Folders folders;
    folders.write("one/a.h", "#include \"b.h\"\n#include \"a.h\"");
    folders.write("one/b.h", "#include <a.h>\n#include \"../one/b.h\"\n#include \"no.h\"");
    const Includes found = folders.follow("#include <b.h>\n#include <a.h>\n#include \"no.h\"");
    REQUIRE(found.files.size() == 2);
    CHECK(found.files[0].path.filename() == "b.h");
    CHECK(found.files[1].path.filename() == "a.h");
    CHECK(found.unresolved == Names{"no.h"});
}

TEST_CASE("includes in comments and literals do not count") {
    const Folders folders;
    folders.write("one/a.h", "");
    const char* const texts[] = {
        "// #include <a.h>\n",
        "// continued \\\n#include <a.h>\n",
        "/*\n#include <a.h>\n*/",
        "const char* s = \"\\\n#include <a.h>\\n\";",
        "const char* s = R\"(\n#include <a.h>\n)\";",
        "const char* s = R\"x(\n)\"\n#include <a.h>\n)x\";",
        "int i; #include <a.h>",
        "#define include <a.h>",
        "#define INCLUDE #include <a.h>",
        "#pragma include <a.h>",
        "#includes <a.h>",
        "\"/*\" /* \n#include <a.h>\n\"*/\"",
    };
    for (const std::string text : texts) {
        CAPTURE(text);
        CHECK(folders.names(text).empty());
        CHECK(folders.follow(text).unresolved.empty());
        // What is a raw literal in C++ may be directives in C.
        CHECK(folders.follow(text).cacheable == (text.find("R\"") == std::string::npos));
    }
}

TEST_CASE("includes count wherever the compiler sees them") {
    const Folders folders;
    folders.write("one/a.h", "");
    folders.write("one/x//y.h", "");
    const char* const texts[] = {
        "#include <a.h>",
        "\t #include\"a.h\"",
        "/* c */ # /* c */ include /* c */ <a.h> // c",
        "#inc\\\nlude <a.h>",
        "#inc\\ \t\nlude <a.h>",
        "// c \\ \n#include <a.h>",
        "%:include <a.h>",
        " %: /* c */ include \"a.h\"",
        "#include \\\r\n <a.h>\r\n",
        "#if 0\n#include <a.h>\n#endif",
        "#if 0\ndon't\n#include <a.h>\n#endif",
        "char c = '\"';\n#include <a.h>",
        "char c = '\\'';\n#include <a.h>",
        "int i = 1'000'000;\n#include <a.h>",
        "const char* s = \"//\";\n#include <a.h>",
        "const char* s = \"\\\\\";\n#include <a.h>",
        "const char* s = R\"(\"/*)\";\n#include <a.h>",
        "#define R \nconst char* s = R\"( text\";\n#include <a.h>",
        "int x = 1 / 2; /**/\n#include <a.h>",
        "/*/ one comment */\n#include <a.h>",
        "\n\n\f\v#include <a.h>",
    };
    for (const std::string text : texts) {
        CAPTURE(text);
        CHECK(folders.names(text) == Names{"one/a.h"});
    }
    CHECK(folders.follow("#include <x//y.h>").files.size() == 1);
}

TEST_CASE("a file whose presence is asked for counts as included") {
    const Folders folders;
    folders.write("one/a.h", "");
    const Includes found = folders.follow(
        "#if defined(__has_include) && __has_include ( <a.h> ) && __has_include(\"no.h\")\n#endif\n"
        "#ifdef __has_include\n#endif\n");
    CHECK(found.files.size() == 1);
    CHECK(found.unresolved == Names{"no.h"});
    CHECK(found.cacheable);
    for (const std::string text : {"#if __has_include(NAME)\n#endif", "#define HAS(x) __has_include(x)",
                                   "#define HAS __has_include", "int i = __has_include(NAME);"}) {
        CAPTURE(text);
        CHECK(folders.follow(text).why_not == "the program: it has a computed __has_include");
    }
}

TEST_CASE("text that may mean something else tomorrow is not to be cached") {
    const Folders folders;
    folders.write("one/date.h", "int i; // nothing\nconst char* d = __DATE__;");
    folders.write("one/uses.h", "#include \"date.h\"");
    const std::pair<const char*, const char*> texts[] = {
        {"const char* t = __TIME__;", "the program: it uses __TIME__"},
        {"#define STAMP __TIMESTAMP__", "the program: it uses __TIMESTAMP__"},
        {"#include NAME", "the program: it has a computed #include"},
        {"#include", "the program: it has a computed #include"},
        {"#include <a.h\n>", "the program: it has a computed #include"},
        {"#include_next <a.h>", "the program: it uses #include_next"},
        {"#embed \"data\"", "the program: it uses #embed"},
        {"#if __has_include_next(<a.h>)", "the program: it uses __has_include_next"},
        {"#if __has_embed(\"a\")", "the program: it uses __has_embed"},
        {"?\?=include <a.h>", "the program: it has trigraphs"},
        {"#inc?\?/\nlude <a.h>", "the program: it has trigraphs"},
        {"// c\r#include <a.h>", "the program: it has lines that end in a single carriage return"},
        {"asm(\".incbin \\\"data\\\"\");", "the program: it uses .incbin"},
        {"#include <uses.h>\n#include NAME", "the program: it has a computed #include"},
    };
    for (const auto& entry : texts) {
        const std::string text = entry.first;
        CAPTURE(text);
        const Includes found = folders.follow(text);
        CHECK_FALSE(found.cacheable);
        CHECK(found.why_not == entry.second);
    }
    const Includes through_header = folders.follow("#include <uses.h>");
    CHECK_FALSE(through_header.cacheable);
    CHECK(through_header.why_not == (folders.one / "date.h").string() + ": it uses __DATE__");
    for (const std::string text : {"// __DATE__", "\"__DATE__\"", "int my__DATE__;", "int __DATE__x;", "'__TIME__'"}) {
        CAPTURE(text);
        CHECK(folders.follow(text).cacheable);
    }
}

TEST_CASE("a folder or a pipe is no header") {
    const Folders folders;
    std::filesystem::create_directories(folders.one / "a.h");
    CHECK(folders.follow("#include <a.h>").unresolved == Names{"a.h"});
    folders.write("two/a.h", "");
    CHECK(folders.names("#include <a.h>") == Names{"two/a.h"});
    const std::string absolute = (folders.two / "a.h").string();
    CHECK(folders.names("#include \"" + absolute + "\"") == Names{"two/a.h"});
}

TEST_CASE("files that another compiler would take count beside the one that is found") {
    const Folders folders;
    folders.write("one/a.h", "1");
    folders.write("here/a.h", "2");
    folders.write("here/b.h", "#include \"c.h\"");
    folders.write("here/c.h", "");
    folders.write("toolkit/cuda_fp16.h", "#include \"cuda_fp16.hpp\"");
    const IncludeFolders search{.named = {folders.one},
                                .of_text = {},
                                .perhaps = {folders.scratch / "here"},
                                .of_compiler = {folders.scratch / "toolkit"}};
    const Includes found = follow_includes("#include <a.h>\n#include <b.h>\n#include <cuda_fp16.h>\n", search);
    Names names;
    for (const auto& file : found.files) names.push_back(file.path.lexically_relative(folders.scratch.path()).string());
    CHECK(names == Names{"one/a.h", "here/a.h", "here/b.h", "here/c.h"});
    CHECK(found.unresolved == Names{"cuda_fp16.h"});
    REQUIRE(found.stamps.size() == 1);
    CHECK(found.stamps[0].starts_with((folders.scratch / "toolkit/cuda_fp16.h").string() + " 24 "));
    CHECK(found.cacheable);
}

TEST_CASE("files may include each other 200 deep and no deeper") {
    const Folders folders;
    const auto chain = [&](int length) {
        for (int i = 0; i < length; ++i)
            folders.write("one/h" + std::to_string(i),
                          i + 1 < length ? "#include \"h" + std::to_string(i + 1) + "\"" : "");
    };
    chain(200);
    CHECK(folders.follow("#include <h0>").files.size() == 200);
    for (const int length : {201, 3000}) {
        chain(length);
        CHECK_THROWS_WITH_AS(folders.follow("#include <h0>"), doctest::Contains("200 levels deep"), Error);
    }
    // Beside each other there may be more.
    std::string all;
    for (int i = 0; i < 300; ++i) {
        folders.write("two/w" + std::to_string(i), "");
        all += "#include <w" + std::to_string(i) + ">\n";
    }
    CHECK(folders.follow(all).files.size() == 300);
}

TEST_CASE("a header of terabytes is refused by name and size") {
    const Folders folders;
    folders.write("one/a.h", "");
    std::filesystem::resize_file(folders.one / "a.h", std::uintmax_t{1} << 42);
    const std::string said = "expected at most 256 MiB of text, got 4 TiB in " + (folders.one / "a.h").string();
    CHECK_THROWS_WITH_AS(folders.follow("#include <a.h>"), doctest::Contains(said.c_str()), Error);
}

TEST_CASE("options are read for the files that they name") {
    const auto folders = [](const std::vector<std::string>& words) {
        std::string all;
        for (const auto& folder : files_of_options(words).folders) all += folder.string() + ";";
        return all;
    };
    CHECK(folders({"-I/a", "-I", "/b", "-I /c", "--include-path=/d", "--include-path", "/e", "-I=/f"}) ==
          "/a;/b;/c;/d;/e;/f;");
    CHECK(folders({"-isystem", "/a", "-iquote/b", "-idirafter /c", "-I"}) == "/a;/b;/c;");
    CHECK(folders({"-I/with a blank"}) == "/with a blank;/with;");
    CHECK(folders({"-O3", "-DI=-I", "--std=c++17", "-cl-fast-relaxed-math", "-g"}).empty());
    CHECK(files_of_options({"-O3", "-DX=\"text\"", "-cl-std=CL1.2", "--maxrregcount", "32"}).why_not.empty());
    CHECK(files_of_options({"--pre-include=a.h", "-include", "b.h", "-imacros", "c.h"}).included ==
          Names{"a.h", "b.h", "c.h"});
    for (const std::string word : {"@file", "-include-pch x", "-isysroot", "-Xclang", "-DNOW=__TIME__", "-I\"/a\"",
                                   "--pre-include='a.h'", "--use-pch=x", "--sysroot=/x", "-fplugin=x.so"}) {
        CAPTURE(word);
        CHECK_FALSE(files_of_options({word}).why_not.empty());
    }
}

TEST_CASE("unfinished text is read to its end") {
    const Folders folders;
    for (const std::string text : {"", "#", "/*", "\"", "'", "R\"(", "R\"", "#include <", "#include \"", "\\", "\\\r",
                                   "/", "1'", "__has_include", "__has_include(", "\"\\", "# /*"}) {
        CAPTURE(text);
        CHECK(folders.follow(text).files.empty());
    }
}

TEST_SUITE_END();
