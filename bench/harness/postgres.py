"""Requests that read and write a PostgreSQL, beside other servers and drivers: requests, and CPU time of server and database.

A run ends after AT_MOST seconds, with the round that it is in; the next one continues, until there are as many rounds as are wanted.
Samples are kept in build/bench/postgres.json for as long as the programs are the same."""
import dataclasses
import hashlib
import json
import time
import urllib.request

from harness import common, contenders, machine, statistics
from harness.clients import Wrk
from harness.contenders import BINARIES, Contender, Failed, Running
from harness.postgres_server import Database
from harness.requests import REQUESTS, request

CONNECTIONS = 64
WARM_UP = 1  # seconds; statements are prepared, connections made
SETTLE = 2  # seconds at most, between two servers
AT_MOST = 420  # seconds of one run
SAMPLES = common.ROOT / "build/bench/postgres.json"
ALLOCATOR = "libmimalloc.so.2"  # the peers in Rust are built with it
ROWS = {"db": "one query", "queries": "20 queries", "fortunes": "fortunes: 200 rows, sorted and rendered", "updates": "20 queries and 20 updates",
        "async-db": "50 rows with JSON columns"}
PATHS = {"async-db": "/async-db?min=10&max=50&limit=50"}


def path_of(row):
    return PATHS.get(row, f"/{row}")


def terns(database):
    """With the allocator of the system, and with that of the peers in Rust."""
    command = [str(BINARIES / "bench-postgres"), "--port", "{port}", "--threads", "{threads}", "--database", database.url,
               "--templates", str(common.ROOT / "bench/server/templates")]
    plain = Contender("tern", "bench-postgres", command, {"data"})
    return [plain, dataclasses.replace(plain, name="tern, mimalloc", environment={"LD_PRELOAD": ALLOCATOR})]


def check(server):
    """Throws unless the answers are those that are asked for."""
    def get(path):
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=20) as answer:
            return answer.read().decode()

    one, many, changed, rows = (json.loads(get(path_of(row))) for row in ("db", "queries", "updates", "async-db"))
    page = get("/fortunes")
    right = (set(one) == {"id", "randomNumber"} and len(many) == len(changed) == 20 and rows["count"] == len(rows["items"]) == 50
             and set(rows["items"][0]) == {"id", "name", "category", "price", "quantity", "active", "tags", "rating"}
             and isinstance(rows["items"][0]["tags"], list) and page.count("<tr>") == 202 and "&lt;script&gt;" in page and "<script>" not in page
             and "Additional fortune added at request time." in page)
    if not right:
        raise Failed("has another answer")


def settle(database):
    """Waits until the database has done what the last client has left: requests in flight when it ended."""
    end, before = time.monotonic() + SETTLE, database.cpu_seconds()
    while time.monotonic() < end:
        time.sleep(0.05)
        now = database.cpu_seconds()
        if now - before < 0.001:
            return
        before = now


def sample(server, database, row, seconds):
    settle(database)
    before = database.cpu_seconds()
    result = Wrk(CONNECTIONS, threads=1).run(server, f"data_{row}", seconds, None)
    return result | {"database": database.cpu_seconds() - before}


class Unfinished(SystemExit):
    """There are rounds left."""


def kept_samples(names, seconds):
    """{"rounds": their number, "samples": {row: {name: samples}}}, of these programs."""
    programs = hashlib.sha256(repr((names, seconds)).encode())
    for file in [BINARIES / "bench-postgres", *(contenders.stamp_of(common.ROOT / "build/bench" / name) for name in names)]:
        programs.update(file.read_bytes() if file.exists() else b"")
    kept = json.loads(SAMPLES.read_text()) if SAMPLES.exists() else {}
    if kept.get("programs") != programs.hexdigest():
        kept = {"programs": programs.hexdigest(), "rounds": 0, "samples": {row: {name: [] for name in names} for row in ROWS}}
    return kept


def measure_all(servers, database, kept, rounds, seconds, end):
    """Adds rounds to `kept`, until there are enough, or the time is over."""
    for server in servers:
        check(server)
        for row in ROWS:
            sample(server, database, row, WARM_UP)
    while kept["rounds"] < rounds and time.monotonic() < end:
        number, taken = kept["rounds"], {}
        common.note(f"postgres: round {number + 1} of {rounds}")
        for row in ROWS:
            first = number % len(servers)
            for server in servers[first:] + servers[:first]:
                taken[row, server.contender.name] = sample(server, database, row, seconds)
        for (row, name), each in taken.items():
            kept["samples"][row][name].append(each)
        kept["rounds"] += 1
        SAMPLES.write_text(json.dumps(kept))


def cost(taken, what):
    """The median of the microseconds of each request, with its interval."""
    costs = [each[what] / each["requests"] * 1e6 for each in taken]
    low, high = statistics.bootstrap(costs)
    return f"{statistics.median(costs):,.1f} µs ({low:,.1f} to {high:,.1f})"


def table_of(samples):
    text = "| request | server | requests/s | server CPU | requests per CPU second | database CPU |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
    for row, of_row in samples.items():
        for name, taken in of_row.items():
            rate = statistics.median([each["requests"] / each["seconds"] for each in taken])
            cpu = statistics.median([each["cpu"] / each["requests"] for each in taken])
            text += f"| {ROWS[row]} | {name} | {rate:,.0f} | {cost(taken, 'cpu')} | {1 / cpu:,.0f} | {cost(taken, 'database')} |\n"
    return text


def compared(rounds, seconds, wanted):
    common.build("bench-postgres")
    common.run("script/bootstrap", "bench", "postgresql-15", "libmimalloc2.0")
    machine.take_all_descriptors()
    for row in ROWS:
        REQUESTS[f"data_{row}"] = request("GET", path_of(row))
    peers, absent = contenders.chosen(wanted or contenders.peer_names("data"))
    end = time.monotonic() + AT_MOST
    database, servers = Database(), []
    try:
        every = [*terns(database), *peers]
        kept = kept_samples([contender.name for contender in every], seconds)
        if kept["rounds"] < rounds:
            for contender in every:
                servers.append(Running(dataclasses.replace(contender, environment=contender.environment | {"DATABASE_URL": database.url})))
            measure_all(servers, database, kept, rounds, seconds, end)
            for server in servers:
                server.stop()
    finally:
        for server in servers:
            server.kill()
        database.stop()
    if kept["rounds"] < rounds:
        raise Unfinished(f"postgres: {kept['rounds']} of {rounds} rounds; run it again for the rest")
    return table_of(kept["samples"]) + "".join(f"\n{name} is absent: {why}\n" for name, why in absent.items())
