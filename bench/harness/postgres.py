"""Requests that read and write a PostgreSQL, beside other servers and drivers: requests, and CPU time of server and database."""
import dataclasses
import json
import urllib.request

from harness import common, contenders, machine, statistics
from harness.clients import Wrk
from harness.contenders import BINARIES, Contender, Failed, Running
from harness.postgres_server import Database
from harness.requests import REQUESTS, request

CONNECTIONS = 64
WARM_UP = 1  # seconds; statements are prepared, connections made
ROWS = {"db": "one query", "queries": "20 queries", "fortunes": "fortunes: 200 rows, sorted and rendered", "updates": "20 queries and 20 updates",
        "async-db": "50 rows with JSON columns"}
PATHS = {"async-db": "/async-db?min=10&max=50&limit=50"}


def path_of(row):
    return PATHS.get(row, f"/{row}")


def tern(database):
    return Contender("tern", "bench-postgres", [str(BINARIES / "bench-postgres"), "--port", "{port}", "--threads", "{threads}", "--database", database.url,
                                            "--templates", str(common.ROOT / "bench/server/templates")], {"data"})


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


def sample(server, database, row, seconds):
    before = database.cpu_seconds()
    result = Wrk(CONNECTIONS, threads=1).run(server, f"data_{row}", seconds, None)
    return result | {"database": database.cpu_seconds() - before}


def measure_all(servers, database, rounds, seconds):
    """{row: {name: samples}}"""
    samples = {row: {server.contender.name: [] for server in servers} for row in ROWS}
    for server in servers:
        check(server)
        for row in ROWS:
            sample(server, database, row, WARM_UP)
    for number in range(rounds):
        for row, of_row in samples.items():
            common.note(f"postgres: {row}, round {number + 1} of {rounds}")
            first = number % len(servers)
            for server in servers[first:] + servers[:first]:
                of_row[server.contender.name].append(sample(server, database, row, seconds))
    return samples


def table_of(samples):
    text = "| request | server | requests/s | server CPU | requests per CPU second | database CPU |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
    for row, of_row in samples.items():
        for name, taken in of_row.items():
            rate = statistics.median([each["requests"] / each["seconds"] for each in taken])
            cpu = statistics.median([each["cpu"] / each["requests"] for each in taken])
            database = statistics.median([each["database"] / each["requests"] for each in taken])
            text += f"| {ROWS[row]} | {name} | {rate:,.0f} | {cpu * 1e6:,.1f} µs | {1 / cpu:,.0f} | {database * 1e6:,.1f} µs |\n"
    return text


def compared(rounds, seconds, wanted):
    common.build("bench-postgres")
    common.run("script/bootstrap", "bench", "postgresql-15")
    machine.take_all_descriptors()
    for row in ROWS:
        REQUESTS[f"data_{row}"] = request("GET", path_of(row))
    peers, absent = contenders.chosen(wanted or contenders.peer_names("data"))
    database, servers = Database(), []
    try:
        for contender in [tern(database), *peers]:
            servers.append(Running(dataclasses.replace(contender, environment=contender.environment | {"DATABASE_URL": database.url})))
        text = table_of(measure_all(servers, database, rounds, seconds))
        for server in servers:
            server.stop()
    finally:
        for server in servers:
            server.kill()
        database.stop()
    for name, why in absent.items():
        text += f"\n{name} is absent: {why}\n"
    return text
