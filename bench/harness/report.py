"""The tables of the workloads, and the page of a run."""
import datetime
import json
import shutil

from harness import machine, plots
from harness.clients import LATENCIES
from harness.common import ROOT, run
from harness.statistics import median

RESULTS = ROOT / "bench/results"
RAW = ROOT / "build/bench/results"
PLOTTED = {"hello", "pipelined", "large-echo"}  # the results have a picture of these only


def costs(result):
    return [each["cpu"] / each["requests"] for each in result["samples"]]


def row_of(result, floor):
    """Medians over the rounds; None where the client reports no value, or there is no floor."""
    samples = result["samples"]
    if not samples or result["failure"]:
        return {"name": result["name"], "failure": result["failure"] or "no sample"}
    rates = [each["requests"] / each["seconds"] for each in samples]
    row = {"name": result["name"], "failure": None, "rate": median(rates), "spread": (max(rates) - min(rates)) / median(rates),
           "cpu": median(costs(result)) * 1e6, "of_floor": None, "errors": sum(each["errors"] for each in samples),
           "memory": median([each["memory"] for each in samples]), "at_rest": result["at_rest"],
           "is_floor": result["is_floor"], "is_tern": result["is_tern"]}
    if floor:  # of the same round: the same conditions
        row["of_floor"] = median([one / other for one, other in zip(costs(result), costs(floor))])
    for name in LATENCIES:
        values = [each[name] for each in samples if name in each]
        row[name] = median(values) if values else None
    return row


def rows_of(measured):
    """Floors, Tern, then the others, the fastest first."""
    floor = next((result for result in measured["results"] if result["is_floor"] and result["samples"] and not result["failure"]), None)
    rows = [row_of(result, floor) for result in measured["results"]]
    good = [row for row in rows if not row["failure"]]
    good.sort(key=lambda row: (not row["is_floor"], not row["is_tern"], -row["rate"]))
    return good, [row for row in rows if row["failure"]]


def micros(value):
    if value is None:
        return "–"
    return f"{value:,.0f} µs" if value < 10_000 else f"{value / 1000:,.0f} ms"


def cost(value):
    return micros(value) if value >= 1000 else f"{value:.2f} µs"


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def table(measured):
    good, failed = rows_of(measured)
    lines = ["| | requests/s | spread | CPU per request | of the floor's | p50 | p99 | p99.9 | memory | errors |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in good:
        ratio = f"{row['of_floor']:.2f}" if row["of_floor"] else "–"
        name = f"**{row['name']}**" if row["is_tern"] else row["name"]
        lines.append(f"| {name} | {number(row['rate'])} | {row['spread']:.0%} | {cost(row['cpu'])} | {ratio} | {micros(row['p50'])} | "
                     f"{micros(row['p99'])} | {micros(row['p99.9'])} | {row['memory'] / 1024 / 1024:,.1f} MiB | {row['errors']:,} |")
    text = "\n".join(lines) + "\n"
    for result in measured["results"]:
        if result["end"]:
            text += f"\nAt the end, {result['name']} {result['end']}.\n"
    for row in failed:
        text += f"\n{row['name']} failed: {row['failure']}.\n"
    if measured["rate"]:
        slow = [row["name"] for row in good if row["rate"] < 0.98 * measured["rate"]]
        if slow:
            text += f"\nFewer than {measured['rate']:,} a second were offered or answered: {', '.join(slow)}.\n"
    if measured["without"]:
        text += f"\nNot taking part, for lack of what it asks for: {', '.join(measured['without'])}.\n"
    return text


def section(measured, image=None):
    picture = f"![{measured['workload']}]({image})\n\n" if image else ""
    length = f" of {measured['seconds']:g} s" if measured["seconds"] else ""
    return (f"## {measured['workload']}\n\n{measured['what']}. Medians of {measured['rounds']} rounds{length}, "
            f"interleaved.\n\n    {measured['client'].replace(f'{ROOT}/', '')}\n\n{table(measured)}\n{picture}")


def remove_older(folder, day):
    """Keeps the results of one day only."""
    for path in folder.glob("[0-9]*"):
        if not path.name.startswith(day):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


class Report:
    """The page of a day, which replaces older ones. Raw samples stay below build/, so that later runs at the same commit add to it."""

    def __init__(self, contenders, absent, command):
        self.day = datetime.date.today().isoformat()
        self.raw = RAW / f"{self.day}.json"
        commit = run("git", "describe", "--always", "--dirty").stdout.strip()
        self.known = {"commit": commit, "workloads": {}, "servers": {}, "absent": {}, "commands": []}
        if self.raw.exists() and json.loads(self.raw.read_text())["commit"] == commit:
            self.known = json.loads(self.raw.read_text())
        self.known["servers"] |= {each.name: [each.description, each.version, each.note, " ".join(map(str, each.command))]
                                  for each in contenders}
        self.known["absent"] |= absent
        self.known["absent"] = {name: why for name, why in self.known["absent"].items() if name not in self.known["servers"]}
        self.known["commands"] += [] if command in self.known["commands"] else [command]
        self.known["machine"] = machine.describe()

    def add(self, measured):
        self.known["workloads"][measured["workload"]] = measured
        self.raw.parent.mkdir(parents=True, exist_ok=True)
        self.raw.write_text(json.dumps(self.known))

    def write(self, order):
        remove_older(RESULTS, self.day)
        folder = RESULTS / self.day
        folder.mkdir(parents=True, exist_ok=True)
        parts = [self.beginning()]
        for name in order:
            measured = self.known["workloads"].get(name)
            if measured:
                if name in PLOTTED:
                    (folder / f"{name}.svg").write_text(plots.of_workload(measured["what"], rows_of(measured)[0]))
                parts.append(section(measured, f"{self.day}/{name}.svg" if name in PLOTTED else None))
        page = RESULTS / f"{self.day}.md"
        page.write_text("".join(parts).rstrip() + "\n")
        return page

    def beginning(self):
        lines = [f"# Measured on {self.day}", "", f"Tern at {self.known['commit']}. Repeat it with:", ""]
        lines += [f"    {command}" for command in self.known["commands"]]
        lines += ["", "CPU per request is the user and system time of the server's processes, divided by the requests; the floor is "
                  "the server in `bench/floor/`, and the ratio to it the median of those of the rounds. Memory is the resident set at its most during a run. `spread` is the "
                  "distance of the fastest round from the slowest. Every server has one thread and one processor.", "",
                  "| machine | |", "| --- | --- |"]
        lines += [f"| {name} | {value} |" for name, value in self.known["machine"]]
        lines += ["", "| server | version | command | note |", "| --- | --- | --- | --- |"]
        for name, (description, version, note, command) in self.known["servers"].items():
            command = command.replace(str(ROOT) + "/", "")
            lines.append(f"| {name}: {description} | {version.replace(str(ROOT) + '/', '')} | `{command}` | {note} |")
        lines += [f"| {name} | absent | | {' '.join(why.split())} |" for name, why in self.known["absent"].items()]
        return "\n".join(lines) + "\n\n"
