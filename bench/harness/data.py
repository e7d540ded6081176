"""Databases: SQLite beside its C interface."""
import pathlib
import subprocess
import tempfile

from harness import common, statistics

ROUNDS, MILLISECONDS = 10, 1000
SQLITE = {"read": "point reads by primary key, 100,000 rows", "write": "updates of one row, `synchronous=NORMAL`"}


def sqlite_sample(side, kind, path):
    done = subprocess.run([common.ROOT / "build/bench/bin/bench-sqlite", side, kind, path, str(MILLISECONDS)], check=True,
                          capture_output=True, text=True)
    operations, seconds, cpu = (float(word) for word in done.stdout.split())
    return {"rate": operations / seconds, "cpu": cpu / operations}


def sqlite_table():
    common.build("bench-sqlite")
    text = ("| SQLite | C interface | `tern::Sqlite` | of the C interface's | CPU, C interface | CPU, `tern::Sqlite` |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: |\n")
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "bench.db"))
        sqlite_sample("raw", "read", path)  # makes the file
        for kind, what in SQLITE.items():
            pairs = []
            for number in range(ROUNDS):
                common.note(f"SQLite, {kind}, round {number + 1} of {ROUNDS}")
                sides = ["raw", "tern"] if number % 2 == 0 else ["tern", "raw"]
                round_of = {side: sqlite_sample(side, kind, path) for side in sides}
                pairs.append((round_of["raw"], round_of["tern"]))
            ratio, low, high, _ = statistics.compare([(raw["rate"], tern["rate"]) for raw, tern in pairs])
            raw, tern = ({name: statistics.median([pair[side][name] for pair in pairs]) for name in ("rate", "cpu")}
                         for side in (0, 1))
            text += (f"| {what} | {raw['rate']:,.0f}/s | {tern['rate']:,.0f}/s | {ratio:.2f} ({low:.2f} to {high:.2f}) | "
                     f"{raw['cpu'] * 1e6:.2f} µs | {tern['cpu'] * 1e6:.2f} µs |\n")
    return text


def table():
    return sqlite_table()
