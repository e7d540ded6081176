#!/usr/bin/env python3
"""Compiles one file that must be refused, and checks the first error that its user reads.

usage: check.py <compiler> <include directory> <header> <file>

The header, which the compiler may have compiled already, is included in front of the file.

The file's first line is `// expect: <text>`. The compilation must fail, and its first error must contain the text; for
Clang, whose error for a consteval call is the same for all, the notes that belong to it count too. A second line
`// note: <text>` names text that the error or the notes that belong to it must contain. A file that expects `nothing`
must compile.
"""
import os
import subprocess
import sys


def first_error(output: str) -> str:
    """The first error: its line, and the notes and excerpts below it up to the next error."""
    lines = output.splitlines()
    start = next((i for i, line in enumerate(lines) if " error: " in line), None)
    if start is None:
        return ""
    end = next((i for i in range(start + 1, len(lines)) if " error: " in lines[i]), len(lines))
    return "\n".join(lines[start:end])


def main() -> int:
    compiler, include, header, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        first = file.readline().strip()
        second = file.readline().strip()
    marker = "// expect: "
    if not first.startswith(marker):
        print(f"{path}: the first line is `{marker}<text>`")
        return 2
    expected = first.removeprefix(marker)
    noted = second.removeprefix("// note: ") if second.startswith("// note: ") else ""
    command = [compiler, "-std=c++23", "-fsyntax-only", "-I", include, "-include", header, path]
    environment = {**os.environ, "LC_ALL": "C"}  # messages in English
    result = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", env=environment, check=False)
    if expected == "nothing":
        if result.returncode == 0:
            return 0
        print(result.stderr, f"{path} must compile", sep="\n")
        return 1
    if result.returncode == 0:
        print(f"{path} compiles, but must be refused: {expected}")
        return 1
    error = first_error(result.stderr)
    read = error if "clang" in compiler else error.splitlines()[0] if error else ""
    if expected in read and noted in error:
        return 0
    print(" ".join(command), error or result.stderr, f"the first error does not say: {expected} {noted}", sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
