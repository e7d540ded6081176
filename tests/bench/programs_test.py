#!/usr/bin/env python3
"""The floor servers and the load client count what is there.   programs_test.py BENCH_FLOOR BENCH_LOAD BENCH_SERVER"""
import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
import unittest

FLOOR, LOAD, SERVER = sys.argv[1:4]
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
HELLO = b"Hello, World!"


@contextlib.contextmanager
def serving(*command):
    """The port of a server, which has to end cleanly."""
    with subprocess.Popen([*command, "--port", "0", "--threads", "1"], stderr=subprocess.PIPE, text=True) as process:
        try:
            match = re.search(r"serving 127\.0\.0\.1:(\d+)", process.stderr.readline())
            if not match:
                raise unittest.SkipTest("the kernel refuses it")
            yield int(match.group(1))
        finally:
            process.terminate()
    if process.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {process.returncode}")


def answers(port, pieces, count):
    """The output for bytes that are sent in pieces, until there are so many answers, or the end."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces:
            connection.sendall(piece)
        received = b""
        while received.count(HELLO) < count:
            piece = connection.recv(65536)
            if not piece:
                break
            received += piece
        return received


def load(port, size, *arguments, warm_up=50):
    done = subprocess.run([LOAD, "--port", str(port), "--answer", str(size), "--milliseconds", "200", "--warm-up-milliseconds",
                           str(warm_up), *arguments], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    return done.returncode, json.loads(lines[-1]) if lines[:2] == ["begin", "end"] else None


class Floor(unittest.TestCase):
    def each(self, check):
        with serving(FLOOR) as port:
            check(port)

    def test_every_request_has_one_answer_however_it_is_cut(self):
        def check(port):
            self.assertEqual(answers(port, [GET], 1).count(HELLO), 1)
            self.assertEqual(answers(port, [GET, GET * 16], 17).count(HELLO), 17)
            self.assertEqual(answers(port, [GET[:9], GET[9:], GET + GET[:20], GET[20:]], 3).count(HELLO), 3)
            content = b"POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000
            self.assertEqual(answers(port, [content, content], 2).count(HELLO), 2)
        self.each(check)

    def test_the_connection_is_closed_for_those_who_ask_for_it(self):
        def check(port):
            for request in (GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), b"GET / HTTP/1.0\r\n\r\n"):
                self.assertEqual(answers(port, [request], 2).count(HELLO), 1)
        self.each(check)

    def test_http_1_0_hears_that_its_connection_is_kept(self):
        def check(port):
            request = b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
            self.assertEqual(answers(port, [request, request], 2).count(b"\r\nConnection: keep-alive\r\n\r\nHello"), 2)
        self.each(check)

    def test_it_answers_as_bench_server_does(self):
        def without_date(answer):
            return re.sub(rb"Date: [^\r]*", b"Date:", answer)
        with serving(SERVER) as server, serving(FLOOR) as floor:
            self.assertEqual(without_date(answers(server, [GET], 1)), without_date(answers(floor, [GET], 1)))


class Load(unittest.TestCase):
    def test_it_counts_answers_without_errors(self):
        with serving(SERVER) as port:
            size = len(answers(port, [GET], 1))
            for arguments in (["--connections", "3"], ["--connections", "2", "--depth", "16"]):
                status, values = load(port, size, *arguments)
                self.assertEqual(status, 0)
                self.assertEqual(values["errors"], 0)
                self.assertGreater(values["requests"], 0)
                self.assertLessEqual(values["p50"], values["p99"])
                self.assertLessEqual(values["p99"], values["max"])

    def test_answers_of_another_length_are_errors(self):
        with serving(SERVER) as port:
            status, _ = load(port, len(answers(port, [GET], 1)) - 1)
            self.assertNotEqual(status, 0)

    def test_a_rate_is_held(self):
        with serving(SERVER) as port:
            status, values = load(port, len(answers(port, [GET], 1)), "--connections", "3", "--rate", "500")
            self.assertEqual((status, values["errors"]), (0, 0))
            # A machine that is busy with other work offers less, but none offers more.
            self.assertGreater(values["requests"], 0)
            self.assertLess(values["requests"] / values["seconds"], 600)

    def test_requests_that_were_due_while_the_server_was_slow_have_waited(self):
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHi"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(20)

            def serve():
                with contextlib.suppress(ConnectionResetError), listener.accept()[0] as connection:
                    slow = 0.15  # the first only
                    while connection.recv(4096):
                        threading.Event().wait(slow)
                        slow = 0
                        connection.sendall(answer)
            server = threading.Thread(target=serve)
            server.start()
            _, values = load(listener.getsockname()[1], len(answer), "--connections", "1", "--rate", "100", warm_up=0)
            server.join()
        # Of some twenty, fifteen were due meanwhile; on a busy machine fewer are answered in time.
        self.assertGreater(values["requests"], 1)
        self.assertGreater(values["p50"], 20_000)


unittest.main(argv=sys.argv[:1])
