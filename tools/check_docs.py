#!/usr/bin/env python3
"""Compiles the snippets of the guide and the README, and follows every relative link of the documents.

A block that begins with ```cpp is compiled: as it is when it has a main(), otherwise inside of a function that has a
tern::App `app`; what stands before a line `// ---` goes in front of that function. A block that begins with
```cpp excerpt is not compiled.

usage: check_docs.py COMPILER
"""
import concurrent.futures
import os
import re
import subprocess
import sys

from tree import ROOT, files, report

BLOCK = re.compile(r"^```cpp *(excerpt)?\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
FLAGS = ["-std=c++23", "-fsyntax-only", "-x", "c++", "-Wall", "-Wextra", "-Iinclude", "-"]


def program(snippet):
    includes = "".join(re.findall(r"^#include.*\n", snippet, re.M))
    snippet = re.sub(r"^#include.*\n", "", snippet, flags=re.M)
    if "int main(" in snippet:
        return includes + snippet
    before, separator, inside = snippet.rpartition("// ---\n")
    if not separator:
        inside = snippet
    return (f"#include <tern/tern.hpp>\n#include <tern/testing.hpp>\n{includes}{before}\n"
            f"void snippet(tern::App& app) {{\n{inside}\nstatic_cast<void>(app);\n}}\n")


def compile_snippet(item):
    place, snippet = item
    done = subprocess.run([sys.argv[1], *FLAGS], cwd=ROOT, input=program(snippet), capture_output=True, text=True)
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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults += [fault for fault in pool.map(compile_snippet, snippets) if fault]
    print(f"{len(snippets)} snippets")
    report("docs", faults)


main()
