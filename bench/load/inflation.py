#!/usr/bin/env python3
"""Latency of one WebSocket while others on its loop send compression bombs: small on the wire, large in memory.

    bench/load/inflation.py PORT [--path /separate] [--clients 100] [--messages 60] [--size 1048576]

The server has one thread and a route with compression that sends nothing back. `--baseline` only pings."""
import argparse
import base64
import os
import socket
import struct
import threading
import time
import zlib


def connect(port, path):
    connection = socket.create_connection(("127.0.0.1", port), 60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall((f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                        "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n").encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    assert b" 101 " in head, head
    return connection


def frame(first_byte, payload):
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack("!H", size)
    return bytes([first_byte]) + length + b"\0\0\0\0" + payload


def bomb(size):
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    payload = deflater.compress(b"x" * size) + deflater.flush(zlib.Z_SYNC_FLUSH)
    return frame(0xC1, payload[:-4])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--path", default="/small")
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--messages", type=int, default=60)
    parser.add_argument("--size", type=int, default=1024 * 1024)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--baseline", action="store_true")
    options = parser.parse_args()
    other = connect(options.port, options.path)
    one = bomb(options.size)
    heavy = [] if options.baseline else [connect(options.port, options.path) for _ in range(options.clients)]

    def send():
        for connection in heavy:
            connection.sendall(one * options.messages)

    sender = threading.Thread(target=send, daemon=True)
    latencies = []
    ping = frame(0x89, b"now")
    sender.start()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        other.sendall(ping)
        assert other.recv(5, socket.MSG_WAITALL) == b"\x8a\x03now"
        latencies.append(time.monotonic() - begin)
        time.sleep(0.002)
    latencies.sort()
    at = lambda share: 1000 * latencies[min(len(latencies) - 1, int(share * len(latencies)))]
    print(f"{len(latencies)} pings of {len(one)}-byte bombs: median {at(0.5):.1f} ms, 99% {at(0.99):.1f} ms, "
          f"maximum {at(1):.1f} ms")


main()
