#!/usr/bin/env python3
"""The load client of TLS counts answers, and knows whether sessions were resumed.   tls_client_test.py BENCH_TLS BENCH_SERVER TERN"""
import contextlib
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

LOAD, SERVER, TERN = sys.argv[1:4]
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHi"


def load(port, size, *arguments):
    """(exit status, what was counted, what it complains of)"""
    done = subprocess.run([LOAD, "--port", str(port), "--answer", str(size), "--connections", "3", "--milliseconds", "300",
                           "--warm-up-milliseconds", "50", *arguments], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    return done.returncode, json.loads(lines[-1]) if lines[:2] == ["begin", "end"] else None, done.stderr


class Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([TERN, "cert", "--out", cls.folder.name], check=True, stdout=subprocess.DEVNULL)
        cls.files = [os.path.join(cls.folder.name, name) for name in ("cert.pem", "key.pem")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @contextlib.contextmanager
    def serving(self):
        with subprocess.Popen([SERVER, "--port", "0", "--threads", "1", "--certificate", self.files[0], "--key", self.files[1]],
                              stderr=subprocess.PIPE, text=True) as process:
            try:
                yield int(re.search(r"serving 127\.0\.0\.1:(\d+)", process.stderr.readline()).group(1))
            finally:
                process.terminate()
        if process.returncode != 0:
            raise AssertionError(f"the server ended with {process.returncode}")

    @contextlib.contextmanager
    def without_tickets(self):
        """A server that answers one connection after the other."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.files)
        context.num_tickets = 0
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def serve():
                with contextlib.suppress(OSError), listener:
                    while True:
                        connection = listener.accept()[0]
                        with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as secured:
                            secured.recv(4096)
                            secured.sendall(ANSWER)
            server = threading.Thread(target=serve)
            server.start()
            try:
                yield listener.getsockname()[1]
            finally:
                listener.shutdown(socket.SHUT_RDWR)  # ends the accept
                server.join()

    def size(self, port, path="/"):
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", port), 10) as connection, trusting.wrap_socket(connection) as secured:
            secured.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            return len(b"".join(iter(lambda: secured.recv(65536), b"")))

    def test_handshakes_full_and_resumed_are_counted(self):
        with self.serving() as port:
            size = self.size(port)
            for resume in ("false", "true"):
                status, values, output = load(port, size, "--close", "true", "--resume", resume)
                self.assertEqual(status, 0, output)
                self.assertGreater(values["count"], 5)

    def test_downloads_are_counted_in_bytes(self):
        with self.serving() as port:
            size = self.size(port, "/bytes/1000000") - len("Connection: close\r\n")
            status, values, output = load(port, size, "--path", "/bytes/1000000")
            self.assertEqual(status, 0, output)
            self.assertGreater(values["count"], 0)
            self.assertAlmostEqual(values["bytes"], values["count"] * size, delta=6 * size)  # as many may be under way at both ends

    def test_an_answer_that_is_longer_or_another_is_an_error(self):
        with self.serving() as port:
            self.assertEqual(load(port, self.size(port) - 1, "--close", "true")[0], 1)
            self.assertEqual(load(port, 1000, "--path", "/absent")[0], 1)

    def test_distinguishes_a_server_without_tickets(self):
        with self.without_tickets() as port:
            status, values, output = load(port, len(ANSWER), "--close", "true")
            self.assertEqual(status, 0, output)
            self.assertGreater(values["count"], 0)
            status, _, output = load(port, len(ANSWER), "--close", "true", "--resume", "true")
            self.assertEqual(status, 1)
            self.assertIn("the server gives no tickets", output)


unittest.main(argv=sys.argv[:1])
