# What the suites and the examples are built and run with: which suites there are, and in the check a short environment.

# One process at a time compiles into a folder of PoCL's: with folders of their own, tests do not wait for each other. All
# build trees share them, since a sanitizer changes no kernel.
set(GEMEL_POCL_FOLDER ${PROJECT_SOURCE_DIR}/build/pocl)

# Which suites are built: `all`, `sanitized` or `optimised`. The check runs each suite once, `sanitized` with the address
# sanitizer and `optimised` without; scripts/test-long runs all of them both ways.
set(GEMEL_TEST_SELECTION all CACHE STRING "Suites that are built: all, sanitized, optimised")
set_property(CACHE GEMEL_TEST_SELECTION PROPERTY STRINGS all sanitized optimised)
if(NOT GEMEL_TEST_SELECTION MATCHES "^(all|sanitized|optimised)$")
    message(FATAL_ERROR "GEMEL_TEST_SELECTION is '${GEMEL_TEST_SELECTION}'; it is one of all, sanitized, optimised")
endif()

# What the check runs programs with: GEMEL_QUICK_POCL has PoCL compile them faster, and GEMEL_CHECK_ENVIRONMENT also takes some of
# the suites' combinations (is_left_out() in left_out.hpp) and has kernels compiled without optimisation.
set(GEMEL_QUICK_POCL)
set(GEMEL_CHECK_ENVIRONMENT)
if(NOT GEMEL_TEST_SELECTION STREQUAL "all")
    # What PoCL spends on a small program is the parsing of declarations and bodies that it does not use: a copy without them.
    find_package(Python3 QUIET COMPONENTS Interpreter)
    if(Python3_FOUND)
        set(named core codegen arrays algorithms backends tests examples tools)
        list(TRANSFORM named PREPEND ${PROJECT_SOURCE_DIR}/)
        execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/quick_pocl.py ${PROJECT_BINARY_DIR}/quick_pocl ${named}
            OUTPUT_VARIABLE vendors ERROR_VARIABLE trouble RESULT_VARIABLE status)
        if(status EQUAL 0)
            if(trouble)
                string(STRIP "${trouble}" trouble)
                message(STATUS "  ${trouble}")
            endif()
            set(GEMEL_QUICK_POCL OCL_ICD_VENDORS=${vendors} PATH=${PROJECT_BINARY_DIR}/quick_pocl/bin:$ENV{PATH})
        else()
            string(STRIP "${trouble}" trouble)
            message(STATUS "  PoCL parses all of OpenCL's declarations for each program: ${trouble}")
        endif()
    endif()
    set(GEMEL_CHECK_ENVIRONMENT GEMEL_TEST_SHORT=1 POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable ${GEMEL_QUICK_POCL})
endif()
