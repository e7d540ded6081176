#!/usr/bin/env python3
"""Compiles every header alone, so that none depends on what was included before it. Those that another header or a source
of the library includes first are compiled alone with it. Headers of new projects (src/command/projects) include others of
several folders that are one there; tests/first_run/packages compiles them.

usage: check_headers.py COMPILER
"""
import concurrent.futures
import os
import re
import subprocess
import sys

from tree import ROOT, files, report

FLAGS = ["-std=c++23", "-fsyntax-only", "-x", "c++", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
         "-Iinclude", "-Isrc", "-Itests", "-"]


def compile_alone(header):
    # Included, not compiled itself: a main file warns about #pragma once.
    done = subprocess.run([sys.argv[1], *FLAGS], cwd=ROOT, input=f'#include "{header}"\n', capture_output=True, text=True)
    return None if done.returncode == 0 else f"{header} does not compile alone:\n{done.stderr}"


def included_first(path):
    """The header that a file includes before anything else that counts; None if a condition or a macro stands before it."""
    first = re.search(r'^#(include [<"](.+?)[>"]|if|define)', (ROOT / path).read_text(), re.M)
    return first and first[2]


def main():
    sources = [path for path in files(".cpp") if path.parts[0] == "src" and not path.stem.endswith("_test")]  # tests are precompiled
    headers = [path for path in files(".hpp") if path.parts[0] in ("include", "src") and path.parts[:3] != ("src", "command", "projects")]
    compiled = {included_first(path) for path in sources + headers}
    alone = [ROOT / path for path in headers if "/".join(path.parts[1:]) not in compiled]  # as it is included
    print(f"{len(alone)} of {len(headers)} headers")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        report("headers", [fault for fault in pool.map(compile_alone, alone) if fault])


main()
