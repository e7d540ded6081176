"""The cost of middleware of tern::web: hello with it beside hello without it, in one server, in turns; and tokens and
sessions beside other servers."""
from harness import common, login, machine, statistics
from harness.clients import BenchLoad
from harness.contenders import BINARIES, Contender, Running
from harness.requests import REQUESTS, ask, request

ROUNDS, SECONDS = 20, 0.4
LOGIN_ROUNDS = 7
ROWS = {"SecurityHeaders": "head", "RequestIds": "name", "RequestIds and SecurityHeaders": "both"}


def cost(server, path, answers):
    sample = BenchLoad(64).run(server, f"web_{path}", SECONDS, answers[path])
    return sample["cpu"] / sample["requests"]


def table():
    common.build("bench-web", "bench-load")
    machine.take_all_descriptors()
    paths = ["none", *ROWS.values()]
    for path in paths:
        REQUESTS[f"web_{path}"] = request("GET", f"/{path}")
    server = Running(Contender("tern", "", [str(BINARIES / "bench-web"), "--port", "{port}", "--threads", "{threads}"], {"hello"}))
    samples = {path: [] for path in paths}
    try:
        answers = {path: ask(server.port, REQUESTS[f"web_{path}"]) for path in paths}
        for number in range(ROUNDS):
            common.note(f"middleware, round {number + 1} of {ROUNDS}")
            first = number % len(paths)
            for path in paths[first:] + paths[:first]:
                samples[path].append(cost(server, path, answers))
        server.stop()
    finally:
        server.kill()
    text = "| around hello | CPU per request | of hello's |\n| --- | ---: | ---: |\n"
    text += f"| nothing | {statistics.median(samples['none']) * 1e6:.2f} µs | 1.00 |\n"
    for name, path in ROWS.items():
        ratio, low, high, _ = statistics.compare(list(zip(samples["none"], samples[path])))
        text += f"| `{name}` | {statistics.median(samples[path]) * 1e6:.2f} µs | {ratio:.3f} ({low:.3f} to {high:.3f}) |\n"
    return text + "\n" + login.table(LOGIN_ROUNDS, SECONDS)
