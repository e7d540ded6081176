"""curl and Python's ssl against a bench-server that speaks TLS: tls_test.py BENCH_SERVER CURL TERN HAS_HTTP2."""

import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

SERVER, CURL, TERN = sys.argv[1:4]
HTTP2 = sys.argv[4] == "1"  # built in
PATIENCE = 60  # seconds; reached only by a failing test


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([TERN, "cert", "--out", cls.folder.name], check=True, stdout=subprocess.DEVNULL)
        cls.authority = os.path.join(cls.folder.name, "ca.pem")
        files = ["--certificate", os.path.join(cls.folder.name, "cert.pem"), "--key", os.path.join(cls.folder.name, "key.pem")]
        cls.server = subprocess.Popen([SERVER, "--port", "0", "--threads", "2", *files], stderr=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL, text=True)
        line = cls.server.stderr.readline()
        cls.port = int(re.search(r"serving 127\.0\.0\.1:(\d+) with 2 loops", line).group(1))

    @classmethod
    def tearDownClass(cls):
        cls.server.send_signal(signal.SIGTERM)
        try:
            assert cls.server.wait(PATIENCE) == 0
        finally:
            cls.server.kill()
            cls.server.stderr.close()
            cls.folder.cleanup()

    def curl(self, *arguments, path="/", stdin=None, code=0, scheme="https", authority=True):
        trust = ["--cacert", self.authority] if authority else []
        done = subprocess.run([CURL, "--silent", "--show-error", "--max-time", str(PATIENCE), *trust, *arguments,
                               f"{scheme}://localhost:{self.port}{path}", "--ipv4"],
                              input=stdin, capture_output=True, timeout=2 * PATIENCE, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def connection(self):
        context = ssl.create_default_context(cafile=self.authority)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=context)

    def test_curl_gets_over_each_version(self):
        self.assertEqual(self.curl("--tlsv1.3"), b"Hello, World!")
        self.assertEqual(self.curl("--tls-max", "1.2"), b"Hello, World!")
        self.assertEqual(self.curl("--http1.1"), b"Hello, World!")
        self.assertEqual(self.curl("--no-alpn"), b"Hello, World!")
        self.curl("--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0", code=35)

    def test_curl_agrees_on_a_protocol(self):
        agreed = self.curl("--http2", "--write-out", " %{http_version}")
        self.assertEqual(agreed, b"Hello, World! 2" if HTTP2 else b"Hello, World! 1.1")
        self.assertEqual(self.curl("--http1.1", "--write-out", " %{http_version}"), b"Hello, World! 1.1")
        body = os.urandom(3_000_000)
        self.assertEqual(self.curl("--http2", "--data-binary", "@-", path="/echo", stdin=body), body)

    def test_curl_does_not_trust_it_without_its_authority(self):
        self.curl(authority=False, code=60)

    def test_curl_keeps_the_connection(self):
        out = self.curl("--write-out", " %{num_connects}\n", path="/user/[1-20]").decode()
        self.assertEqual(sum(int(line.split()[1]) for line in out.splitlines()), 1, out)

    def test_curl_sends_content(self):
        body = os.urandom(3_000_000)
        self.assertEqual(self.curl("--data-binary", "@-", path="/echo", stdin=body), body)
        self.assertEqual(self.curl("--data-binary", "@-", "-H", "Expect: 100-continue", path="/echo", stdin=body), body)

    def test_plain_text_gets_a_plain_400(self):
        out = self.curl("--write-out", "%{http_code}", scheme="http")
        self.assertIn(b"HTTPS only", out)
        self.assertTrue(out.endswith(b"400"))

    def test_python_talks_for_a_while(self):
        connection = self.connection()
        for i in range(100):
            connection.request("POST", "/echo", b"x" * (i * 1000))
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, b"x" * (i * 1000)))
        connection.close()

    def test_python_resumes_its_session(self):
        context = ssl.create_default_context(cafile=self.authority)
        context.maximum_version = ssl.TLSVersion.TLSv1_2  # whose tickets come before the first byte
        with context.wrap_socket(socket.create_connection(("127.0.0.1", self.port)), server_hostname="localhost") as first:
            session = first.session
        for _ in range(8):
            plain = socket.create_connection(("127.0.0.1", self.port))
            with context.wrap_socket(plain, server_hostname="localhost", session=session) as again:
                self.assertTrue(again.session_reused)
                again.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                answer = b""
                while piece := again.recv(65536):  # to a close_notify, or it raises
                    answer += piece
                self.assertTrue(answer.endswith(b"Hello, World!"))

    def test_a_certificate_that_changes_is_shown(self):
        before = ssl.get_server_certificate(("127.0.0.1", self.port))
        subprocess.run([TERN, "cert", "--force", "--out", self.folder.name], check=True, stdout=subprocess.DEVNULL)
        self.server.send_signal(signal.SIGHUP)
        while "are loaded again" not in self.server.stderr.readline():
            pass
        for _ in range(100):  # until both loops have been told
            if ssl.get_server_certificate(("127.0.0.1", self.port)) != before:
                break
        self.assertNotEqual(ssl.get_server_certificate(("127.0.0.1", self.port)), before)
        self.assertEqual(self.curl("--retry", "3", "--retry-all-errors"), b"Hello, World!")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
