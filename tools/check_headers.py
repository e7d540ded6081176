#!/usr/bin/env python3
"""Compiles every header alone, so that none depends on what was included before it.

usage: check_headers.py COMPILER
"""
import concurrent.futures
import os
import subprocess
import sys

from tree import ROOT, files, report

FLAGS = ["-std=c++23", "-fsyntax-only", "-x", "c++", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
         "-Iinclude", "-Isrc", "-Itests", "-"]


def compile_alone(header):
    # Included, not compiled itself: a main file warns about #pragma once.
    done = subprocess.run([sys.argv[1], *FLAGS], cwd=ROOT, input=f'#include "{header}"\n', capture_output=True, text=True)
    return None if done.returncode == 0 else f"{header} does not compile alone:\n{done.stderr}"


def main():
    headers = [ROOT / path for path in files(".hpp") if path.parts[0] in ("include", "src")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        report("headers", [fault for fault in pool.map(compile_alone, headers) if fault])


main()
