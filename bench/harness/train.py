"""The load that script/pgo profiles bench-server with: every kind of request, sequential and sixteen pipelined."""
import dataclasses
import sys

from harness import contenders
from harness.contenders import Running
from harness.instructions import serve
from harness.requests import REQUESTS

KINDS = ["hello", "browser", "json", "json_post", "user", "echo", "routes", "middleware"]
CHANGING = b"2f9a81c0"  # a part of the browser's cookie


def main(program):
    server = Running(dataclasses.replace(contenders.tern(), command=[program, "--threads", "1", "--port", "{port}"]), routes=300)
    try:
        for kind in KINDS:
            for depth in (1, 16):
                serve(server.port, REQUESTS[kind], 3200, depth)
        serve(server.port, REQUESTS["browser"], 3200, 1, CHANGING)
        server.stop()
    finally:
        server.kill()


main(sys.argv[1])
