#!/usr/bin/env python3
"""Holds every include of src/ and include/ to layers.txt: which room may include which."""
import re

from tree import ROOT, files, report

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<tern/(\w+)/[^>]*>|"(\w+)/[^"]*")')


def read_layers():
    rooms, faults = {}, []
    for line in (ROOT / "layers.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        room, _, below = line.partition(":")
        rooms[room] = set(below.split())
        for name in rooms[room] - (set(rooms) - {room}):
            faults.append(f"layers.txt: {room} names {name}, which does not stand above it")
    return rooms, faults


def room_of(path):
    parts = path.parts
    if parts[0] == "src":
        return parts[1]
    if parts[:2] == ("include", "tern"):
        return parts[2] if len(parts) > 3 else "tern"
    return None


def main():
    rooms, faults = read_layers()
    for path in files(".hpp", ".cpp"):
        room = room_of(path)
        if room is None or path.name.endswith("_test.cpp"):
            continue
        if room not in rooms:
            faults.append(f"{path}: the room {room} is not in layers.txt")
            continue
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            other = match.group(1) or match.group(2)
            if other != room and other not in rooms[room]:
                faults.append(f"{path}:{number}: {room} may not include {other}")
    report("layers", faults)


main()
