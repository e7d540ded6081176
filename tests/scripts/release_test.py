#!/usr/bin/env python3
"""script/release: in small trees that have what it reads and writes."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = (".gitignore", "CHANGELOG.md", "include/tern/version.hpp", "packaging/vcpkg/ports/tern/vcpkg.json", "script/abi", "script/release", "tools/sbom.py")


def git(tree, *arguments):
    return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments], cwd=tree, check=True,
                          capture_output=True, text=True).stdout.strip()


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "tern"
        self.tree.mkdir()
        for name in FILES:
            target = self.tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
            target.chmod((ROOT / name).stat().st_mode)
        self.version = ".".join(re.findall(r"^#define TERN_VERSION_[A-Z]+ (\d+)$", (self.tree / "include/tern/version.hpp").read_text(), re.M))
        minor = self.version.rpartition(".")[0]
        (self.tree / "README.md").write_text(f"`find_package(tern {minor})` accepts the patches of {minor}. find_package(tern {minor} REQUIRED)\n"
                                             f"find_package(tern {minor}9) tern/{self.version} tern-{self.version}.tar.xz {self.version}\n")
        git(self.tree, "init", "--quiet", "--initial-branch=main")
        git(self.tree, "config", "user.name", "A")
        git(self.tree, "config", "user.email", "a@example.org")
        git(self.tree, "add", "--all")
        git(self.tree, "commit", "--quiet", "-m", "all")
        self.before = git(self.tree, "rev-parse", "HEAD")

    def release(self, *arguments):
        return subprocess.run([sys.executable, "script/release", *arguments], cwd=self.tree, capture_output=True, text=True)

    def refused(self, reason, *arguments):
        done = self.release(*arguments)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(reason, done.stderr)
        self.assertEqual(git(self.tree, "rev-parse", "HEAD"), self.before)
        self.assertEqual(git(self.tree, "tag"), "")

    def check_files(self):
        out = self.tree / "build/release"
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["SHA256SUMS", "tern-7.8.9.md", "tern-7.8.9.spdx.json", "tern-7.8.9.tar.xz"])
        for line in (out / "SHA256SUMS").read_text().splitlines():
            digest, name = line.split("  ")
            self.assertEqual(hashlib.sha256((out / name).read_bytes()).hexdigest(), digest)
        with tarfile.open(out / "tern-7.8.9.tar.xz") as archive:
            header = archive.extractfile("tern-7.8.9/include/tern/version.hpp").read().decode()
            manifest = json.load(archive.extractfile("tern-7.8.9/packaging/vcpkg/ports/tern/vcpkg.json"))
            changelog = archive.extractfile("tern-7.8.9/CHANGELOG.md").read().decode()
        self.assertEqual(re.findall(r"^#define TERN_VERSION_[A-Z]+ (\d+)$", header, re.M), ["7", "8", "9"])
        self.assertEqual(manifest["version"], "7.8.9")
        self.assertRegex(changelog, r"## \[Unreleased\]\n\n## \[7\.8\.9\] - 2030-01-02\n\n### Added\n\n- ")
        self.assertIn("- ", (out / "tern-7.8.9.md").read_text())
        bill = json.loads((out / "tern-7.8.9.spdx.json").read_text())
        self.assertEqual((bill["spdxVersion"], bill["packages"][0]["versionInfo"]), ("SPDX-2.3", "7.8.9"))
        self.assertEqual(bill["packages"][0]["checksums"][0]["checksumValue"], hashlib.sha256((out / "tern-7.8.9.tar.xz").read_bytes()).hexdigest())
        names = {package["SPDXID"] for package in bill["packages"]}
        self.assertEqual({relation["relatedSpdxElement"] for relation in bill["relationships"]}, names)

    def test_a_dry_run_changes_nothing_but_makes_everything(self):
        done = self.release("7.8.9", "--dry-run", "--date", "2030-01-02")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(git(self.tree, "status", "--porcelain"), "")
        self.assertEqual(git(self.tree, "tag"), "")
        self.assertEqual(git(self.tree, "rev-parse", "HEAD"), self.before)
        self.check_files()

    def test_a_release_is_a_commit_a_tag_and_files(self):
        done = self.release("7.8.9", "--date", "2030-01-02")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(git(self.tree, "status", "--porcelain"), "")
        self.assertEqual(git(self.tree, "rev-parse", "v7.8.9^{commit}"), git(self.tree, "rev-parse", "HEAD"))
        self.assertEqual(git(self.tree, "cat-file", "-t", "v7.8.9"), "tag")
        self.assertEqual(git(self.tree, "log", "-1", "--format=%s"), "release: 7.8.9")
        self.check_files()

    def test_documents_name_the_version(self):
        done = self.release("7.8.9", "--prepare")
        self.assertEqual(done.returncode, 0, done.stderr)
        minor = self.version.rpartition(".")[0]
        self.assertEqual((self.tree / "README.md").read_text(),
                         "`find_package(tern 7.8)` accepts the patches of 7.8. find_package(tern 7.8 REQUIRED)\n"
                         f"find_package(tern {minor}9) tern/7.8.9 tern-7.8.9.tar.xz {self.version}\n")
        self.assertEqual(git(self.tree, "rev-parse", "HEAD"), self.before)
        self.assertEqual(git(self.tree, "tag"), "")
        git(self.tree, "commit", "--quiet", "--all", "-m", "prepare")
        self.assertEqual(self.release("7.8.9", "--date", "2030-01-02").returncode, 0)  # the prepared version
        self.check_files()

    def test_refuses_what_is_no_release(self):
        self.refused("is no version", "7.8")
        self.refused("is no version", "07.8.9")
        self.refused("is no date", "7.8.9", "--date", "tomorrow")
        self.refused("is below", "0.0.1")
        (self.tree / "stray").write_text("x")
        self.refused("the tree has changes", "7.8.9")
        (self.tree / "stray").unlink()
        git(self.tree, "tag", "v7.8.9")
        self.assertIn("exists", self.release("7.8.9").stderr)
        git(self.tree, "tag", "--delete", "v7.8.9")

    def test_refuses_a_changelog_without_entries(self):
        path = self.tree / "CHANGELOG.md"
        path.write_text(re.sub(r"(## \[Unreleased\]\n).*", r"\1", path.read_text(), flags=re.S))
        git(self.tree, "commit", "--quiet", "--all", "-m", "nothing new")
        self.before = git(self.tree, "rev-parse", "HEAD")
        self.refused("no entries", "7.8.9")

    def test_refuses_a_binary_interface_that_breaks_programs(self):
        (self.tree / "script/abi").write_text("#!/bin/sh\necho libtern: incompatible\nexit 1\n")
        git(self.tree, "commit", "--quiet", "--all", "-m", "an interface that has changed")
        self.before = git(self.tree, "rev-parse", "HEAD")
        self.refused("the binary interface", "7.8.9")
        self.refused("the binary interface", "7.8.9", "--dry-run")

    def test_names_every_library_that_the_build_needs(self):
        """The bill of materials, the recipes of packages and script/bootstrap know the same libraries."""
        listed = set(re.findall(r'^    "([a-z0-9+-]+)": \(', (ROOT / "tools/sbom.py").read_text(), re.M))
        build = re.search(r"^build=\((.*?)\)", (ROOT / "script/bootstrap").read_text(), re.M).group(1).split()
        tools = {"g++", "cmake", "ninja-build", "pkg-config", "nlohmann-json3-dev", "iso-codes"}
        self.assertEqual(listed, set(build) - tools)
        debian = set(re.findall(r"^ +([a-z0-9+-]+-dev),?$", (ROOT / "packaging/debian/control").read_text().split("\nPackage:")[0], re.M))
        self.assertEqual(listed, debian)
        conan = set(re.findall(r'"([a-z0-9+-]+-dev)"', (ROOT / "conanfile.py").read_text()))
        self.assertEqual(listed, conan)


class Vcpkg(unittest.TestCase):
    """The form of the port, after vcpkg's reference of vcpkg.json: vcpkg itself cannot be had where these tests run."""
    PORT = ROOT / "packaging/vcpkg/ports/tern"
    NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
    RESERVED = {"core", "default", "con", "prn", "aux", "nul"}
    # Looked up among vcpkg's ports, with the features that are asked of them. For a new one, look it up there.
    PORTS = {"argon2", "brotli", "cli11", "fmt", "hiredis", "libpq", "libpq[openssl]", "libxcrypt", "nghttp2", "openssl", "re2", "simdjson", "spdlog",
             "sqlite3", "tomlplusplus", "vcpkg-cmake", "vcpkg-cmake-config", "zlib", "zstd"}

    def setUp(self):
        self.manifest = json.loads((self.PORT / "vcpkg.json").read_text())
        self.portfile = (self.PORT / "portfile.cmake").read_text()

    def check_name(self, name):
        self.assertTrue(self.NAME.fullmatch(name) and name not in self.RESERVED, name)

    def check_dependencies(self, dependencies):
        for dependency in dependencies:
            if isinstance(dependency, str):
                dependency = {"name": dependency}
            self.assertLessEqual(set(dependency), {"name", "default-features", "features", "host", "platform", "version>="})
            self.check_name(dependency["name"])
            self.assertIsInstance(dependency.get("host", False), bool)
            self.assertIsInstance(dependency.get("default-features", True), bool)
            features = dependency.get("features", [])
            if dependency["name"] == "tern":
                self.assertLessEqual(set(features), set(self.manifest["features"]))
                self.assertIs(dependency.get("default-features"), False)
            else:
                self.assertIn(dependency["name"], self.PORTS)
                self.assertLessEqual({f"{dependency['name']}[{feature}]" for feature in features}, self.PORTS)

    def test_the_manifest_is_well_formed(self):
        manifest = self.manifest
        self.assertLessEqual(set(manifest), {"name", "version", "port-version", "maintainers", "summary", "description", "homepage",
                                             "documentation", "license", "usage", "supports", "dependencies", "default-features", "features"})
        self.check_name(manifest["name"])
        self.assertEqual(manifest["name"], self.PORT.name)
        self.assertTrue(manifest["description"])
        self.assertEqual(manifest["supports"], "linux")
        self.assertIn("Apache License", (ROOT / "LICENSE").read_text())
        self.assertEqual(manifest["license"], "Apache-2.0")
        header = (ROOT / "include/tern/version.hpp").read_text()
        self.assertEqual(manifest["version"], ".".join(re.findall(r"^#define TERN_VERSION_[A-Z]+ (\d+)$", header, re.M)))
        self.assertLessEqual(set(manifest["default-features"]), set(manifest["features"]))
        self.check_dependencies(manifest["dependencies"])
        for name, feature in manifest["features"].items():
            self.check_name(name)
            self.assertLessEqual(set(feature), {"description", "dependencies", "supports", "license"})
            self.assertTrue(feature["description"])
            self.check_dependencies(feature.get("dependencies", []))

    def test_every_library_of_the_build_is_a_dependency(self):
        named = set()
        for dependency in [*self.manifest["dependencies"], *(one for feature in self.manifest["features"].values()
                                                             for one in feature.get("dependencies", []))]:
            named.add(dependency if isinstance(dependency, str) else dependency["name"])
        debian = {"libbrotli-dev": "brotli", "libargon2-dev": "argon2", "libcli11-dev": "cli11", "libcrypt-dev": "libxcrypt", "libfmt-dev": "fmt",
                  "libnghttp2-dev": "nghttp2", "libpq-dev": "libpq", "libre2-dev": "re2", "libsimdjson-dev": "simdjson", "libspdlog-dev": "spdlog",
                  "libsqlite3-dev": "sqlite3", "libssl-dev": "openssl", "libtomlplusplus-dev": "tomlplusplus", "libzstd-dev": "zstd",
                  "zlib1g-dev": "zlib", "libhiredis-dev": "hiredis"}
        listed = set(re.findall(r'^    "([a-z0-9+-]+)": \(', (ROOT / "tools/sbom.py").read_text(), re.M))
        self.assertEqual(listed, set(debian))
        self.assertEqual(named - {"tern", "vcpkg-cmake", "vcpkg-cmake-config"}, set(debian.values()))

    def test_features_are_components(self):
        components = {path.stem.removeprefix("tern-") for path in (ROOT / "cmake").glob("tern-*.cmake")} - {"sql"}
        self.assertEqual(set(self.manifest["features"]), components | {"command", "http2", "tls", "zlib"})
        usage = (self.PORT / "usage").read_text()
        for name in components:
            self.assertRegex(usage, rf"\b{name}\b")
        self.assertIn("tern::tern", usage)

    def test_the_portfile_installs_usage_and_copyright(self):
        self.assertIn("file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/usage DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})", self.portfile)
        self.assertIn("vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)", self.portfile)
        self.assertEqual({path.name for path in self.PORT.iterdir()}, {"portfile.cmake", "usage", "vcpkg.json"})
        commands = set(re.findall(r"^ *(vcpkg_[a-z_]+)\(", self.portfile, re.M))
        # Those of the two ports with scripts need them as host dependencies, which the manifest has.
        self.assertLessEqual(commands, {"vcpkg_extract_source_archive", "vcpkg_check_features", "vcpkg_find_acquire_program",
                                        "vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup",
                                        "vcpkg_fixup_pkgconfig", "vcpkg_copy_tools", "vcpkg_install_copyright"})

    def test_features_are_options_of_the_build(self):
        manifest, portfile = self.manifest, self.portfile
        mapped = dict(re.findall(r"^  ([a-z0-9]+) (TERN_[A-Z0-9]+)$", portfile, re.M))
        self.assertEqual(set(mapped), set(manifest["features"]))
        options = set(re.findall(r"option\((TERN_[A-Z0-9_]+)", (ROOT / "CMakeLists.txt").read_text()))
        self.assertLessEqual(set(mapped.values()) | set(re.findall(r"-D(TERN_[A-Z0-9_]+)=", portfile)), options)
        self.assertEqual(portfile.count("("), portfile.count(")"))


unittest.main()
