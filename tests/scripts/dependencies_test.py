#!/usr/bin/env python3
"""cmake/Dependencies.cmake: each part asks for its own packages, and the error names those that are missing."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NOT_GTEST = "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON"
NOT_PYTHON = "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON"
NOT_OPENSSL = "-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON"


class Dependencies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def configure(self, *options, environment=None):
        """Returns whether it worked, and the message, in which a run of white space is one blank."""
        done = subprocess.run(["cmake", "-S", ROOT, "-B", self.folder / "build", *options], capture_output=True, text=True,
                              check=False, env=environment)
        return done.returncode == 0, re.sub(r"\s+", " ", done.stderr)

    def test_users_need_nothing_of_the_tests(self):
        worked, message = self.configure("--preset", "release", NOT_GTEST, NOT_PYTHON)
        self.assertTrue(worked, message)

    def test_every_missing_package_is_named_with_its_option(self):
        worked, message = self.configure("--preset", "debug", NOT_GTEST, NOT_PYTHON, NOT_OPENSSL)
        self.assertFalse(worked)
        self.assertIn("OpenSSL 3: libssl-dev, or -DTERN_TLS=OFF", message)
        self.assertIn("GoogleTest: libgtest-dev libgmock-dev, or -DTERN_BUILD_TESTS=OFF", message)
        self.assertIn("Python 3: python3, or -DTERN_BUILD_TESTS=OFF", message)
        self.assertIn("apt install libssl-dev libgtest-dev libgmock-dev python3", message)

    def test_google_test_without_google_mock_is_not_enough(self):
        (self.folder / "GTestConfig.cmake").write_text("add_library(GTest::gtest INTERFACE IMPORTED)\nset(GTest_FOUND TRUE)\n")
        worked, message = self.configure("--preset", "debug", f"-DGTest_DIR={self.folder}")
        self.assertFalse(worked)
        self.assertIn("libgmock-dev", message)

    def test_a_missing_library_of_a_component_is_named(self):
        wrapper = self.folder / "pkg-config"
        wrapper.write_text('#!/bin/sh\ncase "$*" in *libargon2*) exit 1 ;; esac\nexec pkg-config "$@"\n')
        wrapper.chmod(0o755)
        worked, message = self.configure("--preset", "release", f"-DPKG_CONFIG_EXECUTABLE={wrapper}")
        self.assertFalse(worked)
        self.assertIn("argon2: libargon2-dev, or -DTERN_WEB=OFF", message)

    def test_sqlite_is_named_with_its_option(self):
        (self.folder / "no-modules").mkdir()
        environment = dict(os.environ, PKG_CONFIG_LIBDIR=str(self.folder / "no-modules"))
        worked, message = self.configure("--preset", "release", environment=environment)
        self.assertFalse(worked)
        self.assertIn("sqlite3: libsqlite3-dev, or -DTERN_SQLITE=OFF", message)

    def test_a_component_that_is_off_needs_no_library(self):
        worked, message = self.configure("--preset", "release", NOT_OPENSSL, "-DTERN_TLS=OFF", "-DTERN_WEB=OFF", "-DTERN_POSTGRES=OFF")
        self.assertTrue(worked, message)

    def test_developers_can_turn_off_each_part(self):
        parts = ["TERN_BUILD_EXAMPLES", "TERN_BUILD_BENCH", "TERN_TLS", "TERN_HTTP2", "TERN_ZLIB", "TERN_REDIS", "TERN_SQLITE", "TERN_POSTGRES",
                 "TERN_OBSERVE", "TERN_WEB"]
        for part in parts:
            with self.subTest(part):
                worked, message = self.configure("--preset", "debug", "--fresh", f"-D{part}=OFF")
                self.assertTrue(worked, message)


unittest.main()
