#!/usr/bin/env python3
"""The load client of WebSockets counts received messages, and nothing else.   websocket_client_test.py BENCH_WEBSOCKET BENCH_SERVER"""
import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
import unittest

LOAD, SERVER = sys.argv[1:3]
ACCEPTED = (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
FRAME = 2 + 4 + 20  # bytes of a masked text of 20 bytes


@contextlib.contextmanager
def serving():
    with subprocess.Popen([SERVER, "--port", "0", "--threads", "1"], stderr=subprocess.PIPE, text=True) as process:
        try:
            yield int(re.search(r"serving 127\.0\.0\.1:(\d+)", process.stderr.readline()).group(1))
        finally:
            process.terminate()
    if process.returncode != 0:
        raise AssertionError(f"the server ended with {process.returncode}")


@contextlib.contextmanager
def answering(*pieces):
    """A server of one connection, which answers the handshake and then the first text by these bytes, and is silent."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(20)
        over = threading.Event()

        def serve():
            with listener.accept()[0] as connection, connection.makefile("rb") as stream:
                while stream.readline() != b"\r\n":
                    pass
                connection.sendall(ACCEPTED)
                stream.read(FRAME)
                for piece in pieces:
                    connection.sendall(piece)
                over.wait(20)
        server = threading.Thread(target=serve)
        server.start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            server.join()


def load(port, *arguments, path="/ws/echo", warm_up=50):
    """(exit status, what was counted, what it complains of)"""
    done = subprocess.run([LOAD, "--port", str(port), "--path", path, "--milliseconds", "200", "--warm-up-milliseconds", str(warm_up),
                           *arguments], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    return done.returncode, json.loads(lines[-1])["count"] if lines[:2] == ["begin", "end"] else None, done.stderr


class Server(unittest.TestCase):
    def test_echoes_of_every_length_come_back(self):
        with serving() as port:
            for size in (1, 20, 125, 126, 65_535, 65_536, 200_000):
                for depth in (1, 16):
                    status, count, output = load(port, "--connections", "3", "--size", str(size), "--depth", str(depth))
                    self.assertEqual(status, 0, output)
                    self.assertGreater(count, 0, (size, depth))

    def test_what_is_published_reaches_all_others(self):
        with serving() as port:
            status, count, output = load(port, "--mode", "topic", "--connections", "6", path="/ws/topic")
            self.assertEqual(status, 0, output)
            self.assertGreater(count, 5)

    def test_a_path_without_a_websocket_is_an_error(self):
        with serving() as port:
            self.assertEqual(load(port, "--connections", "1", path="/")[0], 1)


class Messages(unittest.TestCase):
    def counted(self, *pieces):
        with answering(*pieces) as port:
            return load(port, "--connections", "1", "--size", "20", warm_up=0)

    def test_whole_texts_fragments_and_pings_are_taken(self):
        for pieces in ([b"\x81\x14" + b"x" * 20], [b"\x01\x0a" + b"x" * 10, b"\x89\x02hi", b"\x80\x0a" + b"x" * 10],
                       [b"\x81\x7e\x00", b"\x14" + b"x" * 20]):
            status, count, output = self.counted(*pieces)
            self.assertEqual((status, count), (0, 1), output)

    def test_anything_else_is_an_error(self):
        for wrong in (b"\x81\x13" + b"x" * 19, b"\x82\x14" + b"x" * 20, b"\x88\x00", b"\x80\x14" + b"x" * 20,
                      b"\x81\x94" + b"x" * 24, b"\xc1\x14" + b"x" * 20, b"\x81\x14" + b"x" * 20 + b"\x81\x14" + b"x" * 20):
            status, _, output = self.counted(wrong)
            self.assertEqual(status, 1, wrong)
            self.assertRegex(output, "something else came|more came")


unittest.main(argv=sys.argv[:1])
