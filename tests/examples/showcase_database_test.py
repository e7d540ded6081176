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

import postgres_process

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

    def ask(self, path, content=None, method=None):
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(f"http://{self.address}{path}", data, {"Content-Type": "application/json"},
                                         method=method)
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

    @unittest.skipUnless(postgres_process.find_programs(), "PostgreSQL is not installed")
    def test_notes_in_postgresql(self):
        database = postgres_process.Postgres()
        self.addCleanup(database.remove)
        first = self.start("--database", database.url)
        if "PostgreSQL" not in first.said:
            self.fail(first.said)
        first.ask("/notes", {"title": "100 % kept", "text": "Écoute", "tags": ["a", "b", "a"], "done": True})
        first.ask("/notes", {"title": "other", "tags": ["b"]})
        self.assertEqual(self.titles(first), ["100 % kept", "other"])
        for query, found in {"q=ecoute": 1, "q=%25": 1, "q=_": 0, "tag=b": 2, "tag=a": 1, "done=false": 1}.items():
            self.assertEqual(first.ask(f"/notes?{query}")["total"], found, query)
        note = first.ask("/notes/1")
        self.assertEqual((note["tags"], note["done"]), (["a", "b", "a"], True))
        changed = first.ask("/notes/1", {"text": "or not", "tags": ["c"]}, "PATCH")
        self.assertEqual((changed["title"], changed["text"], changed["tags"]), ("100 % kept", "or not", ["c"]))
        self.assertEqual(first.ask("/notes?tag=a")["total"], 0)
        self.assertEqual(first.end(), 0)
        second = self.start("--database", database.url)
        self.assertEqual(self.titles(second), ["100 % kept", "other"])
        self.assertEqual(list(pathlib.Path(self.folder.name).iterdir()), [])

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
