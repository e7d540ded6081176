#!/usr/bin/env python3
"""Prints a header for Doxygen: comments of declarations become comments that it reads.

A comment on lines of its own documents the declaration below it, one behind a declaration that declaration. The first
comment of a file describes the file. Texts stay as they are: what Doxygen would take for a command or for HTML is escaped.

usage: doxygen_filter.py HEADER
"""
import re
import sys

OWN = re.compile(r"^(\s*)//( ?)(.*)$")
BEHIND = re.compile(r"^(.*[;,{}\)]|\s*\w+)(\s+)// ?(.*)$")


def escaped(text):
    parts = re.split(r"(`[^`]*`)", text)  # no escapes in code
    return "".join(part if part.startswith("`") else re.sub(r"([\\@<>]|(?<![\w/])#)", r"\\\1", part) for part in parts)


def main():
    lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
    out, index = [], 0
    while index < len(lines) and lines[index].startswith("//"):  # of the file
        index += 1
    out.append("/// \\file")
    out += ["/// " + escaped(line[3:]) for line in lines[:index]]
    is_behind = is_code = False
    before = ""
    for line in lines[index:]:
        own = OWN.match(line)
        behind = None if own else BEHIND.match(line)
        if own and "NOLINT" not in own.group(3):
            # Lines that follow a comment behind a declaration, further to the right, continue it.
            is_behind = is_behind and len(own.group(1)) > 8
            text = own.group(3)
            is_code = text.startswith("  ") and (is_code or not before)  # two blanks more, below an empty line
            before = text
            out.append(own.group(1) + ("///< " if is_behind else "/// ") + ("    " + text if is_code else escaped(text)))
            continue
        is_behind = behind is not None and "NOLINT" not in behind.group(3)
        out.append(f"{behind.group(1)}{behind.group(2)}///< {escaped(behind.group(3))}" if is_behind else line)
        is_code, before = False, "-"
    print("\n".join(out))


main()
