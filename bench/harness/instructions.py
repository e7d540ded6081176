"""User instructions per request, and the functions that they are in, counted by callgrind: the difference of two runs of
which one answers more requests, so that starting and ending are left out."""
import collections
import dataclasses
import itertools
import pathlib
import re
import socket
import tempfile

from harness import common, contenders
from harness.contenders import Running
from harness.requests import REQUESTS, ask, received

FEW, MANY = 1000, 3000
ROWS = [  # name, request, depth, a part that changes with each request
    ("hello, 37 bytes", "hello", 1, None),
    ("hello, sixteen pipelined", "hello", 16, None),
    ("browser's request for hello, 740 bytes", "browser", 1, None),
    ("the same with a new cookie each time", "browser", 1, b"2f9a81c0"),
    ("JSON response", "json", 1, None),
    ("JSON request and response", "json_post", 1, None),
    ("path parameter", "user", 1, None),
]


def serve(port, request, count, depth, changing=None):
    """Asks so often, on one connection. `changing`, a part of the request of eight bytes, is another each time."""
    numbers = itertools.count()
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = connection.makefile("rb")
        for _ in range(count // depth):
            asked = request.bytes.replace(changing, b"%08x" % next(numbers), 1) if changing else request.bytes
            connection.sendall(asked * depth)
            for _ in range(depth):
                received(stream)


def counted(contender, request, count, depth, routes, changing):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        under = dataclasses.replace(
            contender, command=["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *contender.command])
        server = Running(under, routes)
        try:
            ask(server.port, request)
            serve(server.port, request, count, depth, changing)
            server.stop()
        finally:
            server.kill()
        text = out.read_text()
        return Count(int(re.search(r"^(?:summary|totals): (\d+)", text, re.M).group(1)), calls_of(text))


@dataclasses.dataclass(frozen=True)
class Count:
    instructions: int
    calls: collections.Counter  # by function


def calls_of(profile):
    """How often each function was called, of those that were not inlined."""
    names = dict(re.findall(r"^c?fn=\((\d+)\) (.+)$", profile, re.M))  # given once; later only the number is
    calls = collections.Counter()
    for number, count in re.findall(r"^cfn=\((\d+)\).*\ncalls=(\d+)", profile, re.M):
        calls[names[number]] += int(count)
    return calls


def compared(contender, request="hello", depth=1, routes=0, changing=None):
    """Of one request: its instructions, its calls of functions, and how many functions those are, each called at least once."""
    few, many = (counted(contender, REQUESTS[request], count, depth, routes, changing) for count in (FEW, MANY))
    more = MANY - FEW
    calls = many.calls - few.calls
    functions = sum(count >= more * 0.99 for count in calls.values())
    return (many.instructions - few.instructions) / more, calls.total() / more, functions


def per_request(contender, request="hello", depth=1, routes=0, changing=None):
    return compared(contender, request, depth, routes, changing)[0]


def table():
    common.build("bench-server")
    common.note("building it again, with a profile")
    common.run("script/pgo")
    plain = contenders.tern()
    profiled = dataclasses.replace(plain, command=[part.replace("build/bench/", "build/pgo/") for part in plain.command])
    text = "| user instructions per request | release | by script/pgo |\n| --- | ---: | ---: |\n"
    for what, request, depth, changing in ROWS:
        common.note(f"counting instructions of {what}")
        counts = [per_request(each, request, depth, changing=changing) for each in (plain, profiled)]
        text += f"| {what} | " + " | ".join(f"{count:,.0f}" for count in counts) + " |\n"
    common.note("counting instructions of middleware")
    counts = [per_request(each, "middleware") - per_request(each, "no_middleware") for each in (plain, profiled)]
    return text + "| three middleware that only call the next, together | " + " | ".join(f"{count:,.0f}" for count in counts) + " |\n"
