"""CLI11 as the distribution packages it."""
from conan import ConanFile
from conan.tools.system.package_manager import Apt


class SystemCLI11(ConanFile):
    name = "cli11"
    package_type = "header-library"
    settings = "os", "arch"

    def system_requirements(self):
        Apt(self).install_substitutes(["libcli11-dev"])

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the distribution's own files, or CMake's
        self.cpp_info.set_property("cmake_file_name", "CLI11")
        self.cpp_info.set_property("cmake_target_name", "CLI11::CLI11")
        self.cpp_info.includedirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.bindirs = []
