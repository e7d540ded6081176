"""The client websockets of Debian's python3-websockets against our WebSockets: websocket_test.py SERVER 0|1, 1 where it
compresses."""

import asyncio
import http.client
import json
import logging
import os
import re
import signal
import subprocess
import sys
import unittest

import websockets
from websockets.exceptions import ConnectionClosedError, ConnectionClosedOK, InvalidStatusCode
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

SERVER = sys.argv[1]
DEFLATE = sys.argv[2] == "1"
PATIENCE = 60  # seconds; reached only by a failing test
SIZES = [0, 1, 125, 126, 127, 65535, 65536, 65537, 1_000_000, 10_000_000]


class WebSockets(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.server = subprocess.Popen([SERVER, "--port", "0", "--threads", "2"], stderr=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r"serving 127\.0\.0\.1:(\d+)", self.server.stderr.readline()).group(1))

    def tearDown(self):
        self.server.send_signal(signal.SIGTERM)
        try:
            self.assertEqual(self.server.wait(PATIENCE), 0)
        finally:
            self.server.kill()
            self.server.stderr.close()

    def connect(self, path, **options):
        settings = {"compression": None, "max_size": None, "open_timeout": PATIENCE, "ping_interval": None} | options
        return websockets.connect(f"ws://127.0.0.1:{self.port}{path}", **settings)

    async def heard(self, socket):
        return await asyncio.wait_for(socket.recv(), PATIENCE)

    async def check_echo(self, socket, sizes=SIZES):
        for size in sizes:
            for message in ("x" * size, os.urandom(size), "\u20ac\U0001f600" * (size // 7)):
                await socket.send(message)
                self.assertEqual(await self.heard(socket), message, size)
        await socket.send(["frag", "", "ment", "s \u20ac"])
        self.assertEqual(await self.heard(socket), "fragments \u20ac")
        await socket.send([b"\0", b"", b"\xff" * 70000])
        self.assertEqual(await self.heard(socket), b"\0" + b"\xff" * 70000)
        for payload in (b"", b"payload", b"p" * 125):
            await asyncio.wait_for(await socket.ping(payload), PATIENCE)
        await socket.pong(b"unsolicited")
        await socket.send("")
        self.assertEqual(await self.heard(socket), "")

    async def test_every_kind_of_message(self):
        for path in ("/echo", "/object"):
            async with self.connect(path) as socket:
                await self.check_echo(socket)

    async def test_many_messages_at_once(self):
        async with self.connect("/echo") as socket:
            messages = [f"message {i} " + "x" * (i * 37 % 3000) for i in range(1000)]
            sending = asyncio.ensure_future(asyncio.gather(*(socket.send(one) for one in messages)))
            self.assertEqual([await self.heard(socket) for _ in messages], messages)
            await sending

    @unittest.skipUnless(DEFLATE, "built without zlib")
    async def test_compression_with_and_without_context_takeover(self):
        # What the client offers beside its defaults, and what of it the answer has.
        offers = [
            ("/together", {}, []),
            ("/together", {"server_no_context_takeover": True}, ["server_no_context_takeover"]),
            ("/together", {"client_no_context_takeover": True}, ["client_no_context_takeover"]),
            ("/together", {"server_no_context_takeover": True, "client_no_context_takeover": True},
             ["server_no_context_takeover", "client_no_context_takeover"]),
            ("/together", {"server_max_window_bits": 10, "client_max_window_bits": 11},
             ["server_max_window_bits=10", "client_max_window_bits=11"]),
            ("/separate", {}, ["server_no_context_takeover", "client_no_context_takeover"]),
            ("/separate", {"server_max_window_bits": 9}, ["server_max_window_bits=9"]),
            ("/narrow", {"client_max_window_bits": True}, ["server_max_window_bits=9", "client_max_window_bits=9"]),
        ]
        for path, offer, terms in offers:
            with self.subTest(path=path, offer=offer):
                factory = ClientPerMessageDeflateFactory(**({"client_max_window_bits": True} | offer))
                async with self.connect(path, extensions=[factory]) as socket:
                    answer = socket.response_headers["Sec-WebSocket-Extensions"].split("; ")
                    self.assertEqual(answer[0], "permessage-deflate")
                    self.assertLessEqual(set(terms), set(answer))
                    for one in ("server_no_context_takeover", "client_no_context_takeover"):
                        if path != "/separate":
                            self.assertEqual(one in answer, one in terms)
                    await self.check_echo(socket, [0, 1, 63, 64, 65536, 900_000])
                    for i in range(20):  # each looks like the one before
                        message = json.dumps([{"number": j, "text": "\u00e9" * (i * j % 50)} for j in range(300)])
                        await socket.send(message)
                        self.assertEqual(await self.heard(socket), message)

    async def test_compression_is_not_forced(self):
        async with self.connect("/together") as socket:
            self.assertNotIn("Sec-WebSocket-Extensions", socket.response_headers)
            await self.check_echo(socket, [0, 1, 65536])
        async with self.connect("/echo", compression="deflate") as socket:
            self.assertNotIn("Sec-WebSocket-Extensions", socket.response_headers)
            await self.check_echo(socket, [0, 1, 65536])

    async def expect_closed(self, socket, code, reason=None):
        with self.assertRaises(ConnectionClosedOK if code in (1000, 1001) else ConnectionClosedError) as caught:
            await self.heard(socket)
        self.assertEqual(caught.exception.rcvd.code, code)
        if reason is not None:
            self.assertEqual(caught.exception.rcvd.reason, reason)

    async def test_a_bomb(self):
        for compression in ("deflate", None):
            async with self.connect("/small", compression=compression) as socket:
                await socket.send("a" * 1_000_000)
                await self.expect_closed(socket, 1009)

    async def test_json(self):
        async with self.connect("/json") as socket:
            for x in (0, 1, -7):
                await socket.send(json.dumps({"x": x, "name": "\u00e9\U0001f600\"\n", "unknown": []}))
                self.assertEqual(json.loads(await self.heard(socket)), {"x": -x, "y": x, "name": "\u00e9\U0001f600\"\n"})
            await socket.send('{"x": "one"}')
            await self.expect_closed(socket, 1007)
        async with self.connect("/json") as socket:
            await socket.send(b"{}")
            await self.expect_closed(socket, 1003)

    async def test_close_codes_and_reasons_of_ours(self):
        for code, reason in [(1000, ""), (1000, "done"), (3000, "r\u00e9\u20ac"), (4999, "x" * 123)]:
            async with self.connect("/ends") as socket:
                await socket.send(json.dumps({"code": code, "reason": reason}))
                await self.expect_closed(socket, code, reason)

    async def test_close_codes_and_reasons_of_theirs(self):
        async with self.connect("/topics/closed") as watcher:
            self.assertEqual(await self.heard(watcher), "subscribed")
            for code, reason in [(1000, ""), (1001, "gone"), (1011, "oh"), (3000, "r\u00e9\u20ac"), (4999, "x" * 123)]:
                async with self.connect("/closed") as socket:
                    await socket.close(code, reason)
                    self.assertEqual(socket.close_code, code)  # as it was answered
                self.assertEqual(await self.heard(watcher), f"{code} {reason}")
            async with self.connect("/closed") as socket:
                socket.transport.abort()
            self.assertEqual(await self.heard(watcher), "1006 ")

    async def test_the_stop_of_the_server(self):
        async with self.connect("/echo") as socket:
            self.server.send_signal(signal.SIGTERM)
            await self.expect_closed(socket, 1001)
        self.assertEqual(self.server.wait(PATIENCE), 0)  # or the second signal of tearDown() may kill it

    async def test_subprotocols_and_origins(self):
        for offered, agreed in [(["v1", "v2"], "v2"), (["v1", "v9"], "v1"), (["v9"], None), (None, None)]:
            async with self.connect("/echo", subprotocols=offered) as socket:
                self.assertEqual(socket.subprotocol, agreed)
        async with self.connect("/echo", origin=f"http://127.0.0.1:{self.port}") as socket:
            await self.check_echo(socket, [1])
        for path, status, options in [("/echo", 403, {"origin": "http://evil.example"}), ("/nothing", 404, {})]:
            with self.assertRaises(InvalidStatusCode) as caught:
                async with self.connect(path, **options):
                    pass
            self.assertEqual(caught.exception.status_code, status)

    async def test_topics_across_loops(self):
        # One in three compresses, each in its own way.
        settings = [{}, {}, {"compression": "deflate"}, {},
                    {"extensions": [ClientPerMessageDeflateFactory(server_no_context_takeover=True)]}]
        filters = ["today", "+", "%23"]
        sockets = [await self.connect("/topics/news/" + filters[i % 3], **settings[i % 5]) for i in range(20)]
        other = await self.connect("/topics/weather")
        for socket in [*sockets, other]:
            self.assertEqual(await self.heard(socket), "subscribed")
        for message in ("hello", "h" * 100_000, b"\0\xff", "hello again " * 50, ""):
            await sockets[0].send(message)
            for socket in sockets[1:]:
                self.assertEqual(await self.heard(socket), message)
        request = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        for topic in ("news/today", "weather"):
            request.request("POST", "/publish/" + topic)
            self.assertEqual(request.getresponse().read(), b"")
        for socket in sockets:  # the sender of the others for the first time
            self.assertEqual(await self.heard(socket), "news of news/today")
        self.assertEqual(await self.heard(other), "news of weather")
        request.close()
        await asyncio.gather(*(socket.close() for socket in [*sockets, other]))


logging.getLogger("asyncio").setLevel(logging.ERROR)  # no word about slow steps
unittest.main(argv=sys.argv[:1])
