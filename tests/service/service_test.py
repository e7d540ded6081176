"""Plays the service manager of a server: service_test.py SERVER [HANDOVERS]

SERVER is supervised-server. Opens its sockets as systemd does, receives its notifications, and replaces it HANDOVERS
times under load by SIGUSR2, in which no request may be lost and no connection refused."""

import asyncio
import atexit
import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

SERVER = os.path.abspath(sys.argv[1])
HANDOVERS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
PATIENCE = 60  # seconds; reached only by a failing test


def listening(path=None):
    server = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    server.bind(path or ("127.0.0.1", 0))
    server.listen(100)
    return server


def exchange(connection, path="/pid"):
    """The content of the answer to a request."""
    connection.settimeout(PATIENCE)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    answer = b""
    while part := connection.recv(65536):
        answer += part
    connection.close()
    head, _, content = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), answer
    return content.decode()


def end_with_this_test(group):
    """A failing test leaves no process behind: neither that of this group nor its successors."""
    def end():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
    atexit.register(end)


def get(port, path="/pid"):
    return exchange(socket.create_connection(("127.0.0.1", port), PATIENCE), path)


def get_unix(name, path="/pid"):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(name)
    return exchange(connection, path)


class Service:
    """A process with sockets from 3 on, and its standard error."""

    def __init__(self, arguments, sockets=(), environment=None, is_for_it=True, journal=False):
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgrp()
            variables = {**os.environ, **(environment or {})}
            if sockets:
                variables["LISTEN_PID"] = str(os.getpid() if is_for_it else 1)
                variables["LISTEN_FDS"] = str(len(sockets))
            if journal:
                status = os.fstat(write)
                variables["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
            high = [os.dup2(each.fileno(), 200 + i) for i, each in enumerate(sockets)]
            os.dup2(write, 2)
            for i, each in enumerate(high):
                os.dup2(each, 3 + i)
            os.closerange(3 + len(sockets), 300)
            os.execve(SERVER, [SERVER, *arguments], variables)
        os.close(write)
        end_with_this_test(self.pid)
        self.error = os.fdopen(read, "rb", buffering=0)
        self.text = ""

    def log(self, pattern):
        """Waits for a line, and returns the match."""
        end = time.monotonic() + PATIENCE
        while not (match := re.search(pattern, self.text)):
            ready, _, _ = select.select([self.error], [], [], max(0, end - time.monotonic()))
            part = self.error.read(65536) if ready else b""
            assert part, f"no {pattern} in {self.text}"
            self.text += part.decode()
        return match

    def port(self):
        return int(self.log(r"serving 127\.0\.0\.1:(\d+)")[1])

    def kill(self, number=signal.SIGTERM):
        os.kill(self.pid, number)

    def end(self):
        """Its status."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def stop(self):
        self.kill()
        return self.end()


class Manager:
    """The socket of NOTIFY_SOCKET."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name.replace("@", "\0", 1))
        self.socket.settimeout(PATIENCE)
        self.environment = {"NOTIFY_SOCKET": name}

    def next(self):
        return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().split("\n"))

    def wait(self, field):
        while field not in (message := self.next()):
            pass
        return message


class Activation(unittest.TestCase):
    def test_serves_connections_that_came_before_it(self):
        server = listening()
        early = socket.create_connection(server.getsockname())
        service = Service(["0"], [server])
        self.assertEqual(exchange(early), str(service.pid))
        self.assertEqual(service.port(), server.getsockname()[1])
        self.assertEqual(service.stop(), 0)
        between = socket.create_connection(server.getsockname())
        service = Service(["0"], [server])
        self.assertEqual(exchange(between), str(service.pid))
        self.assertEqual(service.stop(), 0)

    def test_finds_the_listener_of_each_socket_by_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/socket"
            web, admin = listening(), listening(path)
            service = Service(["0", "--listener", "admin"], [admin, web], {"LISTEN_FDNAMES": "admin:shop.socket"})
            self.assertEqual(get(web.getsockname()[1], "/listener"), "listener ")
            self.assertEqual(get_unix(path, "/listener"), "listener admin")
            self.assertEqual(service.stop(), 0)
            self.assertTrue(os.path.exists(path), "it belongs to the manager")

    def test_has_all_loops_accept_from_one_socket(self):
        server = listening()
        service = Service(["0"], [server])
        port = service.port()
        stalled = socket.create_connection(("127.0.0.1", port))
        stalled.sendall(b"GET /stall/500 HTTP/1.1\r\nHost: a\r\n\r\n")
        for _ in range(20):
            self.assertEqual(get(port), str(service.pid))
        self.assertEqual(service.stop(), 0)

    def test_ignores_sockets_of_another_process(self):
        server = listening()
        service = Service(["0"], [server], is_for_it=False)
        self.assertNotEqual(service.port(), server.getsockname()[1])
        self.assertEqual(service.stop(), 0)

    def test_refuses_descriptors_that_do_not_listen(self):
        service = Service(["0"], [socket.socket()])
        service.log("tern: cannot serve: the inherited descriptor 3 is no listening stream socket")
        self.assertEqual(service.end(), 1)


