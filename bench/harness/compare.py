"""Compares two commits of Tern in interleaved pairs, with a bootstrap confidence interval."""
import contextlib
import dataclasses
import os
import shutil
import subprocess
import tempfile

from harness import instructions, statistics
from harness.common import ROOT, build, note, run
from harness.contenders import BINARIES, Running, tern
from harness.requests import REQUESTS, ask

FLAGS = "bench/server/bench_flags.hpp"


@contextlib.contextmanager
def logging(contender, access_log):
    """The contender with an access log of this format, in a file that is gone afterwards; as it is for None."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ["--access-log", f"{folder}/access.log"] + (["--access-format", "json"] if access_log == "json" else [])
        yield dataclasses.replace(contender, command=contender.command + flags) if access_log else contender


def built(commit, name):
    """The server of a commit, built with its own bench-server in the worktree of that name, though with the flags of this
    tree's where those compile: the commit may be older than a flag."""
    folder = ROOT / "build/ab" / name
    if (folder / ".git").exists():
        run("git", "-C", str(folder), "checkout", "--quiet", "--force", "--detach", commit)
    else:
        run("git", "worktree", "prune")
        run("git", "worktree", "add", "--force", "--detach", str(folder), commit)
    shutil.copy(ROOT / FLAGS, folder / FLAGS)
    note(f"building {commit[:12]} in {folder.relative_to(ROOT)}")
    # Without a preset, which older commits may lack.
    configure = ["cmake", "-S", ".", "-B", "build/bench", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTERN_UNITY=ON",
                 "-DTERN_BUILD_EXAMPLES=OFF", "-DTERN_BUILD_TESTS=OFF", "-DTERN_BUILD_BENCH=ON"]
    builds = ["cmake", "--build", "build/bench", "--target", "bench-server"]
    environment = os.environ | {"CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": str(folder)}
    subprocess.run(configure, cwd=folder, check=True, capture_output=True, text=True, env=environment)
    if subprocess.run(builds, cwd=folder, capture_output=True, env=environment).returncode != 0:
        run("git", "-C", str(folder), "checkout", "--quiet", "--", FLAGS)
        subprocess.run(builds, cwd=folder, check=True, capture_output=True, text=True, env=environment)
    return tern(folder / "build/bench/bin", name, commit)


def sample(contender, workload, seconds, access_log=None):
    """Of a server started for this sample, so that effects of process start (address layout) vary between samples."""
    with logging(contender, access_log) as logged:
        server = Running(logged, workload.routes)
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


def compare_workload(workload, base, tree, pairs, seconds, access_log):
    taken = []
    for number in range(pairs):
        order = (base, tree) if number % 2 == 0 else (tree, base)
        pair = {each.name: sample(each, workload, seconds, access_log) for each in order}
        taken.append((pair[base.name], pair[tree.name]))
        costs = [each["cpu"] / each["requests"] * 1e6 for each in taken[-1]]
        note(f"  pair {number + 1} of {pairs}: {costs[0]:.3f} µs, {costs[1]:.3f} µs, ratio {costs[1] / costs[0]:.3f}")
    costs = [tuple(each["cpu"] / each["requests"] * 1e6 for each in pair) for pair in taken]
    rates = [tuple(each["requests"] / each["seconds"] for each in pair) for pair in taken]
    return (f"## {workload.name}: {workload.what}\n\n{pairs} interleaved pairs of {seconds:g} s; 95 % bootstrap interval of the median ratio.\n\n"
            "| | base | tree | ratio | interval | |\n| --- | ---: | ---: | ---: | --- | --- |\n"
            + comparison_row("CPU per request, µs", costs, "less") + "\n" + comparison_row("requests a second", rates, "fewer") + "\n")


def counted(contender, workload, access_log):
    depth = getattr(workload.client, "depth", 1)
    with logging(contender, access_log) as logged:
        return instructions.compared(logged, workload.request, depth, workload.routes)


def compare_instructions(workload, base, tree, access_log):
    note(f"  counting instructions of {workload.name}")
    before, after = (counted(each, workload, access_log) for each in (base, tree))
    names = ("user instructions", "calls of functions", "functions")
    rows = "".join(f"| {name} | {old:,.1f} | {new:,.1f} | {new / old:.4f} |\n" for name, old, new in zip(names, before, after))
    return (f"## {workload.name}: {workload.what}\n\n| per request, by callgrind | base | tree | ratio |\n| --- | ---: | ---: | ---: |\n{rows}")


def compare(commit, wanted, pairs, seconds, count_instructions, access_log=None):
    found = run("git", "rev-parse", "--verify", f"{commit}^{{commit}}").stdout.strip()
    base = built(found, "base")
    build("bench-server", "bench-load")
    tree = tern(BINARIES, "tree", "this tree")
    print(f"# {found[:12]} (base) and this tree, {run('git', 'describe', '--always', '--dirty').stdout.strip()}"
          f"{f', with an access log ({access_log})' if access_log else ''}\n")
    for workload in wanted:
        note(f"{workload.name}: {workload.what}")
        if count_instructions:
            print(compare_instructions(workload, base, tree, access_log), flush=True)
        else:
            print(compare_workload(workload, base, tree, pairs, seconds, access_log), flush=True)
