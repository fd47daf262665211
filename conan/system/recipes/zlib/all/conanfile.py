"""zlib as the distribution packages it."""
from conan import ConanFile
from conan.tools.system.package_manager import Apt


class SystemZlib(ConanFile):
    name = "zlib"
    settings = "os", "arch"

    def system_requirements(self):
        Apt(self).install_substitutes(["zlib1g-dev"])

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the distribution's own files, or CMake's
        self.cpp_info.set_property("cmake_file_name", "ZLIB")
        self.cpp_info.set_property("cmake_target_name", "ZLIB::ZLIB")
        self.cpp_info.includedirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.bindirs = []
