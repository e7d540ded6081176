"""The servers that are measured: Tern, the floor servers, and the peers of bench/peers."""
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from harness import machine, processes
from harness.common import ROOT, note, run

PATIENCE = 30  # seconds to start, and to end


class Absent(Exception):
    """A contender cannot be built here."""


class Failed(Exception):
    """A contender has failed."""


@dataclasses.dataclass
class Contender:
    name: str
    description: str
    command: list  # with {port} and {threads}
    supports: set
    note: str = ""
    version: str = ""
    folder: pathlib.Path = ROOT
    environment: dict = dataclasses.field(default_factory=dict)
    is_floor: bool = False
    is_tern: bool = False


EVERYTHING = {"hello", "json", "json_post", "user", "echo", "browser", "pipelined", "large_head", "large_body", "large_both",
              "routes", "middleware", "calc", "access_log"}
PROTOCOLS = {"data", "files", "http2", "login", "observe", "tls", "websocket"}  # measured by pages of their own; HTTP/2 of Tern also by workloads, for --ab
BINARIES = ROOT / "build/bench/bin"


def tern(binaries=BINARIES, name="tern", description="this tree, bench-server"):
    # Running adds the 300 routes only for the workload that needs them.
    return Contender(name, description, [str(binaries / "bench-server"), "--port", "{port}", "--threads", "{threads}"],
                     EVERYTHING | PROTOCOLS, is_tern=True)


def profiled():
    """Rebuilds bench-server; takes minutes."""
    note("building Tern again, with a profile")
    run("script/pgo")
    return tern(ROOT / "build/pgo/bin", "tern, profiled", "this tree, bench-server as script/pgo builds it")


def floor():
    """Sends one constant answer and does not parse: no echo, no computation."""
    supports = EVERYTHING - {"echo", "large_body", "calc", "access_log"}
    return Contender("floor", "bench/floor", [str(BINARIES / "bench-floor"), "--port", "{port}"], supports, is_floor=True)


def peer_names(supported=None):
    """Of those that support it, or anything that workloads ask for."""
    wanted = {supported} if supported else EVERYTHING
    files = (ROOT / "bench/peers").glob("*/peer.json")
    return sorted(file.parent.name for file in files if wanted & set(json.loads(file.read_text())["supports"]))


def sources_of(folder):
    """A digest of the sources of a peer."""
    digest = hashlib.sha256()
    for file in sorted(each for each in folder.rglob("*") if each.is_file()) + [ROOT / "bench/server/series.hpp", ROOT / "bench/peers/common.hpp"]:
        digest.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def stamp_of(out):
    return out / "built-from"


def is_built(folder, out):
    return stamp_of(out).exists() and stamp_of(out).read_text() == sources_of(folder)


def peer(name):
    """Built, or Absent."""
    folder = ROOT / "bench/peers" / name
    description = json.loads((folder / "peer.json").read_text())
    out = ROOT / "build/bench" / name
    out.mkdir(parents=True, exist_ok=True)
    environment = {"OUT": str(out)}

    def expanded(command):
        return [part.replace("$OUT", str(out)) for part in command]

    toolchain = description.get("toolchain")
    if toolchain and not shutil.which(toolchain):
        raise Absent(f"{toolchain} is not installed")
    try:
        if description["needs"]:
            run("script/bootstrap", "bench", *description["needs"])
        if not is_built(folder, out):
            for command in description["build"]:
                subprocess.run(expanded(command), cwd=folder, env=os.environ | environment, check=True, capture_output=True,
                               text=True)
            stamp_of(out).write_text(sources_of(folder))
    except (subprocess.CalledProcessError, OSError) as error:
        lines = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        raise Absent("; ".join(lines[-3:])) from error
    version = subprocess.run(expanded(description["version"]), cwd=folder, env=os.environ | environment, capture_output=True, text=True,
                             check=False)
    return Contender(name, description["description"], expanded(description["run"]), set(description["supports"]), description.get("note", ""),
                     next(iter((version.stdout + version.stderr).strip().splitlines()), "unknown"), folder, environment)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


class Running:
    """A contender that serves, pinned to the server's processors."""

    def __init__(self, contender, routes=0, access_log=None, threads=1, certificate=None):
        """`certificate`: that and its key, two files; with them it serves TLS."""
        self.contender, self.port, self.ended = contender, free_port(), False
        command = [part.replace("{port}", str(self.port)).replace("{threads}", str(threads)) for part in contender.command]
        environment = dict(contender.environment)
        if contender.is_tern:
            command += ["--routes", str(routes)] if routes else []
            command += ["--access-log", str(access_log)] if access_log else []
            command += ["--certificate", str(certificate[0]), "--key", str(certificate[1])] if certificate else []
        else:
            environment |= {"ACCESS_LOG": str(access_log)} if access_log else {}
            environment |= {"CERTIFICATE": str(certificate[0]), "KEY": str(certificate[1])} if certificate else {}
        self.log = ROOT / "build/bench" / f"{contender.name}.log"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                machine.pinned(machine.split()[0], command), cwd=contender.folder, env=os.environ | environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.wait_until_it_accepts()

    def wait_until_it_accepts(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        self.kill()
        raise Failed(f"did not start: {self.last_words()}")

    def last_words(self):
        return "; ".join(self.log.read_text().splitlines()[-3:])

    def pids(self):
        return processes.tree(self.process.pid)

    def stop(self):
        """By SIGTERM. The exit status, once all is quiet."""
        if self.process.poll() is not None:
            raise Failed(f"ended by itself with {self.process.returncode}: {self.last_words()}")
        self.process.terminate()
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise Failed(f"did not end within {PATIENCE} s of SIGTERM") from error
        self.kill()  # children that were left
        # Ending by the signal is clean; Tern promises more.
        if status != 0 and (self.contender.is_tern or status not in (-signal.SIGTERM, 128 + signal.SIGTERM)):
            raise Failed(f"ended with {status}")
        return status

    def kill(self):
        """All that was started with it: the session is its own."""
        if self.ended:
            return  # by now the number may be another's
        self.ended = True
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def chosen(names, log=note):
    """(contenders, {name: why it is absent}) of the peers named."""
    found, absent = [], {}
    for name in names:
        log(f"building {name}")
        try:
            found.append(peer(name))
        except Absent as error:
            log(f"{name} is absent: {error}")
            absent[name] = str(error)
    return found, absent
