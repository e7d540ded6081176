"""Clients that others wrote, websockets (PyPI) and ws (npm), against our WebSockets: websocket_test.py SERVER [NODE MODULES]."""

import asyncio
import json
import logging
import os
import re
import signal
import subprocess
import sys
import unittest

import websockets

SERVER = sys.argv[1]
NODE = sys.argv[2:4]
PATIENCE = 60  # seconds; reached only by a failing test
SIZES = [0, 1, 125, 126, 127, 65535, 65536, 65537, 1_000_000, 10_000_000]


class WebSockets(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.server = subprocess.Popen([SERVER, "--port", "0", "--threads", "2"], stderr=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r"serving 127\.0\.0\.1:(\d+)", self.server.stderr.readline()).group(1))
        self.base = f"ws://127.0.0.1:{self.port}"

    def tearDown(self):
        self.server.send_signal(signal.SIGTERM)
        try:
            self.assertEqual(self.server.wait(PATIENCE), 0)
        finally:
            self.server.kill()
            self.server.stderr.close()

    def connect(self, path, **options):
        return websockets.connect(self.base + path, max_size=None, open_timeout=PATIENCE, **options)

    async def check_echo(self, socket):
        for size in SIZES:
            for message in ("x" * size, os.urandom(size), "\u20ac\U0001f600" * (size // 7)):
                await socket.send(message)
                self.assertEqual(await asyncio.wait_for(socket.recv(), PATIENCE), message, size)
        await socket.send(["frag", "", "ment", "s \u20ac"])
        self.assertEqual(await socket.recv(), "fragments \u20ac")
        await socket.send([b"\0", b"\xff"])
        self.assertEqual(await socket.recv(), b"\0\xff")
        await asyncio.wait_for(await socket.ping(b"payload"), PATIENCE)

    async def test_every_kind_of_message(self):
        for path in ("/echo", "/object"):
            async with self.connect(path, compression=None) as socket:
                await self.check_echo(socket)

    async def test_compression(self):
        for path in ("/separate", "/together"):
            async with self.connect(path, compression="deflate") as socket:
                self.assertIn("permessage-deflate", socket.response.headers["Sec-WebSocket-Extensions"])
                await self.check_echo(socket)
        async with self.connect("/narrow") as socket:
            extension = socket.response.headers["Sec-WebSocket-Extensions"]
            self.assertIn("server_max_window_bits=9", extension)
            self.assertIn("client_max_window_bits=9", extension)
            for i in range(20):
                message = json.dumps([{"number": j, "text": "\u00e9" * (i * j % 50)} for j in range(300)])
                await socket.send(message)
                self.assertEqual(await socket.recv(), message)

    async def test_a_bomb(self):
        async with self.connect("/small") as socket:
            await socket.send("a" * 1_000_000)
            with self.assertRaises(websockets.ConnectionClosedError) as caught:
                await socket.recv()
            self.assertEqual(caught.exception.rcvd.code, 1009)

    async def test_close(self):
        async with self.connect("/echo") as socket:
            await socket.close(4001, "enough")
            self.assertEqual(socket.close_code, 4001)

    async def test_the_stop_of_the_server(self):
        async with self.connect("/echo") as socket:
            self.server.send_signal(signal.SIGTERM)
            with self.assertRaises(websockets.ConnectionClosedOK) as caught:
                await asyncio.wait_for(socket.recv(), PATIENCE)
            self.assertEqual(caught.exception.rcvd.code, 1001)

    async def test_subprotocols_and_origins(self):
        async with self.connect("/echo", subprotocols=["v1", "v2"]) as socket:
            self.assertEqual(socket.subprotocol, "v2")
        with self.assertRaises(websockets.InvalidStatus) as caught:
            async with self.connect("/echo", origin="http://evil.example"):
                pass
        self.assertEqual(caught.exception.response.status_code, 403)

    async def test_topics_across_loops(self):
        sockets = [await self.connect("/topics/news/" + ("+" if i % 2 else "today")) for i in range(20)]
        for socket in sockets:
            self.assertEqual(await socket.recv(), "subscribed")
        await sockets[0].send("hello")
        for socket in sockets[1:]:
            self.assertEqual(await asyncio.wait_for(socket.recv(), PATIENCE), "hello")
        await asyncio.gather(*(socket.close() for socket in sockets))

    @unittest.skipUnless(NODE, "no ws for Node.js here")
    async def test_ws_of_node(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "websocket_test.js")
        node, modules = NODE
        done = await asyncio.create_subprocess_exec(node, script, self.base, env={**os.environ, "NODE_PATH": modules})
        self.assertEqual(await asyncio.wait_for(done.wait(), PATIENCE), 0)


logging.getLogger("asyncio").setLevel(logging.ERROR)  # no word about slow steps
unittest.main(argv=sys.argv[:1])
