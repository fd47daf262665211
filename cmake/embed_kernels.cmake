# Writes a header with the text of *.kernel files, each as a template that is parsed when it is first asked for:
#   cmake -DOUT=<header> -DSPACE=<namespace> -DSTATEMENTS=<ON|OFF> -DFILES=<files> -P embed_kernels.cmake
# With STATEMENTS the line end of each file's last line is left out.
set(header "/// Made from *.kernel files by cmake/embed_kernels.cmake.\n#pragma once\n\n#include <gemel/codegen/kernel_text.hpp>\n
namespace ${SPACE} {\n")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    if(STATEMENTS)
        string(REGEX REPLACE "\n$" "" text "${text}")
    endif()
    string(LENGTH "${text}" length)
    string(FIND "${text}" ")kernel\"" end)
    if(length GREATER 60000 OR NOT end EQUAL -1)
        message(FATAL_ERROR "${file} has ${length} bytes, or `)kernel\"` in it: one string constant cannot hold it")
    endif()
    string(APPEND header "\ninline const codegen::Template& ${name}() {\n    static const codegen::Template& parsed = *new codegen::Template(R\"kernel("
        "${text}" ")kernel\", \"${name}.kernel\", codegen::kernel_template_options);\n    return parsed;\n}\n")
endforeach()
string(APPEND header "\n}  // namespace ${SPACE}\n")
file(WRITE "${OUT}" "${header}")
