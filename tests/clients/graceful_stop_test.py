"""Stops a server under load and counts the requests that are not answered:
graceful_stop_test.py SERVER STOPS [TERN]

SERVER is stopping-server, stopped STOPS times by SIGTERM while 24 connections send requests: one at a time with and
without pauses, in pipelines, and each on a connection of its own. TERN, the command, has TLS spoken. A request
counts as lost when its connection was established and ends before the answer does."""

import asyncio
import random
import re
import signal
import ssl
import subprocess
import sys
import tempfile

SERVER, STOPS = sys.argv[1], int(sys.argv[2])
TERN = sys.argv[3] if len(sys.argv) > 3 else None
PATIENCE = 60  # seconds; reached only by a failing test
PATHS = ["/ready", "/ready", "/sleep/3", "/pool", "/pieces"]


class Lost(Exception):
    """The connection has ended before the answer."""


class Count:
    def __init__(self):
        self.answered = 0
        self.lost = []


async def receive_answer(reader):
    """Returns whether the connection goes on."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    assert head.startswith(b"http/1.1 200 "), head
    length = re.search(rb"content-length: (\d+)", head)
    if length:
        await reader.readexactly(int(length[1]))
    else:
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
        await reader.readexactly(2)
    return b"connection: close" not in head


async def converse(kind, count, reader, writer):
    """Sends requests until an answer closes the connection."""
    number = 0
    while True:
        paths = [random.choice(PATHS) for _ in range(4 if kind == "pipeline" else 1)]
        close = "Connection: close\r\n" if kind == "single" else ""
        requests = "".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{close}\r\n" for path in paths)
        answered = 0
        try:
            writer.write(requests.encode())
            goes_on = True
            while goes_on and answered < len(paths):
                goes_on = await receive_answer(reader)
                answered += 1
                count.answered += 1
            if answered < len(paths):
                raise Lost("an answer in the middle of a pipeline closes the connection")
        except (OSError, EOFError, Lost) as error:
            count.lost.append(f"{kind} {paths}, {answered} answered, {number} before: {error!r}")
            return
        if not goes_on:
            return
        number += 1
        if kind == "pauses":
            await asyncio.sleep(random.uniform(0, 0.05))


async def client(kind, port, tls, count):
    """Connects until it is refused."""
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
        except OSError:
            return
        await converse(kind, count, reader, writer)
        writer.transport.abort()


async def stop_once(arguments, tls, count):
    server = subprocess.Popen([SERVER, "--port", "0", "--threads", "2", *arguments], stderr=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r"serving 127\.0\.0\.1:(\d+)", server.stderr.readline())[1])
        kinds = ["steady"] * 8 + ["pauses"] * 8 + ["pipeline"] * 4 + ["single"] * 4
        clients = [asyncio.ensure_future(client(kind, port, tls, count)) for kind in kinds]
        await asyncio.sleep(random.uniform(0.1, 0.3))
        server.send_signal(signal.SIGTERM)
        await asyncio.wait_for(asyncio.gather(*clients), PATIENCE)
        assert server.wait(PATIENCE) == 0
    finally:
        server.kill()
        server.stderr.close()


def main():
    count = Count()
    with tempfile.TemporaryDirectory() as folder:
        arguments, tls = [], None
        if TERN:
            subprocess.run([TERN, "cert", "--out", folder], check=True, stdout=subprocess.DEVNULL)
            arguments = ["--certificate", f"{folder}/cert.pem", "--key", f"{folder}/key.pem"]
            tls = ssl.create_default_context(cafile=f"{folder}/ca.pem")
        for _ in range(STOPS):
            asyncio.run(stop_once(arguments, tls, count))
    print(f"{STOPS} stops: {count.answered} requests answered, {len(count.lost)} lost")
    for each in count.lost[:20]:
        print(each)
    assert count.answered > 0
    return 1 if count.lost else 0


sys.exit(main())
