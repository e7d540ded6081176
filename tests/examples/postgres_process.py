"""A PostgreSQL for tests: in a temporary folder, on a free port of 127.0.0.1, killed and started again."""
import glob
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

UNPRIVILEGED = 65534


def find_programs():
    """The folder with initdb and postgres; None without PostgreSQL."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    found = shutil.which("postgres")
    return folders[0] if folders else found and os.path.dirname(found)


def runs(process):
    """Whether there is this process, other than as a zombie."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Postgres:
    def __init__(self):
        self.programs = find_programs()
        self.folder = tempfile.mkdtemp(prefix="tern-postgres-")
        self.process = None
        self.user = {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": []} if os.getuid() == 0 else {}
        if self.user:
            os.chown(self.folder, UNPRIVILEGED, UNPRIVILEGED)
        self.data = f"{self.folder}/data"
        self.log = open(f"{self.folder}/log", "a")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self.call("initdb", "--pgdata", self.data, "--username", "postgres", "--auth", "trust", "--no-sync")
        self.start()

    def call(self, program, *arguments):
        done = subprocess.run([f"{self.programs}/{program}", *arguments], cwd=self.folder, capture_output=True, text=True,
                              **self.user)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr}")
        return done.stdout

    def start(self):
        self.process = subprocess.Popen(
            [f"{self.programs}/postgres", "-D", self.data, "-p", str(self.port), "-k", self.folder, "-c",
             "listen_addresses=127.0.0.1", "-c", "logging_collector=off"], cwd=self.folder, stdout=self.log,
            stderr=self.log, start_new_session=True, **self.user)
        while self.process.poll() is None:
            done = subprocess.run([f"{self.programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)])
            if done.returncode == 0:
                return
            time.sleep(0.02)
        raise RuntimeError("PostgreSQL does not start: " + pathlib.Path(self.folder, "log").read_text()[-2000:])

    def kill(self):
        """All of its processes, at once. Returns when none uses the shared memory any longer: it could not start again."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGSTOP)  # so that it makes no further children
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        self.process.kill()
        self.process.wait()
        for child in children:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                pass
        while any(runs(child) for child in children):
            time.sleep(0.005)
        self.process = None
        pathlib.Path(self.data, "postmaster.pid").unlink(missing_ok=True)

    def remove(self):
        self.kill()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
