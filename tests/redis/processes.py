"""What redis_test.py starts and talks to: Redis, servers, and WebSockets. Nothing but the standard library."""

import base64
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

PATIENCE = 60  # seconds; reached only by a failing test
REDIS = shutil.which("redis-server")


def reserved_port():
    """A bound socket that does not listen: with SO_REUSEADDR Redis can listen there, and port 0 of others avoids it."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    return holder


def until(condition):
    """For actions of another process that it does not announce."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it does not happen")
        select.select([], [], [], 0.01)


class Redis:
    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "redis")
        self.arguments = arguments
        self.reservation = reserved_port()  # also while Redis is stopped
        self.port = self.reservation.getsockname()[1]
        if not self.start():
            raise AssertionError("redis-server did not start")

    def start(self):
        self.process = subprocess.Popen(
            [REDIS, "--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket", self.path, "--save", "",
             "--appendonly", "no", "--dir", self.folder.name, *self.arguments], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "ready to accept connections at" in line:  # the Unix socket, which comes last
                return True
        self.kill()
        return False

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def stop(self):
        self.kill()
        self.reservation.close()
        self.folder.cleanup()

    def command(self, *words):
        """The first line of what it answers."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as asking:
            request = b"*%d\r\n" % len(words)
            for word in words:
                word = word if isinstance(word, bytes) else str(word).encode()
                request += b"$%d\r\n%s\r\n" % (len(word), word)
            asking.sendall(request)
            return asking.makefile("rb").readline().decode().strip()

    def listeners(self):
        """How many servers have subscribed to the channel that they share."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as asking:
            asking.sendall(b"PUBSUB NUMSUB test:publications\r\n")
            answer = asking.makefile("rb")
            lines = [answer.readline() for _ in range(4)]
            return int(lines[3][1:])


class Server:
    def __init__(self, program, *flags):
        self.lines = []
        self.process = subprocess.Popen([program, "--port", "0", "--threads", "2", *flags],
                                        stderr=subprocess.PIPE)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.rest = b""
        self.port = int(re.search(r"serving 127\.0\.0\.1:(\d+)", self.line("serving")).group(1))

    def read_log(self, timeout):
        if select.select([self.process.stderr], [], [], timeout)[0]:
            self.rest += self.process.stderr.read() or b""
            *lines, self.rest = self.rest.split(b"\n")
            self.lines += [line.decode() for line in lines]

    def line(self, part, count=1):
        """The line of the log that has it for the `count`th time, waited for."""
        deadline = time.monotonic() + PATIENCE
        while len(found := [line for line in self.lines if part in line]) < count:
            if time.monotonic() > deadline or self.process.poll() is not None and not self.rest:
                raise AssertionError(f"no '{part}' ({count}) in the log:\n" + "\n".join(self.lines))
            self.read_log(0.1)
        return found[count - 1]

    def count(self, part):
        self.read_log(0)
        return sum(part in line for line in self.lines)

    def publish(self, topic, content, how="publish", times=1):
        url = f"http://127.0.0.1:{self.port}/{how}/{topic}" + (f"?times={times}" if times > 1 else "")
        with urllib.request.urlopen(url, content, PATIENCE) as answer:
            return re.search(rb'"status":"(\w+)"', answer.read()).group(1).decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
        self.read_log(0)
        self.process.stderr.close()
        return status


class WebSocket:
    def __init__(self, server, path):
        self.socket = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def say(self, text):
        payload = text.encode()
        self.socket.sendall(bytes([0x81, 0x80 | len(payload)]) + b"\0\0\0\0" + payload)

    def hear(self):
        """The content of the next frame: text as str, bytes as bytes."""
        head = self.file.read(2)
        if len(head) < 2:
            return None
        length = head[1]
        if length == 126:
            length, = struct.unpack("!H", self.file.read(2))
        elif length == 127:
            length, = struct.unpack("!Q", self.file.read(8))
        content = self.file.read(length)
        return content.decode() if head[0] & 15 == 1 else content

    def close(self):
        self.file.close()
        self.socket.close()
