"""User instructions per request, counted by callgrind: the difference of two runs of which one answers more requests, so
that starting and ending are left out."""
import dataclasses
import pathlib
import re
import socket
import tempfile

from harness.contenders import Running
from harness.requests import REQUESTS, ask, received

FEW, MANY = 1000, 3000


def serve(port, request, count, depth):
    """Asks so often, on one connection."""
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = connection.makefile("rb")
        for _ in range(count // depth):
            connection.sendall(request.bytes * depth)
            for _ in range(depth):
                received(stream)


def counted(contender, request, count, depth, routes):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        under = dataclasses.replace(
            contender, command=["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *contender.command])
        server = Running(under, routes)
        try:
            ask(server.port, request)
            serve(server.port, request, count, depth)
            server.stop()
        finally:
            server.kill()
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M).group(1))


def per_request(contender, request="hello", depth=1, routes=0):
    few, many = (counted(contender, REQUESTS[request], count, depth, routes) for count in (FEW, MANY))
    return (many - few) / (MANY - FEW)
