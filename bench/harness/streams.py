"""The costs of open event streams: threads, whose number must not grow, and memory."""
import pathlib
import re
import resource

from harness.common import Server, build, note

STREAMS = 10_000


def threads(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"^Threads:\s+(\d+)", status, re.M).group(1))


def open_stream(server):
    """A client that has had the first event."""
    connection = server.connect()
    connection.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    received = b""
    while b"data:" not in received:
        piece = connection.recv(4096)
        if not piece or (received and not received.startswith(b"HTTP/1.1 200 ")):
            raise RuntimeError(f"no event stream: {received!r}")
        received += piece
    return connection


def measure():
    build("events")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    server = Server("events")
    streams = [open_stream(server)]
    threads_before, before = threads(server), server.memory("RssAnon")
    note(f"opening {STREAMS} event streams")
    while len(streams) < STREAMS:
        streams.append(open_stream(server))
    threads_after, after = threads(server), server.memory("RssAnon")
    server.stop()  # ends every stream
    for stream in streams:
        stream.close()
    return [
        ("threads of `events` with one open stream, one loop", f"{threads_before}"),
        (f"with {STREAMS:,}", f"{threads_after}"),
        ("memory of each", f"{(after - before) / (STREAMS - 1):,.0f} bytes"),
    ]
