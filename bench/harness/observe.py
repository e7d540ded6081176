"""The cost of metrics and traces: hello with them beside hello without them, of Tern and of peers, servers in turns."""
import dataclasses

from harness import common, contenders, machine, statistics
from harness.clients import BenchLoad
from harness.contenders import BINARIES, Contender, Running
from harness.requests import REQUESTS, ask

ROUNDS, SECONDS = 20, 0.4
ROWS = {"nothing": "nothing", "metrics": "metrics", "metrics, and traces of one in a hundred": "traces"}
TERN = Contender("tern", "", [str(BINARIES / "bench-observe"), "--port", "{port}", "--threads", "{threads}", "--observe", "{observe}"], {"hello"})
PEERS = {"net_http_promhttp": ["nothing", "metrics"], "axum_otlp": ["nothing", "metrics", "traces"]}


def started(contender, what):
    command = [part.replace("{observe}", what) for part in contender.command]
    return Running(dataclasses.replace(contender, command=command))


def cost(server, answer):
    sample = BenchLoad(64).run(server, "hello", SECONDS, answer)
    return sample["cpu"] / sample["requests"]


def chosen(names):
    """{(contender, what it observes)}, and why others are absent."""
    found, absent = contenders.chosen(names)
    wanted = {("tern", what): TERN for what in ROWS.values()}
    for each in found:
        wanted |= {(each.name, what): each for what in PEERS[each.name]}
    return wanted, absent


def compared(rounds, seconds, names):
    del rounds, seconds  # of other pages
    return table(names or list(PEERS))


def table(names=tuple(PEERS)):
    common.build("bench-observe", "bench-load")
    wanted, absent = chosen(names)
    machine.take_all_descriptors()
    servers = {key: started(contender, key[1]) for key, contender in wanted.items()}
    samples = {key: [] for key in servers}
    try:
        answers = {key: ask(server.port, REQUESTS["hello"]) for key, server in servers.items()}
        keys = list(servers)
        for number in range(ROUNDS):
            common.note(f"observe, round {number + 1} of {ROUNDS}")
            first = number % len(keys)
            for key in keys[first:] + keys[:first]:
                samples[key].append(cost(servers[key], answers[key]))
        for server in servers.values():
            server.stop()
    finally:
        for server in servers.values():
            server.kill()
    return text_of(samples) + "".join(f"\n{name} is absent: {why}\n" for name, why in absent.items())


def text_of(samples):
    names = {what: name for name, what in ROWS.items()}
    text = "| server | hello with | CPU per request | of its hello's |\n| --- | --- | ---: | ---: |\n"
    for (server, what), costs in samples.items():
        ratio, low, high, _ = statistics.compare(list(zip(samples[server, "nothing"], costs)))
        share = "1.00" if what == "nothing" else f"{ratio:.3f} ({low:.3f} to {high:.3f})"
        text += f"| {server} | {names[what]} | {statistics.median(costs) * 1e6:.2f} µs | {share} |\n"
    return text
