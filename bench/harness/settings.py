"""Settings and allocators compared with the defaults: ratios of interleaved pairs."""
import ctypes.util
import dataclasses

from harness import common, contenders, machine, measure, statistics, workloads

ROUNDS, SECONDS = 20, 0.4
NAMES = ["hello", "pipelined", "browser", "json-post", "large-echo", "latency"]
ALLOCATORS = {"jemalloc": "libjemalloc2", "tcmalloc_minimal": "libtcmalloc-minimal4", "mimalloc": "libmimalloc2.0"}


def configurations():
    plain = contenders.tern()
    found = [plain,
             dataclasses.replace(plain, name="`busy_poll = 50`", command=[*plain.command, "--busy-poll", "50"]),
             dataclasses.replace(contenders.profiled(), name="built by `script/pgo`")]
    for name in ALLOCATORS:
        library = ctypes.util.find_library(name)
        found.append(dataclasses.replace(plain, name=f"`LD_PRELOAD={library}`", environment={"LD_PRELOAD": library}))
    return found


def ratio_cell(pairs):
    ratio, low, high, real = statistics.compare(pairs)
    return f"**{ratio:.2f}**" if real else f"{ratio:.2f} ({low:.2f} to {high:.2f})"


def cells(measured, of):
    """Of each but the first, beside the first."""
    first, *others = ([of(sample) for sample in each["samples"]] for each in measured["results"])
    return [ratio_cell(list(zip(first, other))) for other in others]


def table():
    common.run("script/bootstrap", "bench", *ALLOCATORS.values())
    common.build("bench-server", "bench-load")
    machine.take_all_descriptors()
    servers = configurations()
    columns = {}
    for name in NAMES:
        workload = workloads.BY_NAME[name]
        measured = measure.measure(workload, servers, ROUNDS, SECONDS)
        for each in measured["results"]:
            if each["failure"]:
                raise RuntimeError(f"{each['name']}: {each['failure']}")
        columns[f"{name}: CPU"] = cells(measured, lambda sample: sample["cpu"] / sample["requests"])
        if name == "latency":
            columns["latency: p50"] = cells(measured, lambda sample: sample["p50"])
    rows = "".join(f"| {each.name} | " + " | ".join(column[number] for column in columns.values()) + " |\n"
                   for number, each in enumerate(servers[1:]))
    return f"| | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}\n{rows}"
