"""The cost of handlers that wait or compute, and their effect on the latency of others."""
import pathlib
import re
import subprocess
import tempfile
import time

from harness import instructions
from harness.common import Server, build, note, run
from harness.contenders import BINARIES, Contender
from harness.statistics import median, percentile

ROUNDS = 5           # with /hello
SECONDS = 6          # of each
CALC_ROUNDS = 9      # with /calc; wrk does not count responses that are computed at the end of a round
CALC_SECONDS = 8
CALC = "/calc?value=0.6"


def floor_rate():
    """Series a second that two threads reach which do nothing else."""
    return float(run("build/bench/bin/calc-floor", "2", str(CALC_SECONDS)).stdout)


def calc_rate():
    """Answers a second of /calc, with 8 clients."""
    server = Server("calc", threads=2)
    done = run("wrk", "-t1", "-c8", f"-d{CALC_SECONDS}s", "--timeout", "30s", f"http://127.0.0.1:{server.port}{CALC}").stdout
    server.stop()
    if "Non-2xx" in done or "Socket errors" in done:
        raise RuntimeError(done)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done).group(1))


def hello_p99(beside_calc):
    """Microseconds, of GET /hello offered 100 times a second by ten clients, after a second in which they connect."""
    server = Server("calc", threads=2)
    address = f"http://127.0.0.1:{server.port}"
    load = None
    if beside_calc:
        load = subprocess.Popen(["wrk", "-t1", "-c8", f"-d{SECONDS + 3}s", "--timeout", "30s", address + CALC],
                                stdout=subprocess.DEVNULL)
        time.sleep(1)  # until the pool is busy
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        run("h2load", "--h1", "-c10", "--rps=10", f"-D{SECONDS + 1}", f"--log-file={log}", address + "/hello")
        lines = [line.split("\t") for line in log.read_text().splitlines()]
    begin = min(int(line[0]) for line in lines)
    lines = [line for line in lines if int(line[0]) >= begin + 1_000_000]
    if load:
        load.wait()
    server.stop()
    if not lines or any(line[1] != "200" for line in lines):
        raise RuntimeError("GET /hello failed")
    return percentile([int(line[2]) for line in lines], 99)


def instructions_per_request(program):
    command = [str(BINARIES / program), "--port", "{port}", "--threads", "{threads}"]
    return instructions.per_request(Contender(program, program, command, {"hello"}))


def measure():
    build("calc", "calc-floor", "plain-hello", "async-hello")
    ratios, quiet, busy = [], [], []
    for number in range(CALC_ROUNDS):
        note(f"/calc and its floor, round {number + 1} of {CALC_ROUNDS}")
        rates = {}
        for measured in (floor_rate, calc_rate) if number % 2 == 0 else (calc_rate, floor_rate):
            rates[measured] = measured()
        ratios.append((rates[calc_rate] / rates[floor_rate], rates[calc_rate], rates[floor_rate]))
    for number in range(ROUNDS):
        note(f"/hello alone and beside /calc, round {number + 1} of {ROUNDS}")
        quiet.append(hello_p99(False))
        busy.append(hello_p99(True))
    note("counting instructions")
    plain = instructions_per_request("plain-hello")
    coroutine = instructions_per_request("async-hello")
    ratio, rate, floor = median(ratios)
    return [
        ("two threads without a server: series a second", f"{floor:.2f}"),
        ("`GET /calc`, 8 clients: answers a second", f"{rate:.2f}"),
        ("as a share of that", f"{ratio:.1%}"),
        ("`GET /hello`, 100 a second: p99", f"{median(quiet):,} µs"),
        ("the same with 8 clients on `/calc`: p99", f"{median(busy):,} µs"),
        ("as a multiple of that", f"{median(busy) / median(quiet):.1f}"),
        ("plain hello: user instructions per request", f"{plain:,.0f}"),
        ("hello as a coroutine: user instructions per request", f"{coroutine:,.0f}"),
        ("difference", f"{coroutine / plain - 1:.1%}"),
    ]
