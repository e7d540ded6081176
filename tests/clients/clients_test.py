"""curl and Python's http.client against a running bench-server: clients_test.py BENCH_SERVER CURL 0|1, 1 where it speaks
HTTP/2."""

import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SERVER, CURL = sys.argv[1:3]
HTTP2 = sys.argv[3] == "1"
H2LOAD = shutil.which("h2load")
PATIENCE = 60  # seconds; reached only by a failing test


class Clients(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([SERVER, "--port", "0", "--threads", "2"], stderr=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, text=True)
        line = self.server.stderr.readline()
        self.port = int(re.search(r"serving 127\.0\.0\.1:(\d+) with 2 loops", line).group(1))
        self.base = f"http://127.0.0.1:{self.port}"

    def tearDown(self):
        self.server.send_signal(signal.SIGTERM)
        try:
            self.assertEqual(self.server.wait(PATIENCE), 0)
        finally:
            self.server.kill()
            self.server.stderr.close()

    def curl(self, *arguments, path="/", stdin=None, code=0):
        done = subprocess.run([CURL, "--silent", "--show-error", "--max-time", str(PATIENCE), *arguments, self.base + path],
                              input=stdin, capture_output=True, timeout=2 * PATIENCE, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def test_curl_gets(self):
        self.assertEqual(self.curl(), b"Hello, World!")
        self.assertEqual(self.curl("--http1.0"), b"Hello, World!")
        self.assertEqual(self.curl(path="/json"), b'{"message":"Hello, World!"}')
        self.assertEqual(self.curl(path="/user/caf%C3%A9"), "café".encode())

    @unittest.skipUnless(HTTP2, "the server was built without")
    def test_curl_speaks_http2(self):
        http2 = "--http2-prior-knowledge"
        shown = ("--write-out", " %{http_version} %{http_code}")
        self.assertEqual(self.curl(http2, *shown), b"Hello, World! 2 200")
        self.assertEqual(self.curl("--http2", *shown), b"Hello, World! 1.1 200")  # an upgrade is not taken
        self.assertEqual(self.curl(http2, *shown, "--data", "x", path="/nothing")[-6:], b" 2 404")
        body = os.urandom(3_000_000)
        self.assertEqual(self.curl(http2, "--data-binary", "@-", path="/echo", stdin=body), body)
        self.assertEqual(self.curl(http2, "--data-binary", "@-", "-H", "Expect: 100-continue", path="/upload", stdin=body),
                         b"3000000")
        head = self.curl(http2, "--head").decode()
        self.assertTrue(head.startswith("HTTP/2 200"))
        self.assertIn("content-length: 13\r\n", head)

    @unittest.skipUnless(HTTP2 and H2LOAD, "no h2load, or a server without HTTP/2")
    def test_h2load_with_many_streams(self):
        done = subprocess.run([H2LOAD, "-n", "5000", "-c", "5", "-m", "100", self.base + "/"], capture_output=True, text=True,
                              timeout=PATIENCE, check=True)
        self.assertIn("5000 succeeded, 0 failed, 0 errored, 0 timeout", done.stdout)

    def test_curl_asks_for_the_head(self):
        head = self.curl("--head").decode()
        self.assertTrue(head.startswith("HTTP/1.1 200 OK\r\n"))
        self.assertIn("Content-Length: 13\r\n", head)

    def test_curl_keeps_the_connection(self):
        out = self.curl("--write-out", " %{num_connects}\n", self.base + "/user/1", path="/user/[2-20]").decode()
        connects = [int(line.split()[1]) for line in out.splitlines()]
        self.assertEqual(sum(connects), 1, out)

    def test_curl_sends_content(self):
        body = os.urandom(3_000_000)
        echo = {"path": "/echo", "stdin": body}
        self.assertEqual(self.curl("--data-binary", "@-", **echo), body)
        self.assertEqual(self.curl("--data-binary", "@-", "--http1.0", **echo), body)
        self.assertEqual(self.curl("--data-binary", "@-", "-H", "Transfer-Encoding: chunked", **echo), body)
        self.assertEqual(self.curl("--data-binary", "@-", "-H", "Expect: 100-continue", **echo), body)
        self.assertEqual(self.curl("--data-binary", "@-", "-H", "Expect:", **echo), body)

    def test_curl_waits_for_100_continue(self):
        done = subprocess.run([CURL, "--silent", "--verbose", "--max-time", str(PATIENCE), "--expect100-timeout", "30",
                               "-H", "Expect: 100-continue", "--data-binary", "x" * 2000, self.base + "/echo"],
                              capture_output=True, text=True, timeout=2 * PATIENCE, check=True)
        self.assertIn("< HTTP/1.1 100 Continue", done.stderr)
        self.assertEqual(done.stdout, "x" * 2000)

    def test_curl_is_refused_before_it_sends_too_much(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "large")
            with file.open("wb") as out:
                out.truncate(11 * 1024 * 1024)
            status = self.curl("--output", "/dev/null", "--write-out", "%{http_code} %{size_upload}", "--expect100-timeout",
                               "30", "-H", "Expect: 100-continue", "--data-binary", f"@{file}", path="/echo")
        self.assertEqual(status, b"413 0")

    def test_curl_uses_other_methods(self):
        write = ["--output", "/dev/null", "--write-out", "%{http_code}"]
        for method, status in [("DELETE", b"405"), ("PUT", b"405"), ("OPTIONS", b"204"), ("BREW", b"501"), ("get", b"501")]:
            self.assertEqual(self.curl("-X", method, *write), status, method)
        self.assertEqual(self.curl("-X", "OPTIONS", "--request-target", "*", *write), b"204")

    def test_http_client_talks_for_a_while(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        for i in range(200):
            connection.request("GET", f"/user/{i}")
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, str(i).encode()))
            body = b"x" * (i * 100)
            connection.request("POST", "/echo", iter([body, b"", b"end"]), encode_chunked=True,
                               headers={"Transfer-Encoding": "chunked"})
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, body + b"end"))
            connection.request("HEAD", "/json")
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, b""))
        connection.close()

    def test_http_client_is_let_go_at_the_end(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", "/")
        self.assertEqual(connection.getresponse().read(), b"Hello, World!")
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(connection.sock.recv(1), b"")
        connection.close()
        self.assertEqual(self.server.wait(PATIENCE), 0)  # or the second signal of tearDown() may kill it


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
