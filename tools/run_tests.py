#!/usr/bin/env python3
"""Builds and runs the tests of a build directory: progress while they run, then a summary of failures, skips and times.

The last line is "N passed, N failed, N skipped". The output of a failed command or test is printed when it fails; that of
all tests is in DIRECTORY/Testing/Temporary/LastTest.log.

usage: run_tests.py [--target NAME]... DIRECTORY [CTEST OPTIONS...]
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

SECONDS_BETWEEN_LINES = 30  # of progress, where the output is no terminal
NINJA_STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
TEST_START = re.compile(r"^ +Start +\d+: ")
TEST_END = re.compile(r"^ *(\d+)/(\d+) +Test +#\d+: (.*?) ?\.*(?:\*\*\*)? *(Passed|Skipped|Failed|Timeout|Not Run|Exception.*?|Subprocess \w+) +[\d.]+ sec")
CTEST_SUMMARY = re.compile(r"^\d+% tests passed")
SKIP_REASONS = (re.compile(r"^.*: Skipped\n(.+)$", re.M), re.compile(r"^(?:skipped: )?(.+)$", re.M))
SLOWEST = 3
NAMES_OF_A_REASON = 3


class Progress:
    """One line that is written over on a terminal, otherwise a line now and then."""

    def __init__(self, out=sys.stdout):
        self.out = out
        self.terminal = out.isatty()
        self.last = time.monotonic()
        self.shown = False

    def show(self, text):
        if self.terminal:
            self.out.write(f"\r\x1b[K{text}")
            self.shown = True
        elif time.monotonic() - self.last >= SECONDS_BETWEEN_LINES:
            self.out.write(f"{text}\n")
        else:
            return
        self.last = time.monotonic()
        self.out.flush()

    def print(self, text):
        if self.shown:
            self.out.write("\r\x1b[K")
            self.shown = False
        self.out.write(f"{text}\n")
        self.out.flush()


def lines_of(command):
    """The lines of a command's output, then its exit status."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    for line in process.stdout:
        yield line.rstrip("\n")
    yield process.wait()


def build(directory, targets, progress):
    """Builds the targets, or everything. Returns the exit status."""
    for line in lines_of(["cmake", "--build", str(directory), *(["--target", *targets] if targets else [])]):
        if isinstance(line, int):
            return line
        step = NINJA_STEP.match(line)
        if step:
            progress.show(f"building: {step[1]} of {step[2]} steps")
        elif line != "ninja: no work to do.":
            progress.print(line)


def run(directory, options, results, progress):
    """Runs ctest, which writes a JUnit file. Prints what failing tests print. Returns the exit status."""
    failing = False
    failures = 0
    for line in lines_of(["ctest", "--test-dir", str(directory), "--output-on-failure", "--no-tests=error", "--parallel", "4",
                          "--output-junit", str(results), *options]):
        if isinstance(line, int):
            return line
        end = TEST_END.match(line)
        if end:
            failing = end[4] not in ("Passed", "Skipped")
            failures += failing
            if failing:
                progress.print(f"{end[3]}: {end[4]}")
            else:
                progress.show(f"testing: {end[1]} of {end[2]} tests, {failures} failed")
        elif CTEST_SUMMARY.match(line):
            failing = False
        elif TEST_START.match(line):
            continue
        elif failing or line.startswith(("CMake Error", "No tests were found", "Errors while")):
            progress.print(line)


def was_skipped(case):
    """Whether a test skipped itself; ctest says "notrun" too where there is no program, which is a failure."""
    note = case.find("skipped")
    return case.get("status") == "disabled" or (note is not None and note.get("message", "").startswith("SKIP_"))


def reason_of(case):
    """Why a test was skipped, from its output."""
    output = (case.findtext("system-out") or "").strip()
    for pattern in SKIP_REASONS:
        found = pattern.search(output)
        if found:
            return found[1].strip()
    return "it does not say why"


def duration(seconds):
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds) // 60} min {int(seconds) % 60} s"


def summary(results, build_seconds, test_seconds):
    """The lines of the summary, from a JUnit file of ctest."""
    cases = xml.etree.ElementTree.parse(results).getroot().findall("testcase")
    failed, skipped = [], collections.defaultdict(list)
    for case in cases:
        if was_skipped(case):
            skipped[reason_of(case)].append(case.get("name"))
        elif case.get("status") != "run":
            failed.append(case.get("name"))
    count = sum(map(len, skipped.values()))
    yield from (f"failed: {name}" for name in sorted(failed))
    for reason, names in sorted(skipped.items()):
        more = f" and {len(names) - NAMES_OF_A_REASON} more" if len(names) > NAMES_OF_A_REASON else ""
        yield f"skipped: {', '.join(names[:NAMES_OF_A_REASON])}{more}: {reason}"
    slowest = sorted(cases, key=lambda case: -float(case.get("time") or 0))[:SLOWEST]
    yield "slowest: " + ", ".join(f"{case.get('name')} ({duration(float(case.get('time') or 0))})" for case in slowest)
    yield f"took {duration(build_seconds)} to build and {duration(test_seconds)} to test"
    yield f"{len(cases) - len(failed) - count} passed, {len(failed)} failed, {count} skipped"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("--target", action="append", default=[], help="build this target in place of everything")
    parser.add_argument("directory", type=pathlib.Path)
    arguments, options = parser.parse_known_args()
    progress = Progress()
    started = time.monotonic()
    status = build(arguments.directory, arguments.target, progress)
    built = time.monotonic()
    if status != 0:
        progress.print(f"the build failed after {duration(built - started)}")
        return status
    results = arguments.directory.absolute() / "Testing/results.xml"
    results.unlink(missing_ok=True)
    status = run(arguments.directory, options, results, progress)
    progress.print("")
    if not results.exists():  # ctest lists tests, or has found none
        return status
    for line in summary(results, built - started, time.monotonic() - built):
        progress.print(line)
    return status


sys.exit(main())
