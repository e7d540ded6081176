"""Parts of the library by themselves: the programs of bench/micro/, medians of their repetitions."""
import json

from harness.common import build, note, run

PROGRAMS = {
    "head-bench": "request head",
    "serializer-bench": "response head",
    "router-bench": "routing",
    "json-bench": "JSON",
    "rules-bench": "rules",
    "templates-bench": "templates",
    "timer-bench": "timers",
    "pool-bench": "thread pool",
}
REPETITIONS = 9


def results(program):
    """The median of each benchmark, as Google Benchmark tells it. The repetitions of all take turns."""
    done = run(f"build/bench/bin/{program}", "--benchmark_format=json", f"--benchmark_repetitions={REPETITIONS}",
               "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.1")
    found = json.loads(done.stdout)["benchmarks"]
    for one in found:
        if one.get("error_occurred"):
            raise RuntimeError(f"{program}: {one['name']}: {one['error_message']}")
    medians = [one for one in found if one.get("aggregate_name") == "median"]
    return sorted(medians, key=lambda one: one["family_index"])


def nanoseconds(result):
    """Of one item where the benchmark counts them, otherwise of an iteration; by the clock that the benchmark chose."""
    if "items_per_second" in result:
        return 1e9 / result["items_per_second"]
    clock = "real_time" if result["run_name"].endswith("/real_time") else "cpu_time"
    return result[clock]


def measure():
    build(*PROGRAMS)
    rows = []
    for program, subject in PROGRAMS.items():
        note(f"running {program}")
        for result in results(program):
            name = result["run_name"].removesuffix("/real_time")
            size = f" ({result['label']})" if result.get("label") else ""
            time = nanoseconds(result)
            rows.append((f"{subject}: {name}{size}", f"{time:,.{0 if time > 100 else 1}f} ns"))
    return rows
