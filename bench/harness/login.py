"""A verified token and a session in an encrypted cookie, beside jsonwebtoken and tower-sessions on axum, and Go."""
import subprocess
import tempfile
import urllib.request

from harness import common, contenders
from harness.clients import BenchLoad
from harness.contenders import BINARIES, Absent, Contender, Running
from harness.requests import HELLO, REQUESTS, ask, request
from harness.statistics import median

PEERS = {"axum_login": "axum", "net_http_login": "Go"}
ROWS = [
    ("a handler without either", "none"),
    ("token by ES256, the same as before", "jwt"),
    ("token by ES256, verified each time", "jwt-each"),
    ("session in an encrypted cookie", "session"),
]


def pair_of_keys():
    """The PEMs of a private key for ES256 and of its public key."""
    with tempfile.NamedTemporaryFile() as file:
        command = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file.name]
        subprocess.run(command, check=True, capture_output=True)
        public = subprocess.run(["openssl", "pkey", "-in", file.name, "-pubout"], check=True, capture_output=True, text=True).stdout
        with open(file.name, encoding="ascii") as private:
            return private.read(), public


def servers(private, public):
    found = [Contender("Tern", "", [str(BINARIES / "bench-web"), "--port", "{port}", "--threads", "{threads}"], {"login"},
                       environment={"JWT_KEY": public, "JWT_PRIVATE_KEY": private})]
    for name, title in PEERS.items():
        try:
            peer = contenders.peer(name)
        except Absent as error:
            common.note(f"{title} is absent: {error}")
            continue
        peer.name, peer.environment = title, peer.environment | {"JWT_KEY": public}
        found.append(peer)
    return found


def fetched(port, method, path):
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method, data=b"" if method == "POST" else None)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return answer.read().decode(), answer.headers.get("Set-Cookie", "").split(";")[0]


def requests_of(name, port, token):
    """By row. With a new cookie, because sessions are renewed after a minute."""
    cookie = fetched(port, "POST", "/login")[1]
    fields = {"none": [], "jwt": [f"Authorization: Bearer {token}"], "session": [f"Cookie: {cookie}"]}
    if name == "Tern":
        fields["jwt-each"] = fields["jwt"]
    expected = {"none": HELLO} if name == "Tern" else {}
    return {row: request("GET", f"/{row}", lines, expected=expected.get(row, b"anna")) for row, lines in fields.items()}


def table(rounds, seconds):
    private, public = pair_of_keys()
    running, samples, answers = {}, {}, {}
    try:
        for server in servers(private, public):
            running[server.name] = Running(server)
        token = fetched(running["Tern"].port, "GET", "/token")[0]
        for number in range(rounds):
            common.note(f"login, round {number + 1} of {rounds}")
            for name, server in running.items():
                for row, asked in requests_of(name, server.port, token).items():
                    REQUESTS[f"login_{name}_{row}"] = asked
                    samples.setdefault((name, row), [])
                    answers[name, row] = ask(server.port, asked)
            order = list(samples)
            for name, row in order[number % len(order):] + order[:number % len(order)]:
                sample = BenchLoad(64).run(running[name], f"login_{name}_{row}", seconds, answers[name, row])
                if sample["errors"]:
                    raise contenders.Failed(f"{name}, {row}: {sample['errors']} errors")
                samples[name, row].append(sample["cpu"] / sample["requests"] * 1e6)
        for server in running.values():
            server.stop()
    finally:
        for server in running.values():
            server.kill()
    text = "| CPU per request | " + " | ".join(running) + " |\n| --- |" + " ---: |" * len(running) + "\n"
    for title, row in ROWS:
        cells = []
        for name in running:
            values = samples.get((name, row)) or (samples[name, "jwt"] if row == "jwt-each" else [])
            cells.append(f"{median(values):.1f} µs")
        text += f"| {title} | " + " | ".join(cells) + " |\n"
    return text
