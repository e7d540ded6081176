"""A PostgreSQL for measurements, with the tables of the TechEmpower and HttpArena benchmarks."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

from harness import machine, processes
from harness.contenders import Failed, free_port

UNPRIVILEGED = 65534
PATIENCE = 60  # seconds
CATEGORIES = ["auto", "books", "clothing", "electronics", "garden", "home", "office", "sports", "tools", "toys"]
TAGS = ["bestseller", "heavy-duty", "limited", "new", "popular", "refurbished", "sale", "wireless"]
FORTUNES = ["fortune: No such file or directory", "A computer scientist is someone who fixes things that aren't broken.",
            "<script>alert(\"This should not be displayed in a browser alert box.\");</script>"]


def programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        raise Failed("PostgreSQL is not installed")
    return found[-1]


def items():
    draw = random.Random(42)
    for number in range(1, 100_001):
        price, quantity, active = draw.randint(1, 500), draw.randint(1, 1000), draw.randint(0, 1) == 1
        tags = draw.sample(TAGS, draw.randint(1, 4))
        yield f"{number}\tItem {number}\t{draw.choice(CATEGORIES)}\t{price}\t{quantity}\t{active}\t{json.dumps(tags)}\t{draw.randint(1, 50)}\t{draw.randint(1, 500)}\n"


def script():
    """For psql."""
    draw = random.Random(1)
    yield "create table world (id int primary key, randomnumber int not null);\ncopy world from stdin;\n"
    for number in range(1, 10_001):
        yield f"{number}\t{draw.randint(1, 10_000)}\n"
    yield "\\.\ncreate table fortune (id int primary key, message text not null);\ncopy fortune from stdin;\n"
    for number in range(1, 201):
        text = FORTUNES[number - 1] if number <= len(FORTUNES) else f"Saying {number} \u2014 of 'cats' & \"dogs\""
        yield f"{number}\t{text}\n"
    yield ("\\.\ncreate table items (id int primary key, name text not null, category text not null, price int not null, quantity int not null, "
           "active boolean not null, tags jsonb not null, rating_score int not null, rating_count int not null);\ncopy items from stdin;\n")
    yield from items()
    yield "\\.\nvacuum analyze;\n"


class Database:
    """Runs on the client's processors: those of the server are its own."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tern-bench-postgres-"))
        self.port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self.user = {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": []} if os.geteuid() == 0 else {}
        if self.user:
            os.chown(self.folder, UNPRIVILEGED, UNPRIVILEGED)
        data = str(self.folder / "data")
        subprocess.run([programs() / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
                       cwd="/", check=True, capture_output=True, **self.user)
        command = [str(programs() / "postgres"), "-D", data, "-p", str(self.port), "-k", str(self.folder), "-F", "-c",
                   "listen_addresses=127.0.0.1", "-c", "synchronous_commit=off", "-c", "shared_buffers=256MB", "-c", "max_connections=100",
                   "-c", "autovacuum=off"]
        self.process = subprocess.Popen(machine.pinned(machine.split()[1], command), cwd="/", stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.user)
        end = time.monotonic() + PATIENCE
        while subprocess.run([programs() / "pg_isready", "-q", "-d", self.url], check=False).returncode != 0:
            if time.monotonic() > end or self.process.poll() is not None:
                self.stop()
                raise Failed("PostgreSQL does not start")
            time.sleep(0.05)
        subprocess.run([programs() / "psql", "-q", "-v", "ON_ERROR_STOP=1", self.url], input="".join(script()), text=True, check=True,
                       capture_output=True)

    def cpu_seconds(self):
        """Of all its processes, those that have ended included: a server may close connections at any time."""
        while True:
            ended = self.cpu_seconds_of_ended()
            total = ended
            for pid in processes.tree(self.process.pid):
                try:
                    total += processes.cpu_seconds([pid])
                except FileNotFoundError:
                    pass  # its connection has ended meanwhile
            if self.cpu_seconds_of_ended() == ended:  # otherwise one may be in neither sum
                return total

    def cpu_seconds_of_ended(self):
        return sum(int(ticks) for ticks in processes.stat(self.process.pid)[13:15]) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
