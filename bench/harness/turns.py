"""For the pages that compare servers by what else than a workload: they take turns, and medians count."""
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
    """Tern and the peers that can be built, or those of the names."""
    machine.take_all_descriptors()
    wanted = peer_names(supported)
    return [tern(), *chosen([name for name in wanted if name in peers] if peers else wanted)[0]]


def certificate(kind):
    """One that signs itself, and its key; the same for all."""
    CERTIFICATES.mkdir(parents=True, exist_ok=True)
    made = [CERTIFICATES / f"{kind.partition(' ')[0]}-{part}.pem" for part in ("certificate", "key")]
    if not all(file.exists() for file in made):
        run("openssl", "req", "-x509", "-newkey", *KEYS[kind], "-nodes", "-days", "3650", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", str(made[0]), "-keyout", str(made[1]))
    return made


@contextlib.contextmanager
def serving(contenders, **how):
    """{name: a server} of all that start. That one does not end cleanly is said, and no more: it has been measured."""
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
    """{name: its samples} of take(server), which gives {"count", "seconds", "cpu"}. One that fails is out, with None."""
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
    """CPU seconds of the server for each that was counted."""
    return [each["cpu"] / each["count"] for each in samples]


def ratio(samples, others):
    """Of the costs: the median of those of the rounds, since it was the same machine then."""
    # A round in which the machine gave a server no time at all says nothing.
    return median([one / other for one, other in zip(costs(samples), costs(others)) if one and other])


def rows(what, samples, beside, unit="µs", scale=1e6):
    """Lines of a table: what, server, how many a second, what each costs, and that as a multiple of that of `beside`."""
    lines = []
    for name, taken in samples.items():
        shown = f"**{name}**" if name == "tern" else name
        if not taken:
            lines.append(f"| {what} | {shown} | failed | – | – |")
            continue
        compared = f"{ratio(taken, samples[beside]):.2f}" if samples.get(beside) else "–"
        lines.append(f"| {what} | {shown} | {rate(taken):,.0f} | {median(costs(taken)) * scale:,.2f} {unit} | {compared} |")
    return "\n".join(lines) + "\n"


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), 10)


class Meter:
    """The CPU time of a server since it was made."""

    def __init__(self, server):
        if server.process.poll() is not None:
            raise Failed(f"ended by itself with {server.process.returncode}: {server.last_words()}")
        self.pids = server.pids()
        self.before = processes.cpu_seconds(self.pids)

    def seconds(self):
        return processes.cpu_seconds(self.pids) - self.before


def load(program, server, seconds, **flags):
    """A run of one of our load clients: the server's processor time is that between its `begin` and its `end`."""
    told = [word for name, value in flags.items() for word in (f"--{name}", str(value))]
    command = [str(BINARIES / program), "--port", str(server.port), "--milliseconds", str(round(seconds * 1000)), *told]
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
