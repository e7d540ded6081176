"""Tern as a package of Conan 2, made from this tree: conan create .

The libraries that Tern needs come from the system: `conan create . -c tools.system.package_manager:mode=install` installs them.
"""
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

CORE = ["libsimdjson-dev", "libre2-dev", "libspdlog-dev", "libfmt-dev"]
PARTS = {  # option: packages of Debian
    "tls": ["libssl-dev"],
    "http2": ["libnghttp2-dev"],
    "zlib": ["zlib1g-dev"],
    "web": ["libssl-dev", "zlib1g-dev", "libbrotli-dev", "libzstd-dev", "libargon2-dev", "libcrypt-dev"],
    "observe": [],
    "config": ["libtomlplusplus-dev"],
    "redis": ["libhiredis-dev"],
    "sqlite": ["libsqlite3-dev"],
    "postgres": ["libpq-dev", "libssl-dev"],
    "command": ["libcli11-dev"],
}
CORE_LIBRARIES = ["simdjson", "re2", "spdlog", "fmt"]
CORE_PART_LIBRARIES = {"tls": ["ssl", "crypto"], "http2": ["nghttp2"], "zlib": ["z"]}
COMPONENTS = {  # part: what its library needs of Tern, and of the system
    "web": ([], ["ssl", "crypto", "z", "brotlidec", "brotlienc", "zstd", "argon2", "crypt"]),
    "observe": ([], []),
    "config": ([], []),
    "redis": ([], ["hiredis"]),
    "sqlite": (["sql"], ["sqlite3"]),
    "postgres": (["sql"], ["pq", "crypto"]),
}


class Tern(ConanFile):
    name = "tern"
    license = "Apache-2.0"
    description = "Web servers and REST services in C++23"
    topics = ("http", "rest", "websocket", "server")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], **{part: [True, False] for part in PARTS}}
    default_options = {"shared": False, "fPIC": True, **{part: True for part in PARTS}}
    exports_sources = "CMakeLists.txt", "CMakePresets.json", "LICENSE", "layers.txt", "cmake/*", "include/*", "src/*", "packaging/*", "examples/flags.hpp"

    def set_version(self):
        header = load(self, f"{self.recipe_folder}/include/tern/version.hpp")
        self.version = ".".join(re.search(rf"TERN_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH"))

    def export(self):
        copy(self, "version.hpp", f"{self.recipe_folder}/include/tern", f"{self.export_folder}/include/tern")

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def validate(self):
        check_min_cppstd(self, 23)

    def layout(self):
        cmake_layout(self)

    def system_requirements(self):
        packages = CORE + [package for part, needed in PARTS.items() if self.options.get_safe(part) for package in needed]
        Apt(self).install(["pkg-config", *dict.fromkeys(packages)], check=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in PARTS:
            toolchain.cache_variables[f"TERN_{part.upper()}"] = bool(self.options.get_safe(part))
        toolchain.cache_variables.update({"TERN_BUILD_EXAMPLES": False, "TERN_UNITY": True})
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")

    def package_info(self):
        # Tern's own package for find_package(tern), and its files for pkg-config, are in it. The components are for other build systems.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.components["core"].builddirs = ["lib/cmake/tern"]
        self.cpp_info.components["core"].libs = ["tern"]
        self.cpp_info.components["core"].system_libs = CORE_LIBRARIES + [
            library for part, libraries in CORE_PART_LIBRARIES.items() if self.options.get_safe(part) for library in libraries] + ["pthread"]
        parts = [part for part in COMPONENTS if self.options.get_safe(part)]
        if any("sql" in COMPONENTS[part][0] for part in parts):
            self.cpp_info.components["sql"].libs = ["tern-sql"]
            self.cpp_info.components["sql"].requires = ["core"]
        for part in parts:
            of_tern, of_system = COMPONENTS[part]
            self.cpp_info.components[part].libs = [f"tern-{part}"]
            self.cpp_info.components[part].requires = ["core", *of_tern]
            self.cpp_info.components[part].system_libs = of_system
