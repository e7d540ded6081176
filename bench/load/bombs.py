#!/usr/bin/env python3
"""How long a client waits for an answer while another one sends small input that is much work to read.

    bench/load/bombs.py build/bench/bin/bench-bombs [BOMB…] [--seconds 5] [--realtime]

The server has one loop. For each bomb, one process sends it again and again, and another measures GET / on a connection
of its own. All times are milliseconds. With
`--realtime`, which takes root, the loop's thread and the measurement have a real-time priority, which keeps other work
on the machine out of the result. So does the column of the loop's work: the processor time that the loop took during
the longest such ping."""
import argparse
import base64
import multiprocessing
import os
import socket
import struct
import subprocess
import threading
import time
import zlib
from functools import partial

MEBI = 1024 * 1024


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), 60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


# --- HTTP/1.1 -------------------------------------------------------------------------------------------------------

def answer(connection):
    """The status of the next answer, whose content has a length."""
    head = b""
    while b"\r\n\r\n" not in head:
        got = connection.recv(65536)
        if not got:
            return 0
        head += got
    head, _, content = head.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(content) < length:
        content += connection.recv(65536)
    return int(head[9:12])


def repeat(port, end, request):
    """Two connections take turns, so that there is always a request."""
    statuses = []

    def send():
        while time.monotonic() < end:
            with connect(port) as connection:
                connection.settimeout(max(0.1, end - time.monotonic()))
                try:
                    while time.monotonic() < end:
                        connection.sendall(request)
                        statuses.append(answer(connection))
                except OSError:
                    pass  # refused, or time is over

    together([send] * 2)
    return len(statuses), set(statuses)


