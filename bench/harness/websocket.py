"""WebSockets: echoes, fan-out, and the memory of idle connections, beside other libraries."""

from harness import common, processes, rotation
from harness.contenders import Failed, Running

PROGRAM = "bench-websocket"
# Bytes, messages at once, kind. Text has to be checked for UTF-8 (RFC 6455, section 8.1); gobwas leaves that to its users.
ECHOES = [(20, 1, "text"), (20, 16, "text"), (1024, 1, "text"), (1024, 16, "text"), (65_536, 1, "text"), (65_536, 16, "text"),
          (65_536, 1, "binary"), (262_144, 4, "text"), (262_144, 4, "binary"), (1_048_576, 1, "text"), (1_048_576, 1, "binary")]
CONNECTIONS = 64
SUBSCRIBERS, TOPIC_BYTES = 1000, 64
IDLE = 10_000
IDLE_BEFORE = 100  # opened and closed before, so that one-time allocations are not counted
HANDSHAKE = (b"GET /ws/echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")


def exactly(connection, size):
    received = b""
    while len(received) < size:
        piece = connection.recv(size - len(received))
        if not piece:
            raise Failed("a WebSocket was closed")
        received += piece
    return received


def opened(server):
    """A WebSocket that has echoed one message."""
    connection = rotation.connect(server)
    connection.sendall(HANDSHAKE)
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += exactly(connection, 1)
    connection.sendall(b"\x81\x85\x00\x00\x00\x00hello")
    if not answer.startswith(b"HTTP/1.1 101 ") or exactly(connection, 7) != b"\x81\x05hello":
        raise Failed(f"no echo after {answer!r}")
    return connection


def idle_memory(contender):
    """Bytes of the resident set for each idle WebSocket."""
    server, connections = Running(contender), []
    try:
        for connection in [opened(server) for _ in range(IDLE_BEFORE)]:
            connection.close()
        before = processes.memory(server.pids(), "VmRSS")
        for _ in range(IDLE):
            connections.append(opened(server))
        return (processes.memory(server.pids(), "VmRSS") - before) / IDLE
    finally:
        for connection in connections:
            connection.close()
        server.kill()


def idle(contenders):
    text = f"\n| {IDLE:,} idle WebSockets | memory of each |\n| --- | ---: |\n"
    for contender in contenders:
        common.note(f"{IDLE:,} idle WebSockets of {contender.name}")
        try:
            shown = f"{idle_memory(contender):,.0f} bytes"
        except (Failed, OSError) as error:
            common.note(f"  {contender.name}: {error}")
            shown = "failed"
        text += f"| {'**tern**' if contender.name == 'tern' else contender.name} | {shown} |\n"
    return text


def compared(rounds, seconds, peers):
    common.build("bench-server", PROGRAM)
    contenders = rotation.contenders("websocket", peers)
    results = []
    with rotation.serving(contenders) as servers:
        for size, depth, kind, connections in [*((*echo, CONNECTIONS) for echo in ECHOES), (20, 1, "text", 1)]:
            what = f"echo of {size:,} bytes" + (f", {kind}" if kind != "text" else "") + (f", {depth} at once" if depth > 1 else "") + \
                (", one connection" if connections == 1 else "")
            results.append((what, rotation.measure(what, servers, lambda server: rotation.load(
                PROGRAM, server, seconds, path="/ws/echo", kind=kind, size=size, depth=depth, connections=connections), rounds)))
        for depth in (1, 16):
            what = f"to {SUBSCRIBERS:,}, {depth} at once" if depth > 1 else f"one message to {SUBSCRIBERS:,}"
            results.append((what, rotation.measure(what, servers, lambda server: rotation.load(
                PROGRAM, server, seconds, mode="topic", path="/ws/topic", size=TOPIC_BYTES, depth=depth,
                connections=SUBSCRIBERS + 1), rounds)))
    return rotation.matrix(results) + idle(contenders)
