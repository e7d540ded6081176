#!/usr/bin/env python3
"""Compiles the snippets of the guide and the README, and follows every relative link of the documents.

A block that begins with ```cpp is compiled: as it is when it has a main(), otherwise inside of a function that has a
tern::App `app`; what stands before a line `// ---` goes in front of that function. A block that begins with
```cpp excerpt is not compiled.

usage: check_docs.py COMPILER
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tree import ROOT, files, report

BLOCK = re.compile(r"^```cpp *(excerpt)?\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
FLAGS = ["-std=c++23", "-Wall", "-Wextra", "-Iinclude"]
PREFIX = "#include <tern/tern.hpp>\n#include <tern/testing.hpp>\n"


def program(snippet):
    includes = "".join(re.findall(r"^#include.*\n", snippet, re.M))
    snippet = re.sub(r"^#include.*\n", "", snippet, flags=re.M)
    if "int main(" in snippet:
        return includes + snippet
    before, separator, inside = snippet.rpartition("// ---\n")
    if not separator:
        inside = snippet
    return (f"{PREFIX}{includes}{before}\n"
            f"void snippet(tern::App& app) {{\n{inside}\nstatic_cast<void>(app);\n}}\n")


def precompile_prefix(directory):
    """Gives the compiler's options that make PREFIX, read for every snippet, cost next to nothing."""
    header = pathlib.Path(directory) / "prefix.hpp"
    header.write_text(PREFIX)
    subprocess.run([sys.argv[1], *FLAGS, "-x", "c++-header", header, "-o", f"{header}.gch"], cwd=ROOT, check=True)
    return ["-include", header]


def compile_snippet(item, prefix):
    place, snippet = item
    text = program(snippet)
    options = prefix if text.startswith(PREFIX) else []
    done = subprocess.run([sys.argv[1], *FLAGS, *options, "-fsyntax-only", "-x", "c++", "-"], cwd=ROOT, input=text,
                          capture_output=True, text=True)
    return None if done.returncode == 0 else f"{place}: the snippet does not compile:\n{done.stderr}"


def main():
    snippets, faults = [], []
    for path in files(".md"):
        text = (ROOT / path).read_text()
        for match in BLOCK.finditer(text):
            if not match.group(1):
                snippets.append((f"{path}:{text.count(chr(10), 0, match.start()) + 1}", match.group(2)))
        prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        for target in LINK.findall(prose):
            if "://" not in target and not target.startswith("mailto:"):
                if not (ROOT / path).parent.joinpath(target).exists():
                    faults.append(f"{path}: the link {target} leads nowhere")
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compile_one = functools.partial(compile_snippet, prefix=precompile_prefix(directory))
        faults += [fault for fault in pool.map(compile_one, snippets) if fault]
    print(f"{len(snippets)} snippets")
    report("docs", faults)


main()
