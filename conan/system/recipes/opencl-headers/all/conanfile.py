"""OpenCL's C headers as the distribution packages them."""
from conan import ConanFile
from conan.tools.system.package_manager import Apt


class SystemOpenCLHeaders(ConanFile):
    name = "opencl-headers"
    package_type = "header-library"
    settings = "os", "arch"

    def system_requirements(self):
        Apt(self).install_substitutes(["opencl-headers"])

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the distribution's own files, or CMake's
        self.cpp_info.set_property("cmake_file_name", "OpenCLHeaders")
        self.cpp_info.set_property("cmake_target_name", "OpenCL::Headers")
        self.cpp_info.includedirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.bindirs = []
