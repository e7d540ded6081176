#!/usr/bin/env python3
"""Holds what a user's file costs to compile: lines, CPU time, and headers that must not come along.

usage: check_budget.py COMPILER
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

from tree import ROOT, report

MOST_LINES = 45_000
# CPU time at -O2, as a multiple of what <string> and <vector> alone take; the median of pairs, because machines are noisy.
MOST_TIMES = 3.8
FORBIDDEN = {"iostream", "regex", "functional", "filesystem", "memory", "map", "unordered_map", "stop_token"}
FORBIDDEN_PARTS = ("/openssl/", "/nghttp2/", "/fmt/", "/spdlog/", "simdjson")
BASELINE = "#include <string>\n#include <vector>\nint main() {}\n"


def run(*arguments, text=None):
    return subprocess.run([sys.argv[1], "-std=c++23", *arguments], cwd=ROOT, input=text, check=True, capture_output=True,
                          text=True)


def cpu_seconds(*arguments, text=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("-O2", "-c", "-Iinclude", *arguments, text=text)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    faults = []
    lines = run("-E", "-P", "-Iinclude", "examples/hello.cpp").stdout.count("\n")
    print(f"examples/hello.cpp: {lines} preprocessed lines, at most {MOST_LINES}")
    if lines >= MOST_LINES:
        faults.append("hello.cpp: too many preprocessed lines")

    brought = run("-E", "-M", "-Iinclude", "-x", "c++", "-", text="#include <tern/tern.hpp>\n").stdout.split()
    standard = re.compile(r".*/c\+\+/\d+/(\w+)$")
    for path in brought:
        name = standard.match(path)
        if (name and name.group(1) in FORBIDDEN) or any(part in path for part in FORBIDDEN_PARTS):
            faults.append(f"<tern/tern.hpp> brings {path}")

    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.o")
        ratios = []
        for _ in range(5):
            base = cpu_seconds("-x", "c++", "-", "-o", out, text=BASELINE)
            ratios.append(cpu_seconds("examples/hello.cpp", "-o", out) / base)
    ratio = sorted(ratios)[len(ratios) // 2]
    print(f"examples/hello.cpp: {ratio:.2f} times the CPU time of <string> and <vector>, at most {MOST_TIMES}")
    if ratio > MOST_TIMES:
        faults.append("hello.cpp: takes too long to compile")
    report("budget", faults)


main()
