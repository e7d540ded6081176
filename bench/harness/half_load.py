"""Latency at half load: every server is offered half of the maximum rate of the fastest."""
from harness import common, rotation
from harness.clients import BenchLoad
from harness.requests import REQUESTS, ask
from harness.statistics import median

CONNECTIONS = 64
REQUEST = "hello"
SHOWN = ["p50", "p99", "p99.9", "max"]
MIN_SHARE = 0.99  # of the offered rate; requests in flight at the end are not counted


def take(client, answers, seconds):
    def run(server):
        name = server.contender.name
        answers[name] = answers.get(name) or ask(server.port, REQUESTS[REQUEST])
        sample = client.run(server, REQUEST, seconds, answers[name])
        return sample | {"count": sample["requests"]}
    return run


def max_rates(samples):
    """{name: maximum answers a second}"""
    return {name: rotation.rate(taken) for name, taken in samples.items() if taken}


def row(name, limit, taken, rate, beside):
    shown = f"**{name}**" if name == "tern" else name
    if not taken:
        return f"| {shown} | {limit:,.0f} | failed |" + " – |" * (len(SHOWN) + 2) + "\n"
    if rotation.rate(taken) < MIN_SHARE * rate:
        return f"| {shown} | {limit:,.0f} | {rotation.rate(taken):,.0f}: below the rate |" + " – |" * (len(SHOWN) + 2) + "\n"
    latencies = [median([each[which] for each in taken]) for which in SHOWN]
    ratio = "–"
    if beside and rotation.rate(beside) >= MIN_SHARE * rate:
        ratio = f"{median([one['p99.9'] / other['p99.9'] for one, other in zip(taken, beside)]):.2f}"
    return (f"| {shown} | {limit:,.0f} | {rotation.rate(taken):,.0f} | " + " | ".join(f"{each:,.0f} µs" for each in latencies) +
            f" | {ratio} | {median(rotation.costs(taken)) * 1e6:,.2f} µs |\n")


def compared(rounds, seconds, peers):
    common.build("bench-server", "bench-load")
    contenders = rotation.contenders("hello", peers)
    answers = {}
    with rotation.serving(contenders) as servers:
        limits = max_rates(rotation.measure("maximum rate", servers, take(BenchLoad(CONNECTIONS), answers, seconds), min(rounds, 3)))
        rate = round(max(limits.values()) / 2)
        servers = {name: server for name, server in servers.items() if name in limits}
        samples = rotation.measure(f"{rate:,} a second", servers, take(BenchLoad(CONNECTIONS, rate=rate), answers, seconds), rounds)
    text = f"| offered {rate:,} a second | maximum | completed | " + " | ".join(SHOWN) + " | p99.9 / tern's | CPU per request |\n"
    text += "| --- |" + " ---: |" * (len(SHOWN) + 4) + "\n"
    for name in sorted(limits, key=lambda each: (each != "tern", -limits[each])):
        text += row(name, limits[name], samples[name], rate, samples.get("tern"))
    return text
