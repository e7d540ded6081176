#!/usr/bin/env python3
"""The files of the project itself: issue templates have the form that GitHub documents, and the README the commands of the guide."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEYS = {"name", "about", "title", "labels", "assignees"}  # of a template in Markdown


def front_matter(path):
    """The keys and values between the first two lines of ---, and what follows. Values are plain: neither lists nor quotations."""
    text = path.read_text()
    matter = re.match(r"---\n((?:[a-z]+: [^\n]+\n)+)---\n\n(.+)", text, re.S)
    assert matter, f"{path}: no front matter of plain keys and values"
    pairs = [line.split(": ", 1) for line in matter.group(1).splitlines()]
    assert len(dict(pairs)) == len(pairs), f"{path}: a key twice"
    return dict(pairs), matter.group(2)


class IssueTemplates(unittest.TestCase):
    def test_have_the_documented_form(self):
        templates = sorted((ROOT / ".github/ISSUE_TEMPLATE").iterdir())
        self.assertEqual([path.name for path in templates], ["defect.md", "feature.md"])
        names = set()
        for path in templates:
            keys, body = front_matter(path)
            self.assertLessEqual({"name", "about"}, set(keys), path)
            self.assertLessEqual(set(keys), KEYS, path)
            for value in keys.values():  # what YAML would take for something else than text
                self.assertNotRegex(value, r"^[\[{*&!|>'\"%@`#-]|: | #|^(true|false|null|yes|no|\d+)$", path)
            names.add(keys["name"])
            self.assertIn("**", body, path)
        self.assertEqual(len(names), len(templates))

    def test_are_where_the_documents_send_people(self):
        support = (ROOT / "SUPPORT.md").read_text()
        self.assertIn("by its template", support)
        self.assertIn("(SECURITY.md)", support)


class Documents(unittest.TestCase):
    def test_the_readme_installs_as_the_guide_says(self):
        """What is installed has to be built: a command that builds one target leaves nothing that can be installed."""
        def commands(name):
            text = (ROOT / name).read_text()
            return next(block.splitlines() for block in re.findall(r"```sh\n(.*?)```", text, re.S) if "cmake --install" in block)

        guide = commands("docs/guide/installing.md")
        self.assertEqual([line for line in commands("README.md") if line != "script/bootstrap build"], guide)


unittest.main()
