"""What a process and its children have cost, from /proc."""
import os
import pathlib
import re
import threading

TICK = 1 / os.sysconf("SC_CLK_TCK")


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
    """User and system time of the processes, and of those of their children that have ended."""
    total = 0
    for pid in pids:
        total += sum(int(ticks) for ticks in stat(pid)[11:15])
    return total * TICK


def memory(pids, kind):
    """Bytes: VmRSS, or RssAnon, which leaves out the pages of program and libraries."""
    total = 0
    for pid in pids:
        found = re.search(rf"^{kind}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)
        total += int(found.group(1)) * 1024 if found else 0
    return total


class MemoryWatch(threading.Thread):
    """Looks now and then, and keeps the most that it saw."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.pids, self.most, self.over = pids, 0, threading.Event()

    def run(self):
        while not self.over.wait(0.2):
            try:
                self.most = max(self.most, memory(self.pids, "VmRSS"))
            except (FileNotFoundError, ProcessLookupError):
                return  # the server has ended: whoever measures will see

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()