def together(functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def post(path, kind, content):
    head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    return partial(repeat, request=head.encode() + content)


def pipeline(target):
    return partial(repeat_pipelined, requests=f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode() * 64)


def repeat_pipelined(port, end, requests):
    """As many requests at once as a connection takes."""
    done = 0
    with connect(port) as connection:
        connection.settimeout(max(0.1, end - time.monotonic()))
        threading.Thread(target=drain, args=(connection, end), daemon=True).start()
        try:
            while time.monotonic() < end:
                connection.sendall(requests)
                done += 64
        except OSError:
            pass  # time is over
    return done, set()


def drain(connection, end):
    try:
        while time.monotonic() < end and connection.recv(MEBI):
            pass
    except OSError:
        pass


def names(size):
    """A JSON object of one-letter values: a node of a map for every eleven bytes, in an order without pattern."""
    members = ",".join(f'"{i * 2654435761 % 2**32:06x}":1' for i in range(size // 14))
    return ('{"names":{' + members + "}}").encode()


def json():
    return post("/json", "application/json", names(9 * MEBI))


def json_optional():
    return post("/json/optional", "application/json", names(9 * MEBI))


def json_body():
    return post("/json/body", "application/json", names(9 * MEBI))


def form():
    return post("/form", "application/x-www-form-urlencoded", b"text=" + b"%41" * (10 * MEBI // 3 - 10))


def form_members():
    return post("/form", "application/x-www-form-urlencoded", b"&".join([b"a=" + b"x" * 2500] * 4000))


def multipart():
    part = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    content = b"".join(part % (b"a", b"x" * 2000) for _ in range(900)) + part % (b'other"; filename="x', b"\r\n--" * (2 * MEBI - 1024))
    return post("/multipart", "multipart/form-data; boundary=b", content + b"--b--\r\n")


def query():
    return pipeline("/query?" + "b=1&a=%41&" * 780)


def regex():
    return pipeline("/regex/" + "abaabbqaaxbabb" * 570)


# --- HTTP/2 ---------------------------------------------------------------------------------------------------------

def http2_frame(kind, flags, stream, payload):
    return struct.pack("!I", len(payload))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + payload


def hpack_integer(value, prefix, first):
    most = (1 << prefix) - 1
    if value < most:
        return bytes([first | value])
    out, value = bytes([first | most]), value - most
    while value >= 128:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def http2(port, end, fields, piece):
    """Header blocks of `fields`, in frames of `piece` bytes."""
    connection = connect(port)
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + http2_frame(4, 0, 0, b""))
    threading.Thread(target=drain, args=(connection, end), daemon=True).start()
    block = b"\x82\x86\x84\x41\x01a" + fields
    pieces = [block[i:i + piece] for i in range(0, len(block), piece)]
    done = 0
    try:
        while time.monotonic() < end:
            stream, out = 2 * done + 1, b""
            for i, one in enumerate(pieces):
                flags = (4 if i == len(pieces) - 1 else 0) | (1 if i == 0 else 0)
                out += http2_frame(9 if i else 1, flags, stream, one)
            connection.sendall(out)
            done += 1
    except OSError:
        pass  # refused, and closed
    return done


def header_blocks(fields, piece=16384):
    """Again from the beginning where the server closes the connection."""
    def run(port, end):
        done = 0
        while time.monotonic() < end:
            done += http2(port, end, fields, piece)
        return done, set()
    return run


def hpack_indexed():
    """One field of 3,900 bytes in the dynamic table, and 16,000 references to it, far more than a head may have."""
    first = b"\x40\x01x" + hpack_integer(3900, 7, 0) + b"y" * 3900
    return header_blocks(first + b"\xbe" * 16000)


def hpack_huffman():
    """A value of 78 KiB, Huffman-coded: the letter 'a' has the five bits 00011."""
    bits = int("00011" * 8, 2).to_bytes(5, "big") * (78 * 1024 // 8)
    return header_blocks(b"\x00\x01x" + hpack_integer(len(bits), 7, 0x80) + bits)


def hpack_fields():
    """Ninety-nine fields with names of their own."""
    fields = b"".join(b"\x00\x04%04d" % i + hpack_integer(700, 7, 0) + b"v" * 700 for i in range(95))
    return header_blocks(fields)


def continuation():
    """A header block in CONTINUATION frames of one byte."""
    return header_blocks(b"\x00\x01x" + hpack_integer(60000, 7, 0) + b"v" * 60000, 1)


# --- WebSockets -----------------------------------------------------------------------------------------------------

def websocket(port, path):
    connection = connect(port)
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall((f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                        "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n").encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    assert b" 101 " in head, head
    return connection


def frame(first_byte, payload, key=b"\0\0\0\0"):
    """Masked with zeros, which the server applies like any other key: other keys only cost the client time."""
    size = len(payload)
    length = (bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack("!H", size) if size < 65536
              else b"\xff" + struct.pack("!Q", size))
    return bytes([first_byte]) + length + key + payload


def compressed(payload):
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    return frame(0xC1, (deflater.compress(payload) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4])


def messages(path, messages, clients):
    """All clients at once, whenever they can be written to."""
    def run(port, end):
        done = [0]

        def send():
            connection = websocket(port, path)
            connection.settimeout(max(0.1, end - time.monotonic()))
            try:
                while time.monotonic() < end:
                    connection.sendall(messages)
                    done[0] += 1
            except OSError:
                pass  # time is over

        together([send] * clients)
        return done[0], set()
    return run


def inflate():
    """100 WebSockets with messages of a kilobyte that become a megabyte."""
    return messages("/ws/deflate", compressed(b"x" * MEBI) * 60, 100)


def inflate_text():
    """Messages of 16 MiB that are UTF-8 of more than one byte."""
    return messages("/ws/large", compressed("é".encode() * (8 * MEBI - 1024)), 4)


def text():
    return messages("/ws/large", frame(0x81, "é€😀".encode() * (MEBI * 16 // 9 - 1024)), 4)


def small_frames():
    """Messages of one byte, each a frame of seven."""
    return messages("/ws/large", frame(0x81, b"x") * 100_000, 4)


def fragments():
    """One message in frames of a byte."""
    return messages("/ws/large", frame(0x01, b"x") + frame(0x00, b"x") * 100_000 + frame(0x80, b"x"), 4)


def websocket_json():
    return messages("/ws/json", frame(0x81, names(MEBI - 64)[9:-1]), 4)


def nothing():
    return lambda port, end: (0, set())


BOMBS = [nothing, inflate, inflate_text, text, small_frames, fragments, websocket_json, json, json_optional, json_body,
         form, form_members, multipart, query, regex, hpack_indexed, hpack_huffman, hpack_fields, continuation]


# --- The measurement ------------------------------------------------------------------------------------------------

class Loop:
    """The thread of the server's loop: the one that works when the server is asked."""

    def __init__(self, process, port):
        tasks = f"/proc/{process}/task"
        files = {int(task): open(f"{tasks}/{task}/schedstat") for task in os.listdir(tasks)}
        before = {task: self.read(file) for task, file in files.items()}
        for _ in range(100):
            wait_for(port)
        self.thread = max(files, key=lambda task: self.read(files[task]) - before[task])
        self.file = files[self.thread]

    @staticmethod
    def read(file):
        file.seek(0)
        return int(file.read().split()[0])

    def used(self):
        """Milliseconds of a processor."""
        return self.read(self.file) / 1e6


def measure(port, loop, end):
    """Milliseconds that each ping took, and of them those that the loop was at work."""
    pings = []
    with connect(port) as connection:
        while time.monotonic() < end:
            used, begin = loop.used(), time.monotonic()
            connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert connection.recv(4096).endswith(b"Hello, World!")
            pings.append((1000 * (time.monotonic() - begin), loop.used() - used))
            time.sleep(0.001)
    return sorted(ping[0] for ping in pings), max(ping[1] for ping in pings)


def send(run, port, end, result):
    result.put(run(port, end))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("bombs", nargs="*", help=" ".join(bomb.__name__ for bomb in BOMBS))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--port", type=int, default=18116)
    parser.add_argument("--realtime", action="store_true")
    options = parser.parse_args()
    server = subprocess.Popen([options.server, "--port", str(options.port)], stderr=subprocess.DEVNULL)
    try:
        wait_for(options.port)
        loop = Loop(server.pid, options.port)
        if options.realtime:
            for thread in (0, loop.thread):
                os.sched_setscheduler(thread, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(10))
        print("| bomb | sent | pings | p50 | p99 | maximum | of it, work of the loop | answers |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
        for bomb in BOMBS:
            if not options.bombs or bomb.__name__ in options.bombs:
                print(row(bomb, options, loop), flush=True)
                wait_for(options.port)
    finally:
        server.terminate()
        server.wait()


def row(bomb, options, loop):
    run = bomb()
    end = time.monotonic() + options.seconds
    result = multiprocessing.Queue()
    sender = multiprocessing.Process(target=send, args=(run, options.port, end, result), daemon=True)
    sender.start()
    pings, work = measure(options.port, loop, end)
    sent, statuses = result.get(timeout=60)
    sender.join()
    at = lambda share: pings[min(len(pings) - 1, int(share * len(pings)))]
    answers = ", ".join(str(status) for status in sorted(statuses))
    return (f"| {bomb.__name__} | {sent} | {len(pings)} | {at(0.5):.1f} | {at(0.99):.1f} | {at(1):.1f} | {work:.1f} | "
            f"{answers} |")


def wait_for(port):
    """Waits until the server answers: at the start, and when it has read its input."""
    for _ in range(200):
        try:
            with connect(port) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                if connection.recv(4096):
                    return
        except OSError:
            time.sleep(0.05)


if __name__ == "__main__":
    main()
