"""The OpenCL ICD loader as the distribution packages it; CMake's FindOpenCL finds it."""
from conan import ConanFile
from conan.tools.system.package_manager import Apt


class SystemOpenCLLoader(ConanFile):
    name = "opencl-icd-loader"
    package_type = "shared-library"
    settings = "os", "arch"

    def system_requirements(self):
        Apt(self).install_substitutes(["ocl-icd-opencl-dev"])

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the distribution's own files, or CMake's
        self.cpp_info.set_property("cmake_file_name", "OpenCL")
        self.cpp_info.set_property("cmake_target_name", "OpenCL::OpenCL")
        self.cpp_info.includedirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.bindirs = []
