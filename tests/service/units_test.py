"""The units that Tern writes and documents, by systemd's own tools: units_test.py TERN SERVER

TERN writes new projects, whose units are checked, as is that of the tutorial. SERVER is supervised-server, which
systemd-socket-activate starts with the first connection. Without systemd's tools, the test is skipped."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TERN, SERVER = map(os.path.abspath, sys.argv[1:3])
SHED = pathlib.Path(__file__).resolve().parents[2] / "examples/tutorial/step-8/packaging/shed@.service"
SYSTEMD = pathlib.Path("/usr/lib/systemd/system")
EXPOSURE = 20  # tenths, of systemd-analyze security; 10.0 is a unit without any restriction
PATIENCE = 60  # seconds; reached only by a failing test

for tool in ("systemd-analyze", "systemd-socket-activate"):
    if not shutil.which(tool):
        print(f"skipped: there is no {tool}")
        sys.exit(77)
if not (SYSTEMD / "sysinit.target").exists():
    print(f"skipped: there are no units of systemd in {SYSTEMD}")
    sys.exit(77)


class Units(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name, "root")
        (self.root / "usr/bin").mkdir(parents=True)
        self.units = self.root / "usr/lib/systemd/system"
        shutil.copytree(SYSTEMD, self.units, symlinks=True)
        self.program("kill")

    def program(self, name):
        path = self.root / "usr/bin" / name
        path.touch()
        path.chmod(0o755)

    def analyze(self, *arguments):
        done = subprocess.run(["systemd-analyze", f"--root={self.root}", *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def verify(self, *units):
        """systemd reads them, and knows each key: for one that it does not know, it writes a warning and ends with 0."""
        self.assertEqual(self.analyze("verify", "--man=no", *units), (0, ""))

    def check_exposure(self, unit):
        status, text = self.analyze("security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", unit)
        self.assertEqual(status, 0, text)

    def test_those_of_new_projects_are_right_and_hardened(self):
        for options in (["--template", "minimal"], ["--db", "sqlite"], ["--db", "postgres"]):
            project = pathlib.Path(self.folder.name, options[-1])
            subprocess.run([TERN, "new", f"my-{options[-1]}", *options, "--folder", project], check=True, stdout=subprocess.DEVNULL)
            self.program(f"my-{options[-1]}")
            units = sorted((project / "packaging").iterdir())
            self.assertEqual([unit.suffix for unit in units], [".service", ".socket"])
            for unit in units:
                shutil.copy(unit, self.units)
            self.verify(*(unit.name for unit in units))
            self.check_exposure(units[0].name)

    def test_that_of_the_tutorial_is_right_and_hardened(self):
        self.program("shed")
        shutil.copy(SHED, self.units / SHED.name)
        self.verify("shed@8081.service")
        self.check_exposure("shed@8081.service")

    def test_the_check_finds_what_is_wrong(self):
        self.program("shed")
        text = SHED.read_text()
        for right, wrong in (("LockPersonality=yes", "LockPersonalities=yes"), ("ExecStart=/usr/bin/shed", "ExecStart=/usr/bin/shet"),
                             ("ProtectSystem=strict", "ProtectSystem=very")):
            self.assertIn(right, text)
            (self.units / SHED.name).write_text(text.replace(right, wrong))
            self.assertNotEqual(self.analyze("verify", "--man=no", "shed@8081.service"), (0, ""), wrong)
        (self.units / "bare.service").write_text("[Service]\nExecStart=/usr/bin/shed\n")
        self.assertNotEqual(self.analyze("security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", "bare.service")[0], 0)


class SocketActivation(unittest.TestCase):
    def test_the_first_connection_starts_the_server(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "socket")
            process = subprocess.Popen(["systemd-socket-activate", "--listen", path, SERVER, "0"], stderr=subprocess.DEVNULL)
            try:
                deadline = time.monotonic() + PATIENCE
                while not os.path.exists(path):
                    self.assertLess(time.monotonic(), deadline)
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                done = subprocess.run(["curl", "--silent", "--show-error", "--fail", "--max-time", str(PATIENCE), "--unix-socket", path,
                                       "http://localhost/pid"], capture_output=True, text=True, check=False)
                # It has become the server: the process is the same.
                self.assertEqual((done.stdout, done.stderr), (str(process.pid), ""))
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(PATIENCE), 0)
            finally:
                process.kill()
                process.wait()


unittest.main(argv=sys.argv[:1])
