"""Static files beside nginx, h2o, Go's FileServer and tower-http's ServeDir, and compression while they are sent."""
import contextlib
import gzip
import json
import os
import random
import re
import ssl
import tempfile

from harness import common, processes, rotation
from harness.clients import run_client
from harness.contenders import BINARIES, Contender, Failed
from harness.statistics import median

BESIDE = "nginx"
FOLDER = common.ROOT / "build/bench/files"
MANY = 10_000
HUGE = 1 << 30
RANGE = 64 * 1024
DYNAMIC = 60_000  # bytes before compression
TRANSPORTS = [("HTTP/1.1", "http", ["--h1"]), ("TLS", "https", ["--h1"]), ("HTTP/2 over TLS", "https", ["-m", "10"])]
NAMES = {"nginx_files": "nginx", "h2o_files": "h2o", "net_http_files": "Go", "tower_http": "tower-http"}
# name, path (None: MANY in turn), fields, connections, bytes of each answer's content (None: as it comes), status
WORKLOADS = [
    ("1 KB", "/1k.bin", {}, 8, 1024, 2),
    ("100 KB", "/100k.bin", {}, 8, 100_000, 2),
    ("10 MB", "/10m.bin", {}, 4, 10_000_000, 2),
    ("4 KB, 10,000 files in turn", None, {}, 8, 4096, 2),
    ("304", "/1k.bin", {"if-none-match": "{etag}", "if-modified-since": "{last-modified}"}, 8, 0, 3),
    ("64 KB of 1 GB", "/1g.bin", {"range": f"bytes={HUGE // 2}-{HUGE // 2 + RANGE - 1}"}, 8, RANGE, 2),
    ("100 KB with a .gz", "/100k.js", {"accept-encoding": "gzip"}, 8, None, 2),
]


def write(name, content):
    file = FOLDER / name
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        os.utime(file, (1_700_000_000, 1_700_000_000))


