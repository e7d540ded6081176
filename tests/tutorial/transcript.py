#!/usr/bin/env python3
"""Runs the commands of a page of the tutorial, and compares what they print with the page.

Each block that begins with ```console is a transcript: `$ ` and a command, then its output. In the output, … stands for any
text within a line, and a line of … for any number of lines. A command that ends in & starts a server: the next command is
run when it serves. Servers have to end with status 0. All is run in a network of its own, where the ports of the page are
free; where the system does not allow that, in the common one, and skipped (77) if port 8080 is in use.

usage: transcript.py STEP FOLDER PROGRAM
  FOLDER is copied to where the commands are run, and PROGRAM is build/shed there.
"""
import ctypes
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

PAGES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/tutorial"
END = "--end-of-command--"
BLOCK = re.compile(r"^```console\n(.*?)^```", re.M | re.S)


def own_network():
    """Moves this process to a network with nothing but a loopback device; whether that is allowed."""
    library = ctypes.CDLL(None, use_errno=True)
    user, network = os.getuid(), 0x40000000
    if library.unshare(network) != 0 and library.unshare(network | 0x10000000) != 0:
        return False
    try:
        if user != 0 and os.getuid() == 65534:
            pathlib.Path("/proc/self/setgroups").write_text("deny")
            pathlib.Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            pathlib.Path("/proc/self/gid_map").write_text(f"{os.getgid()} {os.getgid()} 1")
        import fcntl
        with socket.socket() as any_socket:
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
    except OSError:
        pass
    return True


def is_free(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def commands(page):
    """(command, expected lines) of all transcripts of a page."""
    for block in BLOCK.findall(page.read_text()):
        current = None
        for line in block.splitlines():
            if line.startswith("$ "):
                if current:
                    yield current
                current = (line[2:], [])
            elif line.startswith("> ") and not current[1]:  # goes on
                current = (current[0] + "\n" + line[2:], [])
            else:
                current[1].append(line)
        if current:
            yield current


def matches(expected, printed):
    pattern = "\n".join("@LINES@" if line.strip() == "…" else ".*".join(re.escape(part) for part in line.split("…")) for line in expected)
    pattern = pattern.replace("\n@LINES@\n", r"\n(?:.*\n)*?").replace("@LINES@\n", r"(?:.*\n)*?").replace("\n@LINES@", r"(?:\n.*)*")
    return re.fullmatch(pattern.replace("@LINES@", r"(?:.*\n?)*"), printed) is not None


class Shell:
    def __init__(self, folder):
        (folder / ".curlrc").write_text("silent\nshow-error\n")  # as on a terminal, where there is no progress beside the answer
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        self.folder, self.servers = folder, []
        self.process = subprocess.Popen(["bash", "--norc", "-m"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def run(self, command):
        if command.rstrip().endswith("&"):
            log = self.folder / f"server-{len(self.servers)}.log"
            log.touch()
            command = f"{command.rstrip()[:-1]} >{log} 2>&1 &"
            self.servers.append(log)
            self.send(command)
            for _ in range(1200):
                if "serving" in log.read_text() or "cannot" in log.read_text():
                    break
                time.sleep(0.05)
            else:
                sys.exit(f"{command} does not serve: {log.read_text()}")
            return ""
        return self.send(command)

    def send(self, command):
        self.process.stdin.write(f"{command}\necho; echo {END}\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == END:
                break
            lines.append(line.rstrip())
        else:
            sys.exit(f"the shell has ended: {lines}")
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join(line for line in lines if not re.match(r"\[\d+\][+-]? +(Done|Terminated|Exit)", line))

    def end(self):
        """Stops the servers that are left; the status of each must be 0."""
        return self.send("status=0; for job in $(jobs -p); do kill $job 2>/dev/null; wait $job || status=$?; done; echo $status").splitlines()[-1]


def main():
    step, source, program = sys.argv[1:]
    page = next(PAGES.glob(f"{step}-*.md"))
    for tool in ("curl", "nginx"):
        if re.search(rf"^\$ .*\b{tool} ", page.read_text(), re.M) and not shutil.which(tool):
            print(f"skipped: no {tool}")
            sys.exit(77)
    if not own_network() and not all(map(is_free, (8080, 9090))):
        print("skipped: a network of its own is not allowed, and port 8080 or 9090 is in use")
        sys.exit(77)
    failures = count = 0
    with tempfile.TemporaryDirectory(prefix="tern-tutorial-") as temporary:
        folder = pathlib.Path(temporary) / "shed"
        shutil.copytree(source, folder)
        (folder / "build").mkdir()
        (folder / "build/shed").symlink_to(pathlib.Path(program).resolve())
        shell = Shell(folder)
        for command, expected in commands(page):
            count += 1
            printed = shell.run(command)
            if not matches([line.rstrip() for line in expected], printed):
                failures += 1
                print(f"FAILED: {page.name}: $ {command}\nexpected:\n" + "\n".join(expected) + f"\nprinted:\n{printed}\n")
        status = shell.end()
        if status != "0":
            failures += 1
            print(f"FAILED: a server has ended with status {status}: " + "".join(log.read_text() for log in shell.servers))
    if count == 0:
        sys.exit(f"{page} has no transcript")
    print(f"{page.name}: {count} commands, {failures} failures")
    sys.exit(1 if failures else 0)


main()
