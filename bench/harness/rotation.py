"""Measures servers in rotation, for pages that are not workloads: the median of the rounds is the result."""
import contextlib
import json
import socket
import subprocess

from harness import machine, processes
from harness.common import ROOT, note, run
from harness.contenders import BINARIES, Failed, Running, chosen, peer_names, tern
from harness.statistics import median

CERTIFICATES = ROOT / "build/bench/certificates"
KEYS = {"ECDSA P-256": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "RSA 2048": ["rsa:2048"]}


def contenders(supported, peers=None):
    """Tern and the peers that support it and can be built; only those in `peers` where given."""
    machine.take_all_descriptors()
    wanted = peer_names(supported)
    return [tern(), *chosen([name for name in wanted if name in peers] if peers else wanted)[0]]


def certificate(kind):
    """A self-signed certificate and its key, shared by all servers."""
    CERTIFICATES.mkdir(parents=True, exist_ok=True)
    made = [CERTIFICATES / f"{kind.partition(' ')[0]}-{part}.pem" for part in ("certificate", "key")]
    if not all(file.exists() for file in made):
        run("openssl", "req", "-x509", "-newkey", *KEYS[kind], "-nodes", "-days", "3650", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", str(made[0]), "-keyout", str(made[1]))
    return made


@contextlib.contextmanager
def serving(contenders, **how):
    """{name: server} of all that start. An unclean exit is only logged."""
    servers = {}
    try:
        for contender in contenders:
            try:
                servers[contender.name] = Running(contender, **how)
            except Failed as error:
                note(f"  {contender.name}: {error}")
        yield servers
        for name, server in servers.items():
            try:
                if not server.ended:
                    server.stop()
            except Failed as error:
                note(f"  {name}: {error}")
    finally:
        for server in servers.values():
            server.kill()


def measure(what, servers, take, rounds):
    """{name: its samples} of take(server), which returns {"count", "seconds", "cpu"}. A server that fails gets None."""
    samples = {name: [] for name in servers}
    for number in range(rounds):
        note(f"{what}, round {number + 1} of {rounds}")
        names = list(servers)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            if samples[name] is None:
                continue
            try:
                sample = take(servers[name])
                if not sample["count"]:
                    raise Failed("answered nothing")
                samples[name].append(sample)
            except (Failed, OSError) as error:
                note(f"  {name}: {error}")
                samples[name] = None
    return samples


def rate(samples):
    return median([each["count"] / each["seconds"] for each in samples])


def costs(samples):
    """CPU seconds of the server per counted item."""
    return [each["cpu"] / each["count"] for each in samples]


def ratio(samples, others):
    """The median of the per-round ratios of costs: both sides of a round ran under the same conditions."""
    # Without rounds in which a server got no CPU time.
    return median([one / other for one, other in zip(costs(samples), costs(others)) if one and other])


def rows(what, samples, beside, unit="µs", scale=1e6):
    """Rows: name, server, rate, cost of each, and the ratio of the cost to that of `beside`."""
    lines = []
    for name, taken in samples.items():
        shown = f"**{name}**" if name == "tern" else name
        if not taken:
            lines.append(f"| {what} | {shown} | failed | – | – |")
            continue
        compared = f"{ratio(taken, samples[beside]):.2f}" if samples.get(beside) else "–"
        lines.append(f"| {what} | {shown} | {rate(taken):,.0f} | {median(costs(taken)) * scale:,.2f} {unit} | {compared} |")
    return "\n".join(lines) + "\n"


def matrix(results, unit="µs", scale=1e6):
    """A table of (name, samples): a row for each, a column for each server, with the cost of each item and the rate."""
    names = list(results[0][1])
    heads = [f"**{name}**" if name == "tern" else name for name in names]
    lines = [f"| | {' | '.join(heads)} |", f"| --- |{' ---: |' * len(names)}"]
    for what, samples in results:
        cells = [f"{median(costs(taken)) * scale:,.2f} {unit} ({rate(taken):,.0f}/s)" if taken else "failed"
                 for taken in samples.values()]
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), 10)


class Meter:
    """The CPU time of a server since the construction of the meter."""

    def __init__(self, server):
        if server.process.poll() is not None:
            raise Failed(f"ended by itself with {server.process.returncode}: {server.last_words()}")
        self.pids = server.pids()
        self.before = processes.cpu_seconds(self.pids)

    def seconds(self):
        return processes.cpu_seconds(self.pids) - self.before


def load(program, server, seconds, **flags):
    """A run of one of our load clients: the server's processor time is that between its `begin` and its `end`."""
    options = [word for name, value in flags.items() for word in (f"--{name}", str(value))]
    command = [str(BINARIES / program), "--port", str(server.port), "--milliseconds", str(round(seconds * 1000)), *options]
    with subprocess.Popen(machine.pinned(machine.split()[1], command), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as client:
        client.stdout.readline()  # begin
        meter = Meter(server)
        client.stdout.readline()  # end
        cpu = meter.seconds()
        rest, wrong = client.stdout.read(), client.stderr.read()
    if client.returncode != 0:
        raise Failed(wrong.strip())
    return json.loads(rest) | {"cpu": cpu}
