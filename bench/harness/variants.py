"""Variants of a handler in one server, in turns: the CPU time of a request of each, and its ratio to the first."""
from harness import common, machine, statistics
from harness.clients import BenchLoad
from harness.contenders import BINARIES, Contender, Running
from harness.requests import REQUESTS, ask

ROUNDS, SECONDS = 20, 0.4


def cost(server, name, answer):
    sample = BenchLoad(64).run(server, name, SECONDS, answer)
    return sample["cpu"] / sample["requests"]


def samples(page, binary, requests):
    """{name: [seconds of CPU of a request, …]} of `requests`, which are {name: Request}."""
    common.build(binary, "bench-load")
    machine.take_all_descriptors()
    for name, request in requests.items():
        REQUESTS[name] = request
    server = Running(Contender("tern", "", [str(BINARIES / binary), "--port", "{port}", "--threads", "{threads}"], {"hello"}))
    names, costs = list(requests), {name: [] for name in requests}
    try:
        answers = {name: ask(server.port, request) for name, request in requests.items()}
        for number in range(ROUNDS):
            common.note(f"{page}, round {number + 1} of {ROUNDS}")
            first = number % len(names)
            for name in names[first:] + names[:first]:
                costs[name].append(cost(server, name, answers[name]))
        server.stop()
    finally:
        server.kill()
    return costs


def row(name, base, costs):
    """A row of a table: the median, and the ratio to the base with its interval."""
    ratio, low, high, _ = statistics.compare(list(zip(base, costs)))
    share = "1.00" if costs is base else f"{ratio:.3f} ({low:.3f} to {high:.3f})"
    return f"| {name} | {statistics.median(costs) * 1e6:.2f} µs | {share} |\n"
