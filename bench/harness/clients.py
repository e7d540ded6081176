"""The load clients: their command lines and the parsing of their output.

A run returns a sample: requests, seconds, errors, CPU seconds of the server, and the latencies in microseconds, by the names
in LATENCIES, that the client reports. duration() is the length of a run in seconds for a requested length, or None where the
client sends a fixed number of requests.
"""
import csv
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile

from harness import machine, processes
from harness.common import ROOT
from harness.contenders import BINARIES, Failed
from harness.requests import REQUESTS
from harness.statistics import percentile

LATENCIES = ["p50", "p90", "p99", "p99.9", "max"]


def run_client(command, seconds, environment=None):
    """The output of a client. Kills a client that exceeds its timeout."""
    try:
        done = subprocess.run(machine.pinned(machine.split()[1], command), cwd=ROOT, capture_output=True, text=True, check=False,
                              timeout=4 * seconds + 120, env=os.environ | (environment or {}))
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{command[0]} did not end") from error
    if done.returncode != 0:
        raise Failed(f"{command[0]}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


@dataclasses.dataclass(frozen=True)
class BenchLoad:
    """bench-load. The server's CPU time excludes the warm-up."""
    connections: int = 64
    depth: int = 1
    close: bool = False
    rate: int | None = None  # requests a second, open loop: each is sent when it is due

    def duration(self, seconds):
        return seconds

    def command(self, port, request, seconds, answer):
        return [str(BINARIES / "bench-load"), "--port", str(port), "--answer", str(answer), "--connections", str(self.connections),
                "--depth", str(self.depth), "--milliseconds", str(round(seconds * 1000)), "--close", str(self.close).lower(),
                *(["--rate", str(self.rate)] if self.rate else []), "--request", f"build/bench/requests/{request}"]

    def run(self, server, request, seconds, answer):
        folder = ROOT / "build/bench/requests"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / request).write_bytes(REQUESTS[request].bytes)
        pids = server.pids()
        command = machine.pinned(machine.split()[1], self.command(server.port, request, seconds, answer))
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
            client.stdout.readline()  # begin
            before = processes.cpu_seconds(pids)
            client.stdout.readline()  # end
            after = processes.cpu_seconds(pids)
            rest, wrong = client.stdout.read(), client.stderr.read()
        if client.returncode != 0:
            raise Failed(wrong.strip())
        return json.loads(rest) | {"cpu": after - before}


@dataclasses.dataclass(frozen=True)
class Wrk:
    connections: int
    threads: int = 2
    script: str = "get"
    min_seconds: int = 1  # a shorter run may complete no request

    def duration(self, seconds):
        return max(round(seconds), self.min_seconds)

    def command(self, port, request, seconds, answer):
        target = REQUESTS[request].bytes.split(b" ", 2)[1].decode()
        return ["wrk", f"-t{self.threads}", f"-c{self.connections}", f"-d{self.duration(seconds)}s", "--timeout", "30s", "-s",
                f"bench/load/wrk/{self.script}.lua", f"http://127.0.0.1:{port}{target}"]

    def run(self, server, request, seconds, answer):
        pids = server.pids()
        before = processes.cpu_seconds(pids)
        output = run_client(self.command(server.port, request, seconds, answer), self.duration(seconds),
                          {"LUA_PATH": f"{ROOT}/bench/load/wrk/?.lua"})
        cpu = processes.cpu_seconds(pids) - before
        return json.loads(re.search(r"^wrk-result (.*)$", output, re.M).group(1)) | {"cpu": cpu}


@dataclasses.dataclass(frozen=True)
class H2load:
    """A constant rate over HTTP/1.1 for five seconds, whatever length is requested."""
    rate: int
    connections: int = 100
    seconds: int = 5

    def duration(self, seconds):
        return self.seconds

    def command(self, port, request, seconds, answer):
        return ["h2load", "--h1", f"-c{self.connections}", f"--rps={self.rate // self.connections}", f"-D{self.seconds}",
                f"http://127.0.0.1:{port}/"]

    def run(self, server, request, seconds, answer):
        pids = server.pids()
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            before = processes.cpu_seconds(pids)
            output = run_client([*self.command(server.port, request, seconds, answer), f"--log-file={log}"], self.seconds)
            cpu = processes.cpu_seconds(pids) - before
            lines = [line.split("\t") for line in log.read_text().splitlines()]
        summary = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", output)
        took = [int(line[2]) for line in lines]
        if not summary or not took:
            raise Failed("h2load had no answer")
        # Requests in flight when the time is over are no errors; h2load counts them as neither.
        return {"requests": len(took), "seconds": float(self.seconds), "errors": sum(map(int, summary.groups()[1:])), "cpu": cpu,
                "max": max(took)} | {name: percentile(took, float(name[1:])) for name in LATENCIES if name != "max"}


@dataclasses.dataclass(frozen=True)
class Http2:
    """HTTP/2 in clear text, by h2load. The request's fields but those of the connection."""
    connections: int
    streams: int  # on each

    def duration(self, seconds):
        return seconds

    def command(self, port, request, seconds, answer):
        lines = REQUESTS[request].bytes.split(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        fields = [line for line in lines if not line.lower().startswith(("host:", "connection:"))]
        return ["h2load", "-t1", f"-c{self.connections}", f"-m{self.streams}", f"-D{round(seconds * 1000)}ms",
                *(part for field in fields for part in ("-H", field)), f"http://127.0.0.1:{port}/"]

    def run(self, server, request, seconds, answer):
        pids = server.pids()
        before = processes.cpu_seconds(pids)
        output = run_client(self.command(server.port, request, seconds, answer), seconds)
        cpu = processes.cpu_seconds(pids) - before
        done = re.search(r"^requests: .* (\d+) done, .* (\d+) failed, (\d+) errored, (\d+) timeout", output, re.M)
        good = re.search(r"^status codes: (\d+) 2xx", output, re.M)
        if not done or not good:
            raise Failed("h2load had no answer")
        requests, *wrong = map(int, done.groups())
        return {"requests": requests, "seconds": seconds, "cpu": cpu, "errors": max(sum(wrong), requests - int(good[1]))}


@dataclasses.dataclass(frozen=True)
class Ab:
    """A fixed number of requests."""
    connections: int = 5
    requests: int = 100_000
    keep_alive: bool = True

    def duration(self, seconds):
        return None

    def command(self, port, request, seconds, answer):
        return ["ab", "-q", *(["-k"] if self.keep_alive else []), f"-c{self.connections}", f"-n{self.requests}",
                f"http://127.0.0.1:{port}/"]

    def run(self, server, request, seconds, answer):
        pids = server.pids()
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "percentiles.csv")
            command = self.command(server.port, request, seconds, answer)
            before = processes.cpu_seconds(pids)
            output = run_client([*command[:-1], "-e", str(table), command[-1]], 60)
            cpu = processes.cpu_seconds(pids) - before
            rows = list(csv.reader(table.open()))[1:]

        def number(label):
            found = re.search(rf"^{label}:\s+([\d.]+)", output, re.M)
            return float(found.group(1)) if found else 0
        # ab counts answers of another length than the first as failed, which ours never are.
        sample = {"requests": int(number("Complete requests")), "seconds": number("Time taken for tests"), "cpu": cpu,
                  "errors": int(number("Failed requests") + number("Non-2xx responses"))}
        return sample | {f"p{row[0]}": float(row[1]) * 1000 for row in rows if f"p{row[0]}" in LATENCIES}
