"""spdlog as the distribution packages it, with its fmt."""
from conan import ConanFile
from conan.tools.system.package_manager import Apt


class SystemSpdlog(ConanFile):
    name = "spdlog"
    settings = "os", "arch"
    options = {"header_only": [True, False]}
    default_options = {"header_only": True}

    def system_requirements(self):
        Apt(self).install_substitutes(["libspdlog-dev"])

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the distribution's own files, or CMake's
        self.cpp_info.set_property("cmake_file_name", "spdlog")
        self.cpp_info.set_property("cmake_target_name", "spdlog::spdlog_header_only")
        self.cpp_info.includedirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.bindirs = []
