#!/usr/bin/env python3
"""The showcase's database: named at the start, and there after a restart, a killed server's too.

  showcase_database_test.py PROGRAM
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

PROGRAM = pathlib.Path(sys.argv.pop()).resolve()


class Showcase:
    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen([PROGRAM, "--port", "0", "--threads", "2", *arguments], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"http://(127\.0\.0\.1:\d+)/", self.said)
        self.address = found and found[1]

    def ask(self, path, content=None):
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(f"http://{self.address}{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.stdout.close()
        return self.process.wait(20)


class ShowcaseDatabase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, *arguments):
        showcase = Showcase(self.folder.name, *arguments)
        self.addCleanup(showcase.process.wait)
        self.addCleanup(showcase.process.kill)
        self.assertTrue(showcase.address, showcase.said)
        return showcase

    def titles(self, showcase):
        return [note["title"] for note in showcase.ask("/notes")["items"]]

    def test_notes_survive_a_restart(self):
        first = self.start()
        self.assertIn(str(pathlib.Path(self.folder.name, "notes.db")), first.said)
        first.ask("/notes", {"title": "kept", "tags": ["a"]})
        self.assertEqual(first.end(), 0)
        second = self.start()
        self.assertEqual(self.titles(second), ["kept"])
        second.ask("/notes", {"title": "too"})
        second.end(signal.SIGKILL)
        third = self.start("--database", "notes.db")
        self.assertEqual(self.titles(third), ["kept", "too"])

    def test_memory_forgets(self):
        first = self.start("--database", ":memory:")
        first.ask("/notes", {"title": "lost"})
        first.end()
        self.assertEqual(self.titles(self.start("--database", ":memory:")), [])
        self.assertEqual(list(pathlib.Path(self.folder.name).iterdir()), [])

    def test_what_cannot_be_opened_ends_the_start(self):
        refused = Showcase(self.folder.name, "--database", "missing/notes.db")
        self.assertEqual(refused.process.wait(20), 1)
        self.assertIn("missing/notes.db", refused.said)
        refused.process.stdout.close()

    def test_a_text_is_no_database(self):
        pathlib.Path(self.folder.name, "notes.db").write_text("This is a text.\n" * 500)
        refused = Showcase(self.folder.name)
        self.assertEqual(refused.process.wait(20), 1)
        self.assertIn("notes.db: file is not a database", refused.said)
        refused.process.stdout.close()


unittest.main()
