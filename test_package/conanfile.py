from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout

COMPONENTS = ["config", "observe", "postgres", "redis", "sqlite", "web"]


class TestTern(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def components(self):
        options = self.dependencies["tern"].options
        return [component for component in COMPONENTS if options.get_safe(component)]

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["COMPONENTS"] = ";".join(self.components())
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            for program in ["example", *(f"example-{component}" for component in self.components())]:
                self.run(f"{self.cpp.build.bindir}/{program}", env="conanrun")
