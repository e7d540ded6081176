"""What a viewer of the dashboard costs: the CPU time of a server with and without one, in turns, beside the same load; and the size of
the page."""
import gzip
import http.client
import threading
import time

from harness import common, machine, processes, statistics
from harness.contenders import BINARIES, Contender, Running

ROUNDS, SECONDS = 8, 7
ROUTES = 200  # as many as the page shows
WAITING = 100  # requests in flight, as many as the page shows
RATE = 200  # requests a second
SERVER = Contender("dashboard", "", [str(BINARIES / "bench-observe"), "--port", "{port}", "--threads", "{threads}", "--observe", "dashboard"], {"hello"})


def connection(port):
    return http.client.HTTPConnection("127.0.0.1", port, timeout=30)


class Viewer(threading.Thread):
    """Reads the events of the page, as a browser does."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.connection, self.bytes, self.over = connection(port), 0, False
        self.connection.request("GET", "/-/events")
        self.response = self.connection.getresponse()
        if self.response.status != 200:
            raise RuntimeError(f"the dashboard answers {self.response.status}")

    def run(self):
        try:
            while piece := self.response.read1():
                self.bytes += len(piece)
        except (OSError, ValueError, http.client.HTTPException):
            if not self.over:
                raise

    def close(self):
        self.over = True
        self.connection.sock.shutdown(2)
        self.join()
        self.connection.close()


class Load(threading.Thread):
    """A request every few milliseconds, of one route after another."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.over = port, threading.Event()

    def run(self):
        client, number = connection(self.port), 0
        while not self.over.wait(1 / RATE):
            client.request("GET", f"/routes/{number % ROUTES}")
            client.getresponse().read()
            number += 1


def share(server, seconds):
    """Of one processor."""
    pids = server.pids()
    before, begin = processes.cpu_seconds(pids), time.monotonic()
    time.sleep(seconds)
    return (processes.cpu_seconds(pids) - before) / (time.monotonic() - begin)


def measured(server):
    """(share without a viewer, share with one, bytes a second to it), of each round."""
    rounds = []
    for number in range(ROUNDS):
        common.note(f"dashboard, round {number + 1} of {ROUNDS}")
        without = share(server, SECONDS)
        viewer = Viewer(server.port)
        viewer.start()
        time.sleep(1.5)  # the first event has the last five minutes
        before = viewer.bytes
        beside = share(server, SECONDS)
        rounds.append((without, beside, (viewer.bytes - before) / SECONDS))
        viewer.close()
    return rounds


def table():
    common.build("bench-observe")
    machine.take_all_descriptors()
    server = Running(SERVER)
    try:
        client = connection(server.port)
        client.request("GET", "/-/")
        page = client.getresponse().read()
        waiting = [connection(server.port) for _ in range(WAITING)]
        for each in waiting:
            each.request("GET", "/wait")
        load = Load(server.port)
        load.start()
        time.sleep(2)
        rounds = measured(server)
        load.over.set()
        load.join()
    finally:
        server.kill()
    costs = [beside - without for without, beside, _ in rounds]
    low, high = statistics.bootstrap(costs)
    return ("| what | measured |\n| --- | ---: |\n"
            f"| a viewer, of one processor | {statistics.median(costs):.2%} ({low:.2%} to {high:.2%}) |\n"
            f"| the server without one | {statistics.median([without for without, _, _ in rounds]):.2%} |\n"
            f"| events to the viewer, a second | {statistics.median([sent for _, _, sent in rounds]) / 1024:,.0f} KiB |\n"
            f"| the page | {len(page) / 1000:,.1f} KB, {len(gzip.compress(page)) / 1000:,.1f} KB compressed |\n")
