"""The cost of metrics and traces: hello with them beside hello without them, servers in turns."""
from harness import common, machine, statistics
from harness.clients import BenchLoad
from harness.contenders import BINARIES, Contender, Running
from harness.requests import REQUESTS, ask

ROUNDS, SECONDS = 20, 0.4
ROWS = {"metrics": "metrics", "metrics, and traces of one in a hundred": "traces"}


def started(what):
    command = [str(BINARIES / "bench-observe"), "--port", "{port}", "--threads", "{threads}", "--observe", what]
    return Running(Contender("tern", "", command, {"hello"}))


def cost(server, answer):
    sample = BenchLoad(64).run(server, "hello", SECONDS, answer)
    return sample["cpu"] / sample["requests"]


def table():
    common.build("bench-observe", "bench-load")
    machine.take_all_descriptors()
    servers = {what: started(what) for what in ["nothing", *ROWS.values()]}
    samples = {what: [] for what in servers}
    try:
        answers = {what: ask(server.port, REQUESTS["hello"]) for what, server in servers.items()}
        names = list(servers)
        for number in range(ROUNDS):
            common.note(f"observe, round {number + 1} of {ROUNDS}")
            first = number % len(names)
            for what in names[first:] + names[:first]:
                samples[what].append(cost(servers[what], answers[what]))
        for server in servers.values():
            server.stop()
    finally:
        for server in servers.values():
            server.kill()
    text = "| hello with | CPU per request | of hello's |\n| --- | ---: | ---: |\n"
    text += f"| nothing | {statistics.median(samples['nothing']) * 1e6:.2f} µs | 1.00 |\n"
    for name, what in ROWS.items():
        ratio, low, high, _ = statistics.compare(list(zip(samples["nothing"], samples[what])))
        text += f"| {name} | {statistics.median(samples[what]) * 1e6:.2f} µs | {ratio:.3f} ({low:.3f} to {high:.3f}) |\n"
    return text
