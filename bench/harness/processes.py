"""The costs of a process and its children, from /proc."""
import pathlib
import re
import threading


def stat(pid):
    """The fields of /proc/PID/stat behind the name; field 3 of proc(5) is the first."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def tree(pid):
    """The process and all that descend from it."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                children.setdefault(int(stat(entry.name)[1]), []).append(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                pass  # ended meanwhile
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def cpu_seconds(pids):
    """User and system time of the threads of these processes, to the nanosecond where the kernel counts so."""
    total = 0
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                total += int(task.joinpath("schedstat").read_text().split()[0])
            except (FileNotFoundError, ProcessLookupError):
                pass  # ended meanwhile
    return total / 1e9


def memory(pids, kind):
    """Bytes: VmRSS, or RssAnon, which leaves out the pages of program and libraries."""
    total = 0
    for pid in pids:
        found = re.search(rf"^{kind}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)
        total += int(found.group(1)) * 1024 if found else 0
    return total


class MemoryWatch(threading.Thread):
    """Samples the resident set periodically and keeps the maximum."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.pids, self.max, self.over = pids, 0, threading.Event()

    def run(self):
        while not self.over.wait(0.2):
            try:
                self.max = max(self.max, memory(self.pids, "VmRSS"))
            except (FileNotFoundError, ProcessLookupError):
                return  # the server has ended: the measurement will fail

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()
