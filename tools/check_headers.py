#!/usr/bin/env python3
"""Compiles every header alone, so that none depends on what was included before it. The build has done so already for
those that the source file of the same name includes first. Headers of new projects (src/command/projects) include others of
several folders that are one there; tests/first_run/packages compiles them.

usage: check_headers.py COMPILER
"""
import concurrent.futures
import os
import pathlib
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


def is_first_in_its_source(path):
    inside = pathlib.PurePath(*path.parts[1:])  # as it is included
    source = ROOT / "src" / inside.parent.name / f"{path.stem}.cpp"
    first = re.search(r'^#include [<"](.+?)[>"]', source.read_text(), re.M) if source.is_file() else None
    return first is not None and first[1] == str(inside)


def main():
    headers = [ROOT / path for path in files(".hpp")
               if path.parts[0] in ("include", "src") and path.parts[:3] != ("src", "command", "projects") and not is_first_in_its_source(path)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        report("headers", [fault for fault in pool.map(compile_alone, headers) if fault])


main()
