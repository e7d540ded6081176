"""HTTP/2 in clear text and over TLS, with few and many streams on a connection, beside nghttpd and h2o."""
import re

from harness import common, rotation
from harness.clients import run_client
from harness.contenders import Failed

LOADS = [(8, 1), (64, 1), (8, 10), (8, 100)]  # connections, streams on each
HELLO = 13  # bytes of the content
BESIDE = "h2o"


def number(pattern, output):
    found = re.search(pattern, output, re.M)
    if not found:
        raise Failed(f"h2load says nothing of {pattern}")
    return float(found.group(1))


def answered(output, scheme, open_at_once):
    """How many requests, when all have got the right bytes and, over TLS, by the same cipher."""
    done, good = number(r"^requests: .* (\d+) done", output), number(r"^status codes: (\d+) 2xx", output)
    wrong = number(r", (\d+) failed", output) + number(r", (\d+) errored", output) + number(r", (\d+) timeout", output)
    content = number(r"^traffic: .* \((\d+)\) data", output)
    # Requests in flight at the end are counted in the content already.
    if wrong or good < done or not 0 <= content - HELLO * done <= HELLO * open_at_once:
        raise Failed(f"{done:.0f} answers, {good:.0f} of them 2xx, {wrong:.0f} errors, {content:.0f} bytes of content")
    if scheme == "https" and "Cipher: TLS_AES_128_GCM_SHA256" not in output:
        raise Failed("not TLS 1.3 with AES-128-GCM")
    return done


def load(server, scheme, connections, streams, seconds):
    meter = rotation.Meter(server)
    output = run_client(["h2load", "-t1", f"-c{connections}", f"-m{streams}", f"-D{round(seconds * 1000)}ms",
                       "--tls13-ciphers=TLS_AES_128_GCM_SHA256", f"{scheme}://127.0.0.1:{server.port}/"], seconds)
    cpu = meter.seconds()
    return {"count": answered(output, scheme, connections * streams), "seconds": seconds, "cpu": cpu}


def compared(rounds, seconds, peers):
    common.build("bench-server")
    contenders = rotation.contenders("http2", peers)
    text = f"| | server | requests/s | CPU per request | of {BESIDE}'s |\n| --- | --- | ---: | ---: | ---: |\n"
    for scheme, name, certificate in (("http", "clear text", None), ("https", "TLS", rotation.certificate("ECDSA P-256"))):
        with rotation.serving(contenders, certificate=certificate) as servers:
            for connections, streams in LOADS:
                what = f"{name}, {connections} connections, {streams} stream{'' if streams == 1 else 's'}"
                samples = rotation.measure(what, servers, lambda server: load(server, scheme, connections, streams, seconds), rounds)
                text += rotation.rows(what, samples, BESIDE)
    return text
