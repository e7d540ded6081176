"""Memory of the server during a large upload that a handler reads as a stream."""
from harness.common import Server, build, note

BYTES = 10_000_000_000
BLOCK = 1_000_000
# The handler of bench-server: it pauses about 10 ms after each 16 MiB.
HANDLERS = {"/upload/false": "reads continuously", "/upload/true": "pauses"}


def upload(server, path, chunked):
    """Sends BYTES, one block again and again."""
    connection = server.connect()
    block = bytes(BLOCK)
    framing = f"Content-Length: {BYTES}"
    if chunked:
        block = f"{BLOCK:x}\r\n".encode() + block + b"\r\n"
        framing = "Transfer-Encoding: chunked"
    connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{framing}\r\n\r\n".encode())
    for _ in range(BYTES // BLOCK):
        connection.sendall(block)
    if chunked:
        connection.sendall(b"0\r\n\r\n")
    answer = b"".join(iter(lambda: connection.recv(4096), b""))
    if not answer.startswith(b"HTTP/1.1 200 ") or not answer.endswith(str(BYTES).encode()):
        raise RuntimeError(f"the upload failed: {answer!r}")


def ready(server):
    """One small request, so that only the upload is measured."""
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while connection.recv(4096):
            pass


def measure():
    build("bench-server")
    rows = []
    for path, handler in HANDLERS.items():
        for chunked in (False, True):
            how = "in chunks" if chunked else "by length"
            note(f"10 GB {how}, to a handler that {handler}")
            server = Server("bench-server")
            ready(server)
            before = server.memory("VmHWM")
            upload(server, path, chunked)
            growth = server.memory("VmHWM") - before
            server.stop()
            rows.append((f"10 GB {how}, handler that {handler}: growth of the peak", f"{growth / 1024:,.0f} KiB"))
    return rows
