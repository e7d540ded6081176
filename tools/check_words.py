#!/usr/bin/env python3
"""Looks for what the tree does without: functions that guess, heavy headers, things left behind."""
import re

from tree import ROOT, files, report

EVERYWHERE = {
    r"\b(?:std::)?(?:stoi|stol|stoll|stoul|stoull|stod|stof|strtol|strtoll|strtoul|strtod|atoi|atol|atof)\s*\(":
        "numbers are read by base/number.hpp",
    r"\b(?:sprintf|strcpy|strcat|gets|gmtime|localtime|strtok)\s*\(": "banned",
    r"\.detach\s*\(\)": "threads are joined",
    r"\bshared_from_this\b": "banned",
    r"^\s*#\s*if 0\b": "dead code",
    r"\b(?:TODO|FIXME|XXX|HACK)\b": "say it in an issue",
    r"\busing namespace (?!std::chrono|std::chrono_literals|std::string_literals|std::string_view_literals)":
        "names are spelled out",
    r"\bDISABLED_": "a test is run or is not there",
}
# What <tern/tern.hpp> must not bring; tools/check_budget.py looks at what it really brings.
IN_PUBLIC_HEADERS = {
    r"^\s*#\s*include <(?:iostream|sstream|fstream|regex|functional|filesystem|memory|map|unordered_map|stop_token|"
    r"chrono|thread|algorithm|ranges)>": "too heavy for a public header",
    r"^\s*#\s*define\b": "no macros in the public surface",
}
OPTIONAL_HEADERS = {"include/tern/json/nlohmann.hpp"}
SLEEP = r"\b(?:this_thread::sleep_\w+|usleep|nanosleep)\s*\("  # tern::sleep_for() is not meant


def main():
    faults = []
    for path in files(".hpp", ".cpp"):
        rules = dict(EVERYWHERE)
        if path.parts[0] == "include" and str(path) not in OPTIONAL_HEADERS:
            rules |= IN_PUBLIC_HEADERS
        if path.name.endswith("_test.cpp") or path.parts[0] == "tests":
            rules[SLEEP] = "tests await events"
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            code = line.split("//", 1)[0] if "TODO" not in line and "FIXME" not in line else line
            for pattern, why in rules.items():
                if re.search(pattern, code):
                    faults.append(f"{path}:{number}: {line.strip()} ({why})")
    report("words", faults)


main()
