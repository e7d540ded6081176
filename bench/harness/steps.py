"""The effect of each optimisation step on the path of a request: its commit against its parent."""
from harness import common, compare, instructions, workloads
from harness.common import ROOT, note
from harness.requests import WrongAnswer

PAGE = ROOT / "docs/internals/performance-history.md"
PAIRS, SECONDS = 20, 0.5
REQUESTS = {"hello": ("hello", 1), "sixteen at once": ("hello", 16), "browser": ("browser", 1), "three middleware": ("middleware", 1)}
COUNTED = [  # the oldest first
    ("8576dd3", "heads are scanned 64 bytes at a time, by AVX2 where the processor has it"),
    ("29e19b1", "lines from masks; one look at the target; whole paths in a table of our own; a reply is made where it stays"),
    ("5ee4fb0", "one beginning, Date among it, for all heads of a second; no named result in a `try` block; functions may be inlined"),
    ("49673d6", "heads that were read a moment ago are not read again"),
    ("18e1758", "most answers are written plainly"),
    ("b322ead", "middleware guard themselves"),
    ("f8c94d4", "a known head keeps its route, a plain answer its head; an exchange is used again with less"),
]
TIMED = [  # where the kernel does most of the work
    ("22ddc68", "large content is received where it is collected, large strings are used again, 256 KiB are received at once",
     ["large-echo", "large-head"]),
]


def pair(commit):
    return compare.built(f"{commit}^", "base"), compare.built(commit, "step")


def counts(server):
    """None where bench-server did not have the route yet."""
    note(f"counting instructions of {server.description}")
    found = []
    for request, depth in REQUESTS.values():
        try:
            found.append(instructions.per_request(server, request, depth))
        except WrongAnswer:
            found.append(None)
    return found


def cell(before, after):
    return f"{before:,.0f}, {after:,.0f}: **{after / before - 1:+.1%}**" if before and after else "–"


def table():
    common.build("bench-load")
    text = f"| step | {' | '.join(REQUESTS)} |\n| --- |{' ---: |' * len(REQUESTS)}\n"
    for commit, what in COUNTED:
        text += f"| {commit}: {what} | {' | '.join(map(cell, *map(counts, pair(commit))))} |\n"
    for commit, what, names in TIMED:
        base, step = pair(commit)
        text += f"\n{commit}: {what}.\n"
        for name in names:
            text += "\n#" + compare.compare_workload(workloads.BY_NAME[name], base, step, PAIRS, SECONDS)
    return text
