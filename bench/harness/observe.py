"""The cost of metrics and traces: hello with them beside hello without them, of Tern and of peers, servers in turns.

A run ends after AT_MOST seconds; the next one continues with its rounds, until there are as many as are wanted. Samples are kept in
build/bench/observe.json for as long as bench-observe is the same. Then instructions of Tern's are counted, which needs no quiet."""
import dataclasses
import hashlib
import json
import time

from harness import common, contenders, instructions, machine, statistics
from harness.clients import BenchLoad
from harness.contenders import BINARIES, Contender, Running
from harness.requests import REQUESTS, ask

SECONDS = 0.4
AT_MOST = 120  # of one run
PEERS_EVERY = 3  # rounds
SAMPLES = common.ROOT / "build/bench/observe.json"
ROWS = {"nothing": "nothing", "metrics": "metrics", "metrics, and traces of one in a hundred": "traces", "an access log in JSON": "log"}
TERN = Contender("tern", "", [str(BINARIES / "bench-observe"), "--port", "{port}", "--threads", "{threads}", "--observe", "{observe}"], {"hello"})
PEERS = {"net_http_promhttp": ["nothing", "metrics"], "axum_otlp": ["nothing", "metrics", "traces"]}


class Unfinished(SystemExit):
    """There are rounds left."""


def contender_for(contender, what):
    return dataclasses.replace(contender, command=[part.replace("{observe}", what) for part in contender.command])


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


def kept_samples(keys):
    """{key: its costs, by rounds}, of this program."""
    program = hashlib.sha256((BINARIES / "bench-observe").read_bytes()).hexdigest()
    kept = json.loads(SAMPLES.read_text()) if SAMPLES.exists() else {}
    if kept.get("program") != program:
        kept = {"program": program, "rounds": 0, "costs": {}}
    for server, what in keys:
        kept["costs"].setdefault(f"{server} {what}", [])
    return kept


def take(kept, wanted, rounds):
    """Adds rounds to `kept` until there are `rounds`, or the time is over."""
    end = time.monotonic() + AT_MOST
    servers = {key: Running(contender_for(contender, key[1])) for key, contender in wanted.items()}
    try:
        answers = {key: ask(server.port, REQUESTS["hello"]) for key, server in servers.items()}
        while kept["rounds"] < rounds and time.monotonic() < end:
            number = kept["rounds"]
            common.note(f"observe, round {number + 1} of {rounds}")
            keys = [key for key in servers if key[0] == "tern" or number % PEERS_EVERY == 0]
            first = number % len(keys)
            for server, what in keys[first:] + keys[:first]:
                kept["costs"][f"{server} {what}"].append(cost(servers[server, what], answers[server, what]))
            kept["rounds"] += 1
            SAMPLES.write_text(json.dumps(kept))
        for server in servers.values():
            server.stop()
    finally:
        for server in servers.values():
            server.kill()


def compared(rounds, seconds, names):
    del seconds  # of other pages
    common.build("bench-observe", "bench-load")
    wanted, absent = chosen(names or list(PEERS))
    machine.take_all_descriptors()
    kept = kept_samples(wanted)
    if kept["rounds"] < rounds:
        take(kept, wanted, rounds)
    if kept["rounds"] < rounds:
        raise Unfinished(f"observe: {kept['rounds']} of {rounds} rounds; run it again for the rest")
    common.note("counting instructions")
    counts = {what: instructions.per_request(contender_for(TERN, what)) for what in ROWS.values()}
    return text_of(kept["costs"], wanted, counts) + "".join(f"\n{name} is absent: {why}\n" for name, why in absent.items())


def text_of(all_costs, keys, counts):
    names = {what: name for name, what in ROWS.items()}
    text = "| server | hello with | CPU per request | of its hello's | user instructions |\n| --- | --- | ---: | ---: | ---: |\n"
    for server, what in keys:
        costs, plain = all_costs[f"{server} {what}"], all_costs[f"{server} nothing"]
        ratio, low, high, _ = statistics.compare(list(zip(plain, costs)))
        share = "1.00" if what == "nothing" else f"{ratio:.3f} ({low:.3f} to {high:.3f})"
        counted = f"{counts[what]:,.0f}" if server == "tern" else ""
        text += f"| {server} | {names[what]} | {statistics.median(costs) * 1e6:.2f} µs | {share} | {counted} |\n"
    return text
