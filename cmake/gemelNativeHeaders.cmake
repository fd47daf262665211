# Gives gemel::cuda and gemel::opencl the folder of the native headers that gemel/interop/*.hpp include.
# A package holds no path of the machine that built it, so the folder is looked for where the package is used.
# What is missing is said in gemel_<backend>_headers_missing; programs that use no native handles need none of this.

# In a Conan package, which has no targets of ours, this file lies in lib/gemel/cmake.
foreach(gemel_backend cuda opencl)
    if(NOT TARGET gemel::${gemel_backend} AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/../libgemel_${gemel_backend}.so)
        add_library(gemel::${gemel_backend} INTERFACE IMPORTED)
        target_link_libraries(gemel::${gemel_backend} INTERFACE gemel::gemel)
    endif()
endforeach()

if(TARGET gemel::cuda)
    find_path(GEMEL_CUDA_INCLUDE_DIR cuda.h
        HINTS ENV CUDA_PATH ENV CUDA_HOME ENV CUDAToolkit_ROOT ${CUDAToolkit_ROOT} PATHS /usr/local/cuda
        PATH_SUFFIXES include DOC "Folder of cuda.h, for gemel/interop/cuda.hpp")
    mark_as_advanced(GEMEL_CUDA_INCLUDE_DIR)
    if(GEMEL_CUDA_INCLUDE_DIR)
        target_include_directories(gemel::cuda SYSTEM INTERFACE ${GEMEL_CUDA_INCLUDE_DIR})
    else()
        set(gemel_cuda_headers_missing
            "gemel::cuda needs cuda.h from the CUDA Toolkit (set CUDA_PATH if it is not in /usr/local/cuda).")
    endif()
endif()

if(TARGET gemel::opencl)
    find_path(GEMEL_OPENCL_INCLUDE_DIR CL/cl.h DOC "Folder of CL/cl.h, for gemel/interop/opencl.hpp")
    mark_as_advanced(GEMEL_OPENCL_INCLUDE_DIR)
    if(GEMEL_OPENCL_INCLUDE_DIR)
        target_include_directories(gemel::opencl SYSTEM INTERFACE ${GEMEL_OPENCL_INCLUDE_DIR})
    else()
        set(gemel_opencl_headers_missing "gemel::opencl needs CL/cl.h (Debian and Ubuntu: opencl-headers).")
    endif()
endif()
