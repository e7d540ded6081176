"""The machine: the processors of server and client, and its description for readers."""
import os
import pathlib
import platform
import resource
import subprocess


def siblings(processor):
    """The processors that share a core with it, itself included."""
    file = pathlib.Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
    if not file.exists():
        return {processor}
    found = set()
    for part in file.read_text().strip().split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def split(allowed=None):
    """(processors of the server, of the clients): one core for the former, all others for the latter."""
    allowed = sorted(allowed or os.sched_getaffinity(0))
    server = allowed[0]
    clients = [each for each in allowed if each not in siblings(server)]
    return [server], clients or [server]


def pinned(processors, command):
    return ["taskset", "-c", ",".join(map(str, processors)), *command]


def take_all_descriptors():
    """For this process and its children."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    return limit[1]


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(iter((done.stdout + done.stderr).strip().splitlines()), "")


def congestion_control():
    """The limits of the system for connections."""
    return pathlib.Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()


def describe():
    """(name, value) of what the results depend on."""
    processor = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            processor = line.partition(":")[2].strip()
            break
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) / 1024 / 1024
    server, clients = split()
    system = next((line.partition("=")[2].strip('"') for line in pathlib.Path("/etc/os-release").read_text().splitlines()
                   if line.startswith("PRETTY_NAME=")), "")
    return [
        ("processor", f"{processor}, {os.cpu_count()} of them"),
        ("memory", f"{memory:.1f} GiB"),
        ("system", f"{system}, Linux {platform.release()}"),
        ("congestion control", congestion_control()),
        ("server on processor", ", ".join(map(str, server))),
        ("clients on", ", ".join(map(str, clients)) + (" (the same: nothing else is there)" if server == clients else "")),
        ("descriptors of a process", f"{resource.getrlimit(resource.RLIMIT_NOFILE)[1]:,}"),
        ("load average at the start", f"{os.getloadavg()[0]:.2f}"),
        ("compiler", first_line("g++", "--version")),
        ("wrk", first_line("wrk", "-v").partition(" Copyright")[0]),
        ("h2load", first_line("h2load", "--version")),
        ("ab", first_line("ab", "-V")),
    ]
