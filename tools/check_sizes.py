#!/usr/bin/env python3
"""Holds files to 500 lines and functions to 70, and prints the ten longest of each.

Exceptions stand in tools/sizes.txt, each with its size and its reason; they may shrink, not grow.
"""
import re

from tree import ROOT, files, report

MOST_FILE_LINES = 500
MOST_FUNCTION_LINES = 70
# After clang-format, a function at namespace level begins in the first column and ends with a brace there.
BEGINS = re.compile(r"^(?!namespace|concept|class|struct|enum|union|extern|template|constexpr [^(]*=|const [^(]*=|#|//|\s|\})"
                    r".*\{$")


def exceptions():
    allowed = {}
    for line in (ROOT / "tools/sizes.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, size, _reason = line.split(maxsplit=2)
            allowed[name] = int(size)
    return allowed


def functions(lines):
    """(name, length) of the functions of a file; a line of parameters may stand before the brace."""
    start = None
    for number, line in enumerate(lines):
        if start is None and BEGINS.match(line):
            start = number
        elif start is not None and line == "}":
            name = re.sub(r"\(.*", "", lines[start]).split()[-1]
            yield name.lstrip("*&"), number - start + 1
            start = None


def main():
    allowed, faults = exceptions(), []
    file_sizes, function_sizes = [], []
    for path in files(".hpp", ".cpp", ".py"):
        lines = (ROOT / path).read_text().splitlines()
        file_sizes.append((len(lines), str(path)))
        if path.suffix != ".py":
            function_sizes += [(length, f"{path}:{name}") for name, length in functions(lines)]
    for sizes, most in ((file_sizes, MOST_FILE_LINES), (function_sizes, MOST_FUNCTION_LINES)):
        sizes.sort(reverse=True)
        for size, name in sizes[:10]:
            print(f"{size:6} {name}")
        for size, name in sizes:
            if size > allowed.get(name, most):
                faults.append(f"{name}: {size} lines, at most {allowed.get(name, most)}")
    report("sizes", faults)


main()
