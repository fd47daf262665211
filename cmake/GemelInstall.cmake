# Install rules: the library, its plug-ins, headers, the licence, and what find_package(gemel CONFIG) reads.
#
#   lib/libgemel.so*            lib/gemel/libgemel_<backend>.so      found from where libgemel.so lies, so all can be moved
#   include/gemel/...           lib/cmake/gemel/...                  bin/gemel by tools/CMakeLists.txt
include(CMakePackageConfigHelpers)

set(gemel_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gemel)
get_property(gemel_header_sets GLOBAL PROPERTY GEMEL_HEADER_SETS)
get_property(gemel_plugins GLOBAL PROPERTY GEMEL_PLUGINS)

set(header_rules)
foreach(set_name IN LISTS gemel_header_sets)
    list(APPEND header_rules FILE_SET ${set_name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
install(TARGETS gemel EXPORT gemelTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ${header_rules})

foreach(name IN LISTS gemel_plugins)
    install(TARGETS gemel_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gemel)
    install(TARGETS gemel_interop_${name} EXPORT gemelTargets
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()

install(EXPORT gemelTargets NAMESPACE gemel:: DESTINATION ${gemel_cmake_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gemelConfig.cmake.in ${PROJECT_BINARY_DIR}/gemelConfig.cmake
    INSTALL_DESTINATION ${gemel_cmake_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gemelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/gemelConfig.cmake
    ${PROJECT_BINARY_DIR}/gemelConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/gemelNativeHeaders.cmake
    ${PROJECT_SOURCE_DIR}/cmake/gemelTesting.cmake
    DESTINATION ${gemel_cmake_dir})

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/LICENSE.sobol DESTINATION ${CMAKE_INSTALL_DOCDIR})
