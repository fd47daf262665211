"""Boost's headers as the distribution packages them (Debian 12: libboost1.81-dev; Ubuntu 24.04: libboost-dev)."""
from conan import ConanFile
from conan.tools.system.package_manager import Apt


class SystemBoost(ConanFile):
    name = "boost"
    settings = "os", "arch"
    options = {"header_only": [True, False]}
    default_options = {"header_only": True}

    def system_requirements(self):
        Apt(self).install_substitutes(["libboost1.81-dev"], ["libboost-dev"])

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the distribution's own files, or CMake's
        self.cpp_info.set_property("cmake_file_name", "Boost")
        self.cpp_info.components["headers"].set_property("cmake_target_name", "Boost::headers")
        self.cpp_info.components["headers"].includedirs = []
        self.cpp_info.components["headers"].libdirs = []
        self.cpp_info.components["headers"].bindirs = []
