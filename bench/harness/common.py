"""Shared by all measurements: building, serving, and writing into docs/performance.md."""
import pathlib
import re
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/performance.md"


def run(*arguments, **options):
    return subprocess.run(arguments, cwd=ROOT, check=True, capture_output=True, text=True, **options)


def note(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def build(*targets):
    note("building " + ", ".join(targets))
    run("script/bootstrap", "bench")
    run("script/configure", "bench")
    run("cmake", "--build", "build/bench", "--target", *targets)


class Server:
    """A program that serves on a port of its own choice, told in the log line of its start."""

    def __init__(self, program, threads=1):
        self.process = subprocess.Popen(
            [ROOT / "build/bench/bin" / program, "--port", "0", "--threads", str(threads)],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in self.process.stderr:
            found = re.search(r"serving 127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                return
        raise RuntimeError(f"{program} did not start")

    def memory(self, kind):
        """Resident bytes: VmRSS, or RssAnon, which leaves out the pages of program and libraries."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{kind}:\s+(\d+) kB", status, re.M).group(1)) * 1024

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port))

    def stop(self):
        self.process.terminate()
        self.process.stderr.close()
        if self.process.wait() != 0:
            raise RuntimeError("the server did not end cleanly")


def table_of(rows):
    return "| what | measured |\n| --- | ---: |\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)


def write_table(what, table, file=PAGE):
    """Replaces the text between the markers of `what`."""
    begin, end = f"<!-- {what}: begin -->\n", f"<!-- {what}: end -->"
    page = file.read_text()
    head, found, rest = page.partition(begin)
    if not found:
        raise RuntimeError(f"{file.relative_to(ROOT)} has no markers for {what}")
    file.write_text(head + begin + table + end + rest.partition(end)[2])