class Notification(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def manager(self):
        return Manager(self.folder.name + "/notify")

    def test_tells_start_reload_and_stop(self):
        manager = self.manager()
        service = Service(["0"], environment=manager.environment)
        message = manager.next()
        self.assertEqual(message["READY"], "1")
        self.assertEqual(message["STATUS"], f"serving 127.0.0.1:{service.port()} with 2 loops")
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        service.kill(signal.SIGHUP)
        message = manager.next()
        self.assertEqual(message["RELOADING"], "1")
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.assertTrue(before <= int(message["MONOTONIC_USEC"]) <= after)
        self.assertEqual(manager.next()["READY"], "1")
        service.log("read again")
        service.kill()
        message = manager.next()
        self.assertEqual(message["STOPPING"], "1")
        self.assertGreater(int(message["EXTEND_TIMEOUT_USEC"]), 30_000_000)
        self.assertEqual(service.end(), 0)

    def test_reaches_an_abstract_address(self):
        manager = Manager(f"@tern-test-{os.getpid()}")
        service = Service(["0"], environment=manager.environment)
        self.assertEqual(manager.next()["READY"], "1")
        self.assertEqual(service.stop(), 0)

    def test_keeps_the_watchdog_quiet_only_while_all_loops_run(self):
        manager = self.manager()
        period = 0.8
        service = Service(["0"], environment={**manager.environment, "WATCHDOG_USEC": str(int(period * 1e6))})
        port = service.port()
        for _ in range(3):
            before = time.monotonic()
            manager.wait("WATCHDOG")
            self.assertLess(time.monotonic() - before, period)
        stalled = socket.create_connection(("127.0.0.1", port))
        stalled.sendall(b"GET /stall/3000 HTTP/1.1\r\nHost: a\r\n\r\n")
        longest = 0
        end = time.monotonic() + 3.5
        while time.monotonic() < end:
            before = time.monotonic()
            manager.wait("WATCHDOG")
            longest = max(longest, time.monotonic() - before)
        self.assertGreater(longest, 2)
        self.assertEqual(service.stop(), 0)

    def test_does_without_a_watchdog_of_another_process(self):
        manager = self.manager()
        service = Service(["0"], environment={**manager.environment, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"})
        service.port()
        service.kill()
        self.assertIn("READY", manager.next())
        self.assertIn("STOPPING", manager.next())
        self.assertEqual(service.end(), 0)

    def test_logs_with_priorities_for_the_journal(self):
        service = Service(["0"], journal=True)
        service.log(r"(?m)^<6>serving 127\.0\.0\.1:\d+ with 2 loops$")
        self.assertEqual(service.stop(), 0)


class Load:
    """Clients that send requests until `ends` is set."""

    def __init__(self, port):
        self.port = port
        self.answered = 0
        self.lost = []
        self.ends = False

    async def client(self, keeps_alive):
        while not self.ends:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError as error:
                self.lost.append(f"refused: {error}")
                return
            goes_on = True
            while goes_on and not self.ends:
                close = "" if keeps_alive else "Connection: close\r\n"
                try:
                    writer.write(f"GET /sleep/2 HTTP/1.1\r\nHost: a\r\n{close}\r\n".encode())
                    head = await reader.readuntil(b"\r\n\r\n")
                    assert head.startswith(b"HTTP/1.1 200 "), head
                    await reader.readexactly(5)
                except (OSError, asyncio.IncompleteReadError) as error:
                    self.lost.append(f"not answered: {error}")
                    return
                self.answered += 1
                goes_on = b"connection: close" not in head.lower()
            writer.close()

    async def http2(self):
        """Connections with four concurrent requests, until a GOAWAY. Those above its last stream were not processed."""
        while not self.ends:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                await Http2(reader, writer, self).run()
            except (OSError, asyncio.IncompleteReadError) as error:
                self.lost.append(f"HTTP/2: {error}")
                return
            writer.close()


class Http2:
    """A connection: RFC 9113, section 4.1."""

    DATA, HEADERS, SETTINGS, PING, GOAWAY = 0, 1, 4, 6, 7
    # GET http://a/sleep/2 (RFC 7541: indexed fields, then literals without indexing)
    REQUEST = bytes([0x82, 0x86, 0x04, 8]) + b"/sleep/2" + bytes([0x01, 1]) + b"a"

    def __init__(self, reader, writer, load):
        self.reader, self.writer, self.load = reader, writer, load
        self.next_stream = 1
        self.open = set()
        self.last = None  # of a GOAWAY

    def send(self, kind, flags=0, stream=0, payload=b""):
        self.writer.write(len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload)

    def request(self):
        while len(self.open) < 4 and self.last is None and not self.load.ends:
            self.send(self.HEADERS, 0x5, self.next_stream, self.REQUEST)
            self.open.add(self.next_stream)
            self.next_stream += 2

    async def run(self):
        self.writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.send(self.SETTINGS)
        self.request()
        while self.open:
            head = await self.reader.readexactly(9)
            payload = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
            self.receive(head[3], head[4], int.from_bytes(head[5:], "big"), payload)
            self.request()

    def receive(self, kind, flags, stream, payload):
        if kind == self.HEADERS:
            assert payload[0] == 0x88, payload  # :status: 200
        if kind in (self.HEADERS, self.DATA) and flags & 1:
            self.open.remove(stream)
            self.load.answered += 1
        elif kind in (self.SETTINGS, self.PING) and not flags & 1:
            self.send(kind, 1, 0, payload if kind == self.PING else b"")
        elif kind == self.GOAWAY:
            self.last = int.from_bytes(payload[:4], "big")
            self.open = {each for each in self.open if each <= self.last}


class Handover(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.manager = Manager(self.folder.name + "/notify")
        self.predecessors = []

    def start(self, *arguments):
        service = Service(["0", "--handover", *arguments], environment=self.manager.environment)
        self.assertEqual(self.manager.next()["READY"], "1")
        return service

    def hand_over(self, pid):
        """The successor, when it serves. Until the predecessor has closed its sockets, either may accept."""
        self.predecessors.append(os.pidfd_open(pid))
        os.kill(pid, signal.SIGUSR2)
        message = self.manager.wait("MAINPID")
        self.assertEqual(message["READY"], "1")
        return int(message["MAINPID"])

    def await_predecessors(self):
        while self.predecessors:
            self.await_end(self.predecessors.pop())

    def await_end(self, handle):
        """Of a process that may be no child of this one."""
        self.assertTrue(select.select([handle], [], [], PATIENCE)[0])
        os.close(handle)

    def end(self, pid):
        handle = os.pidfd_open(pid)
        os.kill(pid, signal.SIGTERM)
        self.await_end(handle)

    def test_loses_no_request(self):
        service = self.start()
        load = Load(service.port())

        async def run():
            clients = [asyncio.create_task(load.client(i % 3 != 0)) for i in range(24)]
            clients += [asyncio.create_task(load.http2()) for _ in range(2)]
            pid = service.pid
            for _ in range(HANDOVERS):
                answered = load.answered
                while load.answered < answered + 300 and not load.lost:
                    await asyncio.sleep(0.01)
                pid = await asyncio.to_thread(self.hand_over, pid)
            answered = load.answered
            while load.answered < answered + 300 and not load.lost:
                await asyncio.sleep(0.01)
            load.ends = True
            await asyncio.wait_for(asyncio.gather(*clients), PATIENCE)
            return pid

        last = asyncio.run(run())
        self.assertEqual(load.lost, [])
        self.assertEqual(service.end(), 0)
        self.await_predecessors()
        self.assertEqual(get(load.port), str(last))
        self.end(last)

    def test_keeps_the_file_of_a_unix_socket_until_the_last(self):
        path = self.folder.name + "/socket"
        service = self.start("--unix", path)
        self.assertEqual(get_unix(path), str(service.pid))
        pid = self.hand_over(service.pid)
        self.assertEqual(service.end(), 0)
        self.assertEqual(get_unix(path), str(pid))
        second = self.hand_over(pid)
        self.await_predecessors()
        self.assertEqual(get_unix(path), str(second))
        self.end(second)
        self.assertFalse(os.path.exists(path))

    def test_finds_listeners_by_name(self):
        service = self.start("--listener", "admin")
        admin = int(service.log(r"127\.0\.0\.1:\d+, 127\.0\.0\.1:(\d+) ")[1])
        pid = self.hand_over(service.pid)
        self.assertEqual(service.end(), 0)
        self.assertEqual(get(admin, "/listener"), "listener admin")
        self.end(pid)

    def test_goes_on_when_the_successor_cannot_start(self):
        broken = self.folder.name + "/broken"
        service = self.start("--broken-if", broken)
        port = service.port()
        open(broken, "w").close()
        service.kill(signal.SIGUSR2)
        service.log("the successor does not take over: it ended with status 3")
        self.assertEqual(get(port), str(service.pid))
        os.unlink(broken)
        pid = self.hand_over(service.pid)
        self.assertEqual(service.end(), 0)
        self.assertEqual(get(port), str(pid))
        self.end(pid)

    def test_is_of_the_program_that_has_the_name_now(self):
        name = self.folder.name + "/program"
        os.symlink(SERVER, name)
        process = subprocess.Popen([name, "0", "--handover"], stderr=subprocess.DEVNULL,
                                   start_new_session=True, env={**os.environ, **self.manager.environment})
        end_with_this_test(process.pid)
        self.assertEqual(self.manager.next()["READY"], "1")
        os.unlink(name)
        with open(name, "w") as script:
            script.write(f'#!/bin/sh\ntouch {self.folder.name}/new\nexec {SERVER} "$@"\n')
        os.chmod(name, 0o755)
        pid = self.hand_over(process.pid)
        self.assertEqual(process.wait(), 0)
        self.assertTrue(os.path.exists(self.folder.name + "/new"))
        self.end(pid)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2, warnings="ignore")
