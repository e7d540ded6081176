"""Latency where there is room: everybody is offered half of what the fastest can do at most."""
from harness import common, turns
from harness.clients import Light
from harness.requests import REQUESTS, ask
from harness.statistics import median

CONNECTIONS = 64
REQUEST = "hello"
SHOWN = ["p50", "p99", "p99.9", "max"]
CARRIED = 0.99  # of what is offered; what is under way at the end is not counted


def take(client, answers, seconds):
    def run(server):
        name = server.contender.name
        answers[name] = answers.get(name) or ask(server.port, REQUESTS[REQUEST])
        sample = client.run(server, REQUEST, seconds, answers[name])
        return sample | {"count": sample["requests"]}
    return run


def most(samples):
    """{name: answers a second} at the most."""
    return {name: turns.rate(taken) for name, taken in samples.items() if taken}


def row(name, limit, taken, rate, beside):
    shown = f"**{name}**" if name == "tern" else name
    if not taken:
        return f"| {shown} | {limit:,.0f} | failed |" + " – |" * (len(SHOWN) + 2) + "\n"
    if turns.rate(taken) < CARRIED * rate:
        return f"| {shown} | {limit:,.0f} | {turns.rate(taken):,.0f}: too few |" + " – |" * (len(SHOWN) + 2) + "\n"
    latencies = [median([each[which] for each in taken]) for which in SHOWN]
    ratio = "–"
    if beside and turns.rate(beside) >= CARRIED * rate:
        ratio = f"{median([one['p99.9'] / other['p99.9'] for one, other in zip(taken, beside)]):.2f}"
    return (f"| {shown} | {limit:,.0f} | {turns.rate(taken):,.0f} | " + " | ".join(f"{each:,.0f} µs" for each in latencies) +
            f" | {ratio} | {median(turns.costs(taken)) * 1e6:,.2f} µs |\n")


def compared(rounds, seconds, peers):
    common.build("bench-server", "bench-load")
    contenders = turns.contenders("hello", peers)
    answers = {}
    with turns.serving(contenders) as servers:
        limits = most(turns.measure("the most", servers, take(Light(CONNECTIONS), answers, seconds), min(rounds, 3)))
        rate = round(max(limits.values()) / 2)
        servers = {name: server for name, server in servers.items() if name in limits}
        samples = turns.measure(f"{rate:,} a second", servers, take(Light(CONNECTIONS, rate=rate), answers, seconds), rounds)
    text = f"| offered {rate:,} a second | at most | answered | " + " | ".join(SHOWN) + " | p99.9, of tern's | CPU per request |\n"
    text += "| --- |" + " ---: |" * (len(SHOWN) + 4) + "\n"
    for name in sorted(limits, key=lambda each: (each != "tern", -limits[each])):
        text += row(name, limits[name], samples[name], rate, samples.get("tern"))
    return text
