#!/usr/bin/env python3
"""Finds functions and objects that one source of the library defines for itself and another makes from a template.

Which of the two a program gets depends on the order of its linker. It happens where an explicit specialisation is not
declared beside its template, so that some sources do not see it; no compiler and no linker reports it.
    check_symbols.py COMPILER ARCHIVE…
"""
import collections
import subprocess
import sys

from tree import report

STRONG, WEAK = "TDBR", "WV"


def main():
    places = {STRONG: collections.defaultdict(set), WEAK: collections.defaultdict(set)}
    lines = subprocess.run(["nm", "-A", "-C", "--defined-only", *sys.argv[2:]], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        if line.endswith(":") or not line:  # the name of an archive
            continue
        place, kind, symbol = line.split(maxsplit=2)
        for kinds, found in places.items():
            if kind in kinds:
                found[symbol].add(place.split(":")[1])
    faults = [f"{symbol}: defined by {', '.join(sources)}, made from a template by {', '.join(places[WEAK][symbol])}"
              for symbol, sources in sorted(places[STRONG].items()) if symbol in places[WEAK]]
    if not places[STRONG]:
        faults.append("no symbols in " + " ".join(sys.argv[2:]))
    report("symbols", faults)


main()
