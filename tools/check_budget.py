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
MOST_TIMES = 4.0
FORBIDDEN = {"iostream", "regex", "functional", "filesystem", "memory", "map", "unordered_map", "stop_token"}
FORBIDDEN_PARTS = ("/openssl/", "/nghttp2/", "/fmt/", "/spdlog/", "simdjson")
# A file with twenty typed operations, their rules and a document, as a multiple of the same without rules and document.
MOST_TIMES_OF_CONTRACT = 1.3
BASELINE = "#include <string>\n#include <vector>\nint main() {}\n"


def run(*arguments, text=None):
    return subprocess.run([sys.argv[1], "-std=c++23", *arguments], cwd=ROOT, input=text, check=True, capture_output=True,
                          text=True)


def cpu_seconds(*arguments, text=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("-O2", "-c", "-Iinclude", *arguments, text=text)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def twenty_operations(with_contract):
    """Twenty operations of two requests and responses each, as a service of that size has them."""
    lines = ["#include <tern/tern.hpp>"] + ["#include <tern/rules.hpp>"] * with_contract
    for i in range(20):
        lines.append(f"struct New{i} {{ std::string title; int year; double price; std::vector<std::string> tags; "
                     f"std::optional<std::string> contact; }};")
        lines.append(f"struct Item{i} {{ std::int64_t id; std::string title; int year; double price; }};")
        if with_contract:
            lines.append(f"template <> struct tern::Rules<New{i}> {{ static constexpr auto list = tern::rules("
                         f"tern::member<&New{i}::title>(tern::length(1, 200), tern::describe(\"Title\")), "
                         f"tern::member<&New{i}::year>(tern::range(1450, 2100)), "
                         f"tern::member<&New{i}::price>(tern::exclusive_minimum(0)), "
                         f"tern::member<&New{i}::tags>(tern::max_items(10), tern::each(tern::length(1, 20))), "
                         f"tern::member<&New{i}::contact>(tern::format(tern::Format::Email))); }};")
    lines.append("int main() { tern::App app;")
    for i in range(20):
        summary = f'.summary("Adds {i}")' if with_contract else ""
        lines.append(f'app.post("/items{i}/{{id}}", [](std::int64_t id, tern::Json<New{i}> content) {{ '
                     f"return tern::created(Item{i}{{id, content->title, content->year, content->price}}, \"/\"); }}){summary};")
    if with_contract:
        lines.append('app.openapi({.title = "Items"});')
    return "\n".join(lines + ["return app.run(); }", ""])


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

    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.o")
        ratios = []
        for _ in range(2):
            plain = cpu_seconds("-x", "c++", "-", "-o", out, text=twenty_operations(False))
            ratios.append(cpu_seconds("-x", "c++", "-", "-o", out, text=twenty_operations(True)) / plain)
    ratio = min(ratios)
    print(f"twenty operations: {ratio:.2f} times the CPU time with rules and document, at most {MOST_TIMES_OF_CONTRACT}")
    if ratio > MOST_TIMES_OF_CONTRACT:
        faults.append("twenty operations with rules and a document: take too long to compile")
    report("budget", faults)


main()
