# gemel_add_backend_tests(<target> [BACKENDS cuda opencl] [ARGUMENTS ...] [LABELS ...] [ENVIRONMENT ...] [TIMEOUT <seconds>])
#
# One CTest per backend, "cuda.<target>" and "opencl.<target>", which runs the program with GEMEL_BACKEND set:
# gemel::devices(), compare_backends() and the doctest macros then keep to that backend. A program that finds no such
# device must end with 77, and shows as Skipped, never as passed. Comparison::exit_code() is 77 then, and
# gemel::testing::run_doctest(argc, argv) returns it; in other programs:
#
#   try { gemel::default_device(); } catch (const gemel::BackendUnavailable&) { return 77; }
function(gemel_add_backend_tests target)
    cmake_parse_arguments(T "" "TIMEOUT" "BACKENDS;ARGUMENTS;LABELS;ENVIRONMENT" ${ARGN})
    if(T_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "gemel_add_backend_tests(${target}): '${T_UNPARSED_ARGUMENTS}' is not understood; it takes "
            "BACKENDS, ARGUMENTS, LABELS, ENVIRONMENT and TIMEOUT")
    endif()
    if(NOT T_BACKENDS)
        set(T_BACKENDS cuda opencl)
    endif()
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 600)
    endif()
    foreach(backend IN LISTS T_BACKENDS)
        add_test(NAME ${backend}.${target} COMMAND ${target} ${T_ARGUMENTS})
        set_tests_properties(${backend}.${target} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${T_TIMEOUT}
            LABELS "${backend};${T_LABELS}" ENVIRONMENT "GEMEL_BACKEND=${backend};${T_ENVIRONMENT}")
    endforeach()
endfunction()
