# Rooms, the library made of them, and plug-ins.

set(GEMEL_ROOMS "" CACHE INTERNAL "")

# gemel_room(<name> FOLDERS <folder>... [KNOWS <room>...])
# A room is compiled on its own, with an include root of its own and those of the rooms that it may know:
# a wrong-way include does not compile. Each folder of its src/ adds sources to gemel_<name>.
function(gemel_room name)
    cmake_parse_arguments(ROOM "" "" "FOLDERS;KNOWS" ${ARGN})
    add_library(gemel_${name}_headers INTERFACE)
    target_include_directories(gemel_${name}_headers INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_BINARY_DIR}/include)
    target_compile_features(gemel_${name}_headers INTERFACE cxx_std_20)
    foreach(known IN LISTS ROOM_KNOWS)
        target_link_libraries(gemel_${name}_headers INTERFACE gemel_${known}_headers)
    endforeach()

    set(GEMEL_ROOMS "${GEMEL_ROOMS};${name}" CACHE INTERNAL "")
    add_library(gemel_${name} OBJECT)
    target_include_directories(gemel_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
    set_target_properties(gemel_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF)
    target_link_libraries(gemel_${name} PRIVATE gemel_${name}_headers)
    # On the path of every launch: calls within the library are direct, and its few thread-local variables (below 200 bytes,
    # which a process has left for libraries that it opens later) lie at fixed places.
    target_compile_options(gemel_${name} PRIVATE -fno-semantic-interposition -ftls-model=initial-exec)
    foreach(folder IN LISTS ROOM_FOLDERS)
        add_subdirectory(src/${folder})
    endforeach()
    if(GEMEL_UNITY)
        gemel_unite(gemel_${name})
    endif()
    if(GEMEL_PRECOMPILED)
        target_precompile_headers(gemel_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/precompiled.hpp)
        # GCC 12 raises these falsely inside its own <string> where that was precompiled.
        target_compile_options(gemel_${name} PRIVATE
            $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>)
    endif()
endfunction()

# gemel_unite(<target>): its sources are compiled together, up to eight of one folder at a time.
function(gemel_unite target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        cmake_path(GET source PARENT_PATH folder)
        string(MAKE_C_IDENTIFIER "${folder}" key)
        if(NOT DEFINED count_${key})
            set(count_${key} 0)
        endif()
        math(EXPR group "${count_${key}} / 8")
        math(EXPR count_${key} "${count_${key}} + 1")
        cmake_path(GET folder FILENAME name)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
    endforeach()
endfunction()

# gemel_apart(<room> <file>...): files of the current folder that GEMEL_UNITY compiles one by one, because names in their
# unnamed namespaces are those of other files too.
function(gemel_apart room)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY gemel_${room} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# gemel_embed_kernels(<room> <folder> <namespace> [STATEMENTS]): the templates src/<folder>/*.kernel are compiled in.
# gemel_embed_kernels(codegen block gemel::codegen::block_pieces) makes "block_pieces.hpp", in which
# gemel::codegen::block_pieces::look_back() is the parsed text of src/block/look_back.kernel. STATEMENTS are put into other
# text: their last line has no end.
set(gemel_embed_script ${CMAKE_CURRENT_LIST_DIR}/embed_kernels.cmake)
function(gemel_embed_kernels room folder space)
    cmake_parse_arguments(EMBED "STATEMENTS" "" "" ${ARGN})
    string(REGEX REPLACE ".*::" "" name ${space})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${folder}/*.kernel)
    set(header ${CMAKE_CURRENT_BINARY_DIR}/generated/${name}.hpp)
    add_custom_command(OUTPUT ${header}
        COMMAND ${CMAKE_COMMAND} "-DOUT=${header}" -DSPACE=${space} -DSTATEMENTS=${EMBED_STATEMENTS} "-DFILES=${files}"
            -P ${gemel_embed_script}
        DEPENDS ${files} ${gemel_embed_script} COMMENT "Embedding ${folder}/*.kernel" VERBATIM)
    target_sources(gemel_${room} PRIVATE ${header})
    target_include_directories(gemel_${room} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()

# libgemel.so: all rooms in one shared library. Always shared: a static core could not find its plug-ins.
function(gemel_library)
    add_library(gemel SHARED)
    # What a project that holds gemel as a subfolder links. Whoever builds against it gets the plug-ins built too, although
    # nothing links them.
    add_library(gemel_with_plugins INTERFACE)
    target_link_libraries(gemel_with_plugins INTERFACE gemel)
    add_library(gemel::gemel ALIAS gemel_with_plugins)
    set_target_properties(gemel PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        LIBRARY_OUTPUT_DIRECTORY ${GEMEL_LIB_DIR} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/gemel.map)
    target_compile_features(gemel PUBLIC cxx_std_20)
    # Inlines and the symbols of dependencies stay inside, so that a program may hold another fmt.
    target_link_options(gemel PRIVATE "LINKER:-Bsymbolic-functions" "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/gemel.map")
    # Users of the build tree find Boost's headers here, those of the package by gemelConfig.cmake.
    get_property(boost_folders GLOBAL PROPERTY GEMEL_BOOST_FOLDERS)
    target_include_directories(gemel SYSTEM INTERFACE "$<BUILD_INTERFACE:${boost_folders}>")
    find_package(Threads REQUIRED)
    target_link_libraries(gemel PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
    foreach(room IN LISTS GEMEL_ROOMS)
        if(room)
            target_link_libraries(gemel PRIVATE gemel_${room})
            get_target_property(root gemel_${room}_headers INTERFACE_INCLUDE_DIRECTORIES)
            foreach(dir IN LISTS root)
                file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${dir}/*.hpp)
                if(headers)
                    # One header set per room and root. The name is part of the package: no path of the build machine in it.
                    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${dir} generated)
                    set(set_name ${room}_headers)
                    if(generated)
                        set(set_name ${room}_generated_headers)
                    endif()
                    target_sources(gemel PUBLIC FILE_SET ${set_name} TYPE HEADERS BASE_DIRS ${dir} FILES ${headers})
                    set_property(GLOBAL APPEND PROPERTY GEMEL_HEADER_SETS ${set_name})
                endif()
            endforeach()
        endif()
    endforeach()
endfunction()

# gemel_plugin(<name> SOURCES ... LINKS ... [INTEROP <include root>])
# A backend: a module that core loads at run time. It sees core's headers only.
function(gemel_plugin name)
    cmake_parse_arguments(PLUGIN "" "INTEROP" "SOURCES;LINKS" ${ARGN})
    add_library(gemel_${name} MODULE ${PLUGIN_SOURCES})
    if(GEMEL_UNITY)
        gemel_unite(gemel_${name})
    endif()
    set_target_properties(gemel_${name} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${GEMEL_LIB_DIR}/gemel CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
        CXX_EXTENSIONS OFF INSTALL_RPATH "$ORIGIN/..")
    target_link_libraries(gemel_${name} PRIVATE gemel_core_headers $<LINK_ONLY:gemel> ${CMAKE_DL_LIBS} ${PLUGIN_LINKS})
    # A loader linked statically (as Conan's is) keeps its names to itself.
    target_link_options(gemel_${name} PRIVATE "LINKER:--exclude-libs,ALL")
    # Native handles for users: gemel/interop/<name>.hpp with the headers that it needs, nothing to link.
    add_library(gemel_interop_${name} INTERFACE)
    add_library(gemel::${name} ALIAS gemel_interop_${name})
    set_target_properties(gemel_interop_${name} PROPERTIES EXPORT_NAME ${name})
    target_link_libraries(gemel_interop_${name} INTERFACE gemel)
    add_dependencies(gemel_with_plugins gemel_${name})
    file(GLOB headers CONFIGURE_DEPENDS ${PLUGIN_INTEROP}/gemel/interop/*.hpp)
    target_sources(gemel_interop_${name} INTERFACE FILE_SET HEADERS BASE_DIRS ${PLUGIN_INTEROP} FILES ${headers})
    set_property(GLOBAL APPEND PROPERTY GEMEL_PLUGINS ${name})
endfunction()

# One line per decision, at the end of configuring.
function(gemel_note line)
    set_property(GLOBAL APPEND PROPERTY GEMEL_NOTES "${line}")
endfunction()

function(gemel_summary)
    if(PROJECT_IS_TOP_LEVEL)
        get_property(notes GLOBAL PROPERTY GEMEL_NOTES)
        message(STATUS "gemel ${PROJECT_VERSION}")
        foreach(note IN LISTS notes)
            message(STATUS "  ${note}")
        endforeach()
    endif()
endfunction()
