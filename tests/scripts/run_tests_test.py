#!/usr/bin/env python3
"""tools/run_tests.py on small projects: what it prints, and how it ends."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN_TESTS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/run_tests.py"
PASSING = "add_test(NAME one COMMAND true)\nadd_test(NAME two COMMAND true)\n"
# As GoogleTest reports it, and as a script does.
SKIPPING = """
add_test(NAME Net.first COMMAND sh -c "printf '[ RUN      ] Net.first\\nnet_test.cpp:42: Skipped\\nno IPv6 here\\n\\n[  SKIPPED ] Net.first\\n'")
set_tests_properties(Net.first PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
add_test(NAME redis COMMAND sh -c "echo 'skipped: no server'; exit 77")
set_tests_properties(redis PROPERTIES SKIP_RETURN_CODE 77)
"""
FAILING = """
add_test(NAME broken COMMAND sh -c "echo expected 1; exit 1")
add_test(NAME absent COMMAND no-such-program)
"""


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name)

    def run_tests(self, project, *options):
        (self.source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(sample NONE)\nenable_testing()\n{project}")
        build = self.source / "build"
        subprocess.run(["cmake", "-S", self.source, "-B", build, "-G", "Ninja"], check=True, capture_output=True)
        done = subprocess.run([sys.executable, RUN_TESTS, build, *options], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_the_last_line_counts(self):
        status, lines = self.run_tests(PASSING)
        self.assertEqual((status, lines[-1]), (0, "2 passed, 0 failed, 0 skipped"))

    def test_passing_tests_are_not_listed(self):
        _, lines = self.run_tests(PASSING)
        self.assertEqual([line.split(" ")[0] for line in lines], ["", "slowest:", "took", "2"])

    def test_a_skipped_test_has_its_reason(self):
        status, lines = self.run_tests(PASSING + SKIPPING)
        self.assertIn("skipped: Net.first: no IPv6 here", lines)
        self.assertIn("skipped: redis: no server", lines)
        self.assertEqual((status, lines[-1]), (0, "2 passed, 0 failed, 2 skipped"))

    def test_a_failed_test_has_its_output(self):
        status, lines = self.run_tests(PASSING + FAILING)
        self.assertIn("broken: Failed", lines)
        self.assertIn("expected 1", lines)
        self.assertLess(lines.index("expected 1"), lines.index("failed: broken"))
        self.assertIn("failed: absent", lines)
        self.assertNotEqual(status, 0)
        self.assertEqual(lines[-1], "2 passed, 2 failed, 0 skipped")

    def test_options_of_ctest_choose_tests(self):
        _, lines = self.run_tests(PASSING + FAILING, "-R", "one")
        self.assertEqual(lines[-1], "1 passed, 0 failed, 0 skipped")

    def test_no_test_is_an_error(self):
        status, lines = self.run_tests(PASSING, "-R", "three")
        self.assertNotEqual(status, 0)
        self.assertIn("No tests were found!!!", lines)

    def test_a_failed_build_ends_with_its_output(self):
        status, lines = self.run_tests('add_custom_target(stop ALL COMMAND sh -c "echo cannot compile; exit 3")\n')
        self.assertNotEqual(status, 0)
        self.assertIn("cannot compile", lines)
        self.assertRegex(lines[-1], "^the build failed after ")

    def test_a_target_is_built_alone(self):
        project = PASSING + "add_custom_target(broken ALL COMMAND false)\nadd_custom_target(sound COMMAND true)\n"
        status, lines = self.run_tests(project, "--target", "sound")
        self.assertEqual((status, lines[-1]), (0, "2 passed, 0 failed, 0 skipped"))


unittest.main()
