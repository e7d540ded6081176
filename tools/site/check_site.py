#!/usr/bin/env python3
"""Checks a built site: every link and anchor leads somewhere, and no page, style or script needs another host.

usage: check_site.py FOLDER
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

# What a browser loads by itself, by element and attribute; <a href> is followed by people.
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("use", "href")}
NOT_LOADED = {"canonical", "next", "prev", "license"}  # rel of <link>
URL = re.compile(r"""(?:url\(\s*['"]?|["'`])(https?://[^"'`)\s]+)""")
# Addresses in scripts that are names or links, not something that is loaded.
NAMES = ("http://www.w3.org/", "https://www.w3.org/", "https://github.com/", "https://squidfunk.github.io/", "https://fb.me/", "http://feross.org")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for name in ("id", "name"):
            if values.get(name) and (name == "id" or tag == "a"):
                self.anchors.add(values[name])
        for name, value in attributes:
            if value is None or name not in ("href", "src"):
                continue
            if (tag, name) in LOADED and values.get("rel") not in NOT_LOADED:
                self.loads.append(value)
            self.links.append(value)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
    faults, links = [], 0
    for path, page in pages.items():
        name = path.relative_to(root)
        for load in page.loads:
            if re.match(r"(https?:)?//", load):
                faults.append(f"{name}: loads {load}")
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            if path.name == "404.html":  # served at any address: its links begin at the root
                continue
            links += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                faults.append(f"{name}: the link {link} leads nowhere")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{name}: {link} has no such anchor")
    for path in [*root.rglob("*.js"), *root.rglob("*.css")]:
        for url in URL.findall(path.read_text(encoding="utf-8", errors="replace")):
            if not url.startswith(NAMES):
                faults.append(f"{path.relative_to(root)}: refers to {url}")
    for fault in faults:
        print(fault)
    print(f"site: {len(pages)} pages, {links} links, {'failed' if faults else 'passed'}")
    sys.exit(1 if faults or not pages else 0)


main()
