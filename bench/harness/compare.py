"""Compares two commits of Tern in interleaved pairs, with a bootstrap confidence interval."""
import os
import subprocess

from harness import instructions, statistics
from harness.common import ROOT, build, note, run
from harness.contenders import BINARIES, Running, tern
from harness.requests import REQUESTS, ask


def built(commit, name):
    """The server of a commit, built with its own bench-server in the worktree of that name."""
    folder = ROOT / "build/ab" / name
    if (folder / ".git").exists():
        run("git", "-C", str(folder), "checkout", "--quiet", "--detach", commit)
    else:
        run("git", "worktree", "prune")
        run("git", "worktree", "add", "--force", "--detach", str(folder), commit)
    note(f"building {commit[:12]} in {folder.relative_to(ROOT)}")
    # Without a preset, which older commits may lack.
    configure = ["cmake", "-S", ".", "-B", "build/bench", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTERN_UNITY=ON",
                 "-DTERN_BUILD_EXAMPLES=OFF", "-DTERN_BUILD_TESTS=OFF", "-DTERN_BUILD_BENCH=ON"]
    for command in (configure, ["cmake", "--build", "build/bench", "--target", "bench-server"]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True,
                       env=os.environ | {"CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": str(folder)})
    return tern(folder / "build/bench/bin", name, commit)


def sample(contender, workload, seconds):
    """Of a server started for this sample, so that effects of process start (address layout) vary between samples."""
    server = Running(contender, workload.routes)
    try:
        answer = ask(server.port, REQUESTS[workload.request])
        taken = workload.client.run(server, workload.request, seconds, answer)
        server.stop()
    finally:
        server.kill()
    if taken["errors"] or not taken["requests"]:
        raise RuntimeError(f"{contender.name}: {taken['errors']} errors in {taken['requests']} requests")
    return taken


def comparison_row(what, pairs, smaller):
    """A row: the ratio, its interval, and the verdict."""
    ratio, low, high, real = statistics.compare(pairs)
    verdict = "no difference that can be told from noise"
    if real:
        verdict = f"real: {abs(ratio - 1):.1%} {smaller if ratio < 1 else 'more'}"
    before, after = (statistics.median(values) for values in zip(*pairs))
    return f"| {what} | {before:,.3f} | {after:,.3f} | {ratio:.4f} | {low:.4f} to {high:.4f} | {verdict} |"


def compare_workload(workload, base, tree, pairs, seconds):
    taken = []
    for number in range(pairs):
        order = (base, tree) if number % 2 == 0 else (tree, base)
        pair = {each.name: sample(each, workload, seconds) for each in order}
        taken.append((pair[base.name], pair[tree.name]))
        costs = [each["cpu"] / each["requests"] * 1e6 for each in taken[-1]]
        note(f"  pair {number + 1} of {pairs}: {costs[0]:.3f} µs, {costs[1]:.3f} µs, ratio {costs[1] / costs[0]:.3f}")
    costs = [tuple(each["cpu"] / each["requests"] * 1e6 for each in pair) for pair in taken]
    rates = [tuple(each["requests"] / each["seconds"] for each in pair) for pair in taken]
    return (f"## {workload.name}: {workload.what}\n\n{pairs} interleaved pairs of {seconds:g} s; 95 % bootstrap interval of the median ratio.\n\n"
            "| | base | tree | ratio | interval | |\n| --- | ---: | ---: | ---: | --- | --- |\n"
            + comparison_row("CPU per request, µs", costs, "less") + "\n" + comparison_row("requests a second", rates, "fewer") + "\n")


def compare_instructions(workload, base, tree):
    note(f"  counting instructions of {workload.name}")
    depth = getattr(workload.client, "depth", 1)
    before, after = (instructions.compared(each, workload.request, depth, workload.routes) for each in (base, tree))
    names = ("user instructions", "calls of functions", "functions")
    rows = "".join(f"| {name} | {old:,.1f} | {new:,.1f} | {new / old:.4f} |\n" for name, old, new in zip(names, before, after))
    return (f"## {workload.name}: {workload.what}\n\n| per request, by callgrind | base | tree | ratio |\n| --- | ---: | ---: | ---: |\n{rows}")


def compare(commit, wanted, pairs, seconds, count_instructions):
    found = run("git", "rev-parse", "--verify", f"{commit}^{{commit}}").stdout.strip()
    base = built(found, "base")
    build("bench-server", "bench-load")
    tree = tern(BINARIES, "tree", "this tree")
    print(f"# {found[:12]} (base) and this tree, {run('git', 'describe', '--always', '--dirty').stdout.strip()}\n")
    for workload in wanted:
        note(f"{workload.name}: {workload.what}")
        if count_instructions:
            print(compare_instructions(workload, base, tree), flush=True)
        else:
            print(compare_workload(workload, base, tree, pairs, seconds), flush=True)
