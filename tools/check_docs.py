#!/usr/bin/env python3
"""Compiles the snippets of the documents, and follows every relative link, to the heading that its anchor names.

A block that begins with ```cpp is compiled: as it is when it has a main(), otherwise inside of a function that has a
tern::App `app`; what stands before a line `// ---` goes in front of that function. A block that begins with
```cpp excerpt is not compiled. A block of any language that begins with ```LANGUAGE from FILE has lines of that file, which
is compiled or run elsewhere: they must be there, one below the other. Each page of docs/ has a block, but for decisions and lists of pages.

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
QUOTE = re.compile(r"^```\w+ +from +(\S+) *\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)]*))?\)")
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


def anchors(path):
    """The anchors of the headings of a document, as GitHub and the site name them."""
    counts, found = {}, set()
    for heading in re.findall(r"^#+ +(.*?) *#*$", re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S), re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        counts[slug] = counts.get(slug, -1) + 1
        found.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
    return found


def link_fault(path, target, anchor):
    if "://" in target or target.startswith("mailto:"):
        return None
    reached = (ROOT / path).parent / target if target else ROOT / path
    if not reached.exists():
        return f"{path}: the link {target} leads nowhere"
    if anchor and reached.suffix == ".md" and anchor not in anchors(reached):
        return f"{path}: {target}#{anchor} has no such heading"
    return None


def quote_fault(place, name, text):
    """Whether the lines are in the file, one below the other, perhaps further to the right."""
    file = ROOT / name
    if not file.is_file():
        return f"{place}: there is no {name}"
    there = [line.rstrip() for line in file.read_text().splitlines()]
    lines = [line.rstrip() for line in text.splitlines()]
    for start in range(len(there) - len(lines) + 1):
        first = next((index for index, line in enumerate(lines) if line), None)
        if first is None or not there[start + first].endswith(lines[first]):
            continue
        indent = there[start + first][:len(there[start + first]) - len(lines[first])]
        if not indent.strip() and all(have == (indent + line if line else "") for have, line in zip(there[start:], lines)):
            return None
    return f"{place}: these lines are not in {name}"


def main():
    snippets, faults = [], []
    for path in files(".md"):
        text = (ROOT / path).read_text()
        for match in BLOCK.finditer(text):
            if not match.group(1):
                snippets.append((f"{path}:{text.count(chr(10), 0, match.start()) + 1}", match.group(2)))
        for match in QUOTE.finditer(text):
            faults.append(quote_fault(f"{path}:{text.count(chr(10), 0, match.start()) + 1}", *match.groups()))
        if path.parts[0] == "docs" and "adr" not in path.parts and path.name != "README.md" and "```" not in text:
            faults.append(f"{path}: a page without an example")
        prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        faults += [link_fault(path, target, anchor) for target, anchor in LINK.findall(prose)]
    faults = [fault for fault in faults if fault]
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compile_one = functools.partial(compile_snippet, prefix=precompile_prefix(directory))
        faults += [fault for fault in pool.map(compile_one, snippets) if fault]
    print(f"{len(snippets)} snippets")
    report("docs", faults)


main()
