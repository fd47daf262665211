"""Builds a consumer against the package just made and runs it; it passes on a machine without any device."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class GemelTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            options = self.dependencies[self.tested_reference_str].options
            built = [backend for backend in ("cuda", "opencl") if options.get_safe(f"with_{backend}") in (True, "True")]
            program = os.path.join(self.cpp.build.bindir, "test_package")
            self.run(f"{program} {' '.join(built)}", env="conanrun")