def records(size):
    """JSON as services send it."""
    chance = random.Random(7)
    words = "arctic tern flies from pole to pole each year and nests on the coast".split()
    text = json.dumps([{"id": number, "name": " ".join(chance.choices(words, k=3)), "value": chance.random(), "tags": chance.choices(words, k=4)}
                       for number in range(size // 80)])
    return text[:size].encode()


def write_all():
    chance = random.Random(1)
    write("1k.bin", chance.randbytes(1024))
    write("100k.bin", chance.randbytes(100_000))
    write("10m.bin", chance.randbytes(10_000_000))
    write("100k.js", records(100_000))
    write("100k.js.gz", gzip.compress(records(100_000), 9))
    write("dynamic/data.json", records(DYNAMIC))
    for number in range(MANY):
        write(f"many/{number}.bin", chance.randbytes(4096))
    if not (FOLDER / "1g.bin").exists():
        with open(FOLDER / "1g.bin", "wb") as huge:
            huge.truncate(HUGE)  # sparse


def contenders(peers):
    ours = Contender("tern", "this tree, bench-files",
                     [str(BINARIES / "bench-files"), "--port", "{port}", "--threads", "{threads}", "--folder", str(FOLDER)], {"files"},
                     is_tern=True)
    others = rotation.contenders("files", peers)[1:]
    for other in others:
        other.environment["FILES"] = str(FOLDER)
        other.name = NAMES.get(other.name, other.name)
    return [ours, *others]


def ask(server, scheme, path, fields):
    """The head, by name, and the content of one answer."""
    with contextlib.ExitStack() as stack:
        connection = stack.enter_context(rotation.connect(server))
        if scheme == "https":
            trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
            connection = stack.enter_context(trusting.wrap_socket(connection))
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{lines}Connection: close\r\n\r\n".encode())
        with connection.makefile("rb") as stream:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += stream.readline() or b"\r\n\r\n"
            content = stream.read()
    found = {name.lower(): value.strip() for name, value in re.findall(r"^([\w-]+):(.*)$", head.decode("latin-1"), re.M)}
    return int(head.split()[1]), found, content


def validated(server, scheme, path, fields, size, kind):
    """The fields with this server's validators, after a look at its answer."""
    _, head, _ = ask(server, scheme, path, {})
    fields = {name: value.format_map(head | {"etag": head.get("etag", "")}) for name, value in fields.items()}
    fields = {name: value for name, value in fields.items() if value}
    status, head, content = ask(server, scheme, path, fields)
    if status // 100 != kind or (size is not None and len(content) != size):
        raise Failed(f"{path}: {status} with {len(content)} bytes")
    if "accept-encoding" in fields and head.get("content-encoding") != fields["accept-encoding"]:
        raise Failed(f"{path} is not sent as {fields['accept-encoding']}")
    return fields, len(content)


def number(pattern, output):
    return float(re.search(pattern, output, re.M).group(1))


def warm_up(server, scheme, flags):
    """Asks for each of the many files once."""
    with tempfile.NamedTemporaryFile("w", suffix=".uris") as uris:
        uris.writelines(f"{scheme}://127.0.0.1:{server.port}/many/{each}.bin\n" for each in range(MANY))
        uris.flush()
        run_client(["h2load", "-t1", "-c1", f"-n{MANY}", *flags, "-i", uris.name], 60)


def load(server, scheme, flags, path, fields, connections, size, kind, seconds):
    fields, content = validated(server, scheme, path or "/many/0.bin", fields, size, kind)
    origin = f"{scheme}://127.0.0.1:{server.port}"
    options = [part for name, value in fields.items() for part in ("-H", f"{name}: {value}")]
    with tempfile.NamedTemporaryFile("w", suffix=".uris") as uris:
        if path is None:
            uris.writelines(f"{origin}/many/{each}.bin\n" for each in range(MANY))
        else:
            uris.write(f"{origin}{path}\n")
        uris.flush()
        meter = rotation.Meter(server)
        output = run_client(["h2load", "-t1", f"-c{connections}", f"-D{round(seconds * 1000)}ms", "--tls13-ciphers=TLS_AES_128_GCM_SHA256",
                             *flags, *options, "-i", uris.name], seconds)
        cpu = meter.seconds()
    done = number(r"^requests: .* (\d+) done", output)
    good = number(rf"^status codes: .*?(\d+) {kind}xx", output)
    wrong = number(r", (\d+) failed", output) + number(r", (\d+) errored", output)
    if wrong or good < done:
        raise Failed(f"{done:.0f} answers, {good:.0f} of them {kind}xx, {wrong:.0f} errors")
    # Large answers that have arrived in part count by their part.
    sent = number(r"^traffic: .* \((\d+)\) data", output)
    return {"count": sent / content if content >= 50_000 else done, "seconds": seconds, "cpu": cpu}


def supports(name, transport):
    return name != "tower-http" or transport == "HTTP/1.1"


def measured_files(all_of_them, rounds, seconds):
    text = f"| file | server | requests/s | CPU per request | of {BESIDE}'s |\n| --- | --- | ---: | ---: | ---: |\n"
    for transport, scheme, flags in TRANSPORTS:
        certificate = rotation.certificate("ECDSA P-256") if scheme == "https" else None
        some = [each for each in all_of_them if supports(each.name, transport)]
        with rotation.serving(some, certificate=certificate) as servers:
            for name, path, fields, connections, size, kind in WORKLOADS:
                what = f"{name}, {transport}"
                if path is None:
                    for server in servers.values():
                        warm_up(server, scheme, flags)
                samples = rotation.measure(
                    what, {each: server for each, server in servers.items() if path != "/100k.js" or each != "Go"},
                    lambda server: load(server, scheme, flags, path, fields, connections, size, kind, seconds), rounds)
                rows = rotation.rows(what, samples, BESIDE)
                common.note("\n" + rows)  # an interrupted run keeps what it has measured
                text += rows
            if transport == "HTTP/1.1":
                memory = {each: processes.memory(server.pids(), "RssAnon") for each, server in servers.items()}
    text += "\n| after all of these over HTTP/1.1 | memory, without programs and page cache |\n| --- | ---: |\n"
    return text + "".join(f"| {name} | {size / 1e6:,.1f} MB |\n" for name, size in memory.items())


def compress(server, path, coding, seconds):
    """Counts megabytes before compression."""
    sample = load(server, "http", ["--h1"], path, {"accept-encoding": coding}, 4, None, 2, seconds)
    _, head, content = ask(server, "http", path, {"accept-encoding": coding})
    content = len(content) if "content-length" in head else None
    return sample | {"count": sample["count"] * DYNAMIC / 1e6, "size": content}


def measured_compression(all_of_them, rounds, seconds):
    text = "| compressed while it is sent | server | MB per second of CPU | of its size |\n| --- | --- | ---: | ---: |\n"
    rows = [("gzip", "tern", "/dynamic", "level 6"), ("gzip", "nginx", "/dynamic", "level 1"), ("gzip", "nginx", "/dynamic6", "level 6"),
            ("gzip", "tower-http", "/dynamic", "level 6"), ("br", "tern", "/dynamic", "quality 4"), ("br", "tower-http", "/dynamic", "quality 4"),
            ("zstd", "tern", "/dynamic", "level 3"), ("zstd", "tower-http", "/dynamic", "level 3")]
    with rotation.serving([each for each in all_of_them if each.name in ("tern", "nginx", "tower-http")]) as servers:
        for coding, name, folder, level in rows:
            if name not in servers:
                continue
            samples = rotation.measure(f"{coding}, {name}, {level}", {name: servers[name]},
                                       lambda server: compress(server, f"{folder}/data.json", coding, seconds), rounds)[name]
            if not samples:
                continue
            speed = median([each["count"] / each["cpu"] for each in samples])
            size = samples[0]["size"]
            shown = f"{size / DYNAMIC:.1%}" if size else "–"
            text += f"| {coding}, {level} | {'**tern**' if name == 'tern' else name} | {speed:,.0f} | {shown} |\n"
    return text


def compared(rounds, seconds, peers):
    common.build("bench-files")
    write_all()
    all_of_them = contenders(peers)
    return measured_files(all_of_them, rounds, seconds) + "\n" + measured_compression(all_of_them, rounds, seconds)
