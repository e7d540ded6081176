"""TLS beside nginx: the cost of full and resumed handshakes, and of content."""
import ssl

from harness import common, rotation
from harness.contenders import Failed
from harness.requests import HELLO, received

PROGRAM = "bench-tls"
CONTENT = 10_000_000
DOWNLOADS = [1, 8]  # connections
HANDSHAKES = 32     # at once
BESIDE = "nginx"


def answer_of(server, path, content, close):
    """Bytes of an answer, head and content, after a look at it."""
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    fields = "Connection: close\r\n" if close else ""
    with rotation.connect(server) as connection, trusting.wrap_socket(connection) as secured:
        secured.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())
        with secured.makefile("rb") as stream:
            head, came, size = received(stream)
    if b" 200 " not in head or len(came) != content:
        raise Failed(f"answered {head!r} with {len(came)} bytes")
    return size


def handshakes(server, seconds, resume):
    answer = answer_of(server, "/", len(HELLO), True)
    return rotation.load(PROGRAM, server, seconds, answer=answer, connections=HANDSHAKES, close="true", resume=str(resume).lower())


def download(server, seconds, connections):
    """Counts megabytes."""
    path = f"/bytes/{CONTENT}"
    sample = rotation.load(PROGRAM, server, seconds, path=path, answer=answer_of(server, path, CONTENT, False), connections=connections)
    return sample | {"count": sample["bytes"] / 1e6}


def compared(rounds, seconds, peers):
    common.build("bench-server", PROGRAM)
    contenders = rotation.contenders("tls", peers)
    text = f"| handshakes | server | a second | CPU of each | of {BESIDE}'s |\n| --- | --- | ---: | ---: | ---: |\n"
    for kind in rotation.KEYS:
        with rotation.serving(contenders, certificate=rotation.certificate(kind)) as servers:
            for resume in (False, True):
                what = f"{'resumed' if resume else 'full'}, {kind}"
                samples = rotation.measure(what, servers, lambda server: handshakes(server, seconds, resume), rounds)
                text += rotation.rows(what, samples, BESIDE)
    text += f"\n| 10 MB, AES-128-GCM | server | MB/s | CPU of each MB | of {BESIDE}'s |\n| --- | --- | ---: | ---: | ---: |\n"
    with rotation.serving(contenders, certificate=rotation.certificate("ECDSA P-256")) as servers:
        for connections in DOWNLOADS:
            what = f"{connections} connection{'' if connections == 1 else 's'}"
            samples = rotation.measure(what, servers, lambda server: download(server, seconds, connections), rounds)
            text += rotation.rows(what, samples, BESIDE)
    return text
