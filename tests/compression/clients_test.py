"""Compression between Tern and others: Python's gzip and zlib, the brotli and zstd commands, and curl.
clients_test.py SERVER CURL BROTLI ZSTD 0|1, 1 where the server speaks HTTP/2."""

import gzip
import http.client
import os
import subprocess
import sys
import unittest
import zlib

SERVER, CURL, BROTLI, ZSTD = sys.argv[1:5]
HTTP2 = sys.argv[5] == "1"
PATIENCE = 60  # seconds; reached only by a failing test
MIB = 1024 * 1024
MEMORY = 400 * MIB  # of the gigabyte of a bomb; a sanitizer keeps much of what was freed


def run(*command, stdin):
    return subprocess.run(command, input=stdin, capture_output=True, timeout=PATIENCE, check=True).stdout


def rows(count):
    return b"".join(b'{"row": %d}\n' % i for i in range(count))


DECODERS = {
    "gzip": gzip.decompress,
    "br": lambda coded: run(BROTLI, "--decompress", "--stdout", "-", stdin=coded),
    "zstd": lambda coded: run(ZSTD, "--decompress", "--stdout", stdin=coded),
}
ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda content: run(BROTLI, "--stdout", "--quality=5", "-", stdin=content),
    "zstd": lambda content: run(ZSTD, "--stdout", stdin=content),
}


class Clients(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.server.stdout.readline())

    def tearDown(self):
        self.server.stdin.close()
        try:
            self.assertEqual(self.server.wait(PATIENCE), 0)
        finally:
            self.server.kill()
            self.server.stdout.close()

    def ask(self, method, path, content=None, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, content, {name.replace("_", "-"): value for name, value in fields.items()})
        response = connection.getresponse()
        response.content = response.read()
        connection.close()
        return response

    def curl(self, *arguments, path):
        return run(CURL, "--silent", "--show-error", "--fail", "--max-time", str(PATIENCE), *arguments,
                   f"http://127.0.0.1:{self.port}{path}", stdin=b"")

    def test_others_decode_what_is_sent(self):
        for coding, decode in DECODERS.items():
            for path in "/rows/", "/stream/":
                for count in 100, 5000, 100_000:
                    with self.subTest(coding=coding, path=path, count=count):
                        response = self.ask("GET", f"{path}{count}", Accept_Encoding=coding)
                        self.assertEqual(response.headers["Content-Encoding"], coding)
                        self.assertEqual(decode(response.content), rows(count))

    def test_curl_decodes_what_is_sent(self):
        for protocol in ["--http1.1"] + ["--http2-prior-knowledge"] * HTTP2:
            for coding in "gzip", "br", "zstd", "gzip, br, zstd":
                for path in "/rows/5000", "/stream/5000", "/rows/100000":
                    with self.subTest(protocol=protocol, coding=coding, path=path):
                        fields = ("--compressed", "-H", f"Accept-Encoding: {coding}")
                        count = int(path.split("/")[-1])
                        self.assertEqual(self.curl(protocol, *fields, path=path), rows(count))
        head = self.curl("--compressed", "--head", path="/rows/5000").decode().lower()
        self.assertIn("content-encoding: zstd", head)
        self.assertIn("vary: accept-encoding", head)

    def test_validators_survive(self):
        tag = self.ask("GET", "/tagged", Accept_Encoding="gzip").headers["ETag"]
        self.assertEqual(tag, 'W/"v1"')
        again = self.ask("GET", "/tagged", Accept_Encoding="gzip", If_None_Match=tag)
        self.assertEqual((again.status, again.headers["ETag"], again.content), (304, tag, b""))

    def test_what_others_encode_is_decoded(self):
        for content in b"", b"x", rows(3000), os.urandom(300_000), bytes(5 * MIB):
            for coding, encode in ENCODERS.items():
                with self.subTest(coding=coding, size=len(content)):
                    coded = encode(content)
                    response = self.ask("POST", "/echo", coded, Content_Encoding=coding)
                    self.assertEqual((response.status, response.content), (200, content))
                    counted = self.ask("POST", "/count", iter([coded[:7], coded[7:]]), Content_Encoding=coding)
                    self.assertEqual(counted.content, b"%d" % len(content))

    def test_curl_uploads_over_http2(self):
        if not HTTP2:
            self.skipTest("the server was built without")
        content = rows(200_000)
        for coding, encode in ENCODERS.items():
            sent = subprocess.run([CURL, "--silent", "--http2-prior-knowledge", "--data-binary", "@-", "-H",
                                   f"Content-Encoding: {coding}", f"http://127.0.0.1:{self.port}/echo"],
                                  input=encode(content), capture_output=True, timeout=PATIENCE, check=True)
            self.assertEqual(sent.stdout, content)

    def memory_of_server(self):
        with open(f"/proc/{self.server.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

    def test_a_bomb_is_refused_with_flat_memory(self):
        bomb = run("sh", "-c", f"head -c 1073741824 /dev/zero | '{BROTLI}' --stdout --quality=5 -", stdin=b"")
        self.assertLess(len(bomb), 8192)
        self.ask("POST", "/echo", ENCODERS["br"](bytes(5 * MIB)), Content_Encoding="br")
        before = self.memory_of_server()
        for _ in range(5):
            self.assertEqual(self.ask("POST", "/echo", bomb, Content_Encoding="br").status, 413)
        self.assertLess(self.memory_of_server() - before, MEMORY)

    def test_a_stream_of_a_gigabyte_has_flat_memory(self):
        bomb = run("sh", "-c", f"head -c 1073741824 /dev/zero | '{BROTLI}' --stdout --quality=5 -", stdin=b"")
        before = self.memory_of_server()
        self.assertEqual(self.ask("POST", "/count", bomb, Content_Encoding="br").content, b"1073741824")
        self.assertLess(self.memory_of_server() - before, MEMORY)


unittest.main(argv=sys.argv[:1])
