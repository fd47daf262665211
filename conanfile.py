"""The Conan package: libgemel.so, its plug-ins, headers and the `gemel` command. docs/packaging.md says how to use it."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.4"


class GemelConan(ConanFile):
    name = "gemel"
    license = "MIT"
    description = "Run-time code generation on GPUs for C++: CUDA and OpenCL from one program"
    topics = ("gpu", "cuda", "opencl", "jit", "code-generation")
    # Always shared: a static library could not find its plug-ins.
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"with_cuda": [True, False], "with_opencl": [True, False], "with_tools": [True, False]}
    # with_cuda needs the CUDA Toolkit's headers on the building machine only; neither a GPU nor a driver. It is on unless
    # asked otherwise, because a package that quietly lacks CUDA would be noticed last, on the machine with the GPU.
    default_options = {"with_cuda": True, "with_opencl": True, "with_tools": True,
                       "boost/*:header_only": True, "spdlog/*:header_only": True}
    exports_sources = ("CMakeLists.txt", "LICENSE*", "cmake/*", "core/*", "codegen/*", "arrays/*", "algorithms/*", "backends/*", "tools/*")

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"project\(gemel VERSION ([0-9.]+)", text).group(1)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # gemel/codegen/struct.hpp includes Boost.PFR; nothing of Boost is linked.
        self.requires("boost/[>=1.81 <2]", transitive_headers=True)
        # Compiled into libgemel.so and hidden there: consumers need neither their headers nor their libraries.
        self.requires("spdlog/[>=1.10 <2]", visible=False)
        self.requires("zlib/[>=1.2.11 <2]", visible=False)  # compressed .npz files
        if self.options.with_opencl:
            # gemel/interop/opencl.hpp includes CL/cl.h.
            self.requires("opencl-headers/[>=2023.02.06]", transitive_headers=True)
            self.requires("opencl-icd-loader/[>=2023.02.06]", visible=False)
        if self.options.with_tools:
            self.requires("cli11/[>=2.1 <3]", visible=False)
            self.requires("nlohmann_json/[>=3.11 <4]", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("gemel builds on Linux only so far")
        if not self.options.with_cuda and not self.options.with_opencl:
            raise ConanInvalidConfiguration("with_cuda and with_opencl are both off: gemel would have no backend")

    def generate(self):
        tc = CMakeToolchain(self)
        tc.user_presets_path = False  # would write CMakeUserPresets.json into the source tree
        tc.cache_variables["GEMEL_WITH_CUDA"] = "ON" if self.options.with_cuda else "OFF"
        tc.cache_variables["GEMEL_WITH_OPENCL"] = "ON" if self.options.with_opencl else "OFF"
        tc.cache_variables["GEMEL_BUILD_TOOLS"] = bool(self.options.with_tools)
        tc.cache_variables["GEMEL_UNITY"] = True
        for part in ("TESTS", "EXAMPLES", "BENCHMARKS"):
            tc.cache_variables[f"GEMEL_BUILD_{part}"] = False
        tc.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE*", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan writes its own package files; of ours only two are used (below).
        cmake_folder = os.path.join(self.package_folder, "lib", "cmake")
        for name in ("gemelNativeHeaders.cmake", "gemelTesting.cmake"):
            copy(self, name, os.path.join(cmake_folder, "gemel"), os.path.join(self.package_folder, "lib", "gemel", "cmake"))
        rmdir(self, cmake_folder)
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        # Dependencies that a profile names under [platform_requires] are not in the graph: name only what is.
        present = {dependency.ref.name for dependency in self.dependencies.host.values()}
        public = ("boost::headers", "opencl-headers::opencl-headers")

        self.cpp_info.libs = ["gemel"]
        self.cpp_info.requires = [target for target in public if target.split("::")[0] in present]
        self.cpp_info.set_property("cmake_file_name", "gemel")
        self.cpp_info.set_property("cmake_target_name", "gemel::gemel")
        # Makes gemel::cuda and gemel::opencl, which are headers only (the plug-ins are never linked), and
        # gemel_add_backend_tests().
        self.cpp_info.set_property("cmake_build_modules",
                                   [os.path.join("lib", "gemel", "cmake", name)
                                    for name in ("gemelNativeHeaders.cmake", "gemelTesting.cmake")])
        # No search path in the environment: the library finds its plug-ins from where it lies itself.
