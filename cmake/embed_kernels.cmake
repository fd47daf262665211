# Writes a header with the text of *.kernel files, each as a template that is parsed when it is first asked for:
#   cmake -DOUT=<header> -DSPACE=<namespace> -DFILES=<files> -P embed_kernels.cmake
set(header "/// Made from *.kernel files by cmake/embed_kernels.cmake.\n#pragma once\n\n#include <gemel/codegen/kernel_text.hpp>\n
namespace gemel::codegen::${SPACE} {\n")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(LENGTH "${text}" length)
    string(FIND "${text}" ")kernel\"" end)
    if(length GREATER 60000 OR NOT end EQUAL -1)
        message(FATAL_ERROR "${file} has ${length} bytes, or `)kernel\"` in it: one string constant cannot hold it")
    endif()
    string(APPEND header "\ninline const Template& ${name}() {\n    static const Template& parsed = *new Template(R\"kernel("
        "${text}" ")kernel\", \"${name}.kernel\", kernel_template_options);\n    return parsed;\n}\n")
endforeach()
string(APPEND header "\n}  // namespace gemel::codegen::${SPACE}\n")
file(WRITE "${OUT}" "${header}")
