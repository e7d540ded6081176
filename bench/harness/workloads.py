"""The table of workloads."""
import dataclasses

from harness.clients import Ab, BenchLoad, H2load, Http2, Wrk


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    what: str
    request: str        # of requests.REQUESTS
    client: object
    needs: frozenset    # required features of a contender
    routes: int = 0
    access_log: bool = False

    @property
    def rate(self):
        """Requests a second, where the client holds to a rate."""
        return getattr(self.client, "rate", None)


def workload(name, what, request, client, *needs, **more):
    return Workload(name, what, request, client, frozenset(needs or ("hello",)), **more)


WORKLOADS = [
    workload("hello", "`GET /`, 64 connections", "hello", BenchLoad(64)),
    *(workload(f"hello-{count}", f"`GET /`, {count:,} connections, wrk", "hello", Wrk(count)) for count in (10, 100, 1_000, 10_000)),
    *(workload(f"simple-{count}", f"`GET /user/{{id}}`, {count:,} connections, wrk", "user", Wrk(count), "user")
      for count in (10, 100, 1_000, 10_000)),
    *(workload(f"rate-{rate}", f"`GET /` at a constant {rate:,} a second for 5 s, h2load", "hello", H2load(rate))
      for rate in (20_000, 30_000)),
    workload("wrk-get", "`GET /`, wrk, 2 threads, 400 connections", "hello", Wrk(400)),
    workload("wrk-large-head", "`GET /` with a field of 64 KB, wrk, 2 threads, 400 connections", "large_head",
             Wrk(400, script="large_head"), "large_head"),
    workload("wrk-large-both", "`POST` of 10 MB with a field of 64 KB, wrk, 2 threads, 400 connections", "large_both",
             Wrk(400, script="large_both", min_seconds=10), "large_both"),
    workload("large-head", "`GET /` with a field of 64 KB, 64 connections", "large_head", BenchLoad(64), "large_head"),
    workload("large-echo", "`POST` of 10 MB, echoed, 8 connections", "large_echo", BenchLoad(8), "large_body"),
    workload("ab-keep-alive", "ab, concurrency 5, 100,000 requests, keep-alive, access log on", "hello", Ab(),
             "hello", "access_log", access_log=True),
    workload("ab-close", "ab, concurrency 5, 100,000 requests, a connection for each, access log on", "hello", Ab(keep_alive=False),
             "hello", "access_log", access_log=True),
    workload("json-post", "`POST /json`, a random value per request, 8 clients, wrk", "json_post", Wrk(8, 1, "json_post"), "json_post"),
    workload("calc", "`GET /calc` on the thread pool, 8 clients, wrk", "calc", Wrk(8, 1, min_seconds=5), "calc"),
    workload("pipelined", "`GET /`, sixteen at once, 64 connections", "hello", BenchLoad(64, depth=16), "pipelined"),
    workload("close", "`GET /`, a connection for each request, 64 at a time", "close", BenchLoad(64, close=True)),
    workload("latency", "`GET /`, one connection", "hello", BenchLoad(1)),
    workload("browser", "`GET /` as a browser sends it (740 bytes), 64 connections", "browser", BenchLoad(64), "browser"),
    workload("routes", "`GET /route299/{id}/details` of 300 routes, 64 connections", "routes", BenchLoad(64), "routes", routes=300),
    workload("three-middleware", "`GET /behind-three`, three middleware, 64 connections", "middleware", BenchLoad(64), "middleware"),
    workload("json", "`GET /json`, 64 connections", "json", BenchLoad(64), "json"),
    workload("user", "`GET /user/{id}`, 64 connections", "user", BenchLoad(64), "user"),
    *(workload(f"http2-{request}", f"`GET /` over HTTP/2, {what}, 8 connections of 10 streams, h2load", request, Http2(8, 10), "http2")
      for request, what in (("hello", "no field"), ("browser", "14 fields"))),
    workload("echo", "`POST /echo` of 13 bytes, 64 connections", "echo", BenchLoad(64), "echo"),
]
BY_NAME = {each.name: each for each in WORKLOADS}


def named(name):
    """The workload of that name, or all whose names begin with it and a hyphen."""
    if name in BY_NAME:
        return [BY_NAME[name]]
    found = [each for each in WORKLOADS if each.name.startswith(f"{name}-")]
    if not found:
        raise SystemExit(f"bench: there is no workload {name}; there are: " + ", ".join(BY_NAME))
    return found
