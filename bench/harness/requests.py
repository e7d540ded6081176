"""The requests of the workloads, as bytes, and asking once whether the answer is the right one."""
import dataclasses
import json
import socket
import threading

LARGE_FIELD = 65_536
LARGE_BODY = 10_000_000
HELLO = b"Hello, World!"


@dataclasses.dataclass(frozen=True)
class Request:
    bytes: bytes
    content: object  # expected: bytes, a number, or the JSON value


def request(method, target, fields=(), content=b"", expected=HELLO):
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *fields]
    if method == "POST":
        lines.append(f"Content-Length: {len(content)}")
    return Request("\r\n".join([*lines, "", ""]).encode() + content, expected)


def browser():
    """740 bytes and 15 fields, with Host."""
    fields = [
        "Connection: keep-alive",
        'sec-ch-ua: "Chromium";v="130", "Not?A_Brand";v="99"',
        "sec-ch-ua-mobile: ?0",
        'sec-ch-ua-platform: "Linux"',
        "Upgrade-Insecure-Requests: 1",
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        "Sec-Fetch-Site: same-origin",
        "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: document",
        "Referer: http://localhost/start",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "Accept-Language: en-GB,en;q=0.9,de;q=0.8",
        "Cookie: session=",
    ]
    short = 740 - len(request("GET", "/", fields).bytes)
    fields[-1] += ("2f9a81c07be34d56" * 20)[:short]
    return request("GET", "/", fields)


LARGE = f"X-Large: {'a' * LARGE_FIELD}"
JSON_TYPE = "Content-Type: application/json"
REQUESTS = {
    "hello": request("GET", "/"),
    "close": request("GET", "/", ["Connection: close"]),
    "browser": browser(),
    "json": request("GET", "/json", expected={"message": "Hello, World!"}),
    "json_post": request("POST", "/json", [JSON_TYPE], b'{"name":"pen","value":21}',
                         {"greeting": "Hello, pen!", "item": {"name": "pen", "value": 21, "double": 42}}),
    "user": request("GET", "/user/4711", expected=b"4711"),
    "echo": request("POST", "/echo", ["Content-Type: text/plain"], HELLO),
    "large_head": request("GET", "/", [LARGE]),
    "large_echo": request("POST", "/echo", ["Content-Type: application/octet-stream"], b"x" * LARGE_BODY, b"x" * LARGE_BODY),
    "large_both": request("POST", "/upload", [LARGE, "Content-Type: application/octet-stream"], b"x" * LARGE_BODY,
                          str(LARGE_BODY).encode()),
    "routes": request("GET", "/route299/4711/details", expected=b"4711"),
    "middleware": request("GET", "/behind-three"),
    "no_middleware": request("GET", "/before-three"),  # as long
    "calc": request("GET", "/calc?value=0.6", expected=0.470004),
}


class WrongAnswer(Exception):
    pass


def received(stream):
    """One answer: (status line, content, bytes on the wire)."""
    lines, size = [], 0
    while not lines or lines[-1] not in (b"\r\n", b""):
        lines.append(stream.readline())
        size += len(lines[-1])
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:-1])}
    content = b""
    if b"content-length" in fields:
        content = stream.read(int(fields[b"content-length"]))
        size += len(content)
    elif fields.get(b"transfer-encoding", b"").lower() == b"chunked":
        while True:
            line = stream.readline()
            length = int(line.partition(b";")[0] or b"0", 16)
            piece = stream.read(length + 2)
            size += len(line) + len(piece)
            if length == 0:
                break
            content += piece[:-2]
    else:
        content = stream.read()
        size += len(content)
    return lines[0], content, size


def ask(port, asked, any_content=False):
    """Asks once. The bytes of the answer on the wire, or WrongAnswer."""
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        sender = threading.Thread(target=send, args=(connection, asked.bytes), daemon=True)  # an echo may begin before the end
        sender.start()
        try:
            with connection.makefile("rb") as stream:
                head, content, size = received(stream)
        except (OSError, ValueError) as error:
            raise WrongAnswer(f"no answer: {error}") from error
        finally:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the server was faster
            sender.join()
    if b" 200 " not in head:
        raise WrongAnswer(f"answered {head.decode(errors='replace').strip() or 'nothing'}")
    if not any_content and not is_right(content, asked.content):
        raise WrongAnswer(f"answered {content[:80]!r}")
    return size


def is_right(content, expected):
    try:
        if isinstance(expected, dict):
            return json.loads(content) == expected
        if isinstance(expected, float):
            return abs(float(content) - expected) < 1e-5
    except ValueError:
        return False
    return content == expected


def send(connection, content):
    try:
        connection.sendall(content)
    except OSError:
        pass  # the answer, or its absence, tells
